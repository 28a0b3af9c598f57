/* The rules of a function's frame (unwind_rules.h): the call frame instructions of DWARF, as gcc,
 * clang and assemblers write them into .eh_frame (the Linux Standard Base describes that section,
 * the DWARF standard, chapter 6.4, the instructions).
 *
 * Find the description of the function, and carry out its instructions up to the address. */
#include "record/paths/unwind_rules.h"

#include <stddef.h>
#include <string.h>

/* Of libgcc. `function` becomes the address of the function's begin. */
struct unwind_bases {
    void *text;
    void *data;
    void *function;
};
/* NOLINTNEXTLINE(bugprone-reserved-identifier): it is its name */
extern const void *_Unwind_Find_FDE(void *address, struct unwind_bases *bases);

/* ---- reading tables -------------------------------------------------------------------------- */

static struct unwind_bytes take_block(struct unwind_bytes *from)
{
    uint64_t count = unwind_take_leb128(from, false);
    if (count > (uint64_t)(from->end - from->at)) {
        from->failed = true;
        count = 0;
    }
    struct unwind_bytes block = {from->at, from->at + count, false};
    from->at += count;
    return block;
}

static void skip_pointer(struct unwind_bytes *from, uint8_t encoding)
{
    static const uint8_t sizes[16] = {8, 0, 2, 4, 8, 0, 0, 0, 8, 0, 2, 4, 8};
    const uint8_t size = sizes[encoding & 0x0fu];
    from->failed = from->failed || size == 0 || (encoding & 0x70u) == 0x50;
    unwind_take(from, size);
}

/* ---- a function's description ---------------------------------------------------------------- */

struct description {
    struct unwind_bytes common; /* instructions of the functions that share this */
    struct unwind_bytes own;
    uint64_t begin;
    uint64_t code_factor;
    int64_t data_factor;
    uint8_t encoding;
    bool has_lengths; /* augmentation data, and how long they are */
    bool is_signal;   /* what called the function is where it is, not behind a call */
};

static struct unwind_bytes entry_at(const uint8_t *address)
{
    uint32_t length;
    memcpy(&length, address, sizeof length);
    const bool is_long = length == UINT32_MAX;
    address += sizeof length;
    return (struct unwind_bytes){address, is_long ? address : address + length, is_long};
}

static void read_augmentation(struct unwind_bytes *from, const char *letters,
                              struct description *about)
{
    struct unwind_bytes data = take_block(from);
    for (; *letters != '\0' && !data.failed; letters++)
        switch (*letters) {
        case 'R':
            about->encoding = (uint8_t)unwind_take(&data, 1);
            break;
        case 'P':
            skip_pointer(&data, (uint8_t)unwind_take(&data, 1));
            break;
        case 'L':
            unwind_take(&data, 1);
            break;
        case 'S':
            about->is_signal = true;
            break;
        case 'B': /* by which key return addresses are signed */
        case 'G': /* memory is tagged */
            break;
        default:
            data.failed = true;
        }
    from->failed = from->failed || data.failed;
}

static bool read_common(const uint8_t *address, struct description *about)
{
    struct unwind_bytes from = entry_at(address);
    const bool is_common = unwind_take(&from, 4) == 0;
    const uint64_t version = unwind_take(&from, 1);
    const char *letters = (const char *)from.at;
    while (unwind_take(&from, 1) != 0)
        ;
    about->code_factor = unwind_take_leb128(&from, false);
    about->data_factor = (int64_t)unwind_take_leb128(&from, true);
    const uint64_t counter =
        version == 1 ? unwind_take(&from, 1) : unwind_take_leb128(&from, false);
    if (!is_common || (version != 1 && version != 3) || counter != UNWIND_RETURN || from.failed)
        return false;
    about->has_lengths = letters[0] == 'z';
    if (about->has_lengths)
        read_augmentation(&from, letters + 1, about);
    about->common = from;
    return !from.failed && (about->has_lengths || letters[0] == '\0');
}

