// What is wrong with the profile, the command says when it copies the files.
#include "main/profile/profile_names.h"

#include "merge/folder_reader.h"
#include "merge/work_on_all.h"

namespace mprof {

std::vector<std::byte> names_of_profile(const std::string &path, const SymbolOptions &symbols,
                                        LinesKept lines)
{
    const auto profile = read_profile(path, true);
    if (!profile.ok())
        return {};
    const ProgressLine line("looking up names");
    return names_of_places(profile.value(), symbols, lines);
}

}  // namespace mprof
