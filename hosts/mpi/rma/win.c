/* Windows: memory that other ranks may reach. */
#include "hosts/mpi/rma/rma.h"

#include <stdlib.h>
#include <string.h>

#define LINE_BYTES 64u /* a line of the cache */

struct mpi_win *mpi_win_of(MPI_Win win)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_win *w = win > 0 ? mpi_table_get(&mr->wins, (unsigned)win - 1) : NULL;

    if (w == NULL)
        mpi_note(mr, "win = %d: no window, or one that was freed", win);
    return w;
}

int mpi_win_end(struct mpi_win *win, const char *call, int code)
{
    struct mpi_rank *mr = mpi_self();

    if (mr->outer == call)
        mr->outer = NULL;
    if (win == NULL || code == MPI_SUCCESS)
        return mpi_end(mr, call, code);
    return mpi_end_object(mr, win->errhandler, win->handle, call, code);
}

void mpi_windows_advance(struct mpi_rank *mr)
{
    while (mr->follows[MPI_FOLLOWS_WINDOWS].due) {
        mr->follows[MPI_FOLLOWS_WINDOWS].due = false;
        for (unsigned i = 0; i < mr->wins.n; i++)
            if (mr->wins.at[i] != NULL)
                mpi_win_advance(mr->wins.at[i]);
    }
}

static void waiting_free(struct mpi_win_waiting *w)
{
    while (w != NULL) {
        struct mpi_win_waiting *next = w->next;

        free(w);
        w = next;
    }
}

/* Its communicator is the caller's. */
static void win_free(struct mpi_win *win)
{
    mpi_win_drop_ops(win);
    mpi_win_drop_ins(win);
    waiting_free(win->waiting);
    waiting_free(win->lock_queue);
    mpi_group_put(win->start);
    mpi_group_put(win->post);
    mpi_attrs_drop(&win->attrs);
    mpi_errhandler_put(win->errhandler);
    mpi_info_drop(win->info);
    free(win->name);
    free(win->peers);
    mpi_block_free(win);
}

void mpi_windows_release(struct mpi_rank *mr)
{
    for (unsigned i = 0; i < mr->wins.n; i++)
        if (mr->wins.at[i] != NULL)
            win_free(mr->wins.at[i]);
    mpi_table_release(&mr->wins);
}

/** What each rank says of its part. */
struct said {
    int64_t size;
    int32_t disp_unit;
    uint32_t node;
};

static int exchange_parts(struct mpi_win *win, const struct said *own)
{
    size_t n = (size_t)win->comm->size;
    struct said *all = mpi_block_new(win->mr, n * sizeof(*all));
    int code =
        MPI_Allgather(own, sizeof(*own), MPI_BYTE, all, sizeof(*all), MPI_BYTE, win->comm_handle);

    for (size_t r = 0; r < n; r++) {
        win->peers[r].size = all[r].size;
        win->peers[r].disp_unit = all[r].disp_unit;
        if (win->flavor == MPI_WIN_FLAVOR_SHARED && all[r].node != all[0].node)
            code = mpi_fail(win->mr, MPI_ERR_RMA_SHARED, "ranks 0 and %zu are on two nodes", r);
    }
    mpi_block_free(all);
    return code;
}

/* Ranks of a node exchange a bus address: pointers differ from run to run, and so
 * would what is on the cables. `own` is any memory of this rank that devices reach. */
static char *pointer_of(struct host *h, void *own, uint64_t bus)
{
    return (char *)own + (int64_t)(bus - h->memory->pointer(h, own).offset);
}

/* All of a shared window is one block, of rank 0, in whose info the program may allow gaps: then
 * parts begin at a cache line of their own, and empty ones nowhere. */
static int share_memory(struct mpi_win *win)
{
    struct host *h = win->mr->host;
    const char *gaps = mpi_info_value(win->info, "alloc_shared_noncontig");
    void *own = h->memory->alloc(h, LINE_BYTES, LINE_BYTES);
    uint64_t all = 0, what[2] = { 0, gaps != NULL && strcmp(gaps, "true") == 0 ? LINE_BYTES : 1 };
    int code;

    for (int r = 0; r < win->comm->size; r++)
        all += (uint64_t)win->peers[r].size + what[1];
    if (win->comm->rank == 0) {
        win->allocated = h->memory->alloc(h, all, LINE_BYTES);
        if (win->allocated != NULL)
            what[0] = h->memory->pointer(h, win->allocated).offset;
    }
    code = MPI_Bcast(what, 2, MPI_UINT64_T, 0, win->comm_handle);
    if (code == MPI_SUCCESS && (what[0] == 0 || own == NULL))
        code = mpi_fail(win->mr, MPI_ERR_NO_MEM, "out of memory");
    for (int r = 0; code == MPI_SUCCESS && r < win->comm->size; r++) {
        uint64_t size = (uint64_t)win->peers[r].size;

        win->peers[r].base = size == 0 && what[1] > 1 ? NULL : pointer_of(h, own, what[0]);
        what[0] += (size + what[1] - 1) / what[1] * what[1];
    }
    if (own != NULL)
        (void)h->memory->free(h, own);
    return code;
}

