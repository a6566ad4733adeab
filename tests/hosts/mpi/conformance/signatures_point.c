/*
 * Chapters 3 and 4: messages whose two sides are described by unlike datatypes of one signature, in
 * every mode of sending and by every way to receive; see signatures.h.
 */
#include "signatures.h"

enum { STANDARD, SYNCHRONOUS, BUFFERED, READY, MODES };

/** A message around the ranks: each sends to one and receives from one. */
struct exchange {
    int to, from, out_units, in_units, room;
    struct side out, in;
};

/* Ranks may be cases apart: its message from MPI_ANY_SOURCE is that of its case. */
static int tag_of(const struct call *c)
{
    return c->number % 30000;
}

static int units_of(const struct call *c, int rank)
{
    uint64_t state = key_of(c, rank, 9);

    return size_below(&state, options.most / c->unit.bytes);
}

static void exchange_open(struct call *c, struct exchange *e)
{
    int shift = below(&c->common, c->size);

    e->to = (c->rank + shift) % c->size;
    e->from = (c->rank + c->size - shift) % c->size;
    e->out_units = units_of(c, c->rank);
    e->room = e->in_units = units_of(c, e->from);
    if (below(&c->own, 4) == 0)
        e->room += below(&c->own, e->room / 2 + 3);
    side_open(&e->out, c, ALIKE, 1, &e->out_units, 1);
    side_open(&e->in, c, ALIKE, 1, &e->room, 1);
}

/* The data of one turn: what is sent stays. */
static void exchange_fill(struct call *c, struct exchange *e, int turn)
{
    side_make(&e->out, c, 0, c->rank, turn, e->out_units, 1, 1);
    side_make(&e->in, c, 0, e->from, turn, e->in_units, 0, 1);
}

static void check_status(struct call *c, const struct exchange *e, const MPI_Status *status)
{
    const struct layout *l = &e->in.layouts[0];
    int count = -1, elements = -1, whole = e->in_units % l->units == 0;

    MPI_Get_count(status, l->type, &count);
    MPI_Get_elements(status, l->type, &elements);
    CHECK(count == (whole ? e->in_units / l->units : MPI_UNDEFINED), "case %d, %s: 3.2.5 count %d",
          c->number, c->name, count);
    CHECK(elements == e->in_units * c->unit.n, "case %d, %s: 4.1.11 %d elements, expected %d",
          c->number, c->name, elements, e->in_units * c->unit.n);
    CHECK(status->MPI_SOURCE == e->from && status->MPI_TAG == tag_of(c),
          "case %d, %s: 3.2.5 status", c->number, c->name);
}

static void exchange_close(struct call *c, struct exchange *e)
{
    side_check(&e->out, c, "sent");
    side_check(&e->in, c, "received");
    side_close(&e->out);
    side_close(&e->in);
}

#define OUT(e)                                                                                     \
    side_buffer(&(e)->out), (e)->out.counts[0], (e)->out.types[0], (e)->to, tag_of(c), c->comm
#define IN(e) side_buffer(&(e)->in), (e)->in.counts[0], (e)->in.types[0]

static void *attach(const struct exchange *e, int mode)
{
    int bytes = e->out_units * 32 + 2 * MPI_BSEND_OVERHEAD; /* no unit of more bytes */
    void *buffer = mode == BUFFERED ? malloc((size_t)bytes) : NULL;

    if (buffer != NULL)
        MPI_Buffer_attach(buffer, bytes);
    return buffer;
}

static void detach(void *buffer)
{
    int bytes;

    if (buffer != NULL)
        MPI_Buffer_detach(&buffer, &bytes);
    free(buffer);
}

static void send_blocking(struct call *c, struct exchange *e, int mode)
{
    switch (mode) {
    case STANDARD:
        MPI_Send(OUT(e));
        break;
    case SYNCHRONOUS:
        MPI_Ssend(OUT(e));
        break;
    case BUFFERED:
        MPI_Bsend(OUT(e));
        break;
    default:
        MPI_Rsend(OUT(e));
    }
}

static void send_later(struct call *c, struct exchange *e, int mode)
{
    switch (mode) {
    case STANDARD:
        MPI_Isend(OUT(e), &c->request);
        break;
    case SYNCHRONOUS:
        MPI_Issend(OUT(e), &c->request);
        break;
    case BUFFERED:
        MPI_Ibsend(OUT(e), &c->request);
        break;
    default:
        MPI_Irsend(OUT(e), &c->request);
    }
}

/* The receive is there before the send starts. */
static void posted(struct call *c)
{
    struct exchange e;
    MPI_Request receive;
    MPI_Status status;
    int mode = below(&c->common, MODES);
    void *buffer;

    exchange_open(c, &e);
    exchange_fill(c, &e, 0);
    buffer = attach(&e, mode);
    MPI_Irecv(IN(&e), e.from, tag_of(c), c->comm, &receive);
    if (mode == READY)
        MPI_Barrier(c->comm);
    (c->later ? send_later : send_blocking)(c, &e, mode);
    MPI_Wait(&receive, &status);
    MPI_Wait(&c->request, MPI_STATUS_IGNORE);
    detach(buffer);
    check_status(c, &e, &status);
    exchange_close(c, &e);
}

