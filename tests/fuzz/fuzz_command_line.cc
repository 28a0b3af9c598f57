// libFuzzer target: command lines, one word per line of the input. The commands themselves do
// nothing here.
#include "main/commands.h"
#include "main/run/child_process.h"

#include <cstdint>
#include <string>
#include <vector>

int mprof_main(int argc, char **argv);  // main() of main.cc, renamed in CMakeLists.txt

namespace mprof {

int run_command(const RunOptions & /*options*/)
{
    return exit_fine;
}
int check_run_command(const std::vector<std::string> & /*command*/)
{
    return exit_fine;
}
int report_command(const ReportOptions & /*options*/)
{
    return exit_fine;
}
int diff_results_command(const DiffOptions & /*options*/)
{
    return 0;
}
int diff_command(const DiffOptions & /*options*/)
{
    return exit_fine;
}
int hang_command(const HangOptions & /*options*/)
{
    return exit_fine;
}
int top_command(const TopOptions & /*options*/)
{
    return exit_fine;
}
int scrub_command(const ScrubOptions & /*options*/)
{
    return exit_fine;
}
int trace_command(const TraceOptions & /*given*/)
{
    return exit_fine;
}
int place_command(const PlaceOptions & /*options*/)
{
    return exit_fine;
}
int tune_command(const TuneOptions & /*options*/)
{
    return exit_fine;
}
int machine_command(const MachineOptions & /*options*/)
{
    return exit_fine;
}
int scale_command(const ScaleOptions & /*options*/)
{
    return exit_fine;
}
int run_sizes(const RunOptions & /*options*/)
{
    return exit_fine;
}
int export_command(const ExportOptions & /*options*/)
{
    return exit_fine;
}
int archive_command(const ArchiveOptions & /*options*/)
{
    return exit_fine;
}
int mcp_command(const McpOptions & /*options*/)
{
    return exit_fine;
}
int list_command(const ListOptions & /*options*/)
{
    return exit_fine;
}
int lint_command(const LintOptions & /*options*/)
{
    return exit_fine;
}
int merge_command(const MergeOptions & /*options*/)
{
    return exit_fine;
}

}  // namespace mprof

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    std::vector<std::string> words = {"mprof", ""};
    for (size_t i = 0; i < size && words.size() < 100; i++)
        if (data[i] == '\n' || data[i] == '\0')
            words.emplace_back();
        else
            words.back() += static_cast<char>(data[i]);
    std::vector<char *> arguments;
    for (std::string &word : words)
        arguments.push_back(word.data());
    arguments.push_back(nullptr);
    mprof_main(static_cast<int>(words.size()), arguments.data());
    return 0;
}
