// Runs whose course is known: what each rank does from when to when, written as time bins, entries
// and journal, so that the sums of all three agree.
//
// Ticks are ns. Bins have 10 ms. The lines that call MPI are those of a script, so that they have
// names without any debug data.
#pragma once

#include "planted_ranks.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace mprof_test {

constexpr uint64_t bin_ns = 10 * ms;

class PlantedTime {
public:
    PlantedTime(uint32_t ranks, uint32_t bins)
        : bins_(bins), ranks_(planted_ranks(ranks, bins * bin_ns))
    {
        of_.resize(ranks);
        for (uint32_t r = 0; r < ranks; r++) {
            RankFileContent &rank = ranks_[r];
            rank.time.begin_ticks = 1'000;
            rank.time.bin_ticks = bin_ns;
            rank.time.end_ticks = 1'000 + bins * bin_ns;
            rank.time.bins = bins;
            rank.time.communicators[0] = MPROF_COMM_SLOT_WORLD;
            rank.time_bins.resize(bins);
            rank.scripts = {{}};
            rank.callsites = {{}};
            rank.operations = {{}};
            rank.regions = {{}, {}};
            of_[r].journal.facts.communicator = MPROF_COMM_SLOT_WORLD;
        }
    }

    // A line of the program that calls MPI: its slot on all ranks.
    uint32_t line(const std::string &function, uint32_t number)
    {
        for (RankFileContent &rank : ranks_) {
            rank.scripts.push_back(make_script("/home/x/cg.py", function, 1));
            const auto script = static_cast<uint32_t>(rank.scripts.size() - 1);
            rank.callsites.push_back(make_script_callsite(0, script, number, 4));
        }
        return static_cast<uint32_t>(ranks_[0].callsites.size() - 1);
    }

    // In each of the bins one call that takes so much of it.
    void call(uint32_t rank, uint16_t function, mprof_time_class time_class, uint32_t callsite,
              uint32_t first, uint32_t last, double share)
    {
        const auto ticks = static_cast<uint64_t>(share * static_cast<double>(bin_ns));
        RankFileContent &content = ranks_[rank];
        OfRank &of = of_[rank];
        for (uint32_t i = first; i < last; i++) {
            mprof_time_bin &bin = content.time_bins[i];
            bin.ticks[time_class] += ticks;
            bin.calls++;
            const uint64_t kiloticks = (ticks + 1023) / 1024;
            if (kiloticks >= bin.site_kiloticks) {
                bin.site_kiloticks = static_cast<uint32_t>(kiloticks);
                bin.callsite = callsite;
                bin.function = static_cast<uint16_t>(1 + function);
            }
            mprof_entry &entry = of.entries[{function, callsite}];
            if (entry.in_use == 0) {
                entry = make_entry(function, 0, 0, 0);
                entry.callsite = callsite;
                entry.min_ticks = ticks;
            }
            entry.calls++;
            entry.ticks += ticks;
            entry.min_ticks = std::min(entry.min_ticks, ticks);
            entry.max_ticks = std::max(entry.max_ticks, ticks);
            if (time_class == MPROF_TIME_COLLECTIVE)
                of.instances.emplace_back(i, operation(content, function, callsite), ticks);
        }
    }

    // A collective of all ranks in each of the bins: one share for each rank.
    void collective(uint32_t callsite, uint32_t first, uint32_t last,
                    const std::vector<double> &shares)
    {
        for (uint32_t r = 0; r < shares.size(); r++)
            call(r, f_allreduce, MPROF_TIME_COLLECTIVE, callsite, first, last, shares[r]);
    }

    void region(const std::string &name, uint32_t first, uint32_t last)
    {
        for (RankFileContent &rank : ranks_) {
            rank.regions.push_back(make_region(name, 0, 1, (last - first) * bin_ns));
            for (uint32_t i = first; i < last; i++)
                rank.time_bins[i].region = static_cast<uint16_t>(rank.regions.size() - 1);
        }
    }

    // Computing without a CPU.
    void off_cpu(uint32_t rank, uint32_t first, uint32_t last, double queue, double blocked)
    {
        mprof_off_cpu row = {};
        row.in_use = 1;
        for (uint32_t i = first; i < last; i++) {
            mprof_time_bin &bin = ranks_[rank].time_bins[i];
            bin.queue_ns += static_cast<uint64_t>(queue * static_cast<double>(bin_ns));
            bin.blocked_ns += static_cast<uint64_t>(blocked * static_cast<double>(bin_ns));
            row.queue_ns += bin.queue_ns;
            row.blocked_ns += bin.blocked_ns;
        }
        ranks_[rank].threads[0].off_cpu.push_back(row);
    }

    std::vector<RankFileContent> &contents() { return ranks_; }

    // Entries, journals and positions; after it the ranks are complete.
    std::vector<RankFileContent> made()
    {
        for (uint32_t r = 0; r < ranks_.size(); r++) {
            RankFileContent &rank = ranks_[r];
            OfRank &of = of_[r];
            ThreadContent &thread = rank.threads[0];
            for (const auto &[key, entry] : of.entries)
                thread.entries.push_back(entry);
            thread.facts.read_computing_ns = thread.off_cpu.empty() ? 0 : bins_ * bin_ns;
            std::stable_sort(
                of.instances.begin(), of.instances.end(),
                [](const auto &a, const auto &b) { return std::get<0>(a) < std::get<0>(b); });
            for (const auto &[bin, slot, ticks] : of.instances) {
                of.journal.facts.instances++;
                of.journal.items.push_back(slot << MPROF_JOURNAL_CODE_BITS |
                                           mprof_duration_code(ticks));
                rank.time_bins[bin].instances[0] =
                    static_cast<uint32_t>(of.journal.facts.instances);
            }
            if (!of.journal.items.empty())
                rank.journals.push_back(of.journal);
        }
        return ranks_;
    }

private:
    struct OfRank {
        std::map<std::pair<uint16_t, uint32_t>, mprof_entry> entries;  // by function and callsite
        std::vector<std::tuple<uint32_t, uint32_t, uint64_t>> instances;
        JournalContent journal;
    };

    static uint32_t operation(RankFileContent &rank, uint16_t function, uint32_t callsite)
    {
        for (uint32_t slot = 1; slot < rank.operations.size(); slot++)
            if (rank.operations[slot].function == function &&
                rank.operations[slot].callsite == callsite)
                return slot;
        mprof_operation made = {};
        made.in_use = 1;
        made.function = function;
        made.callsite = callsite;
        made.root = MPROF_NO_PEER;
        rank.operations.push_back(made);
        return static_cast<uint32_t>(rank.operations.size() - 1);
    }

    uint32_t bins_;
    std::vector<RankFileContent> ranks_;
    std::vector<OfRank> of_;
};

// Start-up to 0.1 s, then all wait for rank 0 to 0.6 s, then a balanced solver to 1.7 s, then
// output.
inline PlantedTime classic_run()
{
    PlantedTime run(4, 200);
    const uint32_t setup = run.line("read_matrix", 118), solve = run.line("solve", 211);
    const uint32_t write = run.line("write_result", 43);
    for (uint32_t r = 0; r < 4; r++)
        run.call(r, f_init, MPROF_TIME_START_UP, 0, 0, 10, 0.95);
    run.collective(setup, 10, 60, {0.02, 0.9, 0.9, 0.9});
    run.collective(solve, 60, 170, {0.1, 0.1, 0.1, 0.1});
    for (uint32_t r = 0; r < 4; r++)
        run.call(r, f_file_write_all, MPROF_TIME_FILE, write, 170, 200, 0.85);
    return run;
}

}  // namespace mprof_test
