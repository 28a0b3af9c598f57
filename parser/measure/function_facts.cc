#include "measure/function_facts.h"

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

const FunctionFacts &FactsByNumber::of(size_t rank, uint32_t function)
{
    const uint32_t number = names_.function(rank, function);
    if (number >= facts_.size()) {
        facts_.resize(number + 1);
        known_.resize(number + 1);
    }
    if (!known_[number])
        facts_[number] = facts_of(names_.function_name(number));
    known_[number] = true;
    return facts_[number];
}

}  // namespace mprof
