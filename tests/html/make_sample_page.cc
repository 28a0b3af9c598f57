// Writes the page and the JSON of a report that never ran (sample_report.h), for the tests of the
// page in a browser: make_sample_page RANKS VARIANT PAGE.html REPORT.json
#include "render/render_report.h"
#include "sample_report.h"

#include <fstream>
#include <iostream>
#include <string>

int main(int argc, char **argv)
{
    if (argc != 5) {
        std::cerr << "usage: make_sample_page RANKS VARIANT PAGE.html REPORT.json\n";
        for (const std::string &variant : mprof_test::sample_variants())
            std::cerr << "  " << variant << "\n";
        return 2;
    }
    const mprof::Report report =
        mprof_test::sample_report(static_cast<uint32_t>(std::stoul(argv[1])), argv[2]);
    std::ofstream(argv[3], std::ios::binary) << mprof::render_html(report);
    std::ofstream(argv[4], std::ios::binary) << mprof::render_json(report);
    return 0;
}
