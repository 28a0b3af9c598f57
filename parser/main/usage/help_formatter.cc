// CLI11's own usage line names neither the command behind `run` nor what is optional. Its lists are
// as wide as the longest description, and name what a value is checked for behind its type.
#include "main/usage/help_formatter.h"

#include "render/text/text_line.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace mprof {
namespace {

constexpr size_t columns = 80, description_column = 26;

// "  name        description, folded under itself"; a long name has a line of its own.
std::string listed(const std::string &name, const std::string &description)
{
    std::string text = "  " + name;
    if (text.size() >= description_column)
        text += "\n";
    size_t used = text.ends_with('\n') ? 0 : text.size();
    for (const std::string &line : fold_words(description, columns - description_column)) {
        text += std::string(description_column - used, ' ') + line + "\n";
        used = 0;
    }
    return text;
}

}  // namespace

HelpFormatter::HelpFormatter(std::string usage) : usage_(std::move(usage)) {}

std::string HelpFormatter::make_usage(const CLI::App * /*app*/, std::string /*name*/) const
{
    return "Usage: " + usage_ + "\n";
}

std::string HelpFormatter::make_description(const CLI::App *app) const
{
    std::string text;
    for (const std::string &line : fold_words(app->get_description(), columns))
        text += line + "\n";
    return text;
}

std::string HelpFormatter::make_subcommand(const CLI::App *command) const
{
    return listed(command->get_name(), command->get_description());
}

std::string HelpFormatter::make_option(const CLI::Option *option, bool is_positional) const
{
    std::string name = make_option_name(option, is_positional);
    const std::string type = option->get_type_name();
    if (!is_positional && option->get_items_expected_max() > 0 && !type.empty())
        name += " " + type.substr(0, type.find(':'));
    return listed(name, option->get_description());
}

}  // namespace mprof
