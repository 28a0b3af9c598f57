"""A control group of the kernel in which a job gets little memory. The kernel kills a process that
wants more. Used by run_ends.py. It needs root, and a hierarchy of groups (version 2 or 1) that can
be written to."""

import os
import time

# The folder of the hierarchy, a file that shows that it is one, the files of the limits in a group
# (those of swap space may be missing).
HIERARCHIES = [
    ("/sys/fs/cgroup", "cgroup.controllers", "memory.max", "memory.swap.max", "0"),
    ("/sys/fs/cgroup/memory", "memory.limit_in_bytes",
     "memory.limit_in_bytes", "memory.memsw.limit_in_bytes", None),
]


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


class MemoryGroup:
    """`reason` says why there is none. `enter` is the begin of a command that runs in the group."""

    def __init__(self, limit_bytes):
        self.path, self.reason, self.enter = None, "no hierarchy of control groups with memory", []
        for folder, sign, limit, swap_limit, swap in HIERARCHIES:
            if not os.path.exists(os.path.join(folder, sign)):
                continue
            path = os.path.join(folder, f"mprof-test-{os.getpid()}")
            try:
                os.mkdir(path)
                self.path = path
                write(os.path.join(path, limit), str(limit_bytes))
                if os.path.exists(os.path.join(path, swap_limit)):
                    write(os.path.join(path, swap_limit), swap or str(limit_bytes))
            except OSError as problem:
                self.reason = str(problem)
                self.remove()
                continue
            self.reason = None
            self.enter = ["sh", "-c", f'echo $$ > {path}/cgroup.procs && exec "$@"', "sh"]
            return

    def remove(self):
        """When its processes are gone; what they leave in the page cache goes with it."""
        for _ in range(100):
            try:
                if self.path is not None:
                    os.rmdir(self.path)
                self.path = None
                return
            except OSError:
                time.sleep(0.05)
