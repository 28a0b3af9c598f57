#include "report/program_name.h"

#include "read/printable_text.h"

#include <algorithm>
#include <array>

namespace mprof {
namespace {

// Also with a version: python3.11.
constexpr std::array interpreters = {"python", "pypy", "julia", "Rscript", "octave", "perl"};
// Their options whose value is the next word.
constexpr std::array options_with_value = {"-W", "-X", "-L", "-I"};

// Of the words behind the interpreter; "" if no script is named.
std::string script_of(const std::vector<std::string> &words, size_t first)
{
    const auto word_at = [&](size_t i) { return i < words.size() ? words[i] : ""; };
    for (size_t i = first; i < words.size(); i++) {
        const std::string &word = words[i];
        if (word == "-c" || word == "-e")
            return "";
        if (word == "-m") {
            // "-m mpi4py script.py" runs the script, too.
            const std::string module = word_at(i + 1);
            const std::string script = module == "mpi4py" ? script_of(words, i + 2) : "";
            return script.empty() ? module : script;
        }
        if (std::find(options_with_value.begin(), options_with_value.end(), word) !=
            options_with_value.end())
            i++;
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

std::string executable_name(const std::string &command)
{
    const std::vector<std::string> words = command_words(command);
    return words.empty() ? "" : without_folder(words[0]);
}

std::string program_name(const std::string &command)
{
    const std::string program = executable_name(command);
    const std::string script = is_interpreter(program) ? script_of(command_words(command), 1) : "";
    return script.empty() ? program : script;
}

std::string command_without_folder(const std::string &command)
{
    std::vector<std::string> words = command_words(command);
    if (!words.empty())
        words[0] = without_folder(words[0]);
    return command_of(words);
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
