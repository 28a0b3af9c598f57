// Each rule of mprof lint on composed ranks: once broken, and once nearly so. The profile says by
// arithmetic whether it is; what a record does not tell must not be a finding.
#include "lint/find_lints.h"
#include "planted_ranks.h"
#include "render/render_report.h"
#include "render/text/sections/text_sections.h"
#include "report_of.h"

#include <algorithm>
#include <fstream>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace {

using namespace mprof;
using namespace mprof_test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Ranks that call what a test says, at lines of a script, and then MPI_Finalize.
struct PlantedCalls {
    std::vector<RankFileContent> ranks;

    explicit PlantedCalls(uint32_t count) : ranks(planted_ranks(count, 1000 * ms))
    {
        for (RankFileContent &rank : ranks) {
            rank.scripts = {{}, make_script("/home/x/it.py", "main", 1)};
            rank.callsites = {{}};
            for (uint32_t line = 1; line < 20; line++)
                rank.callsites.push_back(make_script_callsite(0, 1, line, 4));
            rank.run.thread_level = 3;
            rank.lint = {{1, 0}};  // with MPROF_LINT
        }
    }
    uint16_t function(const std::string &name)
    {
        const auto &known = ranks[0].functions;
        const auto at = std::find(known.begin(), known.end(), name);
        const auto id = static_cast<uint16_t>(at - known.begin());
        if (at == known.end())
            for (RankFileContent &rank : ranks)
                rank.functions.push_back(name);
        return id;
    }
    mprof_entry &call(size_t rank, const std::string &name, uint32_t line, uint64_t calls,
                      uint64_t size = 0, mprof_entry_kind kind = MPROF_KIND_CALL)
    {
        mprof_entry entry = make_entry(function(name), size, calls, 1000, kind);
        entry.callsite = line;
        auto &entries = ranks[rank].threads[0].entries;
        entries.push_back(entry);
        return entries.back();
    }
    void message(mprof_partner_kind kind, size_t rank, uint32_t partner, uint64_t messages,
                 uint32_t line = 0)
    {
        mprof_partner row = make_partner(kind, partner, messages, 8 * messages);
        row.callsite = line;
        ranks[rank].threads[0].partners.push_back(row);
    }
    mprof_communicator &communicator(size_t rank, const std::string &name, uint32_t line,
                                     uint64_t created, bool is_freed)
    {
        mprof_communicator made = make_communicator(2, static_cast<uint32_t>(rank), "");
        made.made_by = static_cast<uint16_t>(function(name) + 1);
        made.callsite = line;
        made.created = created;
        made.identity = 77 + line;
        made.flags |= is_freed ? MPROF_COMM_FREED : 0;
        ranks[rank].communicators.push_back(made);
        return ranks[rank].communicators.back();
    }
};

// "rule it.py:3 rank 0 of 2 x4"
std::vector<std::string> findings(const std::vector<RankFileContent> &ranks)
{
    std::vector<std::string> words;
    for (const LintRow &row : report_of(ranks).lints) {
        std::ostringstream text;
        text << row.rule << ' ' << row.place << " rank " << row.rank << " of " << row.ranks << " x"
             << row.count;
        words.push_back(text.str());
    }
    return words;
}

std::string gap_of(const Report &report, const std::string &rule)
{
    for (const LintRuleRow &row : report.lint_rules)
        if (row.rule == rule)
            return row.gap;
    return "no such rule";
}

TEST(Lints, ARunWithoutMistakesHasNone)
{
    PlantedCalls calls(2);
    calls.call(0, "MPI_Send", 1, 3, 8);
    calls.message(MPROF_PARTNER_SENT, 0, 1, 3, 1);
    calls.message(MPROF_PARTNER_RECEIVED, 1, 0, 3);
    const Report report = report_of(calls.ranks);
    EXPECT_THAT(report.lints, IsEmpty());
    EXPECT_EQ(report.lint_rules.size(), lint_rule_count);
    for (const LintRuleRow &row : report.lint_rules)
        EXPECT_EQ(row.gap, "") << row.rule;
    EXPECT_THAT(render_lints(report, 80), HasSubstr("no findings; 31 of 31 rules looked at"));
    EXPECT_THAT(render_text(report, 80), Not(HasSubstr("What is wrong")));
}

