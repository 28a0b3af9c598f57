// Waiting between programs.
//
// Whom a rank waited for is known: its partner in messages, the last rank in collectives. But that
// rank may have been late only because it waited itself. In coupled models one rank of a program
// waits for the other program and passes what it gets on to its own; all others of its program then
// wait for that rank. So waiting for a rank is passed on to the program that this rank waited for:
//
// - At most as long as that rank waited for the other program, and at most as long as it was waited
//   for.
// - Less what the waiting ranks waited for that program themselves. They did so at the same time,
//   so the rank was not late for them by it.
// - Never to the waiter's own program: there the two programs wait for each other in turn, at
//   different times.
//
// What a rank waited in all is as exact as elsewhere, and rows add up to it. How it divides when it
// is passed on is an estimate: sums over the run are compared, not single calls.
#include "waits/wait_parts.h"

#include <algorithm>

namespace mprof {
namespace {

using Shares = std::vector<double>;  // by program

constexpr size_t most_passes = 8;  // more than any chain of programs has links
constexpr double tiny = 1e-12;     // instead of 0 where something is divided by it

// A place in collectives. All who wait there are of one program.
struct PlaceSum {
    const CollectivePlace *place = nullptr;
    uint32_t program = 0;
    double weight = 0;
    double wait_s = 0;
    Shares first_hand;  // what those who wait here wait for each program, weighted
    Shares in_end;      // what a second of waiting here is for
};

// Waiting of a rank that is divided alike: at a place, or for one rank.
struct Part {
    size_t place = nobody;
    size_t blamed = nobody;  // if there is no place
    double wait_s = 0;
};

// What the ranks of a program waited for one rank.
struct Blame {
    double wait_s = 0, longest_s = 0;
    Shares waiters;  // what those who wait for it wait for each program at first hand, weighted
    Shares passed;   // the part of it that is passed on to each program
    double kept = 1;
};

struct ProgramWaiter {
    std::vector<Part> parts;
    double all_s = 0;           // as in the report
    Shares first_hand, in_end;  // of the parts
};

class Programs {
public:
    Programs(WaitContext &context, const CollectiveWaits &collectives, const MessageWaits &messages)
        : context_(context),
          of_rank_(context.programs.of_rank),
          count_(static_cast<uint32_t>(context.programs.all.size())),
          waiters_(of_rank_.size()),
          blames_(count_, std::vector<Blame>(of_rank_.size()))
    {
        for (size_t r = 0; r < waiters_.size(); r++)
            add_parts(r, collectives, messages);
        add_blames();
        divide();
        for (ProgramWaiter &waiter : waiters_)
            waiter.first_hand = waiter.in_end;
        weigh_waiters();
    }

    void pass_on()
    {
        for (size_t pass = 0; pass < most_passes; pass++) {
            for (uint32_t program = 0; program < count_; program++)
                for (size_t r = 0; r < of_rank_.size(); r++)
                    if (blames_[program][r].wait_s > 0)
                        pass_on(program, r);
            divide();
        }
    }

    void add_to(std::vector<OfProgram> &sums) const
    {
        for (size_t r = 0; r < waiters_.size(); r++) {
            const ProgramWaiter &waiter = waiters_[r];
            OfProgram &sum = sums[of_rank_[r]];
            double found_s = 0, known_s = 0;
            for (const Part &part : waiter.parts)
                found_s += part.wait_s;
            // What completing calls waited is divided among requests, which may have waited longer.
            const double scale = found_s > waiter.all_s ? waiter.all_s / found_s : 1;
            for (uint32_t program = 0; program < count_; program++) {
                sum.wait_s[program] += scale * waiter.in_end[program];
                known_s += scale * waiter.in_end[program];
            }
            sum.unknown_wait_s += std::max(0.0, waiter.all_s - known_s);
            for (const Part &part : waiter.parts)
                if (part.place != nobody)
                    sum.missing_s += scale * part.wait_s * places_[part.place].place->missing_s /
                                     places_[part.place].weight;
        }
    }

private:
    void add_parts(size_t r, const CollectiveWaits &collectives, const MessageWaits &messages)
    {
        ProgramWaiter &waiter = waiters_[r];
        for (const MeasuredEntry &entry : context_.ranks[r].entries) {
            const double wait_s = entry.wait_s.value_or(0);
            if (wait_s <= 0)
                continue;
            if (entry.counts_calls())
                waiter.all_s += wait_s;
            const FunctionFacts &rules = context_.facts_of_entry(r, entry);
            const bool completion = entry.key.kind == MPROF_KIND_COMPLETION;
            if (!is_collective(completion ? rules.completion : rules.call) && !rules.ends_mpi)
                continue;
            const size_t place = number_of(collectives, {of_rank_[r], context_.place_of(r, entry)});
            if (place != nobody)
                waiter.parts.push_back({place, nobody, wait_s});
        }
        for (const auto &[partner, wait_s] : messages.pairs[r])
            waiter.parts.push_back({nobody, partner, wait_s});
    }

