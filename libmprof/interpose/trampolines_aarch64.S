/* What the program's MPI calls bind to, aarch64: for each MPI function a jump through its slot (mpi_binding.h). The essay is
 * in trampolines_x86_64.S; only the instructions differ. x16 and x17 are free for code between caller and callee. */
    .macro TRAMPOLINE name index
    .text
    .p2align 5 /* TRAMPOLINE_BYTES */
    .globl  mprof_call_\name
    .type   mprof_call_\name, %function
mprof_call_\name:
    .cfi_startproc
    hint    #34 /* bti c */
    adrp    x16, mpi_slots+8*\index
    ldr     x16, [x16, :lo12:mpi_slots+8*\index]
    br      x16
    .cfi_endproc
    .size   mprof_call_\name, .-mprof_call_\name
    .symver mprof_call_\name, \name@MPROF_1
mprof_lazy_\name:
    hint    #34
    mov     w17, #\index
    b       mprof_lazy
    .data
    .quad   mprof_lazy_\name
    .set    mprof_function_count, \index+1
    .endm

    .data
    .globl  mpi_slots
    .hidden mpi_slots
    .type   mpi_slots, %object
    .p2align 6
mpi_slots:
    .text
    .p2align 4
    .macro ASK ask
    .cfi_startproc
    stp     x29, x30, [sp, #-224]!
    .cfi_adjust_cfa_offset 224
    .cfi_rel_offset x29, 0
    .cfi_rel_offset x30, 8
    mov     x29, sp
    stp     x0, x1, [sp, #16]
    stp     x2, x3, [sp, #32]
    stp     x4, x5, [sp, #48]
    stp     x6, x7, [sp, #64]
    str     x8, [sp, #80]
    stp     q0, q1, [sp, #96]
    stp     q2, q3, [sp, #128]
    stp     q4, q5, [sp, #160]
    stp     q6, q7, [sp, #192]
    mov     w0, w17
    mov     x1, x30
    add     x2, sp, #224
    bl      \ask
    mov     x16, x0
    ldp     x0, x1, [sp, #16]
    ldp     x2, x3, [sp, #32]
    ldp     x4, x5, [sp, #48]
    ldp     x6, x7, [sp, #64]
    ldr     x8, [sp, #80]
    ldp     q0, q1, [sp, #96]
    ldp     q2, q3, [sp, #128]
    ldp     q4, q5, [sp, #160]
    ldp     q6, q7, [sp, #192]
    ldp     x29, x30, [sp], #224
    .cfi_adjust_cfa_offset -224
    br      x16
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

    /* Stubs of 16 bytes. */
    .macro STUB
    .p2align 4
    hint    #34
    mov     w17, #mprof_stub
    b       mprof_to
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
/* dlopen() and dlsym() as the program sees them, aarch64; trampolines_x86_64.S explains. */
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
