/* What zstd looks back to before the first byte of a finished rank file: texts that most rank files
 * have. libmprof (C11) and the parser (C++20) need the same, so it is part of the format, and never
 * changes within a major version. */
#ifndef MPROF_DICTIONARY_H
#define MPROF_DICTIONARY_H

static const char mprof_dictionary[] =
    "MPI_Type_contiguous\000MPI_Type_vector\000MPI_Type_indexed\000MPI_Type_create_struct\000"
    "MPI_Type_create_subarray\000MPI_Type_commit\000MPI_Type_free\000MPI_Op_create\000"
    "MPI_Op_free\000MPI_Comm_get_attr\000MPI_Attr_get\000MPI_Comm_create\000MPI_Comm_group\000"
    "MPI_Comm_compare\000MPI_Comm_get_parent\000MPI_Group_incl\000MPI_Group_free\000"
    "MPI_Win_create\000MPI_Win_allocate\000MPI_Win_fence\000MPI_Win_lock\000MPI_Win_unlock\000"
    "MPI_Put\000MPI_Get\000MPI_Accumulate\000MPI_Info_create\000MPI_Info_set\000MPI_Info_free\000"
    "MPI_File_open\000MPI_File_set_view\000MPI_File_write_at_all\000MPI_File_read_at_all\000"
    "MPI_File_close\000MPI_Get_version\000MPI_Get_library_version\000MPI_Get_processor_name\000"
    "MPI_Query_thread\000MPI_Initialized\000MPI_Finalized\000MPI_Init_thread\000"
    "MPI_Comm_split_type\000MPI_Comm_split\000MPI_Comm_dup\000MPI_Comm_free\000"
    "MPI_Comm_set_name\000MPI_Cart_create\000MPI_Cart_get\000MPI_Cart_coords\000MPI_Cart_rank\000"
    "MPI_Cart_shift\000MPI_Dims_create\000MPI_Send_init\000MPI_Recv_init\000MPI_Startall\000"
    "MPI_Start\000MPI_Request_free\000MPI_Ssend\000MPI_Rsend\000MPI_Ibcast\000MPI_Ibarrier\000"
    "MPI_Iallreduce\000MPI_Ialltoall\000MPI_Exscan\000MPI_Scan\000MPI_Reduce_scatter\000"
    "MPI_Scatterv\000MPI_Scatter\000MPI_Gatherv\000MPI_Gather\000MPI_Alltoallv\000"
    "MPI_Alltoall\000MPI_Allgatherv\000MPI_Allgather\000MPI_Pack\000MPI_Unpack\000MPI_Iprobe\000"
    "MPI_Probe\000MPI_Get_count\000MPI_Testall\000MPI_Testany\000MPI_Testsome\000MPI_Test\000"
    "MPI_Waitany\000MPI_Waitsome\000MPI_Sendrecv_replace\000MPI_Sendrecv\000MPI_Wtick\000"
    "MPI_Wtime\000MPI_Abort\000MPI_Comm_rank\000MPI_Comm_size\000MPI_Bcast\000MPI_Barrier\000"
    "MPI_Reduce\000MPI_Allreduce\000MPI_Irecv\000MPI_Isend\000MPI_Recv\000MPI_Send\000"
    "MPI_Waitall\000MPI_Wait\000MPI_Init\000MPI_Finalize\000environment.SLURM_NTASKS\000"
    "environment.SLURM_JOB_NUM_NODES\000counters_refused\000cgroup_cpus\000"
    "cgroup_memory_bytes\000MPICH Version: \000MPICH Release date: \000Intel(R) MPI Library \000"
    "Intel(R) Xeon(R) Gold CPU @ \0000GHz\000AMD EPYC \000/usr/lib/x86_64-linux-gnu/libc.so.6\000"
    "/lib/x86_64-linux-gnu/libmpich.so.12\000/usr/lib64/openmpi/lib/libmpi.so.40\000"
    "/usr/local/bin/\000MPI_COMM_WORLD\000MPI_COMM_SELF\000mprof_version\0000.1.0\000command\000"
    "./\000executable\000/home/\000program\000\000working_directory\000/home/\000host\000node\000"
    "job\000\000mpi_path\000/lib/x86_64-linux-gnu/libmpi.so.40\000mpi_library\000"
    "Open MPI v4.1, package: Debian OpenMPI, ident: 4.1, repo rev: v4.1, \000not_covered\000\000"
    "cpu\0001\000core_cpus\0001\000numa_cpus\0000-\000cpus_allowed\0000-\000node.cpu_model\000"
    "AMD EPYC\000node.cpus\0002\000node.cores\0002\000node.sockets\0001\000node.numa_nodes\000"
    "1\000node.l3_bytes\00033554432\000node.l3_cpus\0002\000node.memory_bytes\000"
    "environment.OMP_NUM_THREADS\0001\000\000\000";

#endif
