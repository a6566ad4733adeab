#include "tools/hubrun/place.h"
#include "tools/load/value.h"

#include "tools/load/arena.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static void by_list(const char *list, unsigned nranks, unsigned nnodes, unsigned *nodes)
{
    const char *at = list;
    unsigned n = 0;

    for (;; at++) {
        char *end;
        unsigned long node;

        errno = 0;
        node = strtoul(at, &end, 10);
        if (end == at || errno != 0 || *at < '0' || *at > '9' || node >= nnodes)
            load_raise(SIM_ERR_CONFIG,
                       "--place %s: rank %u: expected a node from 0 to %u, or the word "
                       "block, block:N or cyclic",
                       list, n, nnodes - 1);
        if (n < nranks)
            nodes[n] = (unsigned)node;
        n++;
        at = end;
        if (*at != ',')
            break;
    }
    if (*at != '\0' || n != nranks)
        load_raise(SIM_ERR_CONFIG,
                   "--place %s: %u node%s: expected one for each of %u rank%s, with commas "
                   "between them",
                   list, n, load_plural(n), nranks, load_plural(nranks));
}

void place_ranks(const char *how, unsigned nranks, unsigned nnodes, unsigned *nodes)
{
    unsigned share, more, rank = 0;

    if (nnodes == 0)
        load_raise(SIM_ERR_CONFIG, "expected a node with a component of kind host");
    if (how == NULL || strcmp(how, "cyclic") == 0) {
        for (unsigned r = 0; r < nranks; r++)
            nodes[r] = r % nnodes;
        return;
    }
    if (strncmp(how, "block:", 6) == 0) {
        unsigned long each = strtoul(how + 6, NULL, 10);

        if (each == 0 || each == ULONG_MAX || how[6 + strspn(how + 6, "0123456789")] != '\0')
            load_raise(SIM_ERR_CONFIG, "--place %s: expected block:N, N from 1", how);
        for (unsigned r = 0; r < nranks; r++)
            nodes[r] = (unsigned)(r / each % nnodes);
        return;
    }
    if (strcmp(how, "block") != 0) {
        by_list(how, nranks, nnodes, nodes);
        return;
    }
    share = nranks / nnodes;
    more = nranks % nnodes;
    for (unsigned node = 0; node < nnodes; node++)
        for (unsigned i = 0; i < share + (node < more ? 1 : 0); i++)
            nodes[rank++] = node;
}
