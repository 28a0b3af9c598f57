"""The C of a wrapper, from the row of its function: what stands before and after MPI's function.

generate.py calls wrapper() for each function and writes what it returns. A template of
mprof_functions.txt is a function here: it returns the lines before the call, those after it if it
succeeded, and for some those after it failed.
"""
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