TEST(Lints, AMessageThatNobodyReceived)
{
    PlantedCalls calls(2);
    calls.call(0, "MPI_Send", 3, 5, 8);
    calls.message(MPROF_PARTNER_SENT, 0, 1, 5, 3);
    calls.message(MPROF_PARTNER_RECEIVED, 1, 0, 3);
    EXPECT_THAT(findings(calls.ranks), ElementsAre("message-not-received it.py:3 rank 0 of 1 x2"));
}

TEST(Lints, AMessageThatMayHaveCome)
{
    const auto two_missing = [] {
        PlantedCalls calls(2);
        calls.message(MPROF_PARTNER_SENT, 0, 1, 5, 3);
        calls.message(MPROF_PARTNER_RECEIVED, 1, 0, 3);
        return calls;
    };
    PlantedCalls other_world = two_missing();
    other_world.message(MPROF_PARTNER_RECEIVED, 1, MPROF_RANK_OUTSIDE, 2);
    EXPECT_THAT(findings(other_world.ranks), IsEmpty());
    PlantedCalls cancelled = two_missing();
    cancelled.call(0, "MPI_Cancel", 1, 2);
    EXPECT_THAT(findings(cancelled.ranks), IsEmpty());
    PlantedCalls failing = two_missing();
    failing.call(1, "MPI_Comm_set_errhandler", 1, 1);
    EXPECT_THAT(findings(failing.ranks), IsEmpty());
    PlantedCalls folded = two_missing();
    folded.ranks[1].threads[0].facts.folded_messages = 2;
    EXPECT_THAT(findings(folded.ranks), IsEmpty());
    PlantedCalls lost = two_missing();
    lost.ranks[1].run.lost_calls = 2;
    EXPECT_THAT(findings(lost.ranks), IsEmpty());
    PlantedCalls killed = two_missing();
    killed.ranks[1].run.end = MPROF_END_NONE;
    EXPECT_THAT(findings(killed.ranks), IsEmpty());
    PlantedCalls persistent = two_missing();
    persistent.call(1, "MPI_Recv_init", 1, 2);
    persistent.call(1, "MPI_Request_free", 1, 2);
    EXPECT_THAT(findings(persistent.ranks), IsEmpty());
}

TEST(Lints, AReceiveThatNeverCompleted)
{
    PlantedCalls calls(2);
    calls.call(1, "MPI_Irecv", 4, 2, 0, MPROF_KIND_PENDING);
    calls.call(1, "MPI_Wait", 5, 7);
    EXPECT_THAT(findings(calls.ranks), ElementsAre("request-not-completed it.py:4 rank 1 of 1 x2"));
    calls.call(1, "MPI_Request_free", 6, 2);
    EXPECT_THAT(findings(calls.ranks), IsEmpty());
}

TEST(Lints, ASendIsForgottenOnlyIfNothingIsWaitedFor)
{
    PlantedCalls calls(2);
    calls.call(0, "MPI_Isend", 4, 2, 8);
    EXPECT_THAT(findings(calls.ranks), ElementsAre("request-not-completed it.py:4 rank 0 of 1 x2"));
    calls.call(0, "MPI_Testall", 5, 1);
    EXPECT_THAT(findings(calls.ranks), IsEmpty());
}

TEST(Lints, WhatIsMadeAndNeverFreed)
{
    struct Case {
        const char *rule, *make, *free;
    };
    for (const Case &of :
         {Case{"datatype-not-freed", "MPI_Type_vector", "MPI_Type_free"},
          Case{"group-not-freed", "MPI_Comm_group", "MPI_Group_free"},
          Case{"operation-not-freed", "MPI_Op_create", "MPI_Op_free"},
          Case{"info-not-freed", "MPI_Info_create", "MPI_Info_free"},
          Case{"error-handler-not-freed", "MPI_Comm_create_errhandler", "MPI_Errhandler_free"},
          Case{"window-not-freed", "MPI_Win_allocate", "MPI_Win_free"},
          Case{"request-not-freed", "MPI_Send_init", "MPI_Request_free"},
          Case{"epoch-not-ended", "MPI_Win_lock", "MPI_Win_unlock"},
          Case{"epoch-not-ended", "MPI_Win_lock_all", "MPI_Win_unlock_all"},
          Case{"epoch-not-ended", "MPI_Win_start", "MPI_Win_complete"}}) {
        PlantedCalls calls(2);
        for (size_t rank = 0; rank < 2; rank++) {
            calls.call(rank, of.make, 2, 4);
            calls.call(rank, of.free, 3, 1);
        }
        EXPECT_THAT(findings(calls.ranks),
                    ElementsAre(std::string(of.rule) + " it.py:2 rank 0 of 2 x6"));
        for (size_t rank = 0; rank < 2; rank++)
            calls.call(rank, of.free, 4, 3);
        EXPECT_THAT(findings(calls.ranks), IsEmpty()) << of.rule;
    }
}