static bool describe_code(uint64_t address, struct description *about)
{
    struct unwind_bases bases = {NULL, NULL, NULL};
    void *at = (void *)(uintptr_t)address; /* NOLINT(performance-no-int-to-ptr) */
    const uint8_t *found = _Unwind_Find_FDE(at, &bases);
    *about = (struct description){.begin = (uint64_t)(uintptr_t)bases.function};
    if (found == NULL)
        return false;
    struct unwind_bytes from = entry_at(found);
    const uint8_t *distance_at = from.at;
    const uint64_t distance = unwind_take(&from, 4);
    if (distance == 0 || from.failed || !read_common(distance_at - distance, about))
        return false;
    skip_pointer(&from, about->encoding);         /* where the function begins */
    skip_pointer(&from, about->encoding & 0x0fu); /* how long it is */
    if (about->has_lengths)
        take_block(&from);
    about->own = from;
    return !from.failed;
}

/* ---- the rules that its instructions make ---------------------------------------------------- */

enum { KEPT_RULES = 3 };

struct machine {
    const struct description *about;
    const struct unwind_rules *initial; /* NULL: these are being made */
    struct unwind_rules now;
    struct unwind_rules kept[KEPT_RULES];
    int kept_count;
    uint64_t address; /* that the next instructions hold from */
};

enum operand { NO, REG, UNSIGNED, SIGNED, BYTE, HALF, WORD, BLOCK };

/* What an instruction does, and with what. */
enum action {
    UNKNOWN,
    NOTHING,
    ADVANCE,
    SET,
    RESTORE,
    KEEP,
    TAKE_BACK,
    FRAME_BOTH,
    FRAME_REGISTER,
    FRAME_VALUE,
    FRAME_EXPRESSION
};

struct instruction {
    uint8_t action;
    uint8_t first;
    uint8_t second;
    uint8_t rule;  /* of SET */
    int8_t factor; /* of the second operand, or of the only one: 1, or 0 = the data's, -1 = less it
                    */
};

static const struct instruction instructions[0x30] = {
    [0x00] = {NOTHING, NO, NO, 0, 1},
    [0x02] = {ADVANCE, NO, BYTE, 0, 1},
    [0x03] = {ADVANCE, NO, HALF, 0, 1},
    [0x04] = {ADVANCE, NO, WORD, 0, 1},
    [0x05] = {SET, REG, UNSIGNED, RULE_SAVED, 0},
    [0x06] = {RESTORE, REG, NO, 0, 1},
    [0x07] = {SET, REG, NO, RULE_UNKNOWN, 1},
    [0x08] = {SET, REG, NO, RULE_SAME, 1},
    [0x09] = {SET, REG, UNSIGNED, RULE_REGISTER, 1},
    [0x0a] = {KEEP, NO, NO, 0, 1},
    [0x0b] = {TAKE_BACK, NO, NO, 0, 1},
    [0x0c] = {FRAME_BOTH, REG, UNSIGNED, 0, 1},
    [0x0d] = {FRAME_REGISTER, REG, NO, 0, 1},
    [0x0e] = {FRAME_VALUE, NO, UNSIGNED, 0, 1},
    [0x0f] = {FRAME_EXPRESSION, NO, BLOCK, 0, 1},
    [0x10] = {SET, REG, BLOCK, RULE_SAVED_AT, 1},
    [0x11] = {SET, REG, SIGNED, RULE_SAVED, 0},
    [0x12] = {FRAME_BOTH, REG, SIGNED, 0, 0},
    [0x13] = {FRAME_VALUE, NO, SIGNED, 0, 0},
    [0x14] = {SET, REG, UNSIGNED, RULE_SUM, 0},
    [0x15] = {SET, REG, SIGNED, RULE_SUM, 0},
    [0x16] = {SET, REG, BLOCK, RULE_EXPRESSION, 1},
    [0x2c] = {NOTHING, NO, NO, 0, 1},       /* the return address is signed from here on, or no */
    [0x2d] = {NOTHING, NO, NO, 0, 1},       /* more: whoever reads it takes the signature off */
    [0x2e] = {NOTHING, NO, UNSIGNED, 0, 1}, /* the arguments' size */
    [0x2f] = {SET, REG, UNSIGNED, RULE_SAVED, -1},
};

/* Registers beyond those of the copy (floating point) are read as number UNWIND_REGISTERS. */
static uint64_t take_operand(struct unwind_bytes *from, uint8_t operand, struct unwind_bytes *block)
{
    uint64_t value = 0;
    switch (operand) {
    case BYTE:
        return unwind_take(from, 1);
    case HALF:
        return unwind_take(from, 2);
    case WORD:
        return unwind_take(from, 4);
    case REG:
        value = unwind_take_leb128(from, false);
        return value < UNWIND_REGISTERS ? value : UNWIND_REGISTERS;
    case UNSIGNED:
        return unwind_take_leb128(from, false);
    case SIGNED:
        return unwind_take_leb128(from, true);
    case BLOCK:
        *block = take_block(from);
        return 0;
    default:
        return 0;
    }
}