static int allocate_memory(struct mpi_win *win, const struct mpi_win_making *a)
{
    struct host *h = win->mr->host;

    if (a->kind != MPI_WIN_FLAVOR_ALLOCATE)
        return MPI_SUCCESS;
    win->allocated = h->memory->alloc(h, (uint64_t)a->size + 1, 64);
    return win->allocated != NULL ? MPI_SUCCESS
                                  : mpi_fail(win->mr, MPI_ERR_NO_MEM,
                                             "size = %ld: the node has not so much left", a->size);
}

static int prepare_window(struct mpi_win *win, const struct mpi_win_making *a)
{
    struct mpi_rank *mr = win->mr;
    struct said own;
    int code = allocate_memory(win, a);

    if (code != MPI_SUCCESS)
        return code;
    win->flavor = a->kind;
    win->model = MPI_WIN_UNIFIED;
    win->peers = mpi_need(mr, calloc((size_t)win->comm->size, sizeof(*win->peers)));
    for (int r = 0; r < win->comm->size; r++)
        TAILQ_INIT(&win->peers[r].held);
    win->peers[win->comm->rank].base = a->kind == MPI_WIN_FLAVOR_CREATE ? a->base : win->allocated;
    if (mr->host->race != NULL)
        mr->host->race->window(mr->host, win->comm->context, win->peers[win->comm->rank].base);
    own = (struct said){ a->size, a->disp_unit, mr->host->node->index };
    code = exchange_parts(win, &own);
    if (code == MPI_SUCCESS)
        code = mpi_info_keep(mr, &win->info, a->info);
    if (code == MPI_SUCCESS && a->kind == MPI_WIN_FLAVOR_SHARED)
        code = share_memory(win);
    if (code != MPI_SUCCESS)
        return code;
    win->handle = mpi_table_add(mr, &mr->wins, win) + 1;
    mpi_win_listen(win);
    return code;
}

static int check_making(struct mpi_rank *mr, MPI_Comm comm, const struct mpi_win_making *a,
                        struct mpi_comm **comm_p)
{
    int code = mpi_comm_get_intra(comm, comm_p);

    if (code != MPI_SUCCESS)
        return code;
    if (a->size < 0)
        return mpi_fail(mr, MPI_ERR_SIZE, "size = %ld: expected 0 or more", a->size);
    if (a->disp_unit < 1)
        return mpi_fail(mr, MPI_ERR_DISP, "disp_unit = %d: expected 1 or more", a->disp_unit);
    return MPI_SUCCESS;
}

/* Messages of the window have a communicator of their own. */
static int create_window(struct mpi_rank *mr, MPI_Comm comm, const struct mpi_win_making *a,
                         struct mpi_win **win_p)
{
    struct mpi_comm *old = NULL;
    struct mpi_win *win;
    int code = check_making(mr, comm, a, &old);

    if (code != MPI_SUCCESS)
        return code;
    win = mpi_block_zero(mr, sizeof(*win));
    win->mr = mr;
    TAILQ_INIT(&win->ins);
    TAILQ_INIT(&win->spare_ins);
    code = mpi_comm_split(old, 0, old->rank, &win->comm_handle);
    if (code == MPI_SUCCESS) {
        win->comm = mpi_comm_of(mr, win->comm_handle);
        memcpy(win->comm->name, "a window", sizeof("a window")); /* for reports */
        code = prepare_window(win, a);
    }
    if (code != MPI_SUCCESS) {
        struct mpi_comm *own = win->comm;

        if (win->allocated != NULL)
            mr->host->memory->free(mr->host, win->allocated);
        win_free(win);
        if (own != NULL)
            mpi_comm_drop(own);
        return code;
    }
    *win_p = win;
    return MPI_SUCCESS;
}