static void receive_probed(struct call *c, struct exchange *e, MPI_Status *status)
{
    int how = below(&c->own, 5), any = below(&c->own, 3), flag = 0;
    int source = any == 1 ? MPI_ANY_SOURCE : e->from, tag = any == 2 ? MPI_ANY_TAG : tag_of(c);
    MPI_Message message;
    MPI_Request receive;

    switch (how) {
    case 0:
        MPI_Recv(IN(e), source, tag, c->comm, status);
        return;
    case 1:
        MPI_Probe(source, tag, c->comm, status);
        break;
    case 2:
        while (!flag)
            MPI_Iprobe(source, tag, c->comm, &flag, status);
        break;
    case 3:
        MPI_Mprobe(source, tag, c->comm, &message, status);
        break;
    default:
        while (!flag)
            MPI_Improbe(source, tag, c->comm, &flag, &message, status);
    }
    check_status(c, e, status);
    if (how < 3) {
        MPI_Recv(IN(e), e->from, tag_of(c), c->comm, status);
    } else if (below(&c->own, 2)) {
        MPI_Mrecv(IN(e), &message, status);
    } else {
        MPI_Imrecv(IN(e), &message, &receive);
        MPI_Wait(&receive, status);
    }
}

/* The message may be there before the receive. */
static void probed(struct call *c)
{
    struct exchange e;
    MPI_Status status;
    int mode = below(&c->common, READY); /* that one needs a receive */
    void *buffer;

    exchange_open(c, &e);
    exchange_fill(c, &e, 0);
    buffer = attach(&e, mode);
    send_later(c, &e, mode);
    receive_probed(c, &e, &status);
    MPI_Wait(&c->request, MPI_STATUS_IGNORE);
    detach(buffer);
    check_status(c, &e, &status);
    exchange_close(c, &e);
}

static void persistent(struct call *c)
{
    struct exchange e;
    MPI_Request both[2];
    MPI_Status status[2];
    int mode = below(&c->common, MODES);
    void *buffer;

    exchange_open(c, &e);
    buffer = attach(&e, mode);
    MPI_Recv_init(IN(&e), e.from, tag_of(c), c->comm, &both[0]);
    switch (mode) {
    case STANDARD:
        MPI_Send_init(OUT(&e), &both[1]);
        break;
    case SYNCHRONOUS:
        MPI_Ssend_init(OUT(&e), &both[1]);
        break;
    case BUFFERED:
        MPI_Bsend_init(OUT(&e), &both[1]);
        break;
    default:
        MPI_Rsend_init(OUT(&e), &both[1]);
    }
    for (int turn = 0; turn < 3; turn++) {
        exchange_fill(c, &e, turn);
        (void)side_buffer(&e.out); /* data of a GPU are brought there */
        if (mode == READY || turn == 1) {
            MPI_Start(&both[0]);
            MPI_Barrier(c->comm);
            MPI_Start(&both[1]);
        } else {
            MPI_Startall(2, both);
        }
        MPI_Waitall(2, both, status);
        check_status(c, &e, &status[0]);
        if (turn < 2)
            side_check(&e.in, c, "received");
        MPI_Barrier(c->comm);
    }
    MPI_Request_free(&both[0]);
    MPI_Request_free(&both[1]);
    detach(buffer);
    exchange_close(c, &e);
}

static void sendrecv(struct call *c)
{
    struct exchange e;
    MPI_Status status;

    exchange_open(c, &e);
    exchange_fill(c, &e, 0);
    MPI_Sendrecv(side_buffer(&e.out), e.out.counts[0], e.out.types[0], e.to, tag_of(c), IN(&e),
                 e.from, tag_of(c), c->comm, &status);
    check_status(c, &e, &status);
    exchange_close(c, &e);
}

/* One type on each rank for what goes and comes. */
static void sendrecv_replace(struct call *c)
{
    int units = size_below(&c->common, options.most / c->unit.bytes);
    int shift = below(&c->common, c->size), from = (c->rank + c->size - shift) % c->size;
    struct side s;

    side_open(&s, c, ALIKE, 1, &units, 1);
    side_make(&s, c, 0, c->rank, 0, units, 1, 0);
    side_make(&s, c, 0, from, 0, units, 0, 1);
    MPI_Sendrecv_replace(side_buffer(&s), s.counts[0], s.types[0], (c->rank + shift) % c->size,
                         tag_of(c), from, tag_of(c), c->comm, MPI_STATUS_IGNORE);
    side_check(&s, c, "replaced");
    side_close(&s);
}

/* Two messages under way at once, one of which is packed by the program. */
static void packed(struct call *c)
{
    struct exchange e;
    int bytes = 0, n = 0, place = 0;
    MPI_Request receive;
    void *box;

    exchange_open(c, &e);
    exchange_fill(c, &e, 0);
    MPI_Irecv(IN(&e), e.from, tag_of(c), c->comm, &receive);
    MPI_Pack_size(e.out.counts[0], e.out.types[0], c->comm, &bytes);
    box = malloc((size_t)bytes + 1);
    MPI_Pack(side_buffer(&e.out), e.out.counts[0], e.out.types[0], box, bytes, &place, c->comm);
    n = place;
    MPI_Send(box, n, MPI_PACKED, e.to, tag_of(c), c->comm);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    free(box);
    exchange_close(c, &e);
}

int main(int argc, char **argv)
{
    static const struct kind kinds[] = {
        { "posted", posted },     { "posted", posted },
        { "probed", probed },     { "probed", probed },
        { "packed", packed },     { "persistent", persistent },
        { "sendrecv", sendrecv }, { "sendrecv_replace", sendrecv_replace },
    };

    check_begin(&argc, &argv, "signatures_point");
    read_options(argc, argv);
    run_cases(kinds, sizeof(kinds) / sizeof(kinds[0]));
    return check_end();
}
