/* When polls read the clock, and what the others take (gpu_polls.h). */
#include "record/calls/gpu_polls.h"

#include "base/clock.h"

/* What is learned is halved now and then, so that it follows the loop. Of a hot one at most one in
 * so many polls comes after long computing, which is not learned. A stretch is usual up to half as
 * much again as is expected. */
enum { LEARN_FROM = 256, POLLS_FOR_A_SLOW_ONE = 16 };

static bool is_at_place(const struct gpu_poll_loop *loop)
{
    return loop->last.return_address == loop->now.return_address && loop->last.cfa == loop->now.cfa;
}

bool gpu_polls_follows(const struct gpu_poll_loop *loop)
{
    return !loop->is_broken && is_at_place(loop) && loop->last.kernel == loop->now.kernel &&
           loop->last.mpi_ticks == loop->now.mpi_ticks &&
           loop->last.mpi_polls == loop->now.mpi_polls;
}

bool gpu_polls_goes_untimed(struct gpu_poll_loop *loop)
{
    if (loop->left == 0 || !gpu_polls_follows(loop))
        return false;
    loop->left--;
    loop->pending++;
    return true;
}

static void learn(struct gpu_poll_loop *loop, uint64_t ticks, uint64_t gap, uint64_t hot_ticks)
{
    const bool is_slow = gap >= hot_ticks;
    loop->slow += is_slow;
    loop->timed += !is_slow;
    loop->timed_ticks += is_slow ? 0 : ticks;
    loop->gap_ticks += is_slow ? 0 : gap;
    if (loop->timed == LEARN_FROM) {
        loop->slow /= 2;
        loop->timed /= 2;
        loop->timed_ticks /= 2;
        loop->gap_ticks /= 2;
    }
}

static bool is_hot(const struct gpu_poll_loop *loop, uint64_t hot_ticks)
{
    return loop->timed >= GPU_POLLS_TO_BE_HOT && loop->slow * POLLS_FOR_A_SLOW_ONE <= loop->timed &&
           loop->timed_ticks + loop->gap_ticks < loop->timed * hot_ticks;
}

void gpu_polls_timed(struct gpu_poll_loop *loop, uint64_t start_ticks, uint64_t end_ticks,
                     uint64_t hot_ticks)
{
    const bool follows = gpu_polls_follows(loop);
    if (!is_at_place(loop))
        *loop = (struct gpu_poll_loop){.now = loop->now, .to_time = GPU_POLLS_TIMED};
    else if (follows && !loop->has_no_gap)
        learn(loop, end_ticks - start_ticks, start_ticks - loop->last_ticks, hot_ticks);
    loop->last = loop->now;
    loop->is_broken = false;
    loop->has_no_gap = false;
    loop->last_ticks = end_ticks;
    loop->left = 0;
    if (!is_hot(loop, hot_ticks) || loop->to_time-- > 0)
        return;
    loop->to_time = GPU_POLLS_TIMED;
    loop->left = GPU_POLLS_UNTIMED;
}

uint64_t gpu_polls_settle(struct gpu_poll_loop *loop, uint64_t now_ticks, enum gpu_polls_end end)
{
    const uint64_t polls = loop->pending * loop->timed_ticks; /* times `timed` */
    const uint64_t gaps = (loop->pending + (end == GPU_POLLS_BEFORE)) * loop->gap_ticks;
    const uint64_t passed = now_ticks - loop->last_ticks;
    const bool is_usual =
        end != GPU_POLLS_ELSEWHERE && 2 * passed * loop->timed <= 3 * (polls + gaps);
    const uint64_t part = is_usual           ? scale_uint64(passed, polls, polls + gaps)
                          : loop->timed != 0 ? polls / loop->timed
                                             : 0;
    loop->pending = 0;
    loop->left = 0;
    loop->last_ticks = now_ticks;
    loop->has_no_gap = true;
    return part < passed ? part : passed;
}
