"""The MPI functions and what is known of each: reads mpi_functions.txt, mprof_functions.txt,
watched_functions.txt, lifetimes.txt and old_functions.txt, and checks them."""
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent

# The words of each column of mprof_functions.txt; its head says what they mean. "-" is the first of
# each.
TEMPLATE_NAMES = ("plain", "helper", "before", "after", "send", "recv", "sendrecv", "mrecv",
            "complete", "look", "probe", "probe_match", "collective", "started", "put", "get", "io",
            "comm_new", "spawn", "idup", "comm_free", "win_new", "win_free", "request_free",
            "file_open", "file_close", "by_hand", "direct")
KINDS = ("other", "collective", "point_to_point", "synchronisation", "one_sided", "file")
WAITS = ("never", "everyone", "root", "at_root", "lower", "neighbours", "message",
         "completion", "not_known")
MARKS = ("begins_mpi", "ends_mpi", "aborts", "sends", "receives", "standard_send", "barrier",
         "reduces", "poll", "needs_all", "keepable", "for_objects", "opens_file", "syncs_file",
         "moves_file", "writes_file", "collective_file", "begins_file", "made_inside", "untimed",
         "memory_of_rank", "locks", "probes", "same_size", "on_window", "cancels",
         "returns_errors", "has_callbacks", "any_thread", "tells_level", "asks_errors",
         "starts_up", "reads_counts", "ends_moves", "commits")
# What is not true of a form that only starts something.
MARKS_OF_THE_CALL = {"poll", "needs_all", "keepable", "untimed"}


class Argument:
    """One argument of a prototype: `declaration` as written, `name`, and `type` without the
    name."""

    def __init__(self, declaration):
        self.declaration = declaration
        if declaration == "...":
            self.name, self.type = "...", "..."
            return
        match = re.fullmatch(r"(.*?)(\w+)((?:\[\d*\])*)", declaration)
        self.name = match.group(2)
        self.type = re.sub(r"\s+", " ", match.group(1)).strip() + match.group(3)


class Function:
    """One line of mpi_functions.txt with what mprof_functions.txt says of it."""

    def __init__(self, line):
        match = re.fullmatch(r"(.*?)(MPI_\w+)\((.*)\)", line)
        self.result, self.name = match.group(1).strip(), match.group(2)
        parts = [part.strip() for part in match.group(3).split(",")]
        self.arguments = [] if parts == ["void"] else [Argument(part) for part in parts]
        self.names = [argument.name for argument in self.arguments]
        self.template, self.kind, self.payload = "plain", "other", "0"
        self.form_of = self.base_name  # MPI_Bcast for MPI_Ibcast and MPI_Bcast_init_c
        self.wait, self.wait_of_completion = "never", "never"
        self.marks = ()
        self.watched = None  # what it gives and what it gets, as C

    @property
    def base_name(self):
        """Without the suffix of the large-count form."""
        return self.name.removesuffix("_c")

    @property
    def parameters(self):
        return ", ".join(argument.declaration for argument in self.arguments) or "void"

    @property
    def call_arguments(self):
        return ", ".join(self.names)

    @property
    def persistent(self):
        return self.base_name.endswith("_init")

    @property
    def is_by_hand(self):
        return self.template == "by_hand"

    @property
    def is_untimed(self):
        return "untimed" in self.marks

    @property
    def makes_comm(self):
        return self.template in ("idup", "spawn") or (
            self.template == "comm_new" and self.payload != "once")

    def argument_of_type(self, *types):
        for argument in self.arguments:
            if argument.type in types:
                return argument.name
        return None

    def last_of_type(self, kind):
        found = [argument.name for argument in self.arguments if argument.type == kind]
        return found[-1] if found else None

    def learn(self, row):
        self.template, self.kind, self.payload = row.template, row.kind, row.payload
        if not row.name.endswith("*"):
            self.form_of = row.name
        only_starts = self.base_name != self.form_of
        started = row.waits.startswith("started:")
        wait = row.waits.removeprefix("started:")
        self.wait = "never" if started or only_starts else wait
        is_completed = only_starts or (started and "request" in self.names)
        self.wait_of_completion = wait if is_completed else "never"
        self.marks = tuple(mark
                           for mark in row.marks if not (only_starts and mark in MARKS_OF_THE_CALL))


