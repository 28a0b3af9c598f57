// What the commands write: to standard output, to files, and complaints to stderr.
#pragma once

#include <cstddef>
#include <string>

namespace mprof {

// A line on stderr.
void say(const std::string &message);

// Columns of the terminal, at least 80; 80 if standard output is none.
size_t terminal_width();

// False, and said on stderr, if it could not be written.
bool write_stdout(const std::string &text);
bool write_file(const std::string &path, const std::string &text);
bool write_to(const std::string &path, const std::string &text);  // "-" = standard output

}  // namespace mprof