TEST(Lints, WhichOfSeveralLinesIsNotKnownTheFirstStandsForAll)
{
    PlantedCalls calls(1);
    calls.call(0, "MPI_Type_vector", 2, 4);
    calls.call(0, "MPI_Type_contiguous", 3, 3);
    calls.call(0, "MPI_Type_free", 4, 5);
    const Report report = report_of(calls.ranks);
    ASSERT_EQ(report.lints.size(), 1U);
    EXPECT_EQ(report.lints[0].place, "it.py:2");
    EXPECT_EQ(report.lints[0].count, 2U);
    EXPECT_THAT(report.lints[0].message, HasSubstr("one of 1 other"));
}

TEST(Lints, WhatMayBeFreedUnseenIsNoFinding)
{
    PlantedCalls calls(1);
    calls.call(0, "MPI_Type_vector", 2, 4);
    calls.communicator(0, "MPI_Comm_dup", 3, 1, false);
    EXPECT_EQ(findings(calls.ranks).size(), 2U);
    PlantedCalls paused = calls;
    mprof_region pause = make_region("", 0, 1, 100);
    paused.ranks[0].regions = {{}, pause};
    EXPECT_THAT(findings(paused.ranks), IsEmpty());
    calls.call(0, "MPI_Comm_create_keyval", 1, 1);
    const Report report = report_of(calls.ranks);
    EXPECT_THAT(report.lints, IsEmpty());
    EXPECT_EQ(gap_of(report, "datatype-not-freed"),
              "not on 1 rank: its attributes may free things unseen");
}

TEST(Lints, ACommunicatorThatIsNeverFreed)
{
    PlantedCalls calls(2);
    for (size_t rank = 0; rank < 2; rank++) {
        calls.communicator(rank, "MPI_Comm_split", 2, 1, false);
        calls.communicator(rank, "MPI_Comm_dup", 3, 1, true);
        // Of a library that mprof did not see make it, and what MPI gives each time it is asked.
        calls.communicator(rank, "MPI_Comm_dup", 4, 1, false).made_by = 0;
        calls.communicator(rank, "MPI_Comm_get_parent", 5, 1, false);
    }
    EXPECT_THAT(findings(calls.ranks),
                ElementsAre("communicator-not-freed it.py:2 rank 0 of 2 x2"));
}

TEST(Lints, ACommunicatorInEveryStepCostsItsCalls)
{
    PlantedCalls calls(1);
    calls.communicator(0, "MPI_Comm_dup", 2, 100, true);
    calls.communicator(0, "MPI_Comm_dup", 2, 100, true);
    calls.communicator(0, "MPI_Comm_dup", 3, 99, true);
    calls.call(0, "MPI_Comm_dup", 2, 200).ticks = 30 * ms;
    const Report report = report_of(calls.ranks);
    ASSERT_EQ(report.lints.size(), 1U);
    EXPECT_EQ(report.lints[0].rule, "communicator-every-step");
    EXPECT_EQ(report.lints[0].count, 200U);
    EXPECT_NEAR(report.lints[0].cost_s.value(), 0.030, 1e-9);
}

TEST(Lints, ADatatypeInEveryStepIsToldIfItCostsSomething)
{
    PlantedCalls calls(1);
    calls.call(0, "MPI_Type_vector", 2, 100).ticks = 2 * ms;  // 0.2% of the run
    calls.call(0, "MPI_Type_vector", 3, 99).ticks = 2 * ms;
    calls.call(0, "MPI_Type_vector", 4, 100).ticks = 900 * us;
    calls.call(0, "MPI_Type_free", 5, 299);
    EXPECT_THAT(findings(calls.ranks), ElementsAre("datatype-every-step it.py:2 rank 0 of 1 x100"));
    EXPECT_THAT(render_lints(report_of(calls.ranks), 100), HasSubstr("rank 0, 100 times, costs"))
        << "of one rank nothing is a sum";
}

