// Steps that are rarely far longer, on one rank or in turn: what the run would save without that,
// and what the rank does then. The steps were found in the journals of collectives
// (waits/rare_instances.cc); which account they are a part of follows from what the rank has more
// of than the others.
#include "verdict/particular_causes.h"

#include "report/number_text.h"
#include "verdict/off_cpu_facts.h"
#include "verdict/work_place.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace mprof {
namespace {

bool can_be_rare(AccountKind kind)
{
    return kind == AccountKind::uneven || kind == AccountKind::blocked ||
           kind == AccountKind::kernel || kind == AccountKind::files ||
           kind == AccountKind::in_turn;
}

// Of a rank, what it has most of beyond the next one, and only if that is nothing what waits for
// it; else the account that costs most and is of no rank.
const AccountRow *account_of_steps(const Report &report, std::optional<uint32_t> rank)
{
    const auto weight = [&](const AccountRow &row) -> double {
        if (!rank)
            return std::max(row.gain_low_s, row.gain_s / 2);
        return row.kind == AccountKind::in_turn ? 0 : row.rank_s - row.next_s;
    };
    const AccountRow *most = nullptr;
    for (const AccountRow &row : report.accounts.rows)
        if (can_be_rare(row.kind) && row.rank == rank &&
            (most == nullptr || weight(row) > weight(*most)))
            most = &row;
    return most;
}

// ", in rebuild_lists (rare.c:34)"
std::string work_words(const Report &report, std::optional<uint32_t> rank)
{
    const std::string words = rank ? find_work_place(report, rank).words : "";
    return words.empty() ? "" : ", in " + words;
}

// "In these steps it works longer than the others, in rebuild_lists (rare.c:34)"
std::string doing_words(const Report &report, const AccountRow &account)
{
    const char *who = account.rank ? "it" : "the rank";
    if (account.kind == AccountKind::blocked) {
        const OffCpuFacts off_cpu = gather_off_cpu(report);
        return fmt::format("In these steps {} is blocked outside MPI{}, {}", who,
                           off_cpu.blocked_place, off_cpu.blocked_by);
    }
    if (account.kind == AccountKind::kernel)
        return fmt::format("In these steps {} runs in the kernel{}", who,
                           account.place.empty()
                               ? ""
                               : fmt::format(", in {} ({})", account.function, account.place));
    if (account.kind == AccountKind::files)
        return fmt::format("In these steps {} is in MPI-IO", who);
    return fmt::format("In these steps {} works longer than the others{}", who,
                       work_words(report, account.rank));
}

// Work that is divided is not gone.
bool is_divided(AccountKind kind)
{
    return kind == AccountKind::uneven || kind == AccountKind::in_turn;
}

// The place whose rare steps make the others wait longest; nullptr: there is none.
const CallsiteRow *place_of_rare_steps(const Report &report)
{
    const CallsiteRow *most = nullptr;
    for (const CallsiteRow &row : report.callsites)
        if (row.rare && (most == nullptr || row.rare->sum_s > most->rare->sum_s))
            most = &row;
    return most;
}

}  // namespace

std::optional<ParticularFinding> find_rare_steps(const Report &report)
{
    const CallsiteRow *most = place_of_rare_steps(report);
    if (most == nullptr)
        return std::nullopt;
    const RareSteps &rare = *most->rare;
    const AccountRow *account = account_of_steps(report, rare.rank);
    if (account == nullptr)
        return std::nullopt;
    const auto ranks = static_cast<double>(report.ranks.size());
    const bool divided = is_divided(account->kind);
    ParticularFinding found;
    found.cause = ParticularCause::rare_steps;
    found.account = account->kind;
    found.rank = rare.rank;
    found.place = most->site.place();
    found.gain_s = std::min(account->gain_s, divided ? rare.sum_s * (1 - 1 / ranks) : rare.sum_s);
    const std::string of_rank =
        rare.rank ? fmt::format("rank {}", *rare.rank) : "one rank or another";
    const std::string steps =
        fmt::format("{} of {}", std::lround(rare.steps),
                    spoken_plural(static_cast<uint64_t>(std::lround(rare.all)), "step"));
    const std::string passed =
        most->function + (found.place.empty() ? "" : " at " + most->site.words());
    found.sentence =
        fmt::format("{} take {} longer on {}, seen at {}. {}; {} would save {}.", steps,
                    duration_text(rare.late_s), of_rank, passed, doing_words(report, *account),
                    divided ? "an even split" : "avoiding that", duration_text(found.gain_s));
    found.action =
        divided ? fmt::format("Divide what {} does in these steps{}, or do it beside the others' "
                              "work.",
                              of_rank, work_words(report, rare.rank))
                : fmt::format("Do what keeps {} in these steps less often, or beside its work.",
                              of_rank);
    found.evidence = fmt::format("the other steps are even; these {} make the others wait {}",
                                 std::lround(rare.steps), duration_text(rare.sum_s));
    return found;
}

}  // namespace mprof
