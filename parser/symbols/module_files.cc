// Nothing here asks a debuginfod server: a report must not depend on a network.
#include "symbols/module_files.h"

#include "read/file_bytes.h"

#include <elfutils/libdwelf.h>
#include <filesystem>
#include <fmt/format.h>
#include <span>

namespace mprof {

// Files are mapped, not read: what claims to be huge costs nothing until it is looked at.

namespace {

constexpr uint64_t largest_file = uint64_t{64} << 30U;

}  // namespace

std::unique_ptr<ElfFile> ElfFile::open(const std::string &path)
{
    std::unique_ptr<ElfFile> file(new ElfFile(path));
    if (!file->file_.is_regular() || file->file_.size() > largest_file)
        return nullptr;
    elf_version(EV_CURRENT);
    file->elf_ = elf_begin(file->file_.fd(), ELF_C_READ_MMAP, nullptr);
    if (file->elf_ == nullptr || elf_kind(file->elf_) != ELF_K_ELF)
        return nullptr;
    return file;
}

ElfFile::~ElfFile()
{
    if (elf_ != nullptr)
        elf_end(elf_);
}

std::string ElfFile::build_id() const
{
    const void *bytes = nullptr;
    const ssize_t length = dwelf_elf_gnu_build_id(elf_, &bytes);
    std::string text;
    for (ssize_t i = 0; i < length; i++)
        text += fmt::format("{:02x}", static_cast<const unsigned char *>(bytes)[i]);
    return text;
}

bool ElfFile::has_section(const char *name) const
{
    size_t names = 0;
    if (elf_getshdrstrndx(elf_, &names) != 0)
        return false;
    for (Elf_Scn *part = elf_nextscn(elf_, nullptr); part != nullptr;
         part = elf_nextscn(elf_, part)) {
        GElf_Shdr header;
        if (gelf_getshdr(part, &header) == nullptr || header.sh_type == SHT_NOBITS)
            continue;
        const char *found = elf_strptr(elf_, names, header.sh_name);
        if (found != nullptr && std::string_view(found) == name)
            return true;
    }
    return false;
}

std::string ElfFile::debug_link(uint32_t &checksum) const
{
    GElf_Word crc = 0;
    const char *name = dwelf_elf_gnu_debuglink(elf_, &crc);
    checksum = crc;
    return name == nullptr ? "" : name;
}

bool ElfFile::has_checksum(uint32_t checksum) const
{
    size_t size = 0;
    const char *bytes = elf_rawfile(elf_, &size);
    return bytes != nullptr && file_checksum(std::as_bytes(std::span(bytes, size))) == checksum;
}

namespace {

namespace fs = std::filesystem;

std::vector<std::string> debug_folders(const SymbolOptions &options)
{
    std::vector<std::string> folders = options.debug_folders;
    folders.push_back(options.sysroot + "/usr/lib/debug");
    return folders;
}

// DWARF from GCC's -gz=zlib-gnu has .zdebug_info.
bool has_debug_data(const ElfFile &file)
{
    return file.has_section(".debug_info") || file.has_section(".zdebug_info");
}

// Some file systems and archives keep whole seconds. Below a sysroot are copies, which are newer.
bool was_written_then(const ElfFile &file, const ModuleIdentity &module,
                      const SymbolOptions &options)
{
    constexpr int64_t second = 1'000'000'000;
    const int64_t found = file.modified_ns();
    const bool is_whole = found % second == 0 || module.modified_ns % second == 0;
    return !options.sysroot.empty() || found == module.modified_ns ||
           (is_whole && found / second == module.modified_ns / second);
}

std::unique_ptr<ElfFile> find_module(const ModuleIdentity &module, const SymbolOptions &options,
                                     ModuleFiles &files)
{
    // A relative path would be taken from wherever the report is made.
    if (module.path_cut || !module.path.starts_with('/')) {
        files.problem = "has no known path";
        return nullptr;
    }
    auto file = ElfFile::open(options.sysroot + module.path);
    if (!file) {
        files.problem = "is not there";
        return nullptr;
    }
    if (file->build_id() != module.build_id) {
        files.problem = "is a different build from the one that ran";
        return nullptr;
    }
    if (!module.build_id.empty())
        return file;
    files.unproved = module.file_bytes == 0;
    if (!files.unproved &&
        (file->bytes() != module.file_bytes || !was_written_then(*file, module, options))) {
        files.problem = "was changed after the run and has no build id: its lines may be others";
        return nullptr;
    }
    return file;
}

std::unique_ptr<ElfFile> find_by_debug_link(const ElfFile &module, const std::string &module_path,
                                            const SymbolOptions &options)
{
    uint32_t checksum = 0;
    const std::string name = module.debug_link(checksum);
    if (name.empty() || name.find('/') != std::string::npos)
        return nullptr;
    const std::string folder = fs::path(module_path).parent_path().native();
    std::vector<std::string> candidates = {
        fmt::format("{}{}/{}", options.sysroot, folder, name),
        fmt::format("{}{}/.debug/{}", options.sysroot, folder, name)};
    for (const std::string &debug_folder : debug_folders(options)) {
        candidates.push_back(fmt::format("{}{}/{}", debug_folder, folder, name));
        candidates.push_back(fmt::format("{}/{}", debug_folder, name));
    }
    const std::string build_id = module.build_id();
    for (const std::string &candidate : candidates) {
        auto file = ElfFile::open(candidate);
        if (!file || !has_debug_data(*file))
            continue;
        const std::string found_id = file->build_id();
        const bool proved = build_id.empty() || found_id.empty() ? file->has_checksum(checksum)
                                                                 : found_id == build_id;
        if (proved)
            return file;
    }
    return nullptr;
}

}  // namespace

std::unique_ptr<ElfFile> find_by_build_id(const std::string &build_id, const SymbolOptions &options)
{
    if (build_id.size() < 4)
        return nullptr;
    for (const std::string &folder : debug_folders(options)) {
        auto file = ElfFile::open(fmt::format("{}/.build-id/{}/{}.debug", folder,
                                              build_id.substr(0, 2), build_id.substr(2)));
        if (file && file->build_id() == build_id)
            return file;
    }
    return nullptr;
}

ModuleFiles find_module_files(const ModuleIdentity &module, const SymbolOptions &options)
{
    ModuleFiles files;
    files.module = find_module(module, options, files);
    if (files.module && has_debug_data(*files.module))
        return files;
    files.debug = find_by_build_id(module.build_id, options);
    if (!files.debug && files.module)
        files.debug = find_by_debug_link(*files.module, module.path, options);
    if (files.debug)
        files.problem.clear();
    else if (files.module)
        files.problem = "has no debug data";
    return files;
}

}  // namespace mprof
