// What is made and never freed, and what is made again and again. Communicators and files have
// records of their own; all else is counted by the calls that make and end it.
#include "lint/lint_checks.h"
#include "report/number_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>

namespace mprof {
namespace {

// So many of one line are no longer preparation.
constexpr uint64_t many_objects = 100;
// Of the rank's wallclock: below it making datatypes is not worth a word.
constexpr double least_share = 0.001;

struct ObjectWords {
    Object object;
    LintRule rule;
    const char *words;
};
constexpr ObjectWords object_words[] = {
    {Object::lock, LintRule::epoch_not_ended, "the lock is never given up"},
    {Object::lock_of_all, LintRule::epoch_not_ended, "the lock of all ranks is never given up"},
    {Object::access_epoch, LintRule::epoch_not_ended, "the access epoch is never completed"},
    {Object::window, LintRule::window_not_freed, "the window is never freed"},
    {Object::datatype, LintRule::datatype_not_freed, "the datatype is never freed"},
    {Object::persistent_request, LintRule::request_not_freed,
     "the persistent request is never freed"},
    {Object::group, LintRule::group_not_freed, "the group is never freed"},
    {Object::operation, LintRule::operation_not_freed, "the operation is never freed"},
    {Object::info, LintRule::info_not_freed, "the info object is never freed"},
    {Object::error_handler, LintRule::error_handler_not_freed, "the error handler is never freed"},
};

// The lines that make such objects, most calls first.
std::vector<LintCalls> making_lines(const LintContext &context, size_t rank, Object object)
{
    std::map<std::pair<uint16_t, uint32_t>, LintCalls> lines;
    for (const LintCalls &calls : context.sums_of(rank).calls) {
        if (context.facts(rank, calls.function).makes != object)
            continue;
        LintCalls &line = lines[{calls.function, calls.callsite}];
        line.function = calls.function;
        line.callsite = calls.callsite;
        line.calls += calls.calls;
        line.time_s += calls.time_s;
    }
    std::vector<LintCalls> sorted;
    for (const auto &[key, line] : lines)
        sorted.push_back(line);
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const LintCalls &a, const LintCalls &b) { return a.calls > b.calls; });
    return sorted;
}

// A line that made more than were ended of all lines certainly left some. If no line did, nobody
// knows which one left how many: the first one stands for all.
void add_unended(LintContext &context, size_t rank, const ObjectWords &of)
{
    const LintSums &sums = context.sums_of(rank);
    const uint64_t made = sums.made.at(static_cast<size_t>(of.object));
    const uint64_t ended = sums.ended.at(static_cast<size_t>(of.object));
    if (made <= ended || !context.fits(rank, of.rule))
        return;
    const std::vector<LintCalls> lines = making_lines(context, rank, of.object);
    bool is_told = false;
    for (const LintCalls &line : lines) {
        if (line.calls <= ended)
            continue;
        is_told = true;
        context.add(of.rule, rank, line, line.calls - ended, of.words);
    }
    if (is_told || lines.empty())
        return;
    context.add(of.rule, rank, lines.front(), made - ended,
                fmt::format("{}, of this line or of one of {} that make them too", of.words,
                            plural(lines.size() - 1, "other")));
}

double time_of(const LintContext &context, size_t rank, const LintCalls &line)
{
    double time_s = 0;
    for (const LintCalls &calls : context.sums_of(rank).calls)
        if (calls.function == line.function && calls.callsite == line.callsite)
            time_s += calls.time_s;
    return time_s;
}

void add_cost(LintRow &row, double seconds)
{
    row.cost_s = row.cost_s.value_or(0) + seconds;
}

// The line that made the communicator; none if it was not seen to be made.
std::optional<LintCalls> line_of(const LintContext &context, size_t rank,
                                 const CommunicatorSlot &slot)
{
    const CommunicatorFacts &facts = slot.facts;
    if (slot.slot <= MPROF_COMM_SLOT_OTHER || facts.made_by == 0)
        return std::nullopt;
    LintCalls line;
    line.function = static_cast<uint16_t>(facts.made_by - 1);
    line.callsite = facts.callsite;
    line.calls = facts.created;
    if (!context.facts(rank, line.function).makes_comm)
        return std::nullopt;
    return line;
}

void add_unfreed(LintContext &context, size_t rank)
{
    const LintRule rule = LintRule::communicator_not_freed;
    if (!context.fits(rank, rule))
        return;
    for (const CommunicatorSlot &slot : context.ranks[rank].file->communicators)
        if (const auto line = line_of(context, rank, slot);
            line && (slot.facts.flags & MPROF_COMM_FREED) == 0)
            context.add(rule, rank, *line, 1, "the communicator is never freed or disconnected");
}

// A slot is used again for the same communicator made by the same line.
void add_remade(LintContext &context, size_t rank)
{
    std::map<std::pair<uint16_t, uint32_t>, LintCalls> lines;
    for (const CommunicatorSlot &slot : context.ranks[rank].file->communicators) {
        const auto made = line_of(context, rank, slot);
        if (!made || made->calls < many_objects)
            continue;
        const auto [at, is_new] = lines.try_emplace({made->function, made->callsite}, *made);
        if (!is_new)
            at->second.calls += made->calls;
    }
    for (const auto &[key, line] : lines)
        add_cost(context.add(LintRule::communicator_every_step, rank, line, line.calls,
                             fmt::format("makes the same communicators {} times on a rank; make "
                                         "them once and keep them",
                                         line.calls)),
                 time_of(context, rank, line));
}

}  // namespace

void check_objects(LintContext &context, size_t rank)
{
    for (const ObjectWords &of : object_words)
        add_unended(context, rank, of);
}

void check_communicators(LintContext &context, size_t rank)
{
    add_unfreed(context, rank);
    add_remade(context, rank);
}

void check_files(LintContext &context, size_t rank)
{
    const LintRule rule = LintRule::file_not_closed;
    if (!context.fits(rank, rule))
        return;
    for (const FileSlot &slot : context.ranks[rank].file->files) {
        const mprof_file &facts = slot.facts;
        if (slot.slot == 0 || facts.opens <= facts.closes)
            continue;
        LintCalls line;
        line.callsite = facts.open_callsite;
        for (const LintCalls &calls : context.sums_of(rank).calls)
            if (context.facts(rank, calls.function).makes == Object::file &&
                calls.callsite == line.callsite)
                line.function = calls.function;
        context.add(rule, rank, line, facts.opens - facts.closes,
                    fmt::format("the file {} is never closed", slot.name));
    }
}

void DatatypesOfSteps::look_at(const LintContext &context, size_t rank)
{
    for (const LintCalls &line : making_lines(context, rank, Object::datatype)) {
        if (line.calls < many_objects)
            continue;
        lines_.emplace_back(rank, line);
        if (line.time_s >= least_share * context.ranks[rank].wallclock_s)
            slow_.insert(context.place_of(rank, line));
    }
}

void DatatypesOfSteps::tell(LintContext &context) const
{
    for (const auto &[rank, line] : lines_)
        if (slow_.count(context.place_of(rank, line)) != 0)
            add_cost(context.add(LintRule::datatype_every_step, rank, line, line.calls,
                                 fmt::format("makes a datatype {} times on a rank; make it once "
                                             "and keep it",
                                             line.calls)),
                     line.time_s);
}

}  // namespace mprof
