"""A property of Report per table. Made by generate.py from tables.py.

Each gives a new pandas.DataFrame. The type of a column stands behind its name, then its unit.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas


class ReportTables(ABC):
    """The tables of a report as attributes: `report.ranks` is `report.table("ranks")`."""

    @abstractmethod
    def table(self, name: str) -> pandas.DataFrame:
        """The table of that name."""

    @property
    def run_texts(self) -> pandas.DataFrame:
        """A row per fact that the rank file holds in words.

        fact: string. its name
        text: string. all facts in words that the rank file holds, by key (format.md):
            executable, working_directory, mpi_path, mprof_version, core_cpus, cache_cpus,
            socket_cpus, numa_cpus, and of the node node.cpu_model, node.cpus, node.cores,
            node.sockets, node.numa_nodes, node.l3_bytes, node.memory_bytes ...
        """
        return self.table("run_texts")

    @property
    def time_parts(self) -> pandas.DataFrame:
        """A row per state of the average rank's time.

        state: string. computing, waiting for a CPU, blocked, waiting in MPI, transfer, MPI I/O,
            start-up, MPI (where waiting is not known separately), mprof
        time_s: float64, s. of the average rank
        percent: float64, %. of its wallclock
        estimated: bool. in part estimated, not measured
        energy_j: float64, J, may be unknown. its share of the run's energy, assuming that a CPU
            uses the same whatever it does
        """
        return self.table("time_parts")

    @property
    def phases(self) -> pandas.DataFrame:
        """A row per part of the run.

        phase: int64. the number of the row, from 0
        name: string, may be unknown. of a region of the program, of the function that calls MPI
            most, or start-up, output; numbered where it repeats
        source: string. where the name comes from: start-up, region, call site, output, position
        from_s: float64, s. after the first rank entered MPI
        to_s: float64, s. likewise
        wallclock_share: float64. of the run, 0 to 1
        compute_s: float64, s. computing on a CPU
        wait_s: float64, s. waiting in MPI; in a bin it is an estimate
        transfer_s: float64, s. in MPI, and none of the other kinds
        file_s: float64, s. in MPI-IO, without waiting
        contention_s: float64, s. waiting for a CPU, outside MPI
        blocked_s: float64, s. blocked, outside MPI
        gpu_wait_s: float64, s. waiting for the GPU
        gpu_copy_s: float64, s. copying to, from or on the GPU
        gpu_launch_s: float64, s. in the driver of a GPU for all else
        startup_s: float64, s. starting MPI and making communicators, without waiting
        mpi_percent: float64, %. of the time of the ranks in it
        slowest_rank: Int64, may be unknown. the rank that is outside MPI longest; null if none
            stands out
        slowest_over: float64. its time outside MPI / the median's
        function: string, may be unknown. of the call site with most MPI time
        place: string, may be unknown. of the call site with most MPI time
        state: string. good, watch, problem
        headline: string, may be unknown. the phase in a sentence or two
        cost: string, may be unknown. how much shorter the phase would be without the cause that
            costs most in it, by the windows of accounts, in a sentence; null: no cause takes a
            twentieth of the phase
        nccl_s: float64, s, may be unknown. in collectives of NCCL, mean over ranks; left out if
            the program calls none
        nccl_wait_s: float64, s, may be unknown. of it, for the rank that comes last; left out
            likewise
        """
        return self.table("phases")

    @property
    def time(self) -> pandas.DataFrame:
        """A row per time bin.

        bin: int64. the number of the row, from 0
        begin_s: float64, s. after the first rank entered MPI; the bin ends bin_s later
        compute_s: float64, s. computing on a CPU
        wait_s: float64, s. waiting in MPI; in a bin it is an estimate
        transfer_s: float64, s. in MPI, and none of the other kinds
        file_s: float64, s. in MPI-IO, without waiting
        contention_s: float64, s. waiting for a CPU, outside MPI
        blocked_s: float64, s. blocked, outside MPI
        gpu_wait_s: float64, s. waiting for the GPU
        gpu_copy_s: float64, s. copying to, from or on the GPU
        gpu_launch_s: float64, s. in the driver of a GPU for all else
        startup_s: float64, s. starting MPI and making communicators, without waiting
        calls: float64. calls of MPI that began in the bin
        bytes: float64, bytes. payload of these calls, and the bytes that arrived
        read_bytes: float64, bytes. by calls like read()
        written_bytes: float64, bytes. by calls like write()
        """
        return self.table("time")

    @property
    def rank_time(self) -> pandas.DataFrame:
        """A row per rank, or group of ranks, and time bin.

        rank: int64. the rank, or the first one of a group
        ranks: int64. how many ranks the row represents
        outlier: Int64, may be unknown. the rank of the group whose figures these are, because
            it is unlike the others; null: the figures are the mean
        bin: int64. the number of the row, from 0
        compute_s: float64, s. a number per row_bin_s, to a thousandth of it, as
            bins[].compute_s, and so are the next ones; empty: none at any time
        wait_s: float64, s. waiting in MPI
        transfer_s: float64, s. other time in MPI
        file_s: float64, s. in MPI-IO
        contention_s: float64, s. waiting for a CPU
        blocked_s: float64, s. blocked
        gpu_wait_s: float64, s. waiting for the GPU
        gpu_copy_s: float64, s. copying to or from the GPU
        gpu_launch_s: float64, s. other time in its driver
        startup_s: float64, s. start-up
        call_line: int64. likewise: 1 + row of call_lines that took most of its MPI time, 0 if
            none did; empty for a mean
        """
        return self.table("rank_time")

    @property
    def rank_time_details(self) -> pandas.DataFrame:
        """The same of nodes and ranks that the groups hide.

        rank: int64. the rank, or the first one of a group
        ranks: int64. how many ranks the row represents
        outlier: Int64, may be unknown. the rank of the group whose figures these are, because
            it is unlike the others; null: the figures are the mean
        host: string, may be unknown. the node of these ranks, or of the first of them
        bin: int64. the number of the row, from 0
        compute_s: float64, s. a number per row_bin_s, to a thousandth of it, as
            bins[].compute_s, and so are the next ones; empty: none at any time
        wait_s: float64, s. waiting in MPI
        transfer_s: float64, s. other time in MPI
        file_s: float64, s. in MPI-IO
        contention_s: float64, s. waiting for a CPU
        blocked_s: float64, s. blocked
        gpu_wait_s: float64, s. waiting for the GPU
        gpu_copy_s: float64, s. copying to or from the GPU
        gpu_launch_s: float64, s. other time in its driver
        startup_s: float64, s. start-up
        call_line: int64. likewise: 1 + row of call_lines that took most of its MPI time, 0 if
            none did; empty for a mean
        """
        return self.table("rank_time_details")

    @property
    def steps(self) -> pandas.DataFrame:
        """A row per step that repeats.

        step: int64. the number of the row, from 0
        step_s: float64, s. by bin, mean of the steps in it; 0: none
        step_busy_s: float64, s. by row of ranks: how much of the mean step is outside MPI
        """
        return self.table("steps")

    @property
    def functions(self) -> pandas.DataFrame:
        """A row per MPI function.

        function: string. name of the MPI function
        calls: int64. completed calls and pending ones (an MPI_Irecv that never completed is
            also a call)
        bytes: int64, bytes. payload by the definitions below, starts of persistent requests
            included
        received_bytes: int64, bytes. bytes received by calls that also send (MPI_Sendrecv)
        time_s: float64, s. time in it, summed over threads and ranks
        mpi_thread_s: float64, s. of time_s, of the ranks' MPI threads: only that is a part of
            the wallclock
        min_s: float64, s. shortest single call
        max_s: float64, s. longest single call
        wait_s: float64, s, may be unknown. waiting, as in totals
        mpi_percent: float64, %. time_s / totals.mpi_s
        wall_percent: float64, %. mpi_thread_s / totals.wallclock_s: these add up to
            totals.comm_percent
        max_over_mean: float64. time of the rank that spent most in it / mean over all ranks
        max_rank: int64. the rank that spent most time in it
        """
        return self.table("functions")

    @property
    def messages(self) -> pandas.DataFrame:
        """A row per function, kind, precision and message size.

        function: string. name of the MPI function
        bytes: int64, bytes. size of one message
        calls: int64. calls of that size; kind start: starts
        time_s: float64, s. time in them; kind start: 0, their time is in MPI_Start or
            MPI_Startall
        precision: string. exact; bin: bytes is the lower bound of a power-of-two bin; function:
            the size is not known, bytes is 0
        kind: string. call; pending: calls whose size was not known at the end (a receive that
            never completed), bytes is 0; start: starts of a persistent or partitioned request,
            under the function that made it
        sum_bytes: int64, bytes. exact sum over the row, whatever the precision
        """
        return self.table("messages")

    @property
    def received(self) -> pandas.DataFrame:
        """A row per function, precision and size that arrived.

        function: string. name of the MPI function
        bytes: int64, bytes. size of one message
        calls: int64. messages that arrived
        precision: string. as in messages
        sum_bytes: int64, bytes. exact sum over the row
        """
        return self.table("received")

    @property
    def callsites(self) -> pandas.DataFrame:
        """A row per MPI function and call path.

        callsite: int64. the number of the row, from 0
        function: string. the MPI function
        place: string, may be unknown. where it is called: file:line, without folders; where no
            line is known, module+offset; null if there is no path
        file: string, may be unknown. source file; null if the debug data does not say; so are
            the next two
        line: Int64, may be unknown. line in it
        symbol: string, may be unknown. function of the program (C++ names demangled, Fortran as
            module::procedure, [OpenMP] = the body of a parallel region, [JIT code] = code that
            was compiled while the program ran; the other fields are then of its caller)
        module: string, may be unknown. executable or library, as the loader knew it; of a
            script its file
        offset: string, may be unknown. the return address in that module, hexadecimal, as a
            text; of a script the instruction in the function
        calls: int64. as in functions
        bytes: int64, bytes. as in functions
        time_s: float64, s. as in functions
        mpi_thread_s: float64, s. as in functions
        wait_s: float64, s, may be unknown. as in totals, of these calls
        mpi_percent: float64, %. time_s / totals.mpi_s
        size_bytes: Int64, bytes, may be unknown. bytes of one call, if over half of the time
            went into calls of that size; else null
        size_calls: Int64, may be unknown. of the calls, those of that size
        ranks: int64. ranks that have a part of time_s
        mean_s: float64, s. mean of time_s over these ranks
        min_s: float64, s. least of these ranks
        max_s: float64, s. most of these ranks
        variation: float64. standard deviation / mean
        min_rank: int64. the rank with the least
        max_rank: int64. the rank with the most
        region: string, may be unknown. path of the region in which most of the time is spent
        communicator: string, may be unknown. the communicator with most of the time: its name,
            or how it was made
        completions: int64. of calls that start requests: how many of these were completed
        completion_s: float64, s. their share of the time of the completing calls (MPI_Wait
            ...). It is in time_s of those calls, and not in this row's
        spans: int64. of completions, those on the thread that started the request: for the
            others, the overlap is not known
        span_s: float64, s. from the end of the starting call to the start of the completing
            one, summed over spans
        overlapped_s: float64, s, may be unknown. the part of it that the thread was outside
            MPI: computing hid at most that much of the transfer. Null if there are completions
            and no spans
        top_partner: Int64, may be unknown. point to point: the rank of MPI_COMM_WORLD that most
            of the time went to, over all calling ranks
        top_partner_s: float64, s, may be unknown. that time
        inside_messages: int64. of its messages, those to or from other ranks of the same node
        inside_bytes: int64, bytes. their bytes
        inside_s: float64, s. their time, requests included, with the waiting
        load_s: float64, s, may be unknown. estimate: what direct loads in shared memory would
            cost instead at most, a flag for each message and its bytes at the speed of the
            machine's messages; null if that or waiting is not known, as the next two
        load_saves_low_s: float64, s, may be unknown. estimate: inside_s without waiting and
            load_s
        load_saves_high_s: float64, s, may be unknown. estimate: the same if the data is read in
            place, so that its bytes cost nothing more
        last_rank: Int64, may be unknown. collectives: the rank that the others waited for most
            often here; null if that is not known, as the next two
        last_percent: float64, %, may be unknown. in how many of the instances in which anybody
            waited that rank was the last
        caused_wait_s: float64, s, may be unknown. how long the others waited for it, summed
            over them
        path_cut: bool. there are more frames around
        path_unsure: bool. and mprof could not tell which: calls by several paths may be in this
            row
        """
        return self.table("callsites")

    @property
    def callsite_paths(self) -> pandas.DataFrame:
        """A row per frame of a call path.

        callsite: int64. the row of callsites, from 0
        depth: int64. the number of the row, from 0
        file: string, may be unknown. source file; null if the debug data does not say; so are
            the next two
        line: Int64, may be unknown. line in it
        symbol: string, may be unknown. function of the program (C++ names demangled, Fortran as
            module::procedure, [OpenMP] = the body of a parallel region, [JIT code] = code that
            was compiled while the program ran; the other fields are then of its caller)
        module: string, may be unknown. executable or library, as the loader knew it; of a
            script its file
        offset: string, may be unknown. the return address in that module, hexadecimal, as a
            text; of a script the instruction in the function
        inlined: bool. the function has no call of its own here, it is part of the next frame
        """
        return self.table("callsite_paths")

    @property
    def call_lines(self) -> pandas.DataFrame:
        """A row per MPI function and source line.

        call_line: int64. the number of the row, from 0
        place: string, may be unknown. as in callsites
        function: string. the MPI function
        symbol: string, may be unknown. as in callsites
        paths: int64. rows of callsites
        calls: int64. as in functions
        bytes: int64, bytes. as in functions
        time_s: float64, s. as in functions
        mpi_thread_s: float64, s. as in functions
        wait_s: float64, s, may be unknown. as in totals, of these calls
        mpi_percent: float64, %. time_s / totals.mpi_s
        size_bytes: Int64, bytes, may be unknown. bytes of one call, if over half of the time
            went into calls of that size; else null
        size_calls: Int64, may be unknown. of the calls, those of that size
        completions: int64. of calls that start requests: how many of these were completed
        completion_s: float64, s. their share of the time of the completing calls (MPI_Wait
            ...). It is in time_s of those calls, and not in this row's
        spans: int64. of completions, those on the thread that started the request: for the
            others, the overlap is not known
        span_s: float64, s. from the end of the starting call to the start of the completing
            one, summed over spans
        overlapped_s: float64, s, may be unknown. the part of it that the thread was outside
            MPI: computing hid at most that much of the transfer. Null if there are completions
            and no spans
        """
        return self.table("call_lines")

    @property
    def segments(self) -> pandas.DataFrame:
        """A row per pair of MPI calls with computing between them.

        segment: int64. the number of the row, from 0
        from_function: string, may be unknown. the MPI function; null in from: the start of the
            recording; all null: there was no room
        from_place: string, may be unknown. as in callsites
        from_file: string, may be unknown. source file; null if the debug data does not say; so
            are the next two
        from_line: Int64, may be unknown. line in it
        from_symbol: string, may be unknown. function of the program (C++ names demangled,
            Fortran as module::procedure, [OpenMP] = the body of a parallel region, [JIT code] =
            code that was compiled while the program ran; the other fields are then of its
            caller)
        from_module: string, may be unknown. executable or library, as the loader knew it; of a
            script its file
        from_offset: string, may be unknown. the return address in that module, hexadecimal, as
            a text; of a script the instruction in the function
        to_function: string, may be unknown. the MPI function; null in from: the start of the
            recording; all null: there was no room
        to_place: string, may be unknown. as in callsites
        to_file: string, may be unknown. source file; null if the debug data does not say; so
            are the next two
        to_line: Int64, may be unknown. line in it
        to_symbol: string, may be unknown. function of the program (C++ names demangled, Fortran
            as module::procedure, [OpenMP] = the body of a parallel region, [JIT code] = code
            that was compiled while the program ran; the other fields are then of its caller)
        to_module: string, may be unknown. executable or library, as the loader knew it; of a
            script its file
        to_offset: string, may be unknown. the return address in that module, hexadecimal, as a
            text; of a script the instruction in the function
        count: int64. how often
        time_s: float64, s. how long in all
        contention_s: float64, s. the part of it without a CPU, where that was recorded by place
        blocked_s: float64, s. the part of it blocked, likewise
        ranks: int64. ranks that have a part of time_s
        mean_s: float64, s. mean of time_s over these ranks
        min_s: float64, s. least of these ranks
        max_s: float64, s. most of these ranks
        variation: float64. standard deviation / mean
        min_rank: int64. the rank with the least
        max_rank: int64. the rank with the most
        samples: int64. CPU samples taken in it; see hotspots
        mostly_in: string, may be unknown. the function with most of these, and its hottest
            line; null with fewer than 20
        mostly_percent: float64, %, may be unknown. the share of that function
        """
        return self.table("segments")

    @property
    def segment_counters(self) -> pandas.DataFrame:
        """A row per segment and counter.

        segment: int64. the row of segments, from 0
        counter: int64. the number of the row, from 0
        total: int64. growth of the first counters, in the order of counters
        """
        return self.table("segment_counters")

    @property
    def hotspots(self) -> pandas.DataFrame:
        """A row per function that the CPU was in during a segment.

        hotspot: int64. the number of the row, from 0
        segment: Int64, may be unknown. the row of segments, from 0; null: of short segments
            that were not kept apart
        from: string, may be unknown. where the segment begins, such as heat.c:61; the MPI
            function if its place is not known; null as segment
        to: string, may be unknown. where it ends, likewise
        function: string, may be unknown. the same as symbol
        place: string, may be unknown. the line with most samples, as in callsites; null of a
            library
        file: string, may be unknown. source file; null if the debug data does not say; so are
            the next two
        line: Int64, may be unknown. line in it
        symbol: string, may be unknown. function of the program (C++ names demangled, Fortran as
            module::procedure, [OpenMP] = the body of a parallel region, [JIT code] = code that
            was compiled while the program ran; the other fields are then of its caller)
        module: string, may be unknown. executable or library, as the loader knew it; of a
            script its file
        offset: string, may be unknown. the return address in that module, hexadecimal, as a
            text; of a script the instruction in the function
        kind: string. what the library does, if its name says so
        samples: int64. how often the CPU was there
        percent: float64, %. of the samples of the list, of hotspots of that segment
        time_s: float64, s. CPU time that the samples represent
        ranks: int64. ranks that have a part of time_s
        mean_s: float64, s. mean of time_s over these ranks
        min_s: float64, s. least of these ranks
        max_s: float64, s. most of these ranks
        variation: float64. standard deviation / mean
        min_rank: int64. the rank with the least
        max_rank: int64. the rank with the most
        share: float64, 0..1. percent / 100
        path_samples: int64. samples of the function whose callers are known; there are fewer of
            these
        path_percent: float64, %, may be unknown. of these, by way of path
        called_by: string, may be unknown. the same in words, and its share; null if no way is
            known
        slowest_rank: int64. the same as max_rank
        """
        return self.table("hotspots")

    @property
    def hotspot_paths(self) -> pandas.DataFrame:
        """A row per frame around it.

        hotspot: int64. the row of hotspots, from 0
        depth: int64. the number of the row, from 0
        file: string, may be unknown. source file; null if the debug data does not say; so are
            the next two
        line: Int64, may be unknown. line in it
        symbol: string, may be unknown. function of the program (C++ names demangled, Fortran as
            module::procedure, [OpenMP] = the body of a parallel region, [JIT code] = code that
            was compiled while the program ran; the other fields are then of its caller)
        module: string, may be unknown. executable or library, as the loader knew it; of a
            script its file
        offset: string, may be unknown. the return address in that module, hexadecimal, as a
            text; of a script the instruction in the function
        inlined: bool. the function has no call of its own here, it is part of the next frame
        """
        return self.table("hotspot_paths")

    @property
    def hot_lines(self) -> pandas.DataFrame:
        """A row per source line that the CPU was in.

        place: string, may be unknown. the line with most samples, as in callsites; null of a
            library
        file: string, may be unknown. source file; null if the debug data does not say; so are
            the next two
        line: Int64, may be unknown. line in it
        symbol: string, may be unknown. function of the program (C++ names demangled, Fortran as
            module::procedure, [OpenMP] = the body of a parallel region, [JIT code] = code that
            was compiled while the program ran; the other fields are then of its caller)
        module: string, may be unknown. executable or library, as the loader knew it; of a
            script its file
        offset: string, may be unknown. the return address in that module, hexadecimal, as a
            text; of a script the instruction in the function
        kind: string. what the library does, if its name says so
        samples: int64. how often the CPU was there
        percent: float64, %. of the samples of the list, of hotspots of that segment
        time_s: float64, s. CPU time that the samples represent
        ranks: int64. ranks that have a part of time_s
        mean_s: float64, s. mean of time_s over these ranks
        min_s: float64, s. least of these ranks
        max_s: float64, s. most of these ranks
        variation: float64. standard deviation / mean
        min_rank: int64. the rank with the least
        max_rank: int64. the rank with the most
        """
        return self.table("hot_lines")

    @property
    def hot_libraries(self) -> pandas.DataFrame:
        """A row per executable or library.

        place: string, may be unknown. the line with most samples, as in callsites; null of a
            library
        file: string, may be unknown. source file; null if the debug data does not say; so are
            the next two
        line: Int64, may be unknown. line in it
        symbol: string, may be unknown. function of the program (C++ names demangled, Fortran as
            module::procedure, [OpenMP] = the body of a parallel region, [JIT code] = code that
            was compiled while the program ran; the other fields are then of its caller)
        module: string, may be unknown. executable or library, as the loader knew it; of a
            script its file
        offset: string, may be unknown. the return address in that module, hexadecimal, as a
            text; of a script the instruction in the function
        kind: string. what the library does, if its name says so
        samples: int64. how often the CPU was there
        percent: float64, %. of the samples of the list, of hotspots of that segment
        time_s: float64, s. CPU time that the samples represent
        ranks: int64. ranks that have a part of time_s
        mean_s: float64, s. mean of time_s over these ranks
        min_s: float64, s. least of these ranks
        max_s: float64, s. most of these ranks
        variation: float64. standard deviation / mean
        min_rank: int64. the rank with the least
        max_rank: int64. the rank with the most
        """
        return self.table("hot_libraries")

    @property
    def fault_places(self) -> pandas.DataFrame:
        """A row per function with many page faults.

        fault_place: int64. the number of the row, from 0
        place: string, may be unknown. the line with most faults, as in callsites
        file: string, may be unknown. source file; null if the debug data does not say; so are
            the next two
        line: Int64, may be unknown. line in it
        symbol: string, may be unknown. function of the program (C++ names demangled, Fortran as
            module::procedure, [OpenMP] = the body of a parallel region, [JIT code] = code that
            was compiled while the program ran; the other fields are then of its caller)
        module: string, may be unknown. executable or library, as the loader knew it; of a
            script its file
        offset: string, may be unknown. the return address in that module, hexadecimal, as a
            text; of a script the instruction in the function
        faults: int64. page faults in the function, of those that were watched: a ninth of the
            time
        percent: float64, %. of the page faults of the list
        ranks: int64. ranks that have some of them
        max_rank: int64. the rank that has most
        called_by: string, may be unknown. the same in words, and its share; null if no way is
            known
        """
        return self.table("fault_places")

    @property
    def fault_paths(self) -> pandas.DataFrame:
        """A row per frame around it.

        fault_place: int64. the row of fault_places, from 0
        depth: int64. the number of the row, from 0
        file: string, may be unknown. source file; null if the debug data does not say; so are
            the next two
        line: Int64, may be unknown. line in it
        symbol: string, may be unknown. function of the program (C++ names demangled, Fortran as
            module::procedure, [OpenMP] = the body of a parallel region, [JIT code] = code that
            was compiled while the program ran; the other fields are then of its caller)
        module: string, may be unknown. executable or library, as the loader knew it; of a
            script its file
        offset: string, may be unknown. the return address in that module, hexadecimal, as a
            text; of a script the instruction in the function
        inlined: bool. the function has no call of its own here, it is part of the next frame
        """
        return self.table("fault_paths")

    @property
    def early_places(self) -> pandas.DataFrame:
        """A row per function that computes before MPI_Init.

        early_place: int64. the number of the row, from 0
        place: string, may be unknown. the line with most of the time, as in callsites
        file: string, may be unknown. source file; null if the debug data does not say; so are
            the next two
        line: Int64, may be unknown. line in it
        symbol: string, may be unknown. function of the program (C++ names demangled, Fortran as
            module::procedure, [OpenMP] = the body of a parallel region, [JIT code] = code that
            was compiled while the program ran; the other fields are then of its caller)
        module: string, may be unknown. executable or library, as the loader knew it; of a
            script its file
        offset: string, may be unknown. the return address in that module, hexadecimal, as a
            text; of a script the instruction in the function
        time_s: float64, s. CPU time in the function before MPI_Init, in steps of 0.1 s, over
            all ranks
        percent: float64, %. of the time of the list
        ranks: int64. ranks that have some of it
        max_s: float64, s. of the rank with most
        max_rank: int64. the rank that has most
        called_by: string, may be unknown. the same in words, and its share; null if no way is
            known
        """
        return self.table("early_places")

    @property
    def early_paths(self) -> pandas.DataFrame:
        """A row per frame around it.

        early_place: int64. the row of early_places, from 0
        depth: int64. the number of the row, from 0
        file: string, may be unknown. source file; null if the debug data does not say; so are
            the next two
        line: Int64, may be unknown. line in it
        symbol: string, may be unknown. function of the program (C++ names demangled, Fortran as
            module::procedure, [OpenMP] = the body of a parallel region, [JIT code] = code that
            was compiled while the program ran; the other fields are then of its caller)
        module: string, may be unknown. executable or library, as the loader knew it; of a
            script its file
        offset: string, may be unknown. the return address in that module, hexadecimal, as a
            text; of a script the instruction in the function
        inlined: bool. the function has no call of its own here, it is part of the next frame
        """
        return self.table("early_paths")

    @property
    def ranks(self) -> pandas.DataFrame:
        """A row per rank that was read.

        rank: int64. its number in MPI_COMM_WORLD
        host: string, may be unknown. where it ran
        cpu: string, may be unknown. CPU that it ran on; null if not recorded
        wallclock_s: float64, s. from entering MPI_Init to returning from MPI_Finalize; for
            unfinished ranks up to the last sign of life (for those in a call, that of any
            rank), for running ones until now
        mpi_s: float64, s. in MPI, summed over threads: it may exceed the wallclock when several
            threads are in MPI at once
        mpi_thread_s: float64, s. in MPI, of its MPI thread: the thread that spent most time
            there. All parts of the wallclock are those of this thread
        wait_s: float64, s, may be unknown. as in totals: how long its threads waited for any
            rank, summed over threads
        wait_thread_s: float64, s, may be unknown. of mpi_thread_s, waiting. Null if it is not
            known
        caused_wait_s: float64, s, may be unknown. how long others waited for it, summed over
            them
        transfer_s: float64, s, may be unknown. as the next two of mpi_thread_s, without
            waiting: what is in neither of them. on_cpu_s, contention_s, blocked_s, gpu_wait_s,
            gpu_copy_s, gpu_launch_s, wait_thread_s, these three and own_s add up to
            wallclock_s. Null if waiting is not known
        file_s: float64, s, may be unknown. in MPI-IO
        startup_s: float64, s, may be unknown. in MPI_Init, and where communicators are made
        message_s: float64, s, may be unknown. in calls that send or receive single messages, or
            start or complete such, waiting included, summed over threads; null if waiting is
            not known
        message_wait_s: float64, s, may be unknown. of message_s, waiting
        own_s: float64, s. time of mprof itself, in neither compute_s nor mpi_s: segments + MPI
            + own_s = wallclock
        compute_s: float64, s. wallclock_s - mpi_thread_s - own_s
        on_cpu_s: float64, s, may be unknown. of compute_s, on a CPU and not in a GPU driver, as
            the kernel reports it for the MPI thread; null if it was not recorded; so are the
            next ones
        contention_s: float64, s, may be unknown. of compute_s, in the run queue: ready to run,
            while others had the CPU
        blocked_s: float64, s, may be unknown. of compute_s, blocked: in a file, a page fault,
            sleep or a lock
        blocked_file_s: float64, s, may be unknown. of blocked_s, while blocks of files were
            read or written
        blocked_fault_s: float64, s, may be unknown. of blocked_s, while pages came from a disk
        unread_s: float64, s, may be unknown. of on_cpu_s, computing after the last reading of
            the CPU time: how it divides is not known. Long in ranks that were killed while they
            computed
        gpu_wait_s: float64, s, may be unknown. of compute_s, in a GPU driver, waiting for the
            GPU or asking whether it is done. Null if the rank used no GPU; so are all fields of
            GPUs
        gpu_copy_s: float64, s, may be unknown. of compute_s, in the driver, copying to, from or
            on the GPU. A copy that blocks waits for kernels before it
        gpu_launch_s: float64, s, may be unknown. of compute_s, in the driver for all else:
            launching, memory, loading code
        gpu_setup_s: float64, s, may be unknown. of gpu_launch_s: allocating and freeing memory,
            loading code, contexts
        gpu_off_cpu_s: float64, s, may be unknown. of these three, off the CPU: asleep, where
            the program asked for that
        gpu_other_threads_s: float64, s, may be unknown. in the driver, by threads that are not
            its MPI thread
        gpu_waits: Int64, may be unknown. calls that wait for the GPU, of all threads
        gpu_polls: Int64, may be unknown. calls that ask whether it has come so far
        gpu_copies: Int64, may be unknown. calls that copy
        gpu_launches: Int64, may be unknown. all other calls of the driver that are timed
        gpu_to_device_bytes: Int64, bytes, may be unknown. copied to the GPU by these calls
        gpu_from_device_bytes: Int64, bytes, may be unknown. copied from the GPU
        gpu_on_device_bytes: Int64, bytes, may be unknown. copied on the GPU, or between GPUs
        gpu_elsewhere_bytes: Int64, bytes, may be unknown. copied in the memory of the host, or
            it is not known which way
        gpu_to_device_pageable_bytes: Int64, bytes, may be unknown. of gpu_to_device_bytes, from
            pageable memory of the host: malloc and the like, not registered
        gpu_to_device_pinned_bytes: Int64, bytes, may be unknown. likewise, from pinned memory:
            cudaMallocHost, cudaHostRegister
        gpu_to_device_managed_bytes: Int64, bytes, may be unknown. likewise, from managed memory
        gpu_from_device_pageable_bytes: Int64, bytes, may be unknown. of gpu_from_device_bytes,
            to pageable memory
        gpu_from_device_pinned_bytes: Int64, bytes, may be unknown. likewise, to pinned memory
        gpu_from_device_managed_bytes: Int64, bytes, may be unknown. likewise, to managed memory
        gpu_pageable_copy_s: float64, s, may be unknown. of gpu_copy_s, from or to pageable
            memory
        gpu_kernels: string, may be unknown. with --gpu kernels and a GPU: recorded, or why
            CUPTI records nothing
        gpu_devices: Int64, may be unknown. GPUs that worked, as CUPTI tells, whose times are
            added up in what follows. Null if it was not recorded, as what follows
        gpu_computing_s: float64, s, may be unknown. a kernel of the program's runs on the GPU
        gpu_communicating_s: float64, s, may be unknown. a kernel of NCCL's runs, and none of
            the program's
        gpu_moving_s: float64, s, may be unknown. it copies or fills, and no kernel runs
        gpu_idle_s: float64, s, may be unknown. it does none of these, during the run
        gpu_idle_mpi_s: float64, s, may be unknown. of gpu_idle_s, between its first and its
            last work, while the MPI thread was in MPI
        gpu_idle_between_s: float64, s, may be unknown. of gpu_idle_s, between its first and its
            last work, while it was not
        gpu_dropped: Int64, may be unknown. records that CUPTI had no room for
        nccl_wait_s: float64, s, may be unknown. of gpu_wait_s, while a collective of NCCL
            waited for the last rank, estimated. The accounts count it as waiting, not as work
            of the GPU. Null if it is not known
        nccl_caused_s: float64, s, may be unknown. the other ranks waited for it in collectives
            of NCCL. Null if it is not known
        work_s: float64, s, may be unknown. CPU time of a fixed piece of arithmetic, the same on
            each rank, at the beginning and the end of the run: the larger one. A rank with a
            slower CPU has a larger figure
        throttled_s: float64, s, may be unknown. how long its control group was stopped during
            the run because its CPU quota was used up. Other processes of the group count as
            well
        throttles: Int64, may be unknown. in how many periods of the run, of 0.1 s for the most
            part, that was so
        memory_highs: Int64, may be unknown. how often its control group had to give memory back
            during the run, because it exceeded memory.high. Null where the system does not say,
            such as with control groups of version 1
        oom_kills: Int64, may be unknown. processes of its control group that the kernel killed
            for its memory during the run
        swapped_bytes: Int64, bytes, may be unknown. of its memory, in swap space: the most that
            a sample saw
        energy_j: float64, J, may be unknown. energy that the CPU packages and the memory of its
            node used from MPI_Init to MPI_Finalize, for all programs: the same for all ranks of
            a node. Null where users may not read that
        heat_throttles: Int64, may be unknown. how often its CPU, the core and the package, was
            slowed down during the run because it was too hot. Null where the system does not
            tell, and if it did not come to MPI_Finalize
        clock_hz: float64, Hz, may be unknown. the clock rate of its CPU on entering
            MPI_Finalize, if the system says so; else null
        most_clock_hz: float64, Hz, may be unknown. the fastest clock of that CPU
        gpus: string, may be unknown. device files of the GPUs that it had open when
            MPI_Finalize was entered, with commas between; empty without GPU
        gpu_uuid: string, may be unknown. of the GPU that it used on entering MPI_Finalize, as
            CUDA names it; else empty
        gpu_sharing: string, may be unknown. MIG or MPS if processes share its GPU on purpose;
            else empty
        read_bytes: Int64, bytes, may be unknown. bytes that read() and similar calls gave the
            process from MPI_Init to MPI_Finalize, from files, pipes and sockets, including
            those of MPI-IO and of the MPI library. Null if it did not reach MPI_Finalize
        written_bytes: Int64, bytes, may be unknown. that write() and its relatives took,
            likewise
        read_calls: Int64, may be unknown. calls of the system that read_bytes took
        write_calls: Int64, may be unknown. those of written_bytes
        team_threads: Int64, may be unknown. OpenMP: threads of its largest team; null without
            parallel regions, as the next ones
        parallel_s: float64, s, may be unknown. OpenMP: of its first thread, in parallel
            regions, MPI in them included
        parallel_busy_s: float64, s, may be unknown. OpenMP: of all its threads, busy in
            parallel regions, as in openmp; of tasks that are unseen an estimate by samples of
            its first thread
        thread_balance: float64, 0..1, may be unknown. OpenMP: as in openmp
        comm_percent: float64, %. mpi_thread_s / wallclock_s. It is one thread, not the sum, so
            that it cannot exceed 100 and that one communication thread beside idle ones shows
        user_s: float64, s, may be unknown. user CPU time of the whole process, from its start;
            of unfinished ranks at their last sample, null without one
        system_s: float64, s, may be unknown. system CPU time, as user_s
        run_cpu_s: float64, s, may be unknown. CPU time of all its threads from MPI_Init to
            MPI_Finalize; of unfinished ranks to their last sample, null without one
        run_queue_s: float64, s, may be unknown. in the run queue, also in MPI: ready to run,
            while others had the CPU. Ranks that yield while they wait in MPI are ready to run
            there
        before_cpu_s: float64, s, may be unknown. CPU time of the process before MPI_Init, of
            which nothing else is recorded; null without a sample
        memory_bytes: Int64, bytes, may be unknown. largest resident set; of unfinished ranks at
            their last sample, null without one
        calls: int64. as in totals
        sent_bytes: int64, bytes. as in totals
        threads: int64. threads that called MPI
        live_threads: Int64, may be unknown. threads of the process at the last sample, those of
            libraries included
        complete: bool. it returned from MPI_Finalize
        end: string. finalize; abort; exit; none: killed or still running
        end_code: int64. the code of MPI_Abort; if end is exit, the status that exit() got, 0 if
            that is not known; if it is finalize, the error that MPI_Finalize returned, else 0
        in_call: string, may be unknown. the MPI call it was in when last seen; null if none
        in_call_since_s: float64, s, may be unknown. when that began, after its MPI_Init
        in_call_peer: Int64, may be unknown. rank of the partner in that call's communicator
        in_call_place: string, may be unknown. where in the program that call was made, or if it
            was in none, the last one: file:line or module+offset; null if not recorded
        cpu_list: string, may be unknown. CPUs that it may run on, as a list (0-3,8), when
            MPI_Init returned
        core_cpus: string, may be unknown. CPUs of the core that it was on, as cpu_list; null if
            not recorded, as the next ones
        cache_cpus: string, may be unknown. CPUs that share that core's third-level cache
        socket_cpus: string, may be unknown. CPUs of the same socket
        numa_cpus: string, may be unknown. CPUs of the same NUMA node
        cpus_allowed: Int64, may be unknown. how many these were at the last sample
        numa_node: Int64, may be unknown. of the CPU that the last sample was taken on
        migrations: Int64, may be unknown. how often the thread that took the last sample moved
            to another CPU
        minor_faults: Int64, may be unknown. page faults of the process up to the last sample
        major_faults: Int64, may be unknown. page faults that waited for a disk
        voluntary_switches: Int64, may be unknown. how often its threads waited, up to the last
            sample
        involuntary_switches: Int64, may be unknown. how often its threads had to leave the CPU
            to something else, up to the last sample
        init_memory_bytes: Int64, bytes, may be unknown. growth of the resident set in MPI_Init:
            the MPI library's own footprint
        shared_memory_bytes: Int64, bytes, may be unknown. of the resident set at the last
            sample, file-backed or shared memory
        numa_own_bytes: Int64, bytes, may be unknown. the part of the memory without a file
            behind it that is on the NUMA node that the rank runs on at the end
        numa_other_bytes: Int64, bytes, may be unknown. the same on other NUMA nodes
        """
        return self.table("ranks")

    @property
    def samples(self) -> pandas.DataFrame:
        """A row per rank and moment: its memory.

        rank: int64. its number in MPI_COMM_WORLD
        moment: string. MPI_Init entered, MPI_Init left, running, MPI_Finalize entered
        time_s: float64, s. when, after its MPI_Init
        resident_bytes: int64, bytes. the resident set
        shared_bytes: int64, bytes. of that, file-backed or shared memory
        work_s: float64, s, may be unknown. as in ranks: CPU time of the fixed piece of
            arithmetic at that moment; null if it was not measured then
        """
        return self.table("samples")

    @property
    def rank_counters(self) -> pandas.DataFrame:
        """A row per rank and counter.

        rank: int64. its number in MPI_COMM_WORLD
        counter: string. its name
        total: float64, may be unknown. value by name of the counter; null where the rank did
            not count it
        in_mpi: float64, may be unknown. the part of it inside MPI calls
        """
        return self.table("rank_counters")

    @property
    def rank_metrics(self) -> pandas.DataFrame:
        """A row per rank and metric.

        rank: int64. its number in MPI_COMM_WORLD
        metric: string. its name
        value: float64, may be unknown. value by name of the metric; null where it has none
        """
        return self.table("rank_metrics")

    @property
    def rank_functions(self) -> pandas.DataFrame:
        """A row per rank and MPI function.

        rank: int64. the rank that called
        function: string. name of the MPI function
        calls: int64. as in functions, of this rank
        bytes: int64, bytes. as in functions, of this rank
        received_bytes: int64, bytes. as in functions, of this rank
        time_s: float64, s. time in it, summed over the rank's threads
        min_s: float64, s. its shortest single call
        max_s: float64, s. its longest single call
        wait_s: float64, s, may be unknown. waiting, as in totals
        """
        return self.table("rank_functions")

    @property
    def rank_callsites(self) -> pandas.DataFrame:
        """A row per rank and row of callsites.

        rank: int64. the rank that called
        callsite: int64. the row of callsites, from 0
        calls: int64. as in callsites, of this rank
        bytes: int64, bytes. as in callsites, of this rank
        time_s: float64, s. as in callsites, of this rank
        wait_s: float64, s, may be unknown. as in callsites, of this rank
        """
        return self.table("rank_callsites")

    @property
    def matrix(self) -> pandas.DataFrame:
        """A row per pair of ranks with messages.

        source: int64. rank of the sender, or the target of a get
        destination: int64. rank of the receiver, or the caller of a get
        messages: int64. messages: point to point as the sender counted them, one-sided as their
            caller did
        bytes: int64, bytes. bytes of these messages
        time_s: float64, s. time of the calls that sent them, on the source, and of the calls
            that received them, on the destination. Of nonblocking ones: of the call that
            started them and its share of the one that completed it. Of one-sided ones: on their
            caller
        one_sided_messages: int64. the part of messages that is one-sided
        one_sided_bytes: int64, bytes. the part of bytes that is one-sided
        """
        return self.table("matrix")

    @property
    def nodes(self) -> pandas.DataFrame:
        """A row per node.

        host: string, may be unknown. its name
        first_rank: int64. its lowest rank
        ranks: int64. how many of its ranks were read
        compute_s: float64, s. mean of its ranks
        mpi_s: float64, s. mean of its ranks, of each the MPI time of its busiest thread
        wait_s: float64, s, may be unknown. mean of its ranks
        memory_bytes: int64, bytes. sum of its ranks' peaks
        inside_messages: int64. messages sent between its own ranks
        inside_bytes: int64, bytes. bytes of these messages
        outside_messages: int64. messages sent to ranks on other nodes. Messages to ranks that
            were not read are neither here nor in inside_messages
        outside_bytes: int64, bytes. bytes of these messages
        """
        return self.table("nodes")

    @property
    def node_facts(self) -> pandas.DataFrame:
        """A row per node and fact of the machine.

        host: string, may be unknown. its name
        fact: string. its name
        text: string. what is known of the machine, by key: cpu_model, cpus, cores, sockets,
            numa_nodes, l3_bytes, l3_cpus, memory_bytes
        """
        return self.table("node_facts")

    @property
    def node_figures(self) -> pandas.DataFrame:
        """A row per figure of the nodes.

        figure_row: int64. the number of the row, from 0
        figure: string. a key of nodes, or the name of a metric
        median: float64, may be unknown. median of the nodes
        stand_out: int64. how many nodes stand out
        """
        return self.table("node_figures")

    @property
    def node_differences(self) -> pandas.DataFrame:
        """A row per figure and node that differs.

        figure: string. a key of nodes, or the name of a metric
        host: string. name of the node
        percent: float64, %. by how much it is slower than the median, or has less of a metric
        state: string. watch: by more than 5%; problem: by more than 10%, it stands out
        """
        return self.table("node_differences")

    @property
    def node_pairs(self) -> pandas.DataFrame:
        """A row per pair of nodes.

        source: string. host of the senders
        destination: string. host of the receivers; it may be the same host
        messages: int64. messages, summed over the matrix; ranks that were not read are left out
        bytes: int64, bytes. bytes of these messages
        time_s: float64, s. their time, as in matrix
        """
        return self.table("node_pairs")

    @property
    def distances(self) -> pandas.DataFrame:
        """A row per distance of two ranks.

        distance: int64. rank of the destination minus rank of the source
        pairs: int64. how many pairs of ranks have messages at it
        messages: int64. messages at it
        bytes: int64, bytes. bytes of these messages
        time_s: float64, s. their time, as in matrix
        """
        return self.table("distances")

    @property
    def communicators(self) -> pandas.DataFrame:
        """A row per communicator.

        name: string, may be unknown. null if none was given; (none): the row of all calls that
            have no communicator, so that the table adds up to the totals
        identity: string, may be unknown. the same on all ranks; null if it is not known
        kind: string. intra, inter, cartesian, graph; none: of the row (none)
        size: int64. its size; 0 in the row (none)
        remote_size: int64. size of the remote group of an intercommunicator
        made_by: string, may be unknown. the MPI function that made it
        made_at: string, may be unknown. file:line or module+offset of that call; null if not
            recorded
        created: int64. how many were counted as one, at most per rank
        ranks: int64. ranks that have it. Communicators without identity share a row if maker,
            name and size are the same: then ranks can exceed size
        calls: int64. MPI calls with it
        bytes: int64, bytes. bytes of these calls, as in functions
        time_s: float64, s. time in these calls
        mpi_thread_s: float64, s. as in functions
        wait_s: float64, s, may be unknown. waiting in these calls, as in totals
        """
        return self.table("communicators")

    @property
    def worlds(self) -> pandas.DataFrame:
        """A row per other world of the run.

        world: int64. its number, for --world; 0 is the one that began the run
        ranks: int64. size of its MPI_COMM_WORLD
        ranks_read: int64. how many of them could be read
        command: string, may be unknown. as in run, of that world
        wallclock_s: float64, s. as in run, of that world
        comm_percent: float64, %. as in totals, of that world
        complete: bool. as in run, of that world
        end: string. as in run, of that world
        """
        return self.table("worlds")

    @property
    def world_missing_ranks(self) -> pandas.DataFrame:
        """A row per range of ranks.

        world: int64. its number, for --world; 0 is the one that began the run
        first: int64. the first number of the range
        last: int64. the last number of the range
        """
        return self.table("world_missing_ranks")

    @property
    def programs(self) -> pandas.DataFrame:
        """A row per program, if the job has several.

        program: string. the name of its executable, or of the script that an interpreter runs,
            without folders
        command: string, may be unknown. command line of its first rank
        ranks: int64. how many ranks run it, of those that were read
        wallclock_s: float64, s. wallclock of the average rank, as all times in this row
        compute_s: float64, s. as in ranks
        mpi_s: float64, s. as mpi_thread_s in ranks
        wait_s: float64, s, may be unknown. as wait_thread_s in ranks; null if not known
        unknown_wait_s: float64, s, may be unknown. the part of wait_s whose program is not
            known: for ranks without a file, and for partners that are not known
        contention_s: float64, s, may be unknown. as in ranks; null if not recorded
        blocked_s: float64, s, may be unknown. as in ranks; null if not recorded
        comm_percent: float64, %. as in totals, of its ranks
        load_balance: float64. mean / max compute time of its own ranks: 1 is even
        class: string. what bounds its ranks, by the rules of the verdict applied to them alone
        state: string. how good that is: good, watch, problem
        """
        return self.table("programs")

    @property
    def program_ranks(self) -> pandas.DataFrame:
        """A row per range of a program's ranks.

        program: string. the name of its executable, or of the script that an interpreter runs,
            without folders
        first: int64. the first number of the range
        last: int64. the last number of the range
        """
        return self.table("program_ranks")

    @property
    def program_waits(self) -> pandas.DataFrame:
        """A row per program and program that it waits for.

        program: string. the program that waits
        waits_for: string. the program waited for; its own name: ranks of the same program
        wait_s: float64, s. how long the average rank of program waits for it; with
            unknown_wait_s, these add up to its wait_s. Waiting for a rank that is itself
            waiting is passed on; that part is estimated
        percent: float64, %. that, of the wallclock of program
        """
        return self.table("program_waits")

    @property
    def files(self) -> pandas.DataFrame:
        """A row per file that was opened with MPI.

        name: string, may be unknown. as the program named it. out.#.dat: more than eight files
            whose names differ only in numbers. (other files): those that the record had no room
            for, or whose opening mprof did not see
        mode: string, may be unknown. how it was opened: read, write, create, new (it must not
            exist), append, sequential, unique, deleted on close
        files: int64. how many files are in the row
        ranks: int64. ranks that opened it
        communicator_size: int64. size of the largest communicator that it was opened on; 1:
            each rank alone
        time_s: float64, s. time in all calls that are given it; of nonblocking ones also their
            share of the calls that completed them
        calls: int64. read_calls + write_calls
        read_calls: int64. calls that read. A split collective counts where it ends
        read_bytes: int64, bytes. bytes that actually arrived
        read_s: float64, s. time of these calls
        write_calls: int64. calls that write
        written_bytes: int64, bytes. bytes that were actually written
        write_s: float64, s. time of these calls
        mean_bytes: Int64, bytes, may be unknown. of a call that reads or writes
        min_bytes: Int64, bytes, may be unknown. of the smallest
        max_bytes: Int64, bytes, may be unknown. of the largest
        collective_percent: float64, %, may be unknown. of the calls that read or write: those
            that all ranks make together
        rate_bytes_per_s: float64, may be unknown. bytes per second of all ranks together: bytes
            read and written, divided by the time of the rank that read and wrote longest
        rank_rate_bytes_per_s: float64, may be unknown. bytes per second of one rank while it
            reads or writes, on average: the same bytes, by the sum of all ranks' times
        slowest_rank: Int64, may be unknown. the rank that read and wrote longest
        opens: int64. how often it was opened, summed over ranks
        open_s: float64, s. time to open and close it
        syncs: int64. how often it was synced, summed over ranks
        sync_s: float64, s. time of these calls
        other_calls: int64. other calls that are given it: seeks, views, sizes
        other_s: float64, s. time of these calls
        open_place: string, may be unknown. where it is opened: file:line or module+offset of
            the first such call; null if not recorded
        sync_place: string, may be unknown. where it is synced
        move_place: string, may be unknown. where it is read or written
        """
        return self.table("files")

    @property
    def plain_files(self) -> pandas.DataFrame:
        """A row per file that was read or written without MPI.

        name: string, may be unknown. as the kernel names it. out.#.dat: more than eight files
            whose names differ only in numbers. Null: the file is not known: read or written at
            given offsets (pread), opened and closed between two MPI calls, or a pipe or a
            socket
        mode: string, may be unknown. how it was opened: read, write, append
        files: int64. how many files are in the row
        ranks: int64. ranks that read or wrote it
        read_bytes: int64, bytes. as far as its position moved on, and likely_bytes
        written_bytes: int64, bytes. likewise
        likely_bytes: int64, bytes. of these two: bytes that moved no position, while no other
            file was open for it, or before it was seen to be open
        read_calls: int64. system calls that read, estimated by the share of these bytes in all
            that the process read meanwhile
        write_calls: int64. calls that write, likewise
        mean_bytes: Int64, bytes, may be unknown. of a call
        rate_bytes_per_s: float64, may be unknown. bytes per second of all ranks together, by
            busy_s
        busy_s: float64, s. the time in which its bytes moved, on the rank with most: stretches
            of 10 ms or more between two looks
        opens: int64. how often it was found newly opened, summed over ranks: it was opened that
            often, or more
        most_rank: Int64, may be unknown. the rank that moved most bytes
        most_bytes: int64, bytes. of that rank
        """
        return self.table("plain_files")

    @property
    def parallel_regions(self) -> pandas.DataFrame:
        """A row per parallel region of OpenMP.

        place: string, may be unknown. file:line or module+offset of the region
        function: string, may be unknown. the program's function that it is in
        source: string. as in openmp
        ranks: int64. ranks that ran it
        regions: int64. how often it ran, summed over ranks
        threads: int64. of the largest team
        time_s: float64, s. of the ranks' first threads in it
        wall_percent: float64, %. time_s / totals.wallclock_s
        mpi_s: float64, s. of time_s, in MPI
        busy_s: float64, s, may be unknown. of all threads; null if it is not known (explicit
            tasks of libgomp), as the next ones
        busy_threads: float64, may be unknown. how many are busy at a time
        thread_balance: float64, 0..1, may be unknown. as in openmp
        imbalance_s: float64, s, may be unknown. for how much longer than the average the
            busiest thread is busy, summed over ranks
        """
        return self.table("parallel_regions")

    @property
    def gpu_sites(self) -> pandas.DataFrame:
        """A row per place that calls a GPU driver.

        use: string. wait: for the GPU, or asking whether it has come so far; copy; other:
            launching, memory, loading code
        place: string, may be unknown. file:line of the program's code that is nearest to the
            call, or module+offset; empty: not kept apart
        function: string, may be unknown. the function that it is in
        ranks: int64. ranks that call from there
        calls: int64. summed over ranks and threads, as the next two
        bytes: int64, bytes. of copies
        pageable_bytes: int64, bytes. of bytes, from or to pageable memory of the host, which is
            not pinned
        time_s: float64, s. in the driver
        max_s: float64, s. of the rank with most
        max_rank: int64. that rank
        longest_call_s: float64, s. of one call
        kernel: string, may be unknown. of wait: the kernel that was launched before most of the
            waiting, (graph) for a graph; empty where that is not known
        """
        return self.table("gpu_sites")

    @property
    def gpu_buffers(self) -> pandas.DataFrame:
        """A row per line and memory of buffers of MPI calls.

        function: string, may be unknown. of MPI; empty for calls that were not kept apart
        place: string, may be unknown. line of the program
        memory: string. host (memory that the GPU's driver does not know), pinned, managed,
            device
        received: bool. the call writes to it; else it reads it
        ranks: int64. ranks with such buffers
        calls: int64. summed over ranks, as all that follow
        bytes: int64, bytes. of received ones, that there was room for
        staged_copies: int64. copies from the device to the buffer before it was sent, or from
            it to the device after it was received
        staged_bytes: int64, bytes. of the buffers, in these copies
        staged_s: float64, s. that these copies took
        """
        return self.table("gpu_buffers")

    @property
    def gpu_work(self) -> pandas.DataFrame:
        """A row per kernel that GPUs ran, and per kind of copy.

        use: string. kernel, NCCL (a kernel of it), copy to the GPU, copy from the GPU, copy on
            the GPU, copy between GPUs, other copy, fill, or synchronization: the host waited
        kernel: string, may be unknown. its name without arguments; empty: no kernel, or all
            that are not listed
        ranks: int64. that ran it
        count: int64. how often, summed over ranks, as all that follow
        time_s: float64, s. on the GPU
        percent: float64, %. of the time of all kernels, copies and fills
        longest_s: float64, s. of one
        max_s: float64, s. of time_s, of the rank with most
        max_rank: int64. this rank
        bytes: int64, bytes. of copies and fills
        pageable_bytes: int64, bytes. of copies, from or to memory of the host that is not
            pinned
        """
        return self.table("gpu_work")

    @property
    def gpu_time(self) -> pandas.DataFrame:
        """A row per bin of time: how busy the GPUs are.

        begin_s: float64, s. since MPI_Init
        length_s: float64, s. of the bin
        computing_percent: float64, %. of it, the average GPU runs a kernel of the program's
        communicating_percent: float64, %. a kernel of NCCL's, and none of the program's
        moving_percent: float64, %. copies or fills, and no kernel
        """
        return self.table("gpu_time")

    @property
    def nccl_communicators(self) -> pandas.DataFrame:
        """A row per communicator of NCCL.

        id: string, may be unknown. in hexadecimal; empty: all communicators that were not kept
            apart
        name: string, may be unknown. that the program gave it
        size: int64. its ranks, as NCCL tells; 0: not known
        nodes: int64. that they are on; 0: not known
        ranks: int64. ranks of MPI that called it
        calls: int64. summed over ranks, as all that follow
        bytes: int64, bytes. elements of each call times their size
        time_s: float64, s. from each call until its last part was seen to end; calls overlap
        compared: int64. collectives of which it is known when each rank came
        waited_s: float64, s, may be unknown. for the rank that came last, in all collectives,
            estimated from those compared. Null if there are none
        waited_percent: float64, %, may be unknown. waited_s, of the time that these collectives
            take on all ranks from when a rank came. Null if their end is not known
        last_rank: Int64, may be unknown. the rank of MPI that the others waited for most
        last_percent: float64, %, may be unknown. of waited_s, for it
        last_calls_percent: float64, %, may be unknown. of the collectives that were compared:
            it came last
        """
        return self.table("nccl_communicators")

    @property
    def nccl_calls(self) -> pandas.DataFrame:
        """A row per communicator, line, function, datatype and size of NCCL's calls.

        communicator: string, may be unknown. its id
        function: string, may be unknown. as NCCL names it, such as AllReduce; empty: what was
            not kept apart
        datatype: string, may be unknown. such as ncclFloat32
        place: string, may be unknown. the line that calls it, or that ends its group; empty:
            not known
        message: bool. point-to-point; else a collective
        call_bytes: int64, bytes. of one call: elements times their size; 0: not known, or of
            all sizes
        ranks: int64. that make such calls
        calls: int64. summed over ranks, as all that follow
        bytes: int64, bytes. of all calls
        time_s: float64, s. from each call until its last part was seen to end
        longest_s: float64, s. of one call
        ended: int64. calls that were seen to end
        device_s: float64, s, may be unknown. of it, on the GPU: from its first kernel's begin
            to its last one's end. Null if NCCL does not tell
        waited_s: float64, s, may be unknown. of collectives, for the rank that came last:
            estimated, as of the communicator. Null if it is not known
        """
        return self.table("nccl_calls")

    @property
    def nccl_partners(self) -> pandas.DataFrame:
        """A row per pair of ranks of which one sends to the other through NCCL.

        rank: int64. of MPI, that sends
        partner: int64. the rank of MPI that it sends to
        messages: int64. calls of ncclSend
        bytes: int64, bytes. of these
        time_s: float64, s. from each call until its last part was seen to end
        same_node: bool. both ranks are on one node
        """
        return self.table("nccl_partners")

    @property
    def nccl_functions(self) -> pandas.DataFrame:
        """A row per function of NCCL.

        function: string. as the program calls it, such as ncclAllReduce; other NCCL collectives
            and other NCCL messages: what was not kept apart
        ranks: int64. that call it
        calls: int64. summed over ranks; none is a call of MPI
        bytes: int64, bytes. elements of each call times their size
        ended: int64. calls that were seen to end
        time_s: float64, s. from each call until its last part was seen to end, summed over
            ranks. Calls run beside the program and each other: this is no part of totals.mpi_s
            or of the wallclock
        max_s: float64, s. longest single call
        device_s: float64, s, may be unknown. of it, on the GPU. Null if NCCL does not tell
        wait_s: float64, s, may be unknown. of collectives, for the rank that came last,
            estimated. Null if it is not known
        wall_percent: float64, %. time_s / totals.wallclock_s: above 100 where calls overlap
        max_over_mean: float64. time of the rank that spent most in it / mean over all ranks
        max_rank: int64. the rank that spent most time in it
        """
        return self.table("nccl_functions")

    @property
    def nccl_time(self) -> pandas.DataFrame:
        """A row per bin of time: how long ranks are in NCCL.

        begin_s: float64, s. since MPI_Init
        length_s: float64, s. of the bin
        running_percent: float64, %. of it, the average rank is in a collective of NCCL: from
            when it comes until the end, from those of which this is known
        waiting_percent: float64, %. of it, the average rank waits there for the rank that comes
            last
        """
        return self.table("nccl_time")

    @property
    def regions(self) -> pandas.DataFrame:
        """A row per region that the program names.

        region: string. path: the names of the regions around it and its own, with / between
        ranks: int64. ranks that were in it
        visits: int64. how often it was begun
        time_s: float64, s. time in it, with the regions in it, summed over threads; of the
            whole program the wallclock
        compute_s: float64, s. the part of time_s outside MPI; for the whole program, as in
            totals
        wall_percent: float64, %. time_s, of each rank at most its wallclock /
            totals.wallclock_s
        comm_percent: float64, %. MPI time in it / time_s; for the whole program, as in totals
        mpi_s: float64, s. MPI time in it, with the regions in it
        exclusive_mpi_s: float64, s. MPI time in it, without the regions in it
        wait_s: float64, s, may be unknown. waiting in it, with the regions in it; as in totals
        exclusive_wait_s: float64, s, may be unknown. waiting in it, without the regions in it
        calls: int64. MPI calls in it, with the regions in it
        exclusive_calls: int64. MPI calls in it, without the regions in it
        bytes: int64, bytes. bytes of MPI calls in it, with the regions in it
        exclusive_bytes: int64, bytes. bytes of MPI calls in it, without the regions in it
        load_balance: float64, 0..1. mean / largest compute time of the ranks that were in it
        load_balance_state: string. how good that is: good, from 0.85 on; watch; problem, below
            0.7
        communication_efficiency: float64, 0..1. largest compute time in it / longest time in it
        parallel_efficiency: float64, 0..1. the product of the two
        max_compute_s: float64, s. the largest compute time in it
        max_rank: int64. whose that is
        """
        return self.table("regions")

    @property
    def region_counters(self) -> pandas.DataFrame:
        """A row per region and counter.

        region: string. path: the names of the regions around it and its own, with / between
        counter: string. its name
        total: float64, may be unknown. value by name of the counter, with the regions in it,
            inside and outside MPI
        """
        return self.table("region_counters")

    @property
    def bindings(self) -> pandas.DataFrame:
        """A row per set of CPUs that ranks of a node are bound to.

        host: string. the first of the nodes that are alike
        nodes: int64. nodes that are alike, this one included: their ranks, in order, sit in the
            same places
        cpus: string, may be unknown. CPUs that the ranks may run on, such as 0-3,8
        level: string. the smallest part of a node that holds these CPUs: core, cache (of the
            third level), NUMA node, socket, node
        core_cpus: string, may be unknown. of the core that holds them; null if none does
        cache_cpus: string, may be unknown. of the third-level cache
        numa_cpus: string, may be unknown. of the NUMA node
        socket_cpus: string, may be unknown. of the socket
        ranks: int64. how many ranks of host these are
        rank_list: string, may be unknown. which ones, such as 0-3,8
        """
        return self.table("bindings")

    @property
    def counters(self) -> pandas.DataFrame:
        """A row per counter.

        counter: string. its name
        unit: string, may be unknown. ns or null
        source: string. PAPI, perf, perf, outside the kernel only, kernel accounting
        multiplexed: bool. it took turns with others: values are estimates
        total: float64. sum over ranks
        in_mpi: float64. the part of it inside MPI calls
        outside_mpi: float64. the rest
        mean: float64. mean of the ranks that counted it
        min: float64. least of the ranks
        max: float64. largest of the ranks
        min_rank: int64. the rank with the least
        max_rank: int64. the rank with the largest
        evenness: string. even; slightly uneven: the largest is more than 1.1 times the mean, or
            the mean more than 1.1 times the least; uneven: at least 1.3 times
        """
        return self.table("counters")

    @property
    def metrics(self) -> pandas.DataFrame:
        """A row per metric.

        metric: string. its name
        unit: string, may be unknown. null if it has no unit
        formula: string. numerator and denominator. Ratios of two counters cover only the time
            outside MPI, because a rank also executes instructions while it waits in MPI
        value: float64. of the run: sums over ranks, divided; of rates for all ranks together,
            by the wallclock of the run
        mean: float64. mean of the ranks that counted it
        min: float64. least of the ranks
        max: float64. largest of the ranks
        min_rank: int64. the rank with the least
        max_rank: int64. the rank with the largest
        evenness: string. even; slightly uneven: the largest is more than 1.1 times the mean, or
            the mean more than 1.1 times the least; uneven: at least 1.3 times
        """
        return self.table("metrics")

    @property
    def causes(self) -> pandas.DataFrame:
        """A row per rank that others waited for.

        rank: int64. the rank that others waited for
        host: string, may be unknown. where it runs
        caused_wait_s: float64, s. how long the others waited for it, summed over all of them
        last_percent: float64, %. to how many of the collectives in which anybody waited it came
            last
        compute_s: float64, s. its compute time
        over_mean: float64. that / the mean of all ranks, or in a job of several programs of the
            ranks of its program
        place: string, may be unknown. where most of the waiting for it shows, in words:
            MPI_Allreduce at cg.c:211
        segment: string, may be unknown. between which two calls it computes longer than the
            others, in words: a.c:5 and a.c:9 (2.0 s, the others 1.0 s); null if nowhere by much
        reason: string, may be unknown. what else is unusual about it (clock rate, page faults,
            memory, node), in words
        """
        return self.table("causes")

    @property
    def transfers(self) -> pandas.DataFrame:
        """A row per size of messages: what they cost.

        locality: string. same node, other node
        low_bytes: int64, bytes. the smallest size in the row
        high_bytes: int64, bytes. the largest size in the row
        messages: int64. how many messages
        observed_s: float64, s. mean time of the calls that sent or received one
        possible_s: float64, s. the time of the run's best calls or the time measured in
            MPI_Finalize (MPROF_BASELINE), whichever is shorter, and at most observed_s:
            messages that continue while the rank computes take less of its time
        source: string. which of the two that is: best case of the run, baseline
        """
        return self.table("transfers")

    @property
    def message_costs(self) -> pandas.DataFrame:
        """A row per size, locality and source: what a message takes.

        locality: string. same node, other node
        bytes: int64, bytes. the size
        best_s: float64, s. the shortest time
        typical_s: float64, s. the median of the baseline, or the mean of the run's fastest
            lines
        source: string. baseline: between two idle ranks in MPI_Finalize (MPROF_BASELINE); best
            case of the run: of the run's calls, some of which end before the message has
            arrived
        """
        return self.table("message_costs")

    @property
    def machine_times(self) -> pandas.DataFrame:
        """A row per collective and size, and per size of messages: here and on the machine.

        what: string. a collective, or message
        distance: string, may be unknown. of messages: same node or other node; null of
            collectives
        bytes: int64, bytes. of one call; of messages the largest of a power of two
        calls: int64. calls, or messages, over all ranks
        ranks: int64. of collectives: among how many ranks the machine's figure was measured; 0:
            not known
        here_s: float64, s. what one of them took in the run, on average
        moving_s: float64, s, may be unknown. the part of it without waiting for other ranks,
            estimated by the share of waiting in all such calls. Null if waiting is not known
        machine_s: float64, s. the time that the machine needs for it
        factor: float64. moving_s, or here_s where that is null, / machine_s
        excess_s: float64, s. time beyond that, without waiting, summed over all calls and ranks
        state: string. good; watch: 1.5 times as long or more, and at least 1% of the MPI time;
            problem: the same, 4 times as long
        """
        return self.table("machine_times")

    @property
    def eager_limits(self) -> pandas.DataFrame:
        """A row per distance: the eager limit among the sizes.

        distance: string. of the ranks between which it was measured
        limit_bytes: int64, bytes. the largest message that the MPI sends before the receiver
            asks for it
        below_s: float64, s. the time of a message of that size, one way
        above_s: float64, s. the time of a message that is a byte larger
        messages: int64. messages that the run sent
        eager_messages: int64. those that are not larger
        just_above: int64. those that are larger, by a factor of two at most
        setting: string, may be unknown. the setting of the limit; null if not known
        sentence: string, may be unknown. what that means
        """
        return self.table("eager_limits")

    @property
    def touch_rules(self) -> pandas.DataFrame:
        """A row per call site that a rule of the cache concerns.

        function: string. name of the MPI function
        place: string, may be unknown. source line, or module and offset
        bytes: int64, bytes. of one call there
        calls: int64. calls of that size there
        mpi_percent: float64, %. of all MPI time, at this place
        rule: string. while cached: below the eager limit; not right after: up to half of the
            last-level cache, between nodes; in pieces: larger than the cache
        evidence: string. the evidence that it concerns this place: counters that were recorded,
            or the size alone
        sentence: string, may be unknown. what to do
        """
        return self.table("touch_rules")

    @property
    def standing_rows(self) -> pandas.DataFrame:
        """A row per place where such ranks are.

        standing_row: int64. the number of the row, from 0
        state: string. in call; outside MPI; polling: outside MPI or in a poll, and it does
            nothing else (MPI_Test); gone: its process is not there any more while others run;
            stopped: by a signal; in a debugger: stopped by one
        function: string, may be unknown. the call in progress, or the last one that ended
        place: string, may be unknown. where in the program that is; null if not known
        communicator: string, may be unknown. communicator of the call in progress
        peer: Int64, may be unknown. the partner's rank in that communicator, if it is the same
            for all; else null
        ranks: int64. how many ranks are there
        since_s: float64, s. when the first of them came there, after the start of the first
            rank
        shortest_s: float64, s. how long they have been there at least: until now, or until the
            last sign of life of any rank if the job does not run
        longest_s: float64, s. and at most
        text: string. all of it in a sentence
        """
        return self.table("standing_rows")

    @property
    def standing_ranks(self) -> pandas.DataFrame:
        """A row per range of ranks in such a place.

        standing_row: int64. the row of standing.rows, from 0
        first: int64. the first number of the range
        last: int64. the last number of the range
        """
        return self.table("standing_ranks")

    @property
    def thread_stacks(self) -> pandas.DataFrame:
        """A row per thread of a rank outside MPI.

        stack: int64. the number of the row, from 0
        rank: int64. its rank
        thread: int64. the number that the kernel gives the thread
        is_first: bool. it is the thread that runs main()
        doing: string, may be unknown. what it does, in words: runs, in read() of pipe:[4711],
            waits for a lock that thread 4712 holds
        is_cut: bool. there are more frames around
        """
        return self.table("thread_stacks")

    @property
    def stack_frames(self) -> pandas.DataFrame:
        """A row per function on such a stack.

        stack: int64. the row of standing.stacks, from 0
        frame: int64. the number of the row, from 0
        file: string, may be unknown. source file; null if the debug data does not say; so are
            the next two
        line: Int64, may be unknown. line in it
        symbol: string, may be unknown. function of the program (C++ names demangled, Fortran as
            module::procedure, [OpenMP] = the body of a parallel region, [JIT code] = code that
            was compiled while the program ran; the other fields are then of its caller)
        module: string, may be unknown. executable or library, as the loader knew it; of a
            script its file
        offset: string, may be unknown. the return address in that module, hexadecimal, as a
            text; of a script the instruction in the function
        inlined: bool. the function has no call of its own here, it is part of the next frame
        """
        return self.table("stack_frames")

    @property
    def look_at(self) -> pandas.DataFrame:
        """A row per rank to look at first.

        number: int64. the number of the row, from 0
        rank: int64. ranks whose last_calls to look at first, at most 16, in that order: those
            that others wait for or that are where nobody else is
        """
        return self.table("look_at")

    @property
    def last_calls(self) -> pandas.DataFrame:
        """A row per one of the last calls of such a rank.

        rank: int64. the rank that called
        thread: int64. which of its threads, from 0
        function: string, may be unknown. the MPI function
        place: string, may be unknown. where in the program that is; null if not known
        communicator: string, may be unknown. null if it has none
        peer: Int64, may be unknown. the partner's rank in that communicator
        bytes: Int64, bytes, may be unknown. of the call; null of polls, and of a call that had
            not ended
        polls: Int64, may be unknown. how many polls in succession this row covers; null for
            other calls
        began_s: float64, s. when it began, after the start of the first rank; of polls the
            first one
        time_s: float64, s, may be unknown. how long it took, of polls all of them; null if it
            had not ended
        call: string, may be unknown. function, partner and communicator in words
        """
        return self.table("last_calls")

    @property
    def lints(self) -> pandas.DataFrame:
        """A row per broken rule of MPI and line.

        rule: string, may be unknown. which rule is broken (lint.md)
        severity: string. error, warning or note
        rank: int64. the lowest rank that breaks it there
        ranks: int64. how many ranks do
        function: string, may be unknown. the MPI function that is called there
        file: string, may be unknown. source file of the call, as debug data have it
        line: int64. line in it; 0: not known
        place: string, may be unknown. file:line, or module and offset
        count: int64. how often, summed over ranks: calls, objects or messages
        message: string, may be unknown. what is wrong, as a sentence
        standard: string, may be unknown. the section of the MPI standard that says so
        cost_s: float64, s, may be unknown. what it costs, summed over ranks; null where it
            costs no time
        """
        return self.table("lints")

    @property
    def lint_rules(self) -> pandas.DataFrame:
        """A row per rule.

        rule: string, may be unknown. its name
        severity: string. of its findings
        standard: string, may be unknown. the section of the MPI standard
        sentence: string, may be unknown. what it looks for
        looked_at: bool. the profile of at least one rank tells whether it is broken
        gap: string, may be unknown. why it was not looked at, or not on all ranks; null: on all
        findings: int64. rows of lints
        """
        return self.table("lint_rules")

    @property
    def missing_ranks(self) -> pandas.DataFrame:
        """A row per range of ranks.

        first: int64. the first number of the range
        last: int64. the last number of the range
        """
        return self.table("missing_ranks")

    @property
    def missing_worlds(self) -> pandas.DataFrame:
        """A row per range of worlds.

        first: int64. the first number of the range
        last: int64. the last number of the range
        """
        return self.table("missing_worlds")

    @property
    def damaged_files(self) -> pandas.DataFrame:
        """A row per file that could not be read.

        file: string. its path
        offset: int64, bytes. where in it
        expected: string. expected value
        found: string. value found
        """
        return self.table("damaged_files")

    @property
    def left_out_files(self) -> pandas.DataFrame:
        """A row per file that was left out.

        file: string. its path
        offset: int64, bytes. where in it
        expected: string. expected value
        found: string. value found
        """
        return self.table("left_out_files")

    @property
    def checks(self) -> pandas.DataFrame:
        """A row per judgement of the profile.

        name: string. Ranks read, Ranks finished, Detail kept, Overhead, Waiting (if it is
            known)
        state: string. good, watch, problem
        badge: string. the same in a word: ok, incomplete, partly
        """
        return self.table("checks")

    @property
    def texts(self) -> pandas.DataFrame:
        """A row per text of a list of texts.

        list: string. the list: machine.sentences, machine.remarks, quality.counters_refused,
            quality.not_covered, quality.unresolved_modules, quality.unproved_modules,
            quality.regions_left_open, quality.remarks, verdict.extra
        number: int64. the place in it, from 0
        text: string. its words
        """
        return self.table("texts")

    @property
    def accounts(self) -> pandas.DataFrame:
        """A row per cause: how much the run would save without it.

        name: string. the cause: uneven, blocked, kernel, files, in turn, latency, bandwidth,
            threads, slow CPU, pickling, uneven GPUs, GPU, GPU copies, GPU launches, other
            program, few CPUs, start-up
        gain_s: float64, s. how much shorter the run would be without it
        gain_low_s: float64, s. likewise, at least
        gain_high_s: float64, s. likewise, at most; for uneven, what it saves if the extra work
            can be skipped
        wall_without_s: float64, s. wallclock of the run less gain_s
        rank: Int64, may be unknown. the rank that has most of it; null: no rank has
        changes: bool. the rank that has most changes during the run
        rank_s: float64, s. the part of rank in the run; for uneven, its CPU time outside MPI
        next_s: float64, s. the same of the rank with the next most
        function: string, may be unknown. the program's, where it arises
        place: string, may be unknown. line of the program where it arises
        step: string, may be unknown. what to try first
        cause: string, may be unknown. a pattern that is known by name and explains the account
            or a part of it: master, uneven sizes, wait at once, pipeline, rare steps, held
            lock, absent owner; null: none is known
        cause_gain_s: float64, s, may be unknown. what fixing it saves, a part of gain_s; null:
            there is no cause
        cause_words: string, may be unknown. it in a sentence: who, how much, where
        """
        return self.table("accounts")

    @property
    def account_order(self) -> pandas.DataFrame:
        """A row per step of what adds up.

        step_row: int64. the number of the row, from 0
        accounts: string. the account, or two that hide each other: blocked + uneven
        saves_s: float64, s. what it saves once those before it are gone
        """
        return self.table("account_order")

    @property
    def account_windows(self) -> pandas.DataFrame:
        """A row per window: what causes cost there.

        window: int64. the number of the row, from 0
        from_s: float64, s. where it starts
        to_s: float64, s. where the next one starts
        uneven_s: float64, s. how much shorter the run would be there if all ranks worked the
            same
        blocked_s: float64, s. likewise, if none were blocked
        kernel_s: float64, s. likewise, without the kernel's work
        files_s: float64, s. likewise, without MPI-IO
        in_turn_s: float64, s. likewise, if ranks did not wait for each other in turn
        latency_s: float64, s. likewise, without small messages
        bandwidth_s: float64, s. likewise, without large messages
        rank: Int64, may be unknown. that works longest there, beyond the mean; null: nobody
            works
        """
        return self.table("account_windows")

    @property
    def next_steps(self) -> pandas.DataFrame:
        """A row per step to try.

        step: int64. the number of the row, from 0
        action: string. what to do
        evidence: string. why
        try_it: string, may be unknown. how to see soon whether it helps
        otherwise: string, may be unknown. what to look at if it does not help
        confidence: string. high, medium, low
        worth_s: float64, s, may be unknown. what it can save of the run's wallclock, part of an
            account; null: not known
        worth_low_s: float64, s, may be unknown. what it saves at least if it is done fully;
            null: not known
        account: string, may be unknown. the account that it saves a part of, as in accounts;
            null: none
        """
        return self.table("next_steps")

    @property
    def cards(self) -> pandas.DataFrame:
        """A row per card of the page.

        title: string. the figure's name
        value: string. the figure
        detail: string, may be unknown. what it is part of
        note: string, may be unknown. a sentence about it
        state: string. good, watch, problem
        """
        return self.table("cards")

    @property
    def verdict_rules(self) -> pandas.DataFrame:
        """A row per class, in the order of trying.

        class: string. the class
        condition: string. when it matches, with its thresholds
        found: string. the numbers of this run
        matches: bool. its condition holds
        """
        return self.table("verdict_rules")

    @property
    def step_rules(self) -> pandas.DataFrame:
        """A row per rule for next steps.

        rule: string. its name
        found: string, may be unknown. the numbers of this run
        matches: bool. its condition holds
        shown: bool. its step is in next
        worth_s: float64, s, may be unknown. what it may save at most; null if it does not match
        """
        return self.table("step_rules")
