/* Errors end the program unless it has asked for their codes; what codes mean. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hosts/mpi/base/rank.h"

struct mpi_rank *mpi_self(void)
{
    struct host *h = host_self();
    struct mpi_rank *mr = h != NULL ? host_state_of(h->states, mpi_rank_release) : NULL;

    return mr == NULL || mr->finalized ? NULL : mr;
}

void mpi_note(struct mpi_rank *mr, const char *format, ...)
{
    va_list args;

    if (mr == NULL)
        return;
    va_start(args, format);
    vsnprintf(mr->why, sizeof(mr->why), format, args);
    va_end(args);
}

static _Noreturn void end_rank(struct host *h, int exit_code)
{
    for (;;)
        h->process->exit(h, exit_code); /* does not return */
}

/* All ranks end at once, as those of mpirun do. */
_Noreturn void mpi_abort(struct mpi_rank *mr, int exit_code)
{
    for (;;)
        mr->host->process->abort(mr->host, exit_code); /* does not return */
}

static void report_error(struct host *h, const char *call, const char *why)
{
    const struct mpi_rank *mr = host_state_of(h->states, mpi_rank_release);
    char place[128] = "", line[MPI_WHY_BYTES + 256];

    /* Calls that only look something up are not noted: another one may have called them. */
    if (mr != NULL && mr->call.name != NULL &&
        strcmp(mpi_call_name(mr->call.name), mpi_call_name(call)) == 0)
        h->process->place(h, mr->call.from, place, sizeof(place));
    (void)snprintf(line, sizeof(line), "rank %u on node %u at %.6f us: %s%s: %s", h->rank,
                   h->node->index, (double)h->cpu->time_ps(h) * 1e-6, mpi_call_name(call), place,
                   why);
    h->process->print(h, line);
}

void *mpi_need(struct mpi_rank *mr, void *memory)
{
    if (memory != NULL)
        return memory;
    report_error(mr->host, mr->outer != NULL ? mr->outer : "MPI", "out of memory");
    mpi_abort(mr, 1);
}

void mpi_refuse_interruption(struct mpi_rank *mr)
{
    if (!mr->interrupts)
        return;
    report_error(
        mr->host, "MPI",
        "communication in a signal's handler that has interrupted another call of MPI, after a "
        "jump out of one, or in the function of an operation: expected that call to return first");
    mpi_abort(mr, 1);
}

struct mpi_aside mpi_program_begin(struct mpi_rank *mr)
{
    struct mpi_aside aside = { mpi_library(mr->host, false), mr->inside };

    if (!mr->interrupts)
        mr->inside = 0;
    return aside;
}

void mpi_program_end(struct mpi_rank *mr, struct mpi_aside aside)
{
    mr->inside = aside.inside;
    mpi_library(mr->host, aside.library);
}

int mpi_end_object(struct mpi_rank *mr, const struct mpi_errhandler *handler, int handle,
                   const char *call, int code)
{
    if (handler == NULL) {
        report_error(mr->host, call, mr->why);
        mpi_abort(mr, 1);
    }
    if (handler->fn != NULL) {
        struct mpi_aside aside = mpi_program_begin(mr);

        handler->fn(&handle, &code);
        mpi_program_end(mr, aside);
    }
    mr->ended = true;
    return code;
}

int mpi_end_outside(const char *call, const char *why, int code)
{
    struct host *h = host_self();
    const struct mpi_rank *past = h != NULL ? host_state_of(h->states, mpi_rank_release) : NULL;

    if (h == NULL || (past != NULL && past->errors_return))
        return code;
    if (why == NULL)
        why = past == NULL ? "before MPI_Init()" : "after MPI_Finalize()";
    report_error(h, call, why);
    end_rank(h, 1);
}

int mpi_end(struct mpi_rank *mr, const char *call, int code)
{
    if (code == MPI_SUCCESS || host_self() == NULL)
        return code;
    if (mr == NULL)
        return mpi_end_outside(call, NULL, code);
    return mpi_end_object(mr, mr->world_errhandler != NULL ? *mr->world_errhandler : NULL,
                          MPI_COMM_WORLD, call, code);
}

