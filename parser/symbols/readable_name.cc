// GCC and Clang name the copies of a function that they make: the name, a dot, why, a dot, a
// number.
#include "symbols/module_symbols.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>

namespace mprof {
namespace {

// No compiler makes longer names, and demangling could make them huge.
constexpr size_t longest_name = 16384;

bool is_number(std::string_view text)
{
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Removes the last ".part" that marks a copy; false if there is none.
bool drop_clone_suffix(std::string_view &name, bool &parallel)
{
    static constexpr std::array<std::string_view, 13> kinds = {
        "isra", "part", "cold",    "constprop",  "lto_priv",     "localalias", "clone",
        "llvm", "warm", "_omp_fn", "_omp_cpyfn", "omp_outlined", "specialized"};
    const size_t dot = name.rfind('.');
    if (dot == std::string_view::npos || dot == 0)
        return false;
    const std::string_view last = name.substr(dot + 1);
    const bool known = std::find(kinds.begin(), kinds.end(), last) != kinds.end();
    if (!known && !is_number(last))
        return false;
    parallel = parallel || last == "_omp_fn" || last == "omp_outlined";
    name.remove_suffix(name.size() - dot);
    return true;
}

std::string demangled(const std::string &name)
{
    int status = 0;
    const std::unique_ptr<char, void (*)(void *)> text(
        abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
    return status == 0 && text ? text.get() : name;
}

// "__grid_MOD_exchange" of gfortran; other compilers' names could as well be a procedure's own.
std::string fortran_name(std::string_view name)
{
    constexpr std::string_view separator = "_MOD_";
    const size_t end = name.find(separator);
    if (!name.starts_with("__") || end == std::string_view::npos)
        return std::string(name);
    return std::string(name.substr(2, end - 2)) +
           "::" + std::string(name.substr(end + separator.size()));
}

}  // namespace

std::string readable_name(std::string_view linker_name)
{
    std::string_view name = linker_name.substr(0, longest_name);
    bool parallel = false;
    while (drop_clone_suffix(name, parallel)) {
    }
    if (name == ".omp_outlined")  // Clang before version 17 names no function
        return "[OpenMP]";
    std::string text = name.starts_with("_Z") ? demangled(std::string(name)) : fortran_name(name);
    return parallel ? text + " [OpenMP]" : text;
}

}  // namespace mprof
