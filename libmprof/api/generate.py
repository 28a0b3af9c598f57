#!/usr/bin/env python3
"""Writes libmprof's repeated code from the tables in this folder, at build time (python3, standard
library only).

    generate.py OUTPUT_FOLDER              for libmprof
    generate.py --parser OUTPUT_FOLDER     for the parser

    mpi_functions.txt    the MPI standard: one C prototype a line
    mprof_functions.txt  what mprof must know of a function beyond that (functions.py reads both)
    watched_functions.txt  functions with a second wrapper, and what their calls carry
    lifetimes.txt        what a program makes and has to end, for the parser
    old_functions.txt    what the standard deprecates or has removed, for the parser
    abi_facts.txt        what differs between the MPI ABI families

makes in OUTPUT_FOLDER for the parser

    function_facts.inc   the rows of parser/measure/function_facts.cc

and for libmprof

    mpi_functions.h      function ids, MPI_FUNCTION_COUNT, and what libmprof asks of a function
    mpi_function_names.c names and marks by id
    mpi_prototypes.h     a type per function, in terms of the handle types of an abi_*.h
    abi_FAMILY.h         the facts of one family under the standard's own names
    wrappers.inc         a wrapper per function, compiled once per family by wrap/wrappers.c, and
                         the second wrappers
    trampolines.inc      one line per function for interpose/trampolines_*.S
    mprof.map            the linker's version script
    static/ARCH/MPI_X.s  a trampoline per function for libmprof.a (interpose/static_link.c)
    static_required.c    the MPI functions that libmprof itself needs, for the same

The generated C is dull on purpose: what a wrapper does is in hand-written functions (wrap/wrap.h
and others).
"""
import pathlib
import re
import sys

from functions import (HERE, MARKS, read_functions, read_lifetimes, read_lines,
                       read_old_functions)

HANDLE_KINDS = {"MPI_Comm": "HANDLE_COMM", "MPI_Win": "HANDLE_WIN", "MPI_File": "HANDLE_FILE"}
PEER_NAMES = ("dest", "target_rank", "source", "root")


# ---- the templates: C before the call, after it, and for some after it failed -------------------

def message_status(function):
    """A status to look into, also where the program passes MPI_STATUS_IGNORE."""
    return ["MPI_Status own_status;",
            "if (status == MPI_STATUS_IGNORE) status = empty_status(&own_status);"]


def template_send(function):
    if function.persistent:
        return [], [f"made_persistent_send(&call, {H('*request')}, dest, {function.payload});"]
    after = [f"sent(&call, dest, dest == MPI_PROC_NULL ? 0 : {function.payload});"]
    if "request" in function.names:
        after.append(f"request_enter(&call, {H('*request')});")
    return [], after


def template_recv(function):
    if function.persistent:
        return [], [f"made_persistent_receive(&call, {H('*request')});"]
    if "request" in function.names:
        return [], [f"posted(&call, {H('*request')}, source != MPI_PROC_NULL);"]
    return message_status(function), ["received(&call, status);"]


def template_sendrecv(function):
    after = ["tell_tag(&call, sent_tag(sendtag));",
             f"sent_part(&call, dest, dest == MPI_PROC_NULL ? 0 : {function.payload}, source);"]
    if "request" in function.names:
        asked = "payload(recvcount, recvtype)" if "recvtype" in function.names else \
            "payload(count, datatype)"
        after += ["tell_tag(&call, shown_tag(recvtag));",
                  "if (source != MPI_PROC_NULL)",
                  f"    request_enter_received_part(&call, {H('*request')}, &(struct arrival){{"
                  f"true, source, {asked}, shown_tag(recvtag)}});"]
        return [], after
    return message_status(function), after + ["received_part(&call, status);"]


def freeing(kind, handle):
    return [f"const struct freed freed = freeing(&call, {kind}, HANDLE_AT({handle}));"]


def template_mrecv(function):
    before = (["const bool real_message = message != NULL && *message != MPI_MESSAGE_NO_PROC;"]
              + freeing("HANDLE_MESSAGE", "message"))
    if "request" in function.names:
        return before, [f"posted(&call, {H('*request')}, real_message);"]
    return before[1:] + message_status(function), ["received(&call, status);"]


