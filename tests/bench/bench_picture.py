"""The picture of what mprof costs, in costs.md: two charts of bars, one SVG that reads on a light
and on a dark page. bench_documents.py calls write()."""
from xml.sax.saxutils import escape

WIDTH, ROW, TOP, MARGIN = 840, 34, 46, 16
LABEL, BARS = 150, 170  # columns of a chart: its labels, its longest bar; then the number
STYLE = """
text { font: 13px system-ui, 'DejaVu Sans', sans-serif; fill: #24292f }
.title { font-weight: 600 } .small { font-size: 12px; fill: #57606a }
.page { fill: #ffffff; stroke: #d0d7de } .mprof { fill: #0969da } .clock { fill: #afb8c1 }
.axis { stroke: #8c959f }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .small { fill: #9da7b3 }
.page { fill: #0d1117; stroke: #30363d } .mprof { fill: #4493f8 } .clock { fill: #57606a }
.axis { stroke: #6e7681 }
}"""
CASES = {
    "MPI_Comm_rank": "MPI_Comm_rank",
    "MPI_Iprobe": "MPI_Iprobe",
    "MPI_Send to MPI_PROC_NULL": "MPI_Send",
    "MPI_Allreduce on MPI_COMM_SELF": "MPI_Allreduce",
    "MPI_Irecv + MPI_Isend + MPI_Waitall": "Irecv, Isend, Waitall",
}


def text(x, y, content, style="", anchor="start"):
    return f'<text x="{x}" y="{y}" class="{style}" text-anchor="{anchor}">{escape(content)}</text>'


def bar(x, y, width, height, tool):
    return (f'<rect x="{x}" y="{y}" width="{max(width, 0.5):.1f}" height="{height}" rx="1.5" '
            f'class="{tool}"/>')


def as_percent(value):
    return f"{value:.1f} %" if value > 0 else "not measurable"


def chart(x, title, rows, scale, as_number):
    """One row per name: mprof's bar, and below it the one of two clock reads. The longest bar is at
    least `scale`, so that small numbers look small."""
    zero = x + LABEL
    longest = max(max(scale, cost["mprof"], cost["clock"]) for cost in rows.values())
    parts = [text(x, 28, title, "title")]
    for number, (name, cost) in enumerate(rows.items()):
        y = TOP + number * ROW
        ends = {tool: BARS * max(cost[tool], 0) / longest for tool in ("mprof", "clock")}
        parts += [
            text(zero - 8, y + 16, name, anchor="end"),
            bar(zero, y + 3, ends["mprof"], 12, "mprof"),
            bar(zero, y + 17, ends["clock"], 6, "clock"),
            text(round(zero + ends["mprof"] + 6, 1), y + 13, as_number(cost["mprof"])),
        ]
    bottom = TOP + len(rows) * ROW
    parts.append(f'<path d="M{zero} {TOP} V{bottom}" class="axis"/>')
    return parts


def legend(y):
    return [bar(MARGIN, y - 11, 22, 12, "mprof"), text(MARGIN + 30, y, "mprof", "small"),
            bar(MARGIN + 90, y - 8, 22, 6, "clock"),
            text(MARGIN + 120, y, "a wrapper that reads the clock twice", "small"),
            text(WIDTH - MARGIN, y, "both beside no profiler at all", "small", "end")]


def write(path, programs, calls):
    """programs: title -> {"mprof", "clock": per cent}; calls: case -> the same in ns."""
    calls = {title: calls[case] for case, title in CASES.items() if case in calls}
    bottom = TOP + max(len(programs), len(calls)) * ROW
    height = bottom + 42
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
        f'viewBox="0 0 {WIDTH} {height}" role="img">',
        "<title>What mprof adds to the wall time of programs and to MPI calls</title>",
        f"<style>{STYLE}</style>",
        f'<rect x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="6" class="page"/>',
        *chart(MARGIN, "Wall time added", programs, 10, as_percent),
        *chart(WIDTH // 2 + MARGIN, "Added to a call", calls, 20, lambda value: f"{value:.0f} ns"),
        *legend(height - 18),
        "</svg>",
    ]
    path.write_text("\n".join(parts) + "\n")
