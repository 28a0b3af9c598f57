// Writes the page and the JSON of a scaling that never ran, for the tests of the page in a browser:
// make_scale_page VARIANT PAGE.html SCALE.json
//
// It is a solver in strong scaling from 16 to 1024 ranks, three runs each: MPI_Allreduce grows as
// p^0.5, MPI_Alltoallv with p, the rest falls or stays. "one run" has no repeats; "many" has twelve
// sizes; "two" has two; "good" has four, and no call that grows; "hostile" has names that are
// markup.
#include "render/renderers.h"
#include "scale/scaling.h"

#include <cmath>
#include <fstream>
#include <iostream>

namespace {

using namespace mprof;

struct Variant {
    std::vector<uint32_t> sizes = {16, 32, 64, 128, 256, 512, 1024};
    int repeats = 3;
    double growing = 1;  // how much of what grows
    std::string place = "cg.c:211", phase = "solve", path = "runs/cg.p";
};

Variant variant_of(const std::string &name)
{
    Variant variant;
    if (name == "one run")
        variant.repeats = 1;
    if (name == "two")
        variant.sizes = {16, 32};
    if (name == "good") {
        variant.growing = 0;
        variant.sizes.resize(4);
    }
    if (name == "many") {
        variant.sizes.clear();
        for (uint32_t ranks = 1; ranks <= 2048; ranks *= 2)
            variant.sizes.push_back(ranks);
    }
    if (name == "hostile") {
        variant.place = "<img src=x onerror=alert(1)>.c:211";
        variant.phase = "</script><script>alert(2)</script>";
        variant.path = "<b onload=alert(3)>{{data}}";
    }
    return variant;
}

class PlantedRun {
public:
    PlantedRun(const Variant &variant, uint32_t ranks, int repeat)
    {
        const double p = ranks, grows = variant.growing;
        // Deterministic noise of up to 2 %.
        noise_ = 1 + 0.02 * std::sin(12.9 * repeat + 78.2 * std::log2(p));
        constexpr double file_s = 0.7;
        const double compute_s = 3000 / p;
        run_.program = "cg.x";
        run_.nodes = (ranks + 127) / 128;
        run_.run.ranks = ranks;
        run_.run.complete = true;
        run_.run.path = variant.path + std::to_string(ranks);
        run_.run.start = "2026-11-19T14:02:11Z";
        run_.run.mpi_library = "Open MPI v4.1.4";
        add(GrowthKind::compute, "computing", "", "", compute_s);
        add_call("MPI_Allreduce", variant.place, grows * 0.14 * std::sqrt(p), 0.4);
        add_call("MPI_Alltoallv", "partition.c:64", grows * 0.0075 * p, 0.1);
        add_call("MPI_Waitall", "cg.c:187", 8 * std::pow(p, -0.34), 0.6);
        add_call("MPI_Init", "main.c:12", 0.08 * std::log2(p), 0);
        add_call("MPI_File_write_at_all", "io.c:43", file_s, 0);
        const double mpi_s = wallclock_s_ - compute_s * noise_;
        add(GrowthKind::phase, variant.phase, "", "", (compute_s + mpi_s) * 0.9);
        add(GrowthKind::phase, "set-up", "", "", 0.2 * std::log2(p) + 2);
        run_.compute_s = p * compute_s * noise_;
        run_.mpi_s = p * mpi_s;
        run_.wait_s = p * wait_s_;
        run_.transfer_s = p * (mpi_s - wait_s_ - file_s);
        run_.other_mpi_s = p * file_s;
        run_.load_balance = 0.97 - 0.012 * std::log2(p / 16);
        const double slowest_s = compute_s * noise_ / run_.load_balance;
        run_.run.wallclock_s = std::max(wallclock_s_, 1.001 * slowest_s);
        run_.communication_efficiency = slowest_s / run_.run.wallclock_s;
        run_.instructions = 1e12 * std::pow(p, 0.01);
        run_.cycles = 8e11 * std::pow(p, -0.01);
        run_.library_bytes = (38 + 0.19 * p) * 1024 * 1024;
        NextStep step;
        step.action = "Do the two sums of cg.c:211 and cg.c:233 in one MPI_Allreduce";
        step.evidence = "both are 8 B and follow each other without computing";
        step.confidence = Confidence::high;
        step.worth_s = 3.5;
        run_.next = {step};
    }
    const SizeRun &run() const { return run_; }

private:
    void add(GrowthKind kind, const std::string &what, const std::string &place,
             const std::string &function, double time_s)
    {
        RunRow row;
        row.names.kind = kind;
        row.names.what = what;
        row.names.place = place;
        row.names.function = function;
        row.time_s = time_s * noise_;
        run_.rows[std::string(text_of(kind)) + what] = row;
        if (kind == GrowthKind::compute || kind == GrowthKind::call_line)
            wallclock_s_ += row.time_s;
    }

    void add_call(const std::string &function, const std::string &place, double time_s,
                  double waiting)
    {
        if (time_s <= 0)
            return;
        add(GrowthKind::call_line, function + " at " + place, place, function, time_s);
        add(GrowthKind::function, function, "", function, time_s);
        wait_s_ += waiting * time_s * noise_;
    }

    double noise_ = 1, wallclock_s_ = 0, wait_s_ = 0;
    SizeRun run_;
};

}  // namespace

int main(int argc, char **argv)
{
    if (argc != 4) {
        std::cerr << "usage: make_scale_page VARIANT PAGE.html SCALE.json\n";
        return 2;
    }
    const Variant variant = variant_of(argv[1]);
    std::vector<SizeRun> runs;
    for (const uint32_t ranks : variant.sizes)
        for (int repeat = 0; repeat < variant.repeats; repeat++)
            runs.push_back(PlantedRun(variant, ranks, repeat).run());
    const Scaling scaling = analyse_scaling(runs, std::nullopt);
    std::ofstream(argv[2], std::ios::binary) << render_scale_html(scaling);
    std::ofstream(argv[3], std::ios::binary) << render_scale_json(scaling);
    return 0;
}
