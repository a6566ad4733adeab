/* Beginning and end, memory, time, and handles in Fortran. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hosts/mpi/coll/collective.h"
#include "hosts/mpi/init/left.h"
#include "hosts/mpi/io/io.h"

void mpi_rank_release(void *rank)
{
    struct mpi_rank *mr = rank;

    mpi_requests_release(mr);
    mpi_device_release(mr);
    mpi_schedules_release(mr);
    mpi_protocol_release(mr);
    mpi_windows_release(mr);
    mpi_files_release(mr);
    mpi_types_release(mr);
    mpi_comms_release(mr);
    mpi_groups_release(mr);
    mpi_select_release(mr);
    mpi_ops_release(mr);
    mpi_env_release(mr);
    if (mr->transport != NULL)
        mr->transport->ops->destroy(mr->transport);
    mpi_pool_release(mr);
    free(mr->outer_blames.at);
    free(mr);
}

int MPI_Init(int *argc, char ***argv)
{
    struct host *h = host_self();
    struct mpi_rank *mr;
    int code;

    (void)argc;
    (void)argv;
    if (h == NULL)
        return MPI_ERR_OTHER;
    mr = host_state_of(h->states, mpi_rank_release);
    if (mr != NULL)
        return mpi_end(mr, __func__, mpi_fail(mr, MPI_ERR_OTHER, "called twice"));
    mr = calloc(1, sizeof(*mr));
    if (mr == NULL)
        return MPI_ERR_NO_MEM;
    mr->host = h;
    host_state_add(&h->states, &mr->kept, mpi_rank_release);
    mr->follows[MPI_FOLLOWS_SCHEDULES].advance = mpi_schedules_advance;
    mr->follows[MPI_FOLLOWS_WINDOWS].advance = mpi_windows_advance;
    mpi_library(h, true);
    mpi_check_init(mr);
    mpi_env_init(mr);
    mpi_basics_init(mr);
    if (!transport_open(h, "mpi", mr->why, &mr->transport))
        return MPI_ERR_OTHER;
    mpi_protocol_init(mr, mpi_came);
    mpi_comms_init(mr);
    code = mpi_collectives_init(mr);
    if (code == MPI_SUCCESS)
        code = mpi_files_init(mr);
    if (code != MPI_SUCCESS)
        return code;
    mr->outer = __func__;
    code = MPI_Barrier(MPI_COMM_WORLD);
    mr->outer = NULL;
    return code == MPI_SUCCESS ? mpi_help_init(mr) : code;
}

int MPI_Initialized(int *flag)
{
    struct host *h = host_self();

    *flag = h != NULL && host_state_of(h->states, mpi_rank_release) != NULL;
    return MPI_SUCCESS;
}

/* For reports: the i-th message that is not over. Only those that wait for an answer have names. */
static bool unfinished(const void *arg, unsigned i, struct host_wait *wait_p)
{
    const struct mpi_rank *mr = arg;

    for (uint32_t k = 0; k < mr->protocol->nids; k++) {
        const struct mpi_request *rq = mr->protocol->ids[k];

        if (rq == NULL || !rq->open || i-- > 0)
            continue;
        *wait_p = (struct host_wait){
            .sends = !rq->receives, .peer = (int)rq->far->rank, .tag = rq->tag, .bytes = rq->bytes
        };
        (void)snprintf(wait_p->group, sizeof(wait_p->group), "%.63s", rq->comm->name);
        return true;
    }
    return false;
}

/* What has begun without a handle that is left to wait for it, as buffered sends and requests that
 * were freed, ends as well (MPI 3.1, 8.7.1). */
static void finish_messages(struct mpi_rank *mr)
{
    mpi_advance(mr, NULL);
    mr->host->call =
        (struct host_call){ .name = "MPI_Finalize", .waits = unfinished, .waits_arg = mr };
    while (mr->protocol->open > 0)
        mpi_progress(mr);
    mpi_hand_over(mr);
    mr->host->call.name = NULL;
}

int MPI_Finalize(void)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_comm *self = mpi_comm_of(mr, MPI_COMM_SELF);
    int code = mpi_attrs_delete(mr, MPI_COMM_SELF, &self->attrs); /* first of all: MPI 3.1, 8.7.1 */

    if (code != MPI_SUCCESS)
        return code;
    mr->outer = __func__;
    if (mr->check != NULL)
        mpi_left_requests(mr);
    mpi_check_finalize(mr);
    finish_messages(mr);
    code = MPI_Barrier(MPI_COMM_WORLD);
    if (code == MPI_SUCCESS) /* receives whose message came meanwhile */
        finish_messages(mr);
    if (mr->check != NULL)
        mpi_left_receives(mr);
    mpi_check_finalized(mr);
    mr->errors_return = mpi_comm_of(mr, MPI_COMM_WORLD)->errhandler != NULL;
    mr->finalized = true;
    return code;
}

int MPI_Finalized(int *flag)
{
    struct host *h = host_self();
    const struct mpi_rank *mr = h != NULL ? host_state_of(h->states, mpi_rank_release) : NULL;

    *flag = mr != NULL && mr->finalized;
    return MPI_SUCCESS;
}

