#!/usr/bin/env python3
"""Files of single calls (`.events`) that are damaged, wild, cut or missing: mprof trace draws what
can be, and says what it leaves out. No command writes over one, or takes one for a rank's record.

    damaged_events.py MPROF GOLDEN_FOLDER [big|sanitized]

The rank files are golden ones: rank r has begun at tick 7e12 + r * 1e6 and has ended 6e9 ticks
later. Beside them files of events are written, straight from format.h. `big`: memory does not grow
with the number of events. `sanitized`: memory is not looked at.
"""
import array
import collections
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "trace"))
import pftrace  # noqa: E402

MAGIC = bytes([0x8f]) + b"MPROF\r\n"
RUN = 0x1122334455667788
RANKS = 4
ITEM, PAGE = 32, 4096
EVENTS = 29
ISEND, ALLREDUCE = 3, 6  # 1 + function
SENT = 0xfffe
CALLS = 100
MIB = 1 << 20


def begin_of(rank):
    return 7_000_000_000_000 + rank * 1_000_000


def item(start, ticks=1000, function=ALLREDUCE, size=8):
    return struct.pack("<QQIHHIi", start, ticks, 0, function, 1, size, -1)


def calls(rank, count=CALLS, first=0):
    return [item(begin_of(rank) + (first + i) * 10_000) for i in range(count)]


def message(start, tag=1):
    return struct.pack("<QQIHHII", start, 0, 1, SENT, 1, 8, tag)


def header(rank, sections, major=2, state=1):
    """`sections`: (thread, offset, bytes, bytes of an item)."""
    data = struct.pack("<8sHHIIIQIIIIQII", MAGIC, major, 0, state, 64, len(sections), RUN, 0, rank,
                       RANKS, 0, 0, 0, 0)
    for thread, offset, size, record in sections:
        data += struct.pack("<IIQQII", EVENTS, thread, offset, size, record, 0)
    return data.ljust(PAGE, b"\0")


def events(rank, items, thread=0, length=None):
    data = b"".join(items)
    size = len(data) if length is None else length
    return header(rank, [(thread, PAGE, size, ITEM)]) + data


def write_items(file, begin, step, count, words, piece=10_000):
    """Without many objects: a child process is said to have had the memory of its parent."""
    for at in range(0, count, piece):
        items = array.array("Q", bytes(ITEM * piece))
        items[0::4] = array.array("Q", [begin + (at + i) * step for i in range(piece)])
        for place, word in enumerate(words, 1):
            items[place::4] = array.array("Q", [word]) * piece
        items.tofile(file)


class Profile:
    """A copy of the golden profile, and files of events in it."""

    def __init__(self, mprof, golden, where, files):
        self.mprof, self.folder = mprof, pathlib.Path(where, "profile")
        shutil.copytree(os.path.join(golden, "finished"), self.folder)
        for rank, data in files.items():
            self.events(rank).write_bytes(data)

    def events(self, rank):
        return self.folder / f"rank-{rank}.mprof.events"

    def run(self, *words, timeout=60):
        """(exit status, stderr, peak memory in bytes)"""
        with tempfile.TemporaryFile() as errors, \
                subprocess.Popen([self.mprof, *map(str, words)], stdout=subprocess.DEVNULL,
                                 stderr=errors) as process:
            timer = subprocess.Popen(["sh", "-c", f"sleep {timeout}; kill {process.pid}"],
                                     stderr=subprocess.DEVNULL, start_new_session=True)
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            os.killpg(timer.pid, 15)
            timer.wait()
            errors.seek(0)
            peak = 0 if "sanitized" in sys.argv else used.ru_maxrss * 1024
            return process.returncode, errors.read().decode(), peak

    def trace(self, timeout=60):
        """The calls by rank, what is said, and the peak memory."""
        target = self.folder.parent / "run.pftrace"
        status, said, peak = self.run("trace", self.folder, "-o", target, timeout=timeout)
        assert status == 0, (status, said)
        slices = pftrace.Trace(target).slices
        assert all(call.end_us <= 3.1e6 for call in slices), "a slice behind the end"
        found = collections.Counter(call.track for call in slices)
        return found, said, peak


