// The answer, the line to paste, and a row per setting that was tried. All other lines begin with
// '#', so that the whole can be pasted into a shell.
#include "render/renderers.h"
#include "render/text/text_line.h"
#include "report/number_text.h"
#include "tune/tuning.h"

#include <algorithm>
#include <fmt/format.h>

namespace mprof {
namespace {

constexpr size_t tune_name_width = 34, runs_column = 42, time_column = 54, outcome_column = 57;

class TuneText : TextSheet {
public:
    TuneText(const Tuning &tuning, size_t columns) : tuning_(tuning)
    {
        width = std::max<size_t>(columns, 80);
    }

    std::string all()
    {
        begin(tuning_.version + " tune " + tuning_.program);
        sentence("ANSWER", tuning_.headline);
        sentence("why", tuning_.why);
        sentence("how sure", tuning_.sure);
        sentence("runs", fmt::format("{}, {}, {}", runs_words(tuning_),
                                     plural(tuning_.ranks, "rank"), tuning_.mpi_library));
        for (const std::string &remark : tuning_.remarks)
            sentence("note", remark);
        const std::string unspoken = unspoken_words(tuning_);
        if (!unspoken.empty())
            sentence("not tried", "for lack of a reason in the profile: " + unspoken +
                                      ". mprof tune knows no others (share/doc/howto/tune.md).");
        empty();
        add_rows();
        add_line();
        end();
        return text;
    }

private:
    void add_row(const std::string &name, const std::vector<double> &runs_s,
                 const std::string &outcome)
    {
        double sum_s = 0;
        for (const double seconds : runs_s)
            sum_s += seconds;
        TextLine line;
        line.left(3, shortened(name, tune_name_width))
            .right(runs_column, std::to_string(runs_s.size()));
        if (!runs_s.empty())
            line.right(time_column, duration_text(sum_s / static_cast<double>(runs_s.size())));
        const auto parts = fold_words(outcome, width - outcome_column);
        for (size_t i = 0; i < parts.size(); i++) {
            if (i > 0)
                line = TextLine();
            text += line.left(outcome_column, parts[i]).finished();
        }
        if (parts.empty())
            text += line.finished();
    }

    void add_rows()
    {
        if (tuning_.trials.empty())
            return;
        text += TextLine()
                    .left(3, "tried")
                    .right(runs_column, "runs")
                    .right(time_column, "mean")
                    .left(outcome_column, "beside the base")
                    .finished();
        add_row("base, unchanged", tuning_.base_s, "");
        for (const Trial &trial : tuning_.trials) {
            add_row(trial.experiment.name, trial.runs_s, outcome_words(trial));
            for (const std::string &part : fold_words(trial.experiment.words(), width - 5))
                text += TextLine().left(5, part).finished();
            for (const std::string &part : fold_words(trial.experiment.evidence, width - 5))
                text += TextLine().left(5, part).finished();
        }
        empty();
    }

    void add_line()
    {
        if (tuning_.line.empty())
            return;
        sentence("to paste", "settings in front of the command; -o FILE writes them as a file");
        const bool is_safe = std::all_of(tuning_.line.begin(), tuning_.line.end(),
                                         [](char c) { return c >= ' ' && c <= '~'; });
        text +=
            "#\n" +
            (is_safe ? "    " + tuning_.line + "\n" : TextLine().left(3, tuning_.line).finished()) +
            "#\n";
    }

    const Tuning &tuning_;
};

}  // namespace

std::string render_tune_text(const Tuning &tuning, size_t width)
{
    return TuneText(tuning, width).all();
}

}  // namespace mprof
