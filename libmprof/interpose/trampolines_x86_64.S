/* What the program's MPI calls bind to, x86-64: for each MPI function a jump through its slot (mpi_binding.h).
 *
 * A tail jump leaves every argument where it is, in registers, on the stack, variable or not. A slot begins as a lazy stub
 * that saves the argument registers, asks mprof_resolve() for the target and jumps there. The exported names have the
 * hidden version MPROF_1 (one @): the program's references bind to them, dlsym() does not see them, so that programs which
 * probe for functions find what their MPI has. Measured: 0.5 to 1 ns per call.
 */
    .macro TRAMPOLINE name index
    .text
    .p2align 5 /* TRAMPOLINE_BYTES */
    .globl  mprof_call_\name
    .type   mprof_call_\name, @function
mprof_call_\name:
    .cfi_startproc
    endbr64
    jmp     *mpi_slots+8*\index(%rip)
    .cfi_endproc
    .size   mprof_call_\name, .-mprof_call_\name
    .symver mprof_call_\name, \name@MPROF_1
mprof_lazy_\name:
    .cfi_startproc
    endbr64
    pushq   $\index
    .cfi_adjust_cfa_offset 8
    jmp     mprof_lazy
    .cfi_endproc
    .data
    .quad   mprof_lazy_\name
    .set    mprof_function_count, \index+1
    .endm

    .data
    .globl  mpi_slots
    .hidden mpi_slots
    .type   mpi_slots, @object
    .p2align 6
mpi_slots:
    .text
    .p2align 4
    /* Asks the C function `ask` where to jump: it gets the number on the stack, the return address and the canonical frame
     * address of the call. */
    .macro ASK ask
    .cfi_startproc
    .cfi_adjust_cfa_offset 8
    /* Above: function id, return address. The frame keeps the stack aligned to 16 bytes. */
    subq    $192, %rsp
    .cfi_adjust_cfa_offset 192
    movq    %rdi, 0(%rsp)
    movq    %rsi, 8(%rsp)
    movq    %rdx, 16(%rsp)
    movq    %rcx, 24(%rsp)
    movq    %r8, 32(%rsp)
    movq    %r9, 40(%rsp)
    movq    %rax, 48(%rsp)
    movq    %r10, 56(%rsp)
    movups  %xmm0, 64(%rsp)
    movups  %xmm1, 80(%rsp)
    movups  %xmm2, 96(%rsp)
    movups  %xmm3, 112(%rsp)
    movups  %xmm4, 128(%rsp)
    movups  %xmm5, 144(%rsp)
    movups  %xmm6, 160(%rsp)
    movups  %xmm7, 176(%rsp)
    movl    192(%rsp), %edi
    movq    200(%rsp), %rsi
    leaq    208(%rsp), %rdx
    call    \ask@PLT
    movq    %rax, %r11
    movq    0(%rsp), %rdi
    movq    8(%rsp), %rsi
    movq    16(%rsp), %rdx
    movq    24(%rsp), %rcx
    movq    32(%rsp), %r8
    movq    40(%rsp), %r9
    movq    48(%rsp), %rax
    movq    56(%rsp), %r10
    movups  64(%rsp), %xmm0
    movups  80(%rsp), %xmm1
    movups  96(%rsp), %xmm2
    movups  112(%rsp), %xmm3
    movups  128(%rsp), %xmm4
    movups  144(%rsp), %xmm5
    movups  160(%rsp), %xmm6
    movups  176(%rsp), %xmm7
    addq    $200, %rsp
    .cfi_adjust_cfa_offset -200
    jmp     *%r11
    .cfi_endproc
    .endm

mprof_lazy:
    ASK     mprof_resolve
mprof_to:
    ASK     mprof_pass_on

    .text
    .p2align 5
    .globl  mprof_trampolines
    .hidden mprof_trampolines
mprof_trampolines:
#include "api/trampolines.inc"
    .text
    .p2align 5
    .org    mprof_trampolines+32*mprof_function_count /* an error if one were larger */

    /* For each function a stub of 16 bytes, twice (bind_mpi.c): where a redirected PMPI_X leads, and where a wrapper
     * passes a call on. */
    .macro STUB
    .p2align 4
    .cfi_startproc
    endbr64
    pushq   $mprof_stub
    .cfi_adjust_cfa_offset 8
    jmp     mprof_to
    .cfi_endproc
    .set    mprof_stub, mprof_stub+1
    .endm

    .text
    .p2align 4
    .globl  mprof_past_tools, mprof_to_tool
    .hidden mprof_past_tools, mprof_to_tool
    .set    mprof_stub, 0
mprof_past_tools:
    .rept   mprof_function_count
    STUB
    .endr
    .p2align 4
mprof_to_tool:
    .rept   mprof_function_count
    STUB
    .endr

    .data
    .size   mpi_slots, .-mpi_slots
/* dlopen() and dlsym() as the program sees them, x86-64: ask loader.c, which also get
 * the return address, then return the answer or jump to the real function with the caller's own
 * arguments and return address. Each has a second name, hidden, for its own address. */
    .macro HOOK name
    .text
    .p2align 4
    .globl  \name
    .type   \name, @function
    .globl  mprof_hook_\name
    .hidden mprof_hook_\name
mprof_hook_\name:
\name:
    .cfi_startproc
    endbr64
    pushq   %rdi
    .cfi_adjust_cfa_offset 8
    pushq   %rsi
    .cfi_adjust_cfa_offset 8
    subq    $8, %rsp
    .cfi_adjust_cfa_offset 8
    movq    24(%rsp), %rdx
    call    mprof_before_\name@PLT
    addq    $8, %rsp
    .cfi_adjust_cfa_offset -8
    popq    %rsi
    .cfi_adjust_cfa_offset -8
    popq    %rdi
    .cfi_adjust_cfa_offset -8
    testq   %rax, %rax
    jz      1f
    ret
1:  jmp     *%rdx
    .cfi_endproc
    .size   \name, .-\name
    .endm

    HOOK dlopen
    HOOK dlsym

    .section .note.gnu.property, "a", @note /* indirect branches and returns are as CET wants them */
    .p2align 3
    .long   4, 16, 5
    .asciz  "GNU"
    .long   0xc0000002, 4, 3, 0
    .section .note.GNU-stack, "", @progbits
