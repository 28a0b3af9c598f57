// The screen of mprof top, by its text: a planted view of ranks one of which all others wait for.
#include "planted_view.h"
#include "render/text/top/render_screen.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <sstream>

namespace {

using namespace mprof;
using namespace mprof_test;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Le;
using testing::Not;

constexpr ScreenSize small = {80, 24}, large = {120, 40};
constexpr ScreenStyle ascii = {}, utf8 = {false, true}, coloured = {true, true};

std::vector<std::string> lines_of(const std::string &text)
{
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
        lines.push_back(line);
    return lines;
}

// Characters, not bytes, without the sequences of colours.
size_t characters(const std::string &line)
{
    size_t count = 0;
    bool is_sequence = false;
    for (const char byte : line) {
        if (byte == '\033')
            is_sequence = true;
        else if (is_sequence)
            is_sequence = byte != 'm';
        else
            count += (static_cast<unsigned char>(byte) & 0xc0U) != 0x80U ? 1U : 0U;
    }
    return count;
}

std::vector<size_t> widths_of(const std::string &text)
{
    std::vector<size_t> widths;
    for (const std::string &line : lines_of(text))
        widths.push_back(characters(line));
    return widths;
}

TEST(Screen, At80By24)
{
    LiveView view = planted_view(64, 37);
    for (size_t bin = 0; bin < 40; bin++)
        view.waiting_by_time.push_back(bin < 4 ? 0 : bin < 9 ? 0.95 : 0.2);
    EXPECT_EQ(render_screen(view, {}, small, ascii),
              R"( mprof top  cg.x  64 ranks on 16 nodes  41.4 s  solve 3, 79.0 ms... last 2.00 s
! LOAD IMBALANCE: Rank 37 on node09 computes 1.51x as long, and the others wait.

  = compute 58%  / off CPU 0%  w waiting 32%  t transfer 10%
  [===========================================wwwwwwwwwwwwwwwwwwwwwwwwttttttt]
  waiting since the start:     @@@@@:::::::::::::::::::::::::::::::

  rank  +0       +1       +2       +3       +4       +5       +6       +7
     0  ====wwt  ====wwt  ====wwt  ====wwt  ====wwt  ====wwt  ====wwt  ====wwt
     8  ====wwt  ====wwt  ====wwt  ====wwt  ====wwt  ====wwt  ====wwt  ====wwt
    16  ====wwt  ====wwt  ====wwt  ====wwt  ====wwt  ====wwt  ====wwt  ====wwt
    24  ====wwt  ====wwt  ====wwt  ====wwt  ====wwt  ====wwt  ====wwt  ====wwt
    32  ====wwt  ====wwt  ====wwt  ====wwt  ====wwt  ======t< ====wwt  ====wwt
    40  ====wwt  ====wwt  ====wwt  ====wwt  ====wwt  ====wwt  ====wwt  ====wwt
    48  ====wwt  ====wwt  ====wwt  ====wwt  ====wwt  ====wwt  ====wwt  ====wwt
    56  ====wwt  ====wwt  ====wwt  ====wwt  ====wwt  ====wwt  ====wwt  ====wwt

  who waits for whom                        call sites            time  waiting
   63 ranks > 37   Allreduce at cg.c:211    cg.c:211 Allreduce     27%      27%
    5 ranks > 12   Waitall at cg.c:187      cg.c:187 Waitall       11%       3%
                                            cg.c:233 Allreduce      2%       1%
  now: 59 in MPI, 4 compute
  rank 37: computes for 31.0 ms since MPI_Waitall at cg.c:187
 arrows rank  Enter stack  w waits  c call sites  n nodes  s sort  p pause  q
)");
}

TEST(Screen, FitsEveryTerminal)
{
    for (const uint32_t ranks : {1U, 2U, 7U, 64U, 65U, 512U, 5000U})
        for (const ScreenSize &size : {small, large, ScreenSize{80, 50}, ScreenSize{200, 24}})
            for (const ScreenStyle &style : {ascii, utf8, coloured})
                for (const TopPanel panel : {TopPanel::ranks, TopPanel::stack, TopPanel::waits,
                                             TopPanel::sites, TopPanel::nodes}) {
                    TopState state;
                    state.panel = panel;
                    const auto widths = widths_of(
                        render_screen(planted_view(ranks, ranks / 2), state, size, style));
                    EXPECT_EQ(widths.size(), size.height) << ranks << " ranks, " << size.width;
                    EXPECT_THAT(widths, Each(Le(size.width))) << ranks << " ranks";
                }
}

TEST(Screen, IsTheSameWithoutColours)
{
    const std::string with = render_screen(planted_view(64, 37), {}, large, coloured);
    const std::string without = render_screen(planted_view(64, 37), {}, large, utf8);
    EXPECT_THAT(without, Not(HasSubstr("\033")));
    EXPECT_THAT(with, HasSubstr("\033[38;5;208m"));
    std::string stripped;
    bool is_sequence = false;
    for (const char byte : with) {
        is_sequence = is_sequence || byte == '\033';
        if (!is_sequence)
            stripped += byte;
        is_sequence = is_sequence && byte != 'm';
    }
    // Spaces at the end of a line have a colour in the title.
    EXPECT_THAT(lines_of(stripped)[9], lines_of(without)[9]);
    EXPECT_THAT(without, HasSubstr("node09    36 "));
    EXPECT_THAT(without, HasSubstr("37 ███████▓◀"));
}

TEST(Screen, At120By40HasNodesListsAndPhases)
{
    LiveView view = planted_view(64, 37);
    PhaseRow phase;
    phase.name = "set-up";
    phase.from_s = 1;
    phase.to_s = 8.2;
    phase.mpi_percent = 73;
    phase.wait_s = 4.31;
    phase.slowest_rank = 0;
    phase.slowest_over = 1.2;
    phase.state = Judgement::problem;
    view.phases = {phase, phase};
    const auto lines = lines_of(render_screen(view, {}, large, ascii));
    EXPECT_EQ(lines[5], "");
    EXPECT_EQ(lines[6], "  node        ranks                                                   "
                        "who waits for whom");
    EXPECT_THAT(lines[16], HasSubstr("  node09    "));
    EXPECT_THAT(lines[16], HasSubstr("37 =======t<"));
    EXPECT_EQ(lines[25],
              "  ! set-up                   1.0     8.2     73%    4.31 s  0, 1.20 times");
    EXPECT_THAT(lines[26], HasSubstr("   1.0     now"));
    EXPECT_THAT(lines[37], HasSubstr("node09, CPU 1, 1.52 GiB   compute 88%, waiting 0%"));
    EXPECT_THAT(lines[39], HasSubstr("q quit"));
}

TEST(Screen, ManyRanksAreACharacterEach)
{
    LiveView view = planted_view(300, 130);
    for (size_t rank = 64; rank < 128; rank++)
        view.rank_bars[rank].mostly = TimeState::waiting;
    const auto lines = lines_of(render_screen(view, {}, small, ascii));
    EXPECT_EQ(lines[8], "     0  " + std::string(64, '='));
    EXPECT_EQ(lines[9], "    64  " + std::string(64, 'w'));
    EXPECT_EQ(lines[10], "   128  ==<" + std::string(61, '='));
    EXPECT_EQ(lines[12], "   256  " + std::string(44, '='));
}

// Of 65,536 ranks one computes longer and another one nothing but waits.
TEST(Screen, AGroupShowsItsOutlier)
{
    LiveView view = planted_view(65536, 40000);
    view.rank_bars[1000].over_median = 0.1;
    view.rank_bars[1000].mostly = TimeState::waiting;
    const std::string text = render_screen(view, {}, small, ascii);
    EXPECT_THAT(text, HasSubstr("ranks and shows the most unusual one"));
    EXPECT_EQ(std::count(text.begin(), text.end(), '<'), 1);
    const auto lines = lines_of(text);
    size_t waiting = 0;
    for (size_t i = 8; i < 16; i++)
        waiting += static_cast<size_t>(std::count(lines[i].begin(), lines[i].end(), 'w'));
    EXPECT_EQ(waiting, 1U);
}

TEST(Screen, ShowsTheStackAndTheLastCallsOfTheRankUnderTheCursor)
{
    LiveView view = planted_view(64, 37);
    LastCallRow call;
    call.rank = 37;
    call.call = "MPI_Waitall";
    call.place = "cg.c:187";
    call.began_s = 41.25;
    call.time_s = 0.001;
    view.last_calls = {call};
    TopState state;
    press_key(TopKey::enter, view, 8, state);
    const std::string text = render_screen(view, state, small, ascii);
    EXPECT_THAT(text, HasSubstr("  rank 37, node09, CPU 1, 1.52 GiB\n"));
    EXPECT_THAT(text, HasSubstr("  < cg.c:211 solve\n  < cg.c:40 main\n"));
    EXPECT_THAT(text, HasSubstr("    41.250000   1.00 ms MPI_Waitall"));
    press_key(TopKey::right, view, 8, state);
    EXPECT_THAT(render_screen(view, state, small, ascii),
                HasSubstr("its last calls are not known"));
}

TEST(Screen, WhatCameFromAFileCannotChangeTheTerminal)
{
    LiveView view = planted_view(2, 1);
    view.program = "evil\033[2J";
    view.waits[0].place = "a\033b";
    view.rank_bars[1].now = "\033]0;x\007";
    EXPECT_THAT(render_screen(view, {}, small, ascii), Not(HasSubstr("\033")));
}

TEST(TopKeys, ArriveInPieces)
{
    std::string bytes = "w\033[A\033";
    EXPECT_THAT(take_keys(bytes), ElementsAre(TopKey::waits, TopKey::up));
    EXPECT_EQ(bytes, "\033");
    bytes += "[";
    EXPECT_THAT(take_keys(bytes), IsEmpty());
    bytes += "Bq\033OCx\033[1;2D";
    EXPECT_THAT(take_keys(bytes),
                ElementsAre(TopKey::down, TopKey::quit, TopKey::right, TopKey::left));
    EXPECT_THAT(bytes, IsEmpty());
}

TEST(TopKeys, MoveTheCursorFromTheRankThatIsWaitedFor)
{
    const LiveView view = planted_view(64, 37);
    TopState state;
    EXPECT_EQ(row_at_cursor(view, state), 37U);
    press_key(TopKey::down, view, 8, state);
    EXPECT_EQ(row_at_cursor(view, state), 45U);
    press_key(TopKey::left, view, 8, state);
    EXPECT_EQ(row_at_cursor(view, state), 44U);
    press_key(TopKey::up, view, 8, state);
    EXPECT_EQ(row_at_cursor(view, state), 36U);
    for (int i = 0; i < 10; i++)
        press_key(TopKey::up, view, 8, state);
    EXPECT_EQ(row_at_cursor(view, state), 4U) << "not out of the list";
}

TEST(TopKeys, SortByComputing)
{
    const LiveView view = planted_view(64, 37);
    TopState state;
    press_key(TopKey::sort, view, 8, state);
    EXPECT_EQ(order_of_ranks(view, state).front(), 37U);
    EXPECT_THAT(render_screen(view, state, small, ascii), HasSubstr("        37 ====<  0 ==ww"));
}

TEST(TopKeys, OpenAndClosePanels)
{
    const LiveView view = planted_view(4, 1);
    TopState state;
    press_key(TopKey::waits, view, 8, state);
    EXPECT_EQ(state.panel, TopPanel::waits);
    press_key(TopKey::sites, view, 8, state);
    EXPECT_EQ(state.panel, TopPanel::sites);
    press_key(TopKey::sites, view, 8, state);
    EXPECT_EQ(state.panel, TopPanel::ranks);
    press_key(TopKey::nodes, view, 8, state);
    press_key(TopKey::back, view, 8, state);
    EXPECT_EQ(state.panel, TopPanel::ranks);
    press_key(TopKey::pause, view, 8, state);
    EXPECT_TRUE(state.paused);
    EXPECT_THAT(render_screen(view, state, small, ascii), HasSubstr("paused"));
    press_key(TopKey::quit, view, 8, state);
    EXPECT_TRUE(state.quit);
}

}  // namespace
