/* Coroutines as libraries write them: a stack of their own, and a switch of a few instructions.
 *
 * coroutine_make() leaves a word at the stack's end that is no return address, so that nobody
 * returns there by mistake (minicoro and Lua's Coco do so). on_stack() calls a function on another
 * stack by a switch that tells the unwinder how to go on (OCaml 5, Julia and Argobots do so). */
#ifndef COROUTINE_H
#define COROUTINE_H

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harmless.h"

#ifdef __x86_64__

enum { SAVED_REGISTERS = 6 };
#define DEAD_END 0xdeaddeaddeaddeadu

/* Saves the stack pointer of the caller in *from and goes on where `to` was saved. */
void coroutine_switch(void **from, void *to);
void on_stack(void *end, void (*function)(void));

__asm__(".text\n"
        ".globl coroutine_switch\n"
        ".type coroutine_switch, @function\n"
        "coroutine_switch:\n"
        "pushq %rbp\n pushq %rbx\n pushq %r12\n pushq %r13\n pushq %r14\n pushq %r15\n"
        "movq %rsp, (%rdi)\n"
        "movq %rsi, %rsp\n"
        "popq %r15\n popq %r14\n popq %r13\n popq %r12\n popq %rbx\n popq %rbp\n"
        "ret\n"
        ".globl on_stack\n"
        ".type on_stack, @function\n"
        "on_stack:\n"
        ".cfi_startproc\n"
        "pushq %rbp\n"
        ".cfi_adjust_cfa_offset 8\n"
        ".cfi_rel_offset %rbp, 0\n"
        "movq %rsp, %rbp\n"
        ".cfi_def_cfa_register %rbp\n"
        "movq %rdi, %rsp\n"
        "call *%rsi\n"
        "movq %rbp, %rsp\n"
        ".cfi_def_cfa_register %rsp\n"
        "popq %rbp\n"
        ".cfi_adjust_cfa_offset -8\n"
        "ret\n"
        ".cfi_endproc\n");

/* What coroutine_switch() goes to for the first time. */
static inline void *coroutine_make(void *stack, size_t bytes, void (*body)(void))
{
    uintptr_t *end = (uintptr_t *)(((uintptr_t)stack + bytes) / 16 * 16);
    *--end = DEAD_END;
    *--end = (uintptr_t)body;
    end -= SAVED_REGISTERS;
    memset(end, 0, SAVED_REGISTERS * sizeof *end);
    return end;
}

#else

static inline void coroutine_switch(void **from, void *to)
{
    (void)from, (void)to;
    not_here("the switch of stacks is written for x86-64");
}
static inline void on_stack(void *end, void (*function)(void))
{
    coroutine_switch(end, (void *)function);
}
static inline void *coroutine_make(void *stack, size_t bytes, void (*body)(void))
{
    (void)bytes, (void)body;
    return stack;
}

#endif

static inline void *map_stack(void *at, size_t bytes)
{
    void *stack = mmap(at, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | (at != NULL ? MAP_FIXED : 0), -1, 0);
    REQUIRE(stack != MAP_FAILED);
    return stack;
}

/* A number goes around the ring of ranks. */
static inline int pass_on(int number)
{
    int rank, ranks, received = -1;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int sent = number + rank;
    MPI_Sendrecv(&sent, 1, MPI_INT, (rank + 1) % ranks, 0, &received, 1, MPI_INT,
                 (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return received;
}

#endif
