/* Walking a copied stack (copied_stack.h). For each frame: get the rules that are in force at its
 * address, and by them the caller's registers. */
#include "record/cpu/copied_stack.h"

#include <stddef.h>
#include <string.h>

/* As the kernel numbers them (asm/perf_regs.h): in the order in which it writes them. */
#if defined(__x86_64__)
static const uint8_t kernel_order[COPIED_REGISTERS] = {0, 3, 2,  1,  4,  5,  6,  7, 16,
                                                       8, 9, 10, 11, 12, 13, 14, 15};
const uint64_t copied_stack_registers = 0xff01ff;
#else
static const uint8_t kernel_order[COPIED_REGISTERS] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                                       11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                                       22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32};
const uint64_t copied_stack_registers = 0x1ffffffff;
#endif

bool copied_stack_of(const struct cpu_ring_sample *sample, struct copied_stack *stack)
{
    uint64_t abi = 0;
    uint64_t values[COPIED_REGISTERS];
    const uint64_t needed = sizeof abi + sizeof values + sizeof stack->bytes;
    if (sample->rest_bytes < needed)
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

/* ---- the caller's registers ------------------------------------------------------------------ */

struct frame {
    const struct copied_stack *stack;
    uint64_t registers[COPIED_REGISTERS];
    uint64_t known;        /* bit per register */
    bool is_behind_a_call; /* the address: the call itself is before it */
};

static bool read_word(const struct copied_stack *stack, uint64_t address, uint64_t *value)
{
    const uint64_t begin = stack->registers[UNWIND_STACK_POINTER];
    if (address < begin || stack->bytes < sizeof *value ||
        address - begin > stack->bytes - sizeof *value)
        return false;
    cpu_ring_copy(stack->ring, stack->at + (address - begin), value, sizeof *value);
    return true;
}

static bool read_register(const struct frame *frame, uint64_t reg, uint64_t *value)
{
    if (reg >= UNWIND_REGISTERS || (frame->known >> reg & 1u) == 0)
        return false;
    *value = frame->registers[reg];
    return true;
}

enum { EXPRESSION_DEPTH = 8 };

struct evaluation {
    const struct frame *frame;
    struct unwind_bytes from;
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
    push(on, value + unwind_take_leb128(&on->from, true));
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
    const uint8_t code = (uint8_t)unwind_take(&on->from, 1);
    if (code >= 0x30 && code <= 0x4f)
        push(on, code - 0x30u);
    else if (code >= 0x70 && code <= 0x8f)
        of_register(on, code - 0x70u);
    else if (code == 0x06)
        of_memory(on);
    else if (code == 0x08)
        push(on, unwind_take(&on->from, 1));
    else if (code == 0x09)
        push(on, (uint64_t)unwind_extend(unwind_take(&on->from, 1), 8));
    else if (code == 0x23)
        push(on, pop(on) + unwind_take_leb128(&on->from, false));
    else if (code == 0x1a || code == 0x1c || code == 0x22 || code == 0x24 || code == 0x2a)
        push(on, of_two(on, code));
    else
        on->from.failed = true;
}

/* `first` is on the stack at the start, or NULL. */
static bool evaluate_expression(const struct frame *frame, struct unwind_bytes expression,
                                const uint64_t *first, uint64_t *value)
{
    struct evaluation on = {.frame = frame, .from = expression};
    if (first != NULL)
        push(&on, *first);
    while (on.from.at < on.from.end && !on.from.failed)
        evaluate_one(&on);
    *value = pop(&on);
    return !on.from.failed;
}

static bool caller_register(const struct frame *frame, const struct unwind_rule *rule, uint64_t reg,
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
        return evaluate_expression(frame, rule->expression, &cfa, value) &&
               read_word(frame->stack, *value, value);
    case RULE_EXPRESSION:
        return evaluate_expression(frame, rule->expression, &cfa, value);
    default:
        return false;
    }
}

static bool frame_address(const struct frame *frame, const struct unwind_rule *rule, uint64_t *cfa)
{
    if (rule->kind == RULE_EXPRESSION)
        return evaluate_expression(frame, rule->expression, NULL, cfa);
    if (rule->kind != RULE_FRAME || !read_register(frame, rule->reg, cfa))
        return false;
    *cfa += (uint64_t)rule->value;
    return true;
}

/* On x86-64 a call writes the return address to the stack. On ARM it is in a register, where it
 * stays in a function that calls nothing. */
static bool is_in_register(const struct frame *frame, const struct unwind_rules *rules)
{
    return (int)UNWIND_RETURN != (int)COPIED_COUNTER && !frame->is_behind_a_call &&
           rules->of[UNWIND_RETURN].kind == RULE_SAME;
}

/* To the caller. False = it is not known. */
static bool step_to_caller(struct frame *frame)
{
    struct unwind_rules rules;
    const uint64_t address = frame->registers[COPIED_COUNTER] - (frame->is_behind_a_call ? 1u : 0u);
    uint64_t cfa;
    if (!unwind_rules_at(address, &rules) || !frame_address(frame, &rules.frame, &cfa))
        return false;
    const bool in_register = is_in_register(frame, &rules);
    if (cfa < frame->registers[UNWIND_STACK_POINTER] ||
        (cfa == frame->registers[UNWIND_STACK_POINTER] && !in_register))
        return false;
    struct frame caller = {.stack = frame->stack, .is_behind_a_call = !rules.is_signal};
    for (uint64_t reg = 0; reg < UNWIND_REGISTERS; reg++)
        if (caller_register(frame, &rules.of[reg], reg, cfa, &caller.registers[reg]))
            caller.known |= UINT64_C(1) << reg;
    if (rules.of[UNWIND_STACK_POINTER].kind == RULE_SAME)
        caller.registers[UNWIND_STACK_POINTER] = cfa;
    const bool has_counter = (rules.of[UNWIND_RETURN].kind != RULE_SAME || in_register) &&
                             (caller.known >> UNWIND_RETURN & 1u) != 0;
    caller.registers[COPIED_COUNTER] = unwind_unsigned(caller.registers[UNWIND_RETURN]);
    *frame = caller;
    return has_counter && caller.registers[COPIED_COUNTER] != 0;
}

int copied_stack_walk(const struct copied_stack *stack, uintptr_t *addresses, int capacity)
{
    struct frame frame = {.stack = stack, .known = (UINT64_C(1) << UNWIND_REGISTERS) - 1};
    int count = 0;
    memcpy(frame.registers, stack->registers, sizeof frame.registers);
    while (count < capacity && step_to_caller(&frame))
        addresses[count++] = (uintptr_t)frame.registers[COPIED_COUNTER];
    return count;
}
