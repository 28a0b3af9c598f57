/* Stubs for the functions of a GPU's driver, x86-64 (gpu_driver.h): each knows its number. All arguments in registers and
 * eight words of the stack are passed on, so no prototype is needed: no function of the table has more than 14 arguments, and
 * there is always that much of a stack above a call. A call that is not followed is a jump, with the stack as it was. */
    .text
    .p2align 4
    .type   mprof_gpu_call, @function
mprof_gpu_call:
    .cfi_startproc
    pushq   %rbp
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset rbp, 0
    movq    %rsp, %rbp
    .cfi_def_cfa_register rbp
    /* In the frame: arguments of the driver's function, struct gpu_frame at 64, %rax, %r10, vectors. */
    subq    $304, %rsp
    movq    %rdi, 64(%rsp)
    movq    %rsi, 72(%rsp)
    movq    %rdx, 80(%rsp)
    movq    %rcx, 88(%rsp)
    movq    %r8, 96(%rsp)
    movq    %r9, 104(%rsp)
    movq    %rax, 160(%rsp)
    movq    %r10, 168(%rsp)
    movups  %xmm0, 176(%rsp)
    movups  %xmm1, 192(%rsp)
    movups  %xmm2, 208(%rsp)
    movups  %xmm3, 224(%rsp)
    movups  %xmm4, 240(%rsp)
    movups  %xmm5, 256(%rsp)
    movups  %xmm6, 272(%rsp)
    movups  %xmm7, 288(%rsp)
    movl    %r11d, %edi
    leaq    64(%rsp), %rsi
    call    mprof_gpu_begin@PLT
    movq    %rax, %r11
    .irp    word, 0, 8, 16, 24, 32, 40, 48, 56
    movq    16+\word(%rbp), %rax
    movq    %rax, \word(%rsp)
    .endr
    movq    64(%rsp), %rdi
    movq    72(%rsp), %rsi
    movq    80(%rsp), %rdx
    movq    88(%rsp), %rcx
    movq    96(%rsp), %r8
    movq    104(%rsp), %r9
    movq    160(%rsp), %rax
    movq    168(%rsp), %r10
    movups  176(%rsp), %xmm0
    movups  192(%rsp), %xmm1
    movups  208(%rsp), %xmm2
    movups  224(%rsp), %xmm3
    movups  240(%rsp), %xmm4
    movups  256(%rsp), %xmm5
    movups  272(%rsp), %xmm6
    movups  288(%rsp), %xmm7
    cmpl    $0, 156(%rsp)
    je      1f
    call    *%r11
    movq    %rax, 160(%rsp)
    movl    %eax, %esi
    leaq    64(%rsp), %rdi
    call    mprof_gpu_end@PLT
    movq    160(%rsp), %rax
    .cfi_remember_state
    leave
    .cfi_def_cfa rsp, 8
    .cfi_restore rbp
    ret
1:  .cfi_restore_state
    leave
    .cfi_def_cfa rsp, 8
    .cfi_restore rbp
    jmp     *%r11
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
    endbr64
    movl    $mprof_gpu_number, %r11d /* no argument is there */
    jmp     mprof_gpu_call
    .set    mprof_gpu_number, mprof_gpu_number+1
    .endr
    .cfi_endproc

    .section .note.gnu.property, "a", @note /* indirect branches and returns are as CET wants them */
    .p2align 3
    .long   4, 16, 5
    .asciz  "GNU"
    .long   0xc0000002, 4, 3, 0
    .section .note.GNU-stack, "", @progbits
