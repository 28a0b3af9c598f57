// From the words of a command to the file that will make MPI calls: past launchers, and through
// the first line of scripts.
#include "check/loaded_objects.h"

#include "read/file_bytes.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gelf.h>
#include <libelf.h>
#include <memory>
#include <spawn.h>
#include <sstream>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

namespace mprof {

namespace {

namespace fs = std::filesystem;

bool is_executable_file(const std::string &path)
{
    std::error_code error;
    return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

// By name, without a suffix such as that of mpirun.openmpi.
bool is_launcher(const std::string &word)
{
    static constexpr std::array<std::string_view, 20> names = {
        "mpirun", "mpiexec", "orterun", "prterun", "prun",   "srun",    "jsrun",
        "aprun",  "flux",    "env",     "time",    "nice",   "numactl", "taskset",
        "ibrun",  "lrun",    "timeout", "stdbuf",  "setsid", "nohup"};
    const std::string name = fs::path(word).filename().native();
    return std::find(names.begin(), names.end(), name.substr(0, name.find('.'))) != names.end();
}

bool is_one_of(const std::string &word, std::initializer_list<std::string_view> names)
{
    return std::find(names.begin(), names.end(), word) != names.end();
}

bool keeps_library(const std::string &value)
{
    return value.find("libmprof") != std::string::npos ||
           value.find("LD_PRELOAD") != std::string::npos;
}

// This word of a launcher, perhaps with those beside it, gives LD_PRELOAD another value or none:
// env LD_PRELOAD=a.so, env -i, mpirun -x LD_PRELOAD=a.so, mpiexec -env LD_PRELOAD a.so.
bool replaces_preload(const std::string &launcher, const std::vector<std::string> &command,
                      size_t index)
{
    const std::string &word = command[index];
    const std::string assignment = "LD_PRELOAD=";
    const size_t begin = word.find(assignment);
    if (begin != std::string::npos)
        return !keeps_library(word.substr(begin + assignment.size()));
    if (word == "LD_PRELOAD" && is_one_of(command[index - 1], {"-env", "-genv"}))
        return index + 1 < command.size() && !keeps_library(command[index + 1]);
    if (word == "LD_PRELOAD")
        return is_one_of(command[index - 1], {"-u", "--unset"});
    if (is_one_of(word, {"-uLD_PRELOAD", "--unset=LD_PRELOAD", "-envnone", "-genvnone"}))
        return true;
    return fs::path(launcher).filename() == "env" &&
           is_one_of(word, {"-", "-i", "--ignore-environment"});
}

std::vector<std::string> words_of(const std::string &text)
{
    std::istringstream stream(text);
    std::vector<std::string> words;
    for (std::string word; stream >> word;)
        words.push_back(word);
    return words;
}

// What follows "#!", or nothing.
std::vector<std::string> script_interpreter(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    std::string line(256, '\0');
    file.read(line.data(), static_cast<std::streamsize>(line.size()));
    line.resize(static_cast<size_t>(file.gcount()));
    if (!line.starts_with("#!"))
        return {};
    return words_of(line.substr(2, line.find('\n') - 2));
}

}  // namespace

std::string find_program(const std::string &word)
{
    if (word.find('/') != std::string::npos)
        return is_executable_file(word) ? word : "";
    const char *variable = std::getenv("PATH");
    std::istringstream folders(variable == nullptr ? "/bin:/usr/bin" : variable);
    for (std::string folder; std::getline(folders, folder, ':');) {
        std::string path = (folder.empty() ? "." : folder) + "/" + word;
        if (is_executable_file(path))
            return path;
    }
    return "";
}

FoundProgram find_behind_launchers(const std::vector<std::string> &command)
{
    FoundProgram found;
    for (size_t i = 0; i < command.size(); i++) {
        const std::string &word = command[i];
        if (!found.launchers.empty() && replaces_preload(found.launchers.back(), command, i))
            found.replaces_preload = found.launchers.back();
        std::string path =
            found.launchers.empty() || !word.starts_with('-') ? find_program(word) : std::string();
        if (path.empty() && found.launchers.empty())
            return found;
        if (path.empty())
            continue;  // an option of the launcher, or its value
        if (!is_launcher(word)) {
            found.path = path;
            break;
        }
        found.launchers.push_back(word);
    }
    constexpr int most_levels = 4;  // Linux allows 4
    for (int level = 0; level < most_levels && !found.path.empty(); level++) {
        const std::vector<std::string> interpreter = script_interpreter(found.path);
        if (interpreter.empty())
            break;
        found.script = found.path;
        found.path = "";
        for (const std::string &word : interpreter)
            if (!word.starts_with('-') && !is_launcher(word) && found.path.empty())
                found.path = find_program(word);
    }
    return found;
}

// libelf checks what it hands out against the size of the file; what may still be wrong (a damaged
// string index) comes as a null pointer.

namespace {

struct ElfEnd {
    void operator()(Elf *elf) const { elf_end(elf); }
};
using ElfHandle = std::unique_ptr<Elf, ElfEnd>;

std::string string_at(Elf *elf, size_t section, size_t offset)
{
    const char *text = elf_strptr(elf, section, offset);
    return text == nullptr ? "" : text;
}

void read_interpreter(Elf *elf, ElfObject &object)
{
    size_t count = 0;
    if (elf_getphdrnum(elf, &count) != 0)
        return;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr segment;
        if (gelf_getphdr(elf, static_cast<int>(i), &segment) == nullptr ||
            segment.p_type != PT_INTERP)
            continue;
        Elf_Data *data = elf_getdata_rawchunk(elf, static_cast<int64_t>(segment.p_offset),
                                              segment.p_filesz, ELF_T_BYTE);
        if (data == nullptr || data->d_buf == nullptr)
            return;
        const char *text = static_cast<const char *>(data->d_buf);
        object.interpreter.assign(text, strnlen(text, data->d_size));
        return;
    }
}

void read_dynamic(Elf *elf, Elf_Data *data, size_t entries, size_t strings, ElfObject &object)
{
    for (size_t i = 0; i < entries; i++) {
        GElf_Dyn entry;
        if (gelf_getdyn(data, static_cast<int>(i), &entry) == nullptr || entry.d_tag == DT_NULL)
            return;
        if (entry.d_tag == DT_NEEDED)
            object.needed.push_back(string_at(elf, strings, entry.d_un.d_val));
        else if (entry.d_tag == DT_SONAME)
            object.soname = string_at(elf, strings, entry.d_un.d_val);
    }
}

void read_symbols(Elf *elf, Elf_Data *data, size_t entries, const GElf_Shdr &section,
                  ElfObject &object)
{
    for (size_t i = 1; i < entries; i++) {
        GElf_Sym symbol;
        if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr)
            return;
        std::string name = string_at(elf, section.sh_link, symbol.st_name);
        const bool defined = symbol.st_shndx != SHN_UNDEF;
        if (defined && (name == "MPI_Init" || name == "PMPI_Init" || name == "mpi_slots" ||
                        name == "ompi_mpi_comm_world"))
            object.static_marks.push_back(name);
        if (section.sh_type != SHT_DYNSYM || name.empty())
            continue;
        if (defined)
            object.exports.push_back(std::move(name));
        else if (GELF_ST_TYPE(symbol.st_info) != STT_OBJECT)
            object.imports.push_back(std::move(name));
    }
}

void read_sections(Elf *elf, bool with_symbols, ElfObject &object)
{
    for (Elf_Scn *part = elf_nextscn(elf, nullptr); part != nullptr;
         part = elf_nextscn(elf, part)) {
        GElf_Shdr section;
        if (gelf_getshdr(part, &section) == nullptr || section.sh_entsize == 0)
            continue;
        const size_t entries = section.sh_size / section.sh_entsize;
        const bool symbols = section.sh_type == SHT_DYNSYM || section.sh_type == SHT_SYMTAB;
        if (symbols ? !with_symbols : section.sh_type != SHT_DYNAMIC)
            continue;
        Elf_Data *data = elf_getdata(part, nullptr);
        if (data == nullptr)
            continue;
        if (symbols)
            read_symbols(elf, data, entries, section, object);
        else
            read_dynamic(elf, data, entries, section.sh_link, object);
    }
    for (auto *names : {&object.exports, &object.imports, &object.static_marks})
        std::sort(names->begin(), names->end());
}

bool contains(const std::vector<std::string> &sorted, const std::string &name)
{
    return std::binary_search(sorted.begin(), sorted.end(), name);
}

Result<ElfObject> read_object(const std::string &path, bool with_symbols)
{
    const OpenFile file(path);
    if (file.error() != 0)
        return FileError{path, 0, "a readable file", std::strerror(file.error()), false};
    elf_version(EV_CURRENT);
    const ElfHandle elf(elf_begin(file.fd(), ELF_C_READ_MMAP, nullptr));
    GElf_Ehdr header;
    if (!elf || elf_kind(elf.get()) != ELF_K_ELF || gelf_getehdr(elf.get(), &header) == nullptr)
        return FileError{path, 0, "an executable or library (ELF)", "something else", false};
    ElfObject object;
    object.path = path;
    object.machine = header.e_machine;
    object.is_64_bit = header.e_ident[EI_CLASS] == ELFCLASS64;
    read_interpreter(elf.get(), object);
    read_sections(elf.get(), with_symbols, object);
    return object;
}

}  // namespace

