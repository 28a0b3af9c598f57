#!/usr/bin/env python3
"""How many messages mprof sends, and how long they are, for 4 ranks to 512: at most as many on each
rank, rank 0 included, as the tree of ranks has levels, times a constant.

Open MPI counts (its component "monitoring"): every message of every rank to every other one, also
those of its own collectives, by which the links of the tree are made. The program does nothing
between MPI_Init and MPI_Finalize. What is counted with mprof and not without it is mprof's. The
monitoring pauses for messages of mprof, so they are those of a copy of libmprof.so that does not
find it.

    law:  messages of a rank <= CONSTANT + PER_LEVEL * log2(ranks)
          bytes of a message <= LARGEST_BYTES: a rank keeps one at a time of each of its neighbours

With --files job the files go up the tree, too. What a rank sends and receives for that follows from
the sizes of the files, which the file of the job tells (node_file.py), and is checked to the byte.
"""

import collections
import math
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "mpi"))
import jobs  # noqa: E402
from node_file import NodeFile  # noqa: E402

# A neighbour costs 11 messages at most: most of them make the link, the others agree, arrive,
# leave, and add up the summary. The baseline is of three ranks: at most 34 round trips of two sizes
# with each of two partners.
PER_LEVEL = 12
CONSTANT = 140
LARGEST_BYTES = 4096
# With --files job: an edge has one message more in each direction, and one for each further 64 KiB.
CHUNK_BYTES, CHUNK_HEAD_BYTES, ENTRY_BYTES, ANSWER_BYTES = 64 * 1024, 8, 16, 4
LINE = re.compile(r"^([EI])\t(\d+)\t(\d+)\t(\d+) bytes\t(\d+) msgs sent\t([\d,]*)")
MONITORING = ["--mca", "pml_monitoring_enable", "2", "--mca", "pml_monitoring_enable_output", "3",
              "--mca", "pml_monitoring_filename"]


def counted_library(tools, folder):
    """A copy whose messages Open MPI counts."""
    with open(tools.library, "rb") as file:
        content = file.read()
    name = b"libmca_common_monitoring.so\0"
    if name not in content:
        raise jobs.Failure(f"{tools.library} does not look for the monitoring")
    path = os.path.join(folder, os.path.basename(tools.library))
    with open(path, "wb") as file:
        file.write(content.replace(name, b"no" + name[2:]))
    os.chmod(path, 0o755)
    return path


class Traffic:
    """Messages and bytes by rank, sent and received; a power of two that is more than the bytes of
    the longest message; and the sizes of the files in the file of the job."""

    def __init__(self, folder, ranks):
        self.messages, self.bytes = collections.Counter(), collections.Counter()
        path = os.path.join(folder, "profile", "job.mprof")
        self.files = {rank: len(content) for rank, (_, content) in NodeFile(path).parts.items()} \
            if os.path.exists(path) else {}
        self.shorter_than = 0
        for rank in range(ranks):
            path = os.path.join(folder, f"messages.{rank}.prof")
            with open(path, encoding="utf-8") as file:
                for line in file:
                    self.add(LINE.match(line))

    def add(self, found):
        if found is None:
            return
        sender, receiver, size, count = (int(found[i]) for i in range(2, 6))
        for rank in (sender, receiver):
            self.messages[rank] += count
            self.bytes[rank] += size
        for power, found_ones in enumerate(found[6].split(",")):
            if found_ones.strip("0"):
                self.shorter_than = max(self.shorter_than, 2 ** power)


def traffic(tools, arguments, ranks, library, **variables):
    with jobs.Folder("messages", tools.keep) as folder:
        settings = {"MPROF_OUTPUT": os.path.join(folder.path, "profile"),
                    "MPROF_SUMMARY": os.path.join(folder.path, "summary"), **variables,
                    **(jobs.preload_settings(library) if library else {})}
        inside = ["env"] + [f"{name}={value}" for name, value in settings.items()]
        job = jobs.Job(tools.launcher(ranks) + MONITORING
                       + [os.path.join(folder.path, "messages")] + inside
                       + [arguments.program, "nobody"], jobs.environment(), folder.path,
                       tools.time_limit)
        # With 512 ranks on few CPUs mpirun may miss the end of one, also without mprof. What counts
        # is that each rank came to the end of MPI_Finalize, where Open MPI writes its file.
        counts = [f"messages.{rank}.prof" for rank in range(ranks)]
        if not set(counts) <= set(os.listdir(folder.path)):
            raise jobs.Failure(job.describe())
        return Traffic(folder.path, ranks)


