// Rows that answer a question about the run: what bounds it and what to try, who makes others wait,
// where ranks are and what they did last, what the program does wrong, and how far the run is
// from what its machine can do. Part of the Report (report.h). verdict/, lint/, machine/ and
// analyse/ fill them; the fields' names for the documents are in fields/fields_of_verdict.h.
#pragma once

#include "report/place_rows.h"
#include "report/rank_rows.h"
#include "report/states.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mprof {

// A rank that others wait for.
struct CauseRow {
    uint32_t rank = 0;
    std::string host;
    double caused_wait_s = 0;  // summed over those who waited
    double last_percent = 0;   // of the collectives in which anybody waited
    double compute_s = 0;      // its own
    double over_mean = 0;      // its compute time / the mean of the ranks of its program
    std::string place;         // where the waiting for it shows
    std::string segment;  // between which two lines it computes longer: "a.c:5 and a.c:9 (2.0 s,
                          // the others 1.0 s)"; "" = not known
    std::string reason;   // what else is unusual about it, in words, "" = nothing
    std::string segment_ends;  // "a.c:5 and a.c:9"
};

struct NextStep {
    std::string action, evidence;
    Confidence confidence = Confidence::low;
    // Saves that of the wallclock at most, and at least, if it is done fully; none: nobody can
    // tell.
    std::optional<double> worth_s, worth_low_s;
    std::string try_it;     // how to see in little time whether it helps
    std::string otherwise;  // what to look at if it does not
    std::optional<AccountKind> account = std::nullopt;  // that it saves a part of

    std::string worth_words() const;   // "up to 2.68 s", "2.31 s to 2.68 s", "" if not known
    std::string words() const;         // the action with these: "Do that (high, up to 2.68 s)."
    std::string reason_words() const;  // the rest: "Because ... To try it: ..."
};

// One figure of the run and how good it is.
struct VerdictCard {
    std::string title;                // "Load balance"
    std::string value, detail, note;  // "12", "node03", "computes 44.1 s, average 30.2 s"
    Judgement state = Judgement::good;
    std::optional<double> share;  // 0 to 1, what a gauge shows
    std::vector<double> limits;   // of the share, where the state changes
};

// A rule of the verdict, with the run's numbers; the first that matches is the class.
struct VerdictRule {
    VerdictClass verdict_class = VerdictClass::unknown;
    std::string condition;  // in words, with the thresholds
    std::string found;      // the numbers of this run
    bool matches = false;
};

// A rule for next steps: most worth first, three are shown.
struct StepRule {
    std::string name;
    std::string found;
    bool matches = false, shown = false;
    double worth_s = 0;  // upper bound of what it can save, of the run's wallclock
};

struct Verdict {
    VerdictClass verdict_class = VerdictClass::unknown;
    Judgement state = Judgement::watch;  // of the class
    std::string headline;                // the class in capitals, and `sentence`
    std::string sentence, why;
    std::string gain;  // in words, "" if there is nothing to say
    std::optional<double> gain_s, gain_low_s;
    std::vector<NextStep> next;
    std::vector<std::string> extra;  // remarks that hold whatever the class is
    std::vector<VerdictCard> cards;
    std::vector<VerdictRule> rules;  // in the order in which they are tried
    std::vector<StepRule> step_rules;
};

// Where ranks are that have not ended: all those in the same place.
struct StandingRow {
    RankState state = RankState::in_call;
    std::string function;      // of the call in progress, or of the last one that ended; "" = none
    std::string place;         // where that is called, "" = not recorded
    std::string communicator;  // of the call in progress, "" = none
    std::optional<int64_t> peer;      // rank in that communicator, if it is the same for all
    std::vector<MissingRanks> where;  // the ranks
    uint64_t ranks = 0;
    double since_s = 0;  // when the first of them came there, after the start of the first rank
    double shortest_s = 0, longest_s = 0;  // how long they have been there
    std::string text;                      // all of it in a sentence
};

// A thread of a rank that is not in MPI, as its process showed it.
struct ThreadStackRow {
    uint32_t rank = 0;
    uint32_t thread = 0;        // by the kernel
    bool is_first = false;      // it runs main()
    std::string doing;          // in words: "runs", "in read() of pipe:[4711]"
    std::vector<Frame> frames;  // innermost first; empty: not known
    bool is_cut = false;        // there are more frames around
};