def template_complete(function):
    requests = function.argument_of_type("MPI_Request *", "MPI_Request[]")
    status = function.last_of_type("MPI_Status *") or function.last_of_type("MPI_Status[]")
    ignore = "MPI_STATUS_IGNORE" if status == "status" else "MPI_STATUSES_IGNORE"
    count = next((name for name in ("count", "incount") if name in function.names), "1")
    begin = f"batch_begin(&batch, &call, {count}, {requests}, {status}, {status} == {ignore});"
    if function.is_untimed:
        begin = (f"if (timed || !batch_begin_late(&batch, {count}, {requests}, {status}, {status} "
                 f"== {ignore}))\n        "
                 + begin)
    # Which of its requests failed: the functions that tell it do so in as many statuses.
    if "outcount" in function.names:
        told = "outcome, outcount, array_of_indices"
    else:
        told = "0, NULL, NULL" if status == "status" else "outcome, &batch.count, NULL"
    before = ["struct batch batch;", begin, f"{status} = batch.statuses;"]
    return before, [f"{function.payload};"], [f"some_failed(&batch, &call, {requests}, {told});"]


def template_look(function):
    """MPI_Request_get_status*: what it says of requests that are complete and stay."""
    requests = function.argument_of_type("MPI_Request", "MPI_Request[]", "const MPI_Request[]")
    if "status" in function.names:
        one = f"{requests}[*index]" if "index" in function.names else requests
        is_there = " && *index >= 0 && *index < count" if "index" in function.names else ""
        return message_status(function), [
            f"if (*flag{is_there}) looked_at((MPI_Request[]){{{one}}}, 1, NULL, status);"]
    count = "count" if "count" in function.names else "incount"
    before = [f"array_of_statuses = statuses_to_look_into({count}, array_of_statuses, &call);"]
    told = ("*flag", "count", "NULL") if "flag" in function.names else (
        "*outcount >= 0", "*outcount", "array_of_indices")
    return before, [f"if ({told[0]} && array_of_statuses != MPI_STATUSES_IGNORE)",
                    f"    looked_at({requests}, {told[1]}, {told[2]}, array_of_statuses);"]


def template_probe(function):
    return message_status(function), ["probed(&call, status);"]


def template_probe_match(function):
    found = "*flag && " if "flag" in function.names else ""
    before, after = ([], []) if found else template_probe(function)
    enter = f"comm_enter_user(HANDLE_MESSAGE, {H('*message')}, call.comm, NULL);"
    return before, after + [f"if ({found}*message != MPI_MESSAGE_NO_PROC)", f"    {enter}"]


def template_collective(function):
    root = "root" if "root" in function.names else "MPROF_NO_PEER"
    if function.persistent:
        return [], [f"made_persistent_collective(&call, {H('*request')}, {function.payload}, "
                    f"{root});"]
    after = [f"call.size = {function.payload};"]
    if "request" in function.names:
        after.append(f"started_collective(&call, {H('*request')}, {root});")
    else:
        after.append(f"collective(&call, {root});")
        if function.wait == "everyone":
            after.append("collective_time_note(&call);")
    return [], after


def template_started(function):
    return [], [f"request_enter(&call, {H('*request')});"]


def template_one_sided(function):
    kind = f"MPROF_PARTNER_{function.template.upper()}"
    after = [f"moved(&call, {kind}, target_rank, target_rank == MPI_PROC_NULL ? 0 : "
             f"{function.payload});"]
    if "request" in function.names:
        after.append(f"request_enter(&call, {H('*request')});")
    return [], after


def template_io(function):
    if "request" in function.names:
        return [], [f"request_enter_io(&call, {H('*request')}, file_moves(file_row, "
                    f"{file_action(function)}));"]
    return message_status(function), ["call.size = status_bytes(status);"]


def file_action(function):
    """What a call does with the file that it is given (record/objects/file_rows.h)."""
    marks = function.marks
    if "moves_file" in marks or "begins_file" in marks:
        return ("FILE_WRITE" if "writes_file" in marks else "FILE_READ") + (
            "_COLLECTIVE" if "collective_file" in marks else "")
    if function.template == "file_close":
        return "FILE_CLOSE"
    return "FILE_SYNC" if "syncs_file" in marks else "FILE_OTHER"


def file_row(function):
    """Lines before a call that is given a file, and when it ends: its file's row gets what it did.
    Other calls may be given MPI_FILE_NULL, which stands for no file."""
    if function.kind != "file" or function.template == "file_open":
        return [], []
    if function.argument_of_type("MPI_File"):
        handle = H(function.argument_of_type("MPI_File"))
    elif function.argument_of_type("MPI_File *"):
        handle = f"HANDLE_AT({function.argument_of_type('MPI_File *')})"
    else:
        return [], []
    count = "file_called"
    if "begins_file" in function.marks:
        count = "file_began"
    elif "request" in function.names:
        count = "file_started"
    find = "row_of_file" if file_action(function) == "FILE_OTHER" else "file_of"
    return ([f"struct mprof_file *const file_row = {find}({handle});"],
            [f"{count}(file_row, {file_action(function)}, &call);"])


