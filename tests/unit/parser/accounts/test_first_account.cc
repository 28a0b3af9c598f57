// Which account is told first, second and beside: what the limits and the order of kinds do.
#include "accounts/first_account.h"

#include <gtest/gtest.h>

using namespace mprof;

namespace {

AccountRow account(AccountKind kind, double low_s)
{
    AccountRow row;
    row.kind = kind;
    row.gain_s = row.gain_low_s = row.gain_high_s = low_s;
    return row;
}

Accounts accounts_of(std::vector<AccountRow> rows, std::vector<AccountStep> order = {})
{
    Accounts accounts;
    accounts.known = true;
    accounts.span_s = 10;
    accounts.rows = std::move(rows);
    accounts.order = std::move(order);
    return accounts;
}

TEST(FirstAccount, TheProgramComesBeforeWhatIsAroundIt)
{
    const Accounts accounts =
        accounts_of({account(AccountKind::other_program, 5), account(AccountKind::uneven, 0.6)});
    EXPECT_EQ(first_account(accounts)->row->kind, AccountKind::uneven);
    ASSERT_NE(account_beside(accounts), nullptr);
    EXPECT_EQ(account_beside(accounts)->kind, AccountKind::other_program);
}

TEST(FirstAccount, SmallAccountsAreNoHeadline)
{
    const Accounts accounts =
        accounts_of({account(AccountKind::uneven, 0.49), account(AccountKind::few_cpus, 0.9)});
    EXPECT_EQ(first_account(accounts)->row->kind, AccountKind::few_cpus);
    EXPECT_EQ(account_beside(accounts), nullptr);
    EXPECT_FALSE(first_account(accounts_of({account(AccountKind::blocked, 0.4)})));
    Accounts brief = accounts_of({account(AccountKind::blocked, 0.09)});
    brief.span_s = 1;
    EXPECT_FALSE(first_account(brief));
}

TEST(FirstAccount, TheLowCountsAndNotTheGain)
{
    AccountRow in_turn = account(AccountKind::in_turn, 1);
    in_turn.gain_s = 6;
    const Accounts accounts = accounts_of({in_turn, account(AccountKind::blocked, 2)});
    EXPECT_EQ(first_account(accounts)->row->kind, AccountKind::blocked);
}

TEST(FirstAccount, TwoThatHideEachOtherAreTheFirstOne)
{
    const Accounts accounts =
        accounts_of({account(AccountKind::blocked, 0.1), account(AccountKind::uneven, 0)},
                    {{{AccountKind::blocked, AccountKind::uneven}, 3}});
    const auto first = first_account(accounts);
    ASSERT_TRUE(first);
    EXPECT_EQ(first->kinds.size(), 2U);
    EXPECT_EQ(first->saves_s, 3);
    EXPECT_EQ(first->row->kind, AccountKind::blocked);
}

TEST(FirstAccount, TheSecondSavesAtLeastHalfOfTheFirst)
{
    const std::vector<AccountRow> rows = {account(AccountKind::uneven, 4),
                                          account(AccountKind::blocked, 3)};
    const Accounts half =
        accounts_of(rows, {{{AccountKind::uneven}, 4}, {{AccountKind::blocked}, 2}});
    ASSERT_TRUE(second_account(half));
    EXPECT_EQ(second_account(half)->row->kind, AccountKind::blocked);
    const Accounts less =
        accounts_of(rows, {{{AccountKind::uneven}, 1.6}, {{AccountKind::blocked}, 0.79}});
    EXPECT_FALSE(second_account(less));
}

TEST(FirstAccount, TheSecondSavesATenthOfTheRunHoweverLargeTheFirstIs)
{
    const std::vector<AccountRow> rows = {account(AccountKind::uneven, 4),
                                          account(AccountKind::blocked, 3)};
    EXPECT_TRUE(second_account(
        accounts_of(rows, {{{AccountKind::uneven}, 4}, {{AccountKind::blocked}, 1}})));
    EXPECT_FALSE(second_account(
        accounts_of(rows, {{{AccountKind::uneven}, 4}, {{AccountKind::blocked}, 0.9}})));
}

}  // namespace
