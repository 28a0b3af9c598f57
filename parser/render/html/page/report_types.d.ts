// The fields of the documents that their pages have, by key. Made from parser/ by tests/golden/print_fields.cc.

export interface Fields {
  run: {
    /** the command line */
    command: string | null | undefined;
    /** when the first rank entered MPI_Init; ISO 8601, UTC */
    start: string | null | undefined;
    /** when the last rank returned from MPI_Finalize; null if no rank did; ISO 8601, UTC */
    stop: string | null | undefined;
    /** longest wallclock of a rank; s */
    wallclock_s: number;
    /** size of MPI_COMM_WORLD */
    ranks: number;
    /** different hosts among the ranks that were read */
    nodes: number;
    /** host of the lowest rank that was read */
    host: string | null | undefined;
    /** version of the MPI library, up to the first comma or line end */
    mpi_library: string | null | undefined;
    /** what the MPI says about buffers on GPUs: `yes`, it can send from them, or `no`; empty if it says nothing, or no rank used a GPU */
    mpi_gpu: string | null | undefined;
    /** which ABI libmprof spoke: `openmpi`, `mpich`, `mpi5` or `none` */
    mpi_abi: "none" | "openmpi" | "mpich" | "mpi5";
    /** every rank was read and returned from MPI_Finalize */
    complete: boolean;
    /** `completed`, `incomplete` (ranks are missing), `aborted`, `exited without MPI_Finalize`, `killed or still running`; of an unfinished run, where Slurm knows: `its job was cancelled`, `its job reached its time limit`, `its job was put back into the queue`, `its job was preempted`, `its job lost a node`, `its job ran out of memory` */
    end: "completed" | "incomplete" | "aborted" | "exited without MPI_Finalize" | "killed or still running" | "its job was cancelled" | "its job reached its time limit" | "its job was put back into the queue" | "its job was preempted" | "its job lost a node" | "its job ran out of memory";
    /** energy that the CPU packages and the memory of all nodes used; null if one of them does not report it; J */
    energy_j: number | null | undefined;
    /** in words, with the share of waiting, estimated by its share of the time; null if `energy_j` is */
    energy: string | null | undefined;
    /** which run */
    run_id: string;
    /** 0, or the number of a spawned world */
    world: number;
  };
  totals: {
    /** sum of the ranks' wallclock; s */
    wallclock_s: number;
    /** sum of `ranks[].mpi_s` = sum of `functions[].time_s`; s */
    mpi_s: number;
    /** sum of `ranks[].mpi_thread_s`; s */
    mpi_thread_s: number;
    /** waiting, summed over threads. It is measured for collectives and estimated for messages. Calls that do not block have none. Null if it is not known. `quality.wait_source` says how it was determined; s */
    wait_s: number | null | undefined;
    /** sum of `ranks[].wait_thread_s`; s */
    wait_thread_s: number | null | undefined;
    /** of `wait_s`, in collectives, for ranks whose files are missing. Null if no file is missing; s */
    missing_wait_s: number | null | undefined;
    /** sum of the ranks' compute time; s */
    compute_s: number;
    /** of `compute_s`, on a CPU; as the next two summed over the ranks that know it, null if none does; s */
    on_cpu_s: number | null | undefined;
    /** of `compute_s`, ready to run without a CPU; s */
    contention_s: number | null | undefined;
    /** of `compute_s`, blocked: in a file, a page fault, sleep or a lock; s */
    blocked_s: number | null | undefined;
    /** of `compute_s`, in a GPU driver, waiting for the GPU or asking whether it is done. Null if no rank used a GPU; so are the next two; s */
    gpu_wait_s: number | null | undefined;
    /** of `compute_s`, in the driver, copying to, from or on the GPU. A copy that blocks waits for kernels before it; s */
    gpu_copy_s: number | null | undefined;
    /** of `compute_s`, in the driver for all else: launching, memory, loading code; s */
    gpu_launch_s: number | null | undefined;
    /** sum of the ranks' user CPU time; s */
    user_s: number | null | undefined;
    /** sum of the ranks' system CPU time; s */
    system_s: number | null | undefined;
    /** `mpi_thread_s` / `wallclock_s`; never above 100; % */
    comm_percent: number;
    /** mean / max `compute_s` (POP); 0..1 */
    load_balance: number;
    /** max `compute_s` / `run.wallclock_s` (POP); 0..1 */
    communication_efficiency: number;
    /** the product of the two: mean `compute_s` / `run.wallclock_s` (POP); 0..1 */
    parallel_efficiency: number;
    /** MPI calls */
    calls: number;
    /** point to point and one-sided puts, to any partner; collectives are not in it; bytes */
    sent_bytes: number;
    /** sum of the ranks' peaks; bytes */
    memory_bytes: number;
  };
  time_parts: {
    /** `computing`, `waiting for a CPU`, `blocked`, `waiting in MPI`, `transfer`, `MPI I/O`, `start-up`, `MPI` (where waiting is not known separately), `mprof` */
    state: "computing" | "waiting for a CPU" | "blocked" | "waiting for the GPU" | "copying to or from the GPU" | "launching on the GPU" | "waiting in MPI" | "transfer" | "MPI I/O" | "start-up" | "MPI" | "mprof";
    /** of the average rank; s */
    time_s: number;
    /** of its wallclock; % */
    percent: number;
    /** in part estimated, not measured */
    estimated: boolean;
  };
  phases: {
    /** of a region of the program, of the function that calls MPI most, or `start-up`, `output`; numbered where it repeats */
    name: string | null | undefined;
    /** where the name comes from: `start-up`, `region`, `call site`, `output`, `position` */
    source: "start-up" | "region" | "call site" | "output" | "position";
    /** after the first rank entered MPI; s */
    from_s: number;
    /** likewise; s */
    to_s: number;
    /** of the run, 0 to 1 */
    wallclock_share: number;
    /** computing on a CPU; s */
    compute_s: number;
    /** waiting in MPI; in a bin it is an estimate; s */
    wait_s: number;
    /** in MPI, and none of the other kinds; s */
    transfer_s: number;
    /** in MPI-IO, without waiting; s */
    file_s: number;
    /** waiting for a CPU, outside MPI; s */
    contention_s: number;
    /** blocked, outside MPI; s */
    blocked_s: number;
    /** waiting for the GPU; s */
    gpu_wait_s: number;
    /** copying to, from or on the GPU; s */
    gpu_copy_s: number;
    /** in the driver of a GPU for all else; s */
    gpu_launch_s: number;
    /** starting MPI and making communicators, without waiting; s */
    startup_s: number;
    /** of the time of the ranks in it; % */
    mpi_percent: number;
    /** the rank that is outside MPI longest; null if none stands out */
    slowest_rank: number | null | undefined;
    /** its time outside MPI / the median's */
    slowest_over: number;
    /** of the call site with most MPI time */
    function: string | null | undefined;
    /** of the call site with most MPI time */
    place: string | null | undefined;
    /** `good`, `watch`, `problem` */
    state: "good" | "watch" | "problem";
    /** the phase in a sentence or two */
    headline: string | null | undefined;
  };
  time: {
    /** false: the files are of a version before 1.6, or have no time bins */
    known: boolean;
    /** length of a bin; s */
    bin_s: number;
    /** the length that a number in `ranks` covers: with more than 8 ranks, several bins together; s */
    row_bin_s: number;
    /** which phase is most worthwhile to look at; null: none stands out */
    headline: string | null | undefined;
    /** what becomes slower during the run; null: nothing does */
    drift: string | null | undefined;
    /** of the step that the program repeats: how many; null: none was found */
    steps: number | null | undefined;
    /** the call site at which they are counted */
    step_place: string | null | undefined;
    /** how long one takes, mean of the first tenth of them; this and the next ones are estimates: it is known in which bin a step ended; s */
    step_first_s: number | null | undefined;
    /** of the last tenth; s */
    step_last_s: number | null | undefined;
    /** of all, without pauses; s */
    step_mean_s: number | null | undefined;
    /** by how much the clocks of nodes can still differ, after they were compared; null: one node, or not known; s */
    clock_residual_s: number | null | undefined;
  };
  functions: {
    /** name of the MPI function */
    function: string;
    /** completed calls and pending ones (an MPI_Irecv that never completed is also a call) */
    calls: number;
    /** payload by the definitions below, starts of persistent requests included; bytes */
    bytes: number;
    /** time in it, summed over threads and ranks; s */
    time_s: number;
    /** of `time_s`, of the ranks' MPI threads: only that is a part of the wallclock; s */
    mpi_thread_s: number;
    /** longest single call; s */
    max_s: number;
    /** waiting, as in totals; s */
    wait_s: number | null | undefined;
    /** `time_s` / `totals.mpi_s`; % */
    mpi_percent: number;
    /** `mpi_thread_s` / `totals.wallclock_s`: these add up to `totals.comm_percent`; % */
    wall_percent: number;
    /** time of the rank that spent most in it / mean over all ranks */
    max_over_mean: number;
    /** the rank that spent most time in it */
    max_rank: number;
  };
  messages: {
    /** name of the MPI function */
    function: string;
    /** size of one message; bytes */
    bytes: number;
    /** calls of that size; kind `start`: starts */
    calls: number;
    /** time in them; kind `start`: 0, their time is in MPI_Start or MPI_Startall; s */
    time_s: number;
    /** `exact`; `bin`: `bytes` is the lower bound of a power-of-two bin; `function`: the size is not known, `bytes` is 0 */
    precision: "exact" | "bin" | "function";
    /** `call`; `pending`: calls whose size was not known at the end (a receive that never completed), `bytes` is 0; `start`: starts of a persistent or partitioned request, under the function that made it */
    kind: "call" | "pending" | "start";
    /** exact sum over the row, whatever the precision; bytes */
    sum_bytes: number;
  };
  received: {
    /** name of the MPI function */
    function: string;
    /** size of one message; bytes */
    bytes: number;
    /** messages that arrived */
    calls: number;
    /** as in messages */
    precision: "exact" | "bin" | "function";
    /** exact sum over the row; bytes */
    sum_bytes: number;
  };
  callsites: {
    /** the MPI function */
    function: string;
    /** as in functions */
    calls: number;
    /** as in functions; bytes */
    bytes: number;
    /** as in functions; s */
    time_s: number;
    /** as in functions; s */
    mpi_thread_s: number;
    /** as in totals, of these calls; s */
    wait_s: number | null | undefined;
    /** `time_s` / `totals.mpi_s`; % */
    mpi_percent: number;
    /** bytes of one call, if over half of the time went into calls of that size; else null; bytes */
    size_bytes: number | null | undefined;
    /** ranks that have a part of `time_s` */
    ranks: number;
    /** mean of `time_s` over these ranks; s */
    mean_s: number;
    /** least of these ranks; s */
    min_s: number;
    /** most of these ranks; s */
    max_s: number;
    /** the rank with the least */
    min_rank: number;
    /** the rank with the most */
    max_rank: number;
    /** path of the region in which most of the time is spent */
    region: string | null | undefined;
    /** the communicator with most of the time: its name, or how it was made */
    communicator: string | null | undefined;
    /** of calls that start requests: how many of these were completed */
    completions: number;
    /** their share of the time of the completing calls (MPI_Wait ...). It is in `time_s` of those calls, and not in this row's; s */
    completion_s: number;
    /** from the end of the starting call to the start of the completing one, summed over `spans`; s */
    span_s: number;
    /** the part of it that the thread was outside MPI: computing hid at most that much of the transfer. Null if there are completions and no `spans`; s */
    overlapped_s: number | null | undefined;
    /** point to point: the rank of MPI_COMM_WORLD that most of the time went to, over all calling ranks */
    top_partner: number | null | undefined;
    /** that time; s */
    top_partner_s: number | null | undefined;
    /** collectives: the rank that the others waited for most often here; null if that is not known, as the next two */
    last_rank: number | null | undefined;
    /** in how many of the instances in which anybody waited that rank was the last; % */
    last_percent: number | null | undefined;
    /** how long the others waited for it, summed over them; s */
    caused_wait_s: number | null | undefined;
    /** there are more frames around */
    path_cut: boolean;
    /** and mprof could not tell which: calls by several paths may be in this row */
    path_unsure: boolean;
  };
  call_lines: {
    /** as in callsites */
    place: string | null | undefined;
    /** the MPI function */
    function: string;
    /** as in callsites */
    symbol: string | null | undefined;
    /** rows of callsites */
    paths: number;
    /** as in functions */
    calls: number;
    /** as in functions; bytes */
    bytes: number;
    /** as in functions; s */
    time_s: number;
    /** as in functions; s */
    mpi_thread_s: number;
    /** as in totals, of these calls; s */
    wait_s: number | null | undefined;
    /** `time_s` / `totals.mpi_s`; % */
    mpi_percent: number;
    /** bytes of one call, if over half of the time went into calls of that size; else null; bytes */
    size_bytes: number | null | undefined;
    /** of calls that start requests: how many of these were completed */
    completions: number;
    /** their share of the time of the completing calls (MPI_Wait ...). It is in `time_s` of those calls, and not in this row's; s */
    completion_s: number;
    /** from the end of the starting call to the start of the completing one, summed over `spans`; s */
    span_s: number;
    /** the part of it that the thread was outside MPI: computing hid at most that much of the transfer. Null if there are completions and no `spans`; s */
    overlapped_s: number | null | undefined;
  };
  segments: {
    /** how often */
    count: number;
    /** how long in all; s */
    time_s: number;
    /** the part of it without a CPU, where that was recorded by place; s */
    contention_s: number;
    /** the part of it blocked, likewise; s */
    blocked_s: number;
    /** ranks that have a part of `time_s` */
    ranks: number;
    /** mean of `time_s` over these ranks; s */
    mean_s: number;
    /** least of these ranks; s */
    min_s: number;
    /** most of these ranks; s */
    max_s: number;
    /** the rank with the least */
    min_rank: number;
    /** the rank with the most */
    max_rank: number;
    /** CPU samples taken in it; see hotspots */
    samples: number;
    /** the function with most of these, and its hottest line; null with fewer than 20 */
    mostly_in: string | null | undefined;
    /** the share of that function; % */
    mostly_percent: number | null | undefined;
  };
  hotspots: {
    /** the row of segments, from 0; null: of short segments that were not kept apart */
    segment: number | null | undefined;
    /** what the library does, if its name says so */
    kind: "other" | "waiting for the GPU" | "linear algebra" | "Fourier transforms" | "files" | "Python";
    /** how often the CPU was there */
    samples: number;
    /** of the samples of the list, of hotspots of that segment; % */
    percent: number;
    /** CPU time that the samples represent; s */
    time_s: number;
    /** ranks that have a part of `time_s` */
    ranks: number;
    /** mean of `time_s` over these ranks; s */
    mean_s: number;
    /** least of these ranks; s */
    min_s: number;
    /** most of these ranks; s */
    max_s: number;
    /** the rank with the least */
    min_rank: number;
    /** the rank with the most */
    max_rank: number;
    /** the same in words, and its share; null if no way is known */
    called_by: string | null | undefined;
  };
  hot_lines: {
    /** what the library does, if its name says so */
    kind: "other" | "waiting for the GPU" | "linear algebra" | "Fourier transforms" | "files" | "Python";
    /** how often the CPU was there */
    samples: number;
    /** of the samples of the list, of hotspots of that segment; % */
    percent: number;
    /** CPU time that the samples represent; s */
    time_s: number;
    /** ranks that have a part of `time_s` */
    ranks: number;
    /** mean of `time_s` over these ranks; s */
    mean_s: number;
    /** least of these ranks; s */
    min_s: number;
    /** most of these ranks; s */
    max_s: number;
    /** the rank with the least */
    min_rank: number;
    /** the rank with the most */
    max_rank: number;
  };
  hot_libraries: {
    /** what the library does, if its name says so */
    kind: "other" | "waiting for the GPU" | "linear algebra" | "Fourier transforms" | "files" | "Python";
    /** how often the CPU was there */
    samples: number;
    /** of the samples of the list, of hotspots of that segment; % */
    percent: number;
    /** CPU time that the samples represent; s */
    time_s: number;
    /** ranks that have a part of `time_s` */
    ranks: number;
    /** mean of `time_s` over these ranks; s */
    mean_s: number;
    /** least of these ranks; s */
    min_s: number;
    /** most of these ranks; s */
    max_s: number;
    /** the rank with the least */
    min_rank: number;
    /** the rank with the most */
    max_rank: number;
  };
  fault_places: {
    /** page faults in the function, of those that were watched: a ninth of the time */
    faults: number;
    /** of the page faults of the list; % */
    percent: number;
    /** ranks that have some of them */
    ranks: number;
    /** the rank that has most */
    max_rank: number;
    /** the same in words, and its share; null if no way is known */
    called_by: string | null | undefined;
  };
  early_places: {
    /** CPU time in the function before MPI_Init, in steps of 0.1 s, over all ranks; s */
    time_s: number;
    /** of the time of the list; % */
    percent: number;
    /** ranks that have some of it */
    ranks: number;
    /** of the rank with most; s */
    max_s: number;
    /** the rank that has most */
    max_rank: number;
    /** the same in words, and its share; null if no way is known */
    called_by: string | null | undefined;
  };
  ranks: {
    /** its number in MPI_COMM_WORLD */
    rank: number;
    /** from entering MPI_Init to returning from MPI_Finalize; for unfinished ranks up to the last sign of life (for those in a call, that of any rank), for running ones until now; s */
    wallclock_s: number;
    /** in MPI, of its MPI thread: the thread that spent most time there. All parts of the wallclock are those of this thread; s */
    mpi_thread_s: number;
    /** of `mpi_thread_s`, waiting. Null if it is not known; s */
    wait_thread_s: number | null | undefined;
    /** how long others waited for it, summed over them; s */
    caused_wait_s: number | null | undefined;
    /** `wallclock_s` - `mpi_thread_s` - `own_s`; s */
    compute_s: number;
    /** of `compute_s`, on a CPU and not in a GPU driver, as the kernel reports it for the MPI thread; null if it was not recorded; so are the next ones; s */
    on_cpu_s: number | null | undefined;
    /** of `compute_s`, in the run queue: ready to run, while others had the CPU; s */
    contention_s: number | null | undefined;
    /** of `compute_s`, blocked: in a file, a page fault, sleep or a lock; s */
    blocked_s: number | null | undefined;
    /** of `compute_s`, in a GPU driver, waiting for the GPU or asking whether it is done. Null if the rank used no GPU; so are all fields of GPUs; s */
    gpu_wait_s: number | null | undefined;
    /** of `compute_s`, in the driver, copying to, from or on the GPU. A copy that blocks waits for kernels before it; s */
    gpu_copy_s: number | null | undefined;
    /** of `compute_s`, in the driver for all else: launching, memory, loading code; s */
    gpu_launch_s: number | null | undefined;
    /** largest resident set; of unfinished ranks at their last sample, null without one; bytes */
    memory_bytes: number | null | undefined;
    /** as in totals */
    calls: number;
    /** as in totals; bytes */
    sent_bytes: number;
    /** threads that called MPI */
    threads: number;
    /** it returned from MPI_Finalize */
    complete: boolean;
    /** how many these were at the last sample */
    cpus_allowed: number | null | undefined;
    /** of the CPU that the last sample was taken on */
    numa_node: number | null | undefined;
    /** how often the thread that took the last sample moved to another CPU */
    migrations: number | null | undefined;
    /** page faults of the process up to the last sample */
    minor_faults: number | null | undefined;
    /** page faults that waited for a disk */
    major_faults: number | null | undefined;
    /** how often its threads waited, up to the last sample */
    voluntary_switches: number | null | undefined;
    /** how often its threads had to leave the CPU to something else, up to the last sample */
    involuntary_switches: number | null | undefined;
    /** growth of the resident set in MPI_Init: the MPI library's own footprint; bytes */
    init_memory_bytes: number | null | undefined;
    /** of the resident set at the last sample, file-backed or shared memory; bytes */
    shared_memory_bytes: number | null | undefined;
    /** the same on other NUMA nodes; bytes */
    numa_other_bytes: number | null | undefined;
  };
  rank_functions: {
    /** the rank that called */
    rank: number;
    /** name of the MPI function */
    function: string;
    /** as in functions, of this rank */
    calls: number;
    /** as in functions, of this rank; bytes */
    bytes: number;
    /** as in functions, of this rank; bytes */
    received_bytes: number;
    /** time in it, summed over the rank's threads; s */
    time_s: number;
    /** its shortest single call; s */
    min_s: number;
    /** its longest single call; s */
    max_s: number;
    /** waiting, as in totals; s */
    wait_s: number | null | undefined;
  };
  rank_callsites: {
    /** the rank that called */
    rank: number;
    /** the row of callsites, from 0 */
    callsite: number;
    /** as in callsites, of this rank */
    calls: number;
    /** as in callsites, of this rank; bytes */
    bytes: number;
    /** as in callsites, of this rank; s */
    time_s: number;
    /** as in callsites, of this rank; s */
    wait_s: number | null | undefined;
  };
  matrix: {
    /** rank of the sender, or the target of a get */
    source: number;
    /** rank of the receiver, or the caller of a get */
    destination: number;
    /** messages: point to point as the sender counted them, one-sided as their caller did */
    messages: number;
    /** bytes of these messages; bytes */
    bytes: number;
    /** time of the calls that sent them, on the source, and of the calls that received them, on the destination. Of nonblocking ones: of the call that started them and its share of the one that completed it. Of one-sided ones: on their caller; s */
    time_s: number;
    /** the part of `bytes` that is one-sided; bytes */
    one_sided_bytes: number;
  };
  nodes: {
    /** its name */
    host: string | null | undefined;
    /** its lowest rank */
    first_rank: number;
    /** how many of its ranks were read */
    ranks: number;
    /** mean of its ranks; s */
    compute_s: number;
    /** mean of its ranks, of each the MPI time of its busiest thread; s */
    mpi_s: number;
    /** mean of its ranks; s */
    wait_s: number | null | undefined;
    /** sum of its ranks' peaks; bytes */
    memory_bytes: number;
    /** messages sent between its own ranks */
    inside_messages: number;
    /** bytes of these messages; bytes */
    inside_bytes: number;
    /** messages sent to ranks on other nodes. Messages to ranks that were not read are neither here nor in `inside_messages` */
    outside_messages: number;
    /** bytes of these messages; bytes */
    outside_bytes: number;
  };
  bindings: {
    /** the first of the nodes that are alike */
    host: string;
    /** nodes that are alike, this one included: their ranks, in order, sit in the same places */
    nodes: number;
    /** CPUs that the ranks may run on, such as `0-3,8` */
    cpus: string | null | undefined;
    /** the smallest part of a node that holds these CPUs: `core`, `cache` (of the third level), `NUMA node`, `socket`, `node` */
    level: "core" | "cache" | "NUMA node" | "socket" | "node";
    /** of the core that holds them; null if none does */
    core_cpus: string | null | undefined;
    /** of the third-level cache */
    cache_cpus: string | null | undefined;
    /** of the NUMA node */
    numa_cpus: string | null | undefined;
    /** of the socket */
    socket_cpus: string | null | undefined;
    /** how many ranks of `host` these are */
    ranks: number;
    /** which ones, such as `0-3,8` */
    rank_list: string | null | undefined;
  };
  node_figures: {
    /** a key of nodes, or the name of a metric */
    figure: string;
    /** median of the nodes */
    median: number | null | undefined;
    /** how many nodes stand out */
    stand_out: number;
  };
  node_pairs: {
    /** host of the senders */
    source: string;
    /** host of the receivers; it may be the same host */
    destination: string;
    /** messages, summed over the matrix; ranks that were not read are left out */
    messages: number;
    /** bytes of these messages; bytes */
    bytes: number;
    /** their time, as in matrix; s */
    time_s: number;
  };
  distances: {
    /** rank of the destination minus rank of the source */
    distance: number;
    /** how many pairs of ranks have messages at it */
    pairs: number;
    /** messages at it */
    messages: number;
    /** bytes of these messages; bytes */
    bytes: number;
    /** their time, as in matrix; s */
    time_s: number;
  };
  communicators: {
    /** null if none was given; `(none)`: the row of all calls that have no communicator, so that the table adds up to the totals */
    name: string | null | undefined;
    /** `intra`, `inter`, `cartesian`, `graph`; `none`: of the row `(none)` */
    kind: "intra" | "inter" | "cartesian" | "graph" | "none";
    /** its size; 0 in the row `(none)` */
    size: number;
    /** size of the remote group of an intercommunicator */
    remote_size: number;
    /** the MPI function that made it */
    made_by: string | null | undefined;
    /** `file:line` or `module+offset` of that call; null if not recorded */
    made_at: string | null | undefined;
    /** how many were counted as one, at most per rank */
    created: number;
    /** ranks that have it. Communicators without identity share a row if maker, name and size are the same: then `ranks` can exceed `size` */
    ranks: number;
    /** MPI calls with it */
    calls: number;
    /** bytes of these calls, as in functions; bytes */
    bytes: number;
    /** time in these calls; s */
    time_s: number;
    /** as in functions; s */
    mpi_thread_s: number;
    /** waiting in these calls, as in totals; s */
    wait_s: number | null | undefined;
  };
  worlds: {
    /** its number, for `--world`; 0 is the one that began the run */
    world: number;
    /** size of its MPI_COMM_WORLD */
    ranks: number;
    /** how many of them could be read */
    ranks_read: number;
    /** as in run, of that world */
    command: string | null | undefined;
    /** as in run, of that world; s */
    wallclock_s: number;
    /** as in totals, of that world; % */
    comm_percent: number;
    /** as in run, of that world */
    complete: boolean;
    /** as in run, of that world */
    end: "completed" | "incomplete" | "aborted" | "exited without MPI_Finalize" | "killed or still running" | "its job was cancelled" | "its job reached its time limit" | "its job was put back into the queue" | "its job was preempted" | "its job lost a node" | "its job ran out of memory";
    /** what is wrong with it, in words */
    remark: string | null | undefined;
  };
  programs: {
    /** the name of its executable, or of the script that an interpreter runs, without folders */
    program: string;
    /** command line of its first rank */
    command: string | null | undefined;
    /** how many ranks run it, of those that were read */
    ranks: number;
    /** ranges of them in words */
    ranks_text: string | null | undefined;
    /** wallclock of the average rank, as all times in this row; s */
    wallclock_s: number;
    /** as in ranks; s */
    compute_s: number;
    /** as `mpi_thread_s` in ranks; s */
    mpi_s: number;
    /** as `wait_thread_s` in ranks; null if not known; s */
    wait_s: number | null | undefined;
    /** the part of `wait_s` whose program is not known: for ranks without a file, and for partners that are not known; s */
    unknown_wait_s: number | null | undefined;
    /** as in ranks; null if not recorded; s */
    contention_s: number | null | undefined;
    /** as in ranks; null if not recorded; s */
    blocked_s: number | null | undefined;
    /** as in totals, of its ranks; % */
    comm_percent: number;
    /** mean / max compute time of its own ranks: 1 is even */
    load_balance: number;
    /** what bounds its ranks, by the rules of the verdict applied to them alone */
    class: "unknown" | "compute bound" | "load-imbalance bound" | "synchronisation bound" | "latency bound" | "bandwidth bound" | "start-up bound" | "I/O bound" | "mixed" | "kept off the CPU" | "blocked" | "serial part" | "thread imbalance" | "coupling bound" | "HUNG" | "kernel bound" | "GPU bound" | "GPU-imbalance bound" | "copy bound" | "launch bound" | "pickling bound";
    /** how good that is: `good`, `watch`, `problem` */
    state: "good" | "watch" | "problem";
  };
  program_waits: {
    /** the program that waits */
    program: string;
    /** the program waited for; its own name: ranks of the same program */
    waits_for: string;
    /** how long the average rank of `program` waits for it; with `unknown_wait_s`, these add up to its `wait_s`. Waiting for a rank that is itself waiting is passed on; that part is estimated; s */
    wait_s: number;
    /** that, of the wallclock of `program`; % */
    percent: number;
  };
  files: {
    /** as the program named it. `out.#.dat`: more than eight files whose names differ only in numbers. `(other files)`: those that the record had no room for, or whose opening mprof did not see */
    name: string | null | undefined;
    /** how it was opened: `read`, `write`, `create`, `new` (it must not exist), `append`, `sequential`, `unique`, `deleted on close` */
    mode: string | null | undefined;
    /** how many files are in the row */
    files: number;
    /** ranks that opened it */
    ranks: number;
    /** size of the largest communicator that it was opened on; 1: each rank alone */
    communicator_size: number;
    /** time in all calls that are given it; of nonblocking ones also their share of the calls that completed them; s */
    time_s: number;
    /** calls that read. A split collective counts where it ends */
    read_calls: number;
    /** bytes that actually arrived; bytes */
    read_bytes: number;
    /** time of these calls; s */
    read_s: number;
    /** calls that write */
    write_calls: number;
    /** bytes that were actually written; bytes */
    written_bytes: number;
    /** time of these calls; s */
    write_s: number;
    /** of a call that reads or writes; bytes */
    mean_bytes: number | null | undefined;
    /** of the smallest; bytes */
    min_bytes: number | null | undefined;
    /** of the largest; bytes */
    max_bytes: number | null | undefined;
    /** of the calls that read or write: those that all ranks make together; % */
    collective_percent: number | null | undefined;
    /** bytes per second of all ranks together: bytes read and written, divided by the time of the rank that read and wrote longest */
    rate_bytes_per_s: number | null | undefined;
    /** bytes per second of one rank while it reads or writes, on average: the same bytes, by the sum of all ranks' times */
    rank_rate_bytes_per_s: number | null | undefined;
    /** the rank that read and wrote longest */
    slowest_rank: number | null | undefined;
    /** how often it was opened, summed over ranks */
    opens: number;
    /** time to open and close it; s */
    open_s: number;
    /** how often it was synced, summed over ranks */
    syncs: number;
    /** time of these calls; s */
    sync_s: number;
    /** other calls that are given it: seeks, views, sizes */
    other_calls: number;
    /** time of these calls; s */
    other_s: number;
    /** where it is opened: `file:line` or `module+offset` of the first such call; null if not recorded */
    open_place: string | null | undefined;
    /** where it is synced */
    sync_place: string | null | undefined;
    /** where it is read or written */
    move_place: string | null | undefined;
  };
  plain_files: {
    /** as the kernel names it. `out.#.dat`: more than eight files whose names differ only in numbers. Null: the file is not known: read or written at given offsets (pread), opened and closed between two MPI calls, or a pipe or a socket */
    name: string | null | undefined;
    /** how it was opened: `read`, `write`, `append` */
    mode: string | null | undefined;
    /** how many files are in the row */
    files: number;
    /** ranks that read or wrote it */
    ranks: number;
    /** as far as its position moved on, and `likely_bytes`; bytes */
    read_bytes: number;
    /** likewise; bytes */
    written_bytes: number;
    /** of these two: bytes that moved no position, while no other file was open for it, or before it was seen to be open; bytes */
    likely_bytes: number;
    /** system calls that read, estimated by the share of these bytes in all that the process read meanwhile */
    read_calls: number;
    /** calls that write, likewise */
    write_calls: number;
    /** of a call; bytes */
    mean_bytes: number | null | undefined;
    /** bytes per second of all ranks together, by `busy_s` */
    rate_bytes_per_s: number | null | undefined;
    /** the time in which its bytes moved, on the rank with most: stretches of 10 ms or more between two looks; s */
    busy_s: number;
    /** how often it was found newly opened, summed over ranks: it was opened that often, or more */
    opens: number;
    /** the rank that moved most bytes */
    most_rank: number | null | undefined;
    /** of that rank; bytes */
    most_bytes: number;
  };
  openmp: {
    /** the source of the parallel regions: `OMPT` (the tools interface of LLVM's and other runtimes), `libgomp` (GCC's), `another tool` (it uses the interface, so nothing is known), `none` */
    source: "none" | "OMPT" | "libgomp" | "another tool";
    /** how busy the threads are, in words */
    sentence: string | null | undefined;
    /** of the average rank's first thread, in parallel regions and outside MPI; with the next three and `quality.overhead_s`, it adds up to the wallclock; s */
    parallel_s: number | null | undefined;
    /** in MPI, in parallel regions; s */
    parallel_mpi_s: number | null | undefined;
    /** outside parallel regions and outside MPI; s */
    serial_s: number | null | undefined;
    /** in MPI, outside parallel regions: the other threads are idle; s */
    serial_mpi_s: number | null | undefined;
    /** mean / longest busy time of a region's threads, each summed over regions; 0..1 */
    thread_balance: number | null | undefined;
    /** MPI parallel efficiency of POP's hybrid metrics: `totals.parallel_efficiency`; 0..1 */
    mpi_efficiency: number | null | undefined;
    /** OpenMP parallel efficiency (POP): `hybrid_efficiency` / `mpi_efficiency`; 0..1 */
    openmp_efficiency: number | null | undefined;
    /** hybrid parallel efficiency (POP, multiplicative model): the time in which threads compute / (`run.wallclock_s` x threads of all ranks); 0..1 */
    hybrid_efficiency: number | null | undefined;
  };
  parallel_regions: {
    /** `file:line` or `module+offset` of the region */
    place: string | null | undefined;
    /** the program's function that it is in */
    function: string | null | undefined;
    /** how often it ran, summed over ranks */
    regions: number;
    /** of the largest team */
    threads: number;
    /** of the ranks' first threads in it; s */
    time_s: number;
    /** how many are busy at a time */
    busy_threads: number | null | undefined;
    /** as in openmp; 0..1 */
    thread_balance: number | null | undefined;
    /** for how much longer than the average the busiest thread is busy, summed over ranks; s */
    imbalance_s: number | null | undefined;
  };
  gpu_sites: {
    /** `wait`: for the GPU, or asking whether it has come so far; `copy`; `other`: launching, memory, loading code */
    use: "wait" | "copy" | "other";
    /** `file:line` of the program's code that is nearest to the call, or `module+offset`; empty: not kept apart */
    place: string | null | undefined;
    /** the function that it is in */
    function: string | null | undefined;
    /** ranks that call from there */
    ranks: number;
    /** summed over ranks and threads, as the next two */
    calls: number;
    /** of copies; bytes */
    bytes: number;
    /** of `bytes`, from or to pageable memory of the host, which is not pinned; bytes */
    pageable_bytes: number;
    /** in the driver; s */
    time_s: number;
    /** of the rank with most; s */
    max_s: number;
    /** that rank */
    max_rank: number;
    /** of one call; s */
    longest_call_s: number;
    /** of `wait`: the kernel that was launched before most of the waiting, `(graph)` for a graph; empty where that is not known */
    kernel: string | null | undefined;
  };
  gpu_buffers: {
    /** of MPI; empty for calls that were not kept apart */
    function: string | null | undefined;
    /** line of the program */
    place: string | null | undefined;
    /** `host` (memory that the GPU's driver does not know), `pinned`, `managed`, `device` */
    memory: "host" | "pinned" | "managed" | "device";
    /** the call writes to it; else it reads it */
    received: boolean;
    /** ranks with such buffers */
    ranks: number;
    /** summed over ranks, as all that follow */
    calls: number;
    /** of received ones, that there was room for; bytes */
    bytes: number;
    /** copies from the device to the buffer before it was sent, or from it to the device after it was received */
    staged_copies: number;
    /** of the buffers, in these copies; bytes */
    staged_bytes: number;
    /** that these copies took; s */
    staged_s: number;
  };
  gpu_work: {
    /** `kernel`, `NCCL` (a kernel of it), `copy to the GPU`, `copy from the GPU`, `copy on the GPU`, `copy between GPUs`, `other copy`, `fill`, or `synchronization`: the host waited */
    use: "kernel" | "NCCL" | "copy to the GPU" | "copy from the GPU" | "copy on the GPU" | "copy between GPUs" | "other copy" | "fill" | "synchronization";
    /** its name without arguments; empty: no kernel, or all that are not listed */
    kernel: string | null | undefined;
    /** that ran it */
    ranks: number;
    /** how often, summed over ranks, as all that follow */
    count: number;
    /** on the GPU; s */
    time_s: number;
    /** of the time of all kernels, copies and fills; % */
    percent: number;
    /** of one; s */
    longest_s: number;
    /** of `time_s`, of the rank with most; s */
    max_s: number;
    /** this rank */
    max_rank: number;
    /** of copies and fills; bytes */
    bytes: number;
    /** of copies, from or to memory of the host that is not pinned; bytes */
    pageable_bytes: number;
  };
  gpu_time: {
    /** since MPI_Init; s */
    begin_s: number;
    /** of the bin; s */
    length_s: number;
    /** of it, the average GPU runs a kernel of the program's; % */
    computing_percent: number;
    /** a kernel of NCCL's, and none of the program's; % */
    communicating_percent: number;
    /** copies or fills, and no kernel; % */
    moving_percent: number;
  };
  nccl_communicators: {
    /** in hexadecimal; empty: all communicators that were not kept apart */
    id: string | null | undefined;
    /** that the program gave it */
    name: string | null | undefined;
    /** its ranks, as NCCL tells; 0: not known */
    size: number;
    /** that they are on; 0: not known */
    nodes: number;
    /** ranks of MPI that called it */
    ranks: number;
    /** summed over ranks, as all that follow */
    calls: number;
    /** elements of each call times their size; bytes */
    bytes: number;
    /** from each call until its last part was seen to end; calls overlap; s */
    time_s: number;
    /** collectives of which it is known when each rank came */
    compared: number;
    /** for the rank that came last, in all collectives, estimated from those compared. Null if there are none; s */
    waited_s: number | null | undefined;
    /** `waited_s`, of the time that these collectives take on all ranks from when a rank came. Null if their end is not known; % */
    waited_percent: number | null | undefined;
    /** the rank of MPI that the others waited for most */
    last_rank: number | null | undefined;
    /** of `waited_s`, for it; % */
    last_percent: number | null | undefined;
    /** of the collectives that were compared: it came last; % */
    last_calls_percent: number | null | undefined;
  };
  nccl_calls: {
    /** its `id` */
    communicator: string | null | undefined;
    /** as NCCL names it, such as `AllReduce`; empty: what was not kept apart */
    function: string | null | undefined;
    /** such as `ncclFloat32` */
    datatype: string | null | undefined;
    /** the line that calls it, or that ends its group; empty: not known */
    place: string | null | undefined;
    /** point-to-point; else a collective */
    message: boolean;
    /** of one call: elements times their size; 0: not known, or of all sizes; bytes */
    call_bytes: number;
    /** that make such calls */
    ranks: number;
    /** summed over ranks, as all that follow */
    calls: number;
    /** of all calls; bytes */
    bytes: number;
    /** from each call until its last part was seen to end; s */
    time_s: number;
    /** of one call; s */
    longest_s: number;
    /** calls that were seen to end */
    ended: number;
    /** of it, on the GPU: from its first kernel's begin to its last one's end. Null if NCCL does not tell; s */
    device_s: number | null | undefined;
    /** of collectives, for the rank that came last: estimated, as of the communicator. Null if it is not known; s */
    waited_s: number | null | undefined;
  };
  nccl_partners: {
    /** of MPI, that sends */
    rank: number;
    /** the rank of MPI that it sends to */
    partner: number;
    /** calls of `ncclSend` */
    messages: number;
    /** of these; bytes */
    bytes: number;
    /** from each call until its last part was seen to end; s */
    time_s: number;
    /** both ranks are on one node */
    same_node: boolean;
  };
  nccl_functions: {
    /** as the program calls it, such as `ncclAllReduce`; `other NCCL collectives` and `other NCCL messages`: what was not kept apart */
    function: string;
    /** that call it */
    ranks: number;
    /** summed over ranks; none is a call of MPI */
    calls: number;
    /** elements of each call times their size; bytes */
    bytes: number;
    /** calls that were seen to end */
    ended: number;
    /** from each call until its last part was seen to end, summed over ranks. Calls run beside the program and each other: this is no part of `totals.mpi_s` or of the wallclock; s */
    time_s: number;
    /** longest single call; s */
    max_s: number;
    /** of it, on the GPU. Null if NCCL does not tell; s */
    device_s: number | null | undefined;
    /** of collectives, for the rank that came last, estimated. Null if it is not known; s */
    wait_s: number | null | undefined;
    /** `time_s` / `totals.wallclock_s`: above 100 where calls overlap; % */
    wall_percent: number;
    /** time of the rank that spent most in it / mean over all ranks */
    max_over_mean: number;
    /** the rank that spent most time in it */
    max_rank: number;
  };
  nccl_time: {
    /** since MPI_Init; s */
    begin_s: number;
    /** of the bin; s */
    length_s: number;
    /** of it, the average rank is in a collective of NCCL: from when it comes until the end, from those of which this is known; % */
    running_percent: number;
    /** of it, the average rank waits there for the rank that comes last; % */
    waiting_percent: number;
  };
  regions: {
    /** path: the names of the regions around it and its own, with `/` between */
    region: string;
    /** ranks that were in it */
    ranks: number;
    /** how often it was begun */
    visits: number;
    /** time in it, with the regions in it, summed over threads; of the whole program the wallclock; s */
    time_s: number;
    /** the part of `time_s` outside MPI; for the whole program, as in totals; s */
    compute_s: number;
    /** `time_s`, of each rank at most its wallclock / `totals.wallclock_s`; % */
    wall_percent: number;
    /** MPI time in it / `time_s`; for the whole program, as in totals; % */
    comm_percent: number;
    /** MPI time in it, with the regions in it; s */
    mpi_s: number;
    /** MPI time in it, without the regions in it; s */
    exclusive_mpi_s: number;
    /** waiting in it, with the regions in it; as in totals; s */
    wait_s: number | null | undefined;
    /** MPI calls in it, with the regions in it */
    calls: number;
    /** bytes of MPI calls in it, with the regions in it; bytes */
    bytes: number;
    /** mean / largest compute time of the ranks that were in it; 0..1 */
    load_balance: number;
    /** how good that is: `good`, from 0.85 on; `watch`; `problem`, below 0.7 */
    load_balance_state: "good" | "watch" | "problem";
    /** largest compute time in it / longest time in it; 0..1 */
    communication_efficiency: number;
    /** the largest compute time in it; s */
    max_compute_s: number;
    /** whose that is */
    max_rank: number;
  };
  machine: {
    /** the file with the machine's figures ([machine.md](../howto/machine.md)); null without --machine */
    file: string | null | undefined;
    /** the MPI that they were measured with */
    mpi_library: string | null | undefined;
    /** when; null if not known; ISO 8601, UTC */
    made: string | null | undefined;
    /** among how many ranks; 0: not known */
    ranks: number;
    /** on how many nodes */
    nodes: number;
  };
  machine_times: {
    /** a collective, or `message` */
    what: string;
    /** of messages: `same node` or `other node`; null of collectives */
    distance: string | null | undefined;
    /** of one call; of messages the largest of a power of two; bytes */
    bytes: number;
    /** calls, or messages, over all ranks */
    calls: number;
    /** of collectives: among how many ranks the machine's figure was measured; 0: not known */
    ranks: number;
    /** what one of them took in the run, on average; s */
    here_s: number;
    /** the part of it without waiting for other ranks, estimated by the share of waiting in all such calls. Null if waiting is not known; s */
    moving_s: number | null | undefined;
    /** the time that the machine needs for it; s */
    machine_s: number;
    /** `moving_s`, or `here_s` where that is null, / `machine_s` */
    factor: number;
    /** time beyond that, without waiting, summed over all calls and ranks; s */
    excess_s: number;
    /** `good`; `watch`: 1.5 times as long or more, and at least 1% of the MPI time; `problem`: the same, 4 times as long */
    state: "good" | "watch" | "problem";
  };
  eager_limits: {
    /** of the ranks between which it was measured */
    distance: string;
    /** the largest message that the MPI sends before the receiver asks for it; bytes */
    limit_bytes: number;
    /** the time of a message of that size, one way; s */
    below_s: number;
    /** the time of a message that is a byte larger; s */
    above_s: number;
    /** messages that the run sent */
    messages: number;
    /** those that are not larger */
    eager_messages: number;
    /** those that are larger, by a factor of two at most */
    just_above: number;
    /** the setting of the limit; null if not known */
    setting: string | null | undefined;
    /** what that means */
    sentence: string | null | undefined;
  };
  touch_rules: {
    /** name of the MPI function */
    function: string;
    /** source line, or module and offset */
    place: string | null | undefined;
    /** of one call there; bytes */
    bytes: number;
    /** calls of that size there */
    calls: number;
    /** of all MPI time, at this place; % */
    mpi_percent: number;
    /** `while cached`: below the eager limit; `not right after`: up to half of the last-level cache, between nodes; `in pieces`: larger than the cache */
    rule: "while cached" | "not right after" | "in pieces";
    /** the evidence that it concerns this place: `counters` that were recorded, or the `size` alone */
    evidence: "size" | "counters";
    /** what to do */
    sentence: string | null | undefined;
  };
  counters: {
    /** its name */
    counter: string;
    /** `ns` or null */
    unit: "ns" | null | undefined;
    /** `PAPI`, `perf`, `perf, outside the kernel only`, `kernel accounting` */
    source: "unknown" | "PAPI" | "perf" | "perf, outside the kernel only" | "kernel accounting";
    /** it took turns with others: values are estimates */
    multiplexed: boolean;
    /** sum over ranks */
    total: number;
    /** the part of it inside MPI calls */
    in_mpi: number;
    /** the rest */
    outside_mpi: number;
    /** mean of the ranks that counted it */
    mean: number;
    /** least of the ranks */
    min: number;
    /** largest of the ranks */
    max: number;
    /** the rank with the least */
    min_rank: number;
    /** the rank with the largest */
    max_rank: number;
    /** `even`; `slightly uneven`: the largest is more than 1.1 times the mean, or the mean more than 1.1 times the least; `uneven`: at least 1.3 times */
    evenness: "even" | "slightly uneven" | "uneven";
  };
  metrics: {
    /** its name */
    metric: string;
    /** null if it has no unit */
    unit: string | null | undefined;
    /** numerator and denominator. Ratios of two counters cover only the time outside MPI, because a rank also executes instructions while it waits in MPI */
    formula: string;
    /** of the run: sums over ranks, divided; of rates for all ranks together, by the wallclock of the run */
    value: number;
    /** mean of the ranks that counted it */
    mean: number;
    /** least of the ranks */
    min: number;
    /** largest of the ranks */
    max: number;
    /** the rank with the least */
    min_rank: number;
    /** the rank with the largest */
    max_rank: number;
    /** `even`; `slightly uneven`: the largest is more than 1.1 times the mean, or the mean more than 1.1 times the least; `uneven`: at least 1.3 times */
    evenness: "even" | "slightly uneven" | "uneven";
  };
  causes: {
    /** the rank that others waited for */
    rank: number;
    /** where it runs */
    host: string | null | undefined;
    /** how long the others waited for it, summed over all of them; s */
    caused_wait_s: number;
    /** to how many of the collectives in which anybody waited it came last; % */
    last_percent: number;
    /** its compute time; s */
    compute_s: number;
    /** that / the mean of all ranks, or in a job of several programs of the ranks of its program */
    over_mean: number;
    /** where most of the waiting for it shows, in words: `MPI_Allreduce at cg.c:211` */
    place: string | null | undefined;
    /** between which two calls it computes longer than the others, in words: `a.c:5 and a.c:9 (2.0 s, the others 1.0 s)`; null if nowhere by much */
    segment: string | null | undefined;
    /** what else is unusual about it (clock rate, page faults, memory, node), in words */
    reason: string | null | undefined;
  };
  transfers: {
    /** `same node`, `other node` */
    locality: "same node" | "other node";
    /** the smallest size in the row; bytes */
    low_bytes: number;
    /** the largest size in the row; bytes */
    high_bytes: number;
    /** how many messages */
    messages: number;
    /** mean time of the calls that sent or received one; s */
    observed_s: number;
    /** the time of the run's best calls or the time measured in MPI_Finalize (`MPROF_BASELINE`), whichever is shorter, and at most `observed_s`: messages that continue while the rank computes take less of its time; s */
    possible_s: number;
    /** which of the two that is: `best case of the run`, `baseline` */
    source: "baseline" | "best case of the run";
  };
  message_costs: {
    /** `same node`, `other node` */
    locality: "same node" | "other node";
    /** the size; bytes */
    bytes: number;
    /** the shortest time; s */
    best_s: number;
    /** the median of the baseline, or the mean of the run's fastest lines; s */
    typical_s: number;
    /** `baseline`: between two idle ranks in MPI_Finalize (`MPROF_BASELINE`); `best case of the run`: of the run's calls, some of which end before the message has arrived */
    source: "baseline" | "best case of the run";
  };
  standing: {
    /** `in call`; `outside MPI`; `polling`: outside MPI or in a poll, and it does nothing else (`MPI_Test`); `gone`: its process is not there any more while others run; `stopped`: by a signal; `in a debugger`: stopped by one */
    state: "gone" | "in call" | "outside MPI" | "polling" | "stopped" | "in a debugger";
    /** the call in progress, or the last one that ended */
    function: string | null | undefined;
    /** where in the program that is; null if not known */
    place: string | null | undefined;
    /** communicator of the call in progress */
    communicator: string | null | undefined;
    /** the partner's rank in that communicator, if it is the same for all; else null */
    peer: number | null | undefined;
    /** how many ranks are there */
    ranks: number;
    /** and at most; s */
    longest_s: number;
  };
  last_calls: {
    /** the rank that called */
    rank: number;
    /** which of its threads, from 0 */
    thread: number;
    /** the MPI function */
    function: string | null | undefined;
    /** where in the program that is; null if not known */
    place: string | null | undefined;
    /** null if it has none */
    communicator: string | null | undefined;
    /** the partner's rank in that communicator */
    peer: number | null | undefined;
    /** of the call; null of polls, and of a call that had not ended; bytes */
    bytes: number | null | undefined;
    /** how many polls in succession this row covers; null for other calls */
    polls: number | null | undefined;
    /** when it began, after the start of the first rank; of polls the first one; s */
    began_s: number;
    /** how long it took, of polls all of them; null if it had not ended; s */
    time_s: number | null | undefined;
    /** function, partner and communicator in words */
    call: string | null | undefined;
  };
  lints: {
    /** which rule is broken ([lint.md](../howto/lint.md)) */
    rule: string | null | undefined;
    /** `error`, `warning` or `note` */
    severity: "note" | "warning" | "error";
    /** the lowest rank that breaks it there */
    rank: number;
    /** how many ranks do */
    ranks: number;
    /** the MPI function that is called there */
    function: string | null | undefined;
    /** `file:line`, or module and offset */
    place: string | null | undefined;
    /** how often, summed over ranks: calls, objects or messages */
    count: number;
    /** what is wrong, as a sentence */
    message: string | null | undefined;
    /** the section of the MPI standard that says so */
    standard: string | null | undefined;
    /** what it costs, summed over ranks; null where it costs no time; s */
    cost_s: number | null | undefined;
  };
  lint_rules: {
    /** its name */
    rule: string | null | undefined;
    /** of its findings */
    severity: "note" | "warning" | "error";
    /** the section of the MPI standard */
    standard: string | null | undefined;
    /** what it looks for */
    sentence: string | null | undefined;
    /** the profile of at least one rank tells whether it is broken */
    looked_at: boolean;
    /** why it was not looked at, or not on all ranks; null: on all */
    gap: string | null | undefined;
    /** rows of `lints` */
    findings: number;
  };
  quality: {
    /** size of MPI_COMM_WORLD */
    ranks_expected: number;
    /** ranks whose file was read */
    ranks_read: number;
    /** ranks that returned from MPI_Finalize */
    ranks_finished: number;
    /** (binned + folded calls) / calls; % */
    dropped_percent: number;
    /** calls whose size is known as a power-of-two bin only, for lack of space */
    binned_calls: number;
    /** calls whose size is not known, for lack of space */
    folded_calls: number;
    /** messages whose partner is not known, for lack of space */
    folded_messages: number;
    /** requests that were not followed to their completion, for lack of space */
    untracked_requests: number;
    /** receives without bytes and partner, because the MPI did not say what arrived */
    untold_receives: number;
    /** calls that poll (`MPI_Test`, `MPI_Iprobe`, `MPI_Comm_rank` ...) for which the clock was not read (`MPROF_SAMPLE`); their time is estimated from other calls of the same line */
    untimed_calls: number;
    /** that time, summed over ranks; s */
    untimed_s: number;
    /** its standard error; s */
    untimed_error_s: number;
    /** mprof's own cost, summed over ranks: calls x measured cost of recording one + its time in MPI_Init and MPI_Finalize + `counters_s`; s */
    overhead_s: number;
    /** `overhead_s` of each rank's thread that is longest in MPI / `totals.wallclock_s`; % */
    overhead_percent: number;
    /** cost of one clock read on the slowest rank: shorter times cannot be distinguished; s */
    clock_resolution_s: number;
    /** reading counters, part of `overhead_s`; s */
    counters_s: number;
    /** calls whose path was walked again to check it */
    callsite_checks: number;
    /** checks that found another path than recorded (should be 0) */
    callsite_disagreements: number;
    /** times that a new call path was ended early, because it was not known where on the stack its next return address is */
    callsite_blind_frames: number;
    /** rows of `callsites` with `path_unsure` */
    unsure_callsites: number;
    /** calls without their full path, or without any, for lack of space */
    folded_callsites: number;
    /** segments without their place, for lack of space */
    folded_segments: number;
    /** samples of where the computing was */
    cpu_samples: number;
    /** that are missing */
    lost_cpu_samples: number;
    /** why computing was not sampled, on any rank */
    cpu_samples_refused: string | null | undefined;
    /** calls that were made and are not recorded, for lack of space; all others are in `totals` */
    lost_calls: number;
    /** messages without call site, for lack of space */
    unplaced_messages: number;
    /** collectives in no journal or without their place in it, for lack of space: their waiting is estimated */
    unjournaled_collectives: number;
    /** how often a communicator, window or file that was not kept was made or used, for lack of space */
    untracked_communicators: number;
    /** different source lines (or places without one) that call MPI */
    callsite_places: number;
    /** places of these whose line is not known */
    unresolved_callsites: number;
    /** looking up lines took too long and was given up; the rest is `module+offset` */
    symbols_out_of_time: boolean;
    /** ends of regions that were not open; they had no effect */
    region_ends_unmatched: number;
    /** starts of regions for which there was no room */
    regions_not_kept: number;
    /** how long recording was paused by the program, summed over ranks and threads; s */
    paused_s: number;
    /** instances of collectives, summed over ranks */
    collectives: number;
    /** those that the journals kept. If these are fewer, collective waiting is scaled up, an estimate */
    collectives_kept: number;
    /** how waiting was determined, in words: what was measured, what is an estimate; null if it was not determined */
    wait_source: string | null | undefined;
  };
  accounts: {
    /** the cause: `uneven`, `blocked`, `kernel`, `files`, `in turn`, `latency`, `bandwidth`, `threads`, `slow CPU`, `pickling`, `uneven GPUs`, `GPU`, `GPU copies`, `GPU launches`, `other program`, `few CPUs`, `start-up` */
    name: "uneven" | "blocked" | "kernel" | "files" | "in turn" | "latency" | "bandwidth" | "threads" | "slow CPU" | "pickling" | "uneven GPUs" | "GPU" | "GPU copies" | "GPU launches" | "other program" | "few CPUs" | "start-up";
    /** how much shorter the run would be without it; s */
    gain_s: number;
    /** likewise, at least; s */
    gain_low_s: number;
    /** likewise, at most; for `uneven`, what it saves if the extra work can be skipped; s */
    gain_high_s: number;
    /** wallclock of the run less `gain_s`; s */
    wall_without_s: number;
    /** the rank that has most of it; null: no rank has */
    rank: number | null | undefined;
    /** the rank that has most changes during the run */
    changes: boolean;
    /** the program's, where it arises */
    function: string | null | undefined;
    /** line of the program where it arises */
    place: string | null | undefined;
    /** what to try first */
    step: string | null | undefined;
    /** a pattern that is known by name and explains the account or a part of it: `master`, `uneven sizes`, `wait at once`, `pipeline`, `rare steps`, `held lock`, `absent owner`; null: none is known */
    cause: "master" | "uneven sizes" | "wait at once" | "pipeline" | "rare steps" | "held lock" | "absent owner" | null | undefined;
    /** what fixing it saves, a part of `gain_s`; null: there is no `cause`; s */
    cause_gain_s: number | null | undefined;
    /** it in a sentence: who, how much, where */
    cause_words: string | null | undefined;
  };
  accounting: {
    /** false: nothing was measured that could be divided */
    known: boolean;
    /** the run without starting and ending MPI; all accounts but `start-up` are parts of it; s */
    span_s: number;
    /** threads of other programs that want the CPUs of a node, estimated; 0: none */
    other_threads: number;
    /** ranks lack a CPU for more than a tenth of the time in which they want one */
    crowded: boolean;
    /** ranks that wait in MPI keep their CPU */
    polls: boolean;
  };
  verdict: {
    /** `compute bound`, `load-imbalance bound`, `synchronisation bound`, `latency bound`, `bandwidth bound`, `start-up bound`, `I/O bound`, `mixed`, `kept off the CPU`, `blocked`, `serial part`, `thread imbalance`, `coupling bound`, `HUNG`, `kernel bound`, `GPU bound`, `GPU-imbalance bound`, `copy bound`, `launch bound`, `pickling bound`, `unknown` (thresholds: parser/report/verdict_thresholds.h) */
    class: "unknown" | "compute bound" | "load-imbalance bound" | "synchronisation bound" | "latency bound" | "bandwidth bound" | "start-up bound" | "I/O bound" | "mixed" | "kept off the CPU" | "blocked" | "serial part" | "thread imbalance" | "coupling bound" | "HUNG" | "kernel bound" | "GPU bound" | "GPU-imbalance bound" | "copy bound" | "launch bound" | "pickling bound";
    /** how good that class is: `good`, `watch`, `problem` */
    state: "good" | "watch" | "problem";
    /** the verdict in a sentence */
    headline: string;
    /** what it is based on, in sentences */
    why: string;
    /** `gain_s` in words */
    gain: string | null | undefined;
    /** what removing the cause would save of the wallclock: `gain_s` of its account; null if nothing can be said; s */
    gain_s: number | null | undefined;
    /** what it would save at least; null if nothing can be said; s */
    gain_low_s: number | null | undefined;
  };
}