def making(kind, argument):
    """Lines before the call and after it: the MPI writes to `made` (wrap/wrap.h)."""
    return ([f"{kind} made = UNMADE({kind});",
             f"{kind} *const theirs = {argument};",
             f"if (theirs != NULL) {argument} = &made;"],
            [f"if (theirs != NULL && made != UNMADE({kind})) *theirs = made;"])


def template_comm_new(function):
    before, give = making("MPI_Comm", function.last_of_type("MPI_Comm *"))
    made = "made_comm" if function.makes_comm else "gave_comm"
    after = [f"if (made != UNMADE(MPI_Comm) && made != MPI_COMM_NULL) {made}(&call, {H('made')});"]
    if function.payload == "collective":
        after.append("collective(&call, MPROF_NO_PEER);")
    return before, give + after, give


def template_spawn(function):
    before, after, failed = template_comm_new(function)
    if "info" in function.names:
        given = ["info = *spawned_infos(&infos, &call, root, 1, &info);"]
    else:
        given = ["array_of_info = spawned_infos(&infos, &call, root, count, array_of_info);"]
    free = ["free_spawned_infos(&infos);"]
    return (["struct spawned_info infos;"] + given + before, free + after, free + failed)


def template_idup(function):
    return [], [f"if (*newcomm != MPI_COMM_NULL) promised_comm(&call, {H('*newcomm')}, "
                f"{H('comm')});",
                f"started_collective(&call, {H('*request')}, MPROF_NO_PEER);"]


def template_user_new(handle_type, handle, enter):
    def template(function):
        before, give = making(handle_type, handle)
        return before, give + [f"if (made != UNMADE({handle_type})) {enter};",
                               "collective(&call, MPROF_NO_PEER);"], give
    return template


def template_request_free(function):
    freed = ["request_freed(freed, comm_of_request, HANDLE_AT(request));"]
    return ["const struct freed freed = {handle_find(HANDLE_REQUEST, HANDLE_AT(request)), "
            "HANDLE_AT(request)};",
            "struct comm *const comm_of_request = request_comm(freed.found);"], freed, freed


def template_free(function):
    noted = ["collective(&call, MPROF_NO_PEER);"] if function.wait == "everyone" else []
    return freeing(*FREED[function.template]), noted


# What a call gives up: the kind of handle, and the argument that points to it.
FREED = {"comm_free": ("HANDLE_COMM", "comm"), "win_free": ("HANDLE_WIN", "win"),
         "file_close": ("HANDLE_FILE", "fh"),
         "mrecv": ("HANDLE_MESSAGE", "message")}

TEMPLATES = {
    "plain": lambda function: ([], []),
    "helper": lambda function: ([], []),
    "before": lambda function: ([f"{function.payload};"], []),
    "after": lambda function: ([], [f"{function.payload};"]),
    "send": template_send,
    "recv": template_recv,
    "sendrecv": template_sendrecv,
    "mrecv": template_mrecv,
    "complete": template_complete,
    "look": template_look,
    "probe": template_probe,
    "probe_match": template_probe_match,
    "collective": template_collective,
    "started": template_started,
    "put": template_one_sided,
    "get": template_one_sided,
    "io": template_io,
    "comm_new": template_comm_new,
    "spawn": template_spawn,
    "idup": template_idup,
    "comm_free": template_free,
    "win_new": template_user_new(
        "MPI_Win", "win", "comm_enter_user(HANDLE_WIN, HANDLE(made), call.comm, NULL)"),
    "request_free": template_request_free,
    "win_free": template_free,
    "file_open": template_user_new(
        "MPI_File", "fh", "file_opened(&call, HANDLE(made), filename, file_mode(amode))"),
    "file_close": template_free,
}


# Made often, in any order. Polls are made again and again from one place, and must be cheap.
FORESEEN_TEMPLATES = ("send", "recv", "sendrecv", "complete", "collective")


def foresee(function):
    """Lines that let the rows of an unexpected call come into the cache (call.h)."""
    if function.template not in FORESEEN_TEMPLATES or function.persistent or function.is_untimed:
        return []
    call = f"call_foresee(&call, FN_{function.name})"
    if function.template == "send":
        bytes = function.payload.replace("payload(", "foreseen_payload(")
        call = f"call_foresee_send(&call, FN_{function.name}, {bytes})"
    return ["if (call_is_unexpected(&call))", f"    {call};"]


