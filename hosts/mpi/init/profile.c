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

/* Another library may have sent, too. */
static void set_sent(struct host_profile_peer *peer, uint64_t messages, uint64_t bytes)
{
    peer->messages += messages - peer->of_mpi;
    peer->bytes += bytes - peer->bytes_of_mpi;
    peer->of_mpi = messages;
    peer->bytes_of_mpi = bytes;
}

void mpi_profile_collect(void)
{
    struct host_profile *p = host_self()->profile;
    struct host_counts *to = &p->counts[HOST_PROFILE_MPI];
    const struct transport *t;
    uint64_t messages, bytes;
    MPIX_Hub_counts c;

    if (mpi_self() == NULL || MPIX_Hub_counters(&c) != MPI_SUCCESS)
        return;
    t = mpi_self()->transport;
    for (unsigned peer = 0; peer < p->npeers; peer++) {
        MPIX_Hub_sent((int)peer, &messages, &bytes);
        set_sent(&p->peers[peer], messages, bytes);
    }
    MPIX_Hub_sent((int)host_self()->rank, &messages, &bytes);
    host_counts_set(to, "sent", c.messages, c.bytes);
    host_counts_set(to, "sent by remote write", c.write_messages, c.write_bytes);
    host_counts_set(to, "sent through a FIFO", c.fifo_messages, c.fifo_bytes);
    host_counts_set(to, "sent to itself", messages, bytes);
    host_counts_set(to, "received by remote read", 0, c.read_bytes);
    host_counts_set(to, "received without a copy", c.copies[0], c.copied_bytes[0]);
    host_counts_set(to, "received with one copy", c.copies[1], c.copied_bytes[1]);
    host_counts_set(to, "received with two copies", c.copies[2], c.copied_bytes[2]);
    host_counts_set(to, "received with more copies", c.copies[3], c.copied_bytes[3]);
    host_counts_set(to, "received before its receive", c.unexpected, 0);
    host_counts_set(to, "address announced by a receive", c.asks, 0);
    host_counts_set(to, "of them crossed by a message", c.stale_asks, 0);
    host_counts_set(to, "entry of a FIFO written", c.entries, 0);
    if (t->ops->profile != NULL)
        t->ops->profile(t, to);
    if (c.helped > 0)
        host_counts_set(to, "interrupt by the helper", c.helped, 0);
}
