#include "tools/hubrun/environment.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((format(printf, 2, 3))) static void remark(const struct options *opt, const char *fmt,
                                                         ...)
{
    va_list ap;

    if (opt->quiet)
        return;
    fputs("hubrun: ", stderr);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
}

/* ---- GPUs ---------------------------------------------------------------------------- */

static unsigned entries_of(const char *list)
{
    unsigned n = *list != '\0';

    while ((list = strchr(list, ',')) != NULL) {
        list++;
        n++;
    }
    return n;
}

/* CUDA leaves them out without a word. */
static void report_unseen(const struct options *opt, const struct machine_desc *desc)
{
    for (unsigned node = 0; node < desc->nnodes; node++) {
        unsigned all = launch_gpus(desc, node, NULL), n = launch_gpus(desc, node, opt->visible);

        if (all == 0 || n == entries_of(opt->visible))
            continue;
        remark(
            opt,
            "--visible-devices %s: ranks on node %u see %u of its %u GPUs: expected numbers from "
            "0 to %u, each once",
            opt->visible, node, n, all, all - 1);
        return;
    }
}

static bool has_gpus(const struct machine_desc *desc)
{
    for (unsigned node = 0; node < desc->nnodes; node++)
        if (launch_gpus(desc, node, NULL) > 0)
            return true;
    return false;
}

static void take_devices(struct options *opt, const struct machine_desc *desc)
{
    const char *set = getenv("CUDA_VISIBLE_DEVICES");

    if (!has_gpus(desc)) {
        if (opt->visible != NULL)
            remark(opt, "--visible-devices %s: not used: no node of this machine has a GPU",
                   opt->visible);
        return;
    }
    if (opt->visible == NULL && set != NULL) {
        opt->visible = set;
        remark(opt, "CUDA_VISIBLE_DEVICES=%s: as with --visible-devices %s", set,
               *set != '\0' ? set : "''");
    }
    if (opt->visible != NULL)
        report_unseen(opt, desc);
}

void environment_take(struct options *opt, const struct machine_desc *desc)
{
    take_devices(opt, desc);
}
