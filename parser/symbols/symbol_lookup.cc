// Kept names and looked up ones (symbol_lookup.h). Nothing of what is read is believed: indices
// are checked, texts end where all texts end. Whatever fails is as if nothing had been kept.
#include "symbols/symbol_lookup.h"

#include "mprof/format/format.h"
#include "read/file_bytes.h"
#include "symbols/module_symbols.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string_view>
#include <system_error>

namespace mprof {

// Nothing of what is decoded is believed: indices are checked, a text ends where all texts end, and
// many frames with the same long text may not fill the memory.

namespace {

using Bytes = std::span<const std::byte>;

constexpr uint64_t most_decoded_bytes = uint64_t{256} << 20U;

// Each text once.
class Texts {
public:
    uint32_t add(const std::string &text)
    {
        const auto [at, is_new] = begins_.try_emplace(text, static_cast<uint32_t>(all_.size()));
        if (is_new)
            all_.append(text.c_str(), text.size() + 1);
        return at->second;
    }
    const std::string &all() const { return all_; }

private:
    std::string all_ = std::string(1, '\0');
    std::map<std::string, uint32_t> begins_{{"", 0}};
};

std::string text_at(std::string_view texts, uint32_t begin)
{
    if (begin >= texts.size())
        return "";
    texts.remove_prefix(begin);
    return std::string(texts.substr(0, texts.find('\0')));
}

template <class T>
void append(std::vector<std::byte> &to, const T *records, size_t count)
{
    const Bytes bytes = std::as_bytes(std::span(records, count));
    to.insert(to.end(), bytes.begin(), bytes.end());
}

}  // namespace

std::string module_key(const std::string &build_id, const std::string &path)
{
    return build_id.empty() ? std::string("/").append(path, path.rfind('/') + 1) : build_id;
}

bool has_line(const PlaceNames::Frames &frames)
{
    return !frames.empty() && frames.front().line != 0;
}

void PlaceNames::add(const ModuleIdentity &module, uint64_t offset, const Frames &frames)
{
    if (!frames.empty())
        modules_[module_key(module.build_id, module.path)][offset] = frames;
}

const PlaceNames::Frames *PlaceNames::find(const ModuleIdentity &module, uint64_t offset) const
{
    if (modules_.empty())
        return nullptr;
    const auto places = modules_.find(module_key(module.build_id, module.path));
    if (places == modules_.end())
        return nullptr;
    const auto place = places->second.find(offset);
    return place == places->second.end() ? nullptr : &place->second;
}

void PlaceNames::drop_lines(const PlaceNames &known)
{
    for (auto &[module, places] : modules_) {
        const auto others = known.modules_.find(module);
        for (auto &[offset, frames] : places) {
            if (others != known.modules_.end()) {
                const auto other = others->second.find(offset);
                if (other != others->second.end() && has_line(other->second))
                    continue;
            }
            for (SymbolFrame &frame : frames) {
                frame.file.clear();
                frame.line = 0;
            }
        }
    }
}

std::vector<std::byte> PlaceNames::encode() const
{
    std::vector<mprof_named_frame> frames;
    Texts texts;
    for (const auto &[module, places] : modules_)
        for (const auto &[offset, chain] : places)
            for (const SymbolFrame &frame : chain) {
                mprof_named_frame record = {};
                record.offset = offset;
                record.module = texts.add(module);
                record.function = texts.add(frame.function);
                record.file = texts.add(frame.file);
                record.line = frame.line;
                if (frame.inlined)
                    record.flags = MPROF_NAMED_FRAME_INLINED;
                frames.push_back(record);
            }
    std::vector<std::byte> content;
    if (frames.empty())
        return content;
    const mprof_names header = {static_cast<uint32_t>(frames.size()),
                                static_cast<uint32_t>(texts.all().size())};
    append(content, &header, 1);
    append(content, frames.data(), frames.size());
    append(content, texts.all().data(), texts.all().size());
    return content;
}

void PlaceNames::add_better(PlaceNames &&others)
{
    for (auto &[module, places] : others.modules_)
        for (auto &[offset, frames] : places) {
            Frames &own = modules_[module][offset];
            if (own.empty() || (!has_line(own) && has_line(frames)))
                own = std::move(frames);
        }
}

bool PlaceNames::decode(Bytes content)
{
    mprof_names header = {};
    if (content.size() < sizeof header)
        return false;
    std::memcpy(&header, content.data(), sizeof header);
    content = content.subspan(sizeof header);
    const uint64_t frame_bytes = uint64_t{header.frames} * sizeof(mprof_named_frame);
    if (content.size() < frame_bytes || content.size() - frame_bytes < header.text_bytes)
        return false;
    const auto *begin = reinterpret_cast<const char *>(content.data() + frame_bytes);
    const std::string_view texts(begin, header.text_bytes);
    PlaceNames decoded;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < header.frames && bytes <= most_decoded_bytes; i++) {
        mprof_named_frame record = {};
        std::memcpy(&record, content.data() + size_t{i} * sizeof record, sizeof record);
        SymbolFrame frame = {text_at(texts, record.function), text_at(texts, record.file),
                             record.line, (record.flags & MPROF_NAMED_FRAME_INLINED) != 0};
        const std::string module = text_at(texts, record.module);
        bytes += sizeof frame + module.size() + frame.function.size() + frame.file.size();
        decoded.modules_[module][record.offset].push_back(std::move(frame));
    }
    add_better(std::move(decoded));
    return bytes <= most_decoded_bytes;
}

