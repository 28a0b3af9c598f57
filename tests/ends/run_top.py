#!/usr/bin/env python3
"""mprof top on a terminal, while a job runs: keys change what is shown, the terminal is as before
after each way to end, and nothing is sent to a terminal that does not understand it.
"""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "mpi"))
import jobs  # noqa: E402
import run_ends  # noqa: E402

RANKS = 2
LINES, COLUMNS = 24, 80
SECONDS = 60
SEQUENCE = re.compile(r"\033\[[0-9;?]*[A-Za-z]")
LEFT, UP = b"\033[D", b"\033[A"


class Terminal:
    """A program on a terminal of its own."""

    def __init__(self, command, **variables):
        self.ours, theirs = pty.openpty()
        fcntl.ioctl(self.ours, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
        self.theirs, self.seen = theirs, b""
        self.before = termios.tcgetattr(theirs)
        self.process = os.fork()
        if self.process == 0:
            os.setsid()
            fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)
            for number in range(3):
                os.dup2(theirs, number)
            os.execve(command[0], command, jobs.environment(**variables))

    def read(self, seconds=0.1):
        while select.select([self.ours], [], [], seconds)[0]:
            try:
                self.seen += os.read(self.ours, 65536)
            except OSError:
                return

    def text(self):
        return SEQUENCE.sub("", self.seen.decode(errors="replace"))

    def wait_for(self, words):
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            self.read()
            if words in self.text():
                return
        raise jobs.Failure(f"no {words!r} on the terminal\n{self.text()[-3000:]}")

    def press(self, key, words):
        """What comes after the key has these words."""
        self.read(0)
        self.seen = b""
        os.write(self.ours, key)
        self.wait_for(words)

    def end(self):
        """Its status; the terminal must be as it was."""
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            self.read(0)
            process, status = os.waitpid(self.process, os.WNOHANG)
            if process != 0:
                self.read(0.1)
                self.check_as_before()
                return status
            time.sleep(0.02)
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        raise jobs.Failure("mprof top did not end")

    def check_as_before(self):
        if termios.tcgetattr(self.theirs) != self.before:
            raise jobs.Failure("the settings of the terminal are not as before")
        if b"\033[?1049h" in self.seen and not self.seen.endswith((b"\033[?1049l", b"\n")):
            raise jobs.Failure(f"the screen was not given back: {self.seen[-80:]!r}")
        os.close(self.ours)
        os.close(self.theirs)


def expect(what, condition, terminal=None):
    if not condition:
        raise jobs.Failure(f"{what}\n{terminal.text()[-3000:] if terminal else ''}")


def command(tools, profile):
    return [tools.mprof, "top", profile, "--interval", "0.5"]


def check_keys(tools, profile):
    terminal = Terminal(command(tools, profile), TERM="xterm-256color", LC_ALL="C.UTF-8")
    terminal.wait_for("who waits for whom")
    expect("raw", not termios.tcgetattr(terminal.theirs)[3] & (termios.ICANON | termios.ECHO))
    expect("colours", b"\033[38;5;" in terminal.seen, terminal)
    terminal.press(b"c", "call sites")
    terminal.press(b"c", "who waits for whom")
    terminal.press(b"n", "mean of its ranks")
    terminal.press(b"n", "who waits for whom")
    terminal.press(b"s", "longest computing first")
    terminal.press(b"s", "+0")
    terminal.press(b"p", "paused")
    terminal.press(b"p", "last ")
    terminal.press(b"\r", "last calls (seconds after the start")
    expect("its calls", "MPI_Sendrecv" in terminal.text(), terminal)
    for _ in range(RANKS):
        os.write(terminal.ours, LEFT)
    terminal.press(UP, "rank 0: ")
    os.write(terminal.ours, b"q")
    expect("q", terminal.end() == 0)


def check_signals(tools, profile):
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        terminal = Terminal(command(tools, profile), TERM="xterm-256color", LC_ALL="C.UTF-8")
        terminal.wait_for("who waits for whom")
        os.kill(terminal.process, number)
        status = terminal.end()
        expect(f"{number!r}: {status}", os.WIFSIGNALED(status) and os.WTERMSIG(status) == number)
    terminal = Terminal(command(tools, profile), TERM="xterm-256color", LC_ALL="C.UTF-8")
    terminal.wait_for("who waits for whom")
    os.kill(terminal.process, signal.SIGTSTP)
    os.waitpid(terminal.process, os.WUNTRACED)
    expect("stopped", termios.tcgetattr(terminal.theirs) == terminal.before, terminal)
    os.kill(terminal.process, signal.SIGCONT)
    terminal.press(b"n", "mean of its ranks")
    os.write(terminal.ours, b"\003")
    expect("Ctrl-C", os.WIFSIGNALED(terminal.end()))


def check_plain(tools, profile):
    """Without colours, without UTF-8, and where no sequence is understood."""
    terminal = Terminal(command(tools, profile), TERM="xterm", NO_COLOR="1", LC_ALL="C")
    terminal.wait_for("who waits for whom")
    os.write(terminal.ours, b"q")
    terminal.end()
    expect("no colours", not re.search(rb"\033\[[0-9;]*m", terminal.seen), terminal)
    expect("ASCII", terminal.seen.isascii(), terminal)
    terminal = Terminal(command(tools, profile), TERM="dumb", LC_ALL="C.UTF-8")
    terminal.wait_for("who waits for whom")
    os.write(terminal.ours, b"q")
    terminal.end()
    expect("no sequences", b"\033" not in terminal.seen, terminal)


def check(tools, arguments):
    with jobs.Folder("top", tools.keep) as folder:
        progress = os.path.join(folder.path, "progress")
        with open(progress, "wb") as file:
            file.write(bytes(4096))
        profile = os.path.join(folder.path, "profile")

        def while_running(launcher):
            deadline = time.monotonic() + SECONDS
            while not all(row[2] > 0 for row in run_ends.read_progress(progress, RANKS)):
                if time.monotonic() > deadline or launcher.poll() is not None:
                    raise jobs.Failure("the program did not get going")
                time.sleep(0.02)
            check_keys(tools, profile)
            check_signals(tools, profile)
            check_plain(tools, profile)
            terminal = Terminal(command(tools, profile), TERM="xterm", LC_ALL="C")
            terminal.wait_for("who waits for whom")
            jobs.end_processes([row[0] for row in run_ends.read_progress(progress, RANKS)])
            expect("the job has ended", terminal.end() == 0, terminal)

        jobs.run_profiled(tools, folder.path, RANKS, [arguments.program, "forever", progress],
                          while_running)


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("program", help="ends/ending")
    sys.exit(jobs.main(check, parser))
