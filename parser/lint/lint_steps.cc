// What the steps of the ranks tell (mprof run --lint): circles of sends, messages that nobody asks
// for, receives that could have got another message, and collectives that ranks call with different
// operations or datatypes.
#include "lint/lint_checks.h"
#include "lint/step_replay.h"
#include "report/number_text.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace mprof {
namespace {

// Of all ranks together: more would take too much memory, so each rank is looked at up to its
// share.
constexpr size_t most_steps = 8'000'000;

bool has_steps(const LintContext &context)
{
    for (size_t r = 0; r < context.ranks.size(); r++)
        if (!context.fits(r, LintRule::send_cycle))
            return false;
    return !context.ranks.empty() &&
           context.ranks.size() == context.ranks.front().file->header().ranks;
}

// Numbers of the communicators that are certain to be the same on all ranks.
class StepCommunicators {
public:
    explicit StepCommunicators(const LintContext &context)
    {
        std::map<uint32_t, Row> rows;
        for (size_t r = 0; r < context.ranks.size(); r++)
            add_rank(context, r, rows);
        for (const auto &[row, of] : rows)
            if (of.is_certain && of.ranks == of.size) {
                numbers_[row] = static_cast<uint32_t>(members_.size());
                members_.push_back(of.size);
            }
    }
    // 0 = not certain
    uint32_t number_of(const LintContext &context, size_t rank, uint32_t slot) const
    {
        const auto at = numbers_.find(context.merged.communicators.row_of(rank, slot));
        return slot == MPROF_COMM_SLOT_NONE || at == numbers_.end() ? 0 : at->second;
    }
    const ReplayMembers &members() const { return members_; }

private:
    struct Row {
        uint32_t size = 0, ranks = 0;
        bool is_certain = true;
    };
    static void add_rank(const LintContext &context, size_t rank, std::map<uint32_t, Row> &rows)
    {
        const RankFile &file = *context.ranks[rank].file;
        for (const CommunicatorSlot &slot : file.communicators) {
            Row &row = rows[context.merged.communicators.row_of(rank, slot.slot)];
            row.size = slot.facts.size;
            row.ranks++;
            row.is_certain = row.is_certain && is_one_communicator(slot, file) &&
                             (slot.facts.flags & MPROF_COMM_INTER) == 0;
        }
        rows[0].is_certain = false;
    }

    std::map<uint32_t, uint32_t> numbers_;
    ReplayMembers members_{0};
};

class AllSteps {
public:
    explicit AllSteps(const LintContext &context) : context_(context), communicators_(context)
    {
        const size_t most = std::max<size_t>(1, most_steps / context.ranks.size());
        for (const RankMeasure &measure : context.ranks)
            index_[measure.rank()] = static_cast<uint32_t>(index_.size());
        for (size_t r = 0; r < context.ranks.size(); r++)
            add_rank(r, most);
    }
    ReplayResult replay() { return replay_steps(ranks_, communicators_.members()); }

