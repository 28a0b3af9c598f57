"""MPI_Pcontrol: C does not tell whether a call has a name."""

from case import DEBIAN, Case, TakeOut


def check_regions(case, job, profile, tools):
    """{region: visits}, over both ranks"""
    import jobs  # on the path of run_case.py
    document, _ = jobs.report(tools, profile, expected_status=None)
    found = {row["region"]: row["visits"] for row in document["regions"] if row["region"]}
    if found != {"named": 2, "made up 1": 4}:
        raise jobs.Failure(f"regions {found}")


GIVEN = TakeOut("reading in the code whether a name was given", "libmprof/process/application.c",
                "    if (was_given || always ||", "    if (was_given || always || level == 1 ||")

CASES = [
    Case("pcontrol_" + level.strip("-"), "MPI_Pcontrol without a name, a secret in its register, "
         f"and with one (compiled with {level})",
         source="pcontrol.c", builds=DEBIAN, options=(level,), check=check_regions,
         take_outs=(GIVEN,))
    for level in ("-O0", "-O2")
]
