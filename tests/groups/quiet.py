"""What other programs take of the machine, by the kernel's account. The one place that decides
whether a machine is quiet. Used by run_tests.py. Python's standard library only."""

import os
import time

DISTURBED = 0.1  # of the machine, taken by others: then a figure of time tells nothing
WINDOW_S = 2


class Load:
    """Which part of the machine other processes have taken since the object was made. Own are this
    process and those of its children that have ended."""

    def __init__(self):
        self.begin, self.others_begin = time.monotonic(), self.others()

    @staticmethod
    def others():
        """Seconds of all processors that were neither idle nor ours; what the host of a virtual
        machine took is among them."""
        with open("/proc/stat", encoding="utf-8") as file:
            ticks = [int(word) for word in file.readline().split()[1:9]]
        own = os.times()
        busy = (sum(ticks) - ticks[3] - ticks[4]) / os.sysconf("SC_CLK_TCK")
        return busy - own.user - own.system - own.children_user - own.children_system

    def part(self):
        seconds = (time.monotonic() - self.begin) * (os.cpu_count() or 1)
        return max(self.others() - self.others_begin, 0) / max(seconds, 1e-9)


def wait_until_quiet(limit_s=120):
    """True as soon as others took less than DISTURBED of the machine for WINDOW_S. False if that
    did not happen within the limit."""
    end = time.monotonic() + limit_s
    while True:
        load = Load()
        time.sleep(WINDOW_S)
        if load.part() < DISTURBED:
            return True
        if time.monotonic() >= end:
            return False
