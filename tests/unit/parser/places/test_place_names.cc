// Names of places that a merged file keeps: what is put in comes out, what is known better stays,
// and no byte of a damaged one is believed.
#include "symbols/symbol_lookup.h"

#include <cstring>
#include <gmock/gmock.h>

namespace {

using namespace mprof;
using testing::ElementsAre;

const ModuleIdentity app = {"/home/me/app", "abcd"};
const ModuleIdentity library = {"/opt/lib/libwave.so", ""};

SymbolFrame frame(const std::string &function, const std::string &file = "", uint32_t line = 0)
{
    return {function, file, line, false};
}

MATCHER_P(IsFrame, expected, "")
{
    return arg.function == expected.function && arg.file == expected.file &&
           arg.line == expected.line && arg.inlined == expected.inlined;
}

PlaceNames decoded(const std::vector<std::byte> &content)
{
    PlaceNames names;
    EXPECT_TRUE(names.decode(content));
    return names;
}

TEST(KeptNames, ComeBackByBuildIdOrFileName)
{
    PlaceNames names;
    SymbolFrame inlined = frame("dot(double*)", "dot.h", 7);
    inlined.inlined = true;
    names.add(app, 16, {inlined, frame("solve", "solve.cc", 40)});
    names.add(library, 16, {frame("wave_step")});
    const PlaceNames back = decoded(names.encode());
    const ModuleIdentity moved = {"app", "abcd"};
    ASSERT_NE(back.find(moved, 16), nullptr);
    EXPECT_THAT(*back.find(moved, 16),
                ElementsAre(IsFrame(inlined), IsFrame(frame("solve", "solve.cc", 40))));
    ASSERT_NE(back.find({"libwave.so", ""}, 16), nullptr);
    EXPECT_THAT(*back.find({"libwave.so", ""}, 16), ElementsAre(IsFrame(frame("wave_step"))));
    EXPECT_EQ(back.find(moved, 17), nullptr);
    EXPECT_EQ(back.find({"/home/me/app", "abce"}, 16), nullptr);
    EXPECT_TRUE(PlaceNames().encode().empty());
}

TEST(KeptNames, OfSeveralFilesTheOneWithALineCounts)
{
    PlaceNames without, with;
    without.add(app, 16, {frame("solve")});
    with.add(app, 16, {frame("solve", "solve.cc", 40)});
    for (const bool first : {false, true}) {
        PlaceNames names;
        EXPECT_TRUE(names.decode((first ? with : without).encode()));
        EXPECT_TRUE(names.decode((first ? without : with).encode()));
        EXPECT_THAT(*names.find(app, 16), ElementsAre(IsFrame(frame("solve", "solve.cc", 40))));
    }
}

TEST(KeptNames, LinesAreDroppedButThoseThatWereKnown)
{
    PlaceNames known;
    known.add(app, 16, {frame("solve", "solve.cc", 40)});
    PlaceNames names = decoded(known.encode());
    names.add(app, 32, {frame("main", "main.cc", 9)});
    names.drop_lines(known);
    EXPECT_THAT(*names.find(app, 16), ElementsAre(IsFrame(frame("solve", "solve.cc", 40))));
    EXPECT_THAT(*names.find(app, 32), ElementsAre(IsFrame(frame("main"))));
    names.drop_lines({});
    EXPECT_THAT(*names.find(app, 16), ElementsAre(IsFrame(frame("solve"))));
}

TEST(KeptNames, AnyPieceOfThemIsReadOrRefused)
{
    PlaceNames names;
    for (uint64_t offset = 1; offset < 20; offset++)
        names.add(app, offset, {frame("solve", "solve.cc", 40)});
    const std::vector<std::byte> whole = names.encode();
    for (size_t bytes = 0; bytes < whole.size(); bytes++)
        EXPECT_FALSE(PlaceNames().decode({whole.data(), bytes})) << bytes;
    for (size_t at = 0; at < whole.size(); at++) {
        std::vector<std::byte> changed = whole;
        changed[at] ^= std::byte{0xff};
        PlaceNames().decode(changed);  // must not read beyond it (AddressSanitizer)
    }
}

// A few bytes of a file must not become gigabytes of texts.
TEST(KeptNames, OfHostileSizeAreCutOff)
{
    PlaceNames names;
    const std::string text(1U << 20U, 'x');
    for (uint64_t offset = 1; offset <= 1000; offset++)
        names.add(app, offset, {frame(text)});
    EXPECT_FALSE(PlaceNames().decode(names.encode()));
}

TEST(KeptNames, StandInForAModuleThatIsNotThere)
{
    PlaceNames kept;
    kept.add(app, 16, {frame("solve", "solve.cc", 40)});
    SymbolLookup symbols({}, kept);
    EXPECT_THAT(symbols.frames_at(app, 16), ElementsAre(IsFrame(frame("solve", "solve.cc", 40))));
    EXPECT_TRUE(symbols.frames_at(app, 17).empty());
    EXPECT_NE(symbols.found().find(app, 16), nullptr);
    EXPECT_EQ(symbols.found().find(app, 17), nullptr);
    SymbolOptions off;
    off.enabled = false;
    SymbolLookup unwanted(off, kept);
    EXPECT_TRUE(unwanted.frames_at(app, 16).empty());
}

}  // namespace
