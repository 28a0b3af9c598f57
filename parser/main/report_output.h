// What the commands write: to standard output, to files, and complaints to stderr.
#pragma once

#include "merge/output_file.h"
#include "read/file_result.h"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

namespace mprof {

// A line on stderr.
void say(const std::string &message);

// What is wrong with a file, and what to do; with `verbose` also where, and the bytes.
void say_error(const FileError &error, bool verbose);
void say_problem(const std::string &plain, const std::string &details, bool verbose);

// Columns of the terminal, at least 80; 80 if the stream is none.
size_t terminal_width(int stream = STDOUT_FILENO);

// The stream is a terminal that shows colours, and the user wants them (no-color.org).
bool wants_colours(int stream = STDOUT_FILENO);

// The user's locale has UTF-8.
bool speaks_utf8();

// The line for a file that was replaced.
void say_replaced(const std::string &path);

bool write_stdout(std::string_view text);
bool write_stderr(std::string_view text);

// Hands over a text piece by piece.
using TextMaker = std::function<void(const std::function<void(std::string_view)> &)>;

// Where a command's output goes. False, with a message on stderr, if it could not be written.
class Outputs {
public:
    // None of these profiles' files is written over.
    explicit Outputs(const std::vector<std::string> &profiles);

    bool write(const std::string &path, const std::string &text);  // "-" = standard output
    bool write_pieces(const std::string &path, const TextMaker &make);
    bool write_files(const std::string &folder,
                     const std::vector<std::pair<std::string, std::string>> &names_and_texts);

private:
    bool write_file(const std::string &path, const TextMaker &make, bool &has_replaced);

    TakenFiles taken_;
};

}  // namespace mprof
