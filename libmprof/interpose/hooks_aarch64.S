/* dlopen() and dlsym() as the program sees them, aarch64; hooks_x86_64.S explains. */
    .macro HOOK name
    .text
    .p2align 4
    .globl  \name
    .type   \name, %function
    .globl  mprof_hook_\name
    .hidden mprof_hook_\name
mprof_hook_\name:
\name:
    .cfi_startproc
    hint    #34 /* bti c */
    stp     x29, x30, [sp, #-32]!
    .cfi_adjust_cfa_offset 32
    .cfi_rel_offset x29, 0
    .cfi_rel_offset x30, 8
    mov     x29, sp
    stp     x0, x1, [sp, #16]
    mov     x2, x30
    bl      mprof_before_\name
    mov     x16, x0
    mov     x17, x1
    ldp     x0, x1, [sp, #16]
    ldp     x29, x30, [sp], #32
    .cfi_adjust_cfa_offset -32
    cbz     x16, 1f
    mov     x0, x16
    ret
1:  mov     x16, x17
    br      x16
    .cfi_endproc
    .size   \name, .-\name
    .endm

    HOOK dlopen
    HOOK dlsym

    .section .note.GNU-stack, "", %progbits
