// The handle table finds what was entered. It never finds what another thread entered under the
// same number meanwhile.
#include "record_fixture.h"

using namespace mprof_test;

namespace {

TEST(Handles, FindsWhatWasEnteredUnderThisKindOnly)
{
    ASSERT_TRUE(handles_open(32 << 20));
    handle_enter(HANDLE_REQUEST, 0x2c000001)->request.bytes = 11;
    EXPECT_EQ(handle_find(HANDLE_COMM, 0x2c000001).seen, 0u);
    handle found = handle_find(HANDLE_REQUEST, 0x2c000001);
    ASSERT_NE(found.seen, 0u);
    EXPECT_EQ(found.payload->request.bytes, 11u);
    EXPECT_TRUE(handle_remove(found));
    EXPECT_EQ(handle_find(HANDLE_REQUEST, 0x2c000001).seen, 0u);
}

TEST(Handles, DoesNotRemoveAHandleThatWasGivenOutAgain)
{
    ASSERT_TRUE(handles_open(32 << 20));
    handle_enter(HANDLE_REQUEST, 0x7f0000001000);
    handle completing = handle_find(HANDLE_REQUEST, 0x7f0000001000);
    handle_enter(HANDLE_REQUEST, 0x7f0000001000)->request.bytes = 22;  // the library reused it
    EXPECT_FALSE(handle_remove(completing));
    EXPECT_EQ(handle_find(HANDLE_REQUEST, 0x7f0000001000).payload->request.bytes, 22u);
}

TEST(Handles, HoldsAHundredThousandAtOnce)
{
    ASSERT_TRUE(handles_open(32 << 20));
    constexpr uint64_t count = 100000;
    for (uint64_t i = 1; i <= count; i++) {
        union handle_payload *payload = handle_enter(HANDLE_REQUEST, i * 0x180);
        ASSERT_NE(payload, nullptr);
        payload->request.bytes = i;
    }
    for (uint64_t i = 1; i <= count; i++) {
        handle found = handle_find(HANDLE_REQUEST, i * 0x180);
        ASSERT_NE(found.seen, 0u);
        ASSERT_EQ(found.payload->request.bytes, i);
        ASSERT_TRUE(handle_remove(found));
    }
    EXPECT_EQ(handle_find(HANDLE_REQUEST, 0x180).seen, 0u);
}

TEST(Handles, TakeNoMoreThanTheirCeiling)
{
    constexpr size_t ceiling = 1 << 20;
    constexpr size_t bytes_each = sizeof(uint64_t) + sizeof(union handle_payload);
    ASSERT_TRUE(handles_open(ceiling));
    uint64_t entered = 0;
    for (uint64_t i = 1; i <= 100000; i++)
        entered += handle_enter(HANDLE_REQUEST, i * 0x180) != nullptr ? 1U : 0U;
    EXPECT_LE(entered * bytes_each, ceiling);
    EXPECT_GE(entered * bytes_each, ceiling / 2);  // and use what they may
    for (uint64_t i = 1; i <= 100000; i++)
        entered -= handle_remove(handle_find(HANDLE_REQUEST, i * 0x180)) ? 1U : 0U;
    EXPECT_EQ(entered, 0u);
    EXPECT_NE(handle_enter(HANDLE_REQUEST, 0x180), nullptr);
}

}  // namespace
