// mprof machine: what the machine can do, measured behind a launcher, or read from files.
#include "machine/read_machine.h"
#include "main/commands.h"
#include "main/machine/measure_machine.h"
#include "main/report_output.h"
#include "render/render_machine.h"

namespace mprof {

int machine_command(const MachineOptions &options)
{
    std::optional<MachineFigures> figures;
    if (options.files.empty()) {
        figures =
            measure_machine({options.launcher, options.library, options.seconds, options.verbose});
    } else if (auto read = read_machine(options.files, options.ranks); read.ok()) {
        figures = std::move(read.value());
    } else {
        say_error(read.error(), options.verbose);
    }
    if (!figures)
        return exit_unusable;
    if (figures->version.empty())
        figures->version = MPROF_VERSION;
    Outputs outputs(options.files);
    for (const auto &file : {options.output_file, options.json_file})
        if (file && !outputs.write(*file, render_machine_json(*figures)))
            return exit_unusable;
    if (options.output_file == "-" || options.json_file == "-")
        return exit_fine;
    const size_t width = options.width > 0 ? options.width : terminal_width();
    return write_stdout(render_machine_text(*figures, width)) ? exit_fine : exit_unusable;
}

}  // namespace mprof
