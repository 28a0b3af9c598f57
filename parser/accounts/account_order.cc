// What all ranks wait at once (`rest`) is saved with whatever makes them wait: a cause saves what
// the busiest rank gets shorter by, and of the rest what its account has beyond that.
#include "accounts/account_order.h"

#include "accounts/account_limits.h"
#include "accounts/first_account.h"

#include <algorithm>
#include <map>

namespace mprof {
namespace {

// Of these the model has the time of ranks without it.
bool is_modelled(AccountKind kind)
{
    return is_of_program(kind) && kind != AccountKind::in_turn && kind != AccountKind::threads;
}

class Order {
public:
    Order(const WholeRun &run, const Accounts &accounts)
        : run_(run), length_s_(accounts.span_s), least_s_(least_account_s(accounts))
    {
        for (const AccountRow &row : accounts.rows) {
            has_rank_[row.kind] = row.rank.has_value();
            // With a gain and no low nobody knows what it saves. Slow messages of a node with too
            // few CPUs are no cause of their own.
            if (is_of_program(row.kind) && (row.gain_low_s > 0 || row.gain_s <= 0) &&
                !(accounts.takes_tasks && row.kind == AccountKind::uneven) &&
                !(row.gain_low_s < row.gain_s && row.gain_low_s < least_s_ &&
                  row.kind == AccountKind::latency))
                left_[row.kind] = row.gain_low_s;
        }
    }

    std::vector<AccountStep> find()
    {
        while (!left_.empty()) {
            AccountStep step = largest_step();
            if (step.saves_s < least_s_)
                step = hidden_pair();
            if (step.saves_s < least_s_)
                break;
            remove(step);
            order_.push_back(std::move(step));
        }
        return std::move(order_);
    }

private:
    double busy_s(const Causes &gone) const { return threads_factor_ * run_.busy_s(gone); }
    double direct_s(const Causes &more) const { return busy_s(gone_) - busy_s(gone_ | more); }
    double rest_s() const { return std::max(0.0, length_s_ - busy_s(gone_)); }

    double saved_s(AccountKind kind) const
    {
        const double left_s = left_.at(kind);
        if (kind == AccountKind::threads)
            return std::min(left_s, busy_s(gone_));
        if (kind == AccountKind::in_turn)
            return std::min({left_s, rest_s(), length_s_ - run_.model_s(gone_)});
        const double direct = direct_s(only(kind));
        return std::max(direct, std::min(left_s, direct + rest_s()));
    }

    AccountStep largest_step() const
    {
        AccountStep best;
        for (const auto &[kind, left_s] : left_) {
            const double saves_s = saved_s(kind);
            if (best.kinds.empty() || saves_s > best.saves_s)
                best = {{kind}, saves_s};
        }
        return best;
    }

    // One rank is blocked while another one works longer: each alone gains nothing. Where the rank
    // changes, nobody hides anybody.
    AccountStep hidden_pair() const
    {
        AccountStep best;
        for (const auto &[a, a_left] : left_)
            for (const auto &[b, b_left] : left_) {
                if (a >= b || !is_modelled(a) || !is_modelled(b) || !has_rank_.at(a) ||
                    !has_rank_.at(b))
                    continue;
                const double both_s = direct_s(only(a) | only(b));
                const double alone_s = saved_s(a) + saved_s(b);
                if (both_s > account_limits.hidden * alone_s && both_s > best.saves_s)
                    best = {{a, b}, both_s};
            }
        return best;
    }

    void remove(const AccountStep &step)
    {
        for (const AccountKind kind : step.kinds) {
            if (kind == AccountKind::threads)
                threads_factor_ *= std::max(0.0, 1 - step.saves_s / std::max(1e-9, busy_s(gone_)));
            gone_ |= only(kind);
            left_.erase(kind);
        }
        length_s_ -= step.saves_s;
    }

    const WholeRun &run_;
    double length_s_, least_s_;
    double threads_factor_ = 1;  // of the busiest rank, when threads share its work
    Causes gone_;
    std::map<AccountKind, double> left_;
    std::map<AccountKind, bool> has_rank_;
    std::vector<AccountStep> order_;
};

}  // namespace

std::vector<AccountStep> order_of_accounts(const WholeRun &run, const Accounts &accounts)
{
    return Order(run, accounts).find();
}

}  // namespace mprof
