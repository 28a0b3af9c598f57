"""The objects of the report, typed. Made by generate.py from the table of its fields.

The unit of an attribute stands in brackets. None = not measured or not known, never 0. Of a report
that an older mprof saved, a key that did not exist yet is None, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Dict, List, Optional, Type

from .fields import Record


@dataclass(frozen=True)
class StackFrame(Record):
    """A function on the stack of a thread.

    file: source file; null if the debug data does not say; so are the next two
    line: line in it
    symbol: function of the program (C++ names demangled, Fortran as module::procedure, [OpenMP]
        = the body of a parallel region, [JIT code] = code that was compiled while the program
        ran; the other fields are then of its caller)
    module: executable or library, as the loader knew it; of a script its file
    offset: the return address in that module, hexadecimal, as a text; of a script the
        instruction in the function
    inlined: the function has no call of its own here, it is part of the next frame
    """

    file: Optional[str]
    line: Optional[int]
    symbol: Optional[str]
    module: Optional[str]
    offset: Optional[str]
    inlined: bool


@dataclass(frozen=True)
class ThreadStack(Record):
    """A thread of a rank that is not in MPI.

    rank: its rank
    thread: the number that the kernel gives the thread
    is_first: it is the thread that runs main()
    doing: what it does, in words: runs, in read() of pipe:[4711], waits for a lock that thread
        4712 holds
    frames: its stack, innermost first
    is_cut: there are more frames around
    """

    rank: int
    thread: int
    is_first: bool
    doing: Optional[str]
    frames: List[StackFrame]
    is_cut: bool

    PARTS: ClassVar[Dict[str, Type[Record]]] = {
        "frames": StackFrame,
    }


@dataclass(frozen=True)
class Range(Record):
    """From one number to another one.

    first: the first number of the range
    last: the last number of the range
    """

    first: int
    last: int


@dataclass(frozen=True)
class StandingRow(Record):
    """A place where ranks stand.

    state: in call; outside MPI; polling: outside MPI or in a poll, and it does nothing else
        (MPI_Test); gone: its process is not there any more while others run; stopped: by a
        signal; in a debugger: stopped by one
    function: the call in progress, or the last one that ended
    place: where in the program that is; null if not known
    communicator: communicator of the call in progress
    peer: the partner's rank in that communicator, if it is the same for all; else null
    ranks: how many ranks are there
    where: ranges of them
    since_s [s]: when the first of them came there, after the start of the first rank
    shortest_s [s]: how long they have been there at least: until now, or until the last sign of
        life of any rank if the job does not run
    longest_s [s]: and at most
    text: all of it in a sentence
    """

    state: str
    function: Optional[str]
    place: Optional[str]
    communicator: Optional[str]
    peer: Optional[int]
    ranks: int
    where: List[Range]
    since_s: float
    shortest_s: float
    longest_s: float
    text: str

    PARTS: ClassVar[Dict[str, Type[Record]]] = {
        "where": Range,
    }


@dataclass(frozen=True)
class Check(Record):
    """A judgement.

    name: Ranks read, Ranks finished, Detail kept, Overhead, Waiting (if it is known)
    state: good, watch, problem
    badge: the same in a word: ok, incomplete, partly
    """

    name: str
    state: str
    badge: str


@dataclass(frozen=True)
class Messages(Record):
    """Messages that are not in the matrix.

    messages: how many
    bytes [bytes]: bytes of these messages
    """

    messages: int
    bytes: int


@dataclass(frozen=True)
class FileProblem(Record):
    """A file that could not be read, or was left out.

    file: its path
    offset [bytes]: where in it
    expected: expected value
    found: value found
    """

    file: str
    offset: int
    expected: str
    found: str


@dataclass(frozen=True)
class StepRule(Record):
    """A rule for next steps.

    rule: its name
    found: the numbers of this run
    matches: its condition holds
    shown: its step is in next
    worth_s [s]: what it may save at most; null if it does not match
    """

    rule: str
    found: Optional[str]
    matches: bool
    shown: bool
    worth_s: Optional[float]


@dataclass(frozen=True)
class VerdictRule(Record):
    """A class of the verdict, and whether it matches.

    class_: the class
    condition: when it matches, with its thresholds
    found: the numbers of this run
    matches: its condition holds
    """

    class_: str
    condition: str
    found: str
    matches: bool

    KEYS: ClassVar[Dict[str, str]] = {"class_": "class"}


@dataclass(frozen=True)
class Card(Record):
    """A card of the page.

    title: the figure's name
    value: the figure
    detail: what it is part of
    note: a sentence about it
    state: good, watch, problem
    """

    title: str
    value: str
    detail: Optional[str]
    note: Optional[str]
    state: str


@dataclass(frozen=True)
class NextStep(Record):
    """A step to try.

    action: what to do
    evidence: why
    try_it: how to see soon whether it helps
    otherwise: what to look at if it does not help
    confidence: high, medium, low
    worth_s [s]: what it can save of the run's wallclock, part of an account; null: not known
    worth_low_s [s]: what it saves at least if it is done fully; null: not known
    account: the account that it saves a part of, as in accounts; null: none
    """

    action: str
    evidence: str
    try_it: Optional[str]
    otherwise: Optional[str]
    confidence: str
    worth_s: Optional[float]
    worth_low_s: Optional[float]
    account: Optional[str]


@dataclass(frozen=True)
class Verdict(Record):
    """What bounds the run, and what to try.

    class_: compute bound, load-imbalance bound, synchronisation bound, latency bound, bandwidth
        bound, start-up bound, I/O bound, mixed, kept off the CPU, blocked, serial part, thread
        imbalance, coupling bound, HUNG, kernel bound, GPU bound, GPU-imbalance bound, copy
        bound, launch bound, pickling bound, unknown (thresholds:
        parser/report/verdict_thresholds.h)
    state: how good that class is: good, watch, problem
    headline: the verdict in a sentence
    why: what it is based on, in sentences
    gain: gain_s in words
    gain_s [s]: what removing the cause would save of the wallclock: gain_s of its account; null
        if nothing can be said
    gain_low_s [s]: what it would save at least; null if nothing can be said
    next: what to try, at most three steps
    extra: remarks that hold whatever the class is: incomplete profile, more ranks than CPUs
    cards: the cards of the page
    rules: the classes in the order in which they are tried; the first that matches is class
    step_rules: all rules for next steps
    """

    class_: str
    state: str
    headline: str
    why: str
    gain: Optional[str]
    gain_s: Optional[float]
    gain_low_s: Optional[float]
    next: List[NextStep]
    extra: List[str]
    cards: List[Card]
    rules: List[VerdictRule]
    step_rules: List[StepRule]

    KEYS: ClassVar[Dict[str, str]] = {"class_": "class"}
    PARTS: ClassVar[Dict[str, Type[Record]]] = {
        "next": NextStep,
        "cards": Card,
        "rules": VerdictRule,
        "step_rules": StepRule,
    }


@dataclass(frozen=True)
class Quality(Record):
    """How far this profile can be trusted.

    ranks_expected: size of MPI_COMM_WORLD
    ranks_read: ranks whose file was read
    ranks_finished: ranks that returned from MPI_Finalize
    missing_ranks: ranges of ranks without a readable file
    missing_worlds: ranges of worlds that must have been there and have no readable file
    damaged_files: files that could not be read
    left_out_files: files of another run, or of ranks that are there twice
    dropped_percent [%]: (binned + folded calls) / calls
    binned_calls: calls whose size is known as a power-of-two bin only, for lack of space
    folded_calls: calls whose size is not known, for lack of space
    folded_messages: messages whose partner is not known, for lack of space
    untracked_requests: requests that were not followed to their completion, for lack of space
    untold_receives: receives without bytes and partner, because the MPI did not say what
        arrived
    other_partners: messages that are not in matrix, because their partner was not kept
    outside_world: messages that are not in matrix, because their partner is in another
        MPI_COMM_WORLD
    untimed_calls: calls that poll (MPI_Test, MPI_Iprobe, MPI_Comm_rank ...) for which the clock
        was not read (MPROF_SAMPLE); their time is estimated from other calls of the same line
    untimed_s [s]: that time, summed over ranks
    untimed_error_s [s]: its standard error
    overhead_s [s]: mprof's own cost, summed over ranks: calls x measured cost of recording one
        + its time in MPI_Init and MPI_Finalize + counters_s
    overhead_percent [%]: overhead_s of each rank's thread that is longest in MPI /
        totals.wallclock_s
    clock_resolution_s [s]: cost of one clock read on the slowest rank: shorter times cannot be
        distinguished
    counters_s [s]: reading counters, part of overhead_s
    counters_refused: counters that were asked for and are not counted: name: reason
    not_covered: functions that the program or its libraries are linked with and whose calls
        mprof does not count: MPIX_A (library), PMPI_B (the program); of all ranks together,
        sorted. A function that is linked need not have been called
    callsite_checks: calls whose path was walked again to check it
    callsite_disagreements: checks that found another path than recorded (should be 0)
    callsite_blind_frames: times that a new call path was ended early, because it was not known
        where on the stack its next return address is
    unsure_callsites: rows of callsites with path_unsure
    folded_callsites: calls without their full path, or without any, for lack of space
    folded_segments: segments without their place, for lack of space
    cpu_samples: samples of where the computing was
    lost_cpu_samples: that are missing
    cpu_samples_refused: why computing was not sampled, on any rank
    lost_calls: calls that were made and are not recorded, for lack of space; all others are in
        totals
    unplaced_messages: messages without call site, for lack of space
    unjournaled_collectives: collectives in no journal or without their place in it, for lack of
        space: their waiting is estimated
    untracked_communicators: how often a communicator, window or file that was not kept was made
        or used, for lack of space
    callsite_places: different source lines (or places without one) that call MPI
    unresolved_callsites: places of these whose line is not known
    unresolved_modules: why: /opt/lib/libx.so has no debug data, ... is a different build from
        the one that ran, ... is not there
    unproved_modules: looked up although they have no build id, so that nothing proves that the
        file is the one that ran
    symbols_out_of_time: looking up lines took too long and was given up; the rest is
        module+offset
    regions_left_open: names of regions that the end of one around them had to end, or that were
        open at the end
    region_ends_unmatched: ends of regions that were not open; they had no effect
    regions_not_kept: starts of regions for which there was no room
    paused_s [s]: how long recording was paused by the program, summed over ranks and threads
    collectives: instances of collectives, summed over ranks
    collectives_kept: those that the journals kept. If these are fewer, collective waiting is
        scaled up, an estimate
    wait_source: how waiting was determined, in words: what was measured, what is an estimate;
        null if it was not determined
    checks: what is judged, and how
    remarks: the above in sentences
    """

    ranks_expected: int
    ranks_read: int
    ranks_finished: int
    missing_ranks: List[Range]
    missing_worlds: List[Range]
    damaged_files: List[FileProblem]
    left_out_files: List[FileProblem]
    dropped_percent: float
    binned_calls: int
    folded_calls: int
    folded_messages: int
    untracked_requests: int
    untold_receives: int
    other_partners: Messages
    outside_world: Messages
    untimed_calls: int
    untimed_s: float
    untimed_error_s: float
    overhead_s: float
    overhead_percent: float
    clock_resolution_s: float
    counters_s: float
    counters_refused: List[str]
    not_covered: List[str]
    callsite_checks: int
    callsite_disagreements: int
    callsite_blind_frames: int
    unsure_callsites: int
    folded_callsites: int
    folded_segments: int
    cpu_samples: int
    lost_cpu_samples: int
    cpu_samples_refused: Optional[str]
    lost_calls: int
    unplaced_messages: int
    unjournaled_collectives: int
    untracked_communicators: int
    callsite_places: int
    unresolved_callsites: int
    unresolved_modules: List[str]
    unproved_modules: List[str]
    symbols_out_of_time: bool
    regions_left_open: List[str]
    region_ends_unmatched: int
    regions_not_kept: int
    paused_s: float
    collectives: int
    collectives_kept: int
    wait_source: Optional[str]
    checks: List[Check]
    remarks: List[str]

    PARTS: ClassVar[Dict[str, Type[Record]]] = {
        "missing_ranks": Range,
        "missing_worlds": Range,
        "damaged_files": FileProblem,
        "left_out_files": FileProblem,
        "other_partners": Messages,
        "outside_world": Messages,
        "checks": Check,
    }


@dataclass(frozen=True)
class Standing(Record):
    """Where the ranks are that have not ended.

    running: the job was seen running (only mprof hang and mprof top look for it)
    state: running, not running any more, killed or still running (mprof report), ended (all
        ranks have ended)
    headline: who ended the job, or else who waits for whom, in a sentence; null if neither is
        known
    ended_by: the rank that ended the job: the first one that called MPI_Abort, exited while
        others went on, or was ended by a signal, as mprof run saw it; null if there is none
    rows: one per place, most ranks first
    ended: how the other ranks ended, in words; null if there are none
    missing: the ranks without a readable file, in words; null if there are none
    look_at: ranks whose last_calls to look at first, at most 16, in that order: those that
        others wait for or that are where nobody else is
    stacks: threads of ranks that are outside MPI and run on this machine (mprof hang)
    stacks_remark: why some of them are missing, in words; null if none is
    """

    running: bool
    state: str
    headline: Optional[str]
    ended_by: Optional[int]
    rows: List[StandingRow]
    ended: Optional[str]
    missing: Optional[str]
    look_at: List[int]
    stacks: List[ThreadStack]
    stacks_remark: Optional[str]

    PARTS: ClassVar[Dict[str, Type[Record]]] = {
        "rows": StandingRow,
        "stacks": ThreadStack,
    }


@dataclass(frozen=True)
class OpenMP(Record):
    """How the threads of openmp are used.

    source: the source of the parallel regions: OMPT (the tools interface of LLVM's and other
        runtimes), libgomp (GCC's), another tool (it uses the interface, so nothing is known),
        none
    sentence: how busy the threads are, in words
    regions: how often parallel regions ran, summed over ranks. A region counts where the thread
        that started MPI met it outside other ones, until MPI ends
    threads: of the largest team
    busy_threads: threads of a rank that compute, on average over its wallclock: the busy time
        of all threads in parallel regions and serial_s, by the wallclock. Busy is neither
        waiting at a barrier of OpenMP nor in MPI
    parallel_s [s]: of the average rank's first thread, in parallel regions and outside MPI;
        with the next three and quality.overhead_s, it adds up to the wallclock
    parallel_mpi_s [s]: in MPI, in parallel regions
    serial_s [s]: outside parallel regions and outside MPI
    serial_mpi_s [s]: in MPI, outside parallel regions: the other threads are idle
    imbalance_s [s]: of parallel_s: for how much longer than the average the busiest thread of
        each region is busy
    thread_balance [0..1]: mean / longest busy time of a region's threads, each summed over
        regions
    region_efficiency [0..1]: busy time / (threads x time) of parallel regions
    mpi_efficiency [0..1]: MPI parallel efficiency of POP's hybrid metrics:
        totals.parallel_efficiency
    openmp_efficiency [0..1]: OpenMP parallel efficiency (POP): hybrid_efficiency /
        mpi_efficiency
    hybrid_efficiency [0..1]: hybrid parallel efficiency (POP, multiplicative model): the time
        in which threads compute / (run.wallclock_s x threads of all ranks)
    unseen_task_regions: places where it is not known how busy the threads are: explicit tasks
        of libgomp run unseen. Figures of busy threads leave them out, and the efficiencies are
        null if they take more than 5 % of the time in parallel regions
    """

    source: str
    sentence: Optional[str]
    regions: int
    threads: Optional[int]
    busy_threads: Optional[float]
    parallel_s: Optional[float]
    parallel_mpi_s: Optional[float]
    serial_s: Optional[float]
    serial_mpi_s: Optional[float]
    imbalance_s: Optional[float]
    thread_balance: Optional[float]
    region_efficiency: Optional[float]
    mpi_efficiency: Optional[float]
    openmp_efficiency: Optional[float]
    hybrid_efficiency: Optional[float]
    unseen_task_regions: int


@dataclass(frozen=True)
class TimeLine(Record):
    """The run over time.

    known: false: the files are of a version before 1.6, or have no time bins
    bin_s [s]: length of a bin
    row_bin_s [s]: the length that a number in ranks covers: with more than 8 ranks, several
        bins together
    headline: which phase is most worthwhile to look at; null: none stands out
    drift: what becomes slower during the run; null: nothing does
    steps: of the step that the program repeats: how many; null: none was found
    step_place: the call site at which they are counted
    step_first_s [s]: how long one takes, mean of the first tenth of them; this and the next
        ones are estimates: it is known in which bin a step ended
    step_last_s [s]: of the last tenth
    step_mean_s [s]: of all, without pauses
    step_s [s]: by bin, mean of the steps in it; 0: none
    step_busy_s [s]: by row of ranks: how much of the mean step is outside MPI
    clock_residual_s [s]: by how much the clocks of nodes can still differ, after they were
        compared; null: one node, or not known
    """

    known: bool
    bin_s: float
    row_bin_s: float
    headline: Optional[str]
    drift: Optional[str]
    steps: Optional[int]
    step_place: Optional[str]
    step_first_s: Optional[float]
    step_last_s: Optional[float]
    step_mean_s: Optional[float]
    step_s: List[float]
    step_busy_s: List[float]
    clock_residual_s: Optional[float]


@dataclass(frozen=True)
class Totals(Record):
    """Sums over the ranks.

    wallclock_s [s]: sum of the ranks' wallclock
    mpi_s [s]: sum of ranks[].mpi_s = sum of functions[].time_s
    mpi_thread_s [s]: sum of ranks[].mpi_thread_s
    wait_s [s]: waiting, summed over threads. It is measured for collectives and estimated for
        messages. Calls that do not block have none. Null if it is not known.
        quality.wait_source says how it was determined
    wait_thread_s [s]: sum of ranks[].wait_thread_s
    missing_wait_s [s]: of wait_s, in collectives, for ranks whose files are missing. Null if no
        file is missing
    compute_s [s]: sum of the ranks' compute time
    on_cpu_s [s]: of compute_s, on a CPU; as the next two summed over the ranks that know it,
        null if none does
    contention_s [s]: of compute_s, ready to run without a CPU
    blocked_s [s]: of compute_s, blocked: in a file, a page fault, sleep or a lock
    gpu_wait_s [s]: of compute_s, in a GPU driver, waiting for the GPU or asking whether it is
        done. Null if no rank used a GPU; so are the next two
    gpu_copy_s [s]: of compute_s, in the driver, copying to, from or on the GPU. A copy that
        blocks waits for kernels before it
    gpu_launch_s [s]: of compute_s, in the driver for all else: launching, memory, loading code
    user_s [s]: sum of the ranks' user CPU time
    system_s [s]: sum of the ranks' system CPU time
    comm_percent [%]: mpi_thread_s / wallclock_s; never above 100
    load_balance [0..1]: mean / max compute_s (POP)
    communication_efficiency [0..1]: max compute_s / run.wallclock_s (POP)
    parallel_efficiency [0..1]: the product of the two: mean compute_s / run.wallclock_s (POP)
    small_transfer_s [s]: MPI time in calls of below 4 KiB that is neither waiting nor start-up
        nor MPI-IO nor in MPI_Finalize; null if waiting is not known
    large_transfer_s [s]: MPI time in calls from 32 KiB on that is neither waiting nor start-up
        nor MPI-IO; null if waiting is not known
    inside_s [s]: sum of callsites[].inside_s
    load_saves_low_s [s]: sum of callsites[].load_saves_low_s; null as there
    load_saves_high_s [s]: sum of callsites[].load_saves_high_s
    calls: MPI calls
    sent_bytes [bytes]: point to point and one-sided puts, to any partner; collectives are not
        in it
    memory_bytes [bytes]: sum of the ranks' peaks
    """

    wallclock_s: float
    mpi_s: float
    mpi_thread_s: float
    wait_s: Optional[float]
    wait_thread_s: Optional[float]
    missing_wait_s: Optional[float]
    compute_s: float
    on_cpu_s: Optional[float]
    contention_s: Optional[float]
    blocked_s: Optional[float]
    gpu_wait_s: Optional[float]
    gpu_copy_s: Optional[float]
    gpu_launch_s: Optional[float]
    user_s: Optional[float]
    system_s: Optional[float]
    comm_percent: float
    load_balance: float
    communication_efficiency: float
    parallel_efficiency: float
    small_transfer_s: Optional[float]
    large_transfer_s: Optional[float]
    inside_s: float
    load_saves_low_s: Optional[float]
    load_saves_high_s: Optional[float]
    calls: int
    sent_bytes: int
    memory_bytes: int


@dataclass(frozen=True)
class Run(Record):
    """Facts of the run.

    command: the command line
    program: of the command line the program, or the script that an interpreter runs, without
        folders
    start [ISO 8601, UTC]: when the first rank entered MPI_Init
    stop [ISO 8601, UTC]: when the last rank returned from MPI_Finalize; null if no rank did
    wallclock_s [s]: longest wallclock of a rank
    ranks: size of MPI_COMM_WORLD
    nodes: different hosts among the ranks that were read
    host: host of the lowest rank that was read
    mpi_library: version of the MPI library, up to the first comma or line end
    mpi_gpu: what the MPI says about buffers on GPUs: yes, it can send from them, or no; empty
        if it says nothing, or no rank used a GPU
    mpi_abi: which ABI libmprof spoke: openmpi, mpich, mpi5 or none
    complete: every rank was read and returned from MPI_Finalize
    end: completed, incomplete (ranks are missing), aborted, exited without MPI_Finalize, killed
        or still running; of an unfinished run, where Slurm knows: its job was cancelled, its
        job reached its time limit, its job was put back into the queue, its job was preempted,
        its job lost a node, its job ran out of memory
    energy_j [J]: energy that the CPU packages and the memory of all nodes used; null if one of
        them does not report it
    energy: in words, with the share of waiting, estimated by its share of the time; null if
        energy_j is
    run_id: which run
    world: 0, or the number of a spawned world
    texts: all facts in words that the rank file holds, by key (format.md): executable,
        working_directory, mpi_path, mprof_version, core_cpus, cache_cpus, socket_cpus,
        numa_cpus, and of the node node.cpu_model, node.cpus, node.cores, node.sockets,
        node.numa_nodes, node.l3_bytes, node.memory_bytes ...
    """

    command: Optional[str]
    program: Optional[str]
    start: Optional[str]
    stop: Optional[str]
    wallclock_s: float
    ranks: int
    nodes: int
    host: Optional[str]
    mpi_library: Optional[str]
    mpi_gpu: Optional[str]
    mpi_abi: str
    complete: bool
    end: str
    energy_j: Optional[float]
    energy: Optional[str]
    run_id: str
    world: int
    texts: Dict[str, str]
