// The states of a Report: each is an enum with one table of its texts, which are those of the JSON.
//
//   enum class Judgement { good, watch, problem };
//   template <>
//   inline constexpr std::array texts_of<Judgement> = {"good", "watch", "problem"};
//
// Code compares the enums. Only outputs ask for the texts, by text_of().
#pragma once

#include <array>
#include <cstddef>
#include <string>

namespace mprof {

// In the order of the enum.
template <class State>
inline constexpr std::array<const char *, 0> texts_of = {};

template <class State>
std::string text_of(State state) requires(texts_of<State>.size() > 0)
{
    return texts_of<State>.at(static_cast<size_t>(state));
}

// How good a figure is.
enum class Judgement { good, watch, problem };
template <>
inline constexpr std::array texts_of<Judgement> = {"good", "watch", "problem"};

// What bounds the run.
enum class VerdictClass {
    unknown,
    compute_bound,
    load_imbalance_bound,
    synchronisation_bound,
    latency_bound,
    bandwidth_bound,
    start_up_bound,
    io_bound,
    mixed
};
template <>
inline constexpr std::array texts_of<VerdictClass> = {
    "unknown",       "compute bound",   "load-imbalance bound", "synchronisation bound",
    "latency bound", "bandwidth bound", "start-up bound",       "I/O bound",
    "mixed"};

// How sure a next step is.
enum class Confidence { low, medium, high };
template <>
inline constexpr std::array texts_of<Confidence> = {"low", "medium", "high"};

// How evenly a counter or a metric is spread over the ranks.
enum class Evenness { even, slightly_uneven, uneven };
template <>
inline constexpr std::array texts_of<Evenness> = {"even", "slightly uneven", "uneven"};

}  // namespace mprof