def H(expression):
    """A handle as the integer that record/ works with."""
    return f"HANDLE({expression})"


def is_message(function):
    return function.kind == "point_to_point"


def peer(function):
    """Lines that say whom the call is with."""
    lines = []
    if "memory_of_rank" in function.marks:
        lines.append("call.peer = rank;")
    for name in PEER_NAMES:
        if name in function.names and (is_message(function) or function.template != "plain"):
            lines.append(f"call.peer = {'shown_source(source)' if name == 'source' else name};")
            break
    return lines


def call_start(function):
    if not is_message(function) or "tag" not in function.names:
        return f"call_start(&call, FN_{function.name});"
    shown = "shown_tag(tag)" if "source" in function.names else "sent_tag(tag)"
    return f"call_start_message(&call, FN_{function.name}, {shown});"


# What a second wrapper tells of its call (struct watched in wrap/watched.h): the member, and the
# names that the argument may have.
WATCHED_ARGUMENTS = {
    "comm": ("comm",), "dest": ("dest",), "source": ("source",), "root": ("root",), "op": ("op",),
    "message": ("message",), "flag": ("flag",), "index_count": ("outcount",),
    "send_tag": ("sendtag", "tag"), "receive_tag": ("recvtag", "tag"),
    "requests": ("request", "array_of_requests"), "request_count": ("count", "incount"),
    "indices": ("index", "array_of_indices"), "statuses": ("status", "array_of_statuses"),
}
WATCHED_KINDS = {"send": "SEND", "recv": "RECEIVE", "sendrecv": "SENDRECV",
                 "mrecv": "MATCHED_RECEIVE", "probe_match": "PROBE", "collective": "COLLECTIVE",
                 "complete": "COMPLETION", "request_free": "FREE", "before": "CANCEL",
                 "after": "START", "comm_new": "MAKER"}


def watched_arguments(function):
    told = {member: next((name for name in names if name in function.names), None)
            for member, names in WATCHED_ARGUMENTS.items()}
    if "array_of_requests" not in function.names:  # `count` is of the data then
        told["request_count"] = "1" if told["requests"] else None
    return {member: name for member, name in told.items() if name}


def tell(function):
    """A function that tells of the data and arguments of a call: the communicator may be known
    after the call only."""
    kind = WATCHED_KINDS[function.template]
    lines = [f"watched->kind = WATCHED_{kind};"]
    lines += [f"watched->{mark} = true;" for mark, holds in (
        ("persistent", function.persistent), ("reduces", "reduces" in function.marks),
        ("waits", kind == "SEND" and "message" in (function.wait, function.wait_of_completion)),
        ("nonblocking", "request" in function.names and not function.persistent
         and kind not in ("COMPLETION", "FREE", "CANCEL", "START"))) if holds]
    lines += [f"watched->{member} = {name};"
              for member, name in watched_arguments(function).items()]
    gives, gets = function.watched
    lines += [f"watched->gives = {gives};", f"watched->gets = {gets};"]
    inner = "\n".join("    " + line for line in lines)
    parameters = f"struct watched *watched, const struct comm *c, {function.parameters}"
    # All have the parameters of their MPI function, whether they need them or not.
    lint = "(misc-unused-parameters,readability-non-const-parameter)"
    return (f"// NOLINTBEGIN{lint}\nstatic COLD void tell_{function.name}({parameters})\n"
            f"{{\n{inner}\n}}\n// NOLINTEND{lint}\n")


