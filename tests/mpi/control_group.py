"""A control group of the kernel for jobs: one with little memory (run_ends.py), one with a CPU
quota (run_limited.py), or one that gets the CPUs before all other programs (jobs.py). It needs
root, and a hierarchy of groups (version 2 or 1) that can be written to. Python's standard library
only.

    control_group.py COMMAND ARGUMENTS...

runs a command that gets the CPUs first, or runs it as usual where there can be no group. Its exit
status is the command's."""

import ctypes
import os
import struct
import subprocess
import sys
import tempfile
import time

MANY_TIMES = 100  # as much of a busy CPU as another program
SLICE_NS = 100_000
SCHED_SETATTR = {"x86_64": 314, "aarch64": 274}


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


class ControlGroup:
    """`hierarchies`: of each the folder, a file that shows that it is one, and what is written to
    the files of the group; where a name begins with "-", the file may be missing. `reason` says why
    there is no group. `enter` is the begin of a command that runs in it."""

    def __init__(self, what, hierarchies):
        self.path, self.reason, self.enter = None, f"no hierarchy of control groups with {what}", []
        for folder, sign, settings in hierarchies:
            if not os.path.exists(os.path.join(folder, sign)):
                continue
            try:
                self.path = tempfile.mkdtemp(prefix="mprof-test-", dir=folder)
                for name, text in settings.items():
                    file = os.path.join(self.path, name.lstrip("-"))
                    if not name.startswith("-") or os.path.exists(file):
                        write(file, text)
            except OSError as problem:
                self.reason = str(problem)
                self.remove()
                continue
            self.reason = None
            self.enter = ["sh", "-c", f'echo $$ > {self.path}/cgroup.procs && exec "$@"', "sh"]
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


def little_memory(limit_bytes):
    """The kernel kills a process that wants more, swap space included."""
    limit = str(limit_bytes)
    return ControlGroup("memory", [
        ("/sys/fs/cgroup", "cgroup.controllers", {"memory.max": limit, "-memory.swap.max": "0"}),
        ("/sys/fs/cgroup/memory", "memory.limit_in_bytes",
         {"memory.limit_in_bytes": limit, "-memory.memsw.limit_in_bytes": limit})])


def cpu_quota(cpus):
    """All its processes together get so many CPUs, in each tenth of a second anew."""
    period_us = 100_000
    quota_us = int(cpus * period_us)
    return ControlGroup("CPU time", [
        ("/sys/fs/cgroup", "cgroup.controllers", {"cpu.max": f"{quota_us} {period_us}"}),
        ("/sys/fs/cgroup/cpu", "cpu.cfs_quota_us",
         {"cpu.cfs_period_us": str(period_us), "cpu.cfs_quota_us": str(quota_us)})])


def first():
    """What else runs on the machine takes next to nothing of a CPU that the group wants. Who wakes
    up there need not wait until another program's slice is over, because its own is shorter: this
    process and all that it starts have short slices from now on."""
    number = SCHED_SETATTR.get(os.uname().machine)
    if number is not None:  # Linux before 6.12 ignores it
        # struct sched_attr: size, policy, flags, nice, priority, runtime, deadline, period
        attributes = struct.pack("IIQiIQQQ", 48, 0, 0, 0, 0, SLICE_NS, 0, 0)
        ctypes.CDLL(None).syscall(number, 0, attributes, 0)
    return ControlGroup("CPU time", [
        ("/sys/fs/cgroup", "cgroup.controllers", {"cpu.weight": str(100 * MANY_TIMES)}),
        ("/sys/fs/cgroup/cpu", "cpu.shares", {"cpu.shares": str(1024 * MANY_TIMES)})])


def main(command):
    group = first()
    try:
        return subprocess.run([*group.enter, *command], check=False).returncode
    finally:
        group.remove()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
