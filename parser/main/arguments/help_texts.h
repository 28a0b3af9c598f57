// What mprof --help, mprof COMMAND --help and mprof alone say beside the list of options.
#pragma once

#include <array>

namespace mprof {

inline constexpr const char *about =
    "mprof tells what an MPI program spends its time on. It needs no recompiling and works with "
    "every MPI.";

// For somebody who types `mprof` and nothing else.
inline constexpr const char *first_minute =
    R"(mprof tells what an MPI program spends its time on. To begin with, five commands
are enough:

  mprof run -- mpirun -n 4 ./app args    run a program under the profiler
  mprof report --html page.html          a page of the newest profile here
  mprof diff OLD.mprof NEW.mprof         what is slower or faster than before
  mprof hang FOLDER                      where the ranks of a hanging job stand
  mprof top FOLDER                       watch a running job

All commands: mprof --help. The options of one: mprof report --help.
)";

inline constexpr const char *examples = R"(Examples:
  mprof run -- mpirun -n 4 ./app args     leaves one profile folder app.*.mprof
  mpirun -n 4 mprof run ./app args        the same inside the launcher
  mprof run --report -- mpirun ./app      run, and print the report at the end
  mprof report                            of the newest profile in this folder
  mprof report app.*.mprof                the report, for the terminal
  mprof report app.*.mprof --html r.html  the same as a page, to send on
  mprof report --open                     write the page, open it in the browser
  mprof report app.*.mprof --json -       everything, for programs
  mprof diff OLD NEW                      what is slower or faster, and where

Exit status of report and show: 0 fine, 1 the report is there but incomplete
(ranks missing, damaged or not finished), 2 unusable input or wrong arguments.)";

// What stands below the options of each command.
struct HelpText {
    const char *command, *footer;
};

