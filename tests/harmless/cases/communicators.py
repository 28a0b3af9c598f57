"""Communicators that are made in unusual ways."""

from case import ALL_BUILDS, Case, TakeOut


def calls_of_each(case, job, profile, tools):
    """The two communicators are not mixed up: 2 ranks, each with 1 question and 10 barriers, or
    1."""
    import jobs  # not there where only the cases are listed
    document, _ = jobs.report(tools, profile, expected_status=None)
    calls = sorted(row["calls"]
                   for row in document["communicators"] if row["made_by"] == "MPI_Comm_idup")
    if calls != [4, 22]:
        raise jobs.Failure(f"calls of the duplicates {calls} instead of [4, 22]")


CASES = [
    Case("idup_orders", "two communicators of MPI_Comm_idup, used first in another order on each "
         "rank", ALL_BUILDS,
         check=calls_of_each,
         take_outs=[TakeOut("duplicates are entered when they are promised, not at their first use",
                             "libmprof/api/wrappers.py",
                            "if (*newcomm != MPI_COMM_NULL) promised_comm(",
                            "if (0) promised_comm(")]),
]