    const std::vector<ReplayRank> &ranks() const { return ranks_; }
    const mprof_lint_step &raw(size_t rank, uint32_t step) const { return raw_[rank][step]; }
    LintCalls call_of(StepPlace place) const
    {
        LintCalls call;
        call.function = raw(place.rank, place.step).function;
        call.callsite = raw(place.rank, place.step).callsite;
        return call;
    }
    // "MPI_Send at ring.c:7"
    std::string words_of(StepPlace place) const
    {
        return context_.place_words(place.rank, call_of(place));
    }
    uint32_t rank_of(uint32_t index) const { return context_.ranks[index].rank(); }

private:
    void add_rank(size_t rank, size_t most)
    {
        const RankFile &file = *context_.ranks[rank].file;
        ReplayRank replayed;
        std::vector<mprof_lint_step> raw;
        for (const mprof_lint_step &step : file.lint_steps) {
            if (raw.size() == most)
                break;
            raw.push_back(step);
            replayed.steps.push_back(replay_step(rank, step));
        }
        replayed.is_whole = file.lint.is_cut == 0 && raw.size() == file.lint_steps.size() &&
                            context_.ranks[rank].complete();
        ranks_.push_back(std::move(replayed));
        raw_.push_back(std::move(raw));
    }
    ReplayStep replay_step(size_t rank, const mprof_lint_step &raw) const
    {
        const FunctionFacts &facts = context_.facts(rank, raw.function);
        ReplayStep step;
        step.kind = static_cast<mprof_lint_step_kind>(raw.kind);
        step.flags = raw.flags;
        step.communicator = communicators_.number_of(context_, rank, raw.communicator);
        step.tag = step.asked_tag = raw.tag;
        if (raw.kind == MPROF_LINT_COLLECTIVE) {
            step.rule = (raw.flags & MPROF_LINT_BLOCKS) != 0 ? facts.call : facts.completion;
            step.root = root_of(rank, raw);
        } else if (raw.kind == MPROF_LINT_COMPLETE) {
            step.started = raw.started == 0 ? no_step : raw.started - 1;
        }
        if (const auto at = index_.find(raw.rank);
            raw.kind != MPROF_LINT_COLLECTIVE && at != index_.end())
            step.rank = at->second;
        return step;
    }
    // Where ranks of the communicator are numbered as in the world.
    uint32_t root_of(size_t rank, const mprof_lint_step &raw) const
    {
        const auto *slot = find_slot(context_.ranks[rank].file->communicators, raw.communicator);
        const bool is_world = slot != nullptr && slot->facts.size == context_.ranks.size() &&
                              slot->facts.rank == context_.ranks[rank].rank();
        return is_world && raw.rank < context_.ranks.size() ? raw.rank : no_step;
    }

