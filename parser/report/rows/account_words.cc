// Accounts of the last digits of a run are in the JSON alone.
#include "report/rows/account_words.h"

#include "report/number_text.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <iterator>

namespace mprof {

std::vector<AccountRow> told_accounts(const Accounts &accounts)
{
    const double least_s = verdict_thresholds.told_account_percent / 100 * accounts.span_s;
    std::vector<AccountRow> rows;
    std::copy_if(accounts.rows.begin(), accounts.rows.end(), std::back_inserter(rows),
                 [least_s](const AccountRow &row) { return row.gain_s >= least_s; });
    return rows;
}

std::string order_words(const Accounts &accounts)
{
    std::string words;
    for (const AccountStep &step : accounts.order) {
        std::string kinds;
        for (const AccountKind kind : step.kinds)
            kinds += (kinds.empty() ? "" : " and ") + text_of(kind);
        words += (words.empty() ? "" : ", then ") + kinds + " " + duration_text(step.saves_s);
    }
    return words;
}

}  // namespace mprof
