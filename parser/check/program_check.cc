// The questions in their order: is there a program, can anything be preloaded into it, does it
// contain its MPI, which MPI is it linked with, what does it import that libmprof does not cover?
// The first "no" ends the check.
#include "check/program_check.h"

#include "check/find_program.h"
#include "check/loaded_objects.h"
#include "check/obstacles.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <set>

namespace mprof {
namespace {

namespace fs = std::filesystem;

struct Case {
    FoundProgram program;
    ElfObject executable;
    ElfObject library;
    std::vector<ElfObject> objects;  // the executable, then what is loaded with it
    ProgramCheck check;

    void fact(const char *name, const std::string &value) { check.facts.emplace_back(name, value); }
    void conclude(CheckOutcome outcome, const std::string &sentence)
    {
        check.outcome = std::max(check.outcome, outcome);
        check.conclusions.push_back(sentence);
    }
};

std::string base_name(const std::string &path)
{
    return path.substr(path.find_last_of('/') + 1);  // npos + 1 = 0
}

std::string quoted(const std::string &path)
{
    return path.find_first_of(" '\"$`\\") == std::string::npos ? path : "'" + path + "'";
}

// libmprof/interpose/fortran_got.c has the same list.
bool is_fortran_library(const std::string &path)
{
    const std::string name = base_name(path);
    const auto prefixes = {"libmpi_mpifh", "libmpi_usempi", "libmpichfort", "libmpichf90",
                           "libmpifort"};
    return std::any_of(prefixes.begin(), prefixes.end(),
                       [&](const char *prefix) { return name.starts_with(prefix); });
}

// The MPI's C++ bindings: MPICH's make one PMPI call to initialise, which is not the program's.
bool is_cxx_library(const std::string &path)
{
    const std::string name = base_name(path);
    return name.starts_with("libmpichcxx") || name.starts_with("libmpicxx") ||
           name.starts_with("libmpi_cxx");
}

bool is_c_library(const std::string &path)
{
    const std::string name = base_name(path);
    const auto prefixes = {"libc.so", "libdl.so", "libpthread.so", "ld-linux", "ld64.so", "ld.so"};
    return std::any_of(prefixes.begin(), prefixes.end(),
                       [&](const char *prefix) { return name.starts_with(prefix); });
}

bool any_imports(const std::vector<ElfObject> &objects, std::initializer_list<const char *> names)
{
    return std::any_of(objects.begin(), objects.end(), [&](const ElfObject &object) {
        return !is_c_library(object.path) &&
               std::any_of(names.begin(), names.end(),
                           [&](const char *name) { return object.imports_name(name); });
    });
}

// ---- can anything be preloaded? ----------------------------------------------------------------

bool preloads(Case &facts)
{
    const auto obstacle = find_obstacle(facts.executable, facts.library);
    if (obstacle)
        facts.conclude(CheckOutcome::nothing,
                       fmt::format("Cannot be profiled: {}.", obstacle->reason));
    return !obstacle;
}

// ---- does it contain its MPI? ------------------------------------------------------------------

void advise_link(Case &facts)
{
    if (facts.executable.has_mark("ompi_mpi_comm_world")) {
        facts.conclude(CheckOutcome::nothing,
                       "libmprof.a works with MPIs of MPICH's ABI only: link the program with the "
                       "shared library of Open MPI (libmpi.so).");
        return;
    }
    const fs::path archive = fs::path(facts.library.path).parent_path() / "libmprof.a";
    std::error_code error;
    const std::string path = fs::exists(archive, error) ? archive.native() : "libmprof.a";
    facts.conclude(CheckOutcome::nothing,
                   "Link it with the MPI's shared library, or once more with libmprof.a before "
                   "the MPI's archive, and run it as usual:");
    facts.conclude(
        CheckOutcome::nothing,
        fmt::format("  cc -pthread -o PROGRAM OBJECTS {} LIBMPICH.a ITS_LIBRARIES", quoted(path)));
}

// True if that settles it.
bool contains_mpi(Case &facts, bool mpi_is_loaded)
{
    const ElfObject &executable = facts.executable;
    const bool contains =
        executable.has_mark("PMPI_Init") || (executable.has_mark("MPI_Init") && !mpi_is_loaded);
    if (contains && executable.has_mark("mpi_slots")) {
        facts.fact("MPI", "in the program (linked statically, with libmprof.a)");
        facts.conclude(CheckOutcome::everything, "Will be profiled: libmprof.a is in the program, "
                                                 "which needs no mprof run.");
        return true;
    }
    if (contains) {
        facts.fact("MPI", "in the program (linked statically)");
        facts.conclude(CheckOutcome::nothing, "Cannot be profiled as it is: its MPI functions are "
                                              "in the program itself, where nothing can be put "
                                              "before them.");
        advise_link(facts);
        return true;
    }
    if (!executable.interpreter.empty())
        return false;
    facts.fact("MPI", "none found");
    facts.conclude(CheckOutcome::nothing,
                   "Cannot be profiled: the program is linked statically, so nothing can be "
                   "preloaded, and it shows no MPI function (it may have been stripped).");
    return true;
}

// ---- which MPI? --------------------------------------------------------------------------------

// False if the program would not even start.
bool read_libraries(Case &facts)
{
    if (facts.executable.interpreter.empty())
        return true;
    const LoadedObjects loaded = ask_dynamic_linker(facts.executable.path);
    if (!loaded.asked) {
        facts.conclude(CheckOutcome::nothing,
                       fmt::format("Its libraries cannot be found out: {}.", loaded.failure));
        return false;
    }
    for (const std::string &name : loaded.missing)
        facts.fact("not found", name);
    for (const std::string &path : loaded.paths) {
        auto object = read_elf_object(path);
        if (object.ok() && base_name(path) != "libmprof.so")
            facts.objects.push_back(std::move(object.value()));
    }
    if (loaded.missing.empty())
        return true;
    facts.conclude(CheckOutcome::nothing,
                   "The program does not start here: the dynamic linker does not find a library. "
                   "Load the environment module of its MPI, or set LD_LIBRARY_PATH.");
    return false;
}

std::vector<const ElfObject *> find_mpis(const Case &facts)
{
    std::vector<const ElfObject *> mpis;
    for (const ElfObject &object : facts.objects)
        if (object.path != facts.executable.path && object.exports_name("PMPI_Init"))
            mpis.push_back(&object);
    return mpis;
}

void conclude_without_mpi(Case &facts)
{
    facts.fact("MPI", "none is linked");
    if (!facts.program.script.empty())
        facts.conclude(CheckOutcome::partly,
                       "A script: its MPI is found when it is loaded (Python: at import).");
    else if (any_imports(facts.objects, {"dlopen"}))
        facts.conclude(CheckOutcome::partly,
                       "The program can load libraries while it runs: an MPI is found when it is "
                       "loaded (Python: at import).");
    else if (any_imports(facts.objects, {"execve", "execv", "execvp", "execvpe", "execl", "execlp",
                                         "posix_spawn", "posix_spawnp"}))
        facts.conclude(CheckOutcome::partly,
                       "The program uses no MPI, but can start others: those are profiled if they "
                       "use MPI. Check them.");
    else
        facts.conclude(CheckOutcome::nothing,
                       "There is nothing to profile: the program uses no MPI and loads none.");
}

// Another tool: it defines functions of MPI and is not the MPI.
bool is_tool(const ElfObject &object, const ElfObject &mpi)
{
    return object.path != mpi.path && !object.exports_name("PMPI_Init") &&
           std::any_of(object.exports.begin(), object.exports.end(), [&](const std::string &name) {
               return name.starts_with("MPI_") && mpi.exports_name("P" + name);
           });
}

void name_tools(Case &facts, const ElfObject &mpi)
{
    for (const ElfObject &object : facts.objects)
        if (is_tool(object, mpi))
            facts.fact("tool", object.path);
}

// There is no rank file unless libmprof sees the program begin MPI. Fortran begins MPI in the MPI's
// library.
bool begins_unseen(const Case &facts, const ElfObject &mpi)
{
    std::vector<ElfObject> others;
    bool fortran = false;
    for (const ElfObject &object : facts.objects) {
        fortran = fortran || is_fortran_library(object.path);
        if (object.path != mpi.path && !is_tool(object, mpi) && !is_cxx_library(object.path) &&
            !is_fortran_library(object.path))
            others.push_back(object);
    }
    return !fortran && any_imports(others, {"PMPI_Init", "PMPI_Init_thread"}) &&
           !any_imports(others, {"MPI_Init", "MPI_Init_thread", "MPI_Session_init"});
}

void conclude_with(Case &facts, const std::vector<const ElfObject *> &mpis)
{
    const ElfObject &mpi = *mpis.front();
    facts.fact("MPI", mpi.path);
    facts.fact("soname", mpi.soname.empty() ? "none" : mpi.soname);
    facts.fact("ABI", abi_family_of(mpi));
    for (size_t i = 1; i < mpis.size(); i++) {
        facts.fact("also", mpis[i]->path);
        facts.conclude(CheckOutcome::partly,
                       "More than one MPI library is loaded: only the first is profiled.");
    }
    name_tools(facts, mpi);
    const auto missed = list_not_covered(facts.objects, mpi, facts.library);
    for (const std::string &name : missed)
        facts.fact("not seen", name);
    if (begins_unseen(facts, mpi))
        facts.conclude(CheckOutcome::nothing,
                       "Cannot be profiled: the program begins with PMPI_Init, which is not seen.");
    else if (!missed.empty() && facts.program.replaces_preload.empty())
        facts.conclude(CheckOutcome::partly,
                       "Will be profiled; calls of the functions named above would not be seen.");
    else if (facts.check.outcome == CheckOutcome::everything)
        facts.conclude(CheckOutcome::everything, "Will be profiled, every MPI call is seen.");
}

void name_program(Case &facts)
{
    for (const std::string &launcher : facts.program.launchers)
        facts.fact("launcher", launcher);
    if (!facts.program.script.empty())
        facts.fact("script", facts.program.script);
    facts.fact(facts.program.script.empty() ? "program" : "run by", facts.program.path);
}

void examine(Case &facts)
{
    if (!preloads(facts))
        return;
    if (!facts.program.replaces_preload.empty())
        facts.conclude(CheckOutcome::nothing,
                       fmt::format("Will not be profiled: {} sets LD_PRELOAD anew. Write mprof run "
                                   "directly in front of the program, behind {}.",
                                   facts.program.replaces_preload, facts.program.replaces_preload));
    facts.objects.push_back(facts.executable);
    const bool starts = read_libraries(facts);
    const auto mpis = find_mpis(facts);
    if (contains_mpi(facts, !mpis.empty()) || !starts)
        return;
    if (mpis.empty())
        conclude_without_mpi(facts);
    else
        conclude_with(facts, mpis);
}

}  // namespace

std::string abi_family_of(const ElfObject &mpi)
{
    if (base_name(mpi.soname.empty() ? mpi.path : mpi.soname).starts_with("libmpi_abi"))
        return "mpi5";
    return mpi.exports_name("ompi_mpi_comm_world") ? "openmpi" : "mpich";
}

std::vector<std::string> list_not_covered(const std::vector<ElfObject> &objects,
                                          const ElfObject &mpi, const ElfObject &library)
{
    const std::string mpi_name = base_name(mpi.path);
    const std::string stem = mpi_name.substr(0, mpi_name.find('.'));
    std::vector<std::string> missed;
    for (const ElfObject &object : objects) {
        const bool is_program = &object == &objects.front();
        const bool needs_mpi =
            is_program || std::any_of(object.needed.begin(), object.needed.end(),
                                      [&](const auto &n) { return n.starts_with(stem); });
        if (object.path == mpi.path || is_fortran_library(object.path) ||
            is_cxx_library(object.path) || !needs_mpi || (!is_program && is_tool(object, mpi)))
            continue;
        for (const std::string &name : object.imports) {
            const bool is_mpi = name.starts_with("MPI_") && !library.exports_name(name);
            // A tool in the program calls PMPI_X where the program called MPI_X.
            if (name.starts_with("PMPI_") && object.exports_name(name.substr(1)))
                continue;
            if (is_mpi || name.starts_with("MPIX_") || name.starts_with("PMPI_"))
                missed.push_back(fmt::format("{} ({})", name,
                                             is_program ? "the program" : base_name(object.path)));
        }
    }
    return missed;
}

ProgramCheck check_command(const std::vector<std::string> &command, const std::string &library)
{
    Case facts;
    facts.program = find_behind_launchers(command);
    if (facts.program.path.empty()) {
        const bool script = !facts.program.script.empty();
        facts.conclude(
            CheckOutcome::nothing,
            script ? fmt::format("{}: its interpreter is not found.", facts.program.script)
                   : fmt::format("{}: no such program.", facts.program.launchers.empty()
                                                             ? command.front()
                                                             : "behind " + command.front()));
        return facts.check;
    }
    name_program(facts);
    auto executable = read_elf_object(facts.program.path);
    auto preloaded = read_elf_object(library);
    for (const auto *object : {&executable, &preloaded})
        if (!object->ok()) {
            facts.conclude(CheckOutcome::nothing, describe(object->error()) + ".");
            return facts.check;
        }
    facts.executable = std::move(executable.value());
    facts.library = std::move(preloaded.value());
    examine(facts);
    return facts.check;
}

}  // namespace mprof
