// How --help looks: at most 80 columns, the descriptions below each other. Any thread.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace mprof {

class HelpFormatter : public CLI::Formatter {
public:
    explicit HelpFormatter(std::string usage);  // without "Usage: "

    std::string make_usage(const CLI::App *app, std::string name) const override;
    std::string make_description(const CLI::App *app) const override;
    std::string make_subcommand(const CLI::App *command) const override;
    std::string make_option(const CLI::Option *option, bool is_positional) const override;

private:
    std::string usage_;
};

}  // namespace mprof
