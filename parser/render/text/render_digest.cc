// What is worth sending to somebody: a line has room for so many characters, and all of them
// together are fewer than a message may have. What does not fit ends in "...".
#include "read/printable_text.h"
#include "render/text/render_text.h"
#include "render/text/sections/text_sections.h"
#include "render/text/text_line.h"
#include "report/derived_figures.h"
#include "report/number_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace mprof {
namespace {

// Characters of a line, without its end.
constexpr size_t digest_head = 140, digest_verdict = 340, digest_but = 220, digest_account = 150,
                 digest_place = 105, digest_remark = 110, digest_title = 24, digest_more = 90;
constexpr size_t digest_rows = 3, digest_lists = 3, digest_gaps = 4;
static_assert(digest_head + digest_verdict + digest_but + digest_more + 4 +
                      digest_lists * (digest_title + 1) + digest_gaps +
                      digest_rows * (digest_account + digest_place + digest_remark + 3) <=
                  most_digest_bytes,
              "all lines at their longest are more than a message may have");

std::string digest_line(const std::string &words, size_t most)
{
    return shortened(printable_ascii(words), most) + "\n";
}

std::string first_sentence(const std::string &text)
{
    const size_t end = text.find(". ");
    return end == std::string::npos ? text : text.substr(0, end + 1);
}

std::string head_words(const Report &report)
{
    const RunFacts &run = report.run;
    const std::string name = program_name(run.command);
    return fmt::format("{}, {} on {}, {}{}", name.empty() ? "unknown program" : shortened(name, 60),
                       plural(run.ranks, "rank"), plural(run.nodes, "node"),
                       duration_text(run.wallclock_s),
                       run.complete ? "" : fmt::format(" ({})", text_of(run.end)));
}

std::string verdict_words(const Verdict &verdict)
{
    if (verdict.verdict_class == VerdictClass::unknown)
        return "Verdict: " + verdict.headline;
    return fmt::format("Verdict: {}. {}", text_of(verdict.verdict_class),
                       first_sentence(verdict.sentence));
}

// A title and its first rows, with an empty line before them; "" without rows.
std::string digest_list(const std::string &title, const std::vector<std::string> &rows, size_t most)
{
    if (rows.empty())
        return "";
    std::string text = "\n" + digest_line(title, digest_title);
    for (size_t i = 0; i < std::min(digest_rows, rows.size()); i++)
        text += digest_line("- " + rows[i], most);
    return text;
}

std::vector<std::string> account_rows(const Report &report)
{
    std::vector<std::string> rows;
    for (const AccountRow &row : told_accounts(report.accounts)) {
        const std::string where = account_place_words(row);
        const char *between = where.empty() ? "" : where.starts_with("in ") ? ", " : ". ";
        rows.push_back(fmt::format("{}: saves {}{}{}", account_words(row),
                                   duration_text(row.gain_s), between, where));
    }
    return rows;
}

}  // namespace

std::string render_digest(const Report &report)
{
    const Verdict &verdict = report.verdict;
    std::string text = digest_line(head_words(report), digest_head) +
                       digest_line(verdict_words(verdict), digest_verdict);
    if (!verdict.extra.empty())
        text += digest_line("But: " + first_sentence(verdict.extra.front()), digest_but);
    text += digest_list("What would change it:", account_rows(report), digest_account);
    text += digest_list("What a rank spends most:", place_words(report, digest_rows), digest_place);
    text += digest_list("How sure that is:", report.quality.remarks, digest_remark);
    return text + "\n" +
           digest_line("More: mprof report FOLDER, for programs mprof report FOLDER --json -",
                       digest_more);
}

}  // namespace mprof
