/*
 * Parcels by MPI. Between processes of one computer each pair has two boxes in shared memory, one
 * for odd rounds and one for even ones. A process that fills a box for round r + 2 has received in
 * round r + 1 what the other has sent after it had taken round r out, so a box that is filled again
 * is empty. What does not fit into a box, and all between computers, goes by messages.
 */
#include "parallel/back_end.h"

#include <mpi.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define BOX_BYTES  32768u /* a window of a busy machine sends 1 to 20 KB */
#define FIRST_WORD 8u     /* a message begins with the length of all */
#define SPINS      2000u  /* looks before the processor is given away */
#define TAG_FIRST  1
#define TAG_REST   2

struct box {
    alignas(64) _Atomic uint64_t round; /* that it was filled for */
    uint64_t bytes;                     /* the whole parcel's; the first of them are here */
    unsigned char data[BOX_BYTES];
};

struct peer {
    struct box *to, *from;                          /* two each; NULL: on another computer */
    unsigned char first[2][BOX_BYTES + FIRST_WORD]; /* out and in */
    MPI_Request sending, sending_rest, receiving;
};

struct members {
    struct sim_group group;
    MPI_Comm world, computer;
    MPI_Win window;
    struct peer *peers;
    uint64_t round;
};

/* ---- boxes in shared memory -------------------------------------------------------------------
 */

static void fill_box(struct box *box, uint64_t round, const struct sim_parcel *out)
{
    size_t n = out->used < BOX_BYTES ? out->used : BOX_BYTES;

    box->bytes = out->used;
    memcpy(box->data, out->bytes, n);
    atomic_store_explicit(&box->round, round, memory_order_release);
}

static void wait_for_box(const struct box *box, uint64_t round)
{
    for (unsigned looks = 0; atomic_load_explicit(&box->round, memory_order_acquire) != round;
         looks++)
        if (looks >= SPINS)
            (void)sched_yield();
}

/* ---- what goes by messages --------------------------------------------------------------------
 */

static void send_rest(struct members *m, int to, const struct sim_parcel *out)
{
    if (out->used > BOX_BYTES)
        MPI_Isend(out->bytes + BOX_BYTES, (int)(out->used - BOX_BYTES), MPI_BYTE, to, TAG_REST,
                  m->world, &m->peers[to].sending_rest);
}

static void take_rest(struct members *m, int from, uint64_t bytes, struct sim_parcel *in)
{
    if (bytes > BOX_BYTES)
        MPI_Recv(sim_parcel_room(in, bytes - BOX_BYTES), (int)(bytes - BOX_BYTES), MPI_BYTE, from,
                 TAG_REST, m->world, MPI_STATUS_IGNORE);
}

static void send_first(struct members *m, int to, const struct sim_parcel *out)
{
    struct peer *peer = &m->peers[to];
    uint64_t bytes = out->used;
    size_t n = bytes < BOX_BYTES ? (size_t)bytes : BOX_BYTES;

    memcpy(peer->first[0], &bytes, sizeof(bytes));
    memcpy(peer->first[0] + FIRST_WORD, out->bytes, n);
    MPI_Isend(peer->first[0], (int)(n + FIRST_WORD), MPI_BYTE, to, TAG_FIRST, m->world,
              &peer->sending);
}

static void give(struct members *m, uint32_t p, const struct sim_parcel *out)
{
    struct peer *peer = &m->peers[p];

    if (peer->to != NULL) {
        fill_box(&peer->to[m->round % 2], m->round, out);
    } else {
        MPI_Irecv(peer->first[1], sizeof(peer->first[1]), MPI_BYTE, (int)p, TAG_FIRST, m->world,
                  &peer->receiving);
        send_first(m, (int)p, out);
    }
    send_rest(m, (int)p, out);
}

