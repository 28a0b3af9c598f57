// The module that belongs to this program is used, if it is there: in the build tree or in the
// installation. Else the one that Python knows, as pip installs it. Python gets a few lines instead
// of `-m`, so that what is missing can be said in plain words, also by a Python that is too old to
// read the module.
#include "main/python_module.h"

#include "main/commands.h"
#include "main/report_output.h"
#include "read/printable_text.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

namespace mprof {
namespace {

namespace fs = std::filesystem;

// Their arguments: the folder of the module, or nothing; what needs it; the module; its arguments.
// Files of the working folder are not imported: they may be anybody's.
constexpr const char *first_lines = R"(import sys
folder, purpose, module = sys.argv[1:4]
sys.path[:1] = [folder] if folder else []
def fail(text):
    sys.stderr.write("mprof: " + purpose + text + "\n")
    sys.exit(2)
if sys.version_info < (3, 9):
    fail(" needs Python 3.9 or later, and %s is %d.%d: set MPIPROF_PYTHON to the path of "
         "a newer one" % (sys.executable, sys.version_info[0], sys.version_info[1]))
try:
    import importlib
    main = importlib.import_module(module).main
except ImportError as error:
    fail(" needs the Python module mpiprof, which %s cannot load (%s): it comes with "
         "mprof as share/mprof/python, or: %s -m pip install SOURCE/python"
         % (sys.executable, error, sys.executable))
sys.exit(main(sys.argv[4:]))
)";

fs::path own_path()
{
    std::error_code error;
    return fs::read_symlink("/proc/self/exe", error);
}

// "" if it is not beside this program.
std::string module_folder(const fs::path &program)
{
    for (const char *folder : {"../share/mprof/python", "../../python"}) {
        const fs::path path = (program.parent_path() / folder).lexically_normal();
        if (access((path / "mpiprof" / "__main__.py").c_str(), R_OK) == 0)
            return path.native();
    }
    return "";
}

std::string python_name()
{
    const char *chosen = std::getenv("MPIPROF_PYTHON");
    return chosen == nullptr || *chosen == '\0' ? "python3" : chosen;
}

}  // namespace

int become_python_module(const std::string &purpose, const std::string &module,
                         const std::vector<std::string> &arguments)
{
    const fs::path program = own_path();
    const std::string python = python_name();
    std::vector<std::string> words = {python,  "-c",  first_lines, module_folder(program),
                                      purpose, module};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char *> pointers;
    for (std::string &word : words)
        pointers.push_back(word.data());
    pointers.push_back(nullptr);
    // The module asks this program for the reports.
    setenv("MPIPROF_MPROF", program.c_str(), 1);
    execvp(pointers.front(), pointers.data());
    say(fmt::format("{} needs Python 3.9 or later, and {} cannot be started: {}. "
                    "Install python3, or set MPIPROF_PYTHON to the path of one",
                    purpose, printable_text(python), std::strerror(errno)));
    return exit_unusable;
}

// mprof mcp: the module answers an assistant, which started this process.
int mcp_command(const McpOptions &options)
{
    std::vector<std::string> words;
    if (options.lines)
        words.emplace_back("--lines");
    words.emplace_back("--");
    words.push_back(options.folder);
    return become_python_module("mprof mcp", "mpiprof.mcp", words);
}

}  // namespace mprof
