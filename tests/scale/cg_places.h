// Where the invented program of generate_ranks.cc makes its MPI calls. The places are functions of
// the generator itself. So their addresses lead to real source lines by real debug data.
#pragma once

#include "mprof/format/format.h"

#include <vector>

namespace mprof_test {

// Slots of the call path table, in its order; the frames around come before those in them.
enum CgSite : uint32_t {
    site_none,
    site_main,
    site_init,
    site_setup,
    site_split,
    site_bcast,
    site_solve,
    site_halo,
    site_irecv,
    site_isend,
    site_waitall,
    site_dot,
    site_allreduce,
    site_residual,
    site_precond,
    site_allgather,
    site_transpose,
    site_send,
    site_recv,
    site_write,
    site_barrier,
    site_file_write,
    site_reduce,
    site_finalize,
    site_count
};

std::vector<mprof_callsite> cg_callsites();

// The generator's own executable, as module 1 of these call sites.
std::vector<mprof_module> cg_modules();

}  // namespace mprof_test
