"""Programs that have more of something than the record has room for."""

from case import DEBIAN, Case, TakeOut

ARENA = "libmprof/store/arena.c"
RESERVE = TakeOut("places of the directory that are kept for the shared recorder", ARENA,
                  "essential ? 0 : ARENA_RESERVE_SECTIONS", "0")
FOLD = "libmprof/record/tables/entry_fold.c"
OFTEN = 2002  # calls of each of the ten paths of many_paths.c on a rank


def check_ten_paths(_case, _job, profile, tools):
    import jobs  # of run_case.py; CMake reads this file, too

    document, _ = jobs.report(tools, profile)
    for function in "MPI_Comm_size", "MPI_Comm_rank":
        rows = [row for row in document["callsites"] if row["function"] == function]
        ten = sorted(rows, key=lambda row: -row["calls"])[:10]
        found = [(row["calls"], len(row["path"])) for row in ten]
        if any(calls != 2 * OFTEN or frames < 7 for calls, frames in found):
            raise jobs.Failure(f"calls and frames of the ten paths of {function}: {found}; "
                               f"{document['quality']['remarks'][0]}")


def check_no_detail_lost(_case, _job, profile, tools):
    import jobs

    document, _ = jobs.report(tools, profile, expected_status=None)
    quality = document["quality"]
    if quality["binned_calls"] or quality["folded_calls"] or not quality["ranks_finished"]:
        raise jobs.Failure(f"{quality}")


def check_bytes(case, job, profile, tools):
    """10 messages of 30 B to each of 2 ranks; of MPI_Isendrecv all are known, or it is said of how
    many they are not."""
    import jobs  # not there where only the cases are listed
    document, _ = jobs.report(tools, profile)
    functions = {row["function"]: row for row in document["functions"]}
    untold = document["quality"]["untold_receives"]
    received = functions["MPI_Recv_init"]["bytes"]
    exchanged = functions.get("MPI_Isendrecv", {}).get("received_bytes", 600)
    if received != 600 or exchanged + 30 * untold != 600:
        raise jobs.Failure(f"{received} B by MPI_Recv_init; {exchanged} B by MPI_Isendrecv, and "
                           f"{untold} untold")


CASES = [
    Case("filtered", "the kernel ends the process for opening files and for prctl() (a filter of "
         "system calls), while the record grows",
         says=["cannot finish the record of rank 0 in .*: Operation not permitted"],
         check=check_no_detail_lost,
         take_outs=[TakeOut("opening nothing after a filter was installed",
                            "libmprof/interpose/loader.c", "        system_close();\n",
                            "        (void)0;\n"),
                    TakeOut("a file that is as long as the record may become", ARENA,
                            "    if (wanted <= arena.hole_bytes)", "    if (wanted == 0)")]),
    Case("many_communicators", "1,200 communicators with collectives of their own, then a thread "
         "that calls MPI for the first time",
         take_outs=[RESERVE]),
    Case("many_threads", "200 threads at the same time, with a large MPROF_MEMORY",
         variables={"MPROF_MEMORY": "64M"}),
    Case("told_once", "MPI_Request_get_status before MPI_Wait on a persistent receive, and "
         "MPI_Isendrecv, of which some MPIs have no status", builds=[*DEBIAN, "mpich5"],
         check=check_bytes,
         take_outs=[TakeOut("keeping what MPI_Request_get_status told",
                            "libmprof/record/calls/requests.c", "request->seen = true;", ""),
                    TakeOut("a message is not what was not asked for",
                            "libmprof/record/calls/requests.c",
                            "!arrival.message || !was_asked_for(request, &arrival)", "false")]),
    Case("calls_during_init", "threads that call MPI_Initialized during MPI_Init_thread", ranks=1,
         before=[["{cc}", "-shared", "-fPIC", "-O1", "-o", "{folder}/libslow.so",
                  "{programs}/tools/slow_writes.c", "-ldl"]],
         preload="{folder}/libslow.so:{library}",
         take_outs=[TakeOut("other threads stop while the record moves into its file",
                            "libmprof/process/life.c", "recorders_hold();", "")]),
    Case("threads_in_little_memory",
         "200 threads at the same time, with the least MPROF_MEMORY", source="many_threads.c",
         variables={"MPROF_MEMORY": "512K"},
         take_outs=[TakeOut("memory that is kept for the shared recorder",
                            ARENA, "essential ? 0 : ARENA_RESERVE_BYTES", "0")]),
    Case(
        "paths_become_heavy",
        "4,096 paths, ten of which are called 2,000 times after all were seen",
        source="many_paths.c",
         check=check_ten_paths,
         take_outs=[TakeOut("free sections that touch are joined", ARENA, "freed = join(freed);",
                            "")]),
    Case("paths_heavy_first", "ten paths called 2,000 times before 4,086 others, with a small "
         "MPROF_MEMORY", source="many_paths.c",
         arguments=["first"], variables={"MPROF_MEMORY": "1M"}, check=check_ten_paths,
         take_outs=[TakeOut("what weighs least loses detail first", FOLD,
                            "is_foldable(step, row) && bucket_of(weight_at(step, row)) <= bucket",
                            "row->in_use != 0 && is_settled(row)")]),
]
