// Hashes of what calls carried: numbers of messages, and a table that is full.
#include "../record_fixture.h"

extern "C" {
#include "base/options.h"
#include "record/watched/results.h"
}

#include <map>
#include <tuple>
#include <vector>

using namespace mprof_test;

namespace {

constexpr uint64_t memory = 512 << 10;
constexpr uint64_t capacity = memory / sizeof(mprof_result);

void open_results(uint64_t from = 0)
{
    open_record(4 << 20);
    options.results = 1;
    options.results_from = from;
    options.memory_bytes = memory;
    results_open();
}

std::vector<mprof_result> noted()
{
    uint32_t count = 0;
    const mprof_result *table = results_table(&count);
    return {table, table + count};
}

// Any number that depends on both.
uint64_t hash_of_data(uint32_t rank, uint64_t number)
{
    return (rank + 1) * 0x123456789abcdefULL + number * number;
}

void send_number(uint32_t rank, uint64_t number)
{
    const result_call call{7, 1, 3, 1};
    const result_channel channel{MPROF_RESULT_SENT, rank, 5};
    const data_result result{hash_of_data(rank, number), results_next_place(), 0};
    results_note_message(&call, &channel, &result);
}

TEST(Results, MessagesAreNumberedInTheOrderOfPosting)
{
    open_results();
    ASSERT_TRUE(results_are_on());
    const result_call call{7, 1, 3, 1};
    posted_receive *any = receive_post(&call, MPROF_ANY_PEER, MPROF_TAG_ANY);
    posted_receive *second = receive_post(&call, 2, 9);
    posted_receive *other = receive_post(&call, 3, 9);
    const auto arrive = [](posted_receive *receive, int32_t source, uint64_t hash) {
        receive->source = source;
        receive->tag = 9;
        receive->world_source = static_cast<uint32_t>(source);
        receive->result = {hash, results_next_place(), 0};
        receive_arrived(receive);
    };
    arrive(second, 2, 22);
    EXPECT_TRUE(noted().empty());  // the one before it may still bring the first message
    arrive(other, 3, 33);
    arrive(any, 2, 11);
    std::map<std::tuple<uint32_t, uint64_t>, uint64_t> found;
    for (const mprof_result &result : noted())
        found[{result.rank, result.number}] = result.hash;
    const std::map<std::tuple<uint32_t, uint64_t>, uint64_t> expected = {
        {{2, 0}, mprof_result_mix(11, 0)},
        {{2, 1}, mprof_result_mix(22, 1)},
        {{3, 0}, mprof_result_mix(33, 0)}};
    EXPECT_EQ(found, expected);
}

TEST(Results, AWithdrawnReceiveHoldsNothing)
{
    open_results();
    const result_call call{7, 1, 3, 1};
    posted_receive *first = receive_post(&call, 2, 9);
    posted_receive *second = receive_post(&call, 2, 9);
    second->world_source = 2;
    second->result = {22, results_next_place(), 0};
    receive_arrived(second);
    receive_withdraw(first);
    ASSERT_EQ(noted().size(), 1u);
    EXPECT_EQ(noted()[0].hash, mprof_result_mix(22, 0));
}

TEST(Results, AFullTableAddsNeighboursUp)
{
    open_results();
    constexpr uint64_t messages = 20'000;
    constexpr uint32_t ranks = 3;
    for (uint64_t number = 0; number < messages; number++)
        for (uint32_t rank = 0; rank < ranks; rank++)
            send_number(rank, number);
    const uint32_t level = results->level;
    EXPECT_EQ(level, 3u);  // 60,000 / 4 are more than the table has, 60,000 / 8 are not
    EXPECT_LE(noted().size(), capacity);
    uint64_t count = 0;
    for (const mprof_result &result : noted()) {
        uint64_t sum = 0;
        EXPECT_EQ(result.number % (1u << level), 0u);
        for (uint64_t number = result.number; number < result.number + result.count; number++)
            sum += mprof_result_mix(hash_of_data(result.rank, number), number);
        ASSERT_EQ(result.hash, sum);
        EXPECT_EQ(result.place, result.number * ranks + result.rank + 1);
        count += result.count;
    }
    EXPECT_EQ(count, messages * ranks);
}

TEST(Results, FromAPlaceOnHashesAreSingle)
{
    constexpr uint64_t from = 30'001;
    open_results(from);
    constexpr uint64_t messages = 60'000;
    for (uint64_t number = 0; number < messages; number++)
        send_number(1, number);
    uint64_t next = from - 1;
    uint64_t count = 0;
    for (const mprof_result &result : noted()) {
        count += result.count;
        if ((result.flags & (MPROF_RESULT_BEFORE | MPROF_RESULT_REST)) != 0)
            continue;
        ASSERT_EQ(result.number, next);
        ASSERT_EQ(result.hash, mprof_result_mix(hash_of_data(1, next), next));
        next++;
    }
    EXPECT_EQ(count, messages);
    EXPECT_GT(next - from, capacity / 2);
    EXPECT_EQ(noted().front().count, from - 1);
    EXPECT_EQ(noted().back().count, messages - next);
}

TEST(Results, MoreChannelsThanRoomAreMixed)
{
    open_results();
    constexpr uint32_t channels = 10'000;
    for (uint32_t rank = 0; rank < channels; rank++)
        send_number(rank, 0);
    uint64_t count = 0;
    uint64_t mixed = 0;
    for (const mprof_result &result : noted()) {
        count += result.count;
        mixed += (result.flags & MPROF_RESULT_MIXED) != 0 ? result.count : 0;
    }
    EXPECT_EQ(count, channels);
    EXPECT_EQ(mixed, channels - capacity / 4);
}

}  // namespace
