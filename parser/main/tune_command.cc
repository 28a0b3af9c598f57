// mprof tune: a run that tells what is worth trying, then trials beside the base until it is known
// what helps, the runs are used up, or the user stops it. What was learned until then is printed.
#include "diff/noise_band.h"
#include "main/commands.h"
#include "main/profile/left_profile.h"
#include "main/profile/read_report.h"
#include "main/report_output.h"
#include "main/run/child_process.h"
#include "place/placing.h"
#include "read/printable_text.h"
#include "render/renderers.h"
#include "report/derived_figures.h"
#include "report/number_text.h"
#include "report/report.h"
#include "tune/tuning.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

namespace mprof {
namespace {

// A run of mprof tune: the command under the profiler, in a process group of its own, with its
// output kept aside. Its time is the wallclock of the profiled program, not the launcher's.

struct TimedRun {
    ChildEnd end;
    std::string problem;                // why it has no time, in words; "" = it has
    std::string last_words;             // the last line that it printed
    double seconds = 0;                 // of all programs that it ran
    std::optional<Report> report;       // of the last one
    std::vector<std::string> profiles;  // that it left
};

struct CloseFile {
    void operator()(std::FILE *file) const { std::fclose(file); }
};
using LogFile = std::unique_ptr<std::FILE, CloseFile>;

// Many runs, one input: what a terminal or a pipe gives can be read once, so none gets it.
void use_streams(int log)
{
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing >= 0)
        dup2(nothing, STDIN_FILENO);
    if (log >= 0) {
        dup2(log, STDOUT_FILENO);
        dup2(log, STDERR_FILENO);
    }
}

// The last line with something on it, at most so long.
std::string last_line(std::FILE *log)
{
    constexpr long tail = 4096;
    constexpr size_t most = 200;
    if (log == nullptr || std::fseek(log, 0, SEEK_END) != 0)
        return "";
    const long size = std::ftell(log);
    std::fseek(log, size > tail ? size - tail : 0, SEEK_SET);
    std::string text(tail, '\0');
    text.resize(std::fread(text.data(), 1, text.size(), log));
    const size_t end = text.find_last_not_of(" \t\r\n-");
    if (end == std::string::npos)
        return "";
    const size_t begin = text.find_last_of('\n', end);
    return printable_ascii(
        text.substr(begin == std::string::npos ? 0 : begin + 1, end - begin).substr(0, most));
}

std::string problem_of(const TimedRun &run, const ChildRules &rules)
{
    if (run.end.status == -1)
        return "it could not be started";
    if (run.end.is_stopped)
        return "it was stopped";
    if (run.end.too_long)
        return fmt::format("it was stopped after {:.1f} s", rules.limit_s.value_or(0));
    if (run.end.status != 0)
        return "it " + ending_words(run.end.status);
    return run.profiles.empty() ? "it left no profile" : "";
}

void read_profiles(TimedRun &run)
{
    SymbolOptions no_symbols;
    no_symbols.enabled = false;
    for (const std::string &profile : run.profiles) {
        auto read = read_report(profile, std::nullopt, no_symbols, false);
        if (!read) {
            run.problem = "its profile cannot be read";
            return;
        }
        run.seconds += read->report.run.wallclock_s;
        if (!run.report)
            run.report = std::move(read->report);
    }
}

TimedRun time_run(const RunOptions &options, const ChildRules &rules)
{
    TimedRun run;
    const LogFile log(std::tmpfile());
    const ProfileWatch watch(options);
    run.end = run_child(
        [&] {
            use_streams(log ? fileno(log.get()) : -1);
            return become_command(options);
        },
        rules);
    run.profiles = watch.left();
    run.problem = problem_of(run, rules);
    run.last_words = last_line(log.get());
    if (run.problem.empty())
        read_profiles(run);
    return run;
}

// Of a run that is over.
void remove_profiles(const std::vector<std::string> &profiles)
{
    std::error_code ignored;
    for (const std::string &profile : profiles)
        std::filesystem::remove_all(profile, ignored);
}

// A run that takes so many times as long as the base, and some seconds, is taken for hanging.
constexpr double longest_factor = 3, longest_more_s = 3;

volatile sig_atomic_t stop_asked = 0;

void ask_to_stop(int /*signal*/)
{
    stop_asked = 1;
}

void catch_stop(void (*handler)(int))
{
    struct sigaction action {};
    action.sa_handler = handler;
    for (const int signal : {SIGINT, SIGTERM})
        sigaction(signal, &action, nullptr);
}

class TuneSession {
public:
    explicit TuneSession(const TuneOptions &options)
        : options_(options), stem_(profile_stem(options.run, "tune"))
    {
        tuning_.most_runs = options.most_runs;
    }