def whole(count=CALLS):
    return {rank: events(rank, calls(rank, count)) for rank in range(RANKS)}


def expect(found, **expected):
    assert dict(found) == {f"rank {name[1:]}": count for name, count in expected.items()}, found


def check_whole(new):
    found, said, _ = new(whole()).trace()
    expect(found, r0=CALLS, r1=CALLS, r2=CALLS, r3=CALLS)
    for word in ("no events", "only the last", "left out"):
        assert word not in said.replace("no events of rank 1 thread 1", ""), said


def check_wild_times(new):
    """Far in the future, long before the start, and lengths that overflow."""
    wild = [item(begin_of(0) + 10**14), item(5), item(begin_of(0) + 5_001, ticks=2**64 - 1),
            item(2**64 - 1), item(begin_of(0) + 5_002, function=60)]
    files = whole()
    files[0] = events(0, calls(0, 50) + wild + calls(0, 50, 50))
    found, said, _ = new(files).trace()
    expect(found, r0=CALLS, r1=CALLS, r2=CALLS, r3=CALLS)
    assert "5 events whose time or function cannot be are left out" in said, said


def check_messages_without_call(new):
    """Their memory does not grow with their number."""
    lone = 1_000_000
    for step in (1, 0):  # each of another call, or all of one
        profile = new(whole())
        _, _, before = profile.trace()
        with open(profile.events(0), "wb") as file:
            file.write(header(0, [(0, PAGE, (lone + CALLS) * ITEM, ITEM)]))
            write_items(file, begin_of(0), step, lone, [0, 1 | SENT << 32 | 1 << 48, 8 | 1 << 32])
            file.write(b"".join(calls(0, first=1000)))
        found, said, peak = profile.trace()
        expect(found, r0=CALLS, r1=CALLS, r2=CALLS, r3=CALLS)
        assert "1000000 messages of no call are left out" in said.replace(",", ""), said
        assert peak < before + 24 * MIB, (peak, before)


def check_missing(new):
    files = whole()
    del files[1], files[3]
    found, said, _ = new(files).trace()
    expect(found, r0=CALLS, r2=CALLS)
    assert "no events of ranks 1, 3\n" in said, said
    files[1] = events(1, calls(1), thread=7)
    _, said, _ = new(files).trace()
    assert "no events of rank 1, rank 1 thread 1: --events was too small" in said or \
        "no events of rank 1: --events was too small" in said, said


def check_full_ring(new):
    files = whole()
    files[2] = events(2, calls(2, 60, 100) + calls(2, 40, 60))
    found, said, _ = new(files).trace()
    expect(found, r0=CALLS, r1=CALLS, r2=CALLS, r3=CALLS)
    assert "only the last events of rank 2: " in said, said


def check_damaged(new):
    """Each is named, with the offset, what was expected and what was found."""
    data = b"".join(calls(0))
    size = len(data)
    at = 64
    cases = [
        (bytes(PAGE + size), "offset 0: expected the header of a file of events"),
        (events(0, calls(0))[:PAGE + 500], f"offset {at + 16}: expected a ring inside the file"),
        (events(0, calls(0))[:70], "offset 64: expected 32 bytes, found 6"),
        (header(0, [(0, PAGE, size, 48)]) + data, f"offset {at + 24}: expected items of 32 bytes"),
        (header(0, [(0, PAGE, 1 << 40, ITEM)]) + data,
         f"offset {at + 16}: expected a ring of at most 68719476736 bytes, found 1099511627776"),
        (header(0, [(0, PAGE, size, ITEM), (1, PAGE, size, ITEM)]) + data,
         f"offset {at + 32 + 8}: expected a ring behind {PAGE + size}, found {PAGE}"),
        (header(0, [(0, PAGE, size, ITEM)], major=3) + data, "offset 8: expected format version"),
        (header(0, [(0, PAGE, size, ITEM)], state=2) + data, "offset 12: expected state 1"),
    ]
    for data_of_0, text in cases:
        profile = new({**whole(), 0: data_of_0})
        found, said, _ = profile.trace()
        expect(found, r1=CALLS, r2=CALLS, r3=CALLS)
        assert f"{profile.events(0)}: {text}" in said, (text, said)
        assert "no events of rank 0\n" in said, said


