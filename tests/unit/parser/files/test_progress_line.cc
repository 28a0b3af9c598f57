// The line on the terminal while something takes long.
#include "merge/work_on_all.h"

#include <gmock/gmock.h>
#include <pty.h>
#include <thread>
#include <unistd.h>

namespace {

using namespace std::chrono_literals;
using mprof::ProgressLine;
using testing::EndsWith;
using testing::StartsWith;

// stderr is a terminal as long as this lives.
class Terminal {
public:
    Terminal() : before_(dup(STDERR_FILENO))
    {
        int inside = -1;
        EXPECT_EQ(openpty(&outside_, &inside, nullptr, nullptr, nullptr), 0);
        dup2(inside, STDERR_FILENO);
        close(inside);
    }
    // Ends it, and returns what was written. The kernel hands it over in pieces, some of them late;
    // after the last one there is an error, as nobody has the inside open any more.
    std::string text()
    {
        dup2(before_, STDERR_FILENO);
        std::string text;
        std::string piece(1000, ' ');
        for (ssize_t bytes = 0; (bytes = read(outside_, piece.data(), piece.size())) > 0;)
            text.append(piece, 0, static_cast<size_t>(bytes));
        close(outside_);
        close(before_);
        return text;
    }

private:
    int before_, outside_ = -1;
};

TEST(ProgressLines, TellHowFarItIsAndGoAway)
{
    Terminal terminal;
    {
        const ProgressLine line("reading", [] { return std::string(", 37%"); });
        std::this_thread::sleep_for(1300ms);
    }
    const std::string text = terminal.text();
    EXPECT_THAT(text, StartsWith("\rmprof: reading, 37%"));
    EXPECT_THAT(text, EndsWith("\r\033[K"));
}

TEST(ProgressLines, AreNotForWhatIsQuick)
{
    Terminal terminal;
    const auto begin = std::chrono::steady_clock::now();
    {
        const ProgressLine line("reading");
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 900ms) << "it waits for its second";
    dprintf(STDERR_FILENO, "end");
    EXPECT_EQ(terminal.text(), "end");
}

TEST(ProgressLines, AreNotForFiles)
{
    testing::internal::CaptureStderr();
    {
        const ProgressLine line("reading");
        std::this_thread::sleep_for(1100ms);
    }
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