int mpi_do_win(const char *call, MPI_Comm comm, const struct mpi_win_making *given)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_win_making a = *given;
    struct mpi_win *w = NULL;
    int code;

    if (a.kind == MPI_WIN_FLAVOR_DYNAMIC)
        a.disp_unit = 1;
    if (mr->outer == NULL) /* else within another call */
        mr->outer = call;
    code = create_window(mr, comm, &a, &w);
    if (code == MPI_SUCCESS) {
        *a.win = w->handle;
        if (a.kind == MPI_WIN_FLAVOR_ALLOCATE || a.kind == MPI_WIN_FLAVOR_SHARED)
            memcpy(a.base, &w->peers[w->comm->rank].base, sizeof(void *));
    }
    if (mr->outer == call)
        mr->outer = NULL;
    return code; /* an error is for the handler of the communicator, which is blamed */
}

static int check_dynamic(struct mpi_win *win)
{
    return win->flavor == MPI_WIN_FLAVOR_DYNAMIC
               ? MPI_SUCCESS
               : mpi_fail(win->mr, MPI_ERR_RMA_FLAVOR, "not of MPI_Win_create_dynamic()");
}

/* All memory of a rank can be reached, so there is nothing to be done. */
int mpi_do_win_attach(struct mpi_win *win, void *base, MPI_Aint size)
{
    int code = check_dynamic(win);

    (void)base;
    return code == MPI_SUCCESS && size < 0
               ? mpi_fail(win->mr, MPI_ERR_SIZE, "size = %ld: expected 0 or more", size)
               : code;
}

int mpi_do_win_detach(struct mpi_win *win, const void *base)
{
    (void)base;
    return check_dynamic(win);
}

int mpi_do_win_shared_query(struct mpi_win *win, int rank, MPI_Aint *size, int *disp_unit,
                            void *base)
{
    if (win->flavor != MPI_WIN_FLAVOR_SHARED)
        return mpi_fail(win->mr, MPI_ERR_RMA_FLAVOR, "not of MPI_Win_allocate_shared()");
    if (rank == MPI_PROC_NULL) /* the first that has memory */
        for (rank = 0; rank < win->comm->size - 1 && win->peers[rank].size == 0;)
            rank++;
    if (mpi_win_check_rank(win, rank) != MPI_SUCCESS)
        return MPI_ERR_RANK;
    *size = win->peers[rank].size;
    *disp_unit = win->peers[rank].disp_unit;
    memcpy(base, &win->peers[rank].base, sizeof(void *));
    return MPI_SUCCESS;
}

static bool all_here(const struct mpi_win *win, int rank)
{
    (void)rank;
    return win->heads >= win->expected;
}

/* No rank waits for an unlock that needs no answer, so all report how many headers they have sent.
 */
static int last_headers(struct mpi_win *win)
{
    size_t n = (size_t)win->comm->size;
    uint64_t *headers = mpi_block_new(win->mr, n * sizeof(*headers));
    int code;

    for (size_t r = 0; r < n; r++)
        headers[r] = win->peers[r].headers;
    code =
        MPI_Reduce_scatter_block(MPI_IN_PLACE, headers, 1, MPI_UINT64_T, MPI_SUM, win->comm_handle);
    win->expected = headers[0];
    mpi_block_free(headers);
    if (code == MPI_SUCCESS)
        mpi_win_wait(win, all_here, 0);
    return code;
}

static int free_win(struct mpi_rank *mr, struct mpi_win *win)
{
    struct mpi_comm *comm = win->comm;
    int code = MPI_SUCCESS;

    if (win->deleting > 0) /* to free it is for all ranks: it cannot wait for the function's end */
        return mpi_fail(mr, MPI_ERR_WIN, "a delete function of the window's attributes runs");
    win->deleting++;
    code = mpi_attrs_delete(mr, win->handle, &win->attrs);
    win->deleting--;
    if (code != MPI_SUCCESS)
        return code;
    if (mpi_win_has_epoch(win))
        return mpi_fail(mr, MPI_ERR_RMA_SYNC, "an epoch is open");
    mpi_win_wait(win, mpi_win_is_local, -1);
    code = last_headers(win);
    if (code != MPI_SUCCESS)
        return code;
    win->closing = true;
    mpi_cancel(mr, &win->head);
    mpi_table_remove(&mr->wins, (unsigned)(win->handle - 1));
    if (win->allocated != NULL)
        mr->host->memory->free(mr->host, win->allocated);
    win_free(win);
    mpi_comm_drop(comm);
    return MPI_SUCCESS;
}

int MPI_Win_free(MPI_Win *win)
{
    struct mpi_win *w = mpi_win_of(*win);
    int code = MPI_ERR_WIN;

    if (w != NULL) {
        if (w->mr->outer == NULL)
            w->mr->outer = __func__;
        code = free_win(w->mr, w);
    }
    if (code == MPI_SUCCESS) {
        *win = MPI_WIN_NULL;
        w = NULL;
    }
    return mpi_win_end(w, __func__, code);
}
