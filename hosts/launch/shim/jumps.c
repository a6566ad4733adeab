/*
 * sigsetjmp() and the jumps to it, which keep and restore the mask of the rank as those of libc do
 * that of the process. What else a jump needs is libc's.
 */
#define _GNU_SOURCE    /* _longjmp */
#undef _FORTIFY_SOURCE /* whose headers take _longjmp() for __longjmp_chk() */
#include <setjmp.h>
#include <stddef.h>

#include "hosts/launch/shim/parts.h"

/* A program may have functions of its own by some of these names. */
#pragma weak __longjmp_chk
#pragma weak longjmp
#pragma weak siglongjmp

/* The names are libc's, those of the parameters are ours.
 * NOLINTBEGIN(readability-inconsistent-declaration-parameter-name,bugprone-reserved-identifier) */

#define MASK_WORDS (sizeof(((struct __jmp_buf_tag *)NULL)->__saved_mask) / sizeof(uint64_t))

/* libc's functions use the first words of its place for a mask, whatever the kernel. The last two
 * are ours: a mask, and that it is one, since libc's own functions save none of a rank. */
#define RANKS_MASK UINT64_C(0x6d61736b6f66726b)

static uint64_t *jump_mask(struct __jmp_buf_tag *env)
{
    return (uint64_t *)&env->__saved_mask + MASK_WORDS - 2;
}

void hub_jump_save(sigjmp_buf env);
void hub_jump_save(sigjmp_buf env)
{
    jump_mask(env)[0] = hub_hooks.signals->blocked;
    jump_mask(env)[1] = RANKS_MASK;
}

/*
 * __sigsetjmp(env, save), which sigsetjmp() stands for: has to leave to libc's function with the
 * stack of its caller, since that is what a jump goes back to. setjmp() is libc's __sigsetjmp(env,
 * 1), and _setjmp(), which the macro setjmp() stands for, is __sigsetjmp(env, 0).
 */
#if defined(__x86_64__)
__asm__(".text\n"
        ".weak __sigsetjmp\n"
        ".type __sigsetjmp, @function\n"
        "__sigsetjmp:\n"
        ".cfi_startproc\n"
        "	test %esi, %esi\n"
        "	je _setjmp@PLT\n"
        "	push %rdi\n"
        ".cfi_def_cfa_offset 16\n"
        "	call hub_jump_save@PLT\n"
        "	pop %rdi\n"
        ".cfi_def_cfa_offset 8\n"
        "	jmp setjmp@PLT\n"
        ".cfi_endproc\n"
        ".size __sigsetjmp, .-__sigsetjmp\n");
#else
__asm__(".text\n"
        ".weak __sigsetjmp\n"
        ".type __sigsetjmp, %function\n"
        "__sigsetjmp:\n"
        "	cbnz w1, 1f\n"
        "	b _setjmp\n"
        "1:	stp x0, x30, [sp, #-16]!\n"
        "	bl hub_jump_save\n"
        "	ldp x0, x30, [sp], #16\n"
        "	b setjmp\n"
        ".size __sigsetjmp, .-__sigsetjmp\n");
#endif

_Noreturn static void jump(struct __jmp_buf_tag *env, int value)
{
    if (env->__mask_was_saved && jump_mask(env)[1] == RANKS_MASK && !hub_shim_is_thread())
        hub_signals_block(jump_mask(env)[0]);
    _longjmp(env, value);
}

void longjmp(jmp_buf env, int value)
{
    jump(env, value);
}

void siglongjmp(sigjmp_buf env, int value)
{
    jump(env, value);
}

/* What -D_FORTIFY_SOURCE makes of them. */
_Noreturn void __longjmp_chk(jmp_buf env, int value);
void __longjmp_chk(jmp_buf env, int value)
{
    jump(env, value);
}
/* NOLINTEND(readability-inconsistent-declaration-parameter-name,bugprone-reserved-identifier) */