static void take(struct members *m, uint32_t p, struct sim_parcel *in)
{
    struct peer *peer = &m->peers[p];
    const unsigned char *first = peer->first[1] + FIRST_WORD;
    uint64_t bytes;
    size_t n;

    if (peer->from != NULL) {
        struct box *box = &peer->from[m->round % 2];

        wait_for_box(box, m->round);
        bytes = box->bytes;
        first = box->data;
    } else {
        MPI_Wait(&peer->receiving, MPI_STATUS_IGNORE);
        memcpy(&bytes, peer->first[1], sizeof(bytes));
    }
    n = bytes < BOX_BYTES ? (size_t)bytes : BOX_BYTES;
    in->used = 0;
    if (n > 0)
        memcpy(sim_parcel_room(in, n), first, n);
    take_rest(m, (int)p, bytes, in);
}

static int swap(void *arg, struct sim_parcel *out, struct sim_parcel *in)
{
    struct members *m = arg;
    uint32_t self = m->group.process;

    m->round++;
    for (uint32_t p = 0; p < m->group.nprocesses; p++)
        if (p != self)
            give(m, p, &out[p]);
    for (uint32_t p = 0; p < m->group.nprocesses; p++)
        if (p != self)
            take(m, p, &in[p]);
    for (uint32_t p = 0; p < m->group.nprocesses; p++) {
        MPI_Wait(&m->peers[p].sending, MPI_STATUS_IGNORE);
        MPI_Wait(&m->peers[p].sending_rest, MPI_STATUS_IGNORE);
    }
    return SIM_OK;
}

/* ---- beginning and end ------------------------------------------------------------------------
 */

/* Boxes of all pairs on this computer: those that this process fills are in its own part. */
static void share_boxes(struct members *m)
{
    int nhere, here, *ranks_here, *ranks;
    MPI_Group world, computer;
    struct box *own;
    MPI_Aint bytes;

    MPI_Comm_split_type(m->world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &m->computer);
    MPI_Comm_size(m->computer, &nhere);
    MPI_Comm_rank(m->computer, &here);
    bytes = (MPI_Aint)nhere * 2 * (MPI_Aint)sizeof(struct box);
    MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, m->computer, &own, &m->window);
    memset(own, 0, (size_t)bytes);
    MPI_Barrier(m->computer);
    ranks_here = calloc((size_t)nhere, sizeof(*ranks_here));
    ranks = calloc((size_t)nhere, sizeof(*ranks));
    SIM_ASSERT(ranks_here != NULL && ranks != NULL);
    for (int i = 0; i < nhere; i++)
        ranks_here[i] = i;
    MPI_Comm_group(m->computer, &computer);
    MPI_Comm_group(m->world, &world);
    MPI_Group_translate_ranks(computer, nhere, ranks_here, world, ranks);
    for (int i = 0; i < nhere; i++) {
        struct box *theirs;
        MPI_Aint size;
        int unit;

        MPI_Win_shared_query(m->window, i, &size, &unit, &theirs);
        m->peers[ranks[i]].to = own + 2 * i;
        m->peers[ranks[i]].from = theirs + 2 * here;
    }
    MPI_Group_free(&computer);
    MPI_Group_free(&world);
    free(ranks_here);
    free(ranks);
}

static struct sim_group *join(struct sim_error *err)
{
    struct members *m = calloc(1, sizeof(*m));
    int provided, size, rank;

    if (m == NULL || MPI_Init_thread(NULL, NULL, MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) {
        (void)sim_error_set(err, SIM_ERR_IO, "MPI_Init_thread failed");
        free(m);
        return NULL;
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &m->world);
    MPI_Comm_size(m->world, &size);
    MPI_Comm_rank(m->world, &rank);
    m->group = (struct sim_group){ (uint32_t)size, (uint32_t)rank, swap, m };
    m->peers = calloc((size_t)size, sizeof(*m->peers));
    SIM_ASSERT(m->peers != NULL);
    for (int p = 0; p < size; p++)
        m->peers[p].sending = m->peers[p].sending_rest = m->peers[p].receiving = MPI_REQUEST_NULL;
    share_boxes(m);
    return &m->group;
}

static void leave(struct sim_group *group)
{
    struct members *m = SIM_CONTAINER_OF(group, struct members, group);

    MPI_Win_free(&m->window);
    MPI_Comm_free(&m->computer);
    MPI_Comm_free(&m->world);
    MPI_Finalize();
    free(m->peers);
    free(m);
}

extern const struct parallel_back_end parallel_back_end;
const struct parallel_back_end parallel_back_end = { join, leave };