// On one rank it costs 0.2 % of the run, on the others less than is worth a word.
TEST(Lints, ADatatypeInEveryStepIsThatOfAllRanks)
{
    PlantedCalls calls(4);
    for (size_t rank = 0; rank < 4; rank++) {
        calls.call(rank, "MPI_Type_vector", 2, 500).ticks = rank == 3 ? 2 * ms : 900 * us;
        calls.call(rank, "MPI_Type_vector", 3, 500).ticks = 900 * us;
        calls.call(rank, "MPI_Type_free", 5, 1000);
    }
    const Report report = report_of(calls.ranks);
    ASSERT_EQ(report.lints.size(), 1U);
    EXPECT_THAT(findings(calls.ranks),
                ElementsAre("datatype-every-step it.py:2 rank 0 of 4 x2000"));
    EXPECT_NEAR(report.lints[0].cost_s.value(), 0.0047, 1e-9);
    EXPECT_THAT(render_lints(report, 100),
                HasSubstr("rank 0 and 3 more, 2000 times in all, costs 4.70 ms in all ranks"));
}

TEST(Lints, AFileThatIsNeverClosed)
{
    PlantedCalls calls(1);
    calls.call(0, "MPI_File_open", 2, 3);
    mprof_file file = make_file("out.dat", MPROF_MODE_WRITE);
    file.open_callsite = 2;
    file.opens = 3;
    file.closes = 2;
    calls.ranks[0].files = {{}, file};
    EXPECT_THAT(findings(calls.ranks), ElementsAre("file-not-closed it.py:2 rank 0 of 1 x1"));
    calls.ranks[0].files[1].closes = 3;
    EXPECT_THAT(findings(calls.ranks), IsEmpty());
}

// A step of a rank, at a line; the functions are in `calls`.
mprof_lint_step &add_step(PlantedCalls &calls, size_t rank, const std::string &function,
                          uint32_t line, mprof_lint_step_kind kind)
{
    mprof_lint_step step{};
    step.in_use = 1;
    step.callsite = line;
    step.function = calls.function(function);
    step.communicator = MPROF_COMM_SLOT_WORLD;
    step.kind = static_cast<uint8_t>(kind);
    step.flags = MPROF_LINT_BLOCKS;
    calls.ranks[rank].lint_steps.push_back(step);
    return calls.ranks[rank].lint_steps.back();
}

// A blocking one; it came from this rank.
mprof_lint_step &add_receive(PlantedCalls &calls, size_t rank, uint32_t source, uint32_t tag)
{
    mprof_lint_step &step = add_step(calls, rank, "MPI_Recv", 4, MPROF_LINT_RECEIVE);
    step.rank = source;
    step.tag = tag + 1;
    return step;
}

void add_send(PlantedCalls &calls, size_t rank, uint32_t destination, uint32_t tag)
{
    mprof_lint_step &step = add_step(calls, rank, "MPI_Send", 3, MPROF_LINT_SEND);
    step.flags |= MPROF_LINT_WAITS;
    step.rank = destination;
    step.tag = tag + 1;
}

TEST(Lints, ATagThatNobodyAsksFor)
{
    PlantedCalls calls(2);
    add_send(calls, 0, 1, 8);
    add_receive(calls, 1, 0, 7);
    const Report report = report_of(calls.ranks);
    ASSERT_EQ(report.lints.size(), 1U);
    EXPECT_EQ(report.lints[0].rule, "tag-not-received");
    EXPECT_EQ(report.lints[0].message, "rank 1 receives no message with tag 8 from this rank");
    calls.ranks[1].lint[0].is_cut = 1;
    EXPECT_THAT(findings(calls.ranks), IsEmpty());
}

TEST(Lints, AMessageThatCouldHaveComeFirst)
{
    PlantedCalls calls(3);
    for (const uint32_t source : {1U, 2U}) {
        add_send(calls, source, 0, 5);
        add_receive(calls, 0, source, 5).flags |= MPROF_LINT_ANY_SOURCE;
    }
    EXPECT_THAT(findings(calls.ranks), ElementsAre("receive-order it.py:4 rank 0 of 1 x1"));
    calls.call(1, "MPI_Win_fence", 7, 1);  // it puts ranks in order, and is in no step
    EXPECT_THAT(findings(calls.ranks), IsEmpty());
}

TEST(Lints, RanksThatSendToEachOtherFirst)
{
    PlantedCalls calls(2);
    for (uint32_t rank = 0; rank < 2; rank++) {
        add_send(calls, rank, 1 - rank, 0);
        add_receive(calls, rank, 1 - rank, 0);
    }
    EXPECT_THAT(findings(calls.ranks), ElementsAre("send-cycle it.py:3 rank 0 of 2 x2"));
    PlantedCalls without = calls;
    for (RankFileContent &rank : without.ranks)
        rank.lint.clear();
    const Report report = report_of(without.ranks);
    EXPECT_THAT(report.lints, IsEmpty());
    EXPECT_EQ(gap_of(report, "send-cycle"), "not on 2 ranks: it ran without mprof run --lint");
    std::swap(calls.ranks[1].lint_steps[0], calls.ranks[1].lint_steps[1]);
    EXPECT_THAT(findings(calls.ranks), IsEmpty());
}

