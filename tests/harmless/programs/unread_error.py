"""Standard error that nobody reads: unread_error.py pipe|socket|terminal COMMAND... It becomes the
command, whose standard error is a full pipe or socket. Or it starts the command in the background
of a terminal of its own with `stty tostop`, and says so if that is stopped."""

import fcntl
import os
import pty
import signal
import socket
import sys
import termios

ERROR = 2


def fill(file):
    """With pieces that become smaller, until nothing fits."""
    os.set_blocking(file, False)
    for size in (4096, 1):
        try:
            while True:
                os.write(file, b"x" * size)
        except BlockingIOError:
            pass
    os.set_blocking(file, True)


def start_in_background(command):
    """The session's leader stays in the foreground."""
    master, terminal = pty.openpty()
    if os.fork() != 0:
        sys.exit(os.waitstatus_to_exitcode(os.wait()[1]))
    os.setsid()
    fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
    settings = termios.tcgetattr(terminal)
    settings[3] |= termios.TOSTOP
    termios.tcsetattr(terminal, termios.TCSANOW, settings)
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        os.close(master)
        os.dup2(terminal, ERROR)
        os.execvp(command[0], command)
    _, status = os.waitpid(child, os.WUNTRACED)
    if os.WIFSTOPPED(status):
        print("stopped", flush=True)
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    sys.exit(os.waitstatus_to_exitcode(status))


def main():
    kind, command = sys.argv[1], sys.argv[2:]
    if kind == "terminal":
        start_in_background(command)
    if kind == "pipe":
        reader, writer = os.pipe()
    else:
        reader, writer = (end.detach() for end in socket.socketpair())
    fill(writer)
    os.set_inheritable(reader, True)
    os.dup2(writer, ERROR)
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()
