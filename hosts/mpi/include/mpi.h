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
typedef int MPI_Datatype; /* of basic ones, bits 15..8: size in bytes */
typedef int MPI_Op;
typedef int MPI_Request;
typedef int MPI_Errhandler;

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
#define MPI_SIGNED_CHAR        ((MPI_Datatype)0x010c)
#define MPI_SHORT              ((MPI_Datatype)0x020d)
#define MPI_UNSIGNED_SHORT     ((MPI_Datatype)0x020e)
#define MPI_INT8_T             ((MPI_Datatype)0x010f)
#define MPI_INT16_T            ((MPI_Datatype)0x0210)
#define MPI_INT32_T            ((MPI_Datatype)0x0411)
#define MPI_INT64_T            ((MPI_Datatype)0x0812)
#define MPI_UINT8_T            ((MPI_Datatype)0x0113)
#define MPI_UINT16_T           ((MPI_Datatype)0x0214)
#define MPI_UINT32_T           ((MPI_Datatype)0x0415)
#define MPI_UINT64_T           ((MPI_Datatype)0x0816)
#define MPI_LONG_DOUBLE        ((MPI_Datatype)0x1017)
#define MPI_C_BOOL             ((MPI_Datatype)0x0118)
#define MPI_LONG_LONG_INT      MPI_LONG_LONG

#define MPI_OP_NULL ((MPI_Op)0)
#define MPI_MAX     ((MPI_Op)1)
#define MPI_MIN     ((MPI_Op)2)
#define MPI_SUM     ((MPI_Op)3)
#define MPI_PROD    ((MPI_Op)4)
#define MPI_LAND    ((MPI_Op)5)
#define MPI_BAND    ((MPI_Op)6)
#define MPI_LOR     ((MPI_Op)7)
#define MPI_BOR     ((MPI_Op)8)
#define MPI_LXOR    ((MPI_Op)9)
#define MPI_BXOR    ((MPI_Op)10)

#define MPI_ANY_SOURCE (-1)
#define MPI_PROC_NULL  (-2)
#define MPI_ANY_TAG    (-1)
#define MPI_UNDEFINED  (-32766)
#define MPI_TAG_UB_MAX 0x7fffffff

#define MPI_REQUEST_NULL ((MPI_Request)0)

#define MPI_ERRORS_ARE_FATAL ((MPI_Errhandler)1)
#define MPI_ERRORS_RETURN    ((MPI_Errhandler)2)

#define MPI_IN_PLACE           ((void *)-1)
#define MPI_STATUS_IGNORE      ((MPI_Status *)0)
#define MPI_STATUSES_IGNORE    ((MPI_Status *)0)
#define MPI_MAX_PROCESSOR_NAME 64

#define MPI_SUCCESS       0
#define MPI_ERR_BUFFER    1
#define MPI_ERR_COUNT     2
#define MPI_ERR_TYPE      3
#define MPI_ERR_TAG       4
#define MPI_ERR_COMM      5
#define MPI_ERR_RANK      6
#define MPI_ERR_ROOT      7
#define MPI_ERR_OP        8
#define MPI_ERR_TRUNCATE  9
#define MPI_ERR_NO_MEM    10
#define MPI_ERR_OTHER     11 /* before MPI_Init() or after MPI_Finalize() */
#define MPI_ERR_REQUEST   12
#define MPI_ERR_ARG       13
#define MPI_ERR_IN_STATUS 14

int MPI_Init(int *argc, char ***argv);
int MPI_Initialized(int *flag);
int MPI_Finalize(void);
int MPI_Comm_rank(MPI_Comm comm, int *rank);
int MPI_Comm_size(MPI_Comm comm, int *size);
int MPI_Get_processor_name(char *name, int *length);
double MPI_Wtime(void);
double MPI_Wtick(void);
/** Ends the calling rank, and every other one at its next call that waits for messages. */
int MPI_Abort(MPI_Comm comm, int exit_code);

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *newcomm);
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm);
int MPI_Comm_free(MPI_Comm *comm);
/** An error ends all ranks and says why, until MPI_ERRORS_RETURN is set; it then holds for all
 * calls of the rank, whatever their communicator. */
int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler);

int MPI_Send(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm);
int MPI_Recv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
             MPI_Status *status);
int MPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                 void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
                 MPI_Comm comm, MPI_Status *status);
int MPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count);
int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status);
int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status);

int MPI_Isend(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
              MPI_Request *request);
int MPI_Irecv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
              MPI_Request *request);
int MPI_Wait(MPI_Request *request, MPI_Status *status);
int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]);
int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status);
int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status);
int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[]);

int MPI_Send_init(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                  MPI_Request *request);
int MPI_Recv_init(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                  MPI_Request *request);
int MPI_Start(MPI_Request *request);
int MPI_Startall(int count, MPI_Request requests[]);
/** Not while its receive is pending. */
int MPI_Request_free(MPI_Request *request);

int MPI_Type_contiguous(int count, MPI_Datatype oldtype, MPI_Datatype *newtype);
int MPI_Type_vector(int count, int blocklength, int stride, MPI_Datatype oldtype,
                    MPI_Datatype *newtype);
int MPI_Type_commit(MPI_Datatype *type);
int MPI_Type_free(MPI_Datatype *type);
int MPI_Type_size(MPI_Datatype type, int *size);

int MPI_Barrier(MPI_Comm comm);
int MPI_Bcast(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm);
int MPI_Allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                  int recvcount, MPI_Datatype recvtype, MPI_Comm comm);
int MPI_Gather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
               int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);
int MPI_Scatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);
int MPI_Alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                 int recvcount, MPI_Datatype recvtype, MPI_Comm comm);
int MPI_Reduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
               int root, MPI_Comm comm);
int MPI_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm);

#ifdef __cplusplus
}
#endif
#endif /* HUBSIM_MPI_H */