TEST(Lints, AReductionWithAnotherOperation)
{
    PlantedCalls calls(3);
    for (uint32_t rank = 0; rank < 3; rank++) {
        mprof_lint_step &step = add_step(calls, rank, "MPI_Allreduce", 5, MPROF_LINT_COLLECTIVE);
        step.started = rank == 1 ? 1 : 3;
        step.type = MPROF_LINT_TYPE_INTEGER << 8U | 4U;
    }
    const Report report = report_of(calls.ranks);
    ASSERT_EQ(report.lints.size(), 1U);
    EXPECT_EQ(report.lints[0].rule, "collective-operation");
    EXPECT_EQ(report.lints[0].rank, 1U);
    EXPECT_THAT(report.lints[0].message, HasSubstr("MPI_MAX here, but MPI_SUM on rank 0"));
    calls.ranks[1].lint_steps[0].started = 0;  // an operation of the program
    EXPECT_THAT(findings(calls.ranks), IsEmpty());
    calls.ranks[2].lint_steps[0].type = MPROF_LINT_TYPE_REAL << 8U | 4U;
    EXPECT_THAT(findings(calls.ranks), ElementsAre("collective-type it.py:5 rank 2 of 1 x1"));
    calls.ranks[2].lint_steps[0].type = 0;
    EXPECT_THAT(findings(calls.ranks), IsEmpty());
}

TEST(Lints, WhatWasSeenWhileTheProgramRan)
{
    PlantedCalls calls(1);
    calls.ranks[0].run.thread_level = 2;
    for (const uint16_t kind :
         {MPROF_LINT_OVERLAP, MPROF_LINT_AT_ONCE, MPROF_LINT_ERROR, MPROF_LINT_NOT_READY}) {
        mprof_lint_find find{};
        find.in_use = 1;
        find.callsite = kind;
        find.function = find.other_function = calls.function("MPI_Irecv");
        find.kind = kind;
        find.other_callsite = 9;
        find.count = 2;
        calls.ranks[0].lint_finds.push_back(find);
    }
    EXPECT_THAT(findings(calls.ranks), ElementsAre("buffer-overlap it.py:1 rank 0 of 1 x2",
                                                   "calls-at-once it.py:2 rank 0 of 1 x2",
                                                   "device-buffer-not-ready it.py:4 rank 0 of 1 x2",
                                                   "error-not-looked-at it.py:3 rank 0 of 1 x2"));
    calls.call(0, "MPI_Error_string", 5, 1);
    EXPECT_THAT(findings(calls.ranks),
                ElementsAre("buffer-overlap it.py:1 rank 0 of 1 x2",
                            "calls-at-once it.py:2 rank 0 of 1 x2",
                            "device-buffer-not-ready it.py:4 rank 0 of 1 x2"));
}

TEST(Lints, ABufferOnTheGpuIsForAnMpiThatCanReadIt)
{
    PlantedCalls calls(1);
    mprof_gpu gpu{};
    gpu.in_use = 1;
    gpu.sends_from_gpu = 1;  // it cannot
    mprof_gpu_buffer buffer{};
    buffer.in_use = 1;
    buffer.callsite = 3;
    buffer.function = calls.function("MPI_Irecv");
    buffer.memory = MPROF_MEMORY_DEVICE;
    buffer.calls = 2;
    calls.ranks[0].gpu = {gpu};
    calls.ranks[0].gpu_buffers = {buffer};
    EXPECT_THAT(findings(calls.ranks),
                ElementsAre("device-buffer-given-to-plain-mpi it.py:3 rank 0 of 1 x2"));
    calls.ranks[0].gpu_buffers[0].memory = MPROF_MEMORY_MANAGED;
    EXPECT_THAT(findings(calls.ranks), IsEmpty());
    calls.ranks[0].gpu_buffers[0].memory = MPROF_MEMORY_DEVICE;
    for (const uint32_t answer : {0U, 2U}) {
        calls.ranks[0].gpu[0].sends_from_gpu = answer;
        EXPECT_THAT(findings(calls.ranks), IsEmpty()) << "nobody knows, or it can";
    }
}

