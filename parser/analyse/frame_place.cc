// How a place in the program reads in tables and sentences.
#include "analyse/report.h"

#include <fmt/format.h>

namespace mprof {
namespace {

std::string without_folders(const std::string &path)
{
    return path.substr(path.rfind('/') + 1);
}

}  // namespace

std::string Frame::place() const
{
    if (!file.empty() && line != 0)
        return fmt::format("{}:{}", file_name(), line);
    if (offset == 0)
        return "";
    return module.empty() ? fmt::format("{:#x}", offset)
                          : fmt::format("{}+{:#x}", module_name(), offset);
}

std::string Frame::file_name() const
{
    return without_folders(file);
}

std::string Frame::module_name() const
{
    return without_folders(module);
}

}  // namespace mprof
