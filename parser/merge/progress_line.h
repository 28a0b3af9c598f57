// "mprof: reading, 37%": a line on stderr for what takes longer than a second, only if stderr is a
// terminal. It goes away when the work is done.
#pragma once

#include <functional>
#include <string>
#include <thread>

namespace mprof {

class ProgressLine {
public:
    // `rest` is asked on another thread for what stands behind `doing`.
    explicit ProgressLine(std::string doing, std::function<std::string()> rest = nullptr);

private:
    std::jthread thread_;  // ends, and removes the line, when this does
};

}  // namespace mprof
