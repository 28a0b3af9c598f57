/* Stubs for the functions of a GPU's driver, aarch64. The essay is in gpu_x86_64.S; only the instructions differ. */
    .text
    .p2align 4
    .type   mprof_gpu_call, %function
mprof_gpu_call:
    .cfi_startproc
    /* In the frame: arguments of the driver's function, x29 and x30, struct gpu_frame at 80, vectors, the result, x8. */
    sub     sp, sp, #320
    .cfi_adjust_cfa_offset 320
    stp     x29, x30, [sp, #64]
    .cfi_rel_offset x29, 64
    .cfi_rel_offset x30, 72
    add     x29, sp, #64
    stp     x0, x1, [sp, #80]
    stp     x2, x3, [sp, #96]
    stp     x4, x5, [sp, #112]
    stp     x6, x7, [sp, #128]
    str     x8, [sp, #312]
    stp     q0, q1, [sp, #176]
    stp     q2, q3, [sp, #208]
    stp     q4, q5, [sp, #240]
    stp     q6, q7, [sp, #272]
    mov     w0, w17
    add     x1, sp, #80
    bl      mprof_gpu_begin
    mov     x16, x0
    .irp    word, 0, 16, 32, 48
    ldp     x0, x1, [sp, #320+\word]
    stp     x0, x1, [sp, #\word]
    .endr
    ldp     x0, x1, [sp, #80]
    ldp     x2, x3, [sp, #96]
    ldp     x4, x5, [sp, #112]
    ldp     x6, x7, [sp, #128]
    ldr     x8, [sp, #312]
    ldp     q0, q1, [sp, #176]
    ldp     q2, q3, [sp, #208]
    ldp     q4, q5, [sp, #240]
    ldp     q6, q7, [sp, #272]
    ldr     w17, [sp, #172]
    cbz     w17, 1f
    blr     x16
    str     x0, [sp, #304]
    mov     w1, w0
    add     x0, sp, #80
    bl      mprof_gpu_end
    ldr     x0, [sp, #304]
    .cfi_remember_state
    ldp     x29, x30, [sp, #64]
    .cfi_restore x29
    .cfi_restore x30
    add     sp, sp, #320
    .cfi_adjust_cfa_offset -320
    ret
1:  .cfi_restore_state
    ldp     x29, x30, [sp, #64]
    .cfi_restore x29
    .cfi_restore x30
    add     sp, sp, #320
    .cfi_adjust_cfa_offset -320
    br      x16
    .cfi_endproc
    .size   mprof_gpu_call, .-mprof_gpu_call

    .p2align 4
    .globl  mprof_gpu_stubs
    .hidden mprof_gpu_stubs
mprof_gpu_stubs:
    .cfi_startproc
    .set    mprof_gpu_number, 0
    .rept   512
    .p2align 4
    hint    #34 /* bti c */
    mov     w17, #mprof_gpu_number
    b       mprof_gpu_call
    .set    mprof_gpu_number, mprof_gpu_number+1
    .endr
    .cfi_endproc
    .section .note.GNU-stack, "", %progbits