    size_t number_of(const CollectiveWaits &collectives, const ProgramPlace &key)
    {
        const auto place = collectives.of_programs.find(key);
        if (place == collectives.of_programs.end())
            return nobody;
        const auto [at, is_new] = numbers_.try_emplace(key, places_.size());
        if (is_new) {
            PlaceSum sum;
            sum.place = &place->second;
            sum.program = key.first;
            sum.weight = place->second.missing_s;
            for (const auto &[rank, last] : place->second.last)
                sum.weight += last.weight;
            sum.weight = std::max(sum.weight, tiny);
            sum.first_hand = Shares(count_);
            places_.push_back(std::move(sum));
        }
        return at->second;
    }

    void add_blames()
    {
        for (auto &program : blames_)
            for (Blame &blame : program)
                blame.waiters = blame.passed = Shares(count_);
        for (size_t r = 0; r < waiters_.size(); r++)
            for (const Part &part : waiters_[r].parts)
                if (part.place != nobody) {
                    places_[part.place].wait_s += part.wait_s;
                } else {
                    Blame &blame = blames_[of_rank_[r]][part.blamed];
                    blame.wait_s += part.wait_s;
                    blame.longest_s = std::max(blame.longest_s, part.wait_s);
                }
        for (const PlaceSum &sum : places_)
            for (const auto &[rank, last] : sum.place->last) {
                Blame &blame = blames_[sum.program][rank];
                blame.wait_s += last.weight / sum.weight * sum.wait_s;
                blame.longest_s += last.longest / sum.weight * sum.wait_s;
            }
    }

    // `part` of the waiting of a program's ranks for rank r, to the programs that it is for.
    void add_shares(double part, uint32_t program, size_t r, Shares &shares) const
    {
        const Blame &blame = blames_[program][r];
        shares[of_rank_[r]] += part * blame.kept;
        for (uint32_t other = 0; other < count_; other++)
            shares[other] += part * blame.passed[other];
    }

    // For each rank: for which programs it waits in the end, by what is passed on now.
    void divide()
    {
        for (PlaceSum &sum : places_) {
            sum.in_end = Shares(count_);
            for (const auto &[rank, last] : sum.place->last)
                add_shares(last.weight / sum.weight, sum.program, rank, sum.in_end);
        }
        for (size_t r = 0; r < waiters_.size(); r++) {
            ProgramWaiter &waiter = waiters_[r];
            waiter.in_end = Shares(count_);
            for (const Part &part : waiter.parts)
                if (part.place == nobody)
                    add_shares(part.wait_s, of_rank_[r], part.blamed, waiter.in_end);
                else
                    add_times(part.wait_s, places_[part.place].in_end, waiter.in_end);
        }
    }

    static void add_times(double times, const Shares &shares, Shares &sums)
    {
        for (size_t i = 0; i < sums.size(); i++)
            sums[i] += times * shares[i];
    }

    void weigh_waiters()
    {
        for (size_t r = 0; r < waiters_.size(); r++)
            for (const Part &part : waiters_[r].parts)
                add_times(part.wait_s, waiters_[r].first_hand,
                          part.place == nobody ? blames_[of_rank_[r]][part.blamed].waiters
                                               : places_[part.place].first_hand);
        for (const PlaceSum &sum : places_)
            for (const auto &[rank, last] : sum.place->last)
                add_times(last.weight / sum.weight, sum.first_hand,
                          blames_[sum.program][rank].waiters);
        for (auto &program : blames_)
            for (Blame &blame : program)
                for (double &first_hand : blame.waiters)
                    first_hand /= std::max(blame.wait_s, tiny);
    }

    // What the ranks of `program` waited for rank r.
    void pass_on(uint32_t program, size_t r)
    {
        Blame &blame = blames_[program][r];
        double all = 0;
        for (uint32_t other = 0; other < count_; other++) {
            if (other == program || other == of_rank_[r])
                continue;
            const double late_s = waiters_[r].in_end[other] - blame.waiters[other];
            blame.passed[other] = std::clamp(late_s / std::max(blame.longest_s, tiny), 0.0, 1.0);
            all += blame.passed[other];
        }
        if (all > 1)
            for (double &part : blame.passed)
                part /= all;
        blame.kept = 1 - std::min(1.0, all);
    }

    WaitContext &context_;
    const std::vector<uint32_t> &of_rank_;
    const uint32_t count_;
    std::vector<ProgramWaiter> waiters_;  // by rank
    std::vector<PlaceSum> places_;
    std::map<ProgramPlace, size_t> numbers_;  // of places
    std::vector<std::vector<Blame>> blames_;  // by program of the waiters, then by rank
};

}  // namespace

ProgramWaits find_program_waits(WaitContext &context, const CollectiveWaits &collectives,
                                const MessageWaits &messages)
{
    ProgramWaits waits;
    waits.programs = context.programs;
    waits.of.resize(waits.programs.all.size());
    for (OfProgram &of : waits.of)
        of.wait_s.resize(waits.of.size());
    if (!waits.programs.several())
        return waits;
    Programs programs(context, collectives, messages);
    programs.pass_on();
    programs.add_to(waits.of);
    return waits;
}

}  // namespace mprof
