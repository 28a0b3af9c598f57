"""Programs with a floating-point environment of their own."""

from case import ALL_BUILDS, Case, TakeOut

RELEASE = TakeOut("restoring the flags",
                  "libmprof/base/float_state.h", "const uint32_t word = (uint32_t)state;",
                  "uint32_t word; __asm__ volatile(\"stmxcsr %0\" : \"=m\"(word)); word |= "
                  "(uint32_t)state & 0x1fff; "
                  "word = (word & 0x3f) | (uint32_t)state;")
SAMPLES = TakeOut("the sample's deadline without doubles", "libmprof/record/cpu/samples.c",
                  "scale_uint64(samples.interval_ns, now_ticks - samples.begin_ticks, ns)",
                  "(uint64_t)((double)samples.interval_ns * ((double)(now_ticks - "
                  "samples.begin_ticks) / (double)ns))")
SHARES = TakeOut("sharing time among requests without doubles", "libmprof/wrap/completions.h",
                 "weights > 0 ? (call->ticks << bits) / weights : 0",
                 "weights > 0 ? (uint64_t)((double)(call->ticks << bits) / (double)weights) : 0")

CASES = [
    Case("float_state",
         "floating-point flags, rounding and denormals are looked at after MPI calls",
         builds=ALL_BUILDS,
         options=("--", "-lm"), summary="text", says=(".*",), take_outs=[RELEASE, SHARES]),
    Case("float_traps", "inexact results are SIGFPE (feenableexcept)",
         source="float_state.c", arguments=("traps",),
         options=("--", "-lm"), take_outs=[SAMPLES, SHARES]),
]