def subtree(rank, ranks):
    """The ranks below one in the binomial tree, and itself."""
    return range(rank, min(rank + (rank & -rank if rank else ranks), ranks))


def children(rank, ranks):
    steps = [1 << i for i in range(ranks.bit_length())]
    return [rank + step for step in steps if (rank == 0 or step < rank & -rank)
            and rank + step < ranks]


def check_files(tools, arguments, ranks, library):
    """The bytes that the file of the job costs. The baseline's messages are not always as many."""
    others = traffic(tools, arguments, ranks, library, MPROF_BASELINE="0", MPROF_FILES="node")
    mprof = traffic(tools, arguments, ranks, library, MPROF_BASELINE="0")
    if sorted(mprof.files) != list(range(ranks)):
        raise jobs.Failure(f"in the file of the job: {sorted(mprof.files)}")

    def edge(rank):  # to the parent and back
        stream = sum(mprof.files[below] + ENTRY_BYTES for below in subtree(rank, ranks))
        chunks = -(-stream // (CHUNK_BYTES - CHUNK_HEAD_BYTES))
        return stream + chunks * CHUNK_HEAD_BYTES + ANSWER_BYTES
    for rank in range(ranks):
        expected = sum(map(edge, [*([rank] if rank else []), *children(rank, ranks)]))
        found = mprof.bytes[rank] - others.bytes[rank]
        if found != expected:
            raise jobs.Failure(f"rank {rank} of {ranks}: {found} bytes instead of {expected}")
    print(f"{ranks} ranks: files of {sum(mprof.files.values())} bytes; rank 0 sends and receives "
          f"{mprof.bytes[0] - others.bytes[0]} for them, all ranks "
          f"{sum(mprof.bytes.values()) - sum(others.bytes.values())}")


def limits(tools, mprof, ranks):
    """Of the messages of a rank, and of the bytes of one."""
    levels = math.log2(ranks)
    if tools.files != "job":
        return CONSTANT + PER_LEVEL * levels, LARGEST_BYTES
    return (CONSTANT + (PER_LEVEL + 2) * levels + sum(mprof.files.values()) / CHUNK_BYTES,
            2 * CHUNK_BYTES)


def check_counts(tools, arguments, library):
    for ranks in arguments.ranks:
        alone = traffic(tools, arguments, ranks, None)
        mprof = traffic(tools, arguments, ranks, library)
        own = {rank: mprof.messages[rank] - alone.messages[rank] for rank in range(ranks)}
        busiest = max(own, key=own.get)
        most, longest = limits(tools, mprof, ranks)
        print(f"{ranks} ranks: rank 0 {own[0]} messages, most {own[busiest]} (rank {busiest}), "
              f"mean {sum(own.values()) / ranks:.1f}; may be {most:.0f}; all shorter than "
              f"{mprof.shorter_than} bytes")
        if min(own.values()) <= 0:  # else a library that is not there would pass
            raise jobs.Failure("a rank has no message of mprof: is it in the program?")
        if own[busiest] > most:
            raise jobs.Failure(f"rank {busiest} of {ranks} has {own[busiest]} messages of mprof")
        if mprof.shorter_than > longest:
            raise jobs.Failure(f"there is a message of {mprof.shorter_than // 2} bytes or more")
        if tools.files == "job":
            check_files(tools, arguments, ranks, library)


def check(tools, arguments):
    with jobs.Folder("counted", tools.keep) as folder:
        check_counts(tools, arguments, counted_library(tools, folder.path))


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("--ranks", type=int, nargs="+", default=[4, 64])
    parser.add_argument("program", help="partners")
    sys.exit(jobs.main(check, parser))
