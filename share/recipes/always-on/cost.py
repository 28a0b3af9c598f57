#!/usr/bin/env python3
"""What mprof cost the jobs whose profiles are in a spool folder, and what it takes there, by user.

    cost.py MPROF SPOOL

The time is what mprof itself says of each profile (quality.overhead_s of its report): recording
calls, and its work in MPI_Init and MPI_Finalize. Run as an account that may read the folder.
"""

import collections
import json
import pathlib
import subprocess
import sys


def cost_of(mprof, profile):
    """(rank hours, hours of these that are mprof's), None if the profile cannot be read."""
    done = subprocess.run([mprof, "report", profile, "--json", "-"], text=True,
                          capture_output=True, check=False, timeout=60)
    try:
        report = json.loads(done.stdout)
        return (report["totals"]["wallclock_s"] / 3600, report["quality"]["overhead_s"] / 3600)
    except (ValueError, KeyError, TypeError):
        return None


def main():
    mprof, spool = sys.argv[1], pathlib.Path(sys.argv[2])
    users = collections.defaultdict(lambda: [0, 0.0, 0.0, 0, 0])
    for profile in sorted(spool.glob("*/*.mprof")):
        row = users[profile.parent.name]
        row[3] += profile.lstat().st_size
        cost = cost_of(mprof, profile) if profile.is_file() else None
        if cost is None:
            row[4] += 1
            continue
        row[0] += 1
        row[1] += cost[0]
        row[2] += cost[1]
    print(f"{'user':<16}{'runs':>8}{'rank hours':>14}{'of mprof':>12}{'percent':>9}{'MB':>9}"
          f"{'unreadable':>12}")
    rows = [*sorted(users.items()),
            ("all", [sum(column) for column in zip([0] * 5, *users.values())])]
    for user, (runs, hours, own, size, unreadable) in rows:
        percent = 100 * own / hours if hours else 0
        print(f"{user:<16}{runs:>8}{hours:>14.4f}{own:>12.5f}{percent:>9.2f}{size / 1e6:>9.2f}"
              f"{unreadable:>12}")


if __name__ == "__main__":
    main()
