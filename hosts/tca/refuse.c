#include <stdarg.h>
#include <stdio.h>

#include "hosts/tca/internal.h"

/* A program may try what is refused on purpose, and often. */
#define REFUSED_MAX 20u

tcaresult tca_refuse(const char *call, tcaresult code, const char *format, ...)
{
    struct host *h = host_self();
    struct tca_rank *self = tca_rank_make();
    char why[256], line[400];
    va_list args;

    if (self == NULL || self->refused > REFUSED_MAX) /* NULL: no rank of a machine */
        return code;
    va_start(args, format);
    (void)vsnprintf(why, sizeof(why), format, args);
    va_end(args);
    if (self->refused++ < REFUSED_MAX)
        (void)snprintf(line, sizeof(line), "rank %u on node %u at %.6f us: %s: %s", h->rank,
                       h->node->index, (double)h->cpu->time_ps(h) * 1e-6, call, why);
    else
        (void)snprintf(line, sizeof(line),
                       "rank %u on node %u: %u calls were refused; others are not shown", h->rank,
                       h->node->index, REFUSED_MAX);
    h->process->refused(h, line);
    return code;
}

tcaresult tca_refuse_channel(const char *call, int ch)
{
    return tca_refuse(call, TCA_ERROR_INVALID_VALUE, "channel = %d: expected 0 .. %u", ch,
                      HUB_DMA_CHANNELS - 1);
}

tcaresult tca_refuse_handle(const char *call, const char *name, const tcaHandle *h)
{
    if (h == NULL)
        return tca_refuse(call, TCA_ERROR_INVALID_VALUE, "%s = NULL: expected a handle", name);
    return tca_refuse(call, TCA_ERROR_INVALID_VALUE,
                      "%s: no handle, or one that was destroyed: expected what tcaCreateHandle() "
                      "has filled in, here or on another node",
                      name);
}

tcaresult tca_refuse_reach(const char *call, const char *name, const tcaHandle *h,
                           const struct tca_rank *self)
{
    return tca_refuse(call, TCA_ERROR_NOT_SUPPORTED,
                      "%s: memory of sub-cluster %u: expected %u, the own one; no cable leads to "
                      "another",
                      name, h->subcluster, self->d->subcluster);
}
