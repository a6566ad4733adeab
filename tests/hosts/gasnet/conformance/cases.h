/*
 * Programs of cases, each of which ends all ranks and is a run of its own: PROGRAM NUMBER. With the
 * word `cases` they are listed, for the runner: number, least ranks, status, what is printed (an
 * extended regular expression), and a text, with tabs between.
 */
#ifndef CASES_H
#define CASES_H

#include "check.h"

struct one_case {
    int number;
    unsigned least; /* ranks */
    int status;
    const char *expected, *text;
    void (*run)(void);
    bool bare; /* without gasnet_init() and gasnet_attach() before */
};

static inline int cases_list(const struct one_case *all, int n)
{
    for (int i = 0; i < n; i++)
        printf("%d\t%u\t%d\t%s\t%s\n", all[i].number, all[i].least, all[i].status, all[i].expected,
               all[i].text);
    return 0;
}

static inline int cases_run(int argc, char **argv, const struct one_case *all, int n,
                            const gasnet_handlerentry_t *table, int handlers)
{
    const char *word = argc > 1 ? argv[1] : "";

    if (strcmp(word, "cases") == 0)
        return cases_list(all, n);
    for (int i = 0; i < n; i++)
        if (all[i].number == atoi(word)) {
            if (!all[i].bare)
                check_begin(&argc, &argv, word, table, handlers);
            all[i].run();
            return 0;
        }
    fprintf(stderr, "case %s: expected a number of those that `cases` lists\n", word);
    return 2;
}

/* A rank that has nothing to do with the case: it serves others until they end all. */
static inline void serve(void)
{
    for (;;)
        gasnet_AMPoll();
}

#endif /* CASES_H */
