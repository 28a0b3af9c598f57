// The limits are those of the model: accounts smaller than them are what two runs of one program
// differ by.
#include "accounts/first_account.h"

#include "accounts/account_limits.h"
#include "report/verdict_thresholds.h"

#include <algorithm>

namespace mprof {
namespace {

ToldAccount told(const AccountRow &row)
{
    return {{row.kind}, row.gain_low_s, &row};
}

const AccountRow *largest(const Accounts &accounts, bool (*is_wanted)(AccountKind))
{
    const AccountRow *most = nullptr;
    for (const AccountRow &row : accounts.rows)
        if (is_wanted(row.kind) && (most == nullptr || row.gain_low_s > most->gain_low_s))
            most = &row;
    return most;
}

bool is_drowned(const AccountRow &program, const AccountRow *around)
{
    return program.changes && around != nullptr &&
           around->gain_low_s >= account_limits.drowned * program.gain_low_s;
}

ToldAccount told(const Accounts &accounts, const AccountStep &step)
{
    return {step.kinds, step.saves_s, account_of(accounts, step.kinds.front())};
}

}  // namespace

double least_account_s(const Accounts &accounts)
{
    return std::max(verdict_thresholds.account_s,
                    verdict_thresholds.account_percent / 100 * accounts.span_s);
}

const AccountRow *account_of(const Accounts &accounts, AccountKind kind)
{
    const auto row =
        std::find_if(accounts.rows.begin(), accounts.rows.end(),
                     [kind](const AccountRow &account) { return account.kind == kind; });
    return row == accounts.rows.end() ? nullptr : &*row;
}

std::optional<ToldAccount> first_account(const Accounts &accounts)
{
    const double least_s = least_account_s(accounts);
    const AccountRow *program = largest(accounts, is_of_program);
    const AccountRow *around = largest(accounts, is_around);
    if (program != nullptr && program->gain_low_s >= least_s && !is_drowned(*program, around))
        return told(*program);
    if (!accounts.order.empty() && accounts.order.front().kinds.size() > 1)
        return told(accounts, accounts.order.front());
    if (around != nullptr && around->gain_low_s >= least_s)
        return told(*around);
    return std::nullopt;
}

std::optional<ToldAccount> second_account(const Accounts &accounts)
{
    const std::optional<ToldAccount> first = first_account(accounts);
    if (!first || accounts.order.empty())
        return std::nullopt;
    const double share_s = verdict_thresholds.account_beside_percent / 100 * accounts.span_s;
    for (const AccountStep &step : accounts.order) {
        const bool is_first = std::find(step.kinds.begin(), step.kinds.end(),
                                        first->kinds.front()) != step.kinds.end();
        if (!is_first && step.saves_s >= std::min(verdict_thresholds.account_second_share *
                                                      accounts.order.front().saves_s,
                                                  share_s))
            return told(accounts, step);
    }
    return std::nullopt;
}

const AccountRow *account_beside(const Accounts &accounts)
{
    const AccountRow *around = largest(accounts, is_around);
    const std::optional<ToldAccount> first = first_account(accounts);
    if (around == nullptr || (first && first->row == around))
        return nullptr;
    const double least_s = verdict_thresholds.account_beside_percent / 100 * accounts.span_s;
    return around->gain_low_s >= least_s ? around : nullptr;
}

}  // namespace mprof
