"""What tests/bench/run writes into the documents, from what it wrote into bench.json: the table of
bars and the table beside IPM and mpiP (costs.md), one line (README.md), each between two markers,
and the picture of costs.md."""
import pathlib

import bench_peers
import bench_picture
import bench_table

TOP = pathlib.Path(__file__).resolve().parents[2]
README = TOP / "README.md"
COSTS = TOP / "share" / "doc" / "evidence" / "costs.md"
PICTURE = TOP / "share" / "doc" / "evidence" / "costs.svg"
CALLS = "calls, one rank, ns"
CALL_COLUMNS = {"mprof": "mprof", "clock": "two clock reads",
                "mprof, callsites 0": "`MPROF_CALLSITES=0`",
                "mprof, least": "and `MPROF_CPU_SAMPLES=0`"}
TITLES = {"lmp, large": "LAMMPS that computes", "hpcc": "hpcc", "pw.x": "pw.x",
          "lmp, small": "LAMMPS that waits for messages"}


def write_between(path, name, report, lines):
    """Between the markers "NAME: begin" and "NAME: end" of the document."""
    before, begin, rest = path.read_text().partition(f"<!-- {name}: begin")
    _, end, after = rest.partition(f"<!-- {name}: end -->")
    if not begin or not end:
        raise SystemExit(f"{path} has no markers <!-- {name}: begin --> and end")
    head = f"{begin} (./dev bench, {report['date'][:10]}) -->"
    path.write_text(before + "\n".join([head, "", *lines, "", end]) + after)
    print(f"Written into {path}: {name}")


def write_bars(report, bars):
    rows = [f"| {name} | {bench_table.as_text(report['figures'][name])} | "
            f"{bench_table.as_text(bar.bar)} | {bar.what} |"
            for name, bar in bars.items() if name in report["figures"]]
    write_between(COSTS, "bars", report, [
        f"Measured on {report['machine']}, with each MPI that is installed; of these the worst:",
        "", "| what | measured | bar | |", "|---|---|---|---|", *rows])


def added_ns(cases, tool, case):
    """To one call, or None if it was not measured: the tool does not wrap the function."""
    if case not in cases.get(tool, {}):
        return None
    difference = cases[tool][case]["min"] - cases["none"][case]["min"]
    return difference / bench_table.calls_of(case)


def calls_table(report, titles):
    """What tools add to a call, a block of rows per MPI. `titles`: tool -> head of its column."""
    lines = [f"Nanoseconds added to a call, one rank, on {report['machine']}; the shortest of "
             f"{report['rounds per call']} rounds in turn:", "",
             "| | " + " | ".join(titles.values()) + " |", "|---|" + "---:|" * len(titles)]
    for mpi, cases in report["details"].get(CALLS, {}).items():
        lines.append(f"| **{mpi}** |" + " |" * len(titles))
        for case in cases["none"]:
            title = case + (", per call" if bench_table.calls_of(case) > 1 else "")
            cells = [added_ns(cases, tool, case) for tool in titles]
            lines.append(f"| {title} | " + " | ".join(
                "-" if ns is None else f"{ns:,.1f}" if ns < 100 else f"{ns:,.0f}"
                for ns in cells) + " |")
    return lines


def write_peers(report):
    """Nothing if no peer was measured."""
    peers = [peer.name for peer in bench_peers.PEERS
             if any(peer.name in cases for cases in report["details"].get(CALLS, {}).values())]
    if not peers:
        print(f"{COSTS} is as it was: no other profiler was measured")
        return
    titles = {tool: tool for tool in ("mprof", "clock", *peers)}
    write_between(COSTS, "peers", report, calls_table(report, titles))


def write_calls(report):
    """mprof as it is, and with less."""
    if report["details"].get(CALLS):
        write_between(COSTS, "calls", report, calls_table(report, CALL_COLUMNS))


def program_costs(report):
    """title -> {tool: (per cent, from, to)} more than without a tool: the median of pairs, and
    where it is with 95 %."""
    costs = {}
    for name, title in TITLES.items():
        for tools in report["details"].get(f"{name}, per cent", {}).values():
            costs[title] = {tool: tools[tool] for tool in ("mprof", "clock")}
    return costs


def percent(cost):
    return "{:.1f} % [{:.1f}, {:.1f}]".format(*cost)


def call_costs(report):
    """case -> {tool: ns}, of the MPI with which mprof adds most."""
    costs = {}
    for cases in report["details"].get(CALLS, {}).values():
        for case in cases["none"]:
            found = {tool: added_ns(cases, tool, case) for tool in ("mprof", "clock")}
            if case not in costs or found["mprof"] > costs[case]["mprof"]:
                costs[case] = found
    return costs


def write_readme(report):
    programs, calls = program_costs(report), call_costs(report)
    if not programs or not calls:
        raise SystemExit("--readme needs the parts calls and programs, with Open MPI and one of "
                         f"{', '.join(TITLES.values())}")
    ends = sorted((cost["mprof"], title) for title, cost in programs.items())
    parts = [f"{percent(cost)} ({title})" for cost, title in dict.fromkeys([ends[0], ends[-1]])]
    range_of_programs = ("between " if len(parts) > 1 else "") + " and ".join(parts)
    added = [cost["mprof"] for cost in calls.values()]
    medians = {title: {tool: max(0, cost[0]) for tool, cost in costs.items()}
               for title, costs in programs.items()}
    bench_picture.write(PICTURE, medians, calls)
    write_between(README, "costs", report, [
        f"Measured against runs without a profiler, mprof added {range_of_programs} to the run "
        f"time of programs, and {min(added):.0f} to {max(added):.0f} ns to an MPI call "
        f"({report['machine']}). The brackets hold the 95 % interval of the median."])
