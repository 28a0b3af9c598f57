// mprof list: the profiles below a folder, the newest first. What a row says comes from list/; here
// are the user's dates, the processes of this machine and the cache folder.
#include "list/profile_list.h"
#include "main/commands.h"
#include "main/profile/read_report.h"
#include "main/report_output.h"
#include "merge/work_on_all.h"
#include "read/file_bytes.h"
#include "render/renderers.h"
#include "report/number_text.h"

namespace mprof {
namespace {

// The words were checked with the other arguments.
ListWish wish_of(const ListOptions &options, int64_t now_s)
{
    ListWish wish;
    if (options.since)
        if (const auto date = parse_date(*options.since, now_s))
            wish.since_s = date->begin_s;
    if (options.until)
        if (const auto date = parse_date(*options.until, now_s))
            wish.until_s = date->end_s;
    wish.program = options.program;
    wish.limit = options.limit;
    return wish;
}

}  // namespace

int list_command(const ListOptions &options)
{
    const int64_t now_s = seconds_now();
    const auto list = [&] {
        const ProgressLine line("searching");
        return list_runs(options.path, wish_of(options, now_s),
                         {now_s, KeptVerdicts(cache_folder()), is_running_here});
    }();
    if (!list.ok()) {
        say_error(list.error(), options.verbose);
        return exit_unusable;
    }
    if (options.json_file)
        return Outputs({}).write(*options.json_file, render_list_json(list.value()))
                   ? exit_fine
                   : exit_unusable;
    const size_t width = options.width > 0 ? options.width : terminal_width();
    return write_stdout(render_list_text(list.value(), width)) ? exit_fine : exit_unusable;
}

}  // namespace mprof
