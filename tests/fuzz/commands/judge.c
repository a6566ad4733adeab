#define _POSIX_C_SOURCE 200809L
#include "judge.h"

#include "seeds.h"

#include <stdarg.h>
#include <string.h>
#include <sys/wait.h>

/* On stderr, these are mistakes of ours; the line with them names the cause. */
static const char *const signs[] = {
    "broken rule:",
    "SUMMARY: ",
    "runtime error:",
    "ERROR: ",
    "broke one of its own rules",
    "memory access fault",
    "Segmentation fault",
    "Assertion",
    "arithmetic fault",
    "Bus error",
    "Floating point exception",
    "Illegal instruction",
    "bad system call",
};

/* Simulating may take long; reading, listing and comparing may not. */
static const char *const quick[] = { "params", "topology", "list", "diff", "capture" };

/* Exit status 1 with a table that says why. */
static const char *const comparing[] = { "check", "diff", "score" };

static bool is_one_of(const char *word, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (word != NULL && strcmp(word, list[i]) == 0)
            return true;
    return false;
}

static __attribute__((format(printf, 2, 3))) void note_broken_rule(struct outcome *outcome,
                                                                   const char *fmt, ...)
{
    va_list args;

    outcome->verdict = FOUND;
    va_start(args, fmt);
    (void)vsnprintf(outcome->what, sizeof(outcome->what), fmt, args);
    va_end(args);
}

/** The line without what differs from case to case: digits, and words of the input in quotes. */
static void name_line(const char *text, const char *sign, struct outcome *outcome)
{
    const char *from = sign;
    size_t n = 0;

    while (from > text && from[-1] != '\n')
        from--;
    outcome->verdict = FOUND;
    for (; *from != '\0' && *from != '\n' && n + 1 < sizeof(outcome->what); from++)
        if (strchr("0123456789", *from) == NULL)
            outcome->what[n++] = *from;
    outcome->what[n] = '\0';
}

static void judge_text(const char *text, struct outcome *outcome)
{
    for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
        const char *sign = strstr(text, signs[i]);

        if (sign != NULL) {
            name_line(text, sign, outcome);
            return;
        }
    }
}

static void judge_status(const struct end_facts *facts, const char *out, const char *errors,
                         struct outcome *outcome)
{
    const char *command = facts->c->nargs > 1 ? facts->c->args[1] : NULL;
    int code = WEXITSTATUS(facts->status);

    outcome->verdict = code == 0 ? ENDED_WELL : REFUSED;
    if (code >= 126)
        note_broken_rule(outcome, "exit status %d of %s", code, facts->c->args[0]);
    else if (code != 0 && errors[0] == '\0' &&
             !(code == 1 && out[0] != '\0' &&
               is_one_of(command, comparing, sizeof(comparing) / sizeof(comparing[0]))))
        note_broken_rule(outcome, "exit status %d of %s %s without a line on stderr", code,
                         facts->c->args[0], command);
    else if (facts->left)
        note_broken_rule(outcome, "%s %s leaves processes behind", facts->c->args[0], command);
}

void judge(const struct end_facts *facts, const char *folder, struct outcome *outcome)
{
    struct load_arena arena = { 0 };
    size_t n;
    const char *out = seeds_read(&arena, load_text(&arena, "%s/../../stdout", folder), &n);
    const char *errors = seeds_read(&arena, load_text(&arena, "%s/../../stderr", folder), &n);
    const char *command = facts->c->nargs > 1 ? facts->c->args[1] : "";

    *outcome = (struct outcome){ .verdict = ENDED_WELL };
    if (facts->end == END_IDLE)
        note_broken_rule(outcome, "%s %s hangs", facts->c->args[0], command);
    else if (facts->end == END_BUSY && is_one_of(command, quick, sizeof(quick) / sizeof(quick[0])))
        note_broken_rule(outcome, "%s %s takes too long", facts->c->args[0], command);
    else if (facts->end == END_BUSY)
        outcome->verdict = SLOW;
    else if (WIFSIGNALED(facts->status))
        note_broken_rule(outcome, "%s %s: signal %d", facts->c->args[0], command,
                         WTERMSIG(facts->status));
    else
        judge_status(facts, out != NULL ? out : "", errors != NULL ? errors : "", outcome);
    if (errors != NULL && facts->end == END_BY_ITSELF)
        judge_text(errors, outcome);
    load_arena_fini(&arena);
}
