#include "hosts/mpi/init/profile.h"

#include "hosts/mpi/include/mpi-hub.h"
#include "hosts/mpi/point/protocol.h"

bool mpi_profile_begin(uint64_t *start_ps_p)
{
    struct host *h = host_self();

    if (h == NULL || h->profile == NULL || h->profile->inside)
        return false;
    h->profile->inside = true;
    *start_ps_p = h->cpu->time_ps(h);
    return true;
}

void mpi_profile_end(uint64_t start_ps, unsigned call, const char *name, uint64_t bytes)
{
    struct host *h = host_self();
    struct host_profile_call *c;

    h->profile->inside = false;
    if (call >= HOST_PROFILE_CALLS)
        return;
    c = &h->profile->calls[call];
    c->name = name;
    c->count++;
    c->bytes += bytes;
    c->ps += h->cpu->time_ps(h) - start_ps;
}

uint64_t mpi_profile_bytes(int64_t count, MPI_Datatype type)
{
    const struct mpi_type *t = mpi_type_of(mpi_self(), type);

    return t != NULL && count > 0 ? (uint64_t)count * t->bytes : 0;
}

unsigned mpi_profile_size(MPI_Comm comm)
{
    const struct mpi_comm *c = mpi_comm_of(mpi_self(), comm);

    return c != NULL ? (unsigned)c->size : 0;
}

uint64_t mpi_profile_bytes_all(const int *counts, MPI_Datatype type, MPI_Comm comm)
{
    unsigned n = mpi_profile_size(comm);
    uint64_t bytes = 0;

    for (unsigned i = 0; i < n && counts != NULL; i++)
        bytes += mpi_profile_bytes(counts[i], type);
    return bytes;
}

static void add_count(struct host_profile *p, const char *name, uint64_t messages, uint64_t bytes)
{
    if (p->ncounts < HOST_PROFILE_COUNTS)
        p->counts[p->ncounts++] = (struct host_profile_count){ name, messages, bytes };
}

void mpi_profile_collect(void)
{
    struct host_profile *p = host_self()->profile;
    const struct host_profile_peer *to_itself;
    const struct transport *t;
    MPIX_Hub_counts c;

    if (mpi_self() == NULL || MPIX_Hub_counters(&c) != MPI_SUCCESS)
        return;
    t = mpi_self()->transport;
    for (unsigned to = 0; to < p->npeers; to++)
        MPIX_Hub_sent((int)to, &p->peers[to].messages, &p->peers[to].bytes);
    to_itself = &p->peers[host_self()->rank];
    p->ncounts = 0;
    add_count(p, "sent", c.messages, c.bytes);
    add_count(p, "sent by remote write", c.write_messages, c.write_bytes);
    add_count(p, "sent through a FIFO", c.fifo_messages, c.fifo_bytes);
    add_count(p, "sent to itself", to_itself->messages, to_itself->bytes);
    add_count(p, "received by remote read", 0, c.read_bytes);
    add_count(p, "received without a copy", c.copies[0], c.copied_bytes[0]);
    add_count(p, "received with one copy", c.copies[1], c.copied_bytes[1]);
    add_count(p, "received with two copies", c.copies[2], c.copied_bytes[2]);
    add_count(p, "received with more copies", c.copies[3], c.copied_bytes[3]);
    add_count(p, "received before its receive", c.unexpected, 0);
    add_count(p, "address announced by a receive", c.asks, 0);
    add_count(p, "of them crossed by a message", c.stale_asks, 0);
    add_count(p, "entry of a FIFO written", c.entries, 0);
    if (t->ops->profile != NULL)
        t->ops->profile(t, p);
    if (c.helped > 0)
        add_count(p, "interrupt by the helper", c.helped, 0);
}
