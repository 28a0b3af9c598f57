// Each rank has a position: the step that it stands in. It moves on when the step's condition
// holds, which is about positions of others. A rank whose condition does not hold waits for one
// rank to come to one step, and is looked at again when that rank does. When nobody moves any more,
// ranks that wait for each other are a circle.
#include "lint/step_replay.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>

namespace mprof {
namespace {

// With more ranks than this, races are not looked at: each message would carry what its sender
// knows of each rank.
constexpr size_t most_ranks_with_races = 256;

// What a rank knows to have happened: of each rank, how many of its steps.
using Clock = std::vector<uint32_t>;

void join(Clock &clock, const Clock &other)
{
    for (size_t i = 0; i < std::min(clock.size(), other.size()); i++)
        clock[i] = std::max(clock[i], other[i]);
}

// For whom a rank waits. `is_certain`: there is no other way for it to go on.
struct Wait {
    uint32_t rank = 0, step = 0;
    bool is_certain = true;
    bool is_send = false;
};

class Replay {
public:
    Replay(std::vector<ReplayRank> &ranks, const ReplayMembers &members)
        : ranks_(ranks),
          members_(members),
          positions_(ranks.size()),
          arrived_(ranks.size()),
          open_receives_(ranks.size()),
          waits_(ranks.size()),
          is_let_go_(ranks.size()),
          waiters_(ranks.size())
    {
        for (const ReplayRank &rank : ranks)
            for (const ReplayStep &step : rank.steps)
                has_any_source_ = has_any_source_ || (step.kind == MPROF_LINT_RECEIVE &&
                                                      step.has(MPROF_LINT_ANY_SOURCE));
        if (has_any_source_ && ranks.size() <= most_ranks_with_races)
            clocks_.assign(ranks.size(), Clock(ranks.size()));
        list_any_source();
        list_instances();
    }

    ReplayResult run()
    {
        for (uint32_t rank = 0; rank < ranks_.size(); rank++)
            ready_.push_back(rank);
        do
            move_all();
        while (let_one_go());
        result_.wrong_tags = sends_with_wrong_tags(ranks_);
        return std::move(result_);
    }

private:
    struct InstanceKey {
        uint32_t communicator = 0, instance = 0;
        // NOLINTNEXTLINE(modernize-use-nullptr): there is no pointer
        auto operator<=>(const InstanceKey &) const = default;
    };
    struct Instance {
        std::vector<StepPlace> steps;  // of each rank that has it, by rank
        size_t come = 0;               // those before this one have come
        Clock known;                   // by those who have come

        const StepPlace *of(uint32_t rank) const
        {
            const auto at = std::lower_bound(
                steps.begin(), steps.end(), rank,
                [](const StepPlace &place, uint32_t number) { return place.rank < number; });
            return at == steps.end() || at->rank != rank ? nullptr : &*at;
        }
    };

    const ReplayStep &step_of(uint32_t rank) const { return ranks_[rank].steps[positions_[rank]]; }
    bool has_ended(uint32_t rank) const { return positions_[rank] >= ranks_[rank].steps.size(); }
    bool has_come(uint32_t rank, uint32_t step) const { return arrived_[rank] > step; }
    Instance &instance_of(const ReplayStep &step)
    {
        return instances_.at({step.communicator, step.instance});
    }

    void list_any_source()
    {
        any_source_.resize(ranks_.size());
        if (clocks_.empty())
            return;
        for (uint32_t r = 0; r < ranks_.size(); r++)
            for (uint32_t i = 0; i < ranks_[r].steps.size(); i++) {
                const ReplayStep &step = ranks_[r].steps[i];
                if (step.kind == MPROF_LINT_RECEIVE && step.has(MPROF_LINT_ANY_SOURCE) &&
                    step.partner != no_step)
                    any_source_[r].push_back(i);
            }
        is_race_.resize(ranks_.size());
        for (uint32_t r = 0; r < ranks_.size(); r++)
            is_race_[r].resize(any_source_[r].size());
    }

    void list_instances()
    {
        for (uint32_t r = 0; r < ranks_.size(); r++)
            for (uint32_t i = 0; i < ranks_[r].steps.size(); i++)
                if (const ReplayStep &step = ranks_[r].steps[i]; step.instance != no_step)
                    instances_[{step.communicator, step.instance}].steps.push_back({r, i});
    }

    // ---- conditions ----------------------------------------------------------------------------

