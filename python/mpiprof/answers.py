"""Short answers about the profiles below one folder: what the tools of mcp.py say.

What holds: an answer has at most 2 kB. Nothing outside the folder is read. A path that leaves
it, by `..`, a link or as an absolute one, is refused, and so is a profile with a link in it that
does. Profiles say in which files a program's source lines are; these are not opened either, unless
`lines` asks for it.
"""

from __future__ import annotations

import os
from typing import Any, Dict, Iterable, Iterator, List, Optional, Sequence

from .compare import Comparison
from .program import MprofError, json_of, path_word, run_program
from .report import Report
from .show import percent_text, seconds_text

#: Bytes of UTF-8.
MOST_BYTES = 2000
_CUT = "\n... cut here"

# What of a row of `mprof list` is no profile that could be asked about.
_UNREADABLE = "unreadable"


def limited(text: str) -> str:
    """The text, cut at the end of a line if it is too long."""
    if len(text.encode("utf-8")) <= MOST_BYTES:
        return text
    kept = text.encode("utf-8")[:MOST_BYTES - len(_CUT)].decode("utf-8", "ignore")
    whole = kept.rpartition("\n")[0]
    return (whole or kept) + _CUT


class Folder:
    """The folder that may be read."""

    def __init__(self, path: str) -> None:
        if not os.path.isdir(path):
            raise MprofError(f"{path} is not a folder")
        self.path = os.path.realpath(path)

    def inside(self, path: str) -> str:
        """The path without links, seen from this folder; else an MprofError."""
        if not path or "\0" in path or os.path.isabs(path) or ".." in path.split(os.sep):
            raise MprofError(f"{path!r} is refused: a path starts below the folder that this "
                             "server was started with, and has no '..'")
        real = os.path.realpath(os.path.join(self.path, path))
        if not self._has(real):
            raise MprofError(f"{path!r} is refused: it is a link that leaves the folder")
        if not os.path.exists(real):
            raise MprofError(f"{path!r} does not exist")
        return os.path.relpath(real, self.path)

    def profile(self, path: str) -> str:
        """Likewise of a profile, of which all files must be inside."""
        inside = self.inside(path)
        for entry in self._read_with(os.path.join(self.path, inside)):
            if not self._has(os.path.realpath(entry)):
                raise MprofError(f"{path!r} is refused: {os.path.basename(entry)!r} in it is a "
                                 "link that leaves the folder")
        return inside

    def _has(self, real: str) -> bool:
        return real == self.path or real.startswith(self.path.rstrip(os.sep) + os.sep)

    @staticmethod
    def _read_with(real: str) -> List[str]:
        """What mprof reads with a profile: all files of its folder, or files of single calls beside
        it."""
        folder = real if os.path.isdir(real) else os.path.dirname(real)
        try:
            return [entry.path for entry in os.scandir(folder)
                    if folder == real or entry.name.endswith(".events")]
        except OSError as error:
            raise MprofError(f"{os.path.basename(folder)} cannot be read: "
                             f"{error.strerror}") from error


def _rank(row: Dict[str, Any]) -> str:
    return "" if row.get("rank") is None else f", rank {row['rank']}"


def _of_place(place: Optional[str]) -> str:
    return f" at {place}" if place else ""