/* One task runs a rank's program, so calls come one at a time whatever it asks for. */
int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int code = MPI_Init(argc, argv);
    struct mpi_rank *mr = mpi_self();

    *provided = required < MPI_THREAD_SERIALIZED ? required : MPI_THREAD_SERIALIZED;
    if (required < MPI_THREAD_SINGLE)
        *provided = MPI_THREAD_SINGLE;
    if (mr != NULL)
        mr->env.thread_level = *provided;
    return code;
}

int MPI_Query_thread(int *provided)
{
    *provided = mpi_self()->env.thread_level;
    return MPI_SUCCESS;
}

int MPI_Is_thread_main(int *flag)
{
    *flag = 1;
    return MPI_SUCCESS;
}

int MPI_Get_version(int *version, int *subversion)
{
    *version = MPI_VERSION;
    *subversion = MPI_SUBVERSION;
    return MPI_SUCCESS;
}

int MPI_Get_library_version(char *version, int *length)
{
    *length = snprintf(version, MPI_MAX_LIBRARY_VERSION_STRING, "hubsim MPI %d.%d", MPI_VERSION,
                       MPI_SUBVERSION);
    return MPI_SUCCESS;
}

int MPI_Pcontrol(const int level, ...)
{
    (void)level; /* for profiling libraries */
    return MPI_SUCCESS;
}

/* Memory that devices reach without a copy. `base` is the address of a pointer. */
int MPI_Alloc_mem(MPI_Aint size, MPI_Info info, void *base)
{
    struct mpi_rank *mr = mpi_self();
    void *p;

    (void)info; /* hints only */
    if (size < 0)
        return mpi_error(MPI_ERR_ARG, "size = %ld: expected 0 or more", size);
    p = mr->host->memory->alloc(mr->host, size > 0 ? (uint64_t)size : 1, 64);
    if (p == NULL)
        return mpi_error(MPI_ERR_NO_MEM, "size = %ld: the node has not so much left", size);
    memcpy(base, &p, sizeof(p));
    return MPI_SUCCESS;
}

int MPI_Free_mem(void *base)
{
    struct mpi_rank *mr = mpi_self();

    if (base != NULL && mr->host->memory->free(mr->host, base) == 0)
        return mpi_error(MPI_ERR_BASE, "base: not from MPI_Alloc_mem()");
    return MPI_SUCCESS;
}

int MPI_Get_processor_name(char *name, int *length)
{
    struct host *h = host_self();

    if (h == NULL)
        return MPI_ERR_OTHER;
    *length = snprintf(name, MPI_MAX_PROCESSOR_NAME, "node%u", h->node->index);
    return MPI_SUCCESS;
}

double MPI_Wtime(void)
{
    struct host *h = host_self();

    if (h == NULL)
        return 0;
    h->cpu->tsc(h); /* what reading the timer costs */
    return (double)h->cpu->time_ps(h) * 1e-12;
}

double MPI_Wtick(void)
{
    struct host *h = host_self();

    return h == NULL ? 0 : 1e-3 / (double)h->cpu->tsc_khz(h);
}

/* Fortran's handles are the same integers. */
#define HANDLE(KIND, TYPE)                                                                         \
    MPI_Fint MPI_##KIND##_c2f(TYPE handle)                                                         \
    {                                                                                              \
        return handle;                                                                             \
    }                                                                                              \
    TYPE MPI_##KIND##_f2c(MPI_Fint handle)                                                         \
    {                                                                                              \
        return handle;                                                                             \
    }
HANDLE(Comm, MPI_Comm)
HANDLE(Group, MPI_Group)
HANDLE(Request, MPI_Request)
HANDLE(Message, MPI_Message)
HANDLE(Op, MPI_Op)
HANDLE(Info, MPI_Info)
HANDLE(Win, MPI_Win)
HANDLE(File, MPI_File)
HANDLE(Errhandler, MPI_Errhandler)
HANDLE(Type, MPI_Datatype)

int MPI_Status_c2f(const MPI_Status *status, MPI_Fint *fortran)
{
    memcpy(fortran, status, sizeof(*status));
    return MPI_SUCCESS;
}

int MPI_Status_f2c(const MPI_Fint *fortran, MPI_Status *status)
{
    memcpy(status, fortran, sizeof(*status));
    return MPI_SUCCESS;
}

int MPI_Status_c2f08(const MPI_Status *status, MPI_F08_status *fortran)
{
    *fortran = *status;
    return MPI_SUCCESS;
}

int MPI_Status_f082c(const MPI_F08_status *fortran, MPI_Status *status)
{
    *status = *fortran;
    return MPI_SUCCESS;
}

int MPI_Status_f082f(const MPI_F08_status *from, MPI_Fint *to)
{
    return MPI_Status_c2f(from, to);
}

int MPI_Status_f2f08(const MPI_Fint *from, MPI_F08_status *to)
{
    return MPI_Status_f2c(from, to);
}
