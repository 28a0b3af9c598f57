// The next step where the kernel works for the program: what its counts say most of it is.
#include "report/number_text.h"
#include "report/place_rows.h"
#include "verdict/kernel_work.h"
#include "verdict/step_rules.h"
#include "verdict/work_place.h"

#include <fmt/format.h>

namespace mprof {
namespace {

std::string in_place(const StepContext &c)
{
    const AccountRow *row = c.facts.account(AccountKind::kernel);
    const std::optional<uint32_t> rank = row == nullptr ? std::nullopt : row->rank;
    const WorkPlace place = find_kernel_place(c.report, rank);
    return place.words.empty() ? "" : " in " + place.words;
}

void advise_on_faults(const KernelWork &work, const std::string &place, Proposal &step)
{
    if (work.call == "madvise")
        step.action =
            fmt::format("Do not give memory back with madvise() if it is needed again{}.", place);
    else
        step.action = fmt::format(
            "Keep memory instead of allocating and freeing it again and again{}.", place);
    step.try_it = "MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=17179869184 for one run, then mprof "
                  "diff OLD NEW: with these, malloc() of glibc gives nothing back";
    step.otherwise = "if memory is touched for the first time, larger pages cause fewer faults "
                     "(transparent huge pages, MAP_HUGETLB)";
}

// All ranks read the same file, or one rank writes for all: then who does it matters, too.
void advise_on_bytes(const StepContext &c, const KernelWork &work, const std::string &place,
                     Proposal &step)
{
    const bool reads = work.most == KernelPart::reads;
    const std::string name = work.file == nullptr ? "" : " " + work.file->name;
    const uint64_t calls = reads ? work.read_calls : work.write_calls;
    const uint64_t bytes = reads ? work.read_bytes : work.written_bytes;
    const bool small = calls > 0 && bytes / calls < limits.small_file_bytes;
    const std::string what = reads ? "Read" : "Write";
    step.action = fmt::format("{}{} {}{}.", what, name,
                              small ? "in larger pieces" : "less, or less often", place);
    if (reads && work.file != nullptr && c.report.ranks.size() > 1 &&
        work.file->ranks == c.report.ranks.size())
        step.action.insert(step.action.size() - 1,
                           ", or on one rank that gives it to the others (MPI_Bcast)");
    if (!reads && work.file != nullptr && c.report.ranks.size() > 1 && work.file->ranks == 1)
        step.action.insert(step.action.size() - 1,
                           ", or let each rank write its own part (MPI_File_write_at_all)");
    step.try_it = small ? "a buffer of 1 MiB: setvbuf(), or collect the pieces of a step yourself"
                        : "leave it out for one run, then mprof diff OLD NEW";
}

}  // namespace

Proposal propose_less_kernel_work(const StepContext &c)
{
    Proposal step;
    const AccountRow *row = c.facts.account(AccountKind::kernel);
    step.account = AccountKind::kernel;
    step.of_class = c.is(VerdictClass::kernel_bound);
    step.matches = row != nullptr && c.tells(AccountKind::kernel);
    if (!step.matches)
        return step;
    const std::optional<KernelWork> work = find_kernel_work(c.report, row->rank);
    step.matches = work.has_value();
    if (!step.matches)
        return step;
    step.confidence = Confidence::medium;
    step.worth_s = c.gain_s(AccountKind::kernel);
    step.least_s = c.least_gain_s(AccountKind::kernel);
    step.evidence = work->words();
    const std::string place = in_place(c);
    switch (work->most) {
    case KernelPart::faults:
        advise_on_faults(*work, place, step);
        break;
    case KernelPart::reads:
    case KernelPart::writes:
        advise_on_bytes(c, *work, place, step);
        break;
    case KernelPart::opens:
        step.action = fmt::format("Open files once and keep them open{}.", place);
        step.try_it = "move open() before the loop, and close() after it";
        break;
    case KernelPart::unknown:
        step.action = fmt::format("Find out which system calls take the time{}.", place);
        break;
    }
    return step;
}

}  // namespace mprof
