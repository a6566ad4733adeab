#include "hosts/mpi/init/visit.h"

#include "hosts/mpi/point/protocol.h"

struct mpi_visit mpi_visit_begin(const char *name, const void *from)
{
    struct host *h = host_self();
    struct mpi_visit v = { .mr = NULL };

    if (h == NULL)
        return v;
    v.entry = h->entry;
    h->entry = (struct host_entry){ mpi_call_name(name), from };
    v.mr = host_state_of(h->states, mpi_rank_release);
    v.counts = mpi_profile_begin(&v.start_ps);
    if (v.mr == NULL)
        return v;
    v.interrupts = v.mr->interrupts;
    v.mr->interrupts = mpi_library(h, true) ? v.interrupts : v.mr->inside > 0;
    v.mr->inside++;
    v.outer = v.mr->call;
    v.mr->call = (struct mpi_call){ name, from, ++v.mr->calls };
    v.blames = mpi_blame_begin(v.mr);
    v.mr->ended = false;
    return v;
}

int mpi_visit_end(const struct mpi_visit *v, unsigned call, const char *name, uint64_t bytes,
                  int code)
{
    struct mpi_rank *mr = v->mr;
    struct host *h = host_self();

    if (code != MPI_SUCCESS && (mr == NULL || !mr->ended))
        code = mpi_end_blamed(mpi_self(), name, code);
    while (mr != NULL && mr->inside == 1 && mpi_help_is_due(mr))
        mpi_help(mr); /* as the interrupt would have */
    if (mr != NULL) {
        if (--mr->inside == 0 || mr->interrupts)
            mpi_library(mr->host, false);
        mr->interrupts = v->interrupts;
        mr->call = v->outer;
        mpi_blame_end(mr, v->blames);
        mr->ended = false;
    }
    if (mr == NULL && h != NULL)
        mpi_library(h, false); /* MPI_Init() has begun that */
    if (h != NULL)
        h->entry = v->entry;
    if (v->counts)
        mpi_profile_end(v->start_ps, call, name, bytes);
    return code;
}
