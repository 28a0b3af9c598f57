/* Reading the code of a call (given_argument.h). The kernel reads the code, because the bytes
 * before a call may not be mapped.
 *
 * The last instruction that writes %rsi is looked for backwards, and from there to the call every
 * instruction is decoded. An unknown instruction (AVX, string instructions) counts as a use of
 * %rsi. If the instruction holds the address that it writes, the caller's argument confirms the
 * decoding. Otherwise the decoding must end exactly where the call begins. */
#define _GNU_SOURCE
#include "interpose/given_argument.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#if defined(__x86_64__)

enum { WINDOW = 80, RSI = 6 };

static bool read_code(uintptr_t address, void *buffer, size_t bytes)
{
    struct iovec local = {buffer, bytes};
    struct iovec remote = {(void *)address, bytes}; /* NOLINT(performance-no-int-to-ptr) */
    return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)bytes;
}

static int32_t read_offset(const uint8_t *code)
{
    int32_t offset;
    memcpy(&offset, code, sizeof offset);
    return offset;
}

static bool slot_holds(uintptr_t slot, const void *entry)
{
    uintptr_t value = 0;
    return read_code(slot, &value, sizeof value) && value == (uintptr_t)entry;
}

/* A stub of the procedure linkage table: jmp *slot(%rip), perhaps after endbr64 and bnd. */
static bool leads_to(uintptr_t stub, const void *entry)
{
    static const uint8_t endbr[] = {0xf3, 0x0f, 0x1e, 0xfa};
    uint8_t code[16];
    if (stub == (uintptr_t)entry)
        return true;
    if (!read_code(stub, code, sizeof code))
        return false;
    size_t at = memcmp(code, endbr, sizeof endbr) == 0 ? sizeof endbr : 0;
    at += code[at] == 0xf2;
    return code[at] == 0xff && code[at + 1] == 0x25 &&
           slot_holds(stub + at + 6 + (uintptr_t)(intptr_t)read_offset(code + at + 2), entry);
}

/* How long the call instruction is that ends at `end`; 0 = it calls something else. */
static size_t call_bytes(const uint8_t *end, uintptr_t return_address, const void *entry)
{
    uintptr_t target = return_address + (uintptr_t)(intptr_t)read_offset(end - 4);
    if (end[-5] == 0xe8 && leads_to(target, entry))
        return 5;
    return end[-6] == 0xff && end[-5] == 0x15 && slot_holds(target, entry) ? 6 : 0;
}

struct operand {
    size_t bytes; /* of modrm, SIB and displacement */
    unsigned reg, rm;
    bool in_memory;
    bool uses_rsi; /* as address, or as the register of `rm` */
};

static struct operand read_operand(const uint8_t *code, unsigned rex)
{
    unsigned mod = code[0] >> 6;
    unsigned rm = code[0] & 7u;
    struct operand operand = {1, (code[0] >> 3 & 7u) | (rex & 4u) << 1, rm | (rex & 1u) << 3,
                              mod != 3, (rm | (rex & 1u) << 3) == RSI};
    if (mod == 3)
        return operand;
    if (rm == 4) {
        unsigned base = code[1] & 7u;
        unsigned index = (code[1] >> 3 & 7u) | (rex & 2u) << 2;
        operand.bytes++;
        operand.uses_rsi = (base | (rex & 1u) << 3) == RSI || index == RSI;
        operand.bytes += mod == 0 && base == 5 ? 4 : 0;
    }
    operand.bytes += mod == 1 ? 1 : mod == 2 || (mod == 0 && rm == 5) ? 4 : 0;
    return operand;
}

/* The length of an instruction with two opcode bytes after the first; 0 = unknown, a jump, or it
 * uses %rsi. */
static size_t pass_two_bytes(const uint8_t *code, unsigned rex)
{
    uint8_t op = code[0];
    struct operand operand = read_operand(code + 1, rex);
    bool vector = (op >= 0x10 && op <= 0x17) ||
                  (op >= 0x28 && op <= 0x2f && op != 0x2a && op != 0x2c && op != 0x2d) ||
                  (op >= 0x51 && op <= 0x6d) || op == 0x6f || op == 0x7f || op == 0xc6 ||
                  (op >= 0xd0 && op != 0xd7);
    bool general = op == 0x1e || op == 0x1f || (op >= 0x40 && op <= 0x4f) || op == 0x2a ||
                   op == 0x6e || op == 0x7e || op == 0xaf || op == 0xb6 || op == 0xb7 ||
                   op == 0xbe || op == 0xbf || (op >= 0x90 && op <= 0x9f);
    if (vector)
        return operand.in_memory && operand.uses_rsi ? 0 : 1 + operand.bytes + (op == 0xc6);
    return general && !operand.uses_rsi && operand.reg != RSI ? 1 + operand.bytes : 0;
}

