/*
 * A program made by hubcc that is started like any other, ./prog, as configure scripts do: it runs
 * as one rank. The object names no loader, so the kernel jumps here, where nothing is relocated and
 * no library is there: what follows makes system calls and uses its own memory alone. hubrun is in
 * a folder of the object's run path, which hubcc put there, perhaps after those of the program's
 * own libraries. Loaded by hubrun, none of this runs.
 */
#include <elf.h>
#include <stddef.h>
#include <stdint.h>

#define ARGUMENTS 16384

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker's names */
extern const Elf64_Ehdr __ehdr_start __attribute__((visibility("hidden")));
extern const Elf64_Dyn _DYNAMIC[] __attribute__((visibility("hidden")));
/* NOLINTEND(bugprone-reserved-identifier) */

void hub_start(void) __attribute__((visibility("hidden")));
__attribute__((visibility("hidden"), used)) void hub_start_at(uint64_t *stack);

#if defined(__x86_64__)
__asm__(".text\n.hidden hub_start\n.globl hub_start\n.type hub_start, @function\n"
        "hub_start:\n	mov %rsp, %rdi\n	and $-16, %rsp\n	call hub_start_at\n"
        ".size hub_start, .-hub_start\n");

static long system_call(long number, long a, const void *b, const void *c)
{
    long result;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c)
                     : "rcx", "r11", "memory");
    return result;
}
#define CALL_WRITE  1
#define CALL_EXECVE 59
#define CALL_EXIT   231
#elif defined(__aarch64__)
__asm__(".text\n.hidden hub_start\n.globl hub_start\n.type hub_start, %function\n"
        "hub_start:\n	mov x0, sp\n	bl hub_start_at\n"
        ".size hub_start, .-hub_start\n");

static long system_call(long number, long a, const void *b, const void *c)
{
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register const void *x1 __asm__("x1") = b;
    register const void *x2 __asm__("x2") = c;

    __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
    return x0;
}
#define CALL_WRITE  64
#define CALL_EXECVE 221
#define CALL_EXIT   94
#endif

static char path[4096];
static const char *arguments[ARGUMENTS];

static const char *run_path(void)
{
    const char *base = (const char *)&__ehdr_start, *names = NULL, *text = NULL;

    for (const Elf64_Dyn *d = _DYNAMIC; d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_STRTAB)
            names = base + d->d_un.d_ptr;
    for (const Elf64_Dyn *d = _DYNAMIC; d->d_tag != DT_NULL; d++)
        if (names != NULL && (d->d_tag == DT_RUNPATH || d->d_tag == DT_RPATH))
            text = names + d->d_un.d_val;
    return text;
}

/* Returns where no folder of the list has it. */
static void start_from(const char *folders, const char **environment)
{
    static const char name[] = "/hubrun";

    while (folders != NULL && *folders != '\0') {
        uint64_t at = 0;

        for (; *folders != '\0' && *folders != ':'; folders++)
            if (at < sizeof(path) - sizeof(name))
                path[at++] = *folders;
        for (uint64_t i = 0; i < sizeof(name); i++)
            path[at + i] = name[i];
        system_call(CALL_EXECVE, (long)path, arguments, environment);
        folders += *folders == ':';
    }
}

/* The kernel leaves the number of arguments, them, the environment and its auxiliary vector. */
void hub_start_at(uint64_t *stack)
{
    static const char *const before[] = { "hubrun", "-q", "-n", "1", "-m", "one-node" };
    static const char error[] = "cannot start hubrun, which should be where hubcc is\n";
    const char **environment, *self = NULL;
    uint64_t n = stack[0], words = 0;

    environment = (const char **)&stack[n + 2];
    for (uint64_t *aux = stack + n + 2;; aux++) {
        if (*aux != 0)
            continue;
        for (aux++; *aux != AT_NULL; aux += 2)
            if (*aux == AT_EXECFN)
                self = (const char *)aux[1]; /* NOLINT(performance-no-int-to-ptr): the kernel's */
        break;
    }
    for (; words < sizeof(before) / sizeof(before[0]); words++)
        arguments[words] = before[words];
    arguments[words++] = self;
    for (uint64_t i = 1; i < n && words < ARGUMENTS - 1; i++)
        arguments[words++] = (const char *)stack[i + 1]; /* NOLINT(performance-no-int-to-ptr) */
    start_from(run_path(), environment);
    system_call(CALL_WRITE, 2, error, (const void *)(sizeof(error) - 1));
    system_call(CALL_EXIT, 127, NULL, NULL);
    __builtin_unreachable();
}
