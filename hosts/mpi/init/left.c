#include "hosts/mpi/init/left.h"

#include <stdio.h>

#include "hosts/mpi/point/protocol.h"

/* "8 bytes to rank 1 with tag 3 on MPI_COMM_WORLD" */
static void message_text(const struct mpi_request *rq, const char *peer, char *text, size_t room)
{
    char comm[64], tag[32] = "any tag", bytes[32] = "";

    mpi_comm_text(rq->comm, comm, sizeof(comm));
    if (rq->tag != MPI_ANY_TAG)
        (void)snprintf(tag, sizeof(tag), "tag %d", rq->tag);
    if (!rq->receives)
        (void)snprintf(bytes, sizeof(bytes), "%llu bytes to ",
                       (unsigned long long)rq->count * rq->type->bytes);
    (void)snprintf(text, room, "%s%s with %s on %s", rq->receives ? "from " : bytes, peer, tag,
                   comm);
}

static void request_text(const struct mpi_request *rq, const char *peer, char *text, size_t room)
{
    char comm[64], message[160];

    text[0] = '\0';
    if (rq->comm == NULL)
        return;
    if (rq->of_program) {
        message_text(rq, peer, message, sizeof(message));
        (void)snprintf(text, room, ", %s", message);
    } else {
        mpi_comm_text(rq->comm, comm, sizeof(comm));
        (void)snprintf(text, room, ", on %s", comm);
    }
}

static void peer_text(const struct mpi_request *rq, char *text, size_t room)
{
    if (rq->peer >= 0)
        (void)snprintf(text, room, "rank %d", rq->comm->world[rq->peer]);
    else
        (void)snprintf(text, room, "%s", rq->peer == MPI_PROC_NULL ? "MPI_PROC_NULL" : "any rank");
}

/* The one line for a request that MPI_Finalize() finds. */
static void report_request(const struct mpi_rank *mr, const struct mpi_request *rq,
                           const char *what)
{
    char peer[32], text[200], message[200], alike[300];
    struct mpi_place here;

    mpi_check_place(mr, &here);
    peer_text(rq, peer, sizeof(peer));
    request_text(rq, peer, text, sizeof(text));
    request_text(rq, "a rank", message, sizeof(message)); /* which one differs from rank to rank */
    (void)snprintf(alike, sizeof(alike), "%s%s", what, message);
    mpi_check_found(
        mr->check,
        &(struct mpi_mistake){ .at = &here, .other = &rq->begun, .after = text, .alike = alike },
        ": %s that began in ", what);
}

static const char *active_text(const struct mpi_request *rq)
{
    if (rq->receives && rq->of_program && !rq->matched && rq->peer != MPI_PROC_NULL)
        return "no call has completed a request, which has no message,";
    return "no call has completed a request";
}

void mpi_left_requests(const struct mpi_rank *mr)
{
    for (unsigned i = 0; i < mr->requests.n; i++) {
        const struct mpi_request *rq = mr->requests.at[i];

        if (rq != NULL && rq->active)
            report_request(mr, rq, active_text(rq));
    }
}

/* One that is being cancelled is no mistake. */
static void report_freed(const struct mpi_rank *mr, const struct mpi_list *posted)
{
    const struct mpi_request *rq;

    TAILQ_FOREACH(rq, posted, in_list)
    if (rq->of_program && rq->freed && !rq->cancelling)
        report_request(mr, rq, "no message has come for a receive");
}

void mpi_left_receives(const struct mpi_rank *mr)
{
    const struct mpi_protocol *p = mr->protocol;

    for (unsigned r = 0; r < mr->host->size; r++)
        if (p->peers[r] != NULL)
            report_freed(mr, &p->peers[r]->posted);
    report_freed(mr, &p->any);
}
