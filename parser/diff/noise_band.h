// Tells a change from noise.
//
// Repetitions of one run differ, so a difference of two means says something only if it is larger
// than what chance alone would give. With at least four runs in all (two and two, three and one),
// the noise is taken from them by Student's t test for two means with one common variance:
//
//     noise = t(n_a + n_b - 2) x s x sqrt(1/n_a + 1/n_b),   s^2 = squares / (n_a + n_b - 2)
//
// where `squares` are those of each run's difference from its side's mean, and t is the 99.5th
// percentile: of equal programs one figure in 100 exceeds it, in either direction. One variance for
// both sides, because the noise is the machine's: with three runs a side's own variance is hardly
// known. Runs vary less within a few minutes than from day to day, so that differences below 1 %
// are taken for noise however well repetitions agree.
//
// With fewer runs nothing can be estimated: then the band is a guess, 5 %, or how far apart the
// repetitions are if that is more; and the report says that it is one. Where ranks lack CPUs, in
// one of the runs, the guess is 15 %: six runs of one program, 4 ranks on 2 CPUs, took 5.9 to 6.8
// s.
#pragma once

#include "diff/comparison.h"

#include <vector>

namespace mprof {

struct NoiseRules {
    double guessed_share = 0.05;   // of the larger value, with too few runs
    double crowded_share = 0.15;   // the same where ranks lacked CPUs
    double crowded = 0.1;          // of a run: a lack of CPUs that costs as much
    double measured_share = 0.01;  // of the larger value, with enough runs
    double count_share = 0.01;     // of counts, which do not depend on the machine's speed
    // A figure of a part must change by this share of the whole run to be worth a line.
    double guessed_part = 0.01, measured_part = 0.005;
    double guessed_s = 0.010, measured_s = 0.001;  // and by this much in any case
};

inline constexpr NoiseRules noise_rules;

// One value per run.
struct Values {
    std::vector<double> a, b;
    double guessed_share = noise_rules.guessed_share;
};

double mean(const std::vector<double> &values);  // of at least one

// Degrees of freedom from which on the noise is measured, not guessed.
inline constexpr size_t enough_degrees = 2;
size_t degrees_of_freedom(size_t a_runs, size_t b_runs);
inline bool is_measured(size_t a_runs, size_t b_runs)
{
    return degrees_of_freedom(a_runs, b_runs) >= enough_degrees;
}

// 99.5th percentile of Student's t distribution, for at least one degree of freedom.
double student_t(size_t degrees);

// `least` is what a difference must exceed in any case. At least one run on each side.
Change change_of_times(const Values &values, double least);
Change change_of_counts(const Values &values);

// What a time must change by in any case: of the whole run, and of a part of it.
double least_seconds(const Values &wallclock);
double least_part_seconds(const Values &wallclock);

}  // namespace mprof
