// How a place in the program reads in tables and sentences, what a library does by its file name,
// and the figures of a file that follow from others.
#include "report/place_rows.h"

#include "report/number_text.h"
#include "report/report.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace mprof {
namespace {

std::string without_folders(const std::string &path)
{
    return path.substr(path.rfind('/') + 1);
}

// Without a source line a function says more than an offset.
std::string words_of(const std::string &place, bool has_line, const std::string &symbol)
{
    return has_line || symbol.empty() || symbol == jit_symbol
               ? place
               : fmt::format("{} ({})", without_arguments(symbol), place);
}

}  // namespace

std::string without_arguments(const std::string &symbol)
{
    size_t depth = 0;
    for (size_t at = symbol.rfind(')'); at != std::string::npos && at > 0; at--) {
        if (symbol[at] == ')')
            depth++;
        else if (symbol[at] == '(' && --depth == 0)
            return symbol.substr(0, at);
    }
    return symbol;
}

std::string nccl_api_name(const std::string &function, bool is_message)
{
    if (function.empty())
        return is_message ? "other NCCL messages" : "other NCCL collectives";
    return "nccl" + function;
}

bool Frame::is_jit() const
{
    return symbol == jit_symbol;
}

std::string Frame::place() const
{
    std::string where;
    if (!file.empty() && line != 0)
        where = fmt::format("{}:{}", file_name(), line);
    else if (offset != 0)
        where = module.empty() ? fmt::format("{:#x}", offset)
                               : fmt::format("{}+{:#x}", module_name(), offset);
    if (!is_jit())
        return where;
    return where.empty() ? symbol : fmt::format("{} called at {}", symbol, where);
}

std::string Frame::words() const
{
    return words_of(place(), !file.empty() && line != 0, symbol);
}

std::string CallLineRow::words() const
{
    return words_of(place, has_line, symbol);
}

std::string Frame::file_name() const
{
    return without_folders(file);
}

std::string Frame::module_name() const
{
    return without_folders(module);
}

bool Frame::is_of_system() const
{
    for (const char *folder : {"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"})
        if (module.starts_with(folder))
            return true;
    return false;
}

std::string Frame::function_words() const
{
    const bool waits = library_kind(module_name()) == LibraryKind::gpu;
    const std::string remark = waits ? text_of(LibraryKind::gpu) : "";
    if (symbol.empty())
        return waits ? fmt::format("{} ({})", module_name(), remark) : module_name();
    const std::string name = without_arguments(symbol);
    std::string where = line != 0 ? place() : module_name();
    if (waits)
        where += ", " + remark;
    return where.empty() ? name : fmt::format("{} ({})", name, where);
}

double ParallelRow::starting_s() const
{
    constexpr double start_s = 1e-4;  // of a region: its threads begin, and all have ended
    const double rest_s = time_s - mpi_s - busiest_s;
    return busy_s && threads > 1 ? std::clamp(rest_s, 0.0, start_s * static_cast<double>(regions))
                                 : 0;
}

double ParallelRow::in_turn_s() const
{
    const double rest_s = time_s - mpi_s - busiest_s;
    return busy_s && threads > 1 ? std::max(0.0, rest_s - starting_s()) : 0;
}

std::string HotPlaceRow::caller_words() const
{
    constexpr size_t most = 4;
    std::vector<std::string> names;
    for (const Frame &caller : path)
        names.push_back(caller.symbol.empty() ? caller.module_name()
                                              : without_arguments(caller.symbol));
    if (names.empty())
        return "";
    const bool cut = names.size() > most;
    names.resize(std::min(names.size(), most));
    return fmt::format("{}{} ({})", fmt::join(names, " < "), cut ? " < ..." : "",
                       percent_text(path_percent));
}

std::optional<uint64_t> PlainFileRow::mean_bytes() const
{
    return calls() == 0 ? std::nullopt : std::optional(bytes() / calls());
}

std::optional<double> PlainFileRow::rate() const
{
    return busy_s > 0 ? std::optional(static_cast<double>(bytes()) / busy_s) : std::nullopt;
}

std::optional<uint64_t> FileRow::mean_bytes() const
{
    return calls() == 0 ? std::nullopt : std::optional(bytes() / calls());
}

std::optional<double> FileRow::collective_percent() const
{
    if (calls() == 0)
        return {};
    return 100 * static_cast<double>(reads.collective_calls + writes.collective_calls) /
           static_cast<double>(calls());
}

std::optional<double> FileRow::rate() const
{
    return longest_move_s > 0 ? std::optional(static_cast<double>(bytes()) / longest_move_s)
                              : std::nullopt;
}

std::optional<double> FileRow::rank_rate() const
{
    return move_s() > 0 ? std::optional(static_cast<double>(bytes()) / move_s()) : std::nullopt;
}

namespace {

struct NamedKind {
    std::string_view begin;  // of the file name
    LibraryKind kind;
};

// The GPU's run-time libraries compute nothing on the CPU. They spin until the GPU is done.
constexpr NamedKind named_kinds[] = {
    {"libcuda.so", LibraryKind::gpu},
    {"libcudart.so", LibraryKind::gpu},
    {"libnccl.so", LibraryKind::gpu},
    {"libnccl-", LibraryKind::gpu},
    {"libamdhip64.so", LibraryKind::gpu},
    {"libhsa-runtime64.so", LibraryKind::gpu},
    {"librccl.so", LibraryKind::gpu},
    {"libze_intel_gpu.so", LibraryKind::gpu},
    {"libze_loader.so", LibraryKind::gpu},
    {"libOpenCL.so", LibraryKind::gpu},
    {"libblas", LibraryKind::linear_algebra},
    {"libcblas", LibraryKind::linear_algebra},
    {"liblapack", LibraryKind::linear_algebra},
    {"libopenblas", LibraryKind::linear_algebra},
    {"libscipy_openblas", LibraryKind::linear_algebra},
    {"libgoto", LibraryKind::linear_algebra},
    {"libblis", LibraryKind::linear_algebra},
    {"libflame", LibraryKind::linear_algebra},
    {"libatlas", LibraryKind::linear_algebra},
    {"libmkl_", LibraryKind::linear_algebra},
    {"libarmpl", LibraryKind::linear_algebra},
    {"libsci_", LibraryKind::linear_algebra},
    {"libessl", LibraryKind::linear_algebra},
    {"libscalapack", LibraryKind::linear_algebra},
    {"libelpa", LibraryKind::linear_algebra},
    {"libfftw", LibraryKind::fourier},
    {"libhdf5", LibraryKind::files},
    {"libnetcdf", LibraryKind::files},
    {"libpnetcdf", LibraryKind::files},
    {"libadios2", LibraryKind::files},
    {"libsilo", LibraryKind::files},
    {"libpython", LibraryKind::python},
    {"python3", LibraryKind::python},
};

}  // namespace

bool is_openmp_library(std::string_view path)
{
    const std::string_view name = path.substr(path.rfind('/') + 1);
    return name.starts_with("libgomp.") || name.starts_with("libomp.") ||
           name.starts_with("libiomp");
}

LibraryKind library_kind(std::string_view file_name)
{
    const auto *const at =
        std::find_if(std::begin(named_kinds), std::end(named_kinds),
                     [&](const NamedKind &row) { return file_name.starts_with(row.begin); });
    return at == std::end(named_kinds) ? LibraryKind::other : at->kind;
}

}  // namespace mprof
