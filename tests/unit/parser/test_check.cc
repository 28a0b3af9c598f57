// What mprof run --check concludes from names; tests/project/check.py tries it on real programs.
#include "check/find_program.h"
#include "check/loaded_objects.h"
#include "check/program_check.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>

namespace {

using namespace mprof;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(Trace, ListsPathsAndWhatIsMissing)
{
    const LoadedObjects objects = parse_trace("\tlinux-vdso.so.1 (0x00007f)\n"
                                              "\t/pre load/liba.so (0x00007f)\n"
                                              "\tlibmpi.so.40 => /x (0x1)/libmpi.so.40 (0x00007f)\n"
                                              "\tlibgone.so.1 => not found\n"
                                              "\t/lib64/ld-linux-x86-64.so.2 (0x00007f)");
    EXPECT_THAT(objects.paths, ElementsAre("/pre load/liba.so", "/x (0x1)/libmpi.so.40",
                                           "/lib64/ld-linux-x86-64.so.2"));
    EXPECT_THAT(objects.missing, ElementsAre("libgone.so.1"));
}

TEST(Trace, OnlyGlibcIsAsked)
{
    EXPECT_TRUE(is_glibc_linker("/lib64/ld-linux-x86-64.so.2"));
    EXPECT_TRUE(is_glibc_linker("/lib/ld-linux-aarch64.so.1"));
    EXPECT_TRUE(is_glibc_linker("/spack/glibc/lib/ld-linux-x86-64.so.2"));
    EXPECT_FALSE(is_glibc_linker("/lib/ld-musl-x86_64.so.1"));
    EXPECT_FALSE(is_glibc_linker("/bin/sh"));
    EXPECT_FALSE(ask_dynamic_linker("/nonexistent/program").asked);
}

TEST(NotCoveredBy, NamesExtensionsUnknownFunctionsAndPmpi)
{
    ElfObject library;
    library.exports = {"MPI_Init", "MPI_Send"};
    ElfObject mpi;
    mpi.path = "/lib/libmpi.so.40";
    mpi.imports = {"MPIX_Own"};
    ElfObject program;
    program.path = "/x/app";
    program.imports = {"MPIX_Ext", "MPI_New", "MPI_Send", "PMPI_Recv", "main"};
    ElfObject fortran;
    fortran.path = "/lib/libmpi_mpifh.so.40";
    fortran.needed = {"libmpi.so.40"};
    fortran.imports = {"PMPI_Send"};
    ElfObject cxx = fortran;
    cxx.path = "/lib/libmpi_cxx.so.40";
    ElfObject user = fortran;
    user.path = "/x/libuser.so";
    ElfObject other = user;
    other.needed = {"libc.so.6"};
    EXPECT_THAT(list_not_covered({program, mpi, fortran, cxx, user, other}, mpi, library),
                ElementsAre("MPIX_Ext (the program)", "MPI_New (the program)",
                            "PMPI_Recv (the program)", "PMPI_Send (libuser.so)"));
}

TEST(AbiFamily, IsToldByNames)
{
    ElfObject mpi;
    mpi.path = "/lib/libmpi.so.12";
    EXPECT_EQ(abi_family_of(mpi), "mpich");
    mpi.soname = "libmpi_abi.so.1";
    EXPECT_EQ(abi_family_of(mpi), "mpi5");
    mpi.soname = "libmpi.so.40";
    mpi.exports = {"ompi_mpi_comm_world"};
    EXPECT_EQ(abi_family_of(mpi), "openmpi");
}

TEST(ElfObjects, OthersAreRefused)
{
    EXPECT_FALSE(read_elf_object("/nonexistent").ok());
    EXPECT_FALSE(read_elf_object("/dev/null").ok());
    EXPECT_FALSE(read_elf_object("/").ok());
    EXPECT_TRUE(read_elf_object("/proc/self/exe").ok());
}

TEST(ElfObjects, DamagedOnesDoNoHarm)
{
    std::ifstream self("/bin/true", std::ios::binary);
    const std::string good((std::istreambuf_iterator<char>(self)),
                           std::istreambuf_iterator<char>());
    const std::string path = std::filesystem::temp_directory_path() / "mprof-test-damaged-elf";
    for (size_t step = 0; step < 400; step++) {
        std::string bytes = good;
        if (step % 2 == 0)
            bytes.resize(good.size() * step / 400);
        else
            for (size_t at = step; at < std::min<size_t>(bytes.size(), 2048); at += 37)
                bytes[at] = static_cast<char>(step * 31 + at);
        std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
        (void)read_elf_object(path);
    }
    std::filesystem::remove(path);
}

TEST(FindProgram, BehindLaunchersAndThroughScripts)
{
    const auto direct = find_behind_launchers({"sh", "-c", "true"});
    EXPECT_TRUE(direct.path.ends_with("/sh"));
    EXPECT_THAT(direct.launchers, IsEmpty());
    const auto behind = find_behind_launchers({"env", "-u", "NOTHING", "A=1", "/bin/sh", "true"});
    EXPECT_EQ(behind.path, "/bin/sh");
    EXPECT_THAT(behind.launchers, ElementsAre("env"));
    EXPECT_EQ(find_behind_launchers({"/nonexistent", "/bin/sh"}).path, "");
    EXPECT_EQ(find_behind_launchers({"env"}).path, "");
}

}  // namespace