TEST(Lints, OldFunctionsAndWhatToUseInstead)
{
    PlantedCalls calls(1);
    calls.call(0, "MPI_Attr_get", 2, 3);
    calls.call(0, "MPI_Type_extent", 3, 1);
    calls.call(0, "MPI_Type_get_extent", 4, 1);
    const Report report = report_of(calls.ranks);
    ASSERT_EQ(report.lints.size(), 2U);
    EXPECT_EQ(report.lints[0].rule, "removed-function");
    EXPECT_EQ(report.lints[0].message, "MPI 3.0 has removed it; use MPI_Type_get_extent");
    EXPECT_EQ(report.lints[1].rule, "deprecated-function");
    EXPECT_EQ(report.lints[1].standard, "MPI 4.1, 16.1");
}

// A second thread that calls the function once, at line 7.
void add_thread(PlantedCalls &calls, const std::string &function)
{
    RankFileContent &rank = calls.ranks[0];
    mprof_segment segment{};
    segment.in_use = 1;
    segment.count = 1;
    segment.from_function = f_init + 1;
    segment.to_function = f_barrier + 1;
    rank.threads[0].segments.push_back(segment);
    segment.from_function = 0;
    segment.to_function = static_cast<uint16_t>(calls.function(function) + 1);
    segment.to_callsite = 7;
    rank.threads.emplace_back();
    rank.threads[1].segments.push_back(segment);
}

TEST(Lints, AThreadThatMayNotCallMpi)
{
    PlantedCalls calls(1);
    calls.ranks[0].run.thread_level = 1;
    add_thread(calls, "MPI_Send");
    EXPECT_THAT(findings(calls.ranks), ElementsAre("wrong-thread it.py:7 rank 0 of 1 x1"));
    calls.ranks[0].run.thread_level = 2;
    EXPECT_THAT(findings(calls.ranks), IsEmpty());
    PlantedCalls allowed(1);
    allowed.ranks[0].run.thread_level = 1;
    add_thread(allowed, "MPI_Initialized");
    EXPECT_THAT(findings(allowed.ranks), IsEmpty());
    PlantedCalls asked(1);
    asked.ranks[0].run.thread_level = 0;
    add_thread(asked, "MPI_Send");
    asked.call(0, "MPI_Query_thread", 1, 1);
    EXPECT_THAT(findings(asked.ranks), IsEmpty());
}

TEST(Lints, ARankThatLeavesWithoutMpiFinalize)
{
    PlantedCalls calls(2);
    calls.ranks[1].run.end = MPROF_END_EXIT;
    calls.ranks[1].threads[0].facts.call_callsite = 6;
    calls.ranks[1].threads[0].facts.last_function = f_barrier + 1;
    EXPECT_THAT(findings(calls.ranks), ElementsAre("no-finalize it.py:6 rank 1 of 1 x1"));
    for (const mprof_end end : {MPROF_END_ABORT, MPROF_END_NONE}) {
        calls.ranks[1].run.end = end;
        EXPECT_THAT(findings(calls.ranks), IsEmpty());
    }
}

struct Noted {
    uint16_t function;
    int32_t root = MPROF_NO_PEER;
};

void note_all(PlantedCalls &calls, size_t rank, const std::vector<Noted> &all)
{
    PlantedJournal journal(calls.ranks[rank]);
    for (const Noted &noted : all)
        journal.add(noted.function, 1000, noted.root);
    journal.close();
    for (mprof_operation &operation : calls.ranks[rank].operations)
        operation.callsite = operation.in_use != 0 ? operation.function : 0;
}

TEST(Lints, CollectivesInAnotherOrder)
{
    PlantedCalls calls(3);
    for (const size_t rank : {0U, 2U})
        note_all(calls, rank, {{f_barrier}, {f_allreduce}, {f_barrier}});
    note_all(calls, 1, {{f_barrier}, {f_barrier}, {f_allreduce}});
    EXPECT_THAT(findings(calls.ranks), ElementsAre("collective-order it.py:6 rank 1 of 1 x1"));
    EXPECT_THAT(report_of(calls.ranks).lints[0].message,
                testing::StrEq("collective 2 of MPI_COMM_WORLD is MPI_Barrier here, but "
                               "MPI_Allreduce at it.py:3 on rank 0"));
    calls.ranks[1].run.unjournaled_collectives = 1;
    EXPECT_THAT(findings(calls.ranks), IsEmpty());
}

