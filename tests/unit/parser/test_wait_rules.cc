// For which ranks a rank waits in a function, by the function's name in every form.
#include "measure/function_facts.h"

#include <gmock/gmock.h>

namespace {

using namespace mprof;

void expect(const char *function, WaitRule call, WaitRule completion, const char *form_of)
{
    const FunctionFacts rules = facts_of(function);
    EXPECT_EQ(rules.call, call) << function;
    EXPECT_EQ(rules.completion, completion) << function;
    EXPECT_EQ(rules.form_of, form_of) << function;
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
    expect("MPI_Comm_idup", never, everyone, "MPI_Comm_idup");
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
    expect("MPI_Psend_init", never, message, "MPI_Psend");
    expect("MPI_Rget", never, message, "MPI_Get");
    expect("MPI_Waitsome", completion, never, "MPI_Waitsome");
    expect("MPI_Iprobe", never, never, "MPI_Iprobe");
}

TEST(WaitRules, LocalCallsNeverWaitAndSomeCannotBeTold)
{
    using enum WaitRule;
    for (const char *local :
         {"MPI_Bsend", "MPI_Ibsend", "MPI_Test", "MPI_Testall", "MPI_Comm_rank", "MPI_Start",
          "MPI_Put", "MPI_Info_get", "MPI_Initialized", "MPI_Pack", "MPI_Group_incl"}) {
        EXPECT_EQ(facts_of(local).call, never) << local;
        EXPECT_EQ(facts_of(local).completion, never) << local;
    }
    for (const char *unknown : {"MPI_Init", "MPI_File_write_all", "MPI_Win_lock", "MPI_Comm_spawn",
                                "MPI_Intercomm_create"})
        EXPECT_EQ(facts_of(unknown).call, not_known) << unknown;
    expect("MPI_File_iwrite_at_c", never, not_known, "MPI_File_write_at");
}

// By the standard, the functions that make a communicator. What only asks, frees or names one makes
// none; MPI_Comm_get_parent gives one that is there already.
TEST(WaitRules, WhatMakesACommunicator)
{
    for (const char *maker : {"MPI_Comm_dup", "MPI_Comm_idup", "MPI_Comm_split", "MPI_Comm_create",
                              "MPI_Comm_create_group", "MPI_Cart_create", "MPI_Cart_sub",
                              "MPI_Graph_create", "MPI_Dist_graph_create", "MPI_Comm_spawn",
                              "MPI_Intercomm_create", "MPI_Intercomm_merge", "MPI_Comm_accept"})
        EXPECT_TRUE(facts_of(maker).makes_comm) << maker;
    for (const char *other :
         {"MPI_Comm_rank", "MPI_Comm_size", "MPI_Comm_group", "MPI_Comm_free",
          "MPI_Comm_disconnect", "MPI_Comm_set_name", "MPI_Comm_call_errhandler",
          "MPI_Comm_create_keyval", "MPI_Comm_create_errhandler", "MPI_Comm_delete_attr",
          "MPI_Comm_get_parent", "MPI_Comm_compare", "MPI_Init", "MPI_Barrier"})
        EXPECT_FALSE(facts_of(other).makes_comm) << other;
}

// Where waiting cannot be told from work, making a communicator is not counted as start-up.
TEST(WaitRules, WhatIsStartUp)
{
    for (const char *start : {"MPI_Init", "MPI_Init_thread", "MPI_Session_init", "MPI_Comm_split",
                              "MPI_Comm_idup_with_info", "MPI_Cart_create", "MPI_Comm_spawn",
                              "MPI_Comm_spawn_multiple", "MPI_T_init_thread"})
        EXPECT_TRUE(facts_of(start).is_startup()) << start;
    for (const char *other :
         {"MPI_T_finalize", "MPI_Comm_disconnect", "MPI_Comm_accept", "MPI_Comm_create_group",
          "MPI_Intercomm_merge", "MPI_Comm_free", "MPI_Finalize"})
        EXPECT_FALSE(facts_of(other).is_startup()) << other;
}

TEST(WaitRules, FactsOfAFormAreThoseOfItsFunction)
{
    EXPECT_EQ(facts_of("MPI_Get_c").kind, FunctionKind::one_sided);
    EXPECT_EQ(facts_of("MPI_Get_count").kind, FunctionKind::other);
    EXPECT_EQ(facts_of("MPI_Reduce_local").kind, FunctionKind::other);
    EXPECT_EQ(facts_of("MPI_Ibarrier").kind, FunctionKind::synchronisation);
    EXPECT_EQ(facts_of("MPI_File_set_size").kind, FunctionKind::file);
    EXPECT_TRUE(facts_of("MPI_File_write_all_c").needs_all);
    EXPECT_FALSE(facts_of("MPI_File_iwrite_all").needs_all);
    EXPECT_TRUE(facts_of("MPI_Irsend_c").sends);
    EXPECT_FALSE(facts_of("MPI_Iprobe").standard_send);
}

TEST(WaitRules, OfAnUnknownFunctionNothingButTheNameIsKnown)
{
    const FunctionFacts facts = facts_of("MPI_Future_call");
    EXPECT_EQ(facts.form_of, "MPI_Future_call");
    EXPECT_EQ(facts.kind, FunctionKind::other);
    EXPECT_EQ(facts.call, WaitRule::never);
}

}  // namespace
