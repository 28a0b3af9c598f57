// Sentences about accounts: what is to blame, with seconds, rank and place. verdict_rules.cc asks
// for that of the first account; the second one is told in few words. off_cpu_sentences.cc has
// those about time outside MPI that is no computing.
#pragma once

#include "report/report.h"
#include "verdict/verdict_facts.h"

#include <string>

namespace mprof {

// The function and line of each account that is about computing.
void name_places(Report &report);

// Fill sentence, why and gain of the verdict, for the first account of that kind.
void say_uneven(const Report &report, const VerdictFacts &facts, Verdict &verdict);
void say_blocked(const Report &report, const VerdictFacts &facts, Verdict &verdict);
void say_kernel(const Report &report, const VerdictFacts &facts, Verdict &verdict);
void say_pickling(const Report &report, const VerdictFacts &facts, Verdict &verdict);
void say_files(const Report &report, const VerdictFacts &facts, Verdict &verdict);
void say_in_turn(const Report &report, const VerdictFacts &facts, Verdict &verdict);
void say_latency(const Report &report, const VerdictFacts &facts, Verdict &verdict);
void say_bandwidth(const Report &report, const VerdictFacts &facts, Verdict &verdict);
void say_around(const Report &report, const VerdictFacts &facts, Verdict &verdict);

// In place of what these say: the pattern that is known by name, if it is most of the account.
void say_particular(const VerdictFacts &facts, Verdict &verdict);
// Of two causes that hide each other, where neither alone saves anything.
void say_pair(const Report &report, const VerdictFacts &facts, Verdict &verdict);
// " Also, small messages cost 340 ms." of the second account; "" if there is none.
std::string second_words(const VerdictFacts &facts);
// "Another program had the CPUs of node00 for 400 ms of the run.", or "" = nothing is beside.
std::string beside_words(const Report &report, const VerdictFacts &facts);

// "Rank 3 entered MPI_Init (solve.c:12) 3.00 s after the others."
std::string late_start_words(const VerdictFacts &facts);
std::string making_words(const VerdictFacts &facts);  // communicators
std::string early_work_words(const VerdictFacts &facts);
// "Ranks wait mostly in MPI_Allreduce (8 B) at cg.c:211, ...".
std::string waiting_words(const VerdictFacts &facts);
// " If the operation is the program's own (MPI_Op_create at cg.c:9), what that computes counts as
// time in MPI_Reduce."; "" where ranks do not wait in a reduction, or the program makes no
// operation.
std::string operation_words(const Report &report, const VerdictFacts &facts);
// "MPI takes 38% of the run"
std::string mpi_words(const VerdictFacts &facts);
std::string longest_words(const VerdictFacts &facts);

// ---- words that several sentences use -----------------------------------------------------------

// The account that the sentence is about.
const AccountRow &first_account(const VerdictFacts &facts);
// "1.20 s (12% of the run)"
std::string share_words(double seconds, const VerdictFacts &facts);
// ", mostly in MPI_Send (8 B) at cg.c:40"
std::string call_words(const std::optional<HotPlace> &place);
// nullptr = there is none, or no rank is named
const RankRow *find_rank_row(const Report &report, std::optional<uint32_t> rank);

}  // namespace mprof
