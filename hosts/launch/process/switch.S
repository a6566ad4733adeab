/*
 * void task_switch(void **save_sp, void *load_sp)
 *
 * Pushes the callee-saved registers, leaves the stack pointer in *save_sp and
 * goes on with another stack. The last step is pop and jump: a `ret` would be
 * mispredicted, because the return stack of the processor belongs to the other
 * task. For the same reason task.c reaches this by a tail call.
 */
#if defined(__x86_64__)
        .text
        .globl  task_switch
        .type   task_switch, @function
        .p2align 4
task_switch:
        pushq   %rbp
        pushq   %rbx
        pushq   %r12
        pushq   %r13
        pushq   %r14
        pushq   %r15
        movq    %rsp, (%rdi)
        movq    %rsi, %rsp
        popq    %r15
        popq    %r14
        popq    %r13
        popq    %r12
        popq    %rbx
        popq    %rbp
        popq    %rcx
        jmp     *%rcx
        .size   task_switch, . - task_switch

        /* First step of a task: the stack is 16-byte aligned here, as before a call. */
        .globl  task_entry
        .type   task_entry, @function
        .p2align 4
task_entry:
        movq    %r12, %rdi
        call    task_run_from
        ud2
        .size   task_entry, . - task_entry

        /* int task_call_main(int argc, char **argv, task_main_fn main), from the next page border on. */
        .globl  task_call_main
        .type   task_call_main, @function
        .p2align 4
task_call_main:
        pushq   %rbp
        movq    %rsp, %rbp
        andq    $-4096, %rsp
        call    *%rdx
        movq    %rbp, %rsp
        popq    %rbp
        ret
        .size   task_call_main, . - task_call_main
#elif defined(__aarch64__)
        .text
        .globl  task_switch
        .type   task_switch, %function
        .p2align 4
task_switch:
        sub     sp, sp, #160
        stp     x19, x20, [sp, #0]
        stp     x21, x22, [sp, #16]
        stp     x23, x24, [sp, #32]
        stp     x25, x26, [sp, #48]
        stp     x27, x28, [sp, #64]
        stp     x29, x30, [sp, #80]
        stp     d8, d9, [sp, #96]
        stp     d10, d11, [sp, #112]
        stp     d12, d13, [sp, #128]
        stp     d14, d15, [sp, #144]
        mov     x10, sp
        str     x10, [x0]
        mov     sp, x1
        ldp     x19, x20, [sp, #0]
        ldp     x21, x22, [sp, #16]
        ldp     x23, x24, [sp, #32]
        ldp     x25, x26, [sp, #48]
        ldp     x27, x28, [sp, #64]
        ldp     x29, x30, [sp, #80]
        ldp     d8, d9, [sp, #96]
        ldp     d10, d11, [sp, #112]
        ldp     d12, d13, [sp, #128]
        ldp     d14, d15, [sp, #144]
        add     sp, sp, #160
        br      x30
        .size   task_switch, . - task_switch

        .globl  task_entry
        .type   task_entry, %function
        .p2align 4
task_entry:
        mov     x0, x19
        bl      task_run_from
        brk     #1
        .size   task_entry, . - task_entry

        .globl  task_call_main
        .type   task_call_main, %function
        .p2align 4
task_call_main:
        stp     x29, x30, [sp, #-16]!
        mov     x29, sp
        and     x9, x29, #-4096
        mov     sp, x9
        blr     x2
        mov     sp, x29
        ldp     x29, x30, [sp], #16
        ret
        .size   task_call_main, . - task_call_main
#endif
#if defined(__linux__)
        .section .note.GNU-stack, "", %progbits
#endif
