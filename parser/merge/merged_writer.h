// Writes a merged file (merged_file.h): blocks are made by several threads at once and written one
// after the other, in an order that does not depend on who was faster.
#pragma once

#include "merge/merged_file.h"
#include "merge/output_file.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace mprof {

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

}  // namespace mprof