TEST(Lints, TheSameCollectivesAreInOrderHoweverFarARankCame)
{
    PlantedCalls calls(2);
    note_all(calls, 0, {{f_barrier}, {f_bcast, 1}, {f_barrier}});
    note_all(calls, 1, {{f_barrier}, {f_bcast, 1}});
    EXPECT_THAT(findings(calls.ranks), IsEmpty());
}

TEST(Lints, ACollectiveWithAnotherRoot)
{
    PlantedCalls calls(2);
    note_all(calls, 0, {{f_barrier}, {f_bcast, 0}});
    note_all(calls, 1, {{f_barrier}, {f_bcast, 1}});
    EXPECT_THAT(findings(calls.ranks), ElementsAre("collective-root it.py:7 rank 1 of 1 x1"));
}

TEST(Lints, CallsOnWindowsKeepNoOrderAmongOthers)
{
    PlantedCalls calls(2);
    const uint16_t fence = calls.function("MPI_Win_fence");
    note_all(calls, 0, {{fence}, {f_barrier}, {f_allreduce}});
    note_all(calls, 1, {{f_barrier}, {f_allreduce}, {fence}});
    for (RankFileContent &rank : calls.ranks)
        for (mprof_operation &operation : rank.operations)
            operation.callsite = 0;
    EXPECT_THAT(findings(calls.ranks), IsEmpty());
}

// Rank 0 has been in MPI_Barrier since 900 ms after its start, rank 1 in another function.
std::vector<RankFileContent> hung_in(uint16_t of_rank_1)
{
    PlantedCalls calls(2);
    for (size_t rank = 0; rank < 2; rank++) {
        note_all(calls, rank, {{f_allreduce}});
        mprof_thread &thread = calls.ranks[rank].threads[0].facts;
        calls.ranks[rank].run.end = MPROF_END_NONE;
        calls.ranks[rank].finished = false;
        thread.in_call = rank == 0 ? f_barrier + 1U : of_rank_1 + 1U;
        thread.ticks = 1000 + 900 * ms;
        thread.call_communicator = MPROF_COMM_SLOT_WORLD;
        thread.call_callsite = 11 + static_cast<uint32_t>(rank);
        thread.call_peer = MPROF_NO_PEER;
    }
    return calls.ranks;
}

TEST(Lints, RanksThatHangInDifferentCollectives)
{
    EXPECT_THAT(findings(hung_in(f_scan)), ElementsAre("collective-order it.py:12 rank 1 of 1 x1"));
    EXPECT_THAT(findings(hung_in(f_barrier)), IsEmpty());
    EXPECT_THAT(findings(hung_in(f_recv)), IsEmpty());
}

// A file that is read while it is written may have a call that began after its journal was read.
TEST(Lints, ACallThatBeganJustNowIsNotLaidBesideTheJournals)
{
    const auto ranks = hung_in(f_scan);
    Observation observation;
    observation.realtime_ns = ranks[0].run.start_realtime_ns + 1000 * ms;
    EXPECT_THAT(report_of(ranks, {}, observation).lints, IsEmpty());
    observation.realtime_ns += 1000 * ms;
    EXPECT_EQ(report_of(ranks, {}, observation).lints.size(), 1U);
}

// MPI_Allreduce of so many bytes at line 3, on MPI_COMM_WORLD.
void reduce(PlantedCalls &calls, size_t rank, uint64_t size, uint64_t count)
{
    calls.call(rank, "MPI_Allreduce", 3, count, size).communicator = MPROF_COMM_SLOT_WORLD;
}

TEST(Lints, ACollectiveOfAnotherSize)
{
    PlantedCalls calls(3);
    for (const size_t rank : {0U, 1U, 2U}) {
        reduce(calls, rank, 8, rank == 2 ? 4 : 5);
        reduce(calls, rank, 16, rank == 2 ? 2 : 1);
    }
    EXPECT_THAT(findings(calls.ranks), ElementsAre("collective-size it.py:3 rank 2 of 1 x1"));
    EXPECT_THAT(report_of(calls.ranks).lints[0].message,
                testing::StrEq("16 B here, where rank 0 gives 8 B (MPI_COMM_WORLD)"));
    PlantedCalls binned = calls;
    binned.ranks[0].threads[0].facts.binned_calls = 1;
    EXPECT_THAT(findings(binned.ranks), IsEmpty());
}