def wrapper(function, watched=False):
    """The wrapper; `watched`: the second one, which watches (wrap/watch.h)."""
    before, after, *failed = TEMPLATES[function.template](function)
    lines = []
    for kind, name in HANDLE_KINDS.items():
        argument = function.argument_of_type(kind)
        if argument:
            lines.append(f"call.comm = comm_find({name}, {H(argument)});")
            break
    lines += peer(function)
    comm = function.argument_of_type("MPI_Comm")
    if comm and function.result == "int":
        after = [f"learn_comm(&call, {comm});"] + after
    pmpi = f"NEXT({function.name})({function.call_arguments})"
    body = []
    if function.template == "helper":
        body = [f"if (is_fortran_helper_call(__builtin_return_address(0), FN_{function.name}))",
                f"    return {pmpi};"]
    body += ["struct call call;",
            f"if (!call_begin(&call, FN_{function.name}))",
            f"    return {pmpi};"]
    start = call_start(function)
    stop, end = "call_stop(&call);", "call_end(&call);"
    if function.template == "complete":
        start = f"batch_start(&batch, &call, FN_{function.name});"
    if function.is_untimed:
        lines += ["const bool timed = !polls_goes_untimed(&call);"]
        start = f"if (timed)\n        {start}\n    else\n        poll_start_untimed(&call);"
        stop, end = "poll_stop(&call, timed);", "poll_end(&call, timed);"
    row_before, row_after = file_row(function)
    body += lines + row_before + before
    body += foresee(function)
    if function.template == "send" and "standard_send" in function.marks \
            and "request" not in function.names:
        body += ["call_show_count(&call, count);"]
    tell_all = f"tell_{function.name}(&watched, call.comm, {function.call_arguments});"
    if watched:
        body += ["struct watched watched = {.kind = 0};", tell_all,
                 "watch_before(&watched, &call);"]
    body += [start, f"const {function.result} outcome = {pmpi};", stop]
    if failed and failed[0] == after:
        body += after
    elif after:
        body += ["if (outcome == 0) {"] + ["    " + line for line in after] + ["}"]
        if failed:
            body[-1] = "} else {"
            body += ["    " + line for line in failed[0]] + ["}"]
    body += row_after
    if watched:
        body += [tell_all, "watch_after(&watched, &call, outcome);"]
    if function.template in FREED:
        kind, handle = FREED[function.template]
        body += [f"end_and_release(&call, {kind}, freed, HANDLE_AT({handle}));"]
    else:
        body += [end]
    if watched:
        body += ["watch_end(&watched);"]
    body += ["return outcome;"]
    inner = "\n".join("    " + line for line in body)
    prefix = "watch" if watched else "wrap"
    head = f"WRAPPER {function.result} {prefix}_{function.name}({function.parameters})"
    return f"{head}\n{{\n{inner}\n}}\n"


# ---- the files -----------------------------------------------------------------------------------

# What libmprof asks of a function at run time: the constant, and for which functions it holds.
MARKS_IN_LIBMPROF = {
    "MPI_BEGINS": lambda function: "begins_mpi" in function.marks,
    "MPI_STARTS_UP": lambda function: {"begins_mpi", "starts_up"} & set(function.marks),
    "MPI_IS_UNTIMED": lambda function: function.is_untimed,
    # MPI_File_open waits for the last rank, and the sums of a run cannot tell that from slow files.
    "MPI_MOVES_FILE": lambda function: function.kind == "file" and function.wait != "everyone",
    "MPI_IS_MADE_INSIDE": lambda function: "made_inside" in function.marks,
}


# What its calls are for in time bins (mprof_time_class in mprof/format/format.h). The first row
# that holds counts.
TIME_CLASSES = (
    ("MPROF_TIME_START_UP", lambda function: {"begins_mpi", "starts_up"} & set(function.marks) or (
        function.makes_comm and function.wait != "not_known")),
    ("MPROF_TIME_FILE", lambda function: function.kind == "file"),
    ("MPROF_TIME_ONE_SIDED", lambda function: function.kind == "one_sided"),
    ("MPROF_TIME_COMPLETION", lambda function: function.template == "complete"),
    ("MPROF_TIME_POINT_TO_POINT", lambda function: function.kind == "point_to_point"),
    ("MPROF_TIME_COLLECTIVE", lambda function: function.kind in ("collective", "synchronisation")
     or "ends_mpi" in function.marks),
    ("MPROF_TIME_OTHER", lambda function: True),
)


def time_class(function):
    return next(name for name, holds in TIME_CLASSES if holds(function))


def functions_header(functions):
    ids = "\n".join(f"    FN_{function.name} = {number},"
                    for number, function in enumerate(functions))
    marks = ", ".join(f"{mark} = {1 << bit}" for bit, mark in enumerate(MARKS_IN_LIBMPROF))
    name_bytes = sum(len(function.name) + 1 for function in functions)
    return ("#ifndef MPI_FUNCTIONS_H\n#define MPI_FUNCTIONS_H\n\n"
            f"enum mpi_function {{\n{ids}\n    MPI_FUNCTION_COUNT = {len(functions)}\n}};\n"
            f"enum mpi_function_mark {{ {marks} }};\n"
            f"enum {{ MPI_NAME_BYTES = {name_bytes}, MPI_NAME_PLACES = {NAME_PLACES} }};\n\n"
            f"{FUNCTION_TABLES}\n#endif\n")


