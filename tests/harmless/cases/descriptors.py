"""Standard error and the environment: what a process inherits, and may change."""

from case import DEBIAN, Case, TakeOut

FILE = "libmprof/base/warn.c"
SAME = TakeOut("knowing which file standard error was at the start", FILE,
               "    if (at_start.is_open && fstat(STDERR_FILENO, &now) == 0 && is_same_file(&now, "
               "&at_start.facts))\n",
               "    if (fstat(STDERR_FILENO, &now) == 0)\n")
COPIES = TakeOut("copies of the options", "libmprof/base/options.c",
                 "        *option->text = value;\n", "        *option->text = set;\n")
AT_LOAD = TakeOut(
    "options that are remembered when the library is loaded", "libmprof/base/options.c",
                  "            copy(&at_load, i, value);\n",
                   "            (void)at_load;\n")
WITHOUT = ("sh", "-c", 'exec "$0" "$@" 2>&-')
WAITS = TakeOut("waiting for readers with a limit", FILE,
                "        if (waits && !wait_for_reader(file))\n", "        if (false)\n")
SEND = TakeOut("not waiting in send()", FILE, "MSG_DONTWAIT | MSG_NOSIGNAL", "MSG_NOSIGNAL")
TOSTOP = TakeOut("not writing to a terminal that would stop the process", FILE,
                 "S_ISCHR(facts.st_mode) && would_stop(file)", "false")
NAMED = TakeOut("opening a named pipe without waiting", "libmprof/finalize/summary.c",
                "O_TRUNC | O_NONBLOCK | O_NOCTTY", "O_TRUNC")
UNREAD = ("python3", "{programs}/unread_error.py")

CASES = [
    Case("stderr_" + name, tries, source="standard_error.c", builds=builds,
         arguments=arguments, inside=inside, summary="text", take_outs=take_outs)
    for name, tries, builds, arguments, inside, take_outs in (
        ("none", "a program that is started without standard error", DEBIAN, ("none",), WITHOUT,
         ()),
        ("taken", "standard error closed at the start, its descriptor taken by a file of the "
         "program", DEBIAN, ("taken",), WITHOUT,
         (SAME,)),
        ("taken_late", "the same after MPI_Init", DEBIAN, ("close", "late"), (), (SAME,)),
        ("close", "standard error closed by the program, and its descriptor taken by a file",
         DEBIAN, ("close",), (), (SAME,)),
        ("dup2", "standard error led into a file by dup2()", DEBIAN, ("dup2",), (), (SAME,)),
        ("dup2_late", "the same after MPI_Init", DEBIAN, ("dup2", "late"), (), (SAME,)),
        ("freopen", "standard error led into a file by freopen()", DEBIAN, ("freopen",), (),
         (SAME,)),
    )
] + [
    Case("stderr_restored", "standard error led into a file, and back before MPI_Finalize: it has "
         "the summary",
         source="standard_error.c", arguments=("restored", "late"), summary="text",
         says=("^##mprof",)),
    Case("stderr_full_pipe", "standard error is a full pipe that nobody reads",
         source="finalize_at_exit.c", inside=UNREAD + ("pipe",), summary="text",
         take_outs=(WAITS,)),
    Case("stderr_full_socket", "standard error is a full socket that nobody reads",
         source="finalize_at_exit.c", inside=UNREAD + ("socket",), summary="text",
         take_outs=(WAITS, SEND)),
    Case("stderr_tostop", "a job in the background of a terminal with `stty tostop`",
         source="finalize_at_exit.c", inside=UNREAD + ("terminal",), summary="text",
         take_outs=(TOSTOP,)),
    Case("summary_without_reader", "MPROF_SUMMARY names a pipe that nobody opens for reading",
         source="finalize_at_exit.c", variables={"MPROF_SUMMARY": "{folder}/summary"},
         before=(("mkfifo", "summary"),), says=["cannot write the summary to .*/summary: "],
         take_outs=(NAMED,)),
    Case("environment_title", "the environment's memory is written to after MPI_Init, as "
         "setproctitle() does it",
         source="environment.c", arguments=("title",), take_outs=(COPIES,)),
    Case("environment_unset", "the program removes all that is MPROF_* from its environment before "
         "its first MPI call",
         source="environment.c", arguments=("unset",), take_outs=(AT_LOAD,)),
]