TEST(Lints, OtherSizesOfOtherCallsAreNoFinding)
{
    PlantedCalls calls(2);
    reduce(calls, 0, 8, 5);
    reduce(calls, 1, 8, 4);
    calls.call(0, "MPI_Gatherv", 4, 1, 8).communicator = MPROF_COMM_SLOT_WORLD;
    calls.call(1, "MPI_Gatherv", 4, 1, 16).communicator = MPROF_COMM_SLOT_WORLD;
    EXPECT_THAT(findings(calls.ranks), IsEmpty());
}

// A report with six findings, the worst last in the program.
Report six_findings()
{
    PlantedCalls calls(1);
    for (uint32_t line = 1; line <= 5; line++)
        calls.call(0, "MPI_Attr_get", line, line);
    calls.call(0, "MPI_Irecv", 9, 1, 0, MPROF_KIND_PENDING);
    return report_of(calls.ranks);
}

TEST(Lints, TheReportShowsTheWorstFive)
{
    const std::string text = render_text(six_findings(), 80);
    const size_t begin = text.find("# What is wrong");
    ASSERT_NE(begin, std::string::npos);
    EXPECT_THAT(text.substr(begin), HasSubstr("\n# error     : request-not-completed: MPI_Irecv at "
                                              "it.py:9: "));
    EXPECT_THAT(text, HasSubstr("... and 1 more; mprof lint lists them all"));
    EXPECT_THAT(text, Not(HasSubstr("it.py:1:")));
}

TEST(Lints, TheTextHasEightyColumns)
{
    const Report hung = report_of(hung_in(f_scan));
    ASSERT_GT(hung.lints.at(0).message.size(), 66U);  // it has to be folded
    for (const Report &report : {six_findings(), hung}) {
        std::istringstream lines(render_lints(report, 80));
        for (std::string line; std::getline(lines, line);) {
            EXPECT_LE(line.size(), 80U) << line;
            EXPECT_TRUE(line.starts_with("#")) << line;
        }
    }
}

TEST(Lints, SarifHasARuleAndALineForEachFinding)
{
    const auto sarif = nlohmann::json::parse(render_sarif(six_findings(), "/home/x"));
    EXPECT_EQ(sarif.at("version"), "2.1.0");
    const auto &run = sarif.at("runs").at(0);
    const auto &rules = run.at("tool").at("driver").at("rules");
    EXPECT_EQ(rules.size(), lint_rule_count);
    ASSERT_EQ(run.at("results").size(), 6U);
    for (const auto &result : run.at("results")) {
        EXPECT_EQ(rules.at(result.at("ruleIndex").get<size_t>()).at("id"), result.at("ruleId"));
        const auto &place = result.at("locations").at(0).at("physicalLocation");
        EXPECT_EQ(place.at("artifactLocation").at("uri"), "it.py");
        EXPECT_GT(place.at("region").at("startLine"), 0);
    }
    EXPECT_EQ(run.at("results").at(0).at("level"), "error");
    const auto elsewhere = nlohmann::json::parse(render_sarif(six_findings(), "/home/y"));
    EXPECT_EQ(elsewhere.at("runs")
                  .at(0)
                  .at("results")
                  .at(0)
                  .at("locations")
                  .at(0)
                  .at("physicalLocation")
                  .at("artifactLocation")
                  .at("uri"),
              "file:///home/x/it.py");
}

TEST(Lints, TheJsonHasFindingsAndRules)
{
    const auto json = nlohmann::json::parse(render_lints_json(six_findings()));
    EXPECT_EQ(json.at("lints").size(), 6U);
    EXPECT_EQ(json.at("lints").at(0).at("file"), "/home/x/it.py");
    EXPECT_EQ(json.at("lint_rules").size(), lint_rule_count);
    EXPECT_EQ(json.at("lints"), nlohmann::json::parse(render_json(six_findings())).at("lints"));
}

TEST(Lints, RulesStandInTheOrderOfTheirNames)
{
    for (size_t i = 0; i < lint_rule_count; i++)
        EXPECT_EQ(static_cast<size_t>(lint_rule_table.at(i).rule), i);
}

TEST(Lints, TheDocumentHasTheTableOfRules)
{
    std::ifstream file(LINT_DOCUMENT);
    std::ostringstream document;
    document << file.rdbuf();
    for (const LintRuleFacts &rule : lint_rule_table) {
        const std::string row = std::string("| `") + rule.name + "` | " + text_of(rule.severity) +
                                " | " + rule.standard + " | " + rule.sentence + " |\n";
        EXPECT_THAT(document.str(), HasSubstr(row));
    }
}

}  // namespace
