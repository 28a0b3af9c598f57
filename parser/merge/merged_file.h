// Files that hold the rank files of many ranks: the one that the ranks of a node share, and the
// one that `mprof merge` makes of a run. Both are read part by part, by several threads at once.
// Formats: struct mprof_node_header and mprof_merged_header in mprof/format/format.h.
#pragma once

#include "merge/output_file.h"
#include "mprof/format/format.h"
#include "read/file_bytes.h"
#include "read/file_result.h"
#include "read/rank_file.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mprof {

// The file that the ranks of a node share (struct mprof_node_header in mprof/format/format.h): the
// rank files in it, live or finished. They are read on as those of a merged file.

// A rank file in a node file. All of its bytes are in the file, if the file does not shrink.
struct NodePart {
    uint32_t rank = 0;
    uint64_t offset = 0, bytes = 0;
    bool is_live = false;
};

// The parts that hold something, in the order of their ranks.
Result<std::vector<NodePart>> read_node_parts(const OpenFile &file, const std::string &path);

// As the rank's own file would be called.
std::string name_of_part(const NodePart &part);

// A merged file: the rank files of a run in one (struct mprof_merged_header in
// mprof/format/format.h). Read block by block, by several threads at once; only the header and the
// directory stay in memory. A node file is read in the same way: its ranks are taken
// together to blocks.

// No larger block is read; `mprof merge` ends a block at a fraction of this.
inline constexpr uint64_t most_block_bytes = uint64_t{1} << 30U;

// A compressed block, and its facts.
struct MergedBlock {
    mprof_merged_block facts{};
    std::vector<std::byte> stored;
};

// A file in a merged one; `bytes` point into the block.
struct MergedMember {
    std::string name;
    std::span<const std::byte> bytes;
};

class MergedFile {
public:
    // Nothing if the file does not begin as a merged one or that of a node does.
    static std::optional<Result<MergedFile>> open(const std::string &path);

    size_t block_count() const { return blocks_.size(); }
    uint64_t member_count() const;
    const mprof_merged_block &block(size_t number) const { return blocks_[number]; }

    // A block as it is in the file, its checksum checked; of a node file, as in a merged one.
    Result<MergedBlock> stored_block(size_t number) const;
    // The decompressed content of a block, and what is in it.
    Result<std::vector<std::byte>> read_block(size_t number) const;
    Result<std::vector<MergedMember>> members_of(size_t number,
                                                 std::span<const std::byte> content) const;
    // Each rank file of a block, or what is wrong with it; of a damaged block the one error.
    // `memory`: as in parse_rank_file().
    std::vector<Result<RankFile>> read_ranks(size_t number, ReadMemory *memory = nullptr) const;
    // The first rank that can be read, without what it recorded (read_rank_head()). The rest of its
    // block is not decompressed. An error if none of the first few can be.
    Result<RankFile> read_head() const;
    // What is in the blocks without files (struct mprof_names).
    std::vector<Result<std::vector<std::byte>>> read_names() const;

private:
    MergedFile(std::string path, std::shared_ptr<const OpenFile> file)
        : path_(std::move(path)), file_(std::move(file))
    {
    }
    std::optional<FileError> read_directory();
    std::optional<FileError> read_parts();
    std::span<const NodePart> parts_of(size_t number) const;
    Result<std::vector<std::byte>> bytes_of(const NodePart &part) const;
    // As read_block(), into memory that is there already.
    std::optional<FileError> read_into(std::vector<std::byte> &content, size_t number) const;
    Result<RankFile> head_of_block(const mprof_merged_block &block) const;
    std::optional<FileError> join_parts(size_t number, std::vector<std::byte> &content) const;
    void read_again(const NodePart &part, Result<RankFile> &rank, ReadMemory *memory) const;
    Result<MergedBlock> stored(const mprof_merged_block &block) const;
    std::optional<FileError> unpack(const mprof_merged_block &facts,
                                    std::vector<std::byte> &content) const;

    std::string path_;
    std::shared_ptr<const OpenFile> file_;
    std::vector<mprof_merged_block> blocks_, names_;  // with files, and without
    bool is_of_node_ = false;
    std::vector<NodePart> parts_;  // of a node file: of the first block, of the next, and so on
};

// Writes a merged file, for `mprof merge`: blocks are made by several threads at once and written
// one after the other, in an order that does not depend on who was faster.

// A file in a block (struct mprof_merged_member), behind what is in `content`.
void append_member(std::vector<std::byte> &content, const std::string &name,
                   std::span<const std::byte> file);

class BlockMaker {
public:
    // The bytes of a file; a finished rank file is stored as decompressed_rank_file(), anything
    // else as it is.
    void add(const std::string &name, std::span<const std::byte> bytes);
    MergedBlock make() const;

private:
    std::vector<std::byte> content_;
    uint32_t members_ = 0;
};

class MergedWriter {
public:
    // The file is at `path` only after close(); none of `taken` is written over.
    MergedWriter(const std::string &path, const TakenFiles &taken);
    void add(const MergedBlock &block);
    // Of places (struct mprof_names); nothing if empty.
    void add_names(std::span<const std::byte> names);
    // Returns "" or why the file could not be written.
    std::string close();
    bool has_replaced() const { return file_.has_replaced(); }

private:
    void write(std::span<const std::byte> bytes);

    OutputFile file_;
    uint64_t offset_ = 0;
    std::vector<mprof_merged_block> blocks_;
};

// The same rank file as records, which have more in common from rank to rank than columns and are
// read sooner, with nothing compressed; nothing if it is not a sound finished one.
std::vector<std::byte> decompressed_rank_file(std::span<const std::byte> bytes);
// Makes a finished rank file of its sections, which are in `file` behind room for the header: adds
// the directory and the checksums.
void seal_rank_file(std::vector<std::byte> &file, mprof_file_header header,
                    std::span<const mprof_section> sections);

struct MergedCounts {
    uint64_t files = 0, bytes_before = 0, bytes_after = 0;
    uint64_t events = 0;              // files of single calls, which stay in the folder
    bool has_replaced = false;        // another file
    std::vector<FileError> left_out;  // files of the folder that are none of the run
};

// `path` is a profile folder, `target` the file to write, which must not be one of the folder's
// files. A file of the run is one that begins as such a file does, and one with the name of such a
// file, which may be damaged. Nothing else in the folder goes in, and no link (without_links()):
// merged files are passed on to others. Merged files in the folder are taken apart into their
// blocks, so that the merged files of nodes can be merged again. `names` are those of places
// (struct mprof_names), or empty; names that merged files of the folder have are not copied.
Result<MergedCounts> merge_files(const std::string &path, const std::string &target,
                                 bool show_progress, const std::vector<std::byte> &names = {});

}  // namespace mprof
