// How a file error reads: for scripts and for those who look into a file the four facts, always in
// the same order; for people a row of this table.
#include "read/file_result.h"

#include "read/printable_text.h"

#include <array>
#include <fmt/format.h>

namespace mprof {
namespace {

// {0}: what was expected, {1}: what was found.
struct TroubleText {
    FileTrouble trouble;
    const char *wrong, *advice;
};

constexpr std::array<TroubleText, 19> trouble_texts = {{
    {FileTrouble::damaged, "the file is damaged",
     "If it is a copy, copy it again; without it, the report covers the other ranks"},
    {FileTrouble::absent, "there is no such file or folder",
     "Look at its name: ls -d *.mprof lists the profiles here"},
    {FileTrouble::unreadable, "it cannot be read ({1})",
     "Its owner can allow it: chmod -R go+rX FOLDER"},
    {FileTrouble::elsewhere, "the record is not here ({1})",
     "Read the profile on the node where its ranks ran"},
    {FileTrouble::other_kind, "this file is not part of a profile",
     "Name the folder that mprof run made, or a file in it"},
    {FileTrouble::no_machine, "expected {0}",
     "mprof machine -o FILE -- mpirun -n 4 measures this machine"},
    {FileTrouble::events, "this file holds the single calls of a rank (--events), not a profile",
     "mprof trace reads it with its profile folder: name that folder"},
    {FileTrouble::empty_folder, "there is no profile in this folder",
     "Either the program has not called MPI_Init yet, or its profile is in another folder"},
    {FileTrouble::none_readable, "no file in it can be read as part of a profile",
     "Name the folder that mprof run made, or copy it again; --verbose shows what was found"},
    {FileTrouble::empty_file, "the file is empty",
     "The rank was killed before it could write, or the disk was full"},
    {FileTrouble::cut_off, "the file is cut off",
     "If it is a copy, copy it again; otherwise, the disk may have been full"},
    {FileTrouble::newer, "another version of mprof wrote it",
     "Read it with the mprof that came with that libmprof.so"},
    {FileTrouble::other_run, "the file belongs to another run, and is left out",
     "Move it to a folder of its own"},
    {FileTrouble::left_out, "this file is not part of the run, and is left out",
     "It stays in the folder, unchanged"},
    {FileTrouble::link, "this is a link, and is left out, because a link may lead to any file",
     "If that file is of the run, copy it into the folder"},
    {FileTrouble::twice, "found {1}: this one is left out",
     "The report is complete. The file may be a copy, or the rank was killed while its file was "
     "replaced"},
    {FileTrouble::no_such_part, "{0} is not in it ({1})",
     "Leave the number out, or use another one"},
    {FileTrouble::too_large, "it is too large for the memory ({1})",
     "Read it on a machine with more memory"},
    {FileTrouble::not_written, "it cannot be written ({1})", "Name another file with -o"},
}};

std::string filled(std::string text, const FileError &error)
{
    const std::array<const std::string *, 2> facts = {&error.expected, &error.found};
    for (size_t i = 0; i < facts.size(); i++) {
        const std::string mark = fmt::format("{{{}}}", i);
        if (const size_t place = text.find(mark); place != std::string::npos)
            text.replace(place, mark.size(), printable_text(*facts.at(i)));
    }
    return text;
}

}  // namespace

std::string describe(const FileError &error)
{
    return fmt::format("{}: offset {}: expected {}, found {}", printable_text(error.file),
                       error.offset, printable_text(error.expected), printable_text(error.found));
}

std::string explain(const FileError &error)
{
    for (const TroubleText &row : trouble_texts)
        if (row.trouble == error.trouble)
            return fmt::format("{}: {}. {}", printable_text(error.file), filled(row.wrong, error),
                               row.advice);
    return describe(error);
}

}  // namespace mprof
