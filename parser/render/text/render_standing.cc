#include "render/text/render_text.h"

#include "read/printable_text.h"
#include "render/text/sections/text_sections.h"
#include "render/text/text_line.h"
#include "report/derived_figures.h"

#include <fmt/format.h>

namespace mprof {
namespace {

constexpr size_t text_column = 12;

void add_sentence(std::string &out, std::string_view title, const std::string &text, size_t width)
{
    const std::string printable = printable_text(text);
    for (const std::string &line : fold_words(printable, width - text_column - 1)) {
        TextLine text_line;
        text_line.left(3, title);
        text_line.left(text_column, (title.empty() ? "  " : ": ") + line);
        out += text_line.finished();
        title = "";
    }
}

void add_last_calls(std::string &out, const Report &report, size_t width)
{
    constexpr size_t most = 3;
    size_t told = 0;
    for (const uint32_t rank : report.standing.look_at) {
        const std::string text = last_calls_of(report, rank, width);
        if (text.empty())
            continue;
        out += (told == 0 ? "#\n" : "") + text;
        if (++told == most)
            return;
    }
}

// "rank 2    : thread 4711, the first one, runs:", and a line for each frame.
void add_stacks(std::string &out, const Standing &standing, size_t width)
{
    if (!standing.stacks.empty())
        out += "#\n";
    for (const ThreadStackRow &row : standing.stacks) {
        add_sentence(out, fmt::format("rank {}", row.rank),
                     fmt::format("thread {}{} {}{}", row.thread, row.is_first ? "" : " (not main)",
                                 row.doing, row.frames.empty() ? "" : ":"),
                     width);
        for (const Frame &frame : row.frames)
            add_sentence(out, "", "  " + frame.function_words(), width);
        if (row.is_cut)
            add_sentence(out, "", "  ...", width);
    }
    if (!standing.stacks_remark.empty())
        add_sentence(out, "stacks", standing.stacks_remark, width);
}

}  // namespace

std::string render_standing(const Report &report, size_t width, std::optional<uint32_t> rank)
{
    const Standing &standing = report.standing;
    std::string out;
    add_sentence(out, "command", report.run.command, width);
    add_sentence(out, "state", text_of(standing.state), width);
    if (!standing.headline.empty())
        add_sentence(out, standing.ended_by ? standing_words(standing) : "waiting",
                     standing.headline, width);
    for (const StandingRow &row : standing.rows)
        add_sentence(out, "ranks", row.text, width);
    if (!standing.ended.empty())
        add_sentence(out, "ended", standing.ended, width);
    if (!standing.missing.empty())
        add_sentence(out, "missing", standing.missing, width);
    if (standing.state == JobState::ended)
        add_sentence(out, "next", "The job has ended; mprof report shows what it waited for.",
                     width);
    add_stacks(out, standing, width);
    if (!rank) {
        add_last_calls(out, report, width);
        return out;
    }
    const std::string calls = last_calls_of(report, *rank, width);
    if (calls.empty())
        add_sentence(out, "last", fmt::format("no last calls of rank {} are known", *rank), width);
    else
        out += "#\n" + calls;
    return out;
}

}  // namespace mprof
