// Text that came from a file or a file name, made safe for a terminal, a log and a grep; and the
// words of a command line. Any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mprof {

// Printable ASCII stays; every other byte becomes \xNN (tab and line ends \t \n \r), a backslash
// stays one.
std::string printable_ascii(std::string_view text);

// As above, but well-formed UTF-8 of printable characters stays; for files that are UTF-8 by
// contract (CSV).
std::string printable_utf8(std::string_view text);

// For people at a terminal: printable_utf8() where that shows it, else printable_ascii(), as
// set_utf8_shown() said. A text that went through it once stays as it is.
std::string printable_text(std::string_view text);

// Of the process: main() says it once, before anything is printed. At first it is false.
void set_utf8_shown(bool is_shown);

// Columns of a terminal that a printable text takes: combining characters none, those of East Asia
// two.
size_t columns_of_text(std::string_view text);
// The begin of a printable text, and its end, in at most so many columns; no character is cut.
std::string first_columns(std::string_view text, size_t columns);
std::string last_columns(std::string_view text, size_t columns);

// While it lives, what is printed is ASCII: for files that are the same wherever they are written.
class AsciiShown {
public:
    AsciiShown();
    ~AsciiShown();
    AsciiShown(const AsciiShown &) = delete;
    AsciiShown &operator=(const AsciiShown &) = delete;

private:
    bool before_;
};

// The words of a command line, which libmprof notes as one could type it: a word with a blank in it
// is in quotes ('my data/sim A' -n 4).

// Without their quotes. The last word may have been cut: then its quote does not end.
std::vector<std::string> command_words(std::string_view command);

// As a shell takes it for one word.
std::string quoted_word(const std::string &word);

// The words in quotes where they need them, with blanks between.
std::string command_of(const std::vector<std::string> &words);

// What is behind the last "/" of a path.
std::string without_folder(const std::string &path);

}  // namespace mprof
