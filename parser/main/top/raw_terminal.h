// The terminal while mprof top is drawn on it: keys come one by one and are not shown, and what was
// on the screen before comes back afterwards, however the program ends.
#pragma once

#include <string>

namespace mprof {

class RawTerminal {
public:
    // `screen`: take the whole screen; keys are read if standard input is a terminal.
    explicit RawTerminal(bool screen);
    ~RawTerminal();
    RawTerminal(const RawTerminal &) = delete;
    RawTerminal &operator=(const RawTerminal &) = delete;

    // Waits for keys, until so many seconds have passed, or until the size of the terminal
    // changes. Returns what was typed.
    std::string wait(double seconds);
    // No more keys will come: the other end of the terminal has gone.
    bool is_closed() const { return is_closed_; }

private:
    bool is_closed_ = false;
};

}  // namespace mprof
