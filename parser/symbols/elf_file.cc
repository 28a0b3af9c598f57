// Files are mapped, not read: what claims to be huge costs nothing until it is looked at.
#include "symbols/elf_file.h"

#include "read/file_checksum.h"

#include <elfutils/libdwelf.h>
#include <fmt/format.h>
#include <span>

namespace mprof {
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

}  // namespace mprof
