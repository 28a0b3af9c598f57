// For whom a rank waits in a function, by its name in whatever form.
#include "analyse/wait_rules.h"

#include <gmock/gmock.h>

namespace {

using namespace mprof;

void expect(const char *function, WaitRule call, WaitRule completion, const char *family)
{
    const FunctionRules rules = rules_of(function);
    EXPECT_EQ(rules.call, call) << function;
    EXPECT_EQ(rules.completion, completion) << function;
    EXPECT_EQ(rules.family, family) << function;
}

TEST(WaitRules, FormsHaveTheRuleOfTheirFunction)
{
    using enum WaitRule;
    expect("MPI_Bcast", root, never, "MPI_Bcast");
    expect("MPI_Bcast_c", root, never, "MPI_Bcast");
    expect("MPI_Ibcast", never, root, "MPI_Bcast");
    expect("MPI_Ibcast_c", never, root, "MPI_Bcast");
    expect("MPI_Bcast_init", never, root, "MPI_Bcast");
    expect("MPI_Bcast_init_c", never, root, "MPI_Bcast");
    expect("MPI_Ineighbor_alltoallw", never, neighbours, "MPI_Neighbor_alltoallw");
    expect("MPI_Ireduce_scatter_block", never, everyone, "MPI_Reduce_scatter_block");
    expect("MPI_Comm_idup", never, everyone, "MPI_Comm_dup");
    expect("MPI_Iexscan", never, lower, "MPI_Exscan");
    expect("MPI_Igatherv", never, at_root, "MPI_Gatherv");
}

TEST(WaitRules, MessagesAndTheirCompletion)
{
    using enum WaitRule;
    expect("MPI_Recv", message, never, "MPI_Recv");
    expect("MPI_Irecv_c", never, message, "MPI_Recv");
    expect("MPI_Irsend", never, message, "MPI_Rsend");
    expect("MPI_Isendrecv_replace", never, message, "MPI_Sendrecv_replace");
    expect("MPI_Ssend_init", never, message, "MPI_Ssend");
    expect("MPI_Psend_init", never, message, "MPI_Send");
    expect("MPI_Rget", never, message, "MPI_Get");
    expect("MPI_Waitsome", completion, never, "MPI_Waitsome");
    expect("MPI_Iprobe", never, message, "MPI_Probe");
}

TEST(WaitRules, LocalCallsNeverWaitAndSomeCannotBeTold)
{
    using enum WaitRule;
    for (const char *local :
         {"MPI_Bsend", "MPI_Ibsend", "MPI_Test", "MPI_Testall", "MPI_Comm_rank", "MPI_Start",
          "MPI_Put", "MPI_Info_get", "MPI_Initialized", "MPI_Pack", "MPI_Group_incl"}) {
        EXPECT_EQ(rules_of(local).call, never) << local;
        EXPECT_EQ(rules_of(local).completion, never) << local;
    }
    for (const char *unknown : {"MPI_Init", "MPI_File_write_all", "MPI_Win_lock", "MPI_Comm_spawn",
                                "MPI_Intercomm_create"})
        EXPECT_EQ(rules_of(unknown).call, not_known) << unknown;
    expect("MPI_File_iwrite_at_c", never, not_known, "MPI_File_iwrite_at");
}

}  // namespace