FUNCTION_TABLES = """\
#define MPI_FUNCTION_TABLE extern __attribute__((visibility("hidden"))) const

/* The names in the order of the ids, each with a 0 behind it. Offsets stand for pointers, which
 * the dynamic linker would write into each rank's own copy of the pages. */
MPI_FUNCTION_TABLE char mpi_name_texts[MPI_NAME_BYTES];
MPI_FUNCTION_TABLE unsigned short mpi_name_offsets[MPI_FUNCTION_COUNT];
/* id + 1, at the place of the name's GNU hash or behind it; 0 = free */
MPI_FUNCTION_TABLE unsigned short mpi_name_places[MPI_NAME_PLACES];
MPI_FUNCTION_TABLE unsigned char mpi_function_marks[MPI_FUNCTION_COUNT];
MPI_FUNCTION_TABLE unsigned char mpi_time_classes[MPI_FUNCTION_COUNT];

static inline const char *mpi_function_name(int function)
{
    return mpi_name_texts + mpi_name_offsets[function];
}
"""
NAME_PLACES = 2048


def gnu_hash(name):
    """As ELF hashes names (DT_GNU_HASH)."""
    value = 5381
    for letter in name.encode():
        value = (value * 33 + letter) & 0xffffffff
    return value


def places_of_names(functions):
    places = [0] * NAME_PLACES
    for number, function in enumerate(functions):
        place = gnu_hash(function.name) % NAME_PLACES
        while places[place]:
            place = (place + 1) % NAME_PLACES
        places[place] = number + 1
    return places


def lines_of(numbers):
    """As rows of an array."""
    return "\n".join("    " + ", ".join(map(str, numbers[begin:begin + 16])) + ","
                     for begin in range(0, len(numbers), 16))


def function_names(functions):
    def marks_of(function):
        return " | ".join(mark for mark, holds in MARKS_IN_LIBMPROF.items() if holds(function))

    names = '\\0"\n'.join(f'    "{function.name}' for function in functions) + '"'
    lengths = [len(function.name) + 1 for function in functions]
    offsets = [sum(lengths[:number]) for number in range(len(lengths))]
    marks = "\n".join(f"    [FN_{function.name}] = {marks_of(function)},"
                      for function in functions if marks_of(function))
    classes = "\n".join(f"    [FN_{function.name}] = {time_class(function)},"
                        for function in functions)
    return ('#include "api/mpi_functions.h"\n\n#include "mprof/format/format.h"\n\n'
            '#pragma GCC diagnostic ignored "-Woverlength-strings"\n'
            f"const char mpi_name_texts[MPI_NAME_BYTES] =\n{names};\n\n"
            "const unsigned short mpi_name_offsets[MPI_FUNCTION_COUNT] = {\n"
            f"{lines_of(offsets)}\n}};\n\n"
            "const unsigned short mpi_name_places[MPI_NAME_PLACES] = {\n"
            f"{lines_of(places_of_names(functions))}\n}};\n\n"
            f"const unsigned char mpi_function_marks[MPI_FUNCTION_COUNT] = {{\n{marks}\n}};\n\n"
            f"const unsigned char mpi_time_classes[MPI_FUNCTION_COUNT] = {{\n{classes}\n}};\n")


# They are libmprof's business alone.
MARKS_IN_LIBMPROF_ALONE = ("made_inside", "untimed")
MARKS_IN_PARSER = tuple(mark for mark in MARKS if mark not in MARKS_IN_LIBMPROF_ALONE)
# Marks of the parser that follow from the other columns.
MARKS_OF_COLUMNS = {
    "makes_comm": lambda function: function.makes_comm,
    "completes": lambda function: function.template == "complete",
}


def function_facts(functions):
    """Rows of FunctionFacts (parser/measure/function_facts.h): what is as for a function that
    nothing is known of is left out."""
    makes, ends = read_lifetimes(functions)
    old = read_old_functions(functions)
    rows = []
    for function in functions:
        fields = [f'.name = "{function.name}"', f'.form_of = "{function.form_of}"']
        fields += [f".{field} = {enumeration}::{value}" for field, enumeration, value, usual in (
            ("kind", "FunctionKind", function.kind, "other"),
            ("call", "WaitRule", function.wait, "never"),
            ("completion", "WaitRule", function.wait_of_completion, "never")) if value != usual]
        fields += [f".{mark} = true" for mark in MARKS_IN_PARSER if mark in function.marks]
        fields += [f".{mark} = true" for mark, holds in MARKS_OF_COLUMNS.items()
                   if holds(function)]
        fields += [f".{field} = Object::{told[function.name]}"
                   for field, told in (("makes", makes), ("ends", ends))
                   if function.name in told]
        if function.name in old:
            deprecated, removed, section, instead = old[function.name]
            fields.append(f'.old = {{"{deprecated}", "{"" if removed == "-" else removed}", '
                          f'"{section}", "{instead}"}}')
        rows.append("    {" + ", ".join(fields) + "},\n")
    return "".join(rows)


