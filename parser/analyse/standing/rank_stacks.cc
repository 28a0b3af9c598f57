// Which threads are worth a look: the first one, and those that run the program's own code.
#include "analyse/standing/stands.h"

#include "symbols/symbol_lookup.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string_view>

namespace mprof {
namespace {

constexpr size_t most_ranks = 4;
constexpr size_t most_threads = 4;  // of a rank
constexpr size_t most_frames = 24;

bool is_in(const StandingRow &row, uint32_t rank)
{
    return std::any_of(row.where.begin(), row.where.end(), [rank](const MissingRanks &range) {
        return range.first <= rank && rank <= range.last;
    });
}

bool is_outside(const Standing &standing, uint32_t rank)
{
    return std::any_of(standing.rows.begin(), standing.rows.end(), [rank](const StandingRow &row) {
        const bool is_there = row.state == RankState::outside_mpi ||
                              row.state == RankState::stopped || row.state == RankState::polling;
        return is_there && is_in(row, rank);
    });
}

// The C library, the MPI with what it stands on, runtimes of threads, and mprof's own.
bool is_of_runtime(const std::string &module)
{
    static constexpr std::array<std::string_view, 24> names = {
        "libc.",    "libc-",   "libpthread", "ld-linux",   "ld-musl",   "libmpi",
        "libopen-", "libpmix", "libprrte",   "libevent",   "libucs",    "libuct",
        "libucp",   "libucm",  "libfabric",  "libhwloc",   "libpmi",    "libgomp",
        "libomp",   "libiomp", "libmprof",   "libibverbs", "librdmacm", "[vdso"};
    const size_t slash = module.rfind('/');
    const std::string_view name =
        std::string_view(module).substr(slash == std::string::npos ? 0 : slash + 1);
    return name.starts_with("mca_") ||
           std::any_of(names.begin(), names.end(),
                       [&](std::string_view own) { return name.starts_with(own); });
}

bool is_worth_a_look(const ThreadStack &stack)
{
    return stack.is_first || !stack.scripts.empty() ||
           std::any_of(stack.places.begin(), stack.places.end(), [](const CodePlace &place) {
               return !place.module.empty() && !is_of_runtime(place.module);
           });
}

void add_frames(const CodePlace &place, SymbolLookup &symbols, std::vector<Frame> &frames)
{
    Frame frame;
    frame.module = place.module;
    frame.offset = place.offset;
    if (place.module.empty()) {
        frame.symbol = jit_symbol;
        frames.push_back(frame);
        return;
    }
    const ModuleIdentity module{place.module, place.build_id, false, 0, 0};
    const std::vector<SymbolFrame> &found = symbols.frames_at(module, place.offset);
    for (const SymbolFrame &each : found) {
        frame.symbol = each.function;
        frame.file = each.file;
        frame.line = each.line;
        frame.inlined = each.inlined;
        frames.push_back(frame);
    }
    if (found.empty())
        frames.push_back(frame);
}

// The functions of scripts stand in the place of the interpreter's own, as at call sites.
void add_scripts(const ThreadStack &stack, ThreadStackRow &row)
{
    for (const ScriptPlace &place : stack.scripts) {
        if (row.frames.size() >= most_frames) {
            row.is_cut = true;
            break;
        }
        Frame frame;
        frame.symbol = place.function;
        frame.file = frame.module = place.file;
        frame.line = place.line;
        frame.offset = place.instruction;
        row.frames.push_back(frame);
    }
}

// Up to main(): what calls it says nothing.
ThreadStackRow row_of(uint32_t rank, const ThreadStack &stack, const std::string &interpreter,
                      SymbolLookup &symbols)
{
    ThreadStackRow row{
        rank, static_cast<uint32_t>(stack.thread), stack.is_first, stack.doing, {}, stack.is_cut};
    for (const CodePlace &place : stack.places) {
        if (!stack.scripts.empty() && place.module == interpreter)
            break;
        add_frames(place, symbols, row.frames);
        if (row.frames.back().symbol == "main")
            break;
        if (row.frames.size() >= most_frames) {
            row.is_cut = true;
            break;
        }
    }
    add_scripts(stack, row);
    return row;
}

void add_remark(const std::string &words, std::string &remark)
{
    if (!words.empty())
        remark += (remark.empty() ? "" : "; ") + words;
}

}  // namespace

std::vector<uint32_t> ranks_to_look_at(const Standing &standing, std::optional<uint32_t> wanted)
{
    if (wanted)
        return {*wanted};
    std::vector<uint32_t> ranks;
    const auto add = [&](uint32_t rank) {
        if (ranks.size() < most_ranks && is_outside(standing, rank) &&
            std::find(ranks.begin(), ranks.end(), rank) == ranks.end())
            ranks.push_back(rank);
    };
    for (const uint32_t rank : standing.look_at)
        add(rank);
    for (const StandingRow &row : standing.rows)
        for (const MissingRanks &range : row.where)
            for (uint32_t rank = range.first; rank <= range.last && rank - range.first < most_ranks;
                 rank++)
                add(rank);
    return ranks;
}

void add_stacks(const std::map<uint32_t, ProcessStacks> &by_rank, const SymbolOptions &options,
                Standing &standing)
{
    SymbolLookup symbols(options);
    for (const auto &[rank, stacks] : by_rank) {
        size_t told = 0, more = 0;
        for (const ThreadStack &stack : stacks.threads) {
            if (!is_worth_a_look(stack))
                continue;
            if (++told <= most_threads)
                standing.stacks.push_back(row_of(rank, stack, stacks.interpreter, symbols));
            else
                more++;
        }
        if (!stacks.problem.empty())
            add_remark(fmt::format("rank {}: {}", rank, stacks.problem), standing.stacks_remark);
        if (more > 0)
            add_remark(fmt::format("rank {} has {} more threads", rank, more),
                       standing.stacks_remark);
    }
}

}  // namespace mprof