    const LintContext &context_;
    StepCommunicators communicators_;
    std::map<uint32_t, uint32_t> index_;  // of a world rank
    std::vector<ReplayRank> ranks_;
    std::vector<std::vector<mprof_lint_step>> raw_;
};

void add_cycles(LintContext &context, const AllSteps &steps, const ReplayResult &result)
{
    for (const std::vector<StepPlace> &cycle : result.cycles)
        for (size_t i = 0; i < cycle.size(); i++) {
            const StepPlace &next = cycle[(i + 1) % cycle.size()];
            const std::string who =
                cycle.size() == 1
                    ? "the rank sends to itself before it receives"
                    : fmt::format("{} wait for each other here, such as rank {} in {}",
                                  plural(cycle.size(), "rank"), steps.rank_of(next.rank),
                                  steps.words_of(next));
            context.add(LintRule::send_cycle, cycle[i].rank, steps.call_of(cycle[i]), 1,
                        who + "; it ends only because the MPI buffers such small messages");
        }
}

void add_wrong_tags(LintContext &context, const AllSteps &steps, const ReplayResult &result)
{
    for (const StepPlace &place : result.wrong_tags) {
        const mprof_lint_step &send = steps.raw(place.rank, place.step);
        context.add(LintRule::tag_not_received, place.rank, steps.call_of(place), 1,
                    fmt::format("rank {} receives no message with tag {} from this rank", send.rank,
                                send.tag - 1));
    }
}

// Does a rank call what puts ranks in order and is in no step?
bool is_ordered_unseen(const LintContext &context, const AllSteps &steps, size_t rank)
{
    std::set<uint16_t> seen;
    for (uint32_t i = 0; i < steps.ranks()[rank].steps.size(); i++)
        seen.insert(steps.raw(rank, i).function);
    const auto &entries = context.ranks[rank].entries;
    return std::any_of(entries.begin(), entries.end(), [&](const MeasuredEntry &entry) {
        const FunctionFacts &facts = context.facts(rank, entry.key.function);
        const bool orders = is_collective(facts.call) || facts.call == WaitRule::not_known ||
                            facts.kind == FunctionKind::one_sided;
        return entry.counted_calls() > 0 && orders && !facts.begins_mpi && !facts.ends_mpi &&
               seen.count(entry.key.function) == 0;
    });
}

void add_races(LintContext &context, const AllSteps &steps, const ReplayResult &result)
{
    for (size_t r = 0; r < context.ranks.size(); r++)
        if (!result.races.empty() && is_ordered_unseen(context, steps, r))
            return;
    for (const ReceiveRace &race : result.races)
        context.add(LintRule::receive_order, race.receive.rank, steps.call_of(race.receive), 1,
                    fmt::format("could have received first what rank {} sent in {}: the order can "
                                "change from run to run",
                                steps.rank_of(race.from.rank), steps.words_of(race.from)));
}

// ---- collectives
// ---------------------------------------------------------------------------------

constexpr std::array<const char *, 13> operation_names = {"a different operation",
                                                          "MPI_MAX",
                                                          "MPI_MIN",
                                                          "MPI_SUM",
                                                          "MPI_PROD",
                                                          "MPI_LAND",
                                                          "MPI_BAND",
                                                          "MPI_LOR",
                                                          "MPI_BOR",
                                                          "MPI_LXOR",
                                                          "MPI_BXOR",
                                                          "MPI_MINLOC",
                                                          "MPI_MAXLOC"};

std::string operation_words(uint32_t operation)
{
    return operation < operation_names.size() ? operation_names.at(operation)
                                              : "a different operation";
}

std::string type_words(uint32_t type)
{
    const uint32_t kind = type >> 8U, bytes = type & 0xffU;
    const char *words = kind == MPROF_LINT_TYPE_INTEGER   ? "integers"
                        : kind == MPROF_LINT_TYPE_REAL    ? "reals"
                        : kind == MPROF_LINT_TYPE_COMPLEX ? "complex numbers"
                                                          : "data";
    return fmt::format("{} of {} bytes", words, bytes);
}

struct CollectiveAspect {
    LintRule rule;
    uint32_t (*of)(const mprof_lint_step &step);
    std::string (*words)(uint32_t value);
};
constexpr CollectiveAspect aspects[] = {
    {LintRule::collective_operation, [](const mprof_lint_step &step) { return step.started; },
     operation_words},
    {LintRule::collective_type, [](const mprof_lint_step &step) { return uint32_t{step.type}; },
     type_words},
};

using StepInstances = std::map<std::pair<uint32_t, uint32_t>, std::vector<StepPlace>>;

// What most ranks gave, of those of whom it is known; of as many, that of the lowest rank. 0 = all
// gave the same.
StepPlace usual_place(const AllSteps &steps, const std::vector<StepPlace> &instance,
                      const CollectiveAspect &aspect)
{
    std::map<uint32_t, size_t> counts;
    for (const StepPlace &place : instance)
        if (const uint32_t value = aspect.of(steps.raw(place.rank, place.step)); value != 0)
            counts[value]++;
    StepPlace usual{0, no_step};
    size_t most = 0;
    for (const StepPlace &place : instance) {
        const uint32_t value = aspect.of(steps.raw(place.rank, place.step));
        if (counts.size() > 1 && value != 0 && counts[value] > most) {
            most = counts[value];
            usual = place;
        }
    }
    return usual;
}

bool is_same_function(const LintContext &context, const AllSteps &steps,
                      const std::vector<StepPlace> &instance)
{
    const auto name = [&](const StepPlace &place) {
        return context.facts(place.rank, steps.raw(place.rank, place.step).function).form_of;
    };
    return std::all_of(instance.begin(), instance.end(),
                       [&](const StepPlace &place) { return name(place) == name(instance[0]); });
}

void compare_instance(LintContext &context, const AllSteps &steps,
                      const std::vector<StepPlace> &instance, const CollectiveAspect &aspect)
{
    const StepPlace usual = usual_place(steps, instance, aspect);
    if (usual.step == no_step || !is_same_function(context, steps, instance))
        return;
    const uint32_t expected = aspect.of(steps.raw(usual.rank, usual.step));
    for (const StepPlace &place : instance) {
        const uint32_t value = aspect.of(steps.raw(place.rank, place.step));
        if (value != 0 && value != expected)
            context.add(aspect.rule, place.rank, steps.call_of(place), 1,
                        fmt::format("{} here, but {} on rank {} in {}", aspect.words(value),
                                    aspect.words(expected), steps.rank_of(usual.rank),
                                    steps.words_of(usual)));
    }
}

void compare_collectives(LintContext &context, const AllSteps &steps)
{
    StepInstances instances;
    for (uint32_t r = 0; r < steps.ranks().size(); r++)
        for (uint32_t i = 0; i < steps.ranks()[r].steps.size(); i++)
            if (const ReplayStep &step = steps.ranks()[r].steps[i];
                step.instance != no_step && step.rule != WaitRule::neighbours)
                instances[{step.communicator, step.instance}].push_back({r, i});
    for (const auto &[key, instance] : instances)
        for (const CollectiveAspect &aspect : aspects)
            compare_instance(context, steps, instance, aspect);
}

}  // namespace