/* Bytes of the immediate operand of an opcode with a modrm byte; -1 = it is none of these. */
static int immediate_bytes(uint8_t op, unsigned extension)
{
    if (op < 0x40 && (op & 7) < 4)
        return 0;
    if (op == 0x63 || (op >= 0x84 && op <= 0x8b) || op == 0x8d || (op >= 0xd0 && op <= 0xd3))
        return 0;
    if (op == 0x6b || op == 0x80 || op == 0x83 || op == 0xc0 || op == 0xc1 || op == 0xc6)
        return 1;
    if (op == 0x69 || op == 0x81 || op == 0xc7)
        return 4;
    if (op == 0xf6 || op == 0xf7)
        return extension > 1 ? 0 : op == 0xf6 ? 1 : 4;
    return op == 0xfe || (op == 0xff && extension < 2) ? 0 : -1;
}

static bool has_extension(uint8_t op)
{
    return op == 0x80 || op == 0x81 || op == 0x83 || op >= 0xc0;
}

/* Opcodes without a modrm byte. */
static size_t pass_plain(const uint8_t *code, unsigned rex, bool narrow)
{
    uint8_t op = code[0];
    unsigned reg = (op & 7u) | (rex & 1u) << 3;
    if (op == 0x90 || op == 0x98 || op == 0x99)
        return 1;
    if (op >= 0x50 && op <= 0x5f)
        return reg == RSI ? 0 : 1;
    if (op == 0xa8 || op == 0x6a || (op < 0x40 && (op & 7) == 4))
        return 2;
    if (op == 0xa9 || op == 0x68 || (op < 0x40 && (op & 7) == 5))
        return narrow ? 3 : 5;
    if (op >= 0xb8 && op <= 0xbf)
        return reg == RSI ? 0 : rex & 8u ? 9 : narrow ? 3 : 5;
    return 0;
}

/* The length of one instruction that does not touch %rsi and goes on with the next one, else 0. */
static size_t passable_length(const uint8_t *code)
{
    const uint8_t *at = code;
    bool narrow = false;
    for (; *at == 0x66 || *at == 0xf2 || *at == 0xf3; at++)
        narrow = narrow || *at == 0x66;
    unsigned rex = (*at & 0xf0) == 0x40 ? *at++ : 0;
    size_t before = (size_t)(at - code);
    if (*at == 0x0f) {
        size_t bytes = pass_two_bytes(at + 1, rex);
        return bytes == 0 ? 0 : before + 1 + bytes;
    }
    struct operand operand = read_operand(at + 1, rex);
    int immediate = immediate_bytes(*at, operand.reg & 7u);
    if (immediate < 0) {
        size_t bytes = pass_plain(at, rex, narrow);
        return bytes == 0 ? 0 : before + bytes;
    }
    if (operand.uses_rsi || (operand.reg == RSI && !has_extension(*at)))
        return 0;
    return before + 1 + operand.bytes + (size_t)(immediate == 4 && narrow ? 2 : immediate);
}

/* The length of an instruction at `code`, which is at `address`, that makes %rsi `value`, else 0.
 */
static size_t write_bytes(const uint8_t *code, uintptr_t address, uintptr_t value)
{
    if (code[0] == 0xbe)
        return (uint32_t)read_offset(code + 1) == value ? 5 : 0;
    if ((code[0] & 0xf8) != 0x48)
        return 0;
    unsigned rex = code[0];
    if (code[1] == 0xbe && rex == 0x48)
        return memcmp(code + 2, &value, sizeof value) == 0 ? 10 : 0;
    struct operand operand = read_operand(code + 2, rex);
    if (code[1] == 0xc7)
        return !operand.in_memory && operand.rm == RSI &&
                       (uintptr_t)(intptr_t)read_offset(code + 3) == value
                   ? 7
                   : 0;
    if (code[1] == 0x89)
        return !operand.in_memory && operand.rm == RSI ? 3 : 0;
    if ((code[1] != 0x8d && code[1] != 0x8b) || operand.reg != RSI)
        return 0;
    bool from_here = code[1] == 0x8d && (code[2] & 0xc7) == 5; /* lea offset(%rip) */
    uintptr_t target = address + 7 + (uintptr_t)(intptr_t)read_offset(code + 3);
    return from_here && target != value ? 0 : 2 + operand.bytes;
}

bool second_argument_was_given(const void *return_address, const void *argument, const void *entry)
{
    enum { AFTER = 16 }; /* what is decoded may reach beyond the window's end */
    uint8_t code[WINDOW + AFTER] = {0};
    uintptr_t end = (uintptr_t)return_address;
    if (entry == NULL || !read_code(end - WINDOW, code, WINDOW))
        return false;
    size_t length = call_bytes(code + WINDOW, end, entry);
    if (length == 0)
        return false;
    size_t call = WINDOW - length;
    for (size_t begin = call; begin-- > 0;) {
        size_t bytes = write_bytes(code + begin, end - WINDOW + begin, (uintptr_t)argument);
        size_t at = begin + bytes;
        while (bytes != 0 && at < call && (bytes = passable_length(code + at)) != 0)
            at += bytes;
        if (bytes != 0 && at == call)
            return true;
    }
    return false;
}

#else

bool second_argument_was_given(const void *return_address, const void *argument, const void *entry)
{
    (void)return_address;
    (void)argument;
    (void)entry;
    return false;
}

#endif
