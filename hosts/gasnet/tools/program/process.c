/* The rank as a process: its end, its signals, its streams, and where it is. */
#define _GNU_SOURCE /* POSIX beside C11 */
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "hosts/gasnet/include/gasnet_tools.h"
#include "hosts/gasnet/tools/program/fatal.h"
#include "hosts/gasnet/tools/run.h"

/* ---- the end ---- */

_Noreturn static void end_with(const char *what, const char *at, const char *format, va_list args)
{
    char text[GASNETI_LINE_BYTES];
    int n = snprintf(text, sizeof(text), "%s%s%s: ", what, at != NULL ? " at " : "",
                     at != NULL ? at : "");

    if (n > 0 && (size_t)n < sizeof(text))
        (void)vsnprintf(text + n, sizeof(text) - (size_t)n, format, args);
    text[strcspn(text, "\n")] = '\0'; /* one line */
    gasnett_flush_streams();
    (void)gasnett_print_backtrace_ifenabled(STDERR_FILENO);
    gasneti_tools_run_end(text);
}

_Noreturn void gasneti_tools_fatal(const char *call, const char *at, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    end_with(call, at, format, args);
}

void gasneti_tools_fatalerror(const char *function, const char *at, const char *format, ...)
{
    char what[256];
    va_list args;

    (void)snprintf(what, sizeof(what), "FATAL ERROR%s%s", function != NULL ? " in " : "",
                   function != NULL ? function : "");
    va_start(args, format);
    end_with(what, at, format, args);
}

void gasnett_killmyprocess(int code)
{
    _exit(code);
}

void gasnett_flush_streams(void)
{
    (void)fflush(stdout);
    (void)fflush(stderr);
}

void gasnett_close_streams(void)
{
    (void)fclose(stdin);
    (void)fclose(stdout);
    (void)fclose(stderr);
}

/* ---- places ---- */

char *gasneti_tools_place(const char *function, const char *at)
{
    size_t bytes = strlen(function) + strlen(at) + sizeof(" at ");
    char *text = malloc(bytes);

    if (text == NULL)
        gasneti_tools_fatal("gasnett_current_loc", at, "out of memory");
    (void)snprintf(text, bytes, "%s at %s", function, at);
    return text;
}

char *gasneti_tools_place_of(const char *function, const char *file, int line)
{
    char at[512];

    (void)snprintf(at, sizeof(at), "%s:%d", file, line);
    return gasneti_tools_place(function != NULL ? function : "?", at);
}

static void print_frame(void *arg, const char *place)
{
    dprintf(*(int *)arg, "backtrace:%s\n", place);
}

int gasnett_print_backtrace(int fd)
{
    const gasnett_backtrace_type_t *own = &gasnett_backtrace_user;

    if (own != NULL && own->fnp != NULL && own->fnp(fd) == 0)
        return 0;
    gasneti_tools_run_frames(print_frame, &fd);
    return 0;
}

static int print_backtrace_if_wanted(int fd)
{
    if (!gasnett_getenv_yesno_withdefault("GASNET_BACKTRACE", 0))
        return 1;
    return gasnett_print_backtrace(fd);
}

int (*gasnett_print_backtrace_ifenabled)(int fd) = print_backtrace_if_wanted;

/* Frames are named by the run, which knows the program. */
void gasnett_backtrace_init(const char *program)
{
    (void)program;
}

void gasnett_freezeForDebuggerNow(volatile int *flag, const char *name)
{
    (void)flag;
    fprintf(stderr, "%s: a simulated rank is not frozen for a debugger\n", name);
}

void gasnett_freezeForDebuggerErr(void)
{
    if (gasnett_getenv_yesno_withdefault("GASNET_FREEZE_ON_ERROR", 0))
        gasnett_freezeForDebuggerNow(NULL, "GASNET_FREEZE_ON_ERROR");
}

/* ---- signals ---- */

#define SIGNAL(name, meaning)                                                                      \
    {                                                                                              \
        name, #name, meaning                                                                       \
    }

static const gasnett_siginfo_t signals[] = {
    SIGNAL(SIGABRT, "aborted"),
    SIGNAL(SIGALRM, "timer"),
    SIGNAL(SIGBUS, "bad address"),
    SIGNAL(SIGCHLD, "child has changed"),
    SIGNAL(SIGCONT, "continue"),
    SIGNAL(SIGFPE, "arithmetic error"),
    SIGNAL(SIGHUP, "hangup"),
    SIGNAL(SIGILL, "illegal instruction"),
    SIGNAL(SIGINT, "interrupt"),
    SIGNAL(SIGKILL, "killed"),
    SIGNAL(SIGPIPE, "nobody reads"),
    SIGNAL(SIGPROF, "profiling timer"),
    SIGNAL(SIGQUIT, "quit"),
    SIGNAL(SIGSEGV, "segmentation fault"),
    SIGNAL(SIGSTOP, "stopped"),
    SIGNAL(SIGTERM, "terminated"),
    SIGNAL(SIGTRAP, "trap"),
    SIGNAL(SIGTSTP, "stopped by the user"),
    SIGNAL(SIGTTIN, "terminal input"),
    SIGNAL(SIGTTOU, "terminal output"),
    SIGNAL(SIGURG, "urgent data"),
    SIGNAL(SIGUSR1, "user-defined 1"),
    SIGNAL(SIGUSR2, "user-defined 2"),
    SIGNAL(SIGVTALRM, "virtual timer"),
    SIGNAL(SIGXCPU, "processor time limit"),
    SIGNAL(SIGXFSZ, "file size limit"),
};
#define NSIGNALS (sizeof(signals) / sizeof(signals[0]))

const gasnett_siginfo_t *gasnett_siginfo_fromval(int sig)
{
    for (size_t i = 0; i < NSIGNALS; i++)
        if (signals[i].signum == sig)
            return &signals[i];
    return NULL;
}

/* By its name, with or without SIG, in either case, or by its number. */
const gasnett_siginfo_t *gasnett_siginfo_fromstr(const char *name)
{
    char *end;
    long number = strtol(name, &end, 10);

    if (end != name && *end == '\0')
        return gasnett_siginfo_fromval((int)number);
    for (size_t i = 0; i < NSIGNALS; i++)
        if (strcasecmp(signals[i].signame, name) == 0 ||
            strcasecmp(signals[i].signame + strlen("SIG"), name) == 0)
            return &signals[i];
    return NULL;
}

gasnett_sighandlerfn_t gasnett_reghandler(int sig, gasnett_sighandlerfn_t handler)
{
    gasnett_sighandlerfn_t old = signal(sig, handler);

    if (old == SIG_ERR)
        gasneti_tools_fatal("gasnett_reghandler", NULL,
                            "signal = %d: expected one that can be handled", sig);
    return old;
}

static int mask_change(int how, int sig)
{
    sigset_t set;

    if (sigemptyset(&set) != 0 || sigaddset(&set, sig) != 0)
        return -1;
    return sigprocmask(how, &set, NULL);
}

int gasnett_blocksig(int sig)
{
    return mask_change(SIG_BLOCK, sig);
}

int gasnett_unblocksig(int sig)
{
    return mask_change(SIG_UNBLOCK, sig);
}