struct Standing {
    bool running = false;  // seen running; else times are up to the last sign of life of any rank
    JobState state = JobState::ended;
    bool is_hung = false;  // none of them will come any further
    std::string advice;    // what to do about it, in plain words; "" = not known
    // Who ended the job, or else who waits for whom; "" if neither is known.
    std::string headline;
    std::optional<uint32_t> ended_by;   // the rank that ended the job
    RankEnd ended_how = RankEnd::none;  // abort, exit or died
    std::vector<StandingRow> rows;      // most ranks first; empty when all ranks have ended
    std::string ended;                  // how the others ended, in words, "" if there are none
    std::string missing;                // of whom nothing is known, in words, "" if there are none
    // Whose last calls to look at first: of those that others wait for or that stand alone.
    std::vector<uint32_t> look_at;
    // Of ranks outside MPI that run on this machine (mprof hang).
    std::vector<ThreadStackRow> stacks;
    std::string stacks_remark;  // why some are missing, in words, "" if none is
};

// What ranks did last, of those that have not ended normally: for jobs that hang, were killed or
// crashed.

// One call, or a run of polls that followed each other.
struct LastCallRow {
    uint32_t rank = 0, thread = 0;
    std::string function, place;  // "" = not recorded
    std::string communicator;     // "" = none
    std::optional<int64_t> peer;  // rank in it
    std::optional<uint64_t> bytes;
    std::optional<uint64_t> polls;  // how many calls are in the row
    double began_s = 0;             // after the start of the first rank
    std::optional<double> time_s;   // none: it had not ended
    std::string call;               // "MPI_Send to rank 3 on rows"
};

// What is wrong in a run, and by which rules it was looked for: the rows of `mprof lint`.
// parser/lint/ fills them; its table of rules is in lint/find_lints.cc.

// One line of the program that breaks a rule, over all ranks that do so there.
struct LintRow {
    std::string rule;
    Severity severity = Severity::note;
    uint32_t rank = 0;             // the lowest one
    uint64_t ranks = 0;            // how many
    std::string function;          // that is called there, "" = none
    std::string file;              // of the line, as debug data have it; "" = not known
    uint32_t line = 0;             // 0 = not known
    std::string place;             // "cg.c:211", "lmp+0x4f2a10"; "" = not recorded
    uint64_t count = 0;            // how often, over these ranks
    std::string message;           // a sentence
    std::string standard;          // "MPI 4.1, 7.4.3"
    std::optional<double> cost_s;  // summed over ranks
};

struct LintRuleRow {
    std::string rule;
    Severity severity = Severity::note;
    std::string standard;
    std::string sentence;  // what it looks for
    bool looked_at = false;
    std::string gap;  // why it was not looked at, or not on all ranks; "" = on all
    uint64_t findings = 0;
};

// A run beside what its machine can do: `mprof report --machine FILE`. parser/machine/ fills the
// rows. Without --machine all of them are empty.

// What is compared with what.
struct MachineBeside {
    std::string file;         // that was named
    std::string mpi_library;  // of the machine's figures
    std::string made;         // when they were measured, "" = not known
    uint32_t ranks = 0;       // among which; 0 = not known
    uint64_t nodes = 0;
    std::vector<std::string> sentences;  // what stands out, most time first
    std::vector<std::string> remarks;    // what could not be compared, and why
};

// Calls of a collective of one size, or messages of similar sizes.
struct MachineTimeRow {
    std::string what;                // "MPI_Allreduce", "message"
    std::string distance;            // of messages: "same node", "other node"; "" = of collectives
    uint64_t bytes = 0;              // of messages the largest
    uint64_t calls = 0;              // or messages
    uint32_t ranks = 0;              // that the machine's figure is of; 0 = not known
    double here_s = 0;               // of one, on average
    std::optional<double> moving_s;  // of it, without waiting; estimated
    double machine_s = 0;            // what the machine does it in
    double factor = 0;               // moving_s, or here_s, / machine_s
    double excess_s = 0;             // what all of them took more, summed over ranks
    Judgement state = Judgement::good;
};

struct EagerLimitRow {
    std::string distance;
    uint64_t limit_bytes = 0;
    double below_s = 0, above_s = 0;            // a message of that size, and of a byte more
    uint64_t eager_messages = 0, messages = 0;  // of the run: not larger, and all
    uint64_t just_above = 0;                    // larger, by a factor of two at most
    std::string setting;                        // its name in the MPI, "" = not known
    std::string sentence;
};

// When data should be touched, by the size of the message.
enum class TouchRule { while_cached, not_right_after, in_pieces };
template <>
inline constexpr std::array texts_of<TouchRule> = {"while cached", "not right after", "in pieces"};

// What tells that a rule concerns the call site.
enum class TouchEvidence { size, counters };
template <>
inline constexpr std::array texts_of<TouchEvidence> = {"size", "counters"};

struct TouchRow {
    std::string function, place;
    uint64_t bytes = 0, calls = 0;
    double mpi_percent = 0;
    TouchRule rule = TouchRule::while_cached;
    TouchEvidence evidence = TouchEvidence::size;
    std::string sentence;
};

}  // namespace mprof