    std::optional<Wait> wait_for_receiver(const ReplayStep &send) const
    {
        if (!send.has(MPROF_LINT_WAITS) || send.partner == no_step ||
            has_come(send.rank, send.partner))
            return {};
        // Another receive that is open may take the message.
        return Wait{send.rank, send.partner, open_receives_[send.rank] == 0, true};
    }

    std::optional<Wait> wait_for_sender(const ReplayStep &receive) const
    {
        if (receive.partner == no_step || has_come(receive.rank, receive.partner))
            return {};
        return Wait{receive.rank, receive.partner, !receive.has(MPROF_LINT_ANY_SOURCE), false};
    }

    std::optional<Wait> wait_for_all(Instance &instance) const
    {
        for (; instance.come < instance.steps.size(); instance.come++)
            if (const StepPlace &of = instance.steps[instance.come]; !has_come(of.rank, of.step))
                return Wait{of.rank, of.step};
        return {};
    }

    std::optional<Wait> wait_in_collective(const ReplayStep &collective, uint32_t rank)
    {
        if (collective.instance == no_step)
            return {};
        Instance &instance = instance_of(collective);
        if (collective.rule == WaitRule::root && collective.root != rank) {
            const StepPlace *root = instance.of(collective.root);
            if (root == nullptr || has_come(root->rank, root->step))
                return {};
            return Wait{root->rank, root->step};
        }
        if (collective.rule == WaitRule::everyone ||
            (collective.rule == WaitRule::at_root && collective.root == rank))
            return wait_for_all(instance);
        return {};
    }

    std::optional<Wait> wait_for_completion(const ReplayStep &completion, uint32_t rank)
    {
        if (completion.started == no_step)
            return {};
        const ReplayStep &started = ranks_[rank].steps[completion.started];
        std::optional<Wait> wait;
        if (started.kind == MPROF_LINT_SEND)
            wait = wait_for_receiver(started);
        else if (started.kind == MPROF_LINT_RECEIVE)
            wait = wait_for_sender(started);
        else if (started.kind == MPROF_LINT_COLLECTIVE)
            wait = wait_in_collective(started, rank);
        if (wait && !completion.has(MPROF_LINT_WAITS))
            wait->is_certain = false;
        return wait;
    }

    std::optional<Wait> wait_of(uint32_t rank)
    {
        const ReplayStep &step = step_of(rank);
        if (step.kind == MPROF_LINT_COMPLETE)
            return wait_for_completion(step, rank);
        if (!step.has(MPROF_LINT_BLOCKS))
            return {};
        if (step.kind == MPROF_LINT_SEND)
            return wait_for_receiver(step);
        if (step.kind == MPROF_LINT_RECEIVE)
            return wait_for_sender(step);
        return wait_in_collective(step, rank);
    }

    // ---- what ranks know -----------------------------------------------------------------------

    // Behind this the rank is taken to know everything.
    void forget_order(uint32_t rank)
    {
        if (!clocks_.empty())
            clocks_[rank].assign(ranks_.size(), UINT32_MAX);
    }

    static uint64_t key_of(uint32_t rank, uint32_t step) { return uint64_t{rank} << 32U | step; }

    // Will the other side want to know what the rank knew here?
    bool is_asked_for(const ReplayStep &step) const
    {
        if (!step.is_message() || step.partner == no_step)
            return false;
        const ReplayStep &other = ranks_[step.rank].steps[step.partner];
        return other.completed != no_step &&
               (step.kind == MPROF_LINT_SEND || other.has(MPROF_LINT_WAITS));
    }

    // When a rank comes to a step.
    void note_arrival(uint32_t rank)
    {
        const ReplayStep &step = step_of(rank);
        if (step.kind == MPROF_LINT_RECEIVE && step.has(MPROF_LINT_ANY_SOURCE) &&
            !step.has(MPROF_LINT_BLOCKS))
            open_receives_[rank]++;
        if (clocks_.empty())
            return;
        if (step.kind == MPROF_LINT_SEND)
            look_for_races(rank);
        if (is_asked_for(step))
            known_[key_of(rank, positions_[rank])] = clocks_[rank];
        if (step.instance != no_step) {
            Instance &instance = instance_of(step);
            instance.known.resize(ranks_.size());
            join(instance.known, clocks_[rank]);
            if (step.rule == WaitRule::root && step.root == rank)
                known_[key_of(rank, positions_[rank])] = clocks_[rank];
        }
    }

