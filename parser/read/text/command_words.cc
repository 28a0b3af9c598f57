#include "read/text/command_words.h"

#include <algorithm>
#include <cctype>

namespace mprof {

std::vector<std::string> command_words(std::string_view command)
{
    std::vector<std::string> words;
    bool is_quoted = false, is_in_word = false;
    for (size_t i = 0; i < command.size(); i++) {
        const char c = command[i];
        if (c == ' ' && !is_quoted) {
            is_in_word = false;
            continue;
        }
        if (!is_in_word)
            words.emplace_back();
        is_in_word = true;
        if (c == '\'')
            is_quoted = !is_quoted;
        else if (c == '\\' && !is_quoted && i + 1 < command.size())
            words.back() += command[++i];
        else
            words.back() += c;
    }
    return words;
}

std::string quoted_word(const std::string &word)
{
    const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
               std::string_view("_./-+=:,@%").find(c) != std::string_view::npos;
    });
    if (plain)
        return word;
    std::string quoted = "'";
    for (const char c : word)
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

std::string command_of(const std::vector<std::string> &words)
{
    std::string command;
    for (const std::string &word : words)
        command += (command.empty() ? "" : " ") + quoted_word(word);
    return command;
}

std::string without_folder(const std::string &path)
{
    return path.substr(path.rfind('/') + 1);
}

}  // namespace mprof
