/* How the frame of a function is undone: where its caller's registers are.
 *
 * The tables that tell it are those of C++ exceptions (.eh_frame), found by libgcc, which is linked
 * statically. libgcc itself tells neither where a register was saved, nor can it walk a copy of a
 * stack. Called by call_stack.c, which looks for return addresses on a thread's own stack, and by
 * copied_stack.c, on any thread. Nothing is allocated, and no word of the program is read but these
 * tables. The caller sees to it that the code is not unloaded meanwhile.
 */
#ifndef MPROF_UNWIND_RULES_H
#define MPROF_UNWIND_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* As the debugging format numbers them; RETURN has the return address. */
#if defined(__x86_64__)
enum { UNWIND_REGISTERS = 17, UNWIND_STACK_POINTER = 7, UNWIND_RETURN = 16 };
#else
enum { UNWIND_REGISTERS = 32, UNWIND_STACK_POINTER = 31, UNWIND_RETURN = 30 };
#endif

enum unwind_rule_kind {
    RULE_SAME, /* as here */
    RULE_UNKNOWN,
    RULE_SAVED,      /* at the frame's address + value */
    RULE_SUM,        /* the frame's address + value */
    RULE_REGISTER,   /* in the register of that number */
    RULE_SAVED_AT,   /* at the address that an expression gives */
    RULE_EXPRESSION, /* the value of that */
    RULE_FRAME       /* of the frame's address: register + value */
};

struct unwind_bytes {
    const uint8_t *at;
    const uint8_t *end;
    bool failed; /* beyond the end, or something unknown */
};

struct unwind_rule {
    uint8_t kind;
    uint8_t reg;
    int64_t value;
    struct unwind_bytes expression;
};

struct unwind_rules {
    struct unwind_rule of[UNWIND_REGISTERS];
    struct unwind_rule frame;
    bool is_signal; /* what called the function is where it is, not behind a call */
};

/* Those in force at an instruction. False = they are not known. */
bool unwind_rules_at(uint64_t address, struct unwind_rules *rules);

/* An address without its signature: ARM may keep one in the bits that no address needs (pointer
 * authentication). Two addresses are compared without it. */
static inline uint64_t unwind_unsigned(uint64_t address)
{
#if defined(__aarch64__)
    register uint64_t in_x30 __asm__("x30") = address;
    __asm__("hint #7" : "+r"(in_x30)); /* xpaclri, which older processors take for nothing */
    return in_x30;
#else
    return address;
#endif
}

/* ---- reading expressions -----------------------------------------------------------------------
 */

static inline uint64_t unwind_take(struct unwind_bytes *from, size_t count)
{
    uint64_t value = 0;
    if ((size_t)(from->end - from->at) < count) {
        from->failed = true;
        from->at = from->end;
        return 0;
    }
    memcpy(&value, from->at, count);
    from->at += count;
    return value;
}

static inline int64_t unwind_extend(uint64_t value, unsigned bits)
{
    const unsigned unused = bits < 64 ? 64 - bits : 0;
    return (int64_t)(value << unused) >> unused;
}

static inline uint64_t unwind_take_leb128(struct unwind_bytes *from, bool is_signed)
{
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte;
    do {
        byte = (uint8_t)unwind_take(from, 1);
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7fu) << shift;
        shift += 7;
    } while ((byte & 0x80u) != 0);
    return is_signed ? (uint64_t)unwind_extend(value, shift) : value;
}

#endif
