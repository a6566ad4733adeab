/*
 * MPI for programs on simulated hosts: the nucleus of the interface. Handles are
 * integers. Message bytes travel over the control network of the machine.
 */
#ifndef HUBSIM_MPI_H
#define HUBSIM_MPI_H

#ifdef __cplusplus
extern "C" {
#endif

#define MPI_VERSION    3
#define MPI_SUBVERSION 1

typedef int MPI_Comm;
typedef int MPI_Datatype; /* bits 15..8: size in bytes */
typedef int MPI_Op;

typedef struct MPI_Status {
    int MPI_SOURCE;
    int MPI_TAG;
    int MPI_ERROR;
    unsigned hub_bytes; /* received; for MPI_Get_count() */
} MPI_Status;

#define MPI_COMM_NULL  ((MPI_Comm)0)
#define MPI_COMM_WORLD ((MPI_Comm)1)
#define MPI_COMM_SELF  ((MPI_Comm)2)

#define MPI_DATATYPE_NULL      ((MPI_Datatype)0)
#define MPI_BYTE               ((MPI_Datatype)0x0101)
#define MPI_CHAR               ((MPI_Datatype)0x0102)
#define MPI_UNSIGNED_CHAR      ((MPI_Datatype)0x0103)
#define MPI_INT                ((MPI_Datatype)0x0404)
#define MPI_UNSIGNED           ((MPI_Datatype)0x0405)
#define MPI_FLOAT              ((MPI_Datatype)0x0406)
#define MPI_DOUBLE             ((MPI_Datatype)0x0807)
#define MPI_LONG               ((MPI_Datatype)0x0808)
#define MPI_UNSIGNED_LONG      ((MPI_Datatype)0x0809)
#define MPI_LONG_LONG          ((MPI_Datatype)0x080a)
#define MPI_UNSIGNED_LONG_LONG ((MPI_Datatype)0x080b)

#define MPI_OP_NULL ((MPI_Op)0)
#define MPI_MAX     ((MPI_Op)1)
#define MPI_MIN     ((MPI_Op)2)
#define MPI_SUM     ((MPI_Op)3)

#define MPI_ANY_SOURCE (-1)
#define MPI_PROC_NULL  (-2)
#define MPI_ANY_TAG    (-1)
#define MPI_TAG_UB_MAX 0x7fffffff

#define MPI_IN_PLACE           ((void *)-1)
#define MPI_STATUS_IGNORE      ((MPI_Status *)0)
#define MPI_STATUSES_IGNORE    ((MPI_Status *)0)
#define MPI_MAX_PROCESSOR_NAME 64

#define MPI_SUCCESS      0
#define MPI_ERR_BUFFER   1
#define MPI_ERR_COUNT    2
#define MPI_ERR_TYPE     3
#define MPI_ERR_TAG      4
#define MPI_ERR_COMM     5
#define MPI_ERR_RANK     6
#define MPI_ERR_ROOT     7
#define MPI_ERR_OP       8
#define MPI_ERR_TRUNCATE 9
#define MPI_ERR_NO_MEM   10
#define MPI_ERR_OTHER    11 /* before MPI_Init() or after MPI_Finalize() */

int MPI_Init(int *argc, char ***argv);
int MPI_Initialized(int *flag);
int MPI_Finalize(void);
int MPI_Comm_rank(MPI_Comm comm, int *rank);
int MPI_Comm_size(MPI_Comm comm, int *size);
int MPI_Get_processor_name(char *name, int *length);
double MPI_Wtime(void);

int MPI_Send(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm);
int MPI_Recv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
             MPI_Status *status);
int MPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                 void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
                 MPI_Comm comm, MPI_Status *status);
int MPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count);

int MPI_Barrier(MPI_Comm comm);
int MPI_Bcast(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm);
int MPI_Allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                  int recvcount, MPI_Datatype recvtype, MPI_Comm comm);
int MPI_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm);

#ifdef __cplusplus
}
#endif
#endif /* HUBSIM_MPI_H */