export interface DiffFields {
  totals: {
    /** the figure */
    name: "wallclock" | "compute" | "on a CPU" | "waiting for a CPU" | "blocked" | "GPU wait" | "GPU copies" | "GPU other" | "MPI" | "waiting" | "start-up" | "MPI I/O" | "NCCL" | "%comm" | "%balance" | "%effic." | "calls" | "NCCL calls" | "sent" | "memory";
    /** else more of it costs more */
    more_is_better: boolean;
    /** what `change` is in */
    measure: "seconds" | "percent" | "bytes" | "count";
    /** of B against A, beyond noise */
    outcome: "same" | "less" | "more";
    /** of A */
    a: number;
    /** of B */
    b: number;
    /** a difference up to this may be chance */
    noise: number;
    /** of `a`; % */
    percent: number | null | undefined;
  };
  row: {
    /** how the row is called in text */
    name: string;
    /** of `time_s`, or if that is `same`, of `slowest_s` */
    outcome: "same" | "less" | "more";
    /** of A */
    a: number;
    /** of B */
    b: number;
    /** a difference up to this may be chance */
    noise: number;
    /** of `a`; % */
    percent: number | null | undefined;
    /** waiting in it, of A; s */
    wait_a: number | null | undefined;
    /** waiting in it, of B; s */
    wait_b: number | null | undefined;
    /** calls of A, visits of a region, turns of a segment */
    a_calls: number;
    /** the same of B */
    b_calls: number;
    /** further remarks */
    remarks: string | null | undefined;
  };
  accounts: DiffFields["row"] & {
    /** the cause, as in the report's `accounts` */
    kind: "uneven" | "blocked" | "kernel" | "files" | "in turn" | "latency" | "bandwidth" | "threads" | "slow CPU" | "pickling" | "uneven GPUs" | "GPU" | "GPU copies" | "GPU launches" | "other program" | "few CPUs" | "start-up";
  };
  segments: DiffFields["row"] & {
  };
  callsites: DiffFields["row"] & {
  };
  functions: DiffFields["row"] & {
  };
  sizes: DiffFields["row"] & {
  };
  regions: DiffFields["row"] & {
  };
  phases: DiffFields["row"] & {
  };
  ranks: DiffFields["row"] & {
    /** `time_s` is its compute time */
    rank: number;
    /** the node of A */
    a_host: string | null | undefined;
    /** the node of B */
    b_host: string | null | undefined;
    /** in MPI, of A; s */
    mpi_a: number;
    /** in MPI, of B; s */
    mpi_b: number;
  };
}