def prototypes(functions):
    return "".join(f"typedef {function.result} type_{function.name}({function.parameters});\n"
                   for function in functions)


def wrappers(functions):
    generated = [function for function in functions
                 if function.template not in ("by_hand", "direct")]
    code = "\n".join(wrapper(function) for function in generated)
    watched = [function for function in generated if function.watched]
    code += "\n" + "\n".join(tell(function) + "\n" + wrapper(function, watched=True)
                             for function in watched)
    tables = "\n".join(
        f"WRAPPER_TABLE({table},\n" + "\n".join(
            f"    WRAPPER_OFFSET({table}, {prefix}_{function.name})" if function in rows
            else "    NO_WRAPPER" for function in functions) + "\n)\n"
        for table, prefix, rows in (
            ("mprof_wrapper_offsets", "wrap",
             [function for function in functions if function.template != "direct"]),
            ("mprof_watch_offsets", "watch", watched)))
    return f"{code}\n#include \"wrap/by_hand.h\"\n\n{tables}"


def trampolines(functions):
    return "".join(f"TRAMPOLINE {function.name} {number}\n"
                   for number, function in enumerate(functions))


STATIC_TRAMPOLINE = {
    "x86_64": """\
    .text
    .globl  {name}
    .type   {name}, @function
{name}:
    endbr64
    jmp     *mpi_slots+8*{number}(%rip)
    .size   {name}, .-{name}
    .section mprof_pmpi, "aw"
    .p2align 3
    .quad   {number}, P{name}
    .section .note.gnu.property, "a", @note
    .p2align 3
    .long   4, 16, 5
    .asciz  "GNU"
    .long   0xc0000002, 4, 3, 0
    .section .note.GNU-stack, "", @progbits
""",
    "aarch64": """\
    .text
    .globl  {name}
    .type   {name}, %function
{name}:
    hint    #34
    adrp    x16, mpi_slots+8*{number}
    ldr     x16, [x16, :lo12:mpi_slots+8*{number}]
    br      x16
    .size   {name}, .-{name}
    .section mprof_pmpi, "aw"
    .p2align 3
    .quad   {number}, P{name}
    .section .note.GNU-stack, "", %progbits
""",
}


def static_required(functions):
    """What the hand-written headers call by PMPI(); of a session's functions the program brings
    what it needs."""
    sources = "".join(path.read_text() for path in sorted((HERE.parent / "wrap").glob("*.h"))
                      if path.name != "by_hand.h")
    names = sorted(name for name in set(re.findall(r"PMPI\((MPI_\w+)\)", sources))
                   if "session" not in name)
    ids = {function.name: number for number, function in enumerate(functions)}
    externs = "\n".join(f"extern int P{name}(void);" for name in names)
    rows = "\n".join(f"    {{{ids[name]}, P{name}}}," for name in names)
    return (f"{externs}\n\nstruct static_function {{\n    long id;\n    int (*address)(void);\n"
            f"}};\n\n"
            '__attribute__((section("mprof_pmpi"), used)) static struct static_function required[] '
            '= {\n'
            f"{rows}\n}};\n")


VERSION_SCRIPT = """\
/* MPROF_1 must be the first version: glibc lets a reference without version bind to a hidden \
symbol of the first version
 * (index 2), while dlsym() does not see it. The hooks (dlopen ...) are exported without \
version: they match every
 * versioned reference. Everything else is hidden by its visibility. */
MPROF_1 {
    global:
        MPI_*;
    local:
        mprof_call_*;
};
/* Hidden from all until an MPI is waited for (interpose/early.c). */
MPROF_BELL { global: __gmon_start__; };
/* The versions that GCC's OpenMP library gives these functions. Its users ask for them by \
version; nobody else finds them. */
GOMP_1.0 { global: GOMP_barrier; GOMP_loop_end; GOMP_sections_end; };
GOMP_2.0 { global: GOMP_task; };
GOMP_4.0 { global: GOMP_parallel; GOMP_parallel_sections; GOMP_parallel_loop_static;
    GOMP_parallel_loop_dynamic; GOMP_parallel_loop_guided; GOMP_parallel_loop_runtime;
    GOMP_barrier_cancel; GOMP_loop_end_cancel; GOMP_sections_end_cancel; };
GOMP_4.5 { global: GOMP_parallel_loop_nonmonotonic_dynamic; GOMP_parallel_loop_nonmonotonic_guided;
    GOMP_taskloop; GOMP_taskloop_ull; };
GOMP_5.0 { global: GOMP_parallel_loop_nonmonotonic_runtime; GOMP_parallel_reductions;
    GOMP_parallel_loop_maybe_nonmonotonic_runtime; };
"""


