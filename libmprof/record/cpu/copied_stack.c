/* Walking a copied stack (copied_stack.h): the call frame instructions of DWARF, as gcc, clang and
 * assemblers write them into .eh_frame (the Linux Standard Base describes that section, the DWARF
 * standard, chapter 6.4, the instructions).
 *
 * For each frame: find the description of its function, carry out its instructions up to the
 * address, and get the caller's registers by the rules that are then in force. */
#include "record/cpu/copied_stack.h"

#include <stddef.h>
#include <string.h>

/* As the kernel numbers them (asm/perf_regs.h): in the order in which it writes them. */
#if defined(__x86_64__)
static const uint8_t kernel_order[COPIED_REGISTERS] = {0, 3, 2,  1,  4,  5,  6,  7, 16,
                                                       8, 9, 10, 11, 12, 13, 14, 15};
const uint64_t copied_stack_registers = 0xff01ff;
#else
static const uint8_t kernel_order[COPIED_REGISTERS] = {0};
const uint64_t copied_stack_registers = 0;
#endif

/* Of libgcc. `function` becomes the address of the function's begin. */
struct unwind_bases {
    void *text;
    void *data;
    void *function;
};
/* NOLINTNEXTLINE(bugprone-reserved-identifier): it is its name */
extern const void *_Unwind_Find_FDE(void *address, struct unwind_bases *bases);

bool copied_stack_of(const struct cpu_ring_sample *sample, struct copied_stack *stack)
{
    uint64_t abi = 0;
    uint64_t values[COPIED_REGISTERS];
    const uint64_t needed = sizeof abi + sizeof values + sizeof stack->bytes;
    if (copied_stack_registers == 0 || sample->rest_bytes < needed)
        return false;
    cpu_ring_copy(sample->ring, sample->rest, &abi, sizeof abi);
    if (abi != 2) /* PERF_SAMPLE_REGS_ABI_64 */
        return false;
    cpu_ring_copy(sample->ring, sample->rest + sizeof abi, values, sizeof values);
    for (int i = 0; i < COPIED_REGISTERS; i++)
        stack->registers[kernel_order[i]] = values[i];
    uint64_t room = sample->rest_bytes - needed;
    uint64_t used = 0;
    stack->ring = sample->ring;
    stack->at = sample->rest + needed;
    cpu_ring_copy(sample->ring, stack->at - sizeof room, &stack->bytes, sizeof stack->bytes);
    if (stack->bytes == 0 || room < sizeof used || stack->bytes > room - sizeof used)
        return false;
    cpu_ring_copy(sample->ring, stack->at + stack->bytes, &used, sizeof used);
    if (used < stack->bytes)
        stack->bytes = used;
    return true;
}

/* ---- reading tables -------------------------------------------------------------------------- */

struct bytes {
    const uint8_t *at;
    const uint8_t *end;
    bool failed; /* beyond the end, or something unknown */
};

static uint64_t take(struct bytes *from, size_t count)
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

static int64_t extend(uint64_t value, unsigned bits)
{
    const unsigned unused = bits < 64 ? 64 - bits : 0;
    return (int64_t)(value << unused) >> unused;
}

static uint64_t take_leb128(struct bytes *from, bool is_signed)
{
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte;
    do {
        byte = (uint8_t)take(from, 1);
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7fu) << shift;
        shift += 7;
    } while ((byte & 0x80u) != 0);
    return is_signed ? (uint64_t)extend(value, shift) : value;
}

static struct bytes take_block(struct bytes *from)
{
    uint64_t count = take_leb128(from, false);
    if (count > (uint64_t)(from->end - from->at)) {
        from->failed = true;
        count = 0;
    }
    struct bytes block = {from->at, from->at + count, false};
    from->at += count;
    return block;
}

static void skip_pointer(struct bytes *from, uint8_t encoding)
{
    static const uint8_t sizes[16] = {8, 0, 2, 4, 8, 0, 0, 0, 8, 0, 2, 4, 8};
    const uint8_t size = sizes[encoding & 0x0fu];
    from->failed = from->failed || size == 0 || (encoding & 0x70u) == 0x50;
    take(from, size);
}

/* ---- a function's description ---------------------------------------------------------------- */

struct description {
    struct bytes common; /* instructions of the functions that share this */
    struct bytes own;
    uint64_t begin;
    uint64_t code_factor;
    int64_t data_factor;
    uint8_t encoding;
    bool has_lengths; /* augmentation data, and how long they are */
    bool is_signal;   /* what called the function is where it is, not behind a call */
};