unsigned mpi_blame_begin(struct mpi_rank *mr)
{
    struct mpi_blames *outer = &mr->outer_blames;
    unsigned kept = outer->n;

    if (mr->blamed.handler == NULL)
        return kept;
    if (outer->n == outer->room) {
        outer->room = 2 * outer->room + 4;
        outer->at = mpi_need(mr, realloc(outer->at, outer->room * sizeof(*outer->at)));
    }
    outer->at[outer->n++] = mr->blamed;
    mr->blamed.handler = NULL;
    return kept;
}

void mpi_blame_end(struct mpi_rank *mr, unsigned kept)
{
    struct mpi_blames *outer = &mr->outer_blames;

    if (kept < outer->n)
        mr->blamed = outer->at[kept];
    else
        mr->blamed.handler = NULL;
    outer->n = kept; /* with those of calls within that a jump has left */
}

void mpi_blame_drop(struct mpi_rank *mr, struct mpi_errhandler *const *handler)
{
    if (mr->blamed.handler == handler)
        mr->blamed.handler = NULL;
    for (unsigned i = 0; i < mr->outer_blames.n; i++)
        if (mr->outer_blames.at[i].handler == handler)
            mr->outer_blames.at[i].handler = NULL;
}

int mpi_end_blamed(struct mpi_rank *mr, const char *call, int code)
{
    if (mr == NULL || mr->blamed.handler == NULL)
        return mpi_end(mr, call, code);
    return mpi_end_object(mr, *mr->blamed.handler, mr->blamed.handle, call, code);
}

int MPI_Abort(MPI_Comm comm, int exit_code)
{
    struct mpi_rank *mr = mpi_self();
    char why[32];

    (void)comm;
    snprintf(why, sizeof(why), "exit code %d", exit_code);
    report_error(mr->host, __func__, why);
    mpi_abort(mr, exit_code);
}

/* What an error means, by its class. */
static const char *const texts[] = {
    [MPI_SUCCESS] = "no error",
    [MPI_ERR_BUFFER] = "invalid buffer pointer",
    [MPI_ERR_COUNT] = "invalid count",
    [MPI_ERR_TYPE] = "invalid datatype",
    [MPI_ERR_TAG] = "invalid tag",
    [MPI_ERR_COMM] = "invalid communicator",
    [MPI_ERR_RANK] = "invalid rank",
    [MPI_ERR_ROOT] = "invalid root",
    [MPI_ERR_OP] = "invalid operation",
    [MPI_ERR_TRUNCATE] = "message truncated",
    [MPI_ERR_NO_MEM] = "out of memory",
    [MPI_ERR_OTHER] = "other error",
    [MPI_ERR_REQUEST] = "invalid request",
    [MPI_ERR_ARG] = "invalid argument",
    [MPI_ERR_IN_STATUS] = "the error code is in the status",
    [MPI_ERR_GROUP] = "invalid group",
    [MPI_ERR_TOPOLOGY] = "invalid topology",
    [MPI_ERR_DIMS] = "invalid dimensions",
    [MPI_ERR_UNKNOWN] = "unknown error",
    [MPI_ERR_INTERN] = "internal error",
    [MPI_ERR_PENDING] = "pending request",
    [MPI_ERR_KEYVAL] = "invalid keyval",
    [MPI_ERR_INFO] = "invalid info",
    [MPI_ERR_INFO_KEY] = "info key too long",
    [MPI_ERR_INFO_VALUE] = "info value too long",
    [MPI_ERR_INFO_NOKEY] = "no such info key",
    [MPI_ERR_SPAWN] = "cannot spawn processes",
    [MPI_ERR_PORT] = "invalid port",
    [MPI_ERR_SERVICE] = "invalid service",
    [MPI_ERR_NAME] = "invalid service name",
    [MPI_ERR_WIN] = "invalid window",
    [MPI_ERR_BASE] = "invalid base",
    [MPI_ERR_SIZE] = "invalid size",
    [MPI_ERR_DISP] = "invalid displacement",
    [MPI_ERR_LOCKTYPE] = "invalid lock type",
    [MPI_ERR_ASSERT] = "invalid assertion",
    [MPI_ERR_RMA_CONFLICT] = "conflicting accesses to a window",
    [MPI_ERR_RMA_SYNC] = "wrong synchronization of one-sided calls",
    [MPI_ERR_RMA_RANGE] = "target memory is not of the window",
    [MPI_ERR_RMA_ATTACH] = "memory cannot be attached",
    [MPI_ERR_RMA_SHARED] = "memory cannot be shared",
    [MPI_ERR_RMA_FLAVOR] = "window of the wrong flavor",
    [MPI_ERR_FILE] = "invalid file",
    [MPI_ERR_NOT_SAME] = "collective argument not the same on all ranks",
    [MPI_ERR_AMODE] = "invalid access mode",
    [MPI_ERR_UNSUPPORTED_DATAREP] = "unsupported data representation",
    [MPI_ERR_UNSUPPORTED_OPERATION] = "unsupported operation",
    [MPI_ERR_NO_SUCH_FILE] = "no such file",
    [MPI_ERR_FILE_EXISTS] = "file exists",
    [MPI_ERR_BAD_FILE] = "invalid file name",
    [MPI_ERR_ACCESS] = "permission denied",
    [MPI_ERR_NO_SPACE] = "not enough space",
    [MPI_ERR_QUOTA] = "quota exceeded",
    [MPI_ERR_READ_ONLY] = "read-only file or file system",
    [MPI_ERR_FILE_IN_USE] = "file in use",
    [MPI_ERR_DUP_DATAREP] = "data representation already defined",
    [MPI_ERR_CONVERSION] = "error in a user's conversion",
    [MPI_ERR_IO] = "other I/O error",
};
#define CLASSES (int)(sizeof(texts) / sizeof(texts[0]))

