// A value, or why a file could not give it.
//
// Everything in parser/ that looks at a rank file returns Result<T>. An error is a value: which
// file, at which byte, what was expected there and what was found. Nobody throws because of what a
// file contains, so one damaged rank never takes the other ranks' report away.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace mprof {

// What is wrong with a file, for people; file_result.cc has a row of words for each.
enum class FileTrouble {
    damaged,
    absent,
    unreadable,
    elsewhere,   // a link that leads nowhere here
    other_kind,  // no file of a profile
    no_machine,  // not what mprof machine wrote, and no log that it knows
    events,      // a rank's single calls
    empty_folder,
    none_readable,
    empty_file,
    cut_off,
    newer,
    other_run,
    left_out,      // no file of the run, though it is in its folder
    link,          // in the folder of a run, to whatever it leads
    twice,         // its rank is also in another file
    no_such_part,  // the world or the rank that was asked for
    too_large,
    not_written
};

struct FileError {
    std::string file;
    uint64_t offset = 0;  // from the file's begin
    std::string expected;
    std::string found;
    bool is_rank_file = true;  // false: it does not even begin as one does
    FileTrouble trouble = FileTrouble::damaged;
};

// "FILE: offset N: expected X, found Y", in printable ASCII whatever the file's name is.
std::string describe(const FileError &error);

// "FILE: what is wrong. What to do.", without offsets and bytes; as printable.
std::string explain(const FileError &error);

template <class T>
class Result {
public:
    Result(T value) : content_(std::move(value)) {}
    Result(FileError error) : content_(std::move(error)) {}

    bool ok() const { return std::holds_alternative<T>(content_); }
    T &value() { return std::get<T>(content_); }
    const T &value() const { return std::get<T>(content_); }
    const FileError &error() const { return std::get<FileError>(content_); }

private:
    std::variant<T, FileError> content_;
};

}  // namespace mprof
