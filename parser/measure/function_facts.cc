#include "measure/function_facts.h"

#include "report/verdict_thresholds.h"

#include <unordered_map>

namespace mprof {
namespace {

constexpr FunctionFacts rows[] = {
#include "function_facts.inc"
};

}  // namespace

FunctionFacts facts_of(std::string_view function)
{
    static const auto by_name = [] {
        std::unordered_map<std::string_view, const FunctionFacts *> all;
        for (const FunctionFacts &row : rows)
            all.emplace(row.name, &row);
        return all;
    }();
    const auto at = by_name.find(function);
    return at == by_name.end() ? FunctionFacts{.name = function, .form_of = function} : *at->second;
}

FunctionFacts facts_of_calls(std::string_view function, uint64_t calls, size_t ranks)
{
    FunctionFacts facts = facts_of(function);
    facts.made_often = facts.is_about_kept_objects() && calls > lint_limits.many_objects * ranks;
    return facts;
}

FactsByNumber::FactsByNumber(const MergedNames &names) : names_(names)
{
    for (uint32_t number = 0; number < names.function_count(); number++)
        facts_.push_back(facts_of_calls(names.function_name(number), names.calls_that_make(number),
                                        names.ranks()));
}

}  // namespace mprof