bool ElfObject::exports_name(const std::string &name) const
{
    return contains(exports, name);
}
bool ElfObject::imports_name(const std::string &name) const
{
    return contains(imports, name);
}
bool ElfObject::has_mark(const std::string &name) const
{
    return contains(static_marks, name);
}

Result<ElfObject> read_elf_object(const std::string &path)
{
    return read_object(path, true);
}

Result<ElfObject> read_elf_head(const std::string &path)
{
    return read_object(path, false);
}

std::string machine_name(uint16_t machine)
{
    switch (machine) {
    case EM_X86_64:
        return "x86-64";
    case EM_386:
        return "i386";
    case EM_AARCH64:
        return "aarch64";
    case EM_PPC64:
        return "ppc64";
    case EM_RISCV:
        return "riscv";
    default:
        return fmt::format("machine {}", machine);
    }
}

// The program is named to the kernel, not given to ld.so as an argument: so $ORIGIN is right, and
// its own interpreter is taken.

namespace {

std::string read_all(int descriptor)
{
    std::string text;
    std::array<char, 4096> buffer;
    for (;;) {
        const ssize_t got = read(descriptor, buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return text;
        text.append(buffer.data(), static_cast<size_t>(got));
    }
}

std::vector<std::string> tracing_environment()
{
    std::vector<std::string> variables;
    for (char **variable = environ; *variable != nullptr; variable++)
        if (std::strncmp(*variable, "LD_TRACE_", 9) != 0 &&
            std::strncmp(*variable, "LD_DEBUG", 8) != 0)
            variables.emplace_back(*variable);
    variables.emplace_back("LD_TRACE_LOADED_OBJECTS=1");
    return variables;
}

std::vector<char *> pointers_to(std::vector<std::string> &words)
{
    std::vector<char *> pointers;
    for (std::string &word : words)
        pointers.push_back(word.data());
    pointers.push_back(nullptr);
    return pointers;
}

// Starts it with standard output going to `output`; 0 or why not.
int start_tracing(const std::string &program, int output, pid_t &child)
{
    std::vector<std::string> words = {program};
    std::vector<std::string> variables = tracing_environment();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    const int problem = posix_spawn(&child, program.c_str(), &actions, nullptr,
                                    pointers_to(words).data(), pointers_to(variables).data());
    posix_spawn_file_actions_destroy(&actions);
    return problem;
}

void add_line(std::string_view line, LoadedObjects &objects)
{
    constexpr std::string_view arrow = " => ";
    while (!line.empty() && (line.front() == '\t' || line.front() == ' '))
        line.remove_prefix(1);
    const size_t arrow_at = line.find(arrow);
    std::string_view path = line;
    if (arrow_at != std::string_view::npos)
        path = line.substr(arrow_at + arrow.size());
    if (path == "not found") {
        objects.missing.emplace_back(line.substr(0, arrow_at));
        return;
    }
    const size_t address_at = path.rfind(" (0x");
    if (address_at != std::string_view::npos && path.starts_with('/'))
        objects.paths.emplace_back(path.substr(0, address_at));
}

}  // namespace

LoadedObjects parse_trace(std::string_view text)
{
    LoadedObjects objects;
    objects.asked = true;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        add_line(text.substr(0, end), objects);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return objects;
}

LoadedObjects ask_dynamic_linker(const std::string &program)
{
    LoadedObjects objects;
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
        objects.failure = std::strerror(errno);
        return objects;
    }
    pid_t child = 0;
    const int problem = start_tracing(program, ends[1], child);
    close(ends[1]);
    if (problem == 0) {
        objects = parse_trace(read_all(ends[0]));
        int status = 0;
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            continue;
        if (!WIFEXITED(status) || objects.paths.empty()) {
            objects.asked = false;
            objects.failure = "the dynamic linker did not list the libraries";
        }
    } else {
        objects.failure = std::strerror(problem);
    }
    close(ends[0]);
    return objects;
}

bool is_glibc_linker(std::string_view interpreter)
{
    const std::string_view name = interpreter.substr(interpreter.find_last_of('/') + 1);
    return name.starts_with("ld-linux") || name.starts_with("ld64.so") || name.starts_with("ld.so");
}

}  // namespace mprof
