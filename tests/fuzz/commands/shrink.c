#include "shrink.h"

#include <string.h>

#define TRIALS_MAX 400u /* less than a minute at ten commands a second */

struct shrinking {
    const struct site *site;
    unsigned worker, trials;
    const struct outcome *found;
};

static bool still(struct shrinking *s, const struct fuzz_case *c)
{
    struct outcome outcome;

    if (s->trials++ >= TRIALS_MAX)
        return false;
    child_run(s->site, s->worker, c, &outcome);
    return outcome.verdict == FOUND && strcmp(outcome.what, s->found->what) == 0;
}

static void drop_args(struct shrinking *s, struct fuzz_case *c)
{
    for (unsigned i = c->nargs; i-- > 2;) {
        struct fuzz_case less = *c;

        memmove(&less.args[i], &less.args[i + 1], (less.nargs - i - 1) * sizeof(less.args[0]));
        less.nargs--;
        if (still(s, &less))
            *c = less;
    }
}

static void drop_files(struct shrinking *s, struct fuzz_case *c)
{
    for (unsigned i = c->nfiles; i-- > 0;) {
        struct fuzz_case less = *c;

        less.files[i] = less.files[--less.nfiles];
        if (still(s, &less))
            *c = less;
    }
}

/** Where the line that begins at `at` ends, or the n-th from there. */
static size_t after_lines(const struct case_file *file, size_t at, size_t n)
{
    while (n-- > 0 && at < file->n) {
        const char *end = memchr(file->bytes + at, '\n', file->n - at);

        at = end == NULL ? file->n : (size_t)(end - file->bytes) + 1;
    }
    return at;
}

/** Takes out `n` lines wherever they are not needed. @return whether any were */
static bool drop_lines(struct shrinking *s, struct fuzz_case *c, unsigned which, size_t n)
{
    size_t at = 0;
    bool any = false;

    while (at < c->files[which].n && s->trials < TRIALS_MAX) {
        const struct case_file *file = &c->files[which];
        size_t end = after_lines(file, at, n);
        struct fuzz_case less = *c;
        char *bytes = load_alloc(c->arena, file->n + 1);

        memcpy(bytes, file->bytes, at);
        memcpy(bytes + at, file->bytes + end, file->n - end);
        less.files[which].bytes = bytes;
        less.files[which].n = file->n - (end - at);
        if (still(s, &less)) {
            *c = less;
            any = true;
        } else {
            at = end;
        }
    }
    return any;
}

void shrink(const struct site *site, unsigned worker, struct fuzz_case *c,
            const struct outcome *found)
{
    struct shrinking s = { site, worker, 0, found };

    drop_args(&s, c);
    drop_files(&s, c);
    for (unsigned i = 0; i < c->nfiles; i++)
        for (size_t n = 32; n > 0; n /= 2)
            (void)drop_lines(&s, c, i, n);
    drop_args(&s, c);
}
