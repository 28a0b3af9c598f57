// mprof run --check: prints what check/ found out.
#include "check/program_check.h"
#include "main/commands.h"
#include "main/preload_library.h"
#include "read/printable_text.h"

#include <fmt/format.h>

namespace mprof {

int check_run_command(const std::vector<std::string> &command)
{
    const std::string library = find_preload_library();
    if (library.empty())
        return exit_unusable;
    const ProgramCheck check = check_command(command, library);
    for (const auto &[name, value] : check.facts)
        fmt::print("{:10}: {}\n", name, printable_ascii(value));
    for (const std::string &sentence : check.conclusions)
        fmt::print("{}\n", printable_ascii(sentence));
    return static_cast<int>(check.outcome);
}

}  // namespace mprof