    // The exit status of the first run, if it failed.
    int run()
    {
        if (const int status = run_first(); status != exit_fine)
            return status;
        choose_trials(find_experiments(*report_, question(), tuning_), tuning_);
        say_plan();
        TrialPlan plan(tuning_);
        while (tuning_.stopped.empty())
            if (const auto next = plan.next(); !next || !run_planned(plan, *next))
                break;
        add_tuning_words(*report_, options_.run.command, tuning_);
        keep_order();
        return exit_fine;
    }

    const Tuning &tuning() const { return tuning_; }
    const std::vector<std::string> &profiles() const { return kept_; }

private:
    RunOptions run_options(const Experiment *experiment, const std::string &name) const
    {
        RunOptions run = options_.run;
        set_output(run, free_profile_name(fmt::format("{}.{}", stem_, name)));
        // A user who wants the summary has it in the report of the profile.
        run.variables.emplace_back("MPROF_SUMMARY", "off");
        if (experiment == nullptr)
            return run;
        run.command = tuned_command(run.command, *experiment);
        for (const Setting &setting : experiment->settings)
            run.variables.emplace_back(setting.variable, setting.value);
        return run;
    }

    // What is measured in MPI_Finalize counts as part of the run: in the first one only.
    TimedRun make_run(RunOptions run, bool is_first)
    {
        if (!is_first)
            run.variables.emplace_back("MPROF_BASELINE", "0");
        ChildRules rules;
        rules.death_signal = SIGTERM;
        rules.has_own_group = true;
        rules.stop = &stop_asked;
        if (!is_first)
            rules.limit_s = longest_factor * longest_base_s_ + longest_more_s;
        tuning_.runs++;
        return time_run(run, rules);
    }

    void say_run(const std::string &name, const std::string &outcome) const
    {
        say(fmt::format("run {} of at most {}: {}: {}", tuning_.runs, tuning_.most_runs, name,
                        outcome));
    }

    // How long it will take, before it does.
    void say_plan() const
    {
        const size_t trials = tuning_.trials.size();
        if (trials == 0)
            return;
        say(fmt::format("{} to try, in at most {} of about {}", plural(trials, "setting"),
                        plural(std::min<size_t>(runs_for(trials), tuning_.most_runs), "run"),
                        duration_text(tuning_.first_s)));
    }

    int run_first()
    {
        TimedRun first = make_run(run_options(nullptr, "base"), true);
        if (!first.problem.empty()) {
            say(fmt::format("{} in the first run, so there is nothing to tune{}", first.problem,
                            first.last_words.empty() ? "" : ": " + first.last_words));
            remove_profiles(first.end.is_stopped ? first.profiles : std::vector<std::string>());
            const int status =
                first.end.status == -1 ? exit_unusable : exit_status_of(first.end.status);
            return status == exit_fine ? exit_unusable : status;
        }
        report_ = std::move(first.report);
        kept_ = first.profiles;
        longest_base_s_ = first.end.took_s;
        tuning_.version = report_->version;
        tuning_.command = fmt::format("{}", fmt::join(options_.run.command, " "));
        tuning_.program = program_name(report_->run.command);
        tuning_.mpi_library = report_->run.mpi_library;
        tuning_.mpi = tuned_mpi_of(*report_);
        tuning_.ranks = report_->run.ranks;
        tuning_.first_s = first.seconds;
        say_run("to see what is worth trying", duration_text(first.seconds));
        return exit_fine;
    }

