/* Both forms of collectives, blocking and not, which differ in nothing but the request. */
#ifndef MPI_TWINS_H
#define MPI_TWINS_H

#include "hosts/mpi/coll/call.h"

/* NOLINTBEGIN(bugprone-macro-parentheses): parameters and initialisers */
#define SEND const void *sendbuf, int sendcount, MPI_Datatype sendtype
#define SEND_V                                                                                     \
    const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype
#define RECV   void *recvbuf, int recvcount, MPI_Datatype recvtype
#define RECV_V void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype
#define SEND_W(AT)                                                                                 \
    const void *sendbuf, const int sendcounts[], const AT sdispls[], const MPI_Datatype sendtypes[]
#define RECV_W(AT)                                                                                 \
    void *recvbuf, const int recvcounts[], const AT rdispls[], const MPI_Datatype recvtypes[]
#define OUT .out = { .buf = sendbuf, .count = sendcount, .type = sendtype }
#define OUT_V                                                                                      \
    .out = { .buf = sendbuf,                                                                       \
             .counts = sendcounts,                                                                 \
             .displs = sdispls,                                                                    \
             .type = sendtype,                                                                     \
             .form = MPI_SIDE_V }
#define IN .in = { .buf = recvbuf, .count = recvcount, .type = recvtype }
#define IN_V                                                                                       \
    .in = { .buf = recvbuf,                                                                        \
            .counts = recvcounts,                                                                  \
            .displs = rdispls,                                                                     \
            .type = recvtype,                                                                      \
            .form = MPI_SIDE_V }
#define OUT_W(AT)                                                                                  \
    .out = { .buf = sendbuf,                                                                       \
             .counts = sendcounts,                                                                 \
             .AT = sdispls,                                                                        \
             .types = sendtypes,                                                                   \
             .form = MPI_SIDE_W }
#define IN_W(AT)                                                                                   \
    .in = { .buf = recvbuf,                                                                        \
            .counts = recvcounts,                                                                  \
            .AT = rdispls,                                                                         \
            .types = recvtypes,                                                                    \
            .form = MPI_SIDE_W }

/**
 * Defines MPI_NAME() and its non-blocking form with these parameters and those that all have: what
 * the program passes is put into a struct mpi_sides, which PREPARE() checks.
 */
#define LIST(...) __VA_ARGS__
#define COLLECTIVE(NAME, NONBLOCKING, PARAMETERS, PREPARE, KIND, ...)                              \
    int MPI_##NAME(LIST PARAMETERS, MPI_Comm comm)                                                 \
    {                                                                                              \
        const struct mpi_sides a = { __VA_ARGS__ };                                                \
                                                                                                   \
        return mpi_coll_call(__func__, KIND, PREPARE, &a, comm, NULL);                             \
    }                                                                                              \
    int MPI_##NONBLOCKING(LIST PARAMETERS, MPI_Comm comm, MPI_Request *request)                    \
    {                                                                                              \
        const struct mpi_sides a = { __VA_ARGS__ };                                                \
                                                                                                   \
        return mpi_coll_call(__func__, KIND, PREPARE, &a, comm, request);                          \
    }
/* NOLINTEND(bugprone-macro-parentheses) */

#endif /* MPI_TWINS_H */
