// A signal that ends the program restores the terminal and then does what it does anyway; so does
// Ctrl-Z, and fg takes the terminal again. The handlers make system calls alone.
#include "main/top/raw_terminal.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <poll.h>
#include <string_view>
#include <termios.h>
#include <thread>
#include <unistd.h>

namespace mprof {
namespace {

// The other screen of the terminal, without a cursor.
constexpr std::string_view take_screen = "\033[?1049h\033[?25l",
                           give_screen = "\033[?25h\033[?1049l";
constexpr std::array ending_signals = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};

// For the handlers.
struct {
    termios before{}, raw{};
    bool has_keys = false, has_screen = false;
} terminal;
volatile sig_atomic_t is_taken = 0;

void send_sequence(std::string_view sequence)
{
    [[maybe_unused]] const ssize_t written = write(STDOUT_FILENO, sequence.data(), sequence.size());
}

void take()
{
    if (terminal.has_keys)
        tcsetattr(STDIN_FILENO, TCSANOW, &terminal.raw);
    if (terminal.has_screen)
        send_sequence(take_screen);
    is_taken = 1;
}

void give()
{
    if (is_taken == 0)
        return;
    is_taken = 0;
    if (terminal.has_screen)
        send_sequence(give_screen);
    if (terminal.has_keys)
        tcsetattr(STDIN_FILENO, TCSANOW, &terminal.before);
}

void die(int number)
{
    give();
    signal(number, SIG_DFL);
    raise(number);
}

void stop(int /*number*/)
{
    const int error = errno;
    give();
    raise(SIGSTOP);
    take();
    errno = error;
}

void wake(int /*number*/) {}  // poll() returns

void handle(int number, void (*handler)(int))
{
    struct sigaction action = {};
    sigaction(number, nullptr, &action);
    if (action.sa_handler == SIG_IGN)  // nohup
        return;
    action.sa_handler = handler;
    action.sa_flags = 0;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, nullptr);
}

}  // namespace

RawTerminal::RawTerminal(bool screen)
{
    terminal.has_screen = screen;
    terminal.has_keys = isatty(STDIN_FILENO) != 0 && tcgetattr(STDIN_FILENO, &terminal.before) == 0;
    terminal.raw = terminal.before;
    terminal.raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    terminal.raw.c_cc[VMIN] = 0;
    terminal.raw.c_cc[VTIME] = 0;
    for (const int number : ending_signals)
        handle(number, die);
    handle(SIGTSTP, stop);
    handle(SIGWINCH, wake);
    take();
}

RawTerminal::~RawTerminal()
{
    give();
}

std::string RawTerminal::wait(double seconds)
{
    const auto milliseconds = static_cast<int>(std::clamp(seconds * 1000, 0.0, 3.6e6));
    if (!terminal.has_keys || is_closed_) {
        std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
        return "";
    }
    pollfd input = {STDIN_FILENO, POLLIN, 0};
    if (poll(&input, 1, milliseconds) <= 0)
        return "";
    std::array<char, 64> bytes{};
    const ssize_t count = read(STDIN_FILENO, bytes.data(), bytes.size());
    is_closed_ = count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR);
    return count > 0 ? std::string(bytes.data(), static_cast<size_t>(count)) : "";
}

}  // namespace mprof
