// Nesting: only the program's own calls are recorded, also after one of them was left by a jump.
#include <csetjmp>

#include "record_fixture.h"

extern "C" {
#include "record/calls/call.h"
}

using namespace mprof_test;

namespace {

constexpr uint16_t send = 7;

__attribute__((noinline)) bool nested_call_is_recorded()
{
    struct call call;
    return call_begin(&call, send);
}

std::jmp_buf place;

__attribute__((noinline)) void call_that_is_left()
{
    struct call call;
    ASSERT_TRUE(call_begin(&call, send));
    std::longjmp(place, 1);  // as an error handler of the program may do
}

TEST(Nesting, ACallInsideACallIsNotRecorded)
{
    use_fake_mpi();
    struct call call;
    ASSERT_TRUE(call_begin(&call, send));
    EXPECT_FALSE(nested_call_is_recorded());
    call_start(&call, call_function(&call));
    call_stop(&call);
    call_end(&call);
    EXPECT_EQ(sum_entries(call.recorder).calls, 1u);
    EXPECT_EQ(thread_state.depth, 0u);
}

TEST(Nesting, RecordingGoesOnAfterACallWasLeftByAJump)
{
    use_fake_mpi();
    if (setjmp(place) == 0)
        call_that_is_left();
    struct call call;
    ASSERT_TRUE(call_begin(&call, send));
    EXPECT_FALSE(nested_call_is_recorded());
    call_start(&call, call_function(&call));
    call_stop(&call);
    call_end(&call);
    EXPECT_EQ(sum_entries(call.recorder).calls, 1u);
}

}  // namespace
