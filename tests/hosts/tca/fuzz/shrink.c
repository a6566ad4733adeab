#include "shrink.h"

#include <stdlib.h>
#include <string.h>

#define TRIALS_MAX  300u /* some seconds */
#define TRIALS_LONG 40u  /* of what takes its time to hang */

const struct outcome *examine(struct machine_server *m, const struct sequence *s, bool twice)
{
    struct outcome *out = machine_run(m, s), *first;
    struct sequence again;

    if (!twice || out->found[0] != '\0')
        return out;
    first = malloc(sizeof(*first));
    if (first == NULL)
        abort();
    *first = *out;
    again = *s;
    again.again = true;
    out = machine_run(m, &again);
    if (out->found[0] == '\0' &&
        (memcmp(out->prints, first->prints, sizeof(out->prints)) != 0 ||
         out->results != first->results || strcmp(out->log, first->log) != 0)) {
        (void)snprintf(out->kind, sizeof(out->kind), "differs");
        (void)snprintf(out->found, sizeof(out->found),
                       "the fingerprint is another one when the sequence runs again");
    }
    free(first);
    return out;
}

/** Left out: the steps from..from + n - 1 that are still there. @return there were any */
static bool leave_out(struct sequence *s, unsigned from, unsigned n)
{
    bool any = false;

    for (unsigned i = from; i < from + n && i < s->steps; i++) {
        any |= !s->left_out[i];
        s->left_out[i] = true;
    }
    return any;
}

void shrink(struct machine_server *m, struct sequence *s, bool twice, const char *kind)
{
    bool slow = strcmp(kind, "hangs") == 0 || strcmp(kind, "takes too long") == 0;
    unsigned trials = slow ? TRIALS_LONG : TRIALS_MAX;
    bool less = true;

    s->quiet = true;
    for (unsigned n = STEPS_MAX / 2; n >= 1; n = n > 1 || !less ? n / 2 : 1) {
        less = false;
        for (unsigned from = 0; from < s->steps && trials > 0; from += n) {
            struct sequence shorter = *s;

            if (!leave_out(&shorter, from, n))
                continue;
            trials--;
            if (strcmp(examine(m, &shorter, twice)->kind, kind) != 0)
                continue;
            *s = shorter;
            less = true;
        }
        if (trials == 0)
            return;
    }
}