static struct bytes entry_at(const uint8_t *address)
{
    uint32_t length;
    memcpy(&length, address, sizeof length);
    const bool is_long = length == UINT32_MAX;
    address += sizeof length;
    return (struct bytes){address, is_long ? address : address + length, is_long};
}

static void read_augmentation(struct bytes *from, const char *letters, struct description *about)
{
    struct bytes data = take_block(from);
    for (; *letters != '\0' && !data.failed; letters++)
        switch (*letters) {
        case 'R':
            about->encoding = (uint8_t)take(&data, 1);
            break;
        case 'P':
            skip_pointer(&data, (uint8_t)take(&data, 1));
            break;
        case 'L':
            take(&data, 1);
            break;
        case 'S':
            about->is_signal = true;
            break;
        default:
            data.failed = true;
        }
    from->failed = from->failed || data.failed;
}

static bool read_common(const uint8_t *address, struct description *about)
{
    struct bytes from = entry_at(address);
    const bool is_common = take(&from, 4) == 0;
    const uint64_t version = take(&from, 1);
    const char *letters = (const char *)from.at;
    while (take(&from, 1) != 0)
        ;
    about->code_factor = take_leb128(&from, false);
    about->data_factor = (int64_t)take_leb128(&from, true);
    const uint64_t counter = version == 1 ? take(&from, 1) : take_leb128(&from, false);
    if (!is_common || (version != 1 && version != 3) || counter != COPIED_COUNTER || from.failed)
        return false;
    about->has_lengths = letters[0] == 'z';
    if (about->has_lengths)
        read_augmentation(&from, letters + 1, about);
    about->common = from;
    return !from.failed && (about->has_lengths || letters[0] == '\0');
}

