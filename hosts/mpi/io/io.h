/*
 * Files, chapter 13 of MPI 3.1, over those of the machine that simulates: each rank opens a file by
 * itself and reads and writes it by system calls.
 *
 *   io.c        opening and closing, sizes, hints, error handlers
 *   io_view.c   views, pointers
 *   io_data.c   bytes between memory and file
 *   io_order.c  writes of all ranks that meet
 *   io_call.c   the calls that read and write
 *
 * A data access takes a system call for each block of the file that it touches, and the copy of its
 * bytes; no disk is modelled. What ranks share of a file goes by messages: the shared pointer is a
 * word of a window at rank 0, and the window's lock there is that of atomic accesses. So the order
 * of accesses is the order in which messages come, as everything else.
 */
#ifndef MPI_IO_H
#define MPI_IO_H

#include "hosts/mpi/rma/win.h"

/** What of the file a rank sees: tiles of `filetype`, one behind the other. */
struct mpi_view {
    int64_t disp;                      /* bytes */
    struct mpi_type *etype, *filetype; /* held */
};

struct mpi_file {
    struct mpi_rank *mr;
    MPI_File handle;
    int fd, amode;
    MPI_Win win;           /* rank 0 has `shared` in it */
    struct mpi_comm *comm; /* the window's */
    MPI_Comm comm_handle;
    int64_t *shared; /* the shared pointer, in etypes; of rank 0 alone */
    int64_t at;      /* the individual one */
    struct mpi_view view;
    bool atomic;
    const char *half; /* the split collective that has begun; NULL: none */
    MPI_Status half_status;
    struct mpi_errhandler *errhandler;
    struct mpi_info *info;
    char *name;
};

/* io.c */
int mpi_files_init(struct mpi_rank *mr);
void mpi_files_release(struct mpi_rank *mr);
/** What each call begins with. @return NULL: no file, noted. */
struct mpi_file *mpi_file_begin(const char *call, MPI_File file);
/** Ends it, with the error handler of the file, or for NULL that of MPI_FILE_NULL. @return `code`
 */
int mpi_file_end(struct mpi_file *f, const char *call, int code);
/** The class of an error of the system, noted. */
int mpi_file_errno(struct mpi_rank *mr, const char *name, int error);
/** @return the code for the first of these modes that the file has been opened with. */
int mpi_file_check_mode(const struct mpi_file *f, int unwanted);
/** Collective: `bytes`, a multiple of an int's, of each rank. @return MPI_SUCCESS, and the pointer
 * at `all_p` is to memory for mpi_block_free(); or the code of the exchange. */
int mpi_file_gather(struct mpi_file *f, const void *own, size_t bytes, void *all_p);
/** Collective: whether `n` ints are the same on all ranks, and `code` is MPI_SUCCESS.
 * @return the code of the first rank that has another one, or MPI_ERR_NOT_SAME; all the same. */
int mpi_file_agree(struct mpi_file *f, const int *own, int n, int code);
/** Collective: the number of rank 0 for all, and its code. */
int mpi_file_broadcast(struct mpi_file *f, int64_t *number, int code);

/* io_view.c */
/** Where byte `data` of the view's data is in the file. */
int64_t mpi_view_byte(const struct mpi_view *v, uint64_t data);
/** Adds to the shared pointer; *was_p is what it was. */
int mpi_file_shared(struct mpi_file *f, int64_t etypes, int64_t *was_p);
static inline int64_t mpi_file_etypes(const struct mpi_file *f, uint64_t bytes)
{
    uint64_t size = f->view.etype->bytes;

    return size > 0 ? (int64_t)(bytes / size) : 0;
}

/** One rank's part of an access. */
struct mpi_access {
    bool writes;
    char *buf;
    struct mpi_type *type;
    uint64_t count, bytes;
    int64_t at; /* in etypes of the view */
};
/* io_data.c */
/** Takes its time. *done_p: bytes, fewer than asked for at the end of the file. */
int mpi_file_transfer(struct mpi_file *f, const struct mpi_access *a, uint64_t *done_p);
/* io_order.c */
/** The same of a collective: writes of ranks that meet go in the order of ranks. `code`: of
 * this rank's arguments; it is returned when it is an error, and nothing is written. */
int mpi_file_transfer_all(struct mpi_file *f, const struct mpi_access *a, int code,
                          uint64_t *done_p);

/** Words in the names of calls that read and write. */
enum mpi_file_words {
    MPI_FILE_READ = 0,
    MPI_FILE_IREAD = 0,
    MPI_FILE_WRITE = 1,
    MPI_FILE_IWRITE = 1,
    MPI_FILE_AT = 2,      /* at an explicit offset; else at the individual pointer */
    MPI_FILE_SHARED = 4,  /* at the shared pointer */
    MPI_FILE_ORDERED = 8, /* the same, of all in the order of ranks */
    MPI_FILE_ALL = 16,
    MPI_FILE_BEGIN = 32,
    MPI_FILE_END = 64
};
/** What such a call was given (c_bindings.py). */
struct mpi_file_call {
    unsigned kind; /* the words of its name */
    MPI_Offset offset;
    const void *buf;
    int count;
    MPI_Datatype type;
    MPI_Status *status;
    MPI_Request *request; /* NULL: a blocking one */
};
/* io_call.c */
int mpi_do_file(struct mpi_file *f, const struct mpi_file_call *c);

#endif /* MPI_IO_H */
