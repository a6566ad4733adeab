/*
 * Programs that never end, by name. Who waits does so behind a first barrier; the others are in
 * MPI_Recv, where GASNet is not looked after, or where the case says.
 *
 *   hubrun -n 3 --gasnet=tca --mpi=net standstill ring
 */
#include <gasnet.h>
#include <gasnet_coll.h>
#include <gasnet_vis.h>
#include <mpi.h>
#include <string.h>

enum { ON_ASK = 200, ON_DATA };

static volatile int answered; /* never */
static unsigned me, nodes;
static char own[4096];
static gasnet_seginfo_t segment[16];

static void on_ask(gasnet_token_t token)
{
    (void)token; /* which is not answered */
}

static void on_data(gasnet_token_t token, void *data, size_t bytes)
{
    (void)token, (void)data, (void)bytes;
}

static void barrier(void)
{
    gasnet_barrier_notify(7, 0);
    gasnet_barrier_wait(7, 0);
}

static void receive_nothing(void)
{
    int nothing;

    MPI_Recv(&nothing, 1, MPI_INT, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static gasnet_handle_t get_from(unsigned node)
{
    return gasnet_get_nb(own + 8 * node, node, segment[node].addr, 8);
}

static gasnet_coll_handle_t broadcast(void)
{
    return gasnet_coll_broadcast_nb(GASNET_TEAM_ALL, own, 0, own, 8,
                                    GASNET_COLL_IN_ALLSYNC | GASNET_COLL_OUT_ALLSYNC |
                                        GASNET_COLL_LOCAL);
}

/* Calls with nothing open, by what they wait with. */
static void wait_none(void)
{
    gasnet_wait_syncnb(GASNET_INVALID_HANDLE);
}

static void wait_none_all(void)
{
    gasnet_wait_syncnb_all(NULL, 0);
}

static void wait_none_some(void)
{
    gasnet_handle_t none[] = { GASNET_INVALID_HANDLE, GASNET_INVALID_HANDLE };

    gasnet_wait_syncnb_some(none, 2);
}

static void wait_no_collective(void)
{
    gasnet_coll_wait_sync(GASNET_COLL_INVALID_HANDLE);
}

static void wait_no_collectives(void)
{
    gasnet_coll_wait_sync_all(NULL, 0);
}

static void try_none(void)
{
    gasnet_try_syncnb(GASNET_INVALID_HANDLE);
}

static void try_no_implicit(void)
{
    gasnet_try_syncnbi_all();
}

static void try_no_collective(void)
{
    gasnet_coll_try_sync(GASNET_COLL_INVALID_HANDLE);
}

static const struct {
    const char *what;
    void (*call)(void);
} idle[] = { { "wait-none", wait_none },
             { "wait-none-all", wait_none_all },
             { "wait-none-some", wait_none_some },
             { "wait-no-implicit", gasnet_wait_syncnbi_all },
             { "wait-no-puts", gasnet_wait_syncnbi_puts },
             { "wait-no-gets", gasnet_wait_syncnbi_gets },
             { "wait-no-collective", wait_no_collective },
             { "wait-no-collectives", wait_no_collectives },
             { "try-none", try_none },
             { "try-no-implicit", try_no_implicit },
             { "try-no-collective", try_no_collective } };

/* What rank 0 alone does, while the others do not look. */
static void alone(const char *what)
{
    gasnet_handle_t handles[2];

    if (strcmp(what, "ring") == 0)
        for (;;)
            gasnet_AMRequestMedium0(1, ON_DATA, own, 512);
    for (unsigned i = 0; i < sizeof(idle) / sizeof(idle[0]); i++)
        if (strcmp(what, idle[i].what) == 0)
            for (;;)
                idle[i].call();
    if (strcmp(what, "put") == 0)
        gasnet_put(1, segment[1].addr, own, sizeof(own));
    if (strcmp(what, "value") == 0)
        (void)gasnet_get_val(1, segment[1].addr, 8);
    if (strcmp(what, "handle") == 0)
        gasnet_wait_syncnb(get_from(1));
    handles[0] = get_from(1);
    handles[1] = get_from(2);
    if (strcmp(what, "handles") == 0)
        gasnet_wait_syncnb_all(handles, 2);
    if (strcmp(what, "some") == 0)
        gasnet_wait_syncnb_some(handles, 2);
    if (strcmp(what, "try") == 0)
        while (gasnet_try_syncnb_all(handles, 2) != GASNET_OK)
            ;
    if (strcmp(what, "try-some") == 0)
        while (gasnet_try_syncnb_some(handles, 2) != GASNET_OK)
            ;
    handles[1] = GASNET_INVALID_HANDLE; /* as after the call that has found it done */
    if (strcmp(what, "try-last") == 0)
        while (gasnet_try_syncnb_some(handles, 2) != GASNET_OK)
            ;
    gasnet_get_nbi(own, 2, segment[2].addr, 8);
    if (strcmp(what, "implicit") == 0)
        gasnet_wait_syncnbi_all();
    gasnet_get_nbi(own, 1, segment[1].addr, 8);
    if (strcmp(what, "implicits") == 0)
        gasnet_wait_syncnbi_gets();
}

/* Rank 1 is where no message comes that its condition needs; the others are in their second
 * barrier, or in a collective. */
static void together(const char *what)
{
    if (strcmp(what, "poll") == 0 && me == 1)
        for (;;)
            gasnet_AMPoll();
    if (strcmp(what, "notified") == 0 && me == 1)
        gasnet_barrier_notify(7, 0);
    if (me == 1)
        GASNET_BLOCKUNTIL(answered);
    if (strcmp(what, "coll") == 0)
        gasnet_coll_wait_sync(broadcast());
    if (strcmp(what, "coll-barrier") == 0)
        gasnet_coll_barrier(GASNET_TEAM_ALL, 0, 0);
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    if (strcmp(what, "barrier-try") == 0)
        while (gasnet_barrier_try(0, GASNET_BARRIERFLAG_ANONYMOUS) != GASNET_OK)
            ;
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = { { ON_ASK, (gasneti_handler_fn)on_ask },
                                      { ON_DATA, (gasneti_handler_fn)on_data } };
    const char *what = argv[1];

    MPI_Init(&argc, &argv);
    gasnet_init(&argc, &argv);
    me = gasnet_mynode();
    nodes = gasnet_nodes();
    if (strcmp(what, "attach") == 0 && me == 1)
        receive_nothing();
    gasnet_attach(table, 2, 65536, 0);
    gasnet_getSegmentInfo(segment, (int)nodes);
    gasnet_coll_init(NULL, 0, NULL, 0, 0);
    barrier();
    if (strcmp(what, "block") == 0)
        GASNET_BLOCKUNTIL(answered);
    if (strcmp(what, "reply") == 0 && me == 0) {
        gasnet_AMRequestShort0(1, ON_ASK);
        GASNET_BLOCKUNTIL(answered);
    }
    if (strcmp(what, "reply") == 0 || (argc > 2 && strcmp(argv[2], "together") == 0))
        together(what);
    if (me == 0)
        alone(what);
    receive_nothing();
    return 0;
}
