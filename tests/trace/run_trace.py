#!/usr/bin/env python3
"""Planted calls, written by write_calls, have the tracks, slices, arrows and counters that
arithmetic says. Perfetto's format is read with the message classes of PyPI's `perfetto`.

    run_trace.py perfetto WRITE_CALLS WORK_FOLDER PACKAGES_FOLDER
    run_trace.py otf2|size WRITE_CALLS WORK_FOLDER
"""
import collections
import pathlib
import re
import shutil
import subprocess
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "groups"))
import needs  # noqa: E402

RANKS, STEPS = 4, 250
CALLS = 3 * RANKS * STEPS
BIG_CALLS = 10_000_000
MOST_KIB = 100 * 1024


def write(tool, target, calls, *how, ranks=RANKS):
    """What the tool says of the trace that it wrote."""
    done = subprocess.run([tool, target, str(calls), str(ranks), *how], stdout=subprocess.PIPE,
                          text=True, check=False)
    if done.returncode == needs.SKIPPED:
        print(done.stdout)
        sys.exit(needs.SKIPPED)
    assert done.returncode == 0, done
    return {name: int(value) for name, value in re.findall(r"(\w+) (-?\d+)", done.stdout)}


def equal(what, found, expected):
    assert found == expected, f"{what}: {found}, expected {expected}"


def perfetto_python(packages):
    """A Python that has Perfetto's message classes: trace.install made it, or says why not."""
    python, failed = packages / "bin/python3", packages.with_suffix(".failed")
    if not (packages / "installed").exists():
        print("skipped: no perfetto from PyPI:",
              failed.read_text() if failed.exists() else "trace.install did not run")
        sys.exit(needs.SKIPPED)
    return python


class Read:
    """A trace, as tracks and events with names in place of numbers."""

    def __init__(self, path):
        from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as messages
        trace = messages.Trace()
        trace.ParseFromString(pathlib.Path(path).read_bytes())
        self.event_types = messages.TrackEvent
        self.tracks = {packet.track_descriptor.uuid: packet.track_descriptor
                       for packet in trace.packet if packet.HasField("track_descriptor")}
        interned = [packet.interned_data for packet in trace.packet
                    if packet.HasField("interned_data")]
        self.names = {row.iid: row.name for data in interned for row in data.event_names}
        self.texts = {row.iid: row.str.decode() for data in interned
                      for row in data.debug_annotation_string_values}
        self.arguments = {row.iid: row.name for data in interned
                          for row in data.debug_annotation_names}
        self.events = [packet for packet in trace.packet if packet.HasField("track_event")]

    def name(self, event):
        return event.name or self.names[event.name_iid]

    def argument(self, event, name):
        for one in event.debug_annotations:
            if self.arguments[one.name_iid] == name:
                return self.texts[one.string_value_iid] if one.string_value_iid else one.int_value
        return None

    def slices(self):
        """(track, name, begin, end, event of the begin, flows that end in it); on each track they
        are nested."""
        kinds, opened, found = self.event_types, collections.defaultdict(list), []
        last = collections.Counter()
        for packet in self.events:
            event, at = packet.track_event, packet.timestamp
            track = event.track_uuid
            if event.type == kinds.TYPE_COUNTER:
                continue
            if event.type == kinds.TYPE_SLICE_BEGIN:
                opened[track].append((at, event))
            else:
                begin, first = opened[track].pop()
                assert begin <= at, (begin, at)
                found.append((track, self.name(first), begin, at, first,
                              list(event.terminating_flow_ids)))
            assert at >= last[track] or self.names.get(event.name_iid) == "waiting", (at, event)
            last[track] = at
        assert not any(opened.values())
        return found


def check_tracks(read):
    kinds = collections.Counter("process" if track.HasField("process") else
                                "thread" if track.HasField("thread") else
                                "counter" if track.HasField("counter") else track.name
                                for track in read.tracks.values())
    equal("tracks", dict(kinds), {"process": 2, "thread": RANKS, "phases": 1,
                                  "counter": 2 * (RANKS + 1) + 1})
    equal("ranks", {track.thread.thread_name for track in read.tracks.values()
                    if track.HasField("thread")}, {f"rank {rank}" for rank in range(RANKS)})


def check_messages(slices):
    """Returns how many arrows there are; none leads back in time."""
    sent = {flow: begin for _, _, begin, _, first, _ in slices for flow in first.flow_ids}
    received = [(flow, end) for _, _, _, end, _, flows in slices for flow in flows]
    equal("arrows that end", len({flow for flow, _ in received}), len(received))
    for flow, end in received:
        assert sent[flow] <= end, (flow, sent[flow], end)
    return len(received)


