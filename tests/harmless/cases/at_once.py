"""Two threads that make communicators at the same time, each from one of its own."""

from case import ALL_BUILDS, DEBIAN, Case, TakeOut

WAYS = {"dup": "MPI_Comm_dup",
        "idup": "MPI_Comm_idup, started in another order on each rank", "split": "MPI_Comm_split",
        "create_group": "MPI_Comm_create_group"}


def waiting_is_seen(case, job, profile, tools):
    """Each of the 2 ranks waits 5 x 60 ms for the other, in barriers of one of the two
    communicators. Where the ranks mix them up, both ranks seem late in the same barriers, and
    nobody waits."""
    import jobs  # not there where only the cases are listed
    document, _ = jobs.report(tools, profile, expected_status=None)
    wait_s = sum(row["wait_s"] or 0
                 for row in document["functions"] if row["function"] == "MPI_Barrier")
    if wait_s < 0.45:
        raise jobs.Failure(f"{wait_s:.2f} s of waiting in MPI_Barrier instead of 0.6 s")


PARENT = TakeOut(
    "telling communicators apart by what they were made from",
                 "libmprof/record/objects/communicators.c",
                 "    return facts->members ^ made_from * 0xff51afd7ed558ccdu;",
                 "    return facts->members ^ (made_from & 0);")

# Without mprof, too, Debian's MPICH 4 crashes in MPI_Comm_create_group of two threads, and Open MPI
# 5 hangs in MPI_Comm_idup (1 of 30 runs).
BUILDS = {"idup": tuple(build for build in ALL_BUILDS if build != "openmpi5"),
          "create_group": ("openmpi4",)}

CASES = [Case("at_once_" + way, f"two threads make communicators at once: {function}",
              BUILDS.get(way, DEBIAN),
              source="communicators_at_once.c", arguments=[way], check=waiting_is_seen,
              take_outs=[PARENT] if way == "idup" else ())
         for way, function in WAYS.items()]
