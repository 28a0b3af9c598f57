// What prevents profiling, then all questions of mprof run --check (program_check.h).
//
// Apptainer and Singularity pass the environment on and bind some folders of the host, so that a
// preloaded library is there or not. Podman and Docker pass on neither.
#include "check/program_check.h"

#include "check/loaded_objects.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace mprof {

namespace {

// For its owner nothing changes, and the linker preloads as always.
bool changes_user(const std::string &path)
{
    struct stat status = {};
    if (stat(path.c_str(), &status) != 0)
        return false;
    return ((status.st_mode & S_ISUID) != 0 && status.st_uid != geteuid()) ||
           ((status.st_mode & S_ISGID) != 0 && status.st_gid != getegid());
}

bool needs_sanitizer(const ElfObject &executable)
{
    return std::any_of(executable.needed.begin(), executable.needed.end(), [](const auto &name) {
        return name.starts_with("libasan.so") || name.starts_with("libclang_rt.asan");
    });
}

// GCC's up to version 8 have libasan.so.5 and below and know no such option; 9 also has
// libasan.so.5.
bool needs_old_sanitizer(const ElfObject &executable)
{
    constexpr std::string_view prefix = "libasan.so.";
    constexpr int newest_old = 5;
    return std::any_of(executable.needed.begin(), executable.needed.end(), [&](const auto &name) {
        return name.starts_with(prefix) && std::atoi(name.c_str() + prefix.size()) <= newest_old;
    });
}

}  // namespace

std::optional<Obstacle> find_obstacle(const ElfObject &executable, const ElfObject &library)
{
    if (executable.machine != library.machine || executable.is_64_bit != library.is_64_bit)
        return Obstacle{fmt::format("the program is for {}, libmprof.so for {}",
                                    machine_name(executable.machine),
                                    machine_name(library.machine)),
                        !executable.interpreter.empty()};
    if (!executable.interpreter.empty() && !is_glibc_linker(executable.interpreter))
        return Obstacle{fmt::format("the program's dynamic linker is {}, not that of glibc",
                                    executable.interpreter),
                        true};
    if (needs_old_sanitizer(executable))
        return Obstacle{"the program's AddressSanitizer must be the first library, and before GCC "
                        "10 this check may not be switched off",
                        true};
    if (changes_user(executable.path))
        return Obstacle{"the program has the set-user-ID or set-group-ID bit of another user, so "
                        "the dynamic linker preloads nothing from this path",
                        false};
    return std::nullopt;
}

bool contains_bare_mpi(const ElfObject &executable)
{
    return executable.has_mark("PMPI_Init") && !executable.has_mark("mpi_slots");
}

std::string sanitizer_options(const ElfObject &executable, const std::string &options_before)
{
    constexpr std::string_view option = "verify_asan_link_order";
    if (!needs_sanitizer(executable) || !executable.exports_name("__asan_default_options") ||
        options_before.find(option) != std::string::npos)
        return "";
    return fmt::format("{}{}=0", options_before.empty() ? "" : ":", option);
}