    // The step of another rank has come, and this rank knows what that one knew there.
    void learn(uint32_t rank, uint32_t other, uint32_t step)
    {
        const auto known = known_.find(key_of(other, step));
        if (known == known_.end()) {
            forget_order(rank);
            return;
        }
        join(clocks_[rank], known->second);
        if (ranks_[other].steps[step].is_message())  // only this rank asks for it
            known_.erase(known);
    }

    void learn_in_collective(uint32_t rank, const ReplayStep &collective)
    {
        const bool is_rooted =
            collective.rule == WaitRule::root || collective.rule == WaitRule::at_root;
        const bool is_known =
            collective.instance != no_step && (is_rooted || collective.rule == WaitRule::everyone);
        if (!is_known) {
            forget_order(rank);
            return;
        }
        const Instance &instance = instance_of(collective);
        const StepPlace *root = is_rooted ? instance.of(collective.root) : nullptr;
        const bool has_all = collective.communicator < members_.size() &&
                             instance.steps.size() == members_[collective.communicator];
        if (!has_all || (is_rooted && root == nullptr)) {
            forget_order(rank);
            return;
        }
        if (collective.rule == WaitRule::root && collective.root != rank)
            learn(rank, root->rank, root->step);
        else if (!is_rooted || (collective.rule == WaitRule::at_root && collective.root == rank))
            join(clocks_[rank], instance.known);
    }

    void learn_of_message(uint32_t rank, const ReplayStep &message)
    {
        const bool is_send = message.kind == MPROF_LINT_SEND;
        if (message.partner != no_step) {
            if (!is_send || (message.has(MPROF_LINT_WAITS) && !is_let_go_[rank]))
                learn(rank, message.rank, message.partner);
        } else if (!is_send) {
            forget_order(rank);
        }
    }

    // When the rank goes on from a step.
    void note_passing(uint32_t rank)
    {
        const ReplayStep &step = step_of(rank);
        const bool completes = step.kind == MPROF_LINT_COMPLETE && step.started != no_step;
        const ReplayStep &of = completes ? ranks_[rank].steps[step.started] : step;
        if (completes && of.kind == MPROF_LINT_RECEIVE && of.has(MPROF_LINT_ANY_SOURCE))
            open_receives_[rank]--;
        if (clocks_.empty())
            return;
        clocks_[rank][rank] = std::max(clocks_[rank][rank], positions_[rank] + 1);
        if (step.kind == MPROF_LINT_COMPLETE && !completes)
            forget_order(rank);
        else if (completes || step.has(MPROF_LINT_BLOCKS)) {
            if (of.is_message())
                learn_of_message(rank, of);
            else
                learn_in_collective(rank, of);
        }
        clocks_[rank][rank] = std::max(clocks_[rank][rank], positions_[rank] + 1);
    }

    // ---- races ---------------------------------------------------------------------------------

    // Does the rank know that the receive of `other` has got its message?
    bool knows_end_of(uint32_t rank, uint32_t other, const ReplayStep &receive) const
    {
        const Clock &clock = clocks_[rank];
        if (receive.completed == no_step || clock[other] > receive.completed)
            return true;
        const ReplayStep &send = ranks_[receive.rank].steps[receive.partner];
        return send.completed != no_step && clock[receive.rank] > send.completed;
    }

    // The rank is about to send: could the message have been taken by a receive before that which
    // took it?
    void look_for_races(uint32_t rank)
    {
        const ReplayStep &send = step_of(rank);
        if (send.partner == no_step)
            return;
        const auto &receives = any_source_[send.rank];
        uint32_t &previous = previous_receive_[{send.communicator, rank, send.rank}];
        const auto begin = std::lower_bound(receives.begin(), receives.end(), previous);
        for (auto at = begin; at != receives.end() && *at < send.partner; ++at) {
            const ReplayStep &receive = ranks_[send.rank].steps[*at];
            const bool fits = receive.communicator == send.communicator && receive.rank != rank &&
                              (receive.has(MPROF_LINT_ANY_TAG) || receive.asked_tag == send.tag);
            const auto number = static_cast<size_t>(at - receives.begin());
            if (!fits || is_race_[send.rank][number] || knows_end_of(rank, send.rank, receive))
                continue;
            is_race_[send.rank][number] = true;
            result_.races.push_back({{send.rank, *at}, {rank, positions_[rank]}});
        }
        previous = std::max(previous, send.partner + 1);
    }