static int64_t factor_of(const struct instruction *what, const struct machine *machine)
{
    if (what->factor == 1)
        return 1;
    return what->factor == 0 ? machine->about->data_factor : -machine->about->data_factor;
}

static void restore_register(struct machine *machine, uint64_t reg)
{
    if (reg < UNWIND_REGISTERS && machine->initial != NULL)
        machine->now.of[reg] = machine->initial->of[reg];
}

/* False = this cannot be done. */
static bool carry_out(struct machine *machine, const struct instruction *what, uint64_t reg,
                      struct unwind_rule rule)
{
    struct unwind_rules *now = &machine->now;
    switch (what->action) {
    case NOTHING:
        return true;
    case ADVANCE:
        machine->address += (uint64_t)rule.value * machine->about->code_factor;
        return true;
    case SET:
        if (rule.kind == RULE_REGISTER)
            rule.reg =
                (uint8_t)(rule.value >= 0 && rule.value < UNWIND_REGISTERS ? rule.value
                                                                           : UNWIND_REGISTERS);
        if (reg < UNWIND_REGISTERS)
            now->of[reg] = rule;
        return true;
    case RESTORE:
        restore_register(machine, reg);
        return true;
    case KEEP:
        if (machine->kept_count == KEPT_RULES)
            return false;
        machine->kept[machine->kept_count++] = *now;
        return true;
    case TAKE_BACK:
        if (machine->kept_count == 0)
            return false;
        *now = machine->kept[--machine->kept_count];
        return true;
    case FRAME_BOTH:
        now->frame =
            (struct unwind_rule){.kind = RULE_FRAME, .reg = (uint8_t)reg, .value = rule.value};
        return true;
    case FRAME_REGISTER:
        now->frame.kind = RULE_FRAME;
        now->frame.reg = (uint8_t)reg;
        return true;
    case FRAME_VALUE:
        now->frame.value = rule.value;
        return true;
    case FRAME_EXPRESSION:
        now->frame = (struct unwind_rule){.kind = RULE_EXPRESSION, .expression = rule.expression};
        return true;
    default:
        return false;
    }
}

/* The commonest three have an operand in the lowest bits. */
static struct instruction take_instruction(struct unwind_bytes *from, uint64_t *reg)
{
    static const struct instruction unknown = {UNKNOWN, NO, NO, 0, 1};
    const uint8_t code = (uint8_t)unwind_take(from, 1);
    *reg = code & 0x3fu;
    if (*reg > UNWIND_REGISTERS)
        *reg = UNWIND_REGISTERS;
    switch (code >> 6u) {
    case 2:
        return (struct instruction){SET, NO, UNSIGNED, RULE_SAVED, 0};
    case 3:
        return (struct instruction){RESTORE, NO, NO, 0, 1};
    default:
        return code < sizeof instructions / sizeof *instructions ? instructions[code] : unknown;
    }
}

/* Up to the instruction that holds from behind `address`. */
static bool run_instructions(struct machine *machine, struct unwind_bytes from, uint64_t address)
{
    while (from.at < from.end && machine->address <= address) {
        uint64_t reg;
        if (*from.at >> 6u == 1) {
            machine->address += (*from.at++ & 0x3fu) * machine->about->code_factor;
            continue;
        }
        const struct instruction what = take_instruction(&from, &reg);
        struct unwind_rule rule = {.kind = what.rule};
        if (what.first == REG)
            reg = take_operand(&from, REG, NULL);
        rule.value =
            (int64_t)take_operand(&from, what.second, &rule.expression) * factor_of(&what, machine);
        if (from.failed || !carry_out(machine, &what, reg, rule))
            return false;
    }
    return true;
}

bool unwind_rules_at(uint64_t address, struct unwind_rules *rules)
{
    struct description about;
    if (!describe_code(address, &about))
        return false;
    struct machine machine = {.about = &about, .address = about.begin};
    if (!run_instructions(&machine, about.common, UINT64_MAX))
        return false;
    const struct unwind_rules initial = machine.now;
    machine.initial = &initial;
    machine.address = about.begin;
    if (!run_instructions(&machine, about.own, address))
        return false;
    *rules = machine.now;
    rules->is_signal = about.is_signal;
    return true;
}
