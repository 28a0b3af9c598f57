// The answer: what bounds the run, why, what would be gained, what to try. The first class that
// matches wins (verdict_rules.cc): most are words for the first account. The steps that are worth
// most are shown (next_steps.cc).
#include "analyse/analysis_parts.h"
#include "report/derived_figures.h"
#include "report/number_text.h"
#include "verdict/account_sentences.h"
#include "verdict/next_steps.h"
#include "verdict/verdict_facts.h"
#include "verdict/verdict_rules.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace mprof {
namespace {

std::string in_capitals(std::string text)
{
    for (char &c : text)
        c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return text;
}

void choose_class(const Report &report, const VerdictFacts &facts, Verdict &verdict)
{
    for (const ClassRule &rule : class_rules()) {
        if ((rule.verdict_class == VerdictClass::coupling_bound && !facts.coupling.several) ||
            (rule.verdict_class == VerdictClass::hung && report.standing.rows.empty()))
            continue;
        const bool matches = rule.matches(facts);
        verdict.rules.push_back({rule.verdict_class, rule.condition(), rule.found(facts), matches});
        if (!matches || verdict.verdict_class != VerdictClass::unknown)
            continue;
        verdict.verdict_class = rule.verdict_class;
        verdict.state = rule.state;
        rule.say(report, facts, verdict);
        if (facts.first && rule.matches_accounts) {
            if (facts.first->kinds.size() > 1)
                say_pair(report, facts, verdict);
            verdict.sentence += second_words(facts);
        }
        verdict.headline = in_capitals(text_of(rule.verdict_class)) + ". " + verdict.sentence;
    }
}

// What is said beside, whatever the class is.
void add_beside(const Report &report, const VerdictFacts &facts, Verdict &verdict)
{
    const std::string busy = beside_words(report, facts);
    if (!busy.empty())
        verdict.extra.push_back(busy);
    if (facts.late_start.late_s >= limits.late_start_s &&
        verdict.verdict_class != VerdictClass::start_up_bound)
        verdict.extra.push_back(late_start_words(facts));
}

// The first of the steps that save a part of it.
void add_steps(Report &report)
{
    for (AccountRow &row : report.accounts.rows)
        for (const NextStep &next : report.verdict.next)
            if (next.account == row.kind && row.step.empty())
                row.step = next.action;
}

// What `mprof hang` says comes first: a job that stands or was killed is not judged by the calls
// that it completed. The longest of them is the one that it never came out of.
void add_standing(const Standing &standing, Verdict &verdict)
{
    const std::string end = standing_words(standing);
    if (end.empty())
        return;
    const std::string until = standing.is_hung ? "" : " Until then " + verdict.headline;
    const std::string so_far = standing.is_hung ? "" : " Until then: " + verdict.sentence;
    verdict.headline = fmt::format("{}: {}.{}", in_capitals(end), standing.headline, until);
    verdict.sentence = fmt::format("{}: {}.{}", capitalised(end), standing.headline, so_far);
    if (standing.ended_by)
        verdict.state = Judgement::problem;
    verdict.gain.clear();  // nobody knows how long it would have been
    verdict.gain_s.reset();
    verdict.gain_low_s.reset();
}

// First of the remarks: it holds for everything that follows.
void add_incomplete(const Report &report, Verdict &verdict)
{
    if (report.complete())
        return;
    const Quality &quality = report.quality;
    const auto finished = static_cast<uint64_t>(std::count_if(
        report.ranks.begin(), report.ranks.end(), [](const RankRow &r) { return r.complete; }));
    if (only_lacks_unprofiled(quality) && finished == quality.ranks_read) {
        verdict.extra.insert(verdict.extra.begin(),
                             fmt::format("{} of {} not profiled; what is said here holds for the "
                                         "others.",
                                         count_ranks(quality.missing),
                                         plural(quality.ranks_expected, "rank") +
                                             (count_ranks(quality.missing) == 1 ? " is" : " are")));
        return;
    }
    verdict.extra.insert(
        verdict.extra.begin(),
        fmt::format("INCOMPLETE PROFILE: {} of {} finished, {} read; what is said here holds "
                    "for those and up to where they got.",
                    finished, plural(quality.ranks_expected, "rank"), quality.ranks_read));
}

}  // namespace

void analyse_verdict(Report &report)
{
    Verdict &verdict = report.verdict;
    if (report.run.wallclock_s <= 0) {
        verdict.headline = verdict.sentence = "NO VERDICT. The record holds no time.";
    } else {
        name_places(report);
        const VerdictFacts facts = gather_facts(report);
        choose_class(report, facts, verdict);
        choose_next_steps(report, facts, verdict);
        add_beside(report, facts, verdict);
        add_steps(report);
        add_standing(report.standing, verdict);
    }
    add_incomplete(report, verdict);
}

}  // namespace mprof