inline constexpr auto help_texts = std::to_array<HelpText>({
    {"run", R"(Examples:
  mprof run -- mpirun -n 4 ./app args      any launcher: mpirun, srun ...
  mprof run --report -- mpirun -n 4 ./app  print the report at the end
  mprof run --html r.html -- mpirun ./app  write the page at the end
  mpirun -n 4 mprof run ./app args         inside the launcher
  mprof run --check -- ./app               what would be seen of it
  mprof run --sizes 1,2,4 -- mpirun -n {} ./app  how it scales: mprof scale

Everything behind the first word that is no option belongs to the command; --
may stand before it. The exit status is the command's own; 127 if there is no
such command, 126 if it cannot be started. Each option sets the variable named
with it; an option beats the variable.)"},
    {"report", R"(Examples:
  mprof report                                the newest profile in this folder
  mprof report --all                          the same with all tables
  mprof report --brief                        the same on one screen
  mprof report --digest                        the same as a short message
  mprof report --open                         the same as a page, in the browser
  mprof report app.1.mprof --html r.html      a page to keep and to send
  mprof report --html r.html --sources        with lines of the source
  mprof report app.1.mprof --json - | jq .verdict)"},
    {"list", R"(Examples:
  mprof list                                  here and six levels below
  mprof list /scratch/me --since tuesday      of last Tuesday and later
  mprof list --since 3d --program heat --limit 5
  mprof list --json - | jq -r '.profiles[0].path'

Dates: today, yesterday, tuesday (the last one before today), 2026-11-24,
"2026-11-24 14:00", or how long ago: 5h, 3d, 2w. The verdict is that of the last
mprof report; - says that none is known. share/doc/list.md has more.)"},
    {"diff", R"(Examples:
  mprof diff old.mprof new.mprof              what changed, and where
  mprof diff a1.mprof,a2.mprof b1.mprof,b2.mprof --fail-if-slower 5%
  mprof diff --results a.mprof b.mprof        the first bit that differs

A and B are profile folders, or each several runs of the same build with commas
between: from at least four runs in all (two of A, two of B) it is measured by
how much runs differ by chance. Exit status: 0 not slower than allowed, 1 the
same, but some run is incomplete, 2 unusable input or wrong arguments, 3 slower
than --fail-if-slower allows, and by more than noise, 4 noise hides whether it
is.)"},
    {"hang", R"(Examples:
  mprof hang                                  the newest profile in this folder
  mprof hang app.1.mprof --json -             for programs)"},
    {"top", R"(Examples:
  mprof top                                   the newest profile in this folder
  mprof top app.1.mprof --interval 10         drawn anew every 10 seconds
  mprof top app.1.mprof --once > now.txt      one view)"},
    {"scrub", R"(Examples:
  mprof scrub app.1.mprof -o share.mprof         then: mprof report share.mprof
  mprof scrub app.1.mprof -o s.mprof --no-names  without names of functions)"},
    {"merge", R"(Examples:
  mprof merge app.1.mprof -o run.mprof        then: mprof report run.mprof
  mprof merge app.1.mprof -o r.mprof --lines  no report needs the binaries then)"},
    {"trace", R"(Examples:
  mprof trace app.1.mprof -o run.pftrace  drop it into ui.perfetto.dev
  mprof trace app.1.mprof --otf2 run      then: vampir run/traces.otf2

Single calls and their messages are in profiles of jobs that were killed, or
still run: the last 1024 of each thread. Others have counters over time, and
phases.)"},
    {"export", R"(Examples:
  mprof export app.1.mprof --folded app.folded   then: flamegraph.pl app.folded
  mprof export *.mprof --openmetrics runs.prom   a line per run and sum
  mprof export *.mprof --parquet runs            all tables, for DuckDB, Spark

Stacks are in microseconds of all ranks: computing by samples, and each MPI call
by its call path, what it waited below it.)"},
    {"scale", R"(Examples:
  mprof scale app.1.mprof app.2.mprof app.3.mprof app.4.mprof
  mprof scale *.mprof --html scale.html   a page for the browser
  mprof scale *.mprof --json scale.json   all that it says

From four sizes on it names laws, and says what they make of ten times as many
ranks.)"},
    {"place", R"(Examples:
  mprof place app.1.mprof                      is there a better order, and why
  mprof place app.1.mprof -o app.ranks         write it for the run's launcher
  mprof place app.1.mprof --for slurm -o hosts for another one
  mprof place app.1.mprof --judge my.ranks     how good is mine
  mprof place app.1.mprof --topology "node:8 package:2 core:32"

What it predicts, and how to check it: share/doc/place.md.)"},
    {"tune", R"(Examples:
  mprof tune -- mpirun -n 4 ./app          at most 24 runs
  mprof tune -n 12 -- mpirun -n 4 ./app    at most 12
  mprof tune -o best.sh -- mpirun ./app    then: . best.sh; mpirun ./app

Only settings that a first run's profile speaks for are tried. Ctrl-C ends it;
what was learned until then is printed. The program's output is not shown, and
its input is empty. What is tried and when: share/doc/change/tune.md. Exit
status: 0 fine, 1 stopped before all was tried, 2 wrong arguments, else that of
the first run, if it fails.)"},
    {"machine", R"(Examples:
  mprof machine -o here.json -- mpirun -n 8    measure, keep the figures
  mprof report app.1.mprof --machine here.json compare a run with them
  mprof machine here.json                      show them again
  mprof machine imb.log -o here.json           from logs instead

The launcher's words stand behind --, without a program: mprof adds its own. Two
ranks on each node tell most. It takes some seconds.
How it measures: share/doc/change/machine.md.)"},
    {"lint", R"(Examples:
  mprof lint app.1.mprof                       what is wrong, with rank and line
  mprof lint app.1.mprof --fail-on error       only errors fail
  mprof lint app.1.mprof --sarif app.sarif     for the code host's page

Exit status: 0 no finding, 1 findings of --fail-on severity or worse, 2 unusable
input or wrong arguments. Of an incomplete run standard error says what is
missing; that alone does not fail. The rules: share/doc/lint.md.)"},
    {"archive", R"(Examples:
  mprof archive add runs.db app.*.mprof      the same run twice is one
  mprof archive regressions runs.db          what became slower, and since when
  mprof archive history runs.db lmp --ranks 512
  mprof archive compare runs.db RUN RUN      RUN: as list names it, or its begin
  mprof archive list runs.db --since 2026-11-01
  mprof archive publish runs.db public/      a page and a badge of each program
  mprof archive thin runs.db --older-than 365  5 runs a week stay of each series

Runs of one program, input and number of ranks are compared.
What is kept, and an archive for a centre: share/doc/archive/archive.md.)"},
    {"mcp", R"(Examples:
  mprof mcp                                   of the profiles here and below
  mprof mcp /scratch/me/runs                  of those there

An assistant starts it, and asks by the Model Context Protocol. It needs python3
from 3.10 on with the package mcp. How to set it up: share/doc/mcp.md.)"},
});

}  // namespace mprof
