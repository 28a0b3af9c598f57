// The words of a command line, which libmprof notes as one could type it: a word with a blank in it
// stands in quotes ('my data/sim A' -n 4).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mprof {

// Without their quotes. The last word may have been cut: then its quote does not end.
std::vector<std::string> command_words(std::string_view command);

// As a shell takes it for one word.
std::string quoted_word(const std::string &word);

// The words in quotes where they need them, with blanks between.
std::string command_of(const std::vector<std::string> &words);

// What is behind the last "/" of a path.
std::string without_folder(const std::string &path);

}  // namespace mprof