namespace {

namespace fs = std::filesystem;

using Words = std::vector<std::string>;
using Variable = std::function<std::string(const char *)>;

struct Engine {
    std::string_view name;
    bool passes_environment;
};
constexpr std::array<Engine, 4> engines = {
    {{"apptainer", true}, {"singularity", true}, {"podman", false}, {"docker", false}}};

const Engine *engine_of(const std::string &word)
{
    const std::string name = fs::path(word).filename().native();
    const auto *found = std::find_if(engines.begin(), engines.end(),
                                     [&](const Engine &engine) { return engine.name == name; });
    return found == engines.end() ? nullptr : found;
}

bool is_below(const std::string &path, const std::string &folder)
{
    return !folder.empty() &&
           (path == folder || path.starts_with(folder.back() == '/' ? folder : folder + "/"));
}

// Of "SOURCE[:DESTINATION[:OPTIONS]],...": is one of them the folder, at its own place?
bool is_bound_by(const std::string &text, const std::string &folder)
{
    for (size_t begin = 0; begin <= text.size();) {
        const size_t end = std::min(text.find(',', begin), text.size());
        const std::string bind = text.substr(begin, end - begin);
        const size_t colon = bind.find(':');
        const std::string source = bind.substr(0, colon);
        const std::string destination =
            colon == std::string::npos
                ? source
                : bind.substr(colon + 1, bind.find(':', colon + 1) - colon - 1);
        if (is_below(folder, source) && destination == source)
            return true;
        begin = end + 1;
    }
    return false;
}

bool is_bound_by_variables(const std::string &folder, const Variable &variable)
{
    constexpr std::array names = {"APPTAINER_BIND", "APPTAINER_BINDPATH", "SINGULARITY_BIND",
                                  "SINGULARITY_BINDPATH"};
    return std::any_of(names.begin(), names.end(),
                       [&](const char *name) { return is_bound_by(variable(name), folder); });
}

// Without these options, home, working folder and /tmp are bound.
bool is_bound_by_default(const Words &words, const std::string &folder, const Variable &variable)
{
    // Not "-c", which is more often an option of the shell in the container.
    constexpr std::array<std::string_view, 4> against = {"--contain", "--containall", "-C",
                                                         "--no-mount"};
    const bool is_contained = std::any_of(words.begin(), words.end(), [&](const auto &word) {
        return std::find(against.begin(), against.end(), word) != against.end();
    });
    return !is_contained && (is_below(folder, variable("HOME")) ||
                             is_below(folder, variable("PWD")) || is_below(folder, "/tmp"));
}

bool is_bound_by_options(const Words &words, const std::string &folder)
{
    for (size_t i = 0; i < words.size(); i++) {
        constexpr std::array<std::string_view, 4> options = {"--bind", "-B", "--volume", "-v"};
        for (const std::string_view option : options) {
            if (words[i] == option && i + 1 < words.size() && is_bound_by(words[i + 1], folder))
                return true;
            const std::string start = std::string(option) + "=";
            if (words[i].starts_with(start) && is_bound_by(words[i].substr(start.size()), folder))
                return true;
        }
    }
    return false;
}

// "DIR/bin/mprof run" is among the words; a folder may also be called mprof.
bool runs_mprof(const Words &words)
{
    return std::adjacent_find(words.begin(), words.end(), [](const auto &word, const auto &next) {
               const std::string name = fs::path(word).filename().native();
               return next == "run" && (name == "mprof" || name == "mprof-mpi");
           }) != words.end();
}

}  // namespace

std::optional<std::string> container_advice(const Words &command, const std::string &folder,
                                            const Variable &variable)
{
    const auto start = std::find_if(command.begin(), command.end(),
                                    [](const auto &word) { return engine_of(word) != nullptr; });
    if (start == command.end())
        return std::nullopt;
    const Engine &engine = *engine_of(*start);
    const Words words(start + 1, command.end());
    if (runs_mprof(words))
        return std::nullopt;
    if (!engine.passes_environment)
        return fmt::format(
            "{0} passes no variables into its container, so what runs there is not profiled. Let "
            "mprof run inside: {0} run -v {1}:{1} IMAGE {1}/bin/mprof run ./app",
            engine.name, folder);
    if (is_bound_by_options(words, folder) || is_bound_by_variables(folder, variable) ||
        is_bound_by_default(words, folder, variable))
        return std::nullopt;
    return fmt::format("the container of {0} does not see {1}, so what runs there is not "
                       "profiled. Bind it: {0} exec --bind {1} IMAGE ./app",
                       engine.name, folder);
}

// The questions in their order: is there a program, can anything be preloaded into it, does it
// contain its MPI, which MPI is it linked with, what does it import that libmprof does not cover?
// The first "no" ends the check.

namespace {

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
                       "libmprof.a works only with MPIs of MPICH's ABI: link the program with the "
                       "shared library of Open MPI (libmpi.so).");
        return;
    }
    const fs::path archive = fs::path(facts.library.path).parent_path() / "libmprof.a";
    std::error_code error;
    const std::string path = fs::exists(archive, error) ? archive.native() : "libmprof.a";
    facts.conclude(CheckOutcome::nothing,
                   "Link it with the MPI's shared library, or link it again with libmprof.a before "
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
        facts.conclude(CheckOutcome::nothing,
                       "Cannot be profiled as it is: its MPI functions are in the program itself, "
                       "so nothing can be put in front of them.");
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
                       fmt::format("Its libraries cannot be determined: {}.", loaded.failure));
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
                       "There is nothing to profile: the program neither uses nor loads an MPI.");
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
        facts.conclude(
            CheckOutcome::nothing,
            "Cannot be profiled: the program starts with PMPI_Init, which mprof cannot see.");
    else if (!missed.empty() && facts.program.replaces_preload.empty())
        facts.conclude(CheckOutcome::partly,
                       "Will be profiled, except for calls of the functions named above.");
    else if (facts.check.outcome == CheckOutcome::everything)
        facts.conclude(CheckOutcome::everything, "Will be profiled, with every MPI call.");
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
                       fmt::format("Will not be profiled: {} overwrites LD_PRELOAD. Put mprof run "
                                   "directly in front of the program, after {}.",
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
            script ? fmt::format("{}: its interpreter was not found.", facts.program.script)
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
