// The class of the verdict that is about several programs in one job: a row of verdict_rules.cc.
#pragma once

#include "verdict/verdict_rules.h"

namespace mprof {

ClassRule rule_of_coupling();

// Most of the waiting is that of one program for another one, and nothing better explains it.
bool is_coupling_bound(const VerdictFacts &facts);

// Waiting that is not between programs, summed over ranks.
double wait_within_programs(const VerdictFacts &facts);

// "the rank of server waits 9.00 s for model, which costs the job little" where that is so, else
// "".
std::string cheap_coupling_words(const VerdictFacts &facts);

// " The ranks of ocean wait 3.20 s for atmosphere." where that is worth a sentence, else "".
std::string coupling_words(const VerdictFacts &facts);

}  // namespace mprof
