// Where libmprof.so is, and the environment variables with which ld.so preloads it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mprof {

// The path to preload: MPROF_LIBRARY, else beside this executable, so that a moved installation
// works; "" after a message.
std::string find_preload_library();

// The value of LD_PRELOAD: `library` first, what was in `before` behind it; a libmprof.so that is
// there already is not there twice.
std::string preload_list(std::string_view library, std::string_view before);

struct PreloadVariables {
    std::string preload;                      // LD_PRELOAD
    std::optional<std::string> library_path;  // LD_LIBRARY_PATH, if it has to change
};

// Whether ld.so puts something else for a part of the path ($LIB, ${ORIGIN}, $PLATFORM). It knows
// no way to quote the "$".
bool is_expanded_by_linker(std::string_view path);

// For the library at this path, given what the two variables hold. A path with a space cannot be in
// LD_PRELOAD: then its folder goes into LD_LIBRARY_PATH. Nothing if ld.so has no way to be told
// this path (a colon in it, or what it expands).
std::optional<PreloadVariables> preload_variables(std::string_view library,
                                                  std::string_view preload_before,
                                                  std::string_view library_path_before);

}  // namespace mprof
