// Particular causes: patterns that are known by name, each all of an account or a part of it.
//
// The rules read what the report has of messages, call sites and segments; the limits are in
// verdict_thresholds.h. What cannot be known from a profile, as whether computing needs a message,
// is an "if" in the sentence, and no step is of high confidence. Runs when the accounts are made.
#pragma once

#include "report/report.h"

#include <optional>
#include <string>
#include <vector>

namespace mprof {

struct ParticularFinding {
    ParticularCause cause = ParticularCause::master;
    AccountKind account = AccountKind::uneven;  // that it is a part of
    double gain_s = 0;                          // of the account's
    std::optional<uint32_t> rank;
    std::string place;             // call in the program; "" = where the rank computes
    std::string sentence;          // what the first screen says
    std::string action, evidence;  // of the step
    Confidence confidence = Confidence::medium;
};

// Patterns that have files of their own.
std::optional<ParticularFinding> find_rare_steps(const Report &report);
std::optional<ParticularFinding> find_held_lock(const Report &report);
std::optional<ParticularFinding> find_absent_owner(const Report &report);

// At most one for each account, the one that saves most.
std::vector<ParticularFinding> find_particular_causes(const Report &report);

// Into the rows of the accounts.
void note_particular_causes(const std::vector<ParticularFinding> &findings, Accounts &accounts);

}  // namespace mprof
