// mprof top: a view of a running job that is drawn anew every few seconds and after each key. If
// the output is not a terminal, it is one view. It ends when the job does, or by q or Ctrl-C.
#include "analyse/live/live_view.h"
#include "main/commands.h"
#include "main/profile/left_profile.h"
#include "main/profile/read_report.h"
#include "main/report_output.h"
#include "merge/folder_reader.h"
#include "render/text/top/render_screen.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <poll.h>
#include <string>
#include <string_view>
#include <sys/ioctl.h>
#include <termios.h>
#include <thread>
#include <unistd.h>

namespace mprof {
namespace {

// The terminal while mprof top is drawn on it: keys come one by one and are not shown, and what was
// on the screen before comes back afterwards, however the program ends.
// A signal that ends the program restores the terminal and then does what it does anyway; so does
// Ctrl-Z, and fg takes the terminal again. The handlers make system calls alone.

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

// The other screen of the terminal, without a cursor.
constexpr std::string_view take_screen = "\033[?1049h\033[?25l",
                           give_screen = "\033[?25h\033[?1049l";
constexpr std::array ending_signals = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};

// For the handlers.
struct {
    termios before{}, raw{};
    bool has_keys = false, has_screen = false;
} kept_terminal;
volatile sig_atomic_t is_taken = 0;

void send_sequence(std::string_view sequence)
{
    [[maybe_unused]] const ssize_t written = write(STDOUT_FILENO, sequence.data(), sequence.size());
}

void take_terminal()
{
    if (kept_terminal.has_keys)
        tcsetattr(STDIN_FILENO, TCSANOW, &kept_terminal.raw);
    if (kept_terminal.has_screen)
        send_sequence(take_screen);
    is_taken = 1;
}

void restore_terminal()
{
    if (is_taken == 0)
        return;
    is_taken = 0;
    if (kept_terminal.has_screen)
        send_sequence(give_screen);
    if (kept_terminal.has_keys)
        tcsetattr(STDIN_FILENO, TCSANOW, &kept_terminal.before);
}

void restore_and_die(int number)
{
    restore_terminal();
    signal(number, SIG_DFL);
    raise(number);
}

void stop(int /*number*/)
{
    const int error = errno;
    restore_terminal();
    raise(SIGSTOP);
    take_terminal();
    errno = error;
}

void wake(int /*number*/) {}  // poll() returns

void set_handler(int number, void (*handler)(int))
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

RawTerminal::RawTerminal(bool screen)
{
    kept_terminal.has_screen = screen;
    kept_terminal.has_keys =
        isatty(STDIN_FILENO) != 0 && tcgetattr(STDIN_FILENO, &kept_terminal.before) == 0;
    kept_terminal.raw = kept_terminal.before;
    kept_terminal.raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    kept_terminal.raw.c_cc[VMIN] = 0;
    kept_terminal.raw.c_cc[VTIME] = 0;
    for (const int number : ending_signals)
        set_handler(number, restore_and_die);
    set_handler(SIGTSTP, stop);
    set_handler(SIGWINCH, wake);
    take_terminal();
}

RawTerminal::~RawTerminal()
{
    restore_terminal();
}

std::string RawTerminal::wait(double seconds)
{
    const auto milliseconds = static_cast<int>(std::clamp(seconds * 1000, 0.0, 3.6e6));
    if (!kept_terminal.has_keys || is_closed_) {
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

using Clock = std::chrono::steady_clock;

constexpr std::string_view to_upper_left = "\033[H", clear_below = "\033[J", clear_line = "\033[K";

ScreenSize screen_size(const TopOptions &options)
{
    winsize size = {};
    const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
    ScreenSize screen;
    screen.height = known && size.ws_row > 0 ? size.ws_row : 40;
    screen.width = options.width > 0 ? options.width : known && size.ws_col > 0 ? size.ws_col : 80;
    return screen;
}

std::string_view variable(const char *name)
{
    const char *const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

bool is_dumb()
{
    return variable("TERM").empty() || variable("TERM") == "dumb";
}

// Over what is there, line by line, so that nothing flickers.
std::string drawn_over(const std::string &screen)
{
    std::string drawn(to_upper_left);
    const size_t end = screen.empty() ? 0 : screen.size() - 1;  // a last line end would scroll
    for (size_t i = 0; i < end; i++) {
        if (screen[i] == '\n')
            drawn += clear_line;
        drawn += screen[i];
    }
    return drawn.append(clear_line).append(clear_below);
}

class Top {
public:
    explicit Top(const TopOptions &options, std::string path)
        : options_(options),
          path_(std::move(path)),
          style_{wants_colours(), speaks_utf8() && !is_dumb()}
    {
    }

    // False if there is nothing to be read any more.
    bool look()
    {
        const auto profile = read_profile(path_, false, options_.world);
        if (!profile.ok()) {
            error_ = profile.error();
            return false;
        }
        Report now =
            analyse_profile(profile.value(), options_.symbols, observe_run(profile.value()));
        view_ = make_live_view(now, before_);
        before_ = std::move(now);
        return true;
    }

    std::string screen() const
    {
        return render_screen(view_, state_, screen_size(options_), style_);
    }
    std::string text() const
    {
        const ScreenSize size = screen_size(options_);
        return render_top(view_, options_.width > 0 ? options_.width : terminal_width(),
                          size.height);
    }

    const FileError &error() const { return *error_; }

    ExitStatus watch()
    {
        bool is_ok = true;
        std::string last;
        {
            RawTerminal terminal(!is_dumb());
            do {
                is_ok = write_stdout(is_dumb() ? screen() + "\n" : drawn_over(screen()));
                take_keys_until_next(terminal);
            } while (is_ok && !state_.quit && view_.running && (is_ok = look()));
            last = screen();
        }
        if (error_) {
            say_error(*error_, options_.verbose);
            return exit_unusable;
        }
        return is_ok && write_stdout(state_.quit ? "" : last) ? exit_fine : exit_unusable;
    }

private:
    void take_keys_until_next(RawTerminal &terminal)
    {
        const auto next = Clock::now() + std::chrono::duration<double>(options_.interval_s);
        std::string bytes;
        while (!state_.quit && !terminal.is_closed()) {
            const double left_s = std::chrono::duration<double>(next - Clock::now()).count();
            if (!view_.running || (left_s <= 0 && !state_.paused))
                return;
            bytes += terminal.wait(state_.paused ? options_.interval_s : left_s);
            read_keys(bytes);
            if (!is_dumb() && !write_stdout(drawn_over(screen())))
                return;
        }
        state_.quit = state_.quit || terminal.is_closed();
    }

    void read_keys(std::string &bytes)
    {
        const size_t columns = ranks_in_row(view_, state_, screen_size(options_));
        for (const TopKey key : take_keys(bytes))
            press_key(key, view_, columns, state_);
        if (bytes == "\033") {  // nothing came after it
            press_key(TopKey::back, view_, columns, state_);
            bytes.clear();
        }
    }

    const TopOptions &options_;
    std::string path_;
    ScreenStyle style_;
    std::optional<Report> before_;
    LiveView view_;
    TopState state_;
    std::optional<FileError> error_;
};

}  // namespace

int top_command(const TopOptions &options)
{
    const auto path = given_or_newest(options.path, "top");
    if (!path)
        return exit_unusable;
    Top top(options, *path);
    if (!top.look()) {
        say_error(top.error(), options.verbose);
        return exit_unusable;
    }
    if (isatty(STDOUT_FILENO) == 0)
        return write_stdout(top.text()) ? exit_fine : exit_unusable;
    if (options.once)
        return write_stdout(top.screen()) ? exit_fine : exit_unusable;
    return top.watch();
}

}  // namespace mprof
