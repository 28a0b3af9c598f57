// `mprof merge`: puts the files of a profile folder into one (merged_file.h). Blocks are made by
// several threads at once and written one after the other, in an order that does not depend on who
// was faster.
#pragma once

#include "merge/merged_file.h"
#include "merge/output_file.h"
#include "read/file_result.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mprof {

// Writes a merged file (merged_file.h): blocks are made by several threads at once and written one
// after the other, in an order that does not depend on who was faster.

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
// Makes a finished rank file of its sections, which lie in `file` behind room for the header: adds
// the directory and the checksums.
void seal_rank_file(std::vector<std::byte> &file, mprof_file_header header,
                    std::span<const mprof_section> sections);

struct MergedCounts {
    uint64_t files = 0, bytes_before = 0, bytes_after = 0;
    bool has_replaced = false;        // another file
    std::vector<FileError> left_out;  // files of the folder that are none of the run
};

// `path` is a profile folder, `target` the file to write, which must not be one of the folder's
// files. A file of the run is one that begins as such a file does, and one with the name of such a
// file, which may be damaged. Nothing else goes in, whatever lies in the folder or is linked there:
// merged files are passed on to others. Merged files in the folder are taken apart into their
// blocks, so that the merged files of nodes can be merged again. `names` are those of places
// (struct mprof_names), or empty; names that merged files of the folder have are not copied.
Result<MergedCounts> merge_files(const std::string &path, const std::string &target,
                                 bool show_progress, const std::vector<std::byte> &names = {});

}  // namespace mprof
