/* Messages of the program that no receive has matched. */
#include <stdio.h>
#include <stdlib.h>

#include "hosts/mpi/check/record.h"

struct mpi_sent {
    TAILQ_ENTRY(mpi_sent) in_list;
    unsigned to;
    uint32_t context;
    int tag;
    uint64_t bytes;
    struct mpi_place at;
    char comm[64]; /* the communicator may be gone when it is reported */
};

struct mpi_sent *mpi_check_sent(struct mpi_rank *mr, unsigned to, const struct mpi_comm *comm,
                                int tag, uint64_t bytes)
{
    struct mpi_sent *s = mpi_need(mr, malloc(sizeof(*s)));

    *s = (struct mpi_sent){ .to = to, .context = comm->context, .tag = tag, .bytes = bytes };
    mpi_check_place(mr, &s->at);
    mpi_comm_text(comm, s->comm, sizeof(s->comm));
    TAILQ_INSERT_TAIL(&mr->check->sent[to], s, in_list);
    return s;
}

static void drop_message(struct mpi_check *ck, struct mpi_sent *s)
{
    TAILQ_REMOVE(&ck->sent[s->to], s, in_list);
    free(s);
}

/* Messages of one pair, context and tag are received in the order in which they were sent. */
void mpi_check_received(struct mpi_rank *mr, unsigned from, uint32_t context, int tag)
{
    struct mpi_sent *s = TAILQ_FIRST(&mr->check->sent[mr->host->rank]);

    while (s != NULL && !(s->at.host->rank == from && s->context == context && s->tag == tag))
        s = TAILQ_NEXT(s, in_list);
    if (s != NULL)
        drop_message(mr->check, s);
}

void mpi_check_taken_back(struct mpi_rank *mr, struct mpi_sent *sent)
{
    if (sent != NULL)
        drop_message(mr->check, sent);
}

static void report_message(struct mpi_check *ck, const struct mpi_sent *s)
{
    const struct mpi_place *end = &ck->ends[s->to];
    bool ended = end->host != NULL;
    char alike[160];

    (void)snprintf(alike, sizeof(alike), "%llu bytes, tag %d, %s", (unsigned long long)s->bytes,
                   s->tag, s->comm);
    mpi_check_found(
        ck, &(struct mpi_mistake){ .at = &s->at, .other = ended ? end : NULL, .alike = alike },
        ": a message of %llu bytes to rank %u with tag %d on %s was %s",
        (unsigned long long)s->bytes, s->to, s->tag, s->comm,
        ended ? "not received before " : "never received");
}

void mpi_messages_left(struct mpi_check *ck)
{
    for (unsigned r = 0; r < ck->nranks; r++)
        /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): drop_message() has taken it out */
        for (struct mpi_sent *s; (s = TAILQ_FIRST(&ck->sent[r])) != NULL; drop_message(ck, s))
            report_message(ck, s); /* NOLINT(clang-analyzer-unix.Malloc) */
}

void mpi_messages_release(struct mpi_check *ck)
{
    for (unsigned r = 0; r < ck->nranks; r++)
        for (struct mpi_sent *s; (s = TAILQ_FIRST(&ck->sent[r])) != NULL;)
            drop_message(ck, s); /* NOLINT(clang-analyzer-unix.Malloc) */
    free(ck->sent);
}
