// What comes from a file must not reach the terminal as a command.
#include "read/printable_text.h"

#include <gtest/gtest.h>

namespace {

using namespace mprof;

TEST(PrintableText, AsciiOnly)
{
    EXPECT_EQ(printable_ascii("plain ~text"), "plain ~text");
    EXPECT_EQ(printable_ascii("\x1b[31mred\x7f"), "\\x1b[31mred\\x7f");
    EXPECT_EQ(printable_ascii("a\nb\tc\rd"), "a\\nb\\tc\\rd");
    EXPECT_EQ(printable_ascii(std::string("\0", 1)), "\\x00");
    EXPECT_EQ(printable_ascii("\xc3\xa4"), "\\xc3\\xa4");
}

TEST(PrintableText, Utf8StaysUnlessItControlsSomething)
{
    EXPECT_EQ(printable_utf8("gr\xc3\xbc\xc3\x9f dich"), "gr\xc3\xbc\xc3\x9f dich");
    EXPECT_EQ(printable_utf8("\xe2\x82\xac \xf0\x9f\x98\x80"), "\xe2\x82\xac \xf0\x9f\x98\x80");
    EXPECT_EQ(printable_utf8("\xc2\x9b"
                             "31m"),
              "\\xc2\\x9b"
              "31m")
        << "C1 control";
    EXPECT_EQ(printable_utf8("\xe2\x80\xae"), "\\xe2\\x80\\xae") << "right-to-left override";
    EXPECT_EQ(printable_utf8("\xc3"), "\\xc3") << "cut";
    EXPECT_EQ(printable_utf8("\xc0\xaf"), "\\xc0\\xaf") << "longer than needed";
    EXPECT_EQ(printable_utf8("\xe0\x80\xaf"), "\\xe0\\x80\\xaf") << "longer than needed";
    EXPECT_EQ(printable_utf8("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "surrogate";
    EXPECT_EQ(printable_utf8("\xf5\x80\x80\x80"), "\\xf5\\x80\\x80\\x80");
}

TEST(PrintableText, IsAsTheTerminalShowsIt)
{
    const std::string name = "gr\xc3\xbc\xc3\x9f\x1b";
    EXPECT_EQ(printable_text(name), "gr\\xc3\\xbc\\xc3\\x9f\\x1b");
    set_utf8_shown(true);
    EXPECT_EQ(printable_text(name), "gr\xc3\xbc\xc3\x9f\\x1b");
    {
        const AsciiShown ascii;
        EXPECT_EQ(printable_text("\xc3\xbc"), "\\xc3\\xbc");
    }
    EXPECT_EQ(printable_text("\xc3\xbc"), "\xc3\xbc");
    set_utf8_shown(false);
}

TEST(PrintableText, ColumnsAreThoseOfATerminal)
{
    EXPECT_EQ(columns_of_text("abc"), 3U);
    EXPECT_EQ(columns_of_text("gr\xc3\xbc\xc3\x9f"), 4U);
    EXPECT_EQ(columns_of_text("u\xcc\x88"), 1U) << "a mark above a letter";
    EXPECT_EQ(columns_of_text("\xe8\xae\xa1\xe7\xae\x97"), 4U) << "two Chinese letters";
    EXPECT_EQ(first_columns("gr\xc3\xbc\xc3\x9f", 3), "gr\xc3\xbc");
    EXPECT_EQ(first_columns("\xe8\xae\xa1\xe7\xae\x97", 3), "\xe8\xae\xa1");
    EXPECT_EQ(last_columns("gr\xc3\xbc\xc3\x9f", 2), "\xc3\xbc\xc3\x9f");
    EXPECT_EQ(last_columns("abc", 5), "abc");
}

}  // namespace
