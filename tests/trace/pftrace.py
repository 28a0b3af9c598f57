"""Reads what `mprof trace` writes for Perfetto, for tests: with the standard library alone, and
only the fields that mprof writes. trace.perfetto reads the same files with Perfetto's own classes.

Who uses it: run_clocks.py, run_events.py, run_killed.py, run_tags.py, ../bad/damaged_events.py.
"""
import collections
import pathlib
import struct

Slice = collections.namedtuple("Slice", "node track name category begin_us end_us arguments")
# Of a message: (node, track) that sent it and received it, and when.
Arrow = collections.namedtuple("Arrow", "sender sent_us receiver received_us")
BEGIN, END = 1, 2  # types of events


def number_at(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    """Of a message in protobuf's encoding: {number of the field: its values}."""
    found, at = collections.defaultdict(list), 0
    while at < len(data):
        key, at = number_at(data, at)
        kind = key & 7
        if kind == 0:
            value, at = number_at(data, at)
        else:
            size, at = number_at(data, at) if kind == 2 else ({1: 8, 5: 4}[kind], at)
            value, at = data[at:at + size], at + size
        found[key >> 3].append(value)
    return found


class Trace:
    """`slices` of calls in the order in which they end, without "waiting" and phases; `arrows` of
    messages."""

    def __init__(self, path):
        self.slices, self.arrows = [], []
        self._nodes, self._threads = {}, {}  # by the number of the track
        self._texts = collections.defaultdict(dict)  # interned: by kind and number
        self._open, self._sent = collections.defaultdict(list), {}
        for packet in fields(pathlib.Path(path).read_bytes())[1]:
            packet = fields(packet)
            for data in packet[12]:
                self._intern(fields(data))
            for data in packet[60]:
                self._add_track(fields(data))
            for data in packet[11]:
                self._add_event(packet[8][0] / 1000, fields(data))
        # What is received may stand before what was sent.
        self.arrows = [Arrow(*self._sent[flow], *received) for flow, *received in self.arrows]

    def _intern(self, data):
        for kind in (1, 2, 3, 29):
            for row in map(fields, data[kind]):
                self._texts[kind][row[1][0]] = row[2][0].decode()

    def _add_track(self, track):
        for thread in map(fields, track[4]):
            self._nodes[track[1][0]] = thread[1][0]
            self._threads[track[1][0]] = thread[5][0].decode()

    def _arguments(self, event):
        for row in map(fields, event[4]):
            value = row[4] or [self._texts[29][number] for number in row[17]] or row[6]
            yield self._texts[3][row[1][0]], value[0] if value else struct.unpack("<d", row[5][0])

    def _add_event(self, at_us, event):
        track, kind = event[11][0], event[9][0]
        place = self._nodes.get(track), self._threads.get(track)
        if kind == BEGIN:
            self._open[track].append((at_us, event))
            for flow in event[47]:
                self._sent[flow] = (place, at_us)
        elif kind == END:
            begin_us, first = self._open[track].pop()
            for flow in event[48]:
                self.arrows.append((flow, place, at_us))
            category = self._texts[1][first[3][0]]
            if category not in ("waiting", "phase"):
                self.slices.append(Slice(*place, self._texts[2][first[10][0]], category,
                                         begin_us, at_us, dict(self._arguments(first))))