def read_facts():
    """The families, and (kind, name, value by family) of each fact; the first line has the
    families' names."""
    families, facts = None, []
    for number, line in read_lines("abi_facts.txt"):
        kind, name, *values = line.split()
        if kind == "family":
            families = values
        elif families is None or len(values) != len(families):
            sys.exit(f"abi_facts.txt:{number}: expected a kind, a name, and a value per family")
        else:
            facts.append((kind, name, dict(zip(families, values))))
    return families, facts


PREDEFINED_OPS = tuple(f"MPI_{name}" for name in (
    "SUM", "PROD", "MAX", "MIN", "LAND", "BAND", "LOR", "BOR", "LXOR", "BXOR", "MAXLOC", "MINLOC"))


def handle_type(name):
    """The type of a predefined handle, from its name."""
    if name in ("MPI_DOUBLE", "MPI_DOUBLE_INT", "MPI_BYTE", "MPI_DATATYPE_NULL"):
        return "MPI_Datatype"
    if name in PREDEFINED_OPS:
        return "MPI_Op"
    if name == "MPI_MESSAGE_NO_PROC":
        return "MPI_Message"
    return "MPI_" + name.split("_")[1].capitalize()


def abi_header(facts, family):
    lines, symbols = [], []
    status = {name: value[family] for kind, name, value in facts if kind == "status"}
    for kind, name, values in facts:
        value = values[family]
        if kind == "type":
            lines.append(f"typedef int {name};" if value == "int"
                         else f"typedef struct {name}_object *{name};")
        elif kind == "integer":
            lines.append(f"#define {name} ({value})")
        elif kind == "pointer":
            macro, target = re.fullmatch(r"(\w+)\((\w+)\)", name).groups()
            lines.append(f"#define {macro} (({target} *){value})")
        elif kind == "handle" and value.startswith("&"):
            lines.append(f"#define {name} (({handle_type(name)})abi_symbols[{len(symbols)}])")
            symbols.append(value[1:])
        elif kind == "handle":
            lines.append(f"#define {name} (({handle_type(name)}){value})")
    lines.append(f"typedef struct {{\n    int words[{int(status['size']) // 4}];\n}} MPI_Status;")
    lines += [f"enum {{ STATUS_{field}_WORD = {int(status['MPI_' + field]) // 4} }};"
              for field in ("SOURCE", "TAG", "ERROR")]
    names = ", ".join(f'"{symbol}"' for symbol in symbols)
    lines.append(f"enum {{ ABI_SYMBOL_COUNT = {len(symbols)} }};")
    lines.append("static const char *const abi_symbol_names[ABI_SYMBOL_COUNT + 1] = "
                 f"{{{names}{', ' if names else ''}0}};")
    lines.append("static void *abi_symbols[ABI_SYMBOL_COUNT + 1];")
    return "\n".join(lines) + "\n"


def write_if_changed(path, text):
    """So that a build does not recompile what is the same."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def files_for_libmprof(output):
    functions = read_functions()
    families, facts = read_facts()
    files = {
        "mpi_functions.h": functions_header(functions),
        "mpi_function_names.c": function_names(functions),
        "mpi_prototypes.h": prototypes(functions),
        "wrappers.inc": wrappers(functions),
        "trampolines.inc": trampolines(functions),
        "mprof.map": VERSION_SCRIPT,
    }
    for family in families:
        files[f"abi_{family}.h"] = abi_header(facts, family)
    files["static_required.c"] = static_required(functions)
    for architecture, template in STATIC_TRAMPOLINE.items():
        (output / "static" / architecture).mkdir(parents=True, exist_ok=True)
        for number, function in enumerate(functions):
            files[f"static/{architecture}/{function.name}.s"] = template.format(
                name=function.name, number=number)
    return files


def main():
    arguments = sys.argv[1:]
    for_parser = arguments[:1] == ["--parser"]
    if len(arguments) != 1 + for_parser:
        sys.exit(__doc__)
    output = pathlib.Path(arguments[-1])
    output.mkdir(parents=True, exist_ok=True)
    if for_parser:
        files = {"function_facts.inc": function_facts(read_functions())}
    else:
        files = files_for_libmprof(output)
    for name, text in files.items():
        write_if_changed(output / name, text)


if __name__ == "__main__":
    main()