static bool describe(uint64_t address, struct description *about)
{
    struct unwind_bases bases = {NULL, NULL, NULL};
    void *at = (void *)(uintptr_t)address; /* NOLINT(performance-no-int-to-ptr) */
    const uint8_t *found = _Unwind_Find_FDE(at, &bases);
    *about = (struct description){.begin = (uint64_t)(uintptr_t)bases.function};
    if (found == NULL)
        return false;
    struct bytes from = entry_at(found);
    const uint8_t *distance_at = from.at;
    const uint64_t distance = take(&from, 4);
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

enum rule_kind {
    RULE_SAME, /* as here */
    RULE_UNKNOWN,
    RULE_SAVED,      /* at the frame's address + value */
    RULE_SUM,        /* the frame's address + value */
    RULE_REGISTER,   /* in the register of that number */
    RULE_SAVED_AT,   /* at the address that an expression gives */
    RULE_EXPRESSION, /* the value of that */
    RULE_FRAME       /* of the frame's address: register + value */
};

struct rule {
    uint8_t kind;
    uint8_t reg;
    int64_t value;
    struct bytes expression;
};

struct rules {
    struct rule of[COPIED_REGISTERS];
    struct rule frame;
};

enum { KEPT_RULES = 3 };

struct machine {
    const struct description *about;
    const struct rules *initial; /* NULL: these are being made */
    struct rules now;
    struct rules kept[KEPT_RULES];
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
    [0x2e] = {NOTHING, NO, UNSIGNED, 0, 1}, /* the arguments' size */
    [0x2f] = {SET, REG, UNSIGNED, RULE_SAVED, -1},
};

/* Registers beyond those of the copy (floating point) are read as number COPIED_REGISTERS. */
static uint64_t take_operand(struct bytes *from, uint8_t operand, struct bytes *block)
{
    uint64_t value = 0;
    switch (operand) {
    case BYTE:
        return take(from, 1);
    case HALF:
        return take(from, 2);
    case WORD:
        return take(from, 4);
    case REG:
        value = take_leb128(from, false);
        return value < COPIED_REGISTERS ? value : COPIED_REGISTERS;
    case UNSIGNED:
        return take_leb128(from, false);
    case SIGNED:
        return take_leb128(from, true);
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

static void restore(struct machine *machine, uint64_t reg)
{
    if (reg < COPIED_REGISTERS && machine->initial != NULL)
        machine->now.of[reg] = machine->initial->of[reg];
}

/* False = this cannot be done. */
static bool carry_out(struct machine *machine, const struct instruction *what, uint64_t reg,
                      struct rule rule)
{
    struct rules *now = &machine->now;
    switch (what->action) {
    case NOTHING:
        return true;
    case ADVANCE:
        machine->address += (uint64_t)rule.value * machine->about->code_factor;
        return true;
    case SET:
        if (rule.kind == RULE_REGISTER)
            rule.reg =
                (uint8_t)(rule.value >= 0 && rule.value < COPIED_REGISTERS ? rule.value
                                                                           : COPIED_REGISTERS);
        if (reg < COPIED_REGISTERS)
            now->of[reg] = rule;
        return true;
    case RESTORE:
        restore(machine, reg);
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
        now->frame = (struct rule){.kind = RULE_FRAME, .reg = (uint8_t)reg, .value = rule.value};
        return true;
    case FRAME_REGISTER:
        now->frame.kind = RULE_FRAME;
        now->frame.reg = (uint8_t)reg;
        return true;
    case FRAME_VALUE:
        now->frame.value = rule.value;
        return true;
    case FRAME_EXPRESSION:
        now->frame = (struct rule){.kind = RULE_EXPRESSION, .expression = rule.expression};
        return true;
    default:
        return false;
    }
}

/* The commonest three have an operand in the lowest bits. */
static struct instruction take_instruction(struct bytes *from, uint64_t *reg)
{
    static const struct instruction unknown = {UNKNOWN, NO, NO, 0, 1};
    const uint8_t code = (uint8_t)take(from, 1);
    *reg = code & 0x3fu;
    if (*reg > COPIED_REGISTERS)
        *reg = COPIED_REGISTERS;
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
static bool run(struct machine *machine, struct bytes from, uint64_t address)
{
    while (from.at < from.end && machine->address <= address) {
        uint64_t reg;
        if (*from.at >> 6u == 1) {
            machine->address += (*from.at++ & 0x3fu) * machine->about->code_factor;
            continue;
        }
        const struct instruction what = take_instruction(&from, &reg);
        struct rule rule = {.kind = what.rule};
        if (what.first == REG)
            reg = take_operand(&from, REG, NULL);
        rule.value =
            (int64_t)take_operand(&from, what.second, &rule.expression) * factor_of(&what, machine);
        if (from.failed || !carry_out(machine, &what, reg, rule))
            return false;
    }
    return true;
}

/* ---- the caller's registers ------------------------------------------------------------------ */

struct frame {
    const struct copied_stack *stack;
    uint64_t registers[COPIED_REGISTERS];
    uint32_t known;        /* bit per register */
    bool is_behind_a_call; /* the address: the call itself lies before it */
};

static bool read_word(const struct copied_stack *stack, uint64_t address, uint64_t *value)
{
    const uint64_t begin = stack->registers[COPIED_STACK_POINTER];
    if (address < begin || stack->bytes < sizeof *value ||
        address - begin > stack->bytes - sizeof *value)
        return false;
    cpu_ring_copy(stack->ring, stack->at + (address - begin), value, sizeof *value);
    return true;
}

static bool read_register(const struct frame *frame, uint64_t reg, uint64_t *value)
{
    if (reg >= COPIED_REGISTERS || (frame->known >> reg & 1u) == 0)
        return false;
    *value = frame->registers[reg];
    return true;
}

enum { EXPRESSION_DEPTH = 8 };

struct evaluation {
    const struct frame *frame;
    struct bytes from;
    uint64_t values[EXPRESSION_DEPTH];
    int count;
};

static void push(struct evaluation *on, uint64_t value)
{
    if (on->count == EXPRESSION_DEPTH)
        on->from.failed = true;
    else
        on->values[on->count++] = value;
}

static uint64_t pop(struct evaluation *on)
{
    if (on->count == 0) {
        on->from.failed = true;
        return 0;
    }
    return on->values[--on->count];
}

static uint64_t of_two(struct evaluation *on, uint8_t code)
{
    const uint64_t last = pop(on);
    const uint64_t first = pop(on);
    switch (code) {
    case 0x1a:
        return first & last;
    case 0x1c:
        return first - last;
    case 0x22:
        return first + last;
    case 0x24:
        return last < 64 ? first << last : 0;
    default: /* 0x2a */
        return (int64_t)first >= (int64_t)last;
    }
}

static void of_register(struct evaluation *on, uint64_t reg)
{
    uint64_t value = 0;
    if (!read_register(on->frame, reg, &value))
        on->from.failed = true;
    push(on, value + take_leb128(&on->from, true));
}

static void of_memory(struct evaluation *on)
{
    uint64_t value = 0;
    if (!read_word(on->frame->stack, pop(on), &value))
        on->from.failed = true;
    push(on, value);
}

/* What compilers write for aligned stacks, and linkers for their stubs. */
static void evaluate_one(struct evaluation *on)
{
    const uint8_t code = (uint8_t)take(&on->from, 1);
    if (code >= 0x30 && code <= 0x4f)
        push(on, code - 0x30u);
    else if (code >= 0x70 && code <= 0x8f)
        of_register(on, code - 0x70u);
    else if (code == 0x06)
        of_memory(on);
    else if (code == 0x08)
        push(on, take(&on->from, 1));
    else if (code == 0x09)
        push(on, (uint64_t)extend(take(&on->from, 1), 8));
    else if (code == 0x23)
        push(on, pop(on) + take_leb128(&on->from, false));
    else if (code == 0x1a || code == 0x1c || code == 0x22 || code == 0x24 || code == 0x2a)
        push(on, of_two(on, code));
    else
        on->from.failed = true;
}

/* `first` is on the stack at the begin, or NULL. */
static bool evaluate(const struct frame *frame, struct bytes expression, const uint64_t *first,
                     uint64_t *value)
{
    struct evaluation on = {.frame = frame, .from = expression};
    if (first != NULL)
        push(&on, *first);
    while (on.from.at < on.from.end && !on.from.failed)
        evaluate_one(&on);
    *value = pop(&on);
    return !on.from.failed;
}

static bool caller_register(const struct frame *frame, const struct rule *rule, uint64_t reg,
                            uint64_t cfa, uint64_t *value)
{
    switch (rule->kind) {
    case RULE_SAME:
        return read_register(frame, reg, value);
    case RULE_SAVED:
        return read_word(frame->stack, cfa + (uint64_t)rule->value, value);
    case RULE_SUM:
        *value = cfa + (uint64_t)rule->value;
        return true;
    case RULE_REGISTER:
        return read_register(frame, rule->reg, value);
    case RULE_SAVED_AT:
        return evaluate(frame, rule->expression, &cfa, value) &&
               read_word(frame->stack, *value, value);
    case RULE_EXPRESSION:
        return evaluate(frame, rule->expression, &cfa, value);
    default:
        return false;
    }
}

static bool frame_address(const struct frame *frame, const struct rule *rule, uint64_t *cfa)
{
    if (rule->kind == RULE_EXPRESSION)
        return evaluate(frame, rule->expression, NULL, cfa);
    if (rule->kind != RULE_FRAME || !read_register(frame, rule->reg, cfa))
        return false;
    *cfa += (uint64_t)rule->value;
    return true;
}

/* To the caller. False = it is not known. */
static bool step(struct frame *frame)
{
    struct description about;
    const uint64_t address = frame->registers[COPIED_COUNTER] - (frame->is_behind_a_call ? 1u : 0u);
    if (!describe(address, &about))
        return false;
    struct machine machine = {.about = &about, .address = about.begin};
    if (!run(&machine, about.common, UINT64_MAX))
        return false;
    const struct rules initial = machine.now;
    machine.initial = &initial;
    machine.address = about.begin;
    uint64_t cfa;
    if (!run(&machine, about.own, address) || !frame_address(frame, &machine.now.frame, &cfa) ||
        cfa <= frame->registers[COPIED_STACK_POINTER])
        return false;
    struct frame caller = {.stack = frame->stack, .is_behind_a_call = !about.is_signal};
    for (uint64_t reg = 0; reg < COPIED_REGISTERS; reg++)
        if (caller_register(frame, &machine.now.of[reg], reg, cfa, &caller.registers[reg]))
            caller.known |= 1u << reg;
    if (machine.now.of[COPIED_STACK_POINTER].kind == RULE_SAME)
        caller.registers[COPIED_STACK_POINTER] = cfa;
    const bool has_counter = machine.now.of[COPIED_COUNTER].kind != RULE_SAME &&
                             (caller.known >> COPIED_COUNTER & 1u) != 0;
    *frame = caller;
    return has_counter && caller.registers[COPIED_COUNTER] != 0;
}

int copied_stack_walk(const struct copied_stack *stack, uintptr_t *addresses, int capacity)
{
    struct frame frame = {.stack = stack, .known = (1u << COPIED_REGISTERS) - 1};
    int count = 0;
    memcpy(frame.registers, stack->registers, sizeof frame.registers);
    while (count < capacity && step(&frame))
        addresses[count++] = (uintptr_t)frame.registers[COPIED_COUNTER];
    return count;
}
