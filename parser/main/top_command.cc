// mprof top: a view of a running job that is drawn anew every few seconds; If the output is not a
// terminal, it is one view. It ends when the job does, or by Ctrl-C.
#include "analyse/live_view.h"
#include "main/commands.h"
#include "main/newest_profile.h"
#include "main/observe_run.h"
#include "main/report_output.h"
#include "merge/folder_reader.h"
#include "render/text/render_top.h"

#include <chrono>
#include <sys/ioctl.h>
#include <thread>
#include <unistd.h>

namespace mprof {
namespace {

constexpr const char *clear_screen = "\033[H\033[J";  // to the upper left, and clear from there

size_t terminal_height()
{
    winsize size = {};
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row : 40;
}

}  // namespace

int top_command(const TopOptions &options)
{
    const bool live = !options.once && isatty(STDOUT_FILENO) != 0;
    const auto path = given_or_newest(options.path, "top");
    std::optional<Report> before;
    if (!path)
        return exit_unusable;
    for (;;) {
        const auto profile = read_profile(*path, false, options.world);
        if (!profile.ok()) {
            say_error(profile.error(), options.verbose);
            return exit_unusable;
        }
        Report now =
            analyse_profile(profile.value(), options.symbols, observe_run(profile.value()));
        const size_t width = options.width > 0 ? options.width : terminal_width();
        const std::string view = render_top(make_live_view(now, before), width, terminal_height());
        if (!write_stdout((live ? clear_screen : "") + view))
            return exit_unusable;
        if (!live || !now.standing.running)
            return exit_fine;
        before = std::move(now);
        std::this_thread::sleep_for(std::chrono::duration<double>(options.interval_s));
    }
}

}  // namespace mprof
