// Writes the inputs that fuzzing begins with: make_corpus GOLDEN FOLDER FILE...
//
//   FOLDER/rank_file     the golden rank files, as they are and decompressed
//   FOLDER/merged_file   a merged file, the content of a block, and a node file
//   FOLDER/events        a file of single calls with two rings
//   FOLDER/elf           the FILEs
//   FOLDER/text, FOLDER/command_line
#include "merge/folder_reader.h"
#include "merge/merged_file.h"
#include "read/file_bytes.h"

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::byte>;

void write(const fs::path &path, const Bytes &bytes)
{
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char *>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
}

void write(const fs::path &path, const std::string &text)
{
    std::ofstream(path, std::ios::binary) << text;
}

Bytes read(const fs::path &path)
{
    const std::ifstream file(path, std::ios::binary);
    std::string text = (std::stringstream() << file.rdbuf()).str();
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

void write_rank_files(const fs::path &golden, const fs::path &folder)
{
    for (const auto &entry : fs::recursive_directory_iterator(golden)) {
        if (entry.path().extension() != ".mprof")
            continue;
        const std::string name =
            entry.path().parent_path().filename().string() + "-" + entry.path().filename().string();
        const Bytes bytes = read(entry.path());
        write(folder / name, bytes);
        if (const Bytes plain = mprof::decompressed_rank_file(bytes); !plain.empty())
            write(folder / ("plain-" + name), plain);
    }
}

void write_merged(const fs::path &golden, const fs::path &folder)
{
    const fs::path merged = folder / "merged";
    if (!mprof::merge_files((golden / "finished").string(), merged.string(), false).ok())
        return;
    const auto file = mprof::MergedFile::open(merged.string());
    Bytes content = file->value().read_block(0).value();
    content.insert(content.begin(), std::byte{4});
    write(folder / "block", content);
    Bytes whole = read(merged);
    whole.insert(whole.begin(), std::byte{0});
    write(merged, whole);
}

// A live one, because it has no checksum: a finished rank and a live one.
void write_node_file(const fs::path &golden, const fs::path &folder)
{
    Bytes finished;
    for (const auto &entry : fs::directory_iterator(golden / "finished"))
        finished = read(entry.path());
    mprof_node_header header{};
    std::memcpy(header.magic, MPROF_NODE_MAGIC, MPROF_MAGIC_BYTES);
    header.major = MPROF_FORMAT_MAJOR;
    header.state = MPROF_FILE_LIVE;
    header.first_part = sizeof header;
    header.part_stride = sizeof(mprof_node_part);
    header.parts = 2;
    const uint64_t begin = sizeof header + 2 * sizeof(mprof_node_part);
    const mprof_node_part records[2] = {
        {MPROF_FILE_FINISHED, 0, 0, 0, begin, finished.size()},
        {MPROF_FILE_LIVE, 1, begin + finished.size(), sizeof(mprof_file_header), 0, 0}};
    mprof_file_header live{};
    std::memcpy(live.magic, MPROF_MAGIC, MPROF_MAGIC_BYTES);
    live.major = MPROF_FORMAT_MAJOR;
    live.state = MPROF_FILE_LIVE;
    Bytes file(1 + begin);
    std::memcpy(file.data() + 1, &header, sizeof header);
    std::memcpy(file.data() + 1 + sizeof header, records, sizeof records);
    file.insert(file.end(), finished.begin(), finished.end());
    const auto *bytes = reinterpret_cast<const std::byte *>(&live);
    file.insert(file.end(), bytes, bytes + sizeof live);
    write(folder / "node", file);
}

// A full ring that begins anew in its middle, and one that is half full.
void write_events(const fs::path &folder)
{
    constexpr uint32_t ring_items = 64, rings = 2;
    Bytes file(4096 + rings * ring_items * sizeof(mprof_last_call));
    mprof_file_header header{};
    std::memcpy(header.magic, MPROF_MAGIC, MPROF_MAGIC_BYTES);
    header.major = MPROF_FORMAT_MAJOR;
    header.state = MPROF_FILE_LIVE;
    header.directory_offset = sizeof header;
    header.section_count = rings;
    header.ranks = 1;
    std::memcpy(file.data(), &header, sizeof header);
    for (uint32_t ring = 0; ring < rings; ring++) {
        mprof_section section{};
        section.type = MPROF_SECTION_EVENTS;
        section.number = ring;
        section.stored_bytes = ring_items * sizeof(mprof_last_call);
        section.offset = 4096 + ring * section.stored_bytes;
        section.record_bytes = sizeof(mprof_last_call);
        std::memcpy(&file[sizeof header + ring * sizeof section], &section, sizeof section);
        for (uint32_t i = 0; i < ring_items / (ring + 1); i++) {
            const uint32_t at = ring == 0 ? (i + ring_items / 2) % ring_items : i;
            const bool is_call = i % 3 == 2;
            mprof_last_call item{};
            item.start_ticks = 1000 + (i - i % 3) * uint64_t{10};
            item.ticks = is_call ? 5 : 0;
            item.function = static_cast<uint16_t>(is_call ? 7 : MPROF_MESSAGE_SENT + i % 3);
            item.communicator = 1;
            std::memcpy(&file[section.offset + at * sizeof item], &item, sizeof item);
        }
    }
    write(folder / "rings", file);
}

}  // namespace

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    const fs::path golden = argv[1], folder = argv[2];
    for (const char *target : {"rank_file", "merged_file", "events", "elf", "text", "command_line"})
        fs::create_directories(folder / target);
    write_rank_files(golden, folder / "rank_file");
    write_merged(golden, folder / "merged_file");
    write_node_file(golden, folder / "merged_file");
    write_events(folder / "events");
    for (int i = 3; i < argc; i++)
        write(folder / "elf" / std::to_string(i), read(argv[i]));
    for (const char *text : {"_ZN5mprof4TextC2Ev", "__solver_MOD_step", "main._omp_fn.0", "a,b",
                             "5%", "\033[31m", "/opt/a b/libmprof.so:/lib/x.so"})
        write(folder / "text" / std::to_string(std::hash<std::string>()(text)), text);
    int line = 0;
    for (const char *words :
         {"report\nf\n--json\n-", "run\n-o\nx\n--\nmpirun\n-n\n4\n./a",
          "diff\na,b\nc\n--fail-if-slower\n5%", "hang\nf\n--json\nx\n--world\n1", "merge\nf",
          "hang\nf", "--version", "report\n--help"})
        write(folder / "command_line" / std::to_string(line++), words);
    return 0;
}
