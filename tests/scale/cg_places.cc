// The functions below are never called. Their addresses stand for calls in them. Each differs from
// the others, or the compiler would make them one.
#include "cg_places.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <elf.h>
#include <filesystem>
#include <link.h>
#include <span>

namespace cg {
namespace {

volatile int line;

#define PLACE(name)               \
    [[gnu::noinline]] void name() \
    {                             \
        line = __LINE__;          \
    }
PLACE(run)
PLACE(start_mpi)
PLACE(setup)
PLACE(split_rows)
PLACE(broadcast_input)
PLACE(conj_grad)
PLACE(halo_exchange)
PLACE(post_receives)
PLACE(post_sends)
PLACE(finish_halo)
PLACE(dot_product)
PLACE(sum_over_ranks)
PLACE(residual_norm)
PLACE(apply_preconditioner)
PLACE(gather_row)
PLACE(transpose_grid)
PLACE(send_block)
PLACE(receive_block)
PLACE(write_checkpoint)
PLACE(before_checkpoint)
PLACE(write_all)
PLACE(total_time)
PLACE(stop_mpi)
#undef PLACE

}  // namespace
}  // namespace cg

namespace mprof_test {
namespace {

struct Site {
    void (*function)();
    CgSite parent;
};

constexpr std::array<Site, site_count> sites = {{
    {nullptr, site_none},
    {cg::run, site_none},
    {cg::start_mpi, site_main},
    {cg::setup, site_main},
    {cg::split_rows, site_setup},
    {cg::broadcast_input, site_setup},
    {cg::conj_grad, site_main},
    {cg::halo_exchange, site_solve},
    {cg::post_receives, site_halo},
    {cg::post_sends, site_halo},
    {cg::finish_halo, site_halo},
    {cg::dot_product, site_solve},
    {cg::sum_over_ranks, site_dot},
    {cg::residual_norm, site_solve},
    {cg::apply_preconditioner, site_solve},
    {cg::gather_row, site_precond},
    {cg::transpose_grid, site_solve},
    {cg::send_block, site_transpose},
    {cg::receive_block, site_transpose},
    {cg::write_checkpoint, site_main},
    {cg::before_checkpoint, site_write},
    {cg::write_all, site_write},
    {cg::total_time, site_main},
    {cg::stop_mpi, site_main},
}};

struct Executable {
    uintptr_t base = 0;
    std::span<const uint8_t> build_id;
};

void find_build_id(const char *notes, size_t bytes, Executable &found)
{
    const auto padded = [](size_t length) { return (length + 3) / 4 * 4; };
    for (size_t at = 0; at + sizeof(ElfW(Nhdr)) <= bytes;) {
        ElfW(Nhdr) note;
        std::memcpy(&note, notes + at, sizeof note);
        const char *name = notes + at + sizeof note;
        const char *content = name + padded(note.n_namesz);
        if (note.n_type == NT_GNU_BUILD_ID && std::strcmp(name, "GNU") == 0)
            found.build_id = {reinterpret_cast<const uint8_t *>(content), note.n_descsz};
        at += sizeof note + padded(note.n_namesz) + padded(note.n_descsz);
    }
}

int note_executable(dl_phdr_info *object, size_t /*bytes*/, void *into)
{
    auto &found = *static_cast<Executable *>(into);
    found.base = object->dlpi_addr;
    for (const ElfW(Phdr) & part : std::span(object->dlpi_phdr, object->dlpi_phnum))
        if (part.p_type == PT_NOTE)
            find_build_id(reinterpret_cast<const char *>(found.base + part.p_vaddr), part.p_memsz,
                          found);
    return 1;  // the first object is the executable
}

Executable own_executable()
{
    Executable found;
    dl_iterate_phdr(note_executable, &found);
    return found;
}

}  // namespace

std::vector<mprof_callsite> cg_callsites()
{
    const Executable self = own_executable();
    std::vector<mprof_callsite> callsites(sites.size());
    for (size_t slot = 1; slot < sites.size(); slot++) {
        callsites[slot].flags = MPROF_CALLSITE_IN_USE;
        callsites[slot].parent = sites[slot].parent;
        callsites[slot].module = 1;
        callsites[slot].offset = reinterpret_cast<uintptr_t>(sites[slot].function) - self.base + 1;
    }
    return callsites;
}

std::vector<mprof_module> cg_modules()
{
    const Executable self = own_executable();
    std::vector<mprof_module> modules(2);
    mprof_module &module = modules[1];
    module.flags = MPROF_MODULE_IN_USE;
    std::filesystem::read_symlink("/proc/self/exe")
        .native()
        .copy(module.path, sizeof module.path - 1);
    module.build_id_bytes =
        static_cast<uint32_t>(std::min<size_t>(self.build_id.size(), MPROF_BUILD_ID_BYTES));
    std::memcpy(module.build_id, self.build_id.data(), module.build_id_bytes);
    return modules;
}

}  // namespace mprof_test
