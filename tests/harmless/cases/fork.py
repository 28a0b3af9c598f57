"""Processes that others made: fork() and its relatives, before MPI_Init and after it."""

from case import ALL_BUILDS, DEBIAN, Case, TakeOut

ATTACH, CALLSITES = "libmprof/record/calls/attach.c", "libmprof/record/paths/callsites.c"
ANEW = TakeOut("a record of its own for a child that comes to MPI_Init", ATTACH,
               "record.forked && (!record.begun || record_begins_with(function))", "false")
HIDDEN = TakeOut("the mark that a child made without fork() finds wiped", CALLSITES,
                 "        wipe_on_fork(cache, sizeof cache->generation);\n", "")
DETACHED = TakeOut("letting go of the parent's record at fork()",
                   ATTACH, "    arena_detach_in_child();\n", "")
REGIONS = TakeOut("regions that are forgotten with the parent's record",
                  ATTACH, "    regions_forget();\n", "")

CASES = [
    Case("fork_" + how.replace("_Fork", "without_handlers").replace(" ", "_"), tries,
         source="forked.c", arguments=(how,), builds=builds, take_outs=take_outs)
    for how, tries, builds, take_outs in (
        ("fork", "MPI_Init in a child of a process that called MPI_Initialized", ALL_BUILDS,
         (ANEW,)),
        ("regions", "MPI_Init in a child of a process that had begun a region and paused", DEBIAN,
         (ANEW, REGIONS)),
        ("parent too", "MPI_Init in a child, whose parent goes on with MPI_Initialized", DEBIAN,
         (ANEW,)),
        ("double",
         "MPI_Init in a grandchild that has a session of its own, as daemon() makes it", DEBIAN,
         (ANEW,)),
        ("thread", "MPI_Init in a child that a thread made", DEBIAN, (ANEW,)),
        ("threads",
         "fork() while other threads make their first MPI calls and begin regions", DEBIAN, ()),
        ("clone", "MPI_Init in a child that the system call clone made, without fork()", DEBIAN,
         (HIDDEN,)),
        ("_Fork", "MPI_Init in a child that _Fork() made, which calls no handlers", DEBIAN,
         (HIDDEN,)),
        ("spawn", "MPI_Init in a program that posix_spawn() started", DEBIAN, ()),
        ("vfork", "MPI_Init in a program that vfork() and exec started", DEBIAN, ()),
    )
] + [
    Case("child_of_rank_" + how.replace("_Fork", "without_handlers"), tries,
         source="child_of_rank.c", arguments=(how,), builds=builds, take_outs=take_outs)
    for how, tries, builds, take_outs in (
        ("fork", "local MPI calls in children of a rank", ALL_BUILDS, ()),
        ("clone", "local MPI calls in children of a rank that the system call clone made", DEBIAN,
         (HIDDEN,)),
        ("_Fork", "local MPI calls in children of a rank that _Fork() made", DEBIAN, (HIDDEN,)),
        ("callback",
         "fork() in a callback of MPI_Comm_delete_attr, which ends in the child, too", DEBIAN,
         (DETACHED,)),
    )
]
