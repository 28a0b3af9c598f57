"""Takes a node file apart, by format.md and not with mprof: for tests that look at each
rank's record on its own.
"""

import glob
import os
import struct

HEADER = struct.Struct("<8sHHIQIIQQQII")
PART = struct.Struct("<IIQQQQ")
LIVE, FINISHED = 1, 2


class NodeFile:
    """`parts`: by rank (state, bytes) of what holds."""

    def __init__(self, path):
        with open(path, "rb") as file:
            (self.magic, _, _, self.state, self.run, _, self.ranks, first, stride, parts, _,
             _) = HEADER.unpack(file.read(HEADER.size))
            self.parts = {}
            self.taken, self.ended = parts & 0xffffffff, parts >> 32 & 0x7fffffff
            self.sealed = bool(parts >> 63)
            for number in range(self.taken):
                file.seek(first + number * stride)
                state, rank, live_offset, live_bytes, offset, size = \
                    PART.unpack(file.read(PART.size).ljust(PART.size, b"\0"))
                if state == 0:
                    continue
                file.seek(live_offset if state == LIVE else offset)
                self.parts[rank] = (state, file.read(live_bytes if state == LIVE else size))


def take_apart(profile):
    """Puts a file rank-N.mprof for each rank beside the node files of a profile folder."""
    for path in glob.glob(os.path.join(profile, "*node-*.mprof")):
        for rank, (_, content) in NodeFile(path).parts.items():
            with open(os.path.join(profile, f"rank-{rank}.mprof"), "wb") as file:
                file.write(content)
        os.remove(path)
