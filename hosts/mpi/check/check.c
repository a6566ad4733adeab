/* The record, and what it reports. */
#include <stdio.h>
#include <stdlib.h>

#include "hosts/mpi/check/record.h"

void mpi_check_place(const struct mpi_rank *mr, struct mpi_place *place_p)
{
    struct host *h = mr->host;

    if (mr->check == NULL)
        return;
    *place_p = (struct mpi_place){ h, mr->call, h->cpu->time_ps(h) };
    if (place_p->call.name == NULL)
        place_p->call.name = "MPI_Init";
}

void mpi_place_text(const struct mpi_place *p, char *text, size_t room)
{
    char place[128];

    p->host->process->place(p->host, p->call.from, place, sizeof(place));
    (void)snprintf(text, room, "%s%s on rank %u at %.6f us", p->call.name, place, p->host->rank,
                   (double)p->ps * 1e-6);
}

/* Ranks that have failed, or were ended with others, have no time for MPI_Finalize(). */
static void report_unfinalized(struct mpi_check *ck)
{
    for (unsigned r = 0; r < ck->nranks; r++) {
        struct host *h = ck->begins[r].host;

        if (h != NULL && h->ended_well && ck->ends[r].host == NULL) {
            const struct mpi_place end = { .host = h, .ps = h->end_ps };

            mpi_check_found(ck, &(struct mpi_mistake){ .at = &end }, "ends without MPI_Finalize");
        }
    }
}

static void release_record(void *record)
{
    struct mpi_check *ck = record;

    if (ck->run->end == HOST_END_STALLED)
        mpi_meetings_open(ck);
    if (ck->run->end != HOST_END_EARLY) {
        report_unfinalized(ck);
        mpi_messages_left(ck);
    }
    mpi_found_release(ck);
    mpi_meetings_release(ck);
    mpi_messages_release(ck);
    free(ck->astray);
    free(ck->begins);
    free(ck->ends);
    free(ck);
}

static struct mpi_check *create_record(struct mpi_rank *mr)
{
    struct mpi_check *ck = mpi_need(mr, calloc(1, sizeof(*ck)));
    unsigned n = mr->host->size;

    ck->run = mr->host->run;
    ck->nranks = n;
    ck->begins = mpi_need(mr, calloc(n, sizeof(*ck->begins)));
    ck->ends = mpi_need(mr, calloc(n, sizeof(*ck->ends)));
    ck->sent = mpi_need(mr, calloc(n, sizeof(*ck->sent)));
    TAILQ_INIT(&ck->found);
    for (unsigned r = 0; r < n; r++)
        TAILQ_INIT(&ck->sent[r]);
    host_state_add(&ck->run->states, &ck->kept, release_record);
    return ck;
}

void mpi_check_init(struct mpi_rank *mr)
{
    struct host *h = mr->host;

    if ((h->checks & HOST_CHECK_MPI) == 0)
        return;
    mr->check = host_state_of(h->run->states, release_record);
    if (mr->check == NULL)
        mr->check = create_record(mr);
    mpi_check_place(mr, &mr->check->begins[h->rank]);
}

void mpi_check_finalize(struct mpi_rank *mr)
{
    struct mpi_check *ck = mr->check;
    struct mpi_place *end;

    if (ck == NULL)
        return;
    end = &ck->ends[mr->host->rank];
    mpi_check_place(mr, end);
    mpi_meetings_missed(ck, end);
}

/* When the last rank leaves, no message has a receiver any more. */
void mpi_check_finalized(struct mpi_rank *mr)
{
    if (mr->check != NULL && ++mr->check->finalized == mr->check->nranks)
        mpi_messages_left(mr->check);
}
