"""Programs that have more of something than the record has room for."""

from case import Case, TakeOut

ARENA = "libmprof/record/arena.c"
RESERVE = TakeOut("places of the directory that are kept for the shared recorder", ARENA,
                  "essential ? 0 : ARENA_RESERVE_SECTIONS", "0")

CASES = [
    Case("many_communicators", "1,200 communicators with collectives of their own, then a thread that calls MPI for the first time",
         take_outs=[RESERVE]),
    Case("many_threads", "200 threads at the same time, with a large MPROF_MEMORY", variables={"MPROF_MEMORY": "64M"}),
    Case("threads_in_little_memory", "200 threads at the same time, with the least MPROF_MEMORY", source="many_threads.c",
         variables={"MPROF_MEMORY": "512K"},
         take_outs=[TakeOut("memory that is kept for the shared recorder", ARENA, "essential ? 0 : ARENA_RESERVE_BYTES", "0")]),
]