export interface ScaleFields {
  runs: {
    /** the profile */
    path: string;
    /** its ranks */
    ranks: number;
    /** of the slowest rank; s */
    wallclock_s: number;
    /** against the smallest size */
    speedup: number;
    /** against the smallest size; 0..1 */
    efficiency: number;
    /** all ranks are there and finished */
    complete: boolean;
    /** when it started */
    start: string | null | undefined;
    /** name and version */
    mpi_library: string | null | undefined;
  };
  sizes: {
    /** the size */
    ranks: number;
    /** how many runs have it */
    runs: number;
    /** on how many nodes */
    nodes: number;
    /** median of its runs; s */
    wallclock_s: number;
    /** half of the range of its runs; null of a single run; % */
    noise_percent: number | null | undefined;
    /** of a run, with a core per thread of OpenMP, or per rank */
    core_hours: number;
    /** memory of the average rank at its peak, beyond what it had when MPI_Init returned; null if it is not known; bytes */
    own_bytes: number | null | undefined;
    /** against the smallest size */
    speedup: number;
    /** against the smallest size; 0..1 */
    efficiency: number;
  };
}

export interface PlaceFields {
  distances: {
    /** `other node`, `same node`: no more is known, `other socket`, `same socket`, `same cache` */
    distance: "same cache" | "same socket" | "other socket" | "same node" | "other node";
    /** of the current order; bytes */
    before_bytes: number;
    /** of the better one; bytes */
    after_bytes: number;
    /** of a GiB; null: not known; s */
    gib_s: number | null | undefined;
    /** of the slowest rank; s */
    before_s: number | null | undefined;
    /** of the slowest rank; s */
    after_s: number | null | undefined;
  };
}

