/* Walks a copy of its own stack, as libmprof walks those that the kernel copies with a sample
 * (record/cpu/copied_stack.c): a timer interrupts spin(), and its handler plays the kernel. Prints
 * "right" if the callers are middle(), outer() and main(). For machines on which the kernel takes
 * no samples: qemu-user has no perf_event_open.
 *
 * spin() calls nothing, so on ARM its return address is in a register only. */
#define _GNU_SOURCE
#include "record/cpu/copied_stack.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>

static volatile sig_atomic_t taken;
static struct copied_stack stack;
static uint8_t copy[16384];
static uintptr_t end_of_main; /* an address in main()'s frame: nothing outside is copied */

void cpu_ring_copy(const struct cpu_ring_data *ring, uint64_t at, void *to, uint64_t bytes)
{
    (void)ring;
    memcpy(to, copy + at, bytes);
}

static void take_sample(int signal, siginfo_t *info, void *context)
{
    const mcontext_t *machine = &((const ucontext_t *)context)->uc_mcontext;
    (void)signal;
    (void)info;
#if defined(__x86_64__)
    static const uint8_t order[COPIED_REGISTERS] = {
        REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
        REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
    for (int i = 0; i < COPIED_REGISTERS; i++)
        stack.registers[i] = (uint64_t)machine->gregs[order[i]];
#else
    for (int i = 0; i < 31; i++)
        stack.registers[i] = machine->regs[i];
    stack.registers[UNWIND_STACK_POINTER] = machine->sp;
    stack.registers[COPIED_COUNTER] = machine->pc;
#endif
    const uintptr_t begin = (uintptr_t)stack.registers[UNWIND_STACK_POINTER];
    stack.bytes = end_of_main - begin < sizeof copy ? end_of_main - begin : sizeof copy;
    memcpy(copy, (const void *)begin, stack.bytes);
    taken = 1;
}

static __attribute__((noinline)) void spin(void)
{
    while (!taken)
        ;
}

static __attribute__((noinline)) void middle(int count)
{
    volatile char frame[count];
    frame[0] = 1;
    spin();
    frame[count - 1] = 2;
}

static __attribute__((noinline)) void outer(int count)
{
    volatile double frame[100];
    frame[0] = 1;
    middle(count + (int)frame[0]);
    frame[99] = 2;
}

static int is_in(uintptr_t address, const void *function)
{
    enum { LARGEST_FUNCTION = 512 };
    return address > (uintptr_t)function && address - (uintptr_t)function < LARGEST_FUNCTION;
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_sigaction = take_sample, .sa_flags = SA_SIGINFO};
    const struct itimerval soon = {.it_value = {0, 20000}};
    uintptr_t callers[3] = {0};
    (void)argv;
    end_of_main = (uintptr_t)__builtin_frame_address(0) + 2 * sizeof(void *);
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &soon, NULL);
    outer(100 * argc);
    const int count = copied_stack_walk(&stack, callers, 3);
    const int right = count == 3 && is_in(callers[0], (const void *)middle) &&
                      is_in(callers[1], (const void *)outer) &&
                      is_in(callers[2], (const void *)main);
    printf("%s\n", right ? "right" : "wrong");
    for (int i = 0; !right && i < count; i++)
        printf("%#lx\n", (unsigned long)callers[i]);
    return !right;
}
