// libFuzzer target: a rank file through the whole parser, alone and as three ranks of one run.
#include "fuzz_input.h"

#include "analyse/analyse_profile.h"
#include "diff/comparison.h"
#include "merge/profile.h"
#include "merge/scrub_file.h"
#include "mprof/format/format.h"
#include "read/rank_file.h"
#include "render/render_report.h"
#include "render/renderers.h"
#include "render/text/top/render_screen.h"

#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace {

using namespace mprof;

void render_all(const Report &report)
{
    mprof_fuzz::expect_printable(render_text(report, 80));
    mprof_fuzz::expect_printable(render_standing(report, 80));
    mprof_fuzz::expect_printable(render_explain(report, 80));
    mprof_fuzz::expect_printable(render_top(make_live_view(report, report), 80, 40));
    render_json(report);
    render_html(report);
    render_csv(report);
    const Comparison comparison = compare_runs({{"a", report}}, {{"b", report}}, {});
    mprof_fuzz::expect_printable(render_diff_text(comparison, 80));
    render_diff_json(comparison);
    render_diff_markdown(comparison);
    FoldedStacks stacks;
    add_stacks(report, stacks);
    folded_text(stacks);
    openmetrics_text({metrics_of(report)});
}

std::vector<std::byte> as_rank(std::vector<std::byte> file, uint32_t rank)
{
    if (file.size() >= sizeof(mprof_file_header))
        std::memcpy(file.data() + offsetof(mprof_file_header, rank), &rank, sizeof rank);
    mprof_fuzz::seal_rank_file(file);
    return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const auto bytes = mprof_fuzz::as_bytes(data, size);
    const std::vector<std::byte> file(bytes.begin(), bytes.end());
    auto alone = file;
    mprof_fuzz::seal_rank_file(alone);
    const auto rank = parse_rank_file(alone, "fuzzed");
    if (!rank.ok()) {
        mprof_fuzz::expect_printable(describe(rank.error()));
        return 0;
    }
    Scrubbing scrubbing;
    const auto scrubbed = scrubbed_rank_file(alone, "fuzzed", scrubbing);
    if (!scrubbed.ok() || !parse_rank_file(scrubbed.value(), "scrubbed").ok())
        std::abort();  // what was readable is it without names, too
    std::vector<Result<RankFile>> ranks;
    for (uint32_t number = 0; number < 3; number++)
        ranks.push_back(parse_rank_file(as_rank(file, number), "rank"));
    const auto profile = merge_ranks(std::move(ranks), "folder");
    if (profile.ok())
        render_all(analyse_profile(profile.value(), {.enabled = false},
                                   {true, data[size - 1] % 2 == 0, 1'800'000'000'000'000'000, {}}));
    return 0;
}
