// The table of library names (library_kinds.h).
#include "report/library_kinds.h"

#include <algorithm>
#include <iterator>

namespace mprof {
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

LibraryKind library_kind(std::string_view file_name)
{
    const auto *const at =
        std::find_if(std::begin(named_kinds), std::end(named_kinds),
                     [&](const NamedKind &row) { return file_name.starts_with(row.begin); });
    return at == std::end(named_kinds) ? LibraryKind::other : at->kind;
}

}  // namespace mprof