def check_perfetto(tool, work):
    for how in ((), ("behind",), ("late",)):
        path = work / "run.pftrace"
        counts = write(tool, path, CALLS, *how)
        read = Read(path)
        check_tracks(read)
        slices = read.slices()
        arrows = check_messages(slices)
        missing = 10 * RANKS if how == ("late",) else 0  # ten steps of every other rank
        equal("arrows", arrows, RANKS * STEPS - missing)
        equal("messages that it counts", counts["messages"], arrows)
        names = collections.Counter(name for _, name, *_ in slices)
        for name in ("MPI_Send", "MPI_Recv", "MPI_Allreduce"):
            equal(name, names[name], RANKS * STEPS - missing // 2)
        equal("phases", (names["set-up"], names["solve"]), (1, 1))
        if how == ("behind",):
            equal("moved receives", counts["moved"], STEPS - 1)
            equal("by", counts["most_moved_ns"], 5000)
        else:
            equal("moved receives", counts["moved"], 0)
        for _, name, begin, end, first, _ in slices:
            if name == "MPI_Recv":
                equal("bytes", read.argument(first, "bytes"), 1024)
                equal("call site", read.argument(first, "call site"), "ring.c:11")
    values = [packet.track_event.double_counter_value for packet in Read(path).events
              if packet.track_event.type == read.event_types.TYPE_COUNTER]
    equal("values", collections.Counter(values)[75.0], RANKS + 1)


def check_otf2(tool, work):
    needs.need("otf2/otf2.h")  # mprof was built with it
    needs.need("otf2-print")
    folder = work / "otf2"
    shutil.rmtree(folder, ignore_errors=True)
    write(tool, f"{folder}/", CALLS)
    printed = subprocess.run(["otf2-print", "-A", folder / "traces.otf2"], stdout=subprocess.PIPE,
                             text=True, check=True).stdout
    kinds = collections.Counter(line.split(" ", 1)[0] for line in printed.splitlines())
    for kind, count in (("ENTER", CALLS), ("LEAVE", CALLS), ("MPI_SEND", RANKS * STEPS),
                        ("MPI_RECV", RANKS * STEPS), ("MPI_COLLECTIVE_END", RANKS * STEPS)):
        equal(kind, kinds[kind], count)
    lines = [line for line in printed.splitlines() if line.startswith(("MPI_SEND", "MPI_RECV"))]
    times = {"MPI_SEND": {}, "MPI_RECV": {}}
    for line in lines:
        times[line.split()[0]][re.search(r"Tag: (\d+)", line)[1]] = int(line.split()[2])
    equal("tags", times["MPI_SEND"].keys(), times["MPI_RECV"].keys())
    assert all(times["MPI_SEND"][tag] <= at for tag, at in times["MPI_RECV"].items())
    printed = subprocess.run(["otf2-print", "-G", folder / "traces.otf2"], stdout=subprocess.PIPE,
                             text=True, check=True).stdout
    assert re.search(r'REGION .*"MPI_Recv".*File: "ring.c".*Begin: 11', printed), printed
    equal("locations", len(re.findall(r"^LOCATION  ", printed, re.M)), RANKS)


def check_size(tool, work):
    """Memory does not grow with the trace, and is small."""
    begin = time.monotonic()
    small = write(tool, "/dev/null", 100_000, ranks=64)
    calls = BIG_CALLS if time.monotonic() - begin < 0.3 else BIG_CALLS // 10
    big = write(tool, "/dev/null", calls, ranks=64)
    print(f"{big['calls']} calls in {time.monotonic() - begin:.1f} s: {big['peak_kib']} KiB, "
          f"{small['calls']} calls: {small['peak_kib']} KiB")
    equal("messages", big["messages"], big["calls"] // 3)
    assert big["peak_kib"] < MOST_KIB, big
    assert big["peak_kib"] < small["peak_kib"] + 4096, (big, small)


def main():
    what, tool, work = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    work.mkdir(parents=True, exist_ok=True)
    if what == "perfetto" and len(sys.argv) == 5:
        write(tool, work / "run.pftrace", CALLS)  # skipped if it cannot
        python = perfetto_python(pathlib.Path(sys.argv[4]).absolute())
        sys.exit(subprocess.run([python, __file__, *sys.argv[1:4]], check=False).returncode)
    {"perfetto": check_perfetto, "otf2": check_otf2, "size": check_size}[what](tool, work)
    print("as planted")


main()
