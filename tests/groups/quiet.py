"""What other programs take of the machine, by the kernel's account: the one place that decides
what "disturbed" means. Used by run_tests.py and lanes.py. No test decides this by itself.
Python's standard library only.
"""

import os
import time

DISTURBED = 0.1  # of the machine, taken by others: what depends on time is not judged then
WINDOW_S = 2  # that wait_until_quiet() looks at


def processor_s(process):
    """What this process used of the processors, and those of its children that it has waited for
    (proc(5): utime, stime, cutime, cstime)."""
    with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
        words = file.read().rpartition(")")[2].split()
    return sum(map(int, words[11:15])) / os.sysconf("SC_CLK_TCK")


class Load:
    """Which part of the machine others have taken since the object was made. "Ours" is what
    `process` and the children that it waited for have used."""

    def __init__(self, process="self", begin=None):
        self.process = process
        self.begin = begin or (time.monotonic(), self.others())

    def others(self):
        """Seconds of all processors that were neither idle nor ours; what the host of a virtual
        machine took (steal) is among them."""
        with open("/proc/stat", encoding="utf-8") as file:
            ticks = [int(word) for word in file.readline().split()[1:9]]
        busy = (sum(ticks) - ticks[3] - ticks[4]) / os.sysconf("SC_CLK_TCK")
        return busy - processor_s(self.process)

    def seconds(self):
        return time.monotonic() - self.begin[0]

    def part(self):
        seconds = self.seconds() * (os.cpu_count() or 1)
        return max(self.others() - self.begin[1], 0) / max(seconds, 1e-9)


def wait_until_quiet(limit_s=120):
    """True as soon as others took less than DISTURBED of the machine for WINDOW_S; False when
    `limit_s` have passed before."""
    end = time.monotonic() + limit_s
    while True:
        load = Load()
        time.sleep(WINDOW_S)
        if load.part() < DISTURBED:
            return True
        if time.monotonic() > end:
            return False
