// What a command writes, a file or a folder as a whole, and what it may not replace. Both are
// written under another name next to their place and renamed at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <set>
#include <string>
#include <utility>

namespace mprof {

// A file that a command writes, and what it may not replace.
//
//   OutputFile file(path, inputs);
//   file.write(data, bytes);
//   const std::string problem = file.finish();
//
// It is written under another name next to its place and is renamed in finish(), when it is
// complete. If anything fails, the file that was there before stays. Pipes and devices are written
// to as they are. A symbolic link is followed if this user or root made it.

// The files that a command reads, and those that it has written: by device and inode, so that a
// link to one of them is also seen.
class TakenFiles {
public:
    // A file, or a profile folder with all that is in it.
    void add_profile(const std::string &path);
    void add(const std::string &path);
    bool has(uint64_t device, uint64_t inode) const;

private:
    std::set<std::pair<uint64_t, uint64_t>> files_;
};

class OutputFile {
public:
    OutputFile(const std::string &path, const TakenFiles &taken);
    ~OutputFile();
    OutputFile(const OutputFile &) = delete;
    OutputFile &operator=(const OutputFile &) = delete;

    // finish() reports errors of this function.
    void write(const void *data, size_t bytes);
    void rewind();
    // Returns "" or why it could not be written.
    std::string finish();
    // After finish(): was there a file with something in it before?
    bool has_replaced() const { return has_replaced_; }

private:
    void open(const std::string &path, const TakenFiles &taken);
    void open_as_it_is(int descriptor);
    void make_beside();
    void look_at(const std::string &path, const TakenFiles &taken);
    void keep_mode_and_owner(int descriptor);

    std::FILE *stream_ = nullptr;
    std::string place_;   // where it shall be, links followed; "" = nothing is renamed
    std::string beside_;  // where it is until finish(); "" = nothing to remove
    std::string problem_;
    bool has_replaced_ = false;
};

// A folder that a command writes as a whole:
//
//   OutputFolder folder(path);
//   ... write files into folder.beside(), which is not there yet ...
//   const std::string problem = folder.finish();
//
// It has another name next to its place until finish(), as an OutputFile. A folder with something
// in it is never replaced.
class OutputFolder {
public:
    explicit OutputFolder(const std::string &path);
    ~OutputFolder();
    OutputFolder(const OutputFolder &) = delete;
    OutputFolder &operator=(const OutputFolder &) = delete;

    // "" or why it cannot be written.
    const std::string &problem() const { return problem_; }
    const std::string &beside() const { return beside_; }
    // Returns "" or why it could not be written.
    std::string finish();

private:
    std::string place_;   // without slashes at its end
    std::string beside_;  // "" = nothing to remove
    std::string problem_;
};

}  // namespace mprof
