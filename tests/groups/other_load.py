"""What other programs took of the machine while a test ran. Python's standard library only."""

import os
import time


class Load:
    """Which part of the machine other processes have taken since the object was made."""

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
