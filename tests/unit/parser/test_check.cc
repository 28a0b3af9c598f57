// What mprof run --check concludes from names. tests/project/check.py tries it on real programs.
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

TEST(NotCoveredBy, CallsOfOtherToolsAreNotTheProgramsOwn)
{
    ElfObject library;
    library.exports = {"MPI_Init", "MPI_Send"};
    ElfObject mpi;
    mpi.path = "/lib/libmpi.so.40";
    mpi.exports = {"MPI_Init", "MPI_Send", "PMPI_Init", "PMPI_Send"};
    ElfObject program;
    program.path = "/x/app";
    program.exports = {"MPI_Send"};
    program.imports = {"MPI_Init", "PMPI_Reduce", "PMPI_Send"};
    ElfObject tool;
    tool.path = "/x/libtool.so";
    tool.needed = {"libmpi.so.40"};
    tool.exports = {"MPI_Init"};
    tool.imports = {"PMPI_Gather", "PMPI_Init"};
    EXPECT_THAT(list_not_covered({program, tool, mpi}, mpi, library),
                ElementsAre("PMPI_Reduce (the program)"));
}

class Obstacles : public testing::Test {
protected:
    Obstacles()
    {
        library.machine = program.machine = 62;
        library.is_64_bit = program.is_64_bit = true;
        program.path = "/nonexistent/program";
        program.interpreter = "/lib64/ld-linux-x86-64.so.2";
    }
    ElfObject library, program;
};

TEST_F(Obstacles, NoneInAnOrdinaryProgram)
{
    EXPECT_FALSE(find_obstacle(program, library));
    program.interpreter = "";  // linked statically: nothing happens
    EXPECT_FALSE(find_obstacle(program, library));
}

TEST_F(Obstacles, OtherArchitecturesAndCLibrariesAreHarmed)
{
    program.machine = 3;
    program.is_64_bit = false;
    ASSERT_TRUE(find_obstacle(program, library));
    EXPECT_TRUE(find_obstacle(program, library)->does_harm);
    EXPECT_EQ(find_obstacle(program, library)->reason,
              "the program is for i386, libmprof.so for x86-64");
    program.interpreter = "";
    EXPECT_FALSE(find_obstacle(program, library)->does_harm);
    program.machine = 62;
    program.is_64_bit = true;
    program.interpreter = "/lib/ld-musl-x86_64.so.1";
    ASSERT_TRUE(find_obstacle(program, library));
    EXPECT_TRUE(find_obstacle(program, library)->does_harm);
}

TEST_F(Obstacles, OldSanitizersMustBeFirst)
{
    program.needed = {"libasan.so.4", "libmpi.so.40"};
    ASSERT_TRUE(find_obstacle(program, library));
    EXPECT_TRUE(find_obstacle(program, library)->does_harm);
    program.needed = {"libasan.so.8", "libmpi.so.40"};
    EXPECT_FALSE(find_obstacle(program, library));
}

TEST_F(Obstacles, OptionsOfASanitizerAreAddedForAProgramWithItsOwn)
{
    EXPECT_EQ(sanitizer_options(program, ""), "");
    program.needed = {"libasan.so.8"};
    EXPECT_EQ(sanitizer_options(program, ""), "");
    program.exports = {"__asan_default_options"};
    EXPECT_EQ(sanitizer_options(program, ""), "verify_asan_link_order=0");
    EXPECT_EQ(sanitizer_options(program, "a=1"), ":verify_asan_link_order=0");
    EXPECT_EQ(sanitizer_options(program, "verify_asan_link_order=1"), "");
}

TEST_F(Obstacles, AnMpiInTheProgramIsBareWithoutOurTrampolines)
{
    EXPECT_FALSE(contains_bare_mpi(program));
    program.static_marks = {"MPI_Init", "PMPI_Init"};
    EXPECT_TRUE(contains_bare_mpi(program));
    program.static_marks = {"MPI_Init", "PMPI_Init", "mpi_slots"};
    EXPECT_FALSE(contains_bare_mpi(program));
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

// The program's folder is /opt/mprof, HOME /home/user.
std::optional<std::string> advice(const std::vector<std::string> &command,
                                  const std::string &binds = "")
{
    return container_advice(command, "/opt/mprof", [&](const char *name) -> std::string {
        const std::string_view variable = name;
        return variable == "APPTAINER_BIND" ? binds : variable == "HOME" ? "/home/user" : "";
    });
}

TEST(Containers, AFolderThatIsNotBoundIsSaid)
{
    using testing::HasSubstr;
    const std::vector<std::string> plain = {"mpirun", "-n", "2", "apptainer", "exec", "a", "app"};
    ASSERT_TRUE(advice(plain));
    EXPECT_THAT(*advice(plain), HasSubstr("apptainer exec --bind /opt/mprof IMAGE"));
    EXPECT_TRUE(advice(plain, "/optical,/opt/mprof:/mprof"));
    EXPECT_FALSE(advice(plain, "/scratch,/opt:/opt:ro"));
    EXPECT_FALSE(advice({"singularity", "exec", "--bind", "/opt/mprof", "a", "app"}));
    EXPECT_FALSE(advice({"singularity", "exec", "--bind=/opt/mprof", "a", "app"}));
    EXPECT_FALSE(advice({"apptainer", "exec", "a", "/opt/mprof/bin/mprof", "run", "app"}));
    EXPECT_FALSE(advice({"mpirun", "-n", "2", "./app", "docker.txt"}));
}

TEST(Containers, HomeIsBoundUnlessContained)
{
    const auto at_home = [](const std::vector<std::string> &command) {
        return container_advice(command, "/home/user/mprof", [](const char *name) -> std::string {
            return std::string_view(name) == "HOME" ? "/home/user" : "";
        });
    };
    EXPECT_FALSE(at_home({"apptainer", "exec", "a", "app"}));
    EXPECT_TRUE(at_home({"apptainer", "exec", "--containall", "a", "app"}));
}

TEST(Containers, WithoutEnvironmentMprofBelongsInside)
{
    const auto said = advice({"podman", "run", "-v", "/opt/mprof:/opt/mprof", "a", "app"});
    ASSERT_TRUE(said);
    EXPECT_THAT(*said, testing::HasSubstr("IMAGE /opt/mprof/bin/mprof run ./app"));
}

}  // namespace
