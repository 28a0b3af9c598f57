// Rows of functions out of sampled addresses (hot_spots.h).
#include "analyse/places/hot_spots.h"

#include <algorithm>

namespace mprof {
namespace {

// What has less than that is not listed by itself.
constexpr double least_percent = 0.5;
constexpr size_t most_rows = 20;

}  // namespace

std::optional<HotSpots::Key> HotSpots::key_of(const Frame &frame) const
{
    if (by_ == HotSpotsBy::function)
        return Key(frame.module, frame.symbol);
    if (by_ == HotSpotsBy::library)
        return Key(frame.module, "");
    return frame.line == 0 ? std::nullopt
                           : std::optional(Key(frame.file, std::to_string(frame.line)));
}

void HotSpots::add(const Frame &frame, uint64_t samples, double time_s, uint32_t rank)
{
    samples_ += samples;
    const auto key = key_of(frame);
    if (!key)
        return;
    Spot &spot = spots_[*key];
    if (spot.rank_s > 0 && spot.rank != rank) {
        spot.spread.add(spot.rank_s, spot.rank);
        spot.rank_s = 0;
    }
    spot.rank = rank;
    spot.rank_s += time_s;
    spot.time_s += time_s;
    if (spot.samples == 0)
        spot.address = frame.offset;
    spot.at_one_address = spot.at_one_address && frame.offset == spot.address;
    spot.samples += samples;
    const auto line = frame.line != 0 ? std::pair(frame.file, uint64_t{frame.line})
                                      : std::pair(std::string(), frame.offset);
    auto &[shown, count] = spot.lines[line];
    shown = frame;
    count += samples;
}

void HotSpots::add_path(const Frame &frame, const std::vector<Frame> &callers, uint64_t samples)
{
    const auto key = key_of(frame);
    const auto at = key ? spots_.find(*key) : spots_.end();
    if (at == spots_.end())
        return;
    Spot &spot = at->second;
    spot.path_samples += samples;
    if (callers.empty())
        return;
    std::vector<std::string> functions;
    for (const Frame &caller : callers)
        functions.push_back(caller.module + '\n' + caller.symbol);
    auto &[shown, count] = spot.paths[functions];
    shown = callers;
    count += samples;
}

void HotSpots::set_path(const Spot &spot, HotPlaceRow &row)
{
    const auto most =
        std::max_element(spot.paths.begin(), spot.paths.end(), [](const auto &a, const auto &b) {
            return a.second.second < b.second.second;
        });
    if (most == spot.paths.end())
        return;
    row.path = most->second.first;
    row.path_samples = spot.path_samples;
    row.path_percent =
        100 * static_cast<double>(most->second.second) / static_cast<double>(spot.path_samples);
}

void HotSpots::take_stacks(std::optional<size_t> segment, std::vector<StackRow> &stacks)
{
    for (auto &[key, spot] : spots_) {
        const Frame &function = spot.lines.begin()->second.first;
        uint64_t lone = std::max<uint64_t>(1, spot.path_samples);
        const double path_s = spot.time_s / static_cast<double>(lone);
        for (auto &[functions, path] : spot.paths) {
            lone -= path.second;
            stacks.push_back({function, std::move(path.first),
                              static_cast<double>(path.second) * path_s, segment});
        }
        if (lone > 0)
            stacks.push_back({function, {}, static_cast<double>(lone) * path_s, segment});
    }
    spots_.clear();
}

std::vector<HotPlaceRow> HotSpots::rows()
{
    std::vector<HotPlaceRow> rows;
    for (auto &[key, spot] : spots_) {
        if (spot.rank_s > 0)
            spot.spread.add(spot.rank_s, spot.rank);
        spot.rank_s = 0;
        HotPlaceRow row;
        row.samples = spot.samples;
        row.percent = 100 * static_cast<double>(spot.samples) / static_cast<double>(samples_);
        row.time_s = spot.time_s;
        row.at_one_address = spot.at_one_address;
        row.spread = spot.spread.result();
        row.site = std::max_element(spot.lines.begin(), spot.lines.end(),
                                    [](const auto &a, const auto &b) {
                                        return a.second.second < b.second.second;
                                    })
                       ->second.first;
        set_path(spot, row);
        if (by_ == HotSpotsBy::library) {
            row.site = Frame();
            row.site.module = key.first;
        }
        if (row.percent >= least_percent)
            rows.push_back(std::move(row));
    }
    std::stable_sort(rows.begin(), rows.end(), [](const HotPlaceRow &a, const HotPlaceRow &b) {
        return a.samples > b.samples;
    });
    rows.resize(std::min(rows.size(), most_rows));
    return rows;
}

// Sums of a rank are kept until the next one begins: then it is known what the rank has of each
// function. A function that calls itself counts once.
void WorkFunctions::end_rank()
{
    for (Sum *sum : touched_) {
        sum->row.samples += sum->rank_samples;
        if (sum->rank_samples > sum->row.most_samples) {
            sum->row.most_samples = sum->rank_samples;
            sum->row.most_rank = rank_;
            sum->row.caller = sum->caller;
        }
        sum->rank_samples = sum->way_samples = 0;
    }
    touched_.clear();
    most_ = std::max(most_, all_);
    all_ = 0;
}

namespace {

bool is_region_body(const Frame &frame)
{
    return frame.symbol.ends_with("[OpenMP]");
}

}  // namespace

void WorkFunctions::add_frame(const Frame &frame, const Frame *caller, size_t depth,
                              uint64_t samples, bool is_serial)
{
    Sum &sum = sums_[{frame.module, frame.symbol}];
    if (sum.rank_samples == 0)
        touched_.push_back(&sum);
    if (sum.row.frame.symbol.empty())
        sum.row.frame = frame;
    if (samples > sum.way_samples) {
        sum.way_samples = samples;
        sum.caller = caller != nullptr ? *caller : Frame();
    }
    sum.rank_samples += samples;
    sum.row.serial_samples += is_serial ? samples : 0;
    sum.depth += static_cast<double>(depth) * static_cast<double>(samples);
}

void WorkFunctions::add(const Frame &leaf, const std::vector<Frame> &callers, uint64_t samples,
                        uint32_t rank)
{
    if (rank != rank_)
        end_rank();
    rank_ = rank;
    all_ += samples;
    const bool is_serial =
        !is_region_body(leaf) && std::none_of(callers.begin(), callers.end(), is_region_body);
    for (size_t i = 0; i <= callers.size(); i++) {
        const Frame &frame = i == 0 ? leaf : callers[i - 1];
        const auto is_same = [&](const Frame &other) {
            return other.symbol == frame.symbol && other.module == frame.module;
        };
        const auto end = callers.begin() + static_cast<std::ptrdiff_t>(i == 0 ? 0 : i - 1);
        const bool again = i > 0 && (is_same(leaf) || std::any_of(callers.begin(), end, is_same));
        if (!frame.symbol.empty() && !again)
            add_frame(frame, i < callers.size() ? &callers[i] : nullptr, i, samples, is_serial);
    }
}

std::vector<WorkFunctionRow> WorkFunctions::rows()
{
    constexpr double least = 0.02;  // of the samples of the rank that has most
    end_rank();
    std::vector<WorkFunctionRow> rows;
    for (auto &[key, sum] : sums_) {
        if (static_cast<double>(sum.row.most_samples) < least * static_cast<double>(most_))
            continue;
        sum.row.depth = sum.depth / static_cast<double>(sum.row.samples);
        rows.push_back(sum.row);
    }
    return rows;
}

}  // namespace mprof
