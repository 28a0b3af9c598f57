// Writes the rank files of the golden test of "When": make_golden_time FOLDER.
//
// FOLDER/phases has the four ranks of classic_run(): start-up, a set-up in which three ranks wait
// for rank 0, a balanced solver, and output. The files are committed, as those of make_golden.cc.
#include "time/planted_time.h"

#include <exception>
#include <filesystem>
#include <iostream>

namespace fs = std::filesystem;

int main(int argc, char **argv)
{
    if (argc != 2) {
        std::cerr << "usage: make_golden_time FOLDER\n";
        return 2;
    }
    try {
        const fs::path folder = fs::path(argv[1]) / "phases";
        fs::create_directories(folder);
        for (const mprof_test::RankFileContent &rank : mprof_test::classic_run().made())
            mprof_test::write_file(folder / ("rank-" + std::to_string(rank.rank) + ".mprof"),
                                   mprof_test::compose(rank));
    } catch (const std::exception &problem) {
        std::cerr << "make_golden_time: " << problem.what() << '\n';
        return 1;
    }
    return 0;
}