/* NULL: no code of the program's own. */
static struct mpi_error_code *own_code(int code)
{
    struct mpi_rank *mr = mpi_self();
    unsigned i = (unsigned)(code - MPI_ERR_LASTCODE - 1);

    return code > MPI_ERR_LASTCODE && mr != NULL && i < mr->env.ncodes ? &mr->env.codes[i] : NULL;
}

static int bad_code(int code)
{
    return mpi_error(MPI_ERR_ARG, "error code %d: no such code", code);
}

int MPI_Error_class(int code, int *error_class)
{
    const struct mpi_error_code *own = own_code(code);

    if (own == NULL && (code < 0 || code >= CLASSES))
        return bad_code(code);
    *error_class = own != NULL ? own->error_class : code;
    return MPI_SUCCESS;
}

int MPI_Error_string(int code, char *string, int *length)
{
    const struct mpi_error_code *own = own_code(code);
    const char *text;

    if (own == NULL && (code < 0 || code >= CLASSES))
        return bad_code(code);
    text = own == NULL ? texts[code] : own->string != NULL ? own->string : "";
    *length = snprintf(string, MPI_MAX_ERROR_STRING, "%s", text);
    return MPI_SUCCESS;
}

void mpi_note_code(struct mpi_rank *mr, int code)
{
    const struct mpi_error_code *own = own_code(code);
    const char *text = own != NULL ? own->string : code >= 0 && code < CLASSES ? texts[code] : NULL;

    mpi_note(mr, "error code %d%s%s", code, text != NULL ? ": " : "", text != NULL ? text : "");
}

/* `error_class` 0: the code is a class of its own. */
static int add_code(struct mpi_rank *mr, int error_class, int *code_p)
{
    struct mpi_env *e = &mr->env;
    if (error_class != 0 && own_code(error_class) == NULL &&
        (error_class < 0 || error_class >= CLASSES))
        return bad_code(error_class);
    e->codes = mpi_need(mr, realloc(e->codes, (e->ncodes + 1) * sizeof(*e->codes)));
    e->lastusedcode = MPI_ERR_LASTCODE + 1 + (int)e->ncodes;
    *code_p = e->lastusedcode;
    e->codes[e->ncodes++] =
        (struct mpi_error_code){ error_class != 0 ? error_class : e->lastusedcode, NULL };
    return MPI_SUCCESS;
}

int MPI_Add_error_class(int *error_class)
{
    return add_code(mpi_self(), 0, error_class);
}

int MPI_Add_error_code(int error_class, int *code)
{
    return add_code(mpi_self(), error_class, code);
}

int MPI_Add_error_string(int code, const char *string)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_error_code *own = own_code(code);
    char *copy;

    if (own == NULL)
        return bad_code(code);
    copy = mpi_need(mr, malloc(MPI_MAX_ERROR_STRING));
    snprintf(copy, MPI_MAX_ERROR_STRING, "%s", string);
    free(own->string);
    own->string = copy;
    return MPI_SUCCESS;
}
