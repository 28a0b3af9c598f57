// Writes the page and the JSON of a placement that never ran, for the tests of the page in a
// browser: make_place_page VARIANT PAGE.html PLACE.json
//
// 64 ranks in a grid of 4 x 4 x 4, dealt to 8 nodes in turn, with 78 MiB between neighbours; the
// ranks of a node are bound to two sockets. "good" has blocks of 2 x 2 x 2 already; "many" has a
// grid of 64 x 64 on 128 nodes; "bytes" knows no seconds; "hostile" has names that are markup.
#include "place/placing.h"
#include "render/renderers.h"

#include <fmt/format.h>
#include <fstream>
#include <iostream>

namespace {

using namespace mprof;

struct Variant {
    uint32_t width = 4, height = 4, depth = 4, nodes = 8;
    bool in_blocks = false, tells_costs = true;
    std::string host = "node";
};

Variant variant_of(const std::string &name)
{
    Variant variant;
    variant.in_blocks = name == "good";
    variant.tells_costs = name != "bytes";
    if (name == "many")
        variant = {.width = 64, .height = 64, .depth = 1, .nodes = 128};
    if (name == "hostile")
        variant.host = "</script><img src=x onerror=alert(1)>";
    return variant;
}

class PlantedJob {
public:
    explicit PlantedJob(const Variant &variant) : variant_(variant)
    {
        const uint32_t ranks = variant.width * variant.height * variant.depth;
        report.version = "0.1.0";
        report.run.command = "./cg.x --grid 4x4x4";
        report.run.mpi_library = "Open MPI v5.0.3";
        report.run.ranks = ranks;
        report.run.complete = true;
        report.run.wallclock_s = 48.6;
        for (uint32_t node = 0; node < variant.nodes; node++) {
            NodeRow &row = report.nodes.emplace_back();
            row.host = fmt::format("{}{}", variant.host, node);
            row.ranks = ranks / variant.nodes;
            row.facts = {{"cores", "8"}};
        }
        for (uint32_t rank = 0; rank < ranks; rank++)
            add_rank(rank);
        add_messages();
        add_times();
    }

    Report report;

private:
    void add_rank(uint32_t rank)
    {
        // x, y and z in blocks of two.
        const uint32_t x = rank % 4, y = rank / 4 % 4, z = rank / 16;
        const uint32_t block = x / 2 + y / 2 * 2 + z / 2 * 4;
        const uint32_t node = variant_.in_blocks ? block : rank % variant_.nodes;
        RankRow &row = report.ranks.emplace_back();
        row.rank = rank;
        row.host = report.nodes[node].host;
        const uint32_t cpu = rank / variant_.nodes % 8;
        row.cpu_list = row.core_cpus = std::to_string(cpu);
        row.socket_cpus = cpu < 4 ? "0-3" : "4-7";
    }

    void exchange(uint32_t a, uint32_t b)
    {
        for (const auto &[source, destination] : {std::pair(a, b), std::pair(b, a)}) {
            MatrixCell &cell = report.matrix.emplace_back();
            cell.source = source;
            cell.destination = destination;
            cell.bytes = 78U << 20U;
            cell.messages = 1248;
        }
    }

    void add_messages()
    {
        const auto &[width, height, depth, nodes, in_blocks, costs, host] = variant_;
        for (uint32_t rank = 0; rank < width * height * depth; rank++) {
            const uint32_t x = rank % width, y = rank / width % height, z = rank / width / height;
            if (x + 1 < width)
                exchange(rank, rank + 1);
            if (y + 1 < height)
                exchange(rank, rank + width);
            if (z + 1 < depth)
                exchange(rank, rank + width * height);
        }
    }

    void add_times()
    {
        constexpr double far_byte_s = 3e-9, near_byte_s = 1e-10;
        if (variant_.tells_costs)
            for (const uint64_t bytes : {uint64_t{8}, uint64_t{65536}, uint64_t{262144}})
                for (const bool is_far : {false, true}) {
                    const double cost_s =
                        2e-6 + static_cast<double>(bytes) * (is_far ? far_byte_s : near_byte_s);
                    report.message_costs.push_back(
                        {is_far ? Locality::other_node : Locality::same_node, bytes, cost_s,
                         1.1 * cost_s, CostSource::baseline});
                }
        for (RankRow &row : report.ranks) {
            row.message_s = 10.8;
            row.message_wait_s = 1.2;
            row.transfer_s = 11;
        }
    }

    Variant variant_;
};

bool write_text(const char *path, const std::string &text)
{
    std::ofstream file(path, std::ios::binary);
    file << text;
    return file.good();
}

}  // namespace

int main(int argc, char **argv)
{
    if (argc != 4) {
        std::cerr << "usage: make_place_page VARIANT PAGE.html PLACE.json\n";
        return 2;
    }
    const PlantedJob job(variant_of(argv[1]));
    const Placing placing = analyse_placing(job.report, {});
    const bool is_written = write_text(argv[2], render_place_html(placing, {"cg.x.mprof", ""})) &&
                            write_text(argv[3], render_place_json(placing));
    return is_written ? 0 : 1;
}