class Answers:
    """What is said of the profiles in a folder. Each method is a tool."""

    def __init__(self, folder: str, lines: bool = False) -> None:
        self._folder = Folder(folder)
        # Nothing can be below a device: names that the profile itself keeps stay.
        self._options: Sequence[str] = () if lines else ("--sysroot", "/dev/null")
        # mprof then names profiles as the one who asks does.
        os.chdir(self._folder.path)

    # ---- the tools

    def summary(self, profile: str) -> str:
        """Verdict, what would change it, what costs most, and how sure that is."""
        path = self._folder.profile(profile)
        text, said = run_program(["report", path_word(path), "--digest", *self._options])
        return limited("\n".join(filter(None, [text.rstrip(), said])))

    def why(self, profile: str) -> str:
        """Why the verdict is what it is: evidence, causes with what each costs, and steps to try
        with what to look at if one does not help."""
        report = self._report(profile)
        verdict = report.verdict
        lines = [verdict.headline, verdict.why, verdict.gain, *(verdict.extra or []), report.said]
        rows = [row for row in report.rows("accounts") if (row["gain_s"] or 0) > 0]
        if rows:
            lines.append("\nWhat each cause costs the run (they overlap, so do not add them):")
        lines += [f"- {row['name']}: {seconds_text(row['gain_s'])}{_rank(row)}"
                  f"{_of_place(row['place'])}" for row in rows]
        return limited("\n".join([*filter(None, lines), *self._steps(report)]))

    def place(self, profile: str, place: str = "") -> str:
        """Where in the code the time goes. With a place (`heat.c:120`, as other answers name it):
        what happens there."""
        report = self._report(profile)
        lines = list(self._about(report, place)) if place else list(self._places(report))
        if not lines:
            raise MprofError(f"nothing is known about {place!r} in {profile}: `place` without a "
                             "place lists them")
        return limited("\n".join(lines))

    def compare(self, before: str, after: str) -> str:
        """What changed between two profiles: the answer, its cause, the noise, and what grew or
        shrank most. Several runs of one side have commas between."""
        sides = [",".join(path_word(self._folder.profile(path)) for path in side.split(","))
                 for side in (before, after)]
        document, said = json_of(["diff", *sides, *self._options])
        answer = Comparison(document, said)
        lines = [answer.headline, *answer.remarks, answer.why, answer.noise]
        for name, title in (("accounts", "Causes"), ("segments", "Computing, per rank"),
                            ("callsites", "Calls, per rank")):
            changed = [row for row in document[name] if row["time_s"]["outcome"] != "same"]
            if changed:
                lines.append(f"\n{title}:")
            lines += [f"- {row['name']}: {seconds_text(row['time_s']['a'])} -> "
                      f"{seconds_text(row['time_s']['b'])}" for row in changed[:4]]
        return limited("\n".join(filter(None, lines)))

    def list(self, folder: str = ".", since: str = "", program: str = "") -> str:
        """The profiles below a folder, the newest first: when, program, ranks, time, verdict, path.
        `since`: a date, as tuesday, 3d or 2026-11-24. `program`: its name."""
        path = self._folder.inside(folder)
        wish = [word for option, value in (("--since", since), ("--program", program)) if value
                for word in (f"{option}={value}",)]
        document, _ = json_of(["list", path_word(path), *wish])
        rows = [row for row in document["profiles"] if self._may_be_read(row["path"])]
        if not rows:
            return "no profiles here that fit"
        left_out = document["fitting"] - len(rows)
        more = [f"{left_out} more are links out of this folder, and are left out"]
        lines = ["start (UTC)  program  ranks  time  verdict  path"]
        lines += ["  ".join(self._cells(row)) for row in rows]
        return limited("\n".join(lines + (more if left_out else [])))

    # ---- their parts

    def _report(self, profile: str) -> Report:
        return Report.open(self._folder.profile(profile), options=self._options)

    def _may_be_read(self, path: str) -> bool:
        try:
            return bool(self._folder.profile(path))
        except MprofError:
            return False

    @staticmethod
    def _cells(row: Dict[str, Any]) -> Iterator[str]:
        yield (row["start"] or "-")[:16].replace("T", " ")
        yield row["program"] or "-"
        yield "-" if row["ranks"] is None else str(row["ranks"])
        yield "-" if row["wallclock_s"] is None else seconds_text(row["wallclock_s"])
        yield (row["problem"] if row["state"] == _UNREADABLE
               else row["verdict_class"] or row["summary"]
               if row["state"] == "finished" else row["state"]) or "-"
        yield os.path.normpath(row["path"])

    @staticmethod
    def _steps(report: Report) -> Iterable[str]:
        rows = report.rows("next_steps")
        if rows:
            yield "\nWhat to try:"
        for row in rows[:3]:
            saved = f" [{seconds_text(row['worth_s'])}]" if row["worth_s"] else ""
            yield f"- {row['action']}{saved}"
            for title, key in (("because", "evidence"), ("try", "try_it"),
                               ("if it does not help", "otherwise")):
                if row[key]:
                    yield f"  {title}: {row[key]}"

    @staticmethod
    def _places(report: Report) -> Iterator[str]:
        ranks = max(1, report.quality.ranks_read)
        yield f"{report.run.program}, {seconds_text(report.wallclock_s)}; times per rank"
        yield "\nMPI:"
        for row in report.rows("call_lines")[:6]:
            wait = f", {seconds_text(row['wait_s'] / ranks)} waiting" if row["wait_s"] else ""
            yield (f"- {seconds_text(row['time_s'] / ranks)} {row['function']}"
                   f"{_of_place(row['place'])}: {row['calls']} calls{wait}")
        segments = report.rows("segments")[:4]
        if segments:
            yield "\nComputing:"
        for row in segments:
            inside = f", mostly in {row['mostly_in']}" if row["mostly_in"] else ""
            yield (f"- {seconds_text(row['time_s'] / ranks)} from {row['from_place']} to "
                   f"{row['to_place']}{inside}")
        lines = report.rows("hot_lines")[:4]
        if lines:
            yield "\nLines, by samples of the CPU:"
        for row in lines:
            yield f"- {percent_text(row['percent'])} {row['place']} ({row['symbol'] or '?'})"

    @staticmethod
    def _about(report: Report, place: str) -> Iterator[str]:
        for row in report.rows("callsites"):
            if row["place"] != place:
                continue
            yield (f"{row['function']} at {place} in {row['symbol'] or '?'}: {row['calls']} calls, "
                   f"{row['bytes']} bytes, on {row['ranks']} ranks")
            yield (f"  per rank {seconds_text(row['mean_s'])}; rank {row['min_rank']} "
                   f"{seconds_text(row['min_s'])}, rank {row['max_rank']} "
                   f"{seconds_text(row['max_s'])}; {percent_text(row['mpi_percent'])} of MPI time")
            if row["wait_s"]:
                yield f"  waiting, all ranks: {seconds_text(row['wait_s'])}"
            if row["last_rank"] is not None and row["last_percent"]:
                yield (f"  rank {row['last_rank']} came last in "
                       f"{percent_text(row['last_percent'])} of the calls")
        for row in report.rows("segments"):
            if place in (row["from_place"], row["to_place"]):
                yield (f"computing from {row['from_place']} to {row['to_place']}: "
                       f"{row['count']} times, per rank {seconds_text(row['mean_s'])}; rank "
                       f"{row['max_rank']} {seconds_text(row['max_s'])}")
        for row in report.rows("hot_lines"):
            if row["place"] == place:
                yield f"{percent_text(row['percent'])} of the samples of the CPU"
