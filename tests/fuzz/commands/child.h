/* Runs one case in a folder of its own, with limits, and judges how it ended. */
#ifndef CHILD_H
#define CHILD_H

#include "case.h"

/** Where commands run: copies, so that nothing that they write reaches the source or the build. */
struct site {
    char base[64]; /* bin/, share/hubsim/, programs/, and a folder for each worker */
    const char *build;
    unsigned limit_s; /* of processor time: a command that uses more is slow */
    unsigned idle_s;  /* of any time: a command that uses no processor for so long hangs */
};

enum verdict { ENDED_WELL, REFUSED, SLOW, FOUND /* it broke a rule */ };

struct outcome {
    enum verdict verdict;
    char what[200];     /* the rule that it broke: the same text for the same cause, if possible */
    const char *folder; /* where it ran, until the next case of this worker */
};

/** `configs` is copied. */
bool site_init(struct site *site, const char *build, const char *configs);
void site_fini(const struct site *site);
/** A folder and all in it. */
void site_remove(const char *path);

void child_run(const struct site *site, unsigned worker, const struct fuzz_case *c,
               struct outcome *outcome);

#endif /* CHILD_H */