    // ---- going on ------------------------------------------------------------------------------

    void wake_waiters(uint32_t rank)
    {
        auto &waiting = waiters_[rank];
        const auto kept = std::partition(waiting.begin(), waiting.end(), [&](const Wait &wait) {
            return !has_come(rank, wait.step);
        });
        for (auto at = kept; at != waiting.end(); ++at)
            ready_.push_back(at->rank);
        waiting.erase(kept, waiting.end());
    }

    void advance(uint32_t rank)
    {
        waits_[rank].reset();
        while (!has_ended(rank)) {
            if (!has_come(rank, positions_[rank])) {
                note_arrival(rank);
                arrived_[rank] = positions_[rank] + 1;
                wake_waiters(rank);
            }
            if (const auto wait = wait_of(rank); wait && !is_let_go_[rank]) {
                waits_[rank] = wait;
                waiters_[wait->rank].push_back({rank, wait->step});
                return;
            }
            note_passing(rank);
            is_let_go_[rank] = false;
            positions_[rank]++;
        }
    }

    void move_all()
    {
        while (!ready_.empty()) {
            const uint32_t rank = ready_.front();
            ready_.pop_front();
            advance(rank);
        }
    }

    // The ranks of a circle, from any of them on. All that wait do so for ranks that wait.
    std::vector<uint32_t> circle_from(uint32_t rank) const
    {
        std::vector<bool> seen(ranks_.size());
        while (!seen[rank]) {
            seen[rank] = true;
            rank = waits_[rank]->rank;
        }
        std::vector<uint32_t> circle;
        const uint32_t first = rank;
        do {
            circle.push_back(rank);
            rank = waits_[rank]->rank;
        } while (rank != first);
        return circle;
    }

    void note_cycle(const std::vector<uint32_t> &circle)
    {
        std::vector<StepPlace> sends;
        bool is_certain = true;
        for (const uint32_t rank : circle) {
            is_certain = is_certain && waits_[rank]->is_certain;
            if (waits_[rank]->is_send)
                sends.push_back({rank, positions_[rank]});
        }
        if (is_certain && !sends.empty())
            result_.cycles.push_back(sends);
    }

    // Nobody moves: the message of one rank of a circle is buffered after all, as it was in the
    // run. False: all have come to their end.
    bool let_one_go()
    {
        const auto waiting = std::find_if(waits_.begin(), waits_.end(),
                                          [](const auto &wait) { return wait.has_value(); });
        if (waiting == waits_.end())
            return false;
        const auto circle = circle_from(static_cast<uint32_t>(waiting - waits_.begin()));
        note_cycle(circle);
        const auto sender = std::find_if(circle.begin(), circle.end(),
                                         [&](uint32_t rank) { return waits_[rank]->is_send; });
        const uint32_t rank = sender != circle.end() ? *sender : circle.front();
        if (sender == circle.end())
            forget_order(rank);  // the steps contradict each other
        is_let_go_[rank] = true;
        auto &others = waiters_[waits_[rank]->rank];
        others.erase(std::remove_if(others.begin(), others.end(),
                                    [&](const Wait &wait) { return wait.rank == rank; }),
                     others.end());
        ready_.push_back(rank);
        return true;
    }

    std::vector<ReplayRank> &ranks_;
    const ReplayMembers &members_;
    std::vector<uint32_t> positions_;
    std::vector<uint32_t> arrived_;        // so many steps it has come to
    std::vector<uint32_t> open_receives_;  // from MPI_ANY_SOURCE, that are not complete
    std::vector<std::optional<Wait>> waits_;
    std::vector<bool> is_let_go_;             // past the condition that it stands at
    std::vector<std::vector<Wait>> waiters_;  // by the rank that they wait for
    std::deque<uint32_t> ready_;
    std::map<InstanceKey, Instance> instances_;
    bool has_any_source_ = false;
    std::vector<Clock> clocks_;        // empty: races are not looked at
    std::map<uint64_t, Clock> known_;  // at sends and receives that the other side has not seen
    std::vector<std::vector<uint32_t>> any_source_;  // steps of each rank
    std::vector<std::vector<bool>> is_race_;
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t> previous_receive_;
    ReplayResult result_;
};

}  // namespace

ReplayResult replay_steps(std::vector<ReplayRank> &ranks, const ReplayMembers &members)
{
    match_steps(ranks);
    return Replay(ranks, members).run();
}

}  // namespace mprof
