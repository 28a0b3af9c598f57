// What the accounts are made of: the whole run of each rank, and of windows of the run what the
// model says of them. Of windows no rank is kept, so a job of any size needs little memory.
//
// It takes two walks over the ranks. The first one adds up who works how long (StretchWork). Then
// each node is modelled by itself (model_node), and nodes are put together: the longest counts.
#pragma once

#include "accounts/node_time.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace mprof {

// What of the transfer in a rank's bins can be transfer. Calls and bytes are those of the bin in
// which a call begins, so what a call may take goes on into the bins behind it.
class TransferLimit {
public:
    // Of the rank's next bin.
    double of(double calls, double bytes, double transfer_s);

private:
    double left_s_ = 0;  // of the call that goes on
};

// How the bins of a run are cut: short windows of equal length, several of which are a long one.
class WindowGrid {
public:
    explicit WindowGrid(size_t bins = 0);
    size_t windows() const { return windows_; }
    size_t long_windows() const { return long_windows_; }
    size_t bins_of_window() const { return bins_; }
    size_t of_bin(size_t bin) const { return bin / bins_; }
    size_t long_of(size_t window) const { return window / together_; }

private:
    size_t bins_ = 1, windows_ = 0, together_ = 1, long_windows_ = 0;
};

// Who works how long in a stretch, of the ranks of a program.
struct StretchWork {
    double work_s = 0;
    size_t ranks = 0;
    double most_s = 0, next_s = 0;  // the rank that works longest, and the one behind it
    size_t most_rank = 0;
    double gpu_s = 0, most_gpu_s = 0;  // waiting for GPUs, and copying: of all, and the most
    size_t most_gpu_rank = 0;

    void add(double seconds, size_t rank, double gpu_s = 0);
    void add(const StretchWork &other);
    double mean_s() const { return ranks > 0 ? work_s / static_cast<double>(ranks) : 0; }
    double mean_gpu_s() const { return ranks > 0 ? gpu_s / static_cast<double>(ranks) : 0; }
};

// By program.
using ProgramWork = std::vector<StretchWork>;
EvenWork even_work(const ProgramWork &work);
// The rank that works most beyond the mean of its program; none: nobody works.
std::optional<size_t> busiest_rank(const ProgramWork &work);
// Likewise, whose GPU does; none: no rank has one.
std::optional<size_t> busiest_gpu(const ProgramWork &work);

struct RunWork {
    explicit RunWork(const WindowGrid &grid = WindowGrid(), size_t programs = 1);
    std::vector<ProgramWork> windows, long_windows;
    double calls = 0, moving_calls = 0;  // of all, those that do not only ask

    // By window; `gpu_s` is empty for ranks without one.
    void add_rank(size_t rank, uint32_t program, const std::vector<double> &work_s,
                  const WindowGrid &grid, const std::vector<double> &gpu_s = {});
    void add(const RunWork &other);
};

// What the model says of a stretch.
struct StretchModel {
    double longest_s = 0;  // own time of the busiest rank
    double all_s = 0;      // and of the rank that waits, too
    double least_wait_s = 0, most_wait_s = 0;
    double model_s = 0;
    std::array<double, account_kinds> without_s{};  // a cause
    double without_surplus_s = 0;  // what a rank works longer than all others need not be done
    bool is_empty = true;

    void add(const StretchModel &other);  // of another node
    // Of the time of the busiest rank. A factor, so that an error of other threads cancels.
    double saves(double without) const;
    double saves(AccountKind kind) const { return saves(without_s[static_cast<size_t>(kind)]); }
    // Nobody is made to wait by more work than somebody waits.
    double even_saves() const { return std::min(most_wait_s, saves(AccountKind::uneven)); }
    double even_gpu_saves() const { return std::min(most_wait_s, saves(AccountKind::gpu_uneven)); }
    double surplus_saves() const { return std::min(most_wait_s, saves(without_surplus_s)); }
};

StretchModel model_stretch(const NodeTime &node, const StretchTimes &stretch, const EvenWork &even,
                           const ProgramWork &work);

struct NodeModels {
    std::vector<StretchModel> windows, long_windows;
};

// Without what its ranks' windows have; `windows` are by window.
NodeModels model_node(NodeTime &node, std::vector<StretchTimes> windows, const WindowGrid &grid,
                      const RunWork &work);

struct RunTimes {
    std::vector<NodeTime> nodes;
    std::vector<StretchModel> windows, long_windows;
    std::vector<std::optional<size_t>> busiest, long_busiest;  // rank, by window
    std::vector<std::optional<size_t>> busiest_gpu, long_busiest_gpu;
    double window_s = 0;           // length of the windows; 0: the run is one
    double calls = 0;              // of MPI, of the average rank
    double messages_per_call = 1;  // a call may start many
    double messages() const { return calls * messages_per_call; }
    double short_wait_s = 0;  // what all ranks wait at once where calls follow each other fast

    void add(const NodeModels &models);
    void note_busiest(const RunWork &work);
};

}  // namespace mprof
