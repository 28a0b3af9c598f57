"""Call paths with times for Hatchet and Thicket (llnl-hatchet, llnl-thicket), which compare trees.

A tree has the functions on the way to an MPI call, then the call with its place, and the functions
that samples of the CPU were in. Values are sums over all ranks. What holds: the roots' inclusive
`time` is MPI time and compute time of the run, as its totals have them. Run and totals are the
metadata. Only what Hatchet itself needs is imported, and only when it is asked for.
"""

from __future__ import annotations

import os
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple, Union

from .frames import optional_package
from .program import PathLike
from .report import Report

_METRICS = ("time", "wait", "calls", "bytes")
_NO_PATH = "[call path not recorded]"
_NOT_SAMPLED = "[computing, not sampled]"

Node = Dict[str, Any]
Source = Union[PathLike, Report]


def _report(source: Source) -> Report:
    return source if isinstance(source, Report) else Report.open(source)


def _node(name: str, kind: str) -> Node:
    metrics = {key: 0.0 for metric in _METRICS for key in (metric, f"{metric} (inc)")}
    return {"frame": {"name": name, "type": kind}, "metrics": metrics, "children": []}


def _name(frame: Dict[str, Any]) -> str:
    return str(frame["symbol"] or f"{os.path.basename(frame['module'] or '?')}+{frame['offset']}")


def _add(top: Node, path: Iterable[Tuple[str, str]], values: Sequence[Optional[float]]) -> None:
    """Adds the values to the last node of the path, and to all those above it as inclusive."""
    node, nodes = top, []
    for name, kind in path:
        frame = {"name": name, "type": kind}
        found = next((child for child in node["children"] if child["frame"] == frame), None)
        if found is None:
            found = _node(name, kind)
            node["children"].append(found)
        node = found
        nodes.append(node)
    for metric, value in zip(_METRICS, values):
        node["metrics"][metric] += value or 0
        for outer in nodes:
            outer["metrics"][f"{metric} (inc)"] += value or 0


def _functions(frames: Optional[List[Dict[str, Any]]]) -> List[Tuple[str, str]]:
    return [(_name(frame), "function") for frame in reversed(frames or [])]


def _add_calls(top: Node, document: Dict[str, Any]) -> None:
    for row in document["callsites"]:
        way = _functions(row["path"]) or [(_NO_PATH, "region")]
        call = f"{row['function']} ({row['place']})" if row["place"] else row["function"]
        _add(top, [*way, (call, "mpi")],
             (row["time_s"], row["wait_s"], row["calls"], row["bytes"]))


def _add_computing(top: Node, document: Dict[str, Any]) -> None:
    """Samples divide the computing, which is measured: they tell no more than that."""
    measured = document["totals"]["compute_s"] or 0
    rows = document["hotspots"]
    sampled = sum(row["time_s"] or 0 for row in rows)
    scale = measured / sampled if sampled > measured else 1.0
    for row in rows:
        _add(top, [*_functions(row["path"]), (str(row["function"] or row["place"]), "function")],
             ((row["time_s"] or 0) * scale,))
    if measured > sampled:
        _add(top, [(_NOT_SAMPLED, "region")], (measured - sampled,))


def to_literal(source: Source) -> List[Node]:
    """The trees of a run as Hatchet's literal: dicts with frame, metrics and children."""
    top = _node("", "")
    document = _report(source).document
    _add_calls(top, document)
    _add_computing(top, document)
    return list(top["children"])


def to_hatchet(source: Source) -> Any:
    """A hatchet.GraphFrame of a run: what open() takes, or a Report."""
    hatchet = optional_package("hatchet", "to_hatchet()", "llnl-hatchet")
    report = _report(source)
    frame = hatchet.GraphFrame.from_literal(to_literal(report))
    frame.metadata = {key: value for part in ("totals", "run")
                      for key, value in report.document[part].items()
                      if isinstance(value, (str, int, float))}
    return frame


def to_thicket(sources: Sequence[Source]) -> Any:
    """A thicket.Thicket of several runs: a profile each, on one tree."""
    thicket = optional_package("thicket", "to_thicket()", "llnl-thicket")
    reports = [_report(source) for source in sources]
    parts = [thicket.Thicket.thicketize_graphframe(to_hatchet(report),
                                                   f"{number}: {report.path}")
             for number, report in enumerate(reports)]
    if len(parts) == 1:
        return parts[0]
    return thicket.Thicket.concat_thickets(parts, disable_tqdm=True)