class Row:
    """One line of mprof_functions.txt."""

    def __init__(self, number, line):
        def word(value, allowed, column):
            if value != "-" and value not in allowed:
                sys.exit(f"mprof_functions.txt:{number}: {value} is no {column}; one of: "
                         f"{' '.join(allowed)}")
            return allowed[0] if value == "-" else value

        fields = line.split(None, 5)
        if len(fields) < 5:
            sys.exit(f"mprof_functions.txt:{number}: expected function, template, kind, waits, "
                     "marks and perhaps a payload")
        self.number, self.name = number, fields[0]
        self.template = word(fields[1], TEMPLATE_NAMES, "template")
        self.kind = word(fields[2], KINDS, "kind")
        word(fields[3].removeprefix("started:"), WAITS, "word for whom a rank waits")
        self.waits = WAITS[0] if fields[3] == "-" else fields[3]
        marks = [] if fields[4] == "-" else fields[4].split(",")
        self.marks = [word(mark, MARKS, "mark") for mark in marks]
        self.payload = fields[5] if len(fields) > 5 else "0"


def read_lines(name):
    for number, line in enumerate((HERE / name).read_text().splitlines(), 1):
        line = line.strip()
        if line and not line.startswith("#"):
            yield number, line


def forms_of(name):
    """All names under which the standard may have a function: nonblocking, persistent,
    request-based, large count."""
    stem = name[len("MPI_"):]
    forms = [name, f"MPI_I{stem[0].lower()}{stem[1:]}",
             f"MPI_R{stem[0].lower()}{stem[1:]}", f"{name}_init"]
    if stem.startswith("File_"):
        forms[1] = f"MPI_File_i{stem[len('File_'):]}"
    return forms + [form + "_c" for form in forms]


def read_lifetimes(functions):
    """By function name what it makes, and what it ends (lifetimes.txt)."""
    by_base = {}
    for function in functions:
        by_base.setdefault(function.base_name, []).append(function)
    makes, ends = {}, {}
    for number, line in read_lines("lifetimes.txt"):
        kind, rest = line.split(None, 1)
        for names, told in zip(rest.split("/"), (makes, ends), strict=True):
            for name in names.split():
                if name != "-" and name not in by_base:
                    sys.exit(f"lifetimes.txt:{number}: {name} is not in mpi_functions.txt")
                told.update({form.name: kind for form in by_base.get(name, [])})
    for function in functions:
        if function.persistent and not function.is_by_hand:
            makes[function.name] = "persistent_request"
    return makes, ends


def read_old_functions(functions):
    """By function name: deprecated in, removed in or "-", section, what to use instead."""
    names = {function.name for function in functions}
    old = {}
    for number, line in read_lines("old_functions.txt"):
        name, *facts = line.split()
        if len(facts) != 4 or not {name, facts[3]} <= names:
            sys.exit(f"old_functions.txt:{number}: expected two functions of mpi_functions.txt, "
                     "two versions and a section")
        old[name] = facts
    return old


def read_watched(by_name):
    """What the functions of watched_functions.txt give and get."""
    for number, line in read_lines("watched_functions.txt"):
        name, *data = (field.strip() for field in line.split("|"))
        forms = [by_name[form] for form in forms_of(name) if form in by_name]
        if not forms or len(data) != 2:
            sys.exit(f"watched_functions.txt:{number}: expected a function of mpi_functions.txt, "
                     "what it gives and what it gets")
        for form in forms:
            form.watched = tuple("no_data" if text == "-" else text for text in data)


def read_functions():
    functions = [Function(line) for _, line in read_lines("mpi_functions.txt")]
    by_name = {function.name: function for function in functions}
    rows = [Row(number, line) for number, line in read_lines("mprof_functions.txt")]
    exact = [row for row in rows if not row.name.endswith("*")]
    listed = {row.name for row in exact}
    told = set()
    for row in exact:
        forms = [form for form in forms_of(row.name)
                 if form in by_name and (form == row.name or form not in listed)]
        if not forms or row.name in told:
            sys.exit(f"mprof_functions.txt:{row.number}: {row.name} " +
                     ("has a line already" if forms else "is not in mpi_functions.txt"))
        for form in forms:
            by_name[form].learn(row)
        told.update(forms)
    for row in rows:
        for function in functions:
            fits = row.name.endswith("*") and function.name.startswith(row.name[:-1])
            if fits and function.name not in told:
                function.learn(row)
                told.add(function.name)
    read_watched(by_name)
    return functions
