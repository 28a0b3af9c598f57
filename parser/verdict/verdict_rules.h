// The classes of the verdict: when each holds, and what is said then.
#pragma once

#include "report/report.h"
#include "verdict/verdict_facts.h"

#include <string>
#include <vector>

namespace mprof {

struct ClassRule {
    VerdictClass verdict_class;
    Judgement state;
    std::string (*condition)();  // in words, with the thresholds
    std::string (*found)(const VerdictFacts &facts);
    bool (*matches)(const VerdictFacts &facts);
    // Fills sentence, why and gain.
    void (*say)(const Report &report, const VerdictFacts &facts, Verdict &verdict);
    bool matches_accounts = false;  // it is about the first account
};

// "Evenly divided work would save up to 13.9 s (29%)."
void say_gain(const char *change, double gain_s, const VerdictFacts &facts, Verdict &verdict);
// Behind it, if that is less: "..., at least 12.1 s."
void say_gain(const char *change, const AccountRow &account, const VerdictFacts &facts,
              Verdict &verdict);

// In the order in which they are tried; the last one always matches.
const std::vector<ClassRule> &class_rules();

}  // namespace mprof
