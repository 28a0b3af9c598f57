// Everything that gets into a line is escaped here, so that no renderer can forget it.
#include "render/text/text_line.h"

#include "read/printable_text.h"

#include <algorithm>

namespace mprof {

TextLine &TextLine::left(size_t column, std::string_view text)
{
    line_.resize(std::max(line_.size() + 1, column - 1), ' ');
    line_ += printable_ascii(text);
    return *this;
}

TextLine &TextLine::right(size_t column, std::string_view text)
{
    const std::string safe = printable_ascii(text);
    const size_t begin = column > safe.size() ? column - safe.size() : 0;
    line_.resize(std::max(line_.size() + 1, begin), ' ');
    line_ += safe;
    return *this;
}

std::string TextLine::finished() const
{
    const size_t end = line_.find_last_not_of(' ');
    return line_.substr(0, end + 1) + "\n";
}

std::vector<std::string> fold_words(std::string_view text, size_t width)
{
    std::vector<std::string> lines(1);
    const std::string safe = printable_ascii(text);
    size_t at = 0;
    while (at < safe.size()) {
        const size_t space = std::min(safe.find(' ', at), safe.size());
        std::string word = safe.substr(at, space - at);
        at = space + 1;
        if (word.empty())
            continue;
        const size_t used = lines.back().size();
        if (used > 0 && used + 1 + word.size() <= width) {
            lines.back() += ' ' + word;
            continue;
        }
        if (used > 0)
            lines.emplace_back();
        for (; word.size() > width; word.erase(0, width)) {
            lines.back() = word.substr(0, width);
            lines.emplace_back();
        }
        lines.back() = word;
    }
    return lines;
}

std::string keyed_sentence(std::string_view key, std::string_view sentence, size_t width)
{
    std::string text;
    if (sentence.empty())
        return text;
    for (const std::string &line : fold_words(sentence, width - value_column + 1)) {
        TextLine out;
        if (text.empty())
            out.left(3, key).left(13, ":");
        text += out.left(value_column, line).finished();
    }
    return text;
}

std::string banner(std::string_view version, size_t width)
{
    std::string line = "##mprof " + shortened(version, 30) + " ";
    line.resize(std::max(width, line.size()), '#');
    return line + "\n";
}

std::string shortened(std::string_view text, size_t width)
{
    std::string safe = printable_ascii(text);
    if (safe.size() <= width)
        return safe;
    return safe.substr(0, width - 3) + "...";
}

}  // namespace mprof