def check_sparse(new):
    """The last item of 60 GiB is in use, and nearly nothing else."""
    files = whole()
    size = 60 << 30
    profile = new(files)
    with open(profile.events(0), "wb") as file:
        file.write(header(0, [(0, PAGE, size, ITEM)]) + b"".join(calls(0)))
        file.seek(PAGE + size - ITEM)
        file.write(calls(0, 1, 500)[0])
    found, _, peak = profile.trace(timeout=30)
    assert CALLS <= found["rank 0"] <= CALLS + 1, found
    assert peak < 500 * MIB, peak


def check_outputs(new):
    """No command writes over a file of events, of whatever profile and by whatever name."""
    profile, other = new(whole()), new(whole())
    before = profile.events(0).read_bytes()
    link = profile.folder.parent / "link.pftrace"
    link.symlink_to(profile.events(0))
    same = profile.folder.parent / "same.pftrace"
    os.link(profile.events(0), same)
    for words in (("report", profile.folder, "--json", profile.events(0)),
                  ("report", other.folder, "--json", profile.events(0)),
                  ("report", profile.folder, "--html", same),
                  ("trace", profile.folder, "-o", link), ("trace", profile.folder, "-o", same),
                  ("merge", profile.folder, "-o", profile.events(0))):
        status, said, _ = profile.run(*words)
        assert status == 2 and "cannot" in said or "cannot be written" in said, (words, said)
        assert profile.events(0).read_bytes() == before, words


def check_as_profile(new):
    profile = new(whole())
    target = profile.folder.parent / "merged.mprof"
    moved = profile.folder.parent / "renamed"
    shutil.copy(profile.events(0), moved)
    for words in (("report", profile.events(0)), ("report", moved),
                  ("merge", profile.events(0), "-o", target),
                  ("trace", profile.events(0), "-o", target.with_suffix(".pftrace"))):
        status, said, _ = profile.run(*words)
        assert status == 2 and "holds the single calls of a rank (--events), not a profile. " \
            "mprof trace reads it with its profile folder" in said, (words, status, said)
        assert not target.exists()


def write_big(path, rank, count):
    with open(path, "wb") as file:
        file.write(header(rank, [(0, PAGE, count * ITEM, ITEM)]))
        write_items(file, begin_of(rank), 500, count, [100, ALLREDUCE << 32 | 1 << 48, 8])


def check_big(new):
    peaks = []
    for count, text in ((1_000_000, "1.0 million calls"), (10_000_000, "10.0 million calls")):
        profile = new({})
        write_big(profile.events(0), 0, count)
        target = profile.folder.parent / "null.pftrace"
        target.symlink_to("/dev/null")
        status, said, peak = profile.run("trace", profile.folder, "-o", target, timeout=500)
        assert status == 0 and text in said, said
        peaks.append(peak)
    print(f"peak memory of 1e6 and 1e7 events: {[peak // MIB for peak in peaks]} MiB")
    assert peaks[1] < 1.1 * peaks[0] + 4 * MIB, peaks


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    mprof, golden = map(os.path.abspath, sys.argv[1:3])
    checks = [check_big] if "big" in sys.argv else [
        check_whole, check_wild_times, check_messages_without_call, check_missing, check_full_ring,
        check_damaged, check_sparse, check_outputs, check_as_profile]
    failed = 0
    for check in checks:
        with tempfile.TemporaryDirectory() as where:
            def new(files, where=where):
                return Profile(mprof, golden, tempfile.mkdtemp(dir=where), files)
            try:
                check(new)
            except AssertionError as problem:
                failed += 1
                print(f"{check.__name__}: line {problem.__traceback__.tb_next.tb_lineno}: "
                      f"{str(problem)[:1500]}")
    print(f"{len(checks)} checks, {failed} failed")
    sys.exit(1 if failed else 0)


main()