void check_steps(LintContext &context)
{
    if (!has_steps(context))
        return;
    AllSteps steps(context);
    const ReplayResult result = steps.replay();
    add_cycles(context, steps, result);
    add_wrong_tags(context, steps, result);
    add_races(context, steps, result);
    compare_collectives(context, steps);
}

namespace {

std::string kernel_words(const std::string &name)
{
    return name.starts_with("a ") ? name : "kernel " + name;
}

}  // namespace

// An MPI that cannot read a buffer may end the process in this call, or read something else.
void check_device_buffers(LintContext &context, size_t rank)
{
    const RankFile &file = *context.ranks[rank].file;
    const bool cannot = std::any_of(file.gpu.begin(), file.gpu.end(),
                                    [](const mprof_gpu &row) { return row.sends_from_gpu == 1; });
    for (const mprof_gpu_buffer &buffer : file.gpu_buffers)
        if (cannot && buffer.memory == MPROF_MEMORY_DEVICE && buffer.callsite != 0)
            context.add(LintRule::device_buffer_given_to_plain_mpi, rank,
                        {static_cast<uint16_t>(buffer.function), buffer.callsite, MPROF_KIND_CALL,
                         buffer.calls, 0},
                        buffer.calls,
                        "its buffer is on the GPU, and this MPI says that it cannot send from "
                        "there: copy it to the host, or use an MPI built for the GPU");
}

void check_finds(LintContext &context, size_t rank)
{
    const RankFile &file = *context.ranks[rank].file;
    for (const mprof_lint_find &find : file.lint_finds) {
        const LintCalls call{find.function, find.callsite, MPROF_KIND_CALL, find.count, 0};
        const LintCalls other{find.other_function, find.other_callsite, MPROF_KIND_CALL, 0, 0};
        if (find.kind == MPROF_LINT_OVERLAP && context.fits(rank, LintRule::buffer_overlap))
            context.add(LintRule::buffer_overlap, rank, call, find.count,
                        find.function == find.other_function && find.callsite == find.other_callsite
                            ? "two of its buffers share memory, or its buffer is still in use from "
                              "an earlier call"
                            : fmt::format("uses memory that {} still has",
                                          context.place_words(rank, other)));
        if (find.kind == MPROF_LINT_AT_ONCE && context.fits(rank, LintRule::calls_at_once))
            context.add(LintRule::calls_at_once, rank, call, find.count,
                        "called while another thread was in MPI, with MPI_THREAD_SERIALIZED");
        if (find.kind == MPROF_LINT_NOT_READY &&
            context.fits(rank, LintRule::device_buffer_not_ready))
            context.add(
                LintRule::device_buffer_not_ready, rank, call, find.count,
                fmt::format(
                    "its GPU buffer may not be ready: {} was launched with it and had not finished",
                    kernel_words(find.text)));
        if (find.kind == MPROF_LINT_ERROR && context.fits(rank, LintRule::error_not_looked_at))
            context.add(
                LintRule::error_not_looked_at, rank, call, find.count,
                fmt::format(
                    "returned an error ({}), and the rank continued without asking what it means",
                    find.text));
    }
}

}  // namespace mprof
