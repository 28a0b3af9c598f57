"""Sessions (MPI 4.0, 11.3) and the world model, opened and closed in every order.
programs/session_orders.c explains the letters."""

from case import WITH_SESSIONS, Case, TakeOut

ORDERS = {
    "again": ("AaAAaA", "a session after the last one was closed"),
    "three_times": ("AaABbBCcC", "three sessions, one after the other"),
    "first_closed_first": ("AaBbAbB", "the first session is closed before the second"),
    "last_closed_first": ("AaBbBaA", "the second session is closed before the first"),
    "chain": ("AaBAbCBcC", "three sessions overlap, each is closed after the next was opened"),
    "then_world": ("AaAWwW", "MPI_Init after the last session was closed"),
    "around_world": ("AaWwaWaA", "MPI_Init and MPI_Finalize while a session is open"),
    "in_world": ("WwAaAwW", "a session while MPI_COMM_WORLD is open"),
    "into_world": ("AWwaAwW", "the session before MPI_Init is closed before MPI_Finalize"),
    "out_of_world": (
        "WAawWaA", "the session that was opened after MPI_Init is closed after MPI_Finalize"),
    "two_around_world": (
        "AaBbWwAbWbB", "two sessions, one of which is closed while MPI_COMM_WORLD is open"),
}

SERVICES, LIFE = "libmprof/wrap/services.h", "libmprof/process/life.c"
DROPPED = TakeOut("the group of a closed session is asked no more", SERVICES,
                  "    if (was_open && reference.session == session)\n        drop_reference();",
                  "    if (was_open && reference.session == session)\n        "
                  "PMPI(MPI_Group_free)(&reference.group);")
AGREED = TakeOut("all ranks agree in MPI_Init, also those with a session", LIFE,
                 "    agree_on_file();\n", "    if (life.has_file)\n        return;\n    "
                 "agree_on_file();\n")
TAKE_OUTS = {"again": [DROPPED], "three_times": [DROPPED], "first_closed_first": [DROPPED],
             "chain": [DROPPED]}

# Intel's MPI has sessions, but without mprof, too, it does not begin again once all is closed.
WITH_INTEL = ("first_closed_first", "last_closed_first", "chain", "in_world", "out_of_world")

CASES = [Case("sessions_" + name, tries, WITH_SESSIONS
              + ("intel", "intel_abi") * (name in WITH_INTEL), source="session_orders.c",
              arguments=[order], summary="text", says=["##mprof"] if "W" in order else [],
              take_outs=TAKE_OUTS.get(name, ()))
         for name, (order, tries) in ORDERS.items()]
CASES.append(Case("session_level", "a session's thread level, which the program leaves to MPI",
                  ("mpich5", "mpich5_abi"), ranks=8, take_outs=[TakeOut(
                      "the stack is clean where MPI_Session_init begins",
                      "libmprof/wrap/by_hand.h", "    clean_stack();\n", "")]))
# With MPICH that fails without mprof.
CASES.append(Case("sessions_left_open", "a session is never closed",
                  ("mpich4", "mpich5", "mpich5_abi"), summary="text",
                  source="session_orders.c", arguments=["AaWwW"], says=["##mprof"]))
CASES.append(Case("sessions_on_rank_0", "only rank 0 opens a session before MPI_Init",
                  ("openmpi5",), summary="text",
                  source="session_orders.c", arguments=["0A*Ww0A*W"], says=["##mprof"],
                  take_outs=[AGREED], time_limit=20))
CASES.append(Case("sessions_on_rank_1", "only rank 1 opens a session before MPI_Init",
                  ("openmpi5",), summary="text",
                  source="session_orders.c", arguments=["1A*Ww1A*W"], says=["##mprof"],
                  take_outs=[TakeOut("knowing files that this job's sessions began",
                                      "libmprof/file/profile_folder.c",
                                     "header.run_id != identity->session_run_id",
                                      "header.run_id == identity->session_run_id")],
                  time_limit=20))
CASES.append(Case(
    "sessions_after_finalize",
    "a session after MPI_Finalize: it is said that it is not recorded", WITH_SESSIONS,
                  source="session_orders.c", arguments=["WwWAaA", "4", "1"], summary="text",
                  says=["##mprof", "session was opened after MPI_Finalize"],
                  take_outs=[TakeOut("sessions after MPI_Finalize are said to be not recorded",
                                     LIFE, "    life.finished = true;\n", "")]))
