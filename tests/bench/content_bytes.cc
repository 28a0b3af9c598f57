// Bytes of a rank file's sections before compression, for the benchmark: one line per type, "NUMBER
// BYTES RECORDS". A type that has several sections has several lines. NUMBER is mprof_section_type.
//
//   content_bytes FILE
//
// Exit status 1 and a sentence if the file is none.
#include "read/file_bytes.h"
#include "read/file_layout.h"

#include <cstdio>
#include <fmt/format.h>

int main(int count, char **arguments)
{
    if (count != 2)
        return 2;
    const auto bytes = mprof::read_file_bytes(arguments[1]);
    if (!bytes.ok())
        return 1;
    const auto opened = mprof::open_rank_file(bytes.value(), arguments[1]);
    if (!opened.ok()) {
        fmt::print(stderr, "{}: not a rank file\n", arguments[1]);
        return 1;
    }
    for (const mprof_section &section : opened.value().layout.sections)
        fmt::print("{} {} {}\n", section.type, section.stored_bytes,
                   section.record_bytes ? section.stored_bytes / section.record_bytes : 0);
    return 0;
}
