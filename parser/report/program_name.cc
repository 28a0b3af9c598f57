#include "report/program_name.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace mprof {
namespace {

// Also with a version: python3.11.
constexpr std::array interpreters = {"python", "pypy", "julia", "Rscript", "octave", "perl"};
// Their options whose value is the next word.
constexpr std::array options_with_value = {"-W", "-X", "-L", "-I"};

std::string without_folder(const std::string &path)
{
    return path.substr(path.rfind('/') + 1);
}

// Takes the next word off `rest`.
std::string next_word(std::string_view &rest)
{
    const size_t end = std::min(rest.find(' '), rest.size());
    std::string word(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return word;
}

// "" if no script is named.
std::string script_of(std::string_view rest)
{
    while (!rest.empty()) {
        const std::string word = next_word(rest);
        if (word == "-c" || word == "-e")
            return "";
        if (word == "-m") {
            // "-m mpi4py script.py" runs the script, too.
            const std::string module = next_word(rest);
            const std::string script = module == "mpi4py" ? script_of(rest) : "";
            return script.empty() ? module : script;
        }
        if (std::find(options_with_value.begin(), options_with_value.end(), word) !=
            options_with_value.end())
            next_word(rest);
        else if (!word.empty() && word[0] != '-')
            return without_folder(word);
    }
    return "";
}

}  // namespace

bool is_interpreter(const std::string &name)
{
    return std::any_of(interpreters.begin(), interpreters.end(), [&](const std::string &known) {
        return name.starts_with(known) &&
               name.find_first_not_of("0123456789.", known.size()) == std::string::npos;
    });
}

std::string program_name(const std::string &command)
{
    std::string_view rest = command;
    const std::string program = without_folder(next_word(rest));
    const std::string script = is_interpreter(program) ? script_of(rest) : "";
    return script.empty() ? program : script;
}

const ProgramRow *program_of_rank(const Report &report, uint32_t rank)
{
    for (const ProgramRow &row : report.programs)
        for (const MissingRanks &range : row.where)
            if (rank >= range.first && rank <= range.last)
                return &row;
    return nullptr;
}

}  // namespace mprof
