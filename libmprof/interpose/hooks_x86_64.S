/* dlopen() and dlsym() as the program sees them, x86-64: ask loader.c or lookups.c, which also get
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