export interface ResultsFields {
  order_dependent: {
    /** of MPI */
    function: string;
    /** of the rank that makes most */
    calls: number;
    /** its result is different */
    differs: boolean;
    /** source file */
    file: string | null | undefined;
    /** line in it */
    line: number | null | undefined;
    /** `file:line`, or what else is known */
    place: string;
  };
}

export interface ArchiveFields {
  series: {
    /** its name */
    program: string | null | undefined;
    /** what it works on */
    input: string | null | undefined;
    /** of each run */
    ranks: number;
    /** how many */
    runs: number;
    /** sum of all runs; h */
    node_hours: number;
    /** of these, those that ranks wait for others; h */
    lost_hours: number;
    /** median of the last level; s */
    now_s: number;
    /** one standard deviation of a run; % */
    noise_percent: number;
    /** single ones that stand out */
    slow_runs: number;
  };
  changes: {
    /** start of the first run of the new level */
    start: string;
    /** `slower`, `faster` */
    kind: "slower" | "faster";
    /** median of the level before; s */
    before_s: number;
    /** median of the new level; s */
    after_s: number;
    /** of `before_s`; % */
    percent: number;
    /** runs of the level before */
    runs_before: number;
    /** runs of the new level */
    runs_after: number;
    /** runs on both sides to count */
    enough: boolean;
    /** no later level is back */
    lasts: boolean;
    /** of the last run before it */
    commit_before: string | null | undefined;
    /** of the first run of the new level */
    commit: string | null | undefined;
  };
  lines: {
    /** `file:line`; null: outside MPI */
    place: string | null | undefined;
    /** of MPI, or `compute` */
    function: string;
    /** of the average rank, before; s */
    before_s: number;
    /** of the average rank, after; s */
    after_s: number;
    /** of the two; s */
    difference_s: number;
    /** a difference up to this may be chance; s */
    noise_s: number;
    /** it is larger than that */
    beyond_noise: boolean;
  };
}