namespace {

namespace files = std::filesystem;

bool is_build_id(const std::string &text)
{
    constexpr size_t least = 8, most = 128;
    return text.size() >= least && text.size() <= most &&
           text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

struct KeptFile {
    files::path path;
    files::file_time_type written;
    uintmax_t bytes = 0;
};

}  // namespace

std::string line_cache_folder()
{
    const std::string folder = cache_folder();
    return folder.empty() ? "" : folder + "/lines";
}

std::string LineCache::path_of(const std::string &build_id) const
{
    return folder_.empty() || !is_build_id(build_id) ? "" : folder_ + "/" + build_id;
}

PlaceNames LineCache::read(const std::string &build_id) const
{
    PlaceNames names;
    const std::string path = path_of(build_id);
    std::error_code problem;
    if (path.empty() || !files::is_regular_file(path, problem) ||
        files::file_size(path, problem) > most_file_bytes)
        return names;
    std::ifstream file(path, std::ios::binary);
    std::vector<std::byte> content;
    std::transform(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>(),
                   std::back_inserter(content), [](char c) { return static_cast<std::byte>(c); });
    if (!names.decode(content))
        return {};
    return names;
}

void LineCache::write(const std::string &build_id, const PlaceNames &names) const
{
    const std::string path = path_of(build_id);
    const std::vector<std::byte> content = names.encode();
    if (path.empty() || content.empty() || content.size() > most_file_bytes)
        return;
    keep_file(folder_, build_id, content);
    make_room();
}

void LineCache::make_room() const
{
    std::vector<KeptFile> kept;
    uintmax_t sum = 0;
    std::error_code problem;
    for (const auto &entry : files::directory_iterator(folder_, problem)) {
        if (!entry.is_regular_file(problem))
            continue;
        kept.push_back({entry.path(), entry.last_write_time(problem), entry.file_size(problem)});
        sum += kept.back().bytes;
    }
    std::sort(kept.begin(), kept.end(),
              [](const KeptFile &a, const KeptFile &b) { return a.written < b.written; });
    for (const KeptFile &file : kept) {
        if (sum <= most_bytes)
            return;
        files::remove(file.path, problem);
        sum -= file.bytes;
    }
}

// A call returns to the instruction after it: what contains the byte before that is the call.

SymbolLookup::SymbolLookup(SymbolOptions options, PlaceNames kept)
    : options_(std::move(options)), cache_(options_.cache_folder), kept_(std::move(kept))
{
}

// Other folders may have other debug data.
bool SymbolLookup::uses_cache() const
{
    return !options_.cache_folder.empty() && options_.sysroot.empty() &&
           options_.debug_folders.empty();
}

// The file that is there may be another one than that which ran; the names that were kept are sure.
void SymbolLookup::use_kept(const ModuleIdentity &module, uint64_t offset, const Module &opened,
                            std::vector<SymbolFrame> &frames) const
{
    const PlaceNames::Frames *kept = kept_.find(module, offset);
    if (kept == nullptr)
        return;
    const bool is_doubtful = !frames.empty() && opened.symbols && opened.symbols->is_unproved() &&
                             frames.front().function != kept->front().function;
    if (frames.empty() || is_doubtful || (!has_line(frames) && has_line(*kept)))
        frames = *kept;
}

const std::vector<SymbolFrame> &SymbolLookup::frames_at(const ModuleIdentity &module,
                                                        uint64_t offset)
{
    static const std::vector<SymbolFrame> nothing;
    if (!options_.enabled || offset == 0)
        return nothing;
    if (!deadline_)
        deadline_.emplace(options_.time_limit);
    const auto [at, is_new] = modules_.try_emplace(key_of(module));
    Module &opened = at->second;
    if (is_new && uses_cache())
        opened.kept = cache_.read(module.build_id);
    const auto [place, is_new_place] = opened.places.try_emplace(offset);
    if (!is_new_place)
        return place->second;
    if (const PlaceNames::Frames *kept = opened.kept.find(module, offset))
        place->second = *kept;
    else
        place->second = look_up(module, offset, opened);
    use_kept(module, offset, opened, place->second);
    return place->second;
}

// Only of the very file that ran, with debug data, and in time: else there may be more the next
// time.
std::vector<SymbolFrame> SymbolLookup::look_up(const ModuleIdentity &module, uint64_t offset,
                                               Module &opened)
{
    const auto begin = std::chrono::steady_clock::now();
    if (!opened.symbols)
        opened.symbols = open_module_symbols(module, options_, *deadline_);
    ran_out_of_time_ = ran_out_of_time_ || deadline_->passed();
    if (ran_out_of_time_)
        return {};
    std::vector<SymbolFrame> frames = opened.symbols->frames_at(offset - 1);
    opened.took += std::chrono::steady_clock::now() - begin;
    if (!deadline_->passed() && opened.symbols->problem().empty() &&
        !opened.symbols->is_unproved()) {
        opened.kept.add(module, offset, frames);
        opened.has_more = true;
    }
    return frames;
}

void SymbolLookup::keep_lines() const
{
    if (!uses_cache())
        return;
    for (const auto &[key, module] : modules_)
        if (module.has_more && module.took >= options_.long_look_up)
            cache_.write(key.first, module.kept);
}

PlaceNames SymbolLookup::found() const
{
    PlaceNames names;
    for (const auto &[key, module] : modules_)
        for (const auto &[offset, frames] : module.places)
            names.add({key.second, key.first}, offset, frames);
    return names;
}

std::string SymbolLookup::problem_of(const ModuleIdentity &module) const
{
    const auto at = modules_.find(key_of(module));
    return at == modules_.end() || !at->second.symbols ? "" : at->second.symbols->problem();
}

bool SymbolLookup::is_unproved(const ModuleIdentity &module) const
{
    const auto at = modules_.find(key_of(module));
    return at != modules_.end() && at->second.symbols && at->second.symbols->is_unproved();
}

// ---- readable names -----------------------------------------------------------------------------

// GCC and Clang name the copies of a function that they make: the name, a dot, why, a dot, a
// number.

namespace {

// No compiler makes longer names, and demangling could make them huge.
constexpr size_t longest_name = 16384;

bool is_number(std::string_view text)
{
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Removes the last ".part" that marks a copy; false if there is none.
bool drop_clone_suffix(std::string_view &name, bool &parallel)
{
    static constexpr std::array<std::string_view, 13> kinds = {
        "isra", "part", "cold",    "constprop",  "lto_priv",     "localalias", "clone",
        "llvm", "warm", "_omp_fn", "_omp_cpyfn", "omp_outlined", "specialized"};
    const size_t dot = name.rfind('.');
    if (dot == std::string_view::npos || dot == 0)
        return false;
    const std::string_view last = name.substr(dot + 1);
    const bool known = std::find(kinds.begin(), kinds.end(), last) != kinds.end();
    if (!known && !is_number(last))
        return false;
    parallel = parallel || last == "_omp_fn" || last == "omp_outlined";
    name.remove_suffix(name.size() - dot);
    return true;
}

std::string demangled(const std::string &name)
{
    int status = 0;
    const std::unique_ptr<char, void (*)(void *)> text(
        abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
    return status == 0 && text ? text.get() : name;
}

// "__grid_MOD_exchange" of gfortran; other compilers' names could as well be a procedure's own.
std::string fortran_name(std::string_view name)
{
    constexpr std::string_view separator = "_MOD_";
    const size_t end = name.find(separator);
    if (!name.starts_with("__") || end == std::string_view::npos)
        return std::string(name);
    return std::string(name.substr(2, end - 2)) +
           "::" + std::string(name.substr(end + separator.size()));
}

}  // namespace

std::string readable_name(std::string_view linker_name)
{
    std::string_view name = linker_name.substr(0, longest_name);
    bool parallel = false;
    while (drop_clone_suffix(name, parallel)) {
    }
    if (name == ".omp_outlined")  // Clang before version 17 names no function
        return "[OpenMP]";
    std::string text = name.starts_with("_Z") ? demangled(std::string(name)) : fortran_name(name);
    return parallel ? text + " [OpenMP]" : text;
}

}  // namespace mprof