    // Another order of the ranks, if one is better: its file is written for the launcher.
    ExperimentQuestion question()
    {
        ExperimentQuestion question;
        question.command = options_.run.command;
        if (!why_not_placed(*report_).empty())
            return question;
        const Placing placing = analyse_placing(*report_, {});
        if (placing.good || !placing.saves_s)
            return question;
        const std::string file = stem_ + ".ranks";
        Outputs outputs(kept_);
        if (std::filesystem::exists(file) ||
            !outputs.write(file, order_file_text(placing, placing.launcher)))
            return question;
        order_file_ = question.order_file = file;
        question.order_saves_s = *placing.saves_s;
        question.order_words = placing.headline;
        return question;
    }

    // An order that does not help leaves no file.
    void keep_order()
    {
        if (order_file_.empty())
            return;
        const bool is_used = tuning_.best && tuning_.line.find(order_file_) != std::string::npos;
        std::error_code ignored;
        if (!is_used)
            std::filesystem::remove(order_file_, ignored);
    }

    // False: no more runs.
    bool run_planned(TrialPlan &plan, const TrialPlan::Run &planned)
    {
        const Trial *trial = planned.trial ? &tuning_.trials[*planned.trial] : nullptr;
        const std::string name =
            trial != nullptr ? fmt::format("try{}", *planned.trial + 1) : "base";
        const TimedRun run =
            make_run(run_options(trial != nullptr ? &trial->experiment : nullptr, name), false);
        if (run.end.is_stopped) {
            remove_profiles(run.profiles);
            tuning_.runs--;
            tuning_.stopped = "It was stopped before everything was tried.";
            return false;
        }
        const std::string spoken = trial != nullptr ? trial->experiment.name : "base";
        if (run.problem.empty()) {
            say_run(spoken, duration_text(run.seconds));
            if (trial != nullptr && trial->runs_s.empty())
                kept_.insert(kept_.end(), run.profiles.begin(), run.profiles.end());
            else
                remove_profiles(run.profiles);
            if (trial == nullptr)
                longest_base_s_ = std::max(longest_base_s_, run.end.took_s);
            plan.took(planned, run.seconds);
            return true;
        }
        remove_profiles(run.profiles);
        const std::string reason =
            run.problem + (run.last_words.empty() ? "" : ": " + run.last_words);
        say_run(spoken, reason);
        if (trial == nullptr) {
            tuning_.stopped = fmt::format("A run of the base failed ({}), so there were no more "
                                          "runs.",
                                          reason);
            return false;
        }
        plan.failed(planned, run.end.too_long ? TrialState::too_long : TrialState::failed, reason);
        return true;
    }

    const TuneOptions &options_;
    std::string stem_;
    Tuning tuning_;
    std::optional<Report> report_;
    std::vector<std::string> kept_;
    std::string order_file_;
    double longest_base_s_ = 0;
};

// The files first: a terminal that has gone does not take them along.
int write_answer(const TuneOptions &options, const TuneSession &session)
{
    const Tuning &tuning = session.tuning();
    Outputs outputs(session.profiles());
    if (options.json_file && !outputs.write(*options.json_file, render_tune_json(tuning)))
        return exit_unusable;
    if (options.script_file && !outputs.write(*options.script_file, tuned_script(tuning)))
        return exit_unusable;
    if (options.json_file != "-" && options.script_file != "-" &&
        !write_stdout(
            render_tune_text(tuning, options.width > 0 ? options.width : terminal_width())))
        return exit_unusable;
    return tuning.stopped.empty() ? exit_fine : exit_incomplete;
}

}  // namespace

int tune_command(const TuneOptions &options)
{
    if (is_launched()) {
        say("mprof tune belongs before the launcher: mprof tune -- mpirun -n 4 ./app");
        return exit_unusable;
    }
    catch_stop(ask_to_stop);
    TuneSession session(options);
    if (const int status = session.run(); status != exit_fine)
        return status;
    catch_stop(SIG_DFL);
    return write_answer(options, session);
}

}  // namespace mprof
