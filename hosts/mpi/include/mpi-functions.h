/* The functions of mpi.h, which includes this. HUB_MPI(TYPE, NAME, (ARGUMENTS)) declares MPI_NAME()
 * and, for profiling libraries, PMPI_NAME(). */
#ifndef HUBSIM_MPI_FUNCTIONS_H
#define HUBSIM_MPI_FUNCTIONS_H

#include "mpi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* NOLINTBEGIN(bugprone-macro-parentheses): declarations */
#define HUB_MPI(TYPE, NAME, ARGUMENTS)                                                             \
    TYPE MPI_##NAME ARGUMENTS;                                                                     \
    TYPE PMPI_##NAME ARGUMENTS

/* Of the program; `state` is the keyval's. */
typedef int MPI_Comm_copy_attr_function(MPI_Comm comm, int keyval, void *state, void *in, void *out,
                                        int *flag);
typedef int MPI_Comm_delete_attr_function(MPI_Comm comm, int keyval, void *value, void *state);
typedef int MPI_Type_copy_attr_function(MPI_Datatype type, int keyval, void *state, void *in,
                                        void *out, int *flag);
typedef int MPI_Type_delete_attr_function(MPI_Datatype type, int keyval, void *value, void *state);
typedef int MPI_Win_copy_attr_function(MPI_Win win, int keyval, void *state, void *in, void *out,
                                       int *flag);
typedef int MPI_Win_delete_attr_function(MPI_Win win, int keyval, void *value, void *state);
typedef MPI_Comm_copy_attr_function MPI_Copy_function;
typedef MPI_Comm_delete_attr_function MPI_Delete_function;
typedef void MPI_Comm_errhandler_function(MPI_Comm *comm, int *code, ...);
typedef void MPI_Win_errhandler_function(MPI_Win *win, int *code, ...);
typedef void MPI_File_errhandler_function(MPI_File *file, int *code, ...);
typedef MPI_Comm_errhandler_function MPI_Handler_function;
typedef MPI_Comm_errhandler_function MPI_Comm_errhandler_fn;
typedef MPI_Win_errhandler_function MPI_Win_errhandler_fn;
typedef MPI_File_errhandler_function MPI_File_errhandler_fn;
typedef void MPI_User_function(void *in, void *inout, int *count, MPI_Datatype *type);
typedef int MPI_Grequest_query_function(void *state, MPI_Status *status);
typedef int MPI_Grequest_free_function(void *state);
typedef int MPI_Grequest_cancel_function(void *state, int complete);
typedef int MPI_Datarep_conversion_function(void *userbuf, MPI_Datatype type, int count,
                                            void *filebuf, MPI_Offset position, void *state);
typedef int MPI_Datarep_extent_function(MPI_Datatype type, MPI_Aint *extent, void *state);

#define MPI_NULL_COPY_FN        ((MPI_Copy_function *)0)
#define MPI_NULL_DELETE_FN      ((MPI_Delete_function *)0)
#define MPI_DUP_FN              MPI_Dup_fn_
#define MPI_COMM_NULL_COPY_FN   ((MPI_Comm_copy_attr_function *)0)
#define MPI_COMM_NULL_DELETE_FN ((MPI_Comm_delete_attr_function *)0)
#define MPI_COMM_DUP_FN         MPI_Dup_fn_
#define MPI_TYPE_NULL_COPY_FN   ((MPI_Type_copy_attr_function *)0)
#define MPI_TYPE_NULL_DELETE_FN ((MPI_Type_delete_attr_function *)0)
#define MPI_TYPE_DUP_FN         MPI_Dup_fn_
#define MPI_WIN_NULL_COPY_FN    ((MPI_Win_copy_attr_function *)0)
#define MPI_WIN_NULL_DELETE_FN  ((MPI_Win_delete_attr_function *)0)
#define MPI_WIN_DUP_FN          MPI_Dup_fn_
#define MPI_CONVERSION_FN_NULL  ((MPI_Datarep_conversion_function *)0)
MPI_Copy_function MPI_Dup_fn_;

/* Environment */
HUB_MPI(int, Init, (int *argc, char ***argv));
HUB_MPI(int, Init_thread, (int *argc, char ***argv, int required, int *provided));
HUB_MPI(int, Initialized, (int *flag));
HUB_MPI(int, Finalize, (void));
HUB_MPI(int, Finalized, (int *flag));
HUB_MPI(int, Query_thread, (int *provided));
HUB_MPI(int, Is_thread_main, (int *flag));
/** Ends all ranks. */
HUB_MPI(int, Abort, (MPI_Comm comm, int code));
HUB_MPI(int, Get_version, (int *version, int *subversion));
HUB_MPI(int, Get_library_version, (char *version, int *length));
HUB_MPI(int, Get_processor_name, (char *name, int *length));
HUB_MPI(double, Wtime, (void));
HUB_MPI(double, Wtick, (void));
HUB_MPI(int, Pcontrol, (const int level, ...));
HUB_MPI(int, Alloc_mem, (MPI_Aint size, MPI_Info info, void *base));
HUB_MPI(int, Free_mem, (void *base));

/* Errors */
HUB_MPI(int, Error_class, (int code, int *error_class));
HUB_MPI(int, Error_string, (int code, char *string, int *length));
HUB_MPI(int, Add_error_class, (int *error_class));
HUB_MPI(int, Add_error_code, (int error_class, int *code));
HUB_MPI(int, Add_error_string, (int code, const char *string));
HUB_MPI(int, Comm_create_errhandler, (MPI_Comm_errhandler_function * fn, MPI_Errhandler *handler));
HUB_MPI(int, Comm_set_errhandler, (MPI_Comm comm, MPI_Errhandler handler));
HUB_MPI(int, Comm_get_errhandler, (MPI_Comm comm, MPI_Errhandler *handler));
HUB_MPI(int, Comm_call_errhandler, (MPI_Comm comm, int code));
HUB_MPI(int, Win_create_errhandler, (MPI_Win_errhandler_function * fn, MPI_Errhandler *handler));
HUB_MPI(int, Win_set_errhandler, (MPI_Win win, MPI_Errhandler handler));
HUB_MPI(int, Win_get_errhandler, (MPI_Win win, MPI_Errhandler *handler));
HUB_MPI(int, Win_call_errhandler, (MPI_Win win, int code));
HUB_MPI(int, File_create_errhandler, (MPI_File_errhandler_function * fn, MPI_Errhandler *handler));
HUB_MPI(int, File_set_errhandler, (MPI_File file, MPI_Errhandler handler));
HUB_MPI(int, File_get_errhandler, (MPI_File file, MPI_Errhandler *handler));
HUB_MPI(int, File_call_errhandler, (MPI_File file, int code));
HUB_MPI(int, Errhandler_free, (MPI_Errhandler * handler));
HUB_MPI(int, Errhandler_create, (MPI_Handler_function * fn, MPI_Errhandler *handler));
HUB_MPI(int, Errhandler_set, (MPI_Comm comm, MPI_Errhandler handler));
HUB_MPI(int, Errhandler_get, (MPI_Comm comm, MPI_Errhandler *handler));

/* Info */
HUB_MPI(int, Info_create, (MPI_Info * info));
HUB_MPI(int, Info_delete, (MPI_Info info, const char *key));
HUB_MPI(int, Info_dup, (MPI_Info info, MPI_Info *newinfo));
HUB_MPI(int, Info_free, (MPI_Info * info));
HUB_MPI(int, Info_get, (MPI_Info info, const char *key, int length, char *value, int *flag));
HUB_MPI(int, Info_get_nkeys, (MPI_Info info, int *nkeys));
HUB_MPI(int, Info_get_nthkey, (MPI_Info info, int n, char *key));
HUB_MPI(int, Info_get_valuelen, (MPI_Info info, const char *key, int *length, int *flag));
HUB_MPI(int, Info_set, (MPI_Info info, const char *key, const char *value));

/* Point to point */
#define HUB_MPI_SEND(NAME)                                                                         \
    HUB_MPI(int, NAME,                                                                             \
            (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm))
#define HUB_MPI_ISEND(NAME)                                                                        \
    HUB_MPI(int, NAME,                                                                             \
            (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,      \
             MPI_Request *request))
HUB_MPI_SEND(Send);
HUB_MPI_SEND(Bsend);
HUB_MPI_SEND(Ssend);
HUB_MPI_SEND(Rsend);
HUB_MPI(int, Recv,
        (void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
         MPI_Status *status));
HUB_MPI(int, Sendrecv,
        (const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
         void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
         MPI_Comm comm, MPI_Status *status));
HUB_MPI(int, Sendrecv_replace,
        (void *buf, int count, MPI_Datatype type, int dest, int sendtag, int source, int recvtag,
         MPI_Comm comm, MPI_Status *status));
HUB_MPI_ISEND(Isend);
HUB_MPI_ISEND(Ibsend);
HUB_MPI_ISEND(Issend);
HUB_MPI_ISEND(Irsend);
HUB_MPI(int, Irecv,
        (void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
         MPI_Request *request));
HUB_MPI_ISEND(Send_init);
HUB_MPI_ISEND(Bsend_init);
HUB_MPI_ISEND(Ssend_init);
HUB_MPI_ISEND(Rsend_init);
HUB_MPI(int, Recv_init,
        (void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
         MPI_Request *request));
HUB_MPI(int, Start, (MPI_Request * request));
HUB_MPI(int, Startall, (int count, MPI_Request requests[]));
HUB_MPI(int, Buffer_attach, (void *buffer, int size));
HUB_MPI(int, Buffer_detach, (void *buffer, int *size));
HUB_MPI(int, Probe, (int source, int tag, MPI_Comm comm, MPI_Status *status));
HUB_MPI(int, Iprobe, (int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status));
HUB_MPI(int, Mprobe,
        (int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status));
HUB_MPI(int, Improbe,
        (int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status));
HUB_MPI(int, Mrecv,
        (void *buf, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status));
HUB_MPI(int, Imrecv,
        (void *buf, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *request));
HUB_MPI(int, Get_count, (const MPI_Status *status, MPI_Datatype type, int *count));
HUB_MPI(int, Get_elements, (const MPI_Status *status, MPI_Datatype type, int *count));
HUB_MPI(int, Get_elements_x, (const MPI_Status *status, MPI_Datatype type, MPI_Count *count));

/* Requests */
HUB_MPI(int, Wait, (MPI_Request * request, MPI_Status *status));
HUB_MPI(int, Waitall, (int count, MPI_Request requests[], MPI_Status statuses[]));
HUB_MPI(int, Waitany, (int count, MPI_Request requests[], int *index, MPI_Status *status));
HUB_MPI(int, Waitsome,
        (int count, MPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[]));
HUB_MPI(int, Test, (MPI_Request * request, int *flag, MPI_Status *status));
HUB_MPI(int, Testall, (int count, MPI_Request requests[], int *flag, MPI_Status statuses[]));
HUB_MPI(int, Testany,
        (int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status));
HUB_MPI(int, Testsome,
        (int count, MPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[]));
HUB_MPI(int, Request_free, (MPI_Request * request));
HUB_MPI(int, Request_get_status, (MPI_Request request, int *flag, MPI_Status *status));
HUB_MPI(int, Cancel, (MPI_Request * request));
HUB_MPI(int, Test_cancelled, (const MPI_Status *status, int *flag));
HUB_MPI(int, Status_set_cancelled, (MPI_Status * status, int flag));
HUB_MPI(int, Status_set_elements, (MPI_Status * status, MPI_Datatype type, int count));
HUB_MPI(int, Status_set_elements_x, (MPI_Status * status, MPI_Datatype type, MPI_Count count));
HUB_MPI(int, Grequest_start,
        (MPI_Grequest_query_function * query, MPI_Grequest_free_function *release,
         MPI_Grequest_cancel_function *cancel, void *state, MPI_Request *request));
HUB_MPI(int, Grequest_complete, (MPI_Request request));

/* Datatypes */
HUB_MPI(int, Type_contiguous, (int count, MPI_Datatype oldtype, MPI_Datatype *newtype));
HUB_MPI(int, Type_vector,
        (int count, int blocklength, int stride, MPI_Datatype oldtype, MPI_Datatype *newtype));
HUB_MPI(int, Type_create_hvector,
        (int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype *newtype));
HUB_MPI(int, Type_indexed,
        (int count, const int blocklengths[], const int displacements[], MPI_Datatype oldtype,
         MPI_Datatype *newtype));
HUB_MPI(int, Type_create_hindexed,
        (int count, const int blocklengths[], const MPI_Aint displacements[], MPI_Datatype oldtype,
         MPI_Datatype *newtype));
HUB_MPI(int, Type_create_indexed_block,
        (int count, int blocklength, const int displacements[], MPI_Datatype oldtype,
         MPI_Datatype *newtype));
HUB_MPI(int, Type_create_hindexed_block,
        (int count, int blocklength, const MPI_Aint displacements[], MPI_Datatype oldtype,
         MPI_Datatype *newtype));
HUB_MPI(int, Type_create_struct,
        (int count, const int blocklengths[], const MPI_Aint displacements[],
         const MPI_Datatype types[], MPI_Datatype *newtype));
HUB_MPI(int, Type_create_subarray,
        (int ndims, const int sizes[], const int subsizes[], const int starts[], int order,
         MPI_Datatype oldtype, MPI_Datatype *newtype));
HUB_MPI(int, Type_create_darray,
        (int size, int rank, int ndims, const int gsizes[], const int distribs[], const int dargs[],
         const int psizes[], int order, MPI_Datatype oldtype, MPI_Datatype *newtype));
HUB_MPI(int, Type_create_resized,
        (MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent, MPI_Datatype *newtype));
HUB_MPI(int, Type_create_f90_integer, (int range, MPI_Datatype *newtype));
HUB_MPI(int, Type_create_f90_real, (int precision, int range, MPI_Datatype *newtype));
HUB_MPI(int, Type_create_f90_complex, (int precision, int range, MPI_Datatype *newtype));
HUB_MPI(int, Type_match_size, (int typeclass, int size, MPI_Datatype *type));
HUB_MPI(int, Type_dup, (MPI_Datatype oldtype, MPI_Datatype *newtype));
HUB_MPI(int, Type_commit, (MPI_Datatype * type));
HUB_MPI(int, Type_free, (MPI_Datatype * type));
HUB_MPI(int, Type_size, (MPI_Datatype type, int *size));
HUB_MPI(int, Type_size_x, (MPI_Datatype type, MPI_Count *size));
HUB_MPI(int, Type_get_extent, (MPI_Datatype type, MPI_Aint *lb, MPI_Aint *extent));
HUB_MPI(int, Type_get_extent_x, (MPI_Datatype type, MPI_Count *lb, MPI_Count *extent));
HUB_MPI(int, Type_get_true_extent, (MPI_Datatype type, MPI_Aint *lb, MPI_Aint *extent));
HUB_MPI(int, Type_get_true_extent_x, (MPI_Datatype type, MPI_Count *lb, MPI_Count *extent));
HUB_MPI(int, Type_get_envelope,
        (MPI_Datatype type, int *integers, int *addresses, int *datatypes, int *combiner));
HUB_MPI(int, Type_get_contents,
        (MPI_Datatype type, int max_integers, int max_addresses, int max_datatypes, int integers[],
         MPI_Aint addresses[], MPI_Datatype datatypes[]));
HUB_MPI(int, Type_set_name, (MPI_Datatype type, const char *name));
HUB_MPI(int, Type_get_name, (MPI_Datatype type, char *name, int *length));
HUB_MPI(int, Get_address, (const void *location, MPI_Aint *address));
HUB_MPI(MPI_Aint, Aint_add, (MPI_Aint base, MPI_Aint displacement));
HUB_MPI(MPI_Aint, Aint_diff, (MPI_Aint left, MPI_Aint right));
HUB_MPI(int, Address, (void *location, MPI_Aint *address));
HUB_MPI(int, Type_extent, (MPI_Datatype type, MPI_Aint *extent));
HUB_MPI(int, Type_lb, (MPI_Datatype type, MPI_Aint *displacement));
HUB_MPI(int, Type_ub, (MPI_Datatype type, MPI_Aint *displacement));
HUB_MPI(int, Type_hvector,
        (int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype *newtype));
HUB_MPI(int, Type_hindexed,
        (int count, int blocklengths[], MPI_Aint displacements[], MPI_Datatype oldtype,
         MPI_Datatype *newtype));
HUB_MPI(int, Type_struct,
        (int count, int blocklengths[], MPI_Aint displacements[], MPI_Datatype types[],
         MPI_Datatype *newtype));
HUB_MPI(int, Pack,
        (const void *inbuf, int incount, MPI_Datatype type, void *outbuf, int outsize,
         int *position, MPI_Comm comm));
HUB_MPI(int, Unpack,
        (const void *inbuf, int insize, int *position, void *outbuf, int outcount,
         MPI_Datatype type, MPI_Comm comm));
HUB_MPI(int, Pack_size, (int count, MPI_Datatype type, MPI_Comm comm, int *size));
HUB_MPI(int, Pack_external,
        (const char datarep[], const void *inbuf, int incount, MPI_Datatype type, void *outbuf,
         MPI_Aint outsize, MPI_Aint *position));
HUB_MPI(int, Unpack_external,
        (const char datarep[], const void *inbuf, MPI_Aint insize, MPI_Aint *position, void *outbuf,
         int outcount, MPI_Datatype type));
HUB_MPI(int, Pack_external_size,
        (const char datarep[], int count, MPI_Datatype type, MPI_Aint *size));

/* Operators */
HUB_MPI(int, Op_create, (MPI_User_function * fn, int commute, MPI_Op *op));
HUB_MPI(int, Op_free, (MPI_Op * op));
HUB_MPI(int, Op_commutative, (MPI_Op op, int *commute));
HUB_MPI(int, Reduce_local,
        (const void *inbuf, void *inoutbuf, int count, MPI_Datatype type, MPI_Op op));

/* Collectives; their non-blocking forms take a request last. */
#define HUB_MPI_COLLECTIVE(NAME, INAME, ...)                                                       \
    HUB_MPI(int, NAME, (__VA_ARGS__));                                                             \
    HUB_MPI(int, INAME, (__VA_ARGS__, MPI_Request * request))
HUB_MPI_COLLECTIVE(Barrier, Ibarrier, MPI_Comm comm);
HUB_MPI_COLLECTIVE(Bcast, Ibcast, void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm);
HUB_MPI_COLLECTIVE(Gather, Igather, const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                   void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);
HUB_MPI_COLLECTIVE(Gatherv, Igatherv, const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                   void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                   int root, MPI_Comm comm);
HUB_MPI_COLLECTIVE(Scatter, Iscatter, const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                   void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);
HUB_MPI_COLLECTIVE(Scatterv, Iscatterv, const void *sendbuf, const int sendcounts[],
                   const int displs[], MPI_Datatype sendtype, void *recvbuf, int recvcount,
                   MPI_Datatype recvtype, int root, MPI_Comm comm);
HUB_MPI_COLLECTIVE(Allgather, Iallgather, const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                   void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm);
HUB_MPI_COLLECTIVE(Allgatherv, Iallgatherv, const void *sendbuf, int sendcount,
                   MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[],
                   MPI_Datatype recvtype, MPI_Comm comm);
HUB_MPI_COLLECTIVE(Alltoall, Ialltoall, const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                   void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm);
HUB_MPI_COLLECTIVE(Alltoallv, Ialltoallv, const void *sendbuf, const int sendcounts[],
                   const int sdispls[], MPI_Datatype sendtype, void *recvbuf,
                   const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                   MPI_Comm comm);
HUB_MPI_COLLECTIVE(Alltoallw, Ialltoallw, const void *sendbuf, const int sendcounts[],
                   const int sdispls[], const MPI_Datatype sendtypes[], void *recvbuf,
                   const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[],
                   MPI_Comm comm);
HUB_MPI_COLLECTIVE(Reduce, Ireduce, const void *sendbuf, void *recvbuf, int count,
                   MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm);
HUB_MPI_COLLECTIVE(Allreduce, Iallreduce, const void *sendbuf, void *recvbuf, int count,
                   MPI_Datatype type, MPI_Op op, MPI_Comm comm);
HUB_MPI_COLLECTIVE(Reduce_scatter, Ireduce_scatter, const void *sendbuf, void *recvbuf,
                   const int recvcounts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm);
HUB_MPI_COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block, const void *sendbuf, void *recvbuf,
                   int recvcount, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
HUB_MPI_COLLECTIVE(Scan, Iscan, const void *sendbuf, void *recvbuf, int count, MPI_Datatype type,
                   MPI_Op op, MPI_Comm comm);
HUB_MPI_COLLECTIVE(Exscan, Iexscan, const void *sendbuf, void *recvbuf, int count,
                   MPI_Datatype type, MPI_Op op, MPI_Comm comm);
HUB_MPI_COLLECTIVE(Neighbor_allgather, Ineighbor_allgather, const void *sendbuf, int sendcount,
                   MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
                   MPI_Comm comm);
HUB_MPI_COLLECTIVE(Neighbor_allgatherv, Ineighbor_allgatherv, const void *sendbuf, int sendcount,
                   MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[],
                   MPI_Datatype recvtype, MPI_Comm comm);
HUB_MPI_COLLECTIVE(Neighbor_alltoall, Ineighbor_alltoall, const void *sendbuf, int sendcount,
                   MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
                   MPI_Comm comm);
HUB_MPI_COLLECTIVE(Neighbor_alltoallv, Ineighbor_alltoallv, const void *sendbuf,
                   const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                   void *recvbuf, const int recvcounts[], const int rdispls[],
                   MPI_Datatype recvtype, MPI_Comm comm);
HUB_MPI_COLLECTIVE(Neighbor_alltoallw, Ineighbor_alltoallw, const void *sendbuf,
                   const int sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                   void *recvbuf, const int recvcounts[], const MPI_Aint rdispls[],
                   const MPI_Datatype recvtypes[], MPI_Comm comm);

/* Groups */
HUB_MPI(int, Group_size, (MPI_Group group, int *size));
HUB_MPI(int, Group_rank, (MPI_Group group, int *rank));
HUB_MPI(int, Group_translate_ranks,
        (MPI_Group group, int n, const int ranks[], MPI_Group other, int other_ranks[]));
HUB_MPI(int, Group_compare, (MPI_Group group, MPI_Group other, int *result));
HUB_MPI(int, Group_union, (MPI_Group group, MPI_Group other, MPI_Group *newgroup));
HUB_MPI(int, Group_intersection, (MPI_Group group, MPI_Group other, MPI_Group *newgroup));
HUB_MPI(int, Group_difference, (MPI_Group group, MPI_Group other, MPI_Group *newgroup));
HUB_MPI(int, Group_incl, (MPI_Group group, int n, const int ranks[], MPI_Group *newgroup));
HUB_MPI(int, Group_excl, (MPI_Group group, int n, const int ranks[], MPI_Group *newgroup));
HUB_MPI(int, Group_range_incl, (MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup));
HUB_MPI(int, Group_range_excl, (MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup));
HUB_MPI(int, Group_free, (MPI_Group * group));

/* Communicators */
HUB_MPI(int, Comm_size, (MPI_Comm comm, int *size));
HUB_MPI(int, Comm_rank, (MPI_Comm comm, int *rank));
HUB_MPI(int, Comm_group, (MPI_Comm comm, MPI_Group *group));
HUB_MPI(int, Comm_compare, (MPI_Comm comm, MPI_Comm other, int *result));
HUB_MPI(int, Comm_dup, (MPI_Comm comm, MPI_Comm *newcomm));
HUB_MPI(int, Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm));
HUB_MPI(int, Comm_idup, (MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request));
HUB_MPI(int, Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm));
HUB_MPI(int, Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm));
HUB_MPI(int, Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *newcomm));
HUB_MPI(int, Comm_split_type,
        (MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm *newcomm));
HUB_MPI(int, Comm_free, (MPI_Comm * comm));
HUB_MPI(int, Comm_set_info, (MPI_Comm comm, MPI_Info info));
HUB_MPI(int, Comm_get_info, (MPI_Comm comm, MPI_Info *info));
HUB_MPI(int, Comm_set_name, (MPI_Comm comm, const char *name));
HUB_MPI(int, Comm_get_name, (MPI_Comm comm, char *name, int *length));
HUB_MPI(int, Comm_test_inter, (MPI_Comm comm, int *flag));
HUB_MPI(int, Comm_remote_size, (MPI_Comm comm, int *size));
HUB_MPI(int, Comm_remote_group, (MPI_Comm comm, MPI_Group *group));
HUB_MPI(int, Intercomm_create,
        (MPI_Comm local, int local_leader, MPI_Comm peer, int remote_leader, int tag,
         MPI_Comm *newcomm));
HUB_MPI(int, Intercomm_merge, (MPI_Comm comm, int high, MPI_Comm *newcomm));

/* Attributes */
HUB_MPI(int, Comm_create_keyval,
        (MPI_Comm_copy_attr_function * copy, MPI_Comm_delete_attr_function *release, int *keyval,
         void *state));
HUB_MPI(int, Comm_free_keyval, (int *keyval));
HUB_MPI(int, Comm_set_attr, (MPI_Comm comm, int keyval, void *value));
HUB_MPI(int, Comm_get_attr, (MPI_Comm comm, int keyval, void *value, int *flag));
HUB_MPI(int, Comm_delete_attr, (MPI_Comm comm, int keyval));
HUB_MPI(int, Type_create_keyval,
        (MPI_Type_copy_attr_function * copy, MPI_Type_delete_attr_function *release, int *keyval,
         void *state));
HUB_MPI(int, Type_free_keyval, (int *keyval));
HUB_MPI(int, Type_set_attr, (MPI_Datatype type, int keyval, void *value));
HUB_MPI(int, Type_get_attr, (MPI_Datatype type, int keyval, void *value, int *flag));
HUB_MPI(int, Type_delete_attr, (MPI_Datatype type, int keyval));
HUB_MPI(int, Win_create_keyval,
        (MPI_Win_copy_attr_function * copy, MPI_Win_delete_attr_function *release, int *keyval,
         void *state));
HUB_MPI(int, Win_free_keyval, (int *keyval));
HUB_MPI(int, Win_set_attr, (MPI_Win win, int keyval, void *value));
HUB_MPI(int, Win_get_attr, (MPI_Win win, int keyval, void *value, int *flag));
HUB_MPI(int, Win_delete_attr, (MPI_Win win, int keyval));
HUB_MPI(int, Keyval_create,
        (MPI_Copy_function * copy, MPI_Delete_function *release, int *keyval, void *state));
HUB_MPI(int, Keyval_free, (int *keyval));
HUB_MPI(int, Attr_put, (MPI_Comm comm, int keyval, void *value));
HUB_MPI(int, Attr_get, (MPI_Comm comm, int keyval, void *value, int *flag));
HUB_MPI(int, Attr_delete, (MPI_Comm comm, int keyval));

/* Topologies */
HUB_MPI(int, Topo_test, (MPI_Comm comm, int *status));
HUB_MPI(int, Dims_create, (int nnodes, int ndims, int dims[]));
HUB_MPI(int, Cart_create,
        (MPI_Comm comm, int ndims, const int dims[], const int periods[], int reorder,
         MPI_Comm *newcomm));
HUB_MPI(int, Cart_map,
        (MPI_Comm comm, int ndims, const int dims[], const int periods[], int *newrank));
HUB_MPI(int, Cartdim_get, (MPI_Comm comm, int *ndims));
HUB_MPI(int, Cart_get, (MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[]));
HUB_MPI(int, Cart_rank, (MPI_Comm comm, const int coords[], int *rank));
HUB_MPI(int, Cart_coords, (MPI_Comm comm, int rank, int maxdims, int coords[]));
HUB_MPI(int, Cart_shift, (MPI_Comm comm, int direction, int disp, int *source, int *dest));
HUB_MPI(int, Cart_sub, (MPI_Comm comm, const int remain[], MPI_Comm *newcomm));
HUB_MPI(int, Graph_create,
        (MPI_Comm comm, int nnodes, const int index[], const int edges[], int reorder,
         MPI_Comm *newcomm));
HUB_MPI(int, Graph_map,
        (MPI_Comm comm, int nnodes, const int index[], const int edges[], int *newrank));
HUB_MPI(int, Graphdims_get, (MPI_Comm comm, int *nnodes, int *nedges));
HUB_MPI(int, Graph_get, (MPI_Comm comm, int maxindex, int maxedges, int index[], int edges[]));
HUB_MPI(int, Graph_neighbors_count, (MPI_Comm comm, int rank, int *nneighbors));
HUB_MPI(int, Graph_neighbors, (MPI_Comm comm, int rank, int maxneighbors, int neighbors[]));
HUB_MPI(int, Dist_graph_create,
        (MPI_Comm comm, int n, const int sources[], const int degrees[], const int destinations[],
         const int weights[], MPI_Info info, int reorder, MPI_Comm *newcomm));
HUB_MPI(int, Dist_graph_create_adjacent,
        (MPI_Comm comm, int indegree, const int sources[], const int sourceweights[], int outdegree,
         const int destinations[], const int destweights[], MPI_Info info, int reorder,
         MPI_Comm *newcomm));
HUB_MPI(int, Dist_graph_neighbors_count,
        (MPI_Comm comm, int *indegree, int *outdegree, int *weighted));
HUB_MPI(int, Dist_graph_neighbors,
        (MPI_Comm comm, int maxindegree, int sources[], int sourceweights[], int maxoutdegree,
         int destinations[], int destweights[]));

/* One-sided */
HUB_MPI(int, Win_create,
        (void *base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win *win));
HUB_MPI(int, Win_allocate,
        (MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win));
HUB_MPI(int, Win_allocate_shared,
        (MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win));
HUB_MPI(int, Win_shared_query, (MPI_Win win, int rank, MPI_Aint *size, int *disp_unit, void *base));
HUB_MPI(int, Win_create_dynamic, (MPI_Info info, MPI_Comm comm, MPI_Win *win));
HUB_MPI(int, Win_attach, (MPI_Win win, void *base, MPI_Aint size));
HUB_MPI(int, Win_detach, (MPI_Win win, const void *base));
HUB_MPI(int, Win_free, (MPI_Win * win));
HUB_MPI(int, Win_get_group, (MPI_Win win, MPI_Group *group));
HUB_MPI(int, Win_set_info, (MPI_Win win, MPI_Info info));
HUB_MPI(int, Win_get_info, (MPI_Win win, MPI_Info *info));
HUB_MPI(int, Win_set_name, (MPI_Win win, const char *name));
HUB_MPI(int, Win_get_name, (MPI_Win win, char *name, int *length));
#define HUB_MPI_RMA(NAME, RNAME, ...)                                                              \
    HUB_MPI(int, NAME, (__VA_ARGS__, MPI_Win win));                                                \
    HUB_MPI(int, RNAME, (__VA_ARGS__, MPI_Win win, MPI_Request * request))
HUB_MPI_RMA(Put, Rput, const void *origin, int origin_count, MPI_Datatype origin_type, int target,
            MPI_Aint disp, int target_count, MPI_Datatype target_type);
HUB_MPI_RMA(Get, Rget, void *origin, int origin_count, MPI_Datatype origin_type, int target,
            MPI_Aint disp, int target_count, MPI_Datatype target_type);
HUB_MPI_RMA(Accumulate, Raccumulate, const void *origin, int origin_count, MPI_Datatype origin_type,
            int target, MPI_Aint disp, int target_count, MPI_Datatype target_type, MPI_Op op);
HUB_MPI_RMA(Get_accumulate, Rget_accumulate, const void *origin, int origin_count,
            MPI_Datatype origin_type, void *result, int result_count, MPI_Datatype result_type,
            int target, MPI_Aint disp, int target_count, MPI_Datatype target_type, MPI_Op op);
HUB_MPI(int, Fetch_and_op,
        (const void *origin, void *result, MPI_Datatype type, int target, MPI_Aint disp, MPI_Op op,
         MPI_Win win));
HUB_MPI(int, Compare_and_swap,
        (const void *origin, const void *compare, void *result, MPI_Datatype type, int target,
         MPI_Aint disp, MPI_Win win));
HUB_MPI(int, Win_fence, (int assert, MPI_Win win));
HUB_MPI(int, Win_start, (MPI_Group group, int assert, MPI_Win win));
HUB_MPI(int, Win_complete, (MPI_Win win));
HUB_MPI(int, Win_post, (MPI_Group group, int assert, MPI_Win win));
HUB_MPI(int, Win_wait, (MPI_Win win));
HUB_MPI(int, Win_test, (MPI_Win win, int *flag));
HUB_MPI(int, Win_lock, (int lock_type, int rank, int assert, MPI_Win win));
HUB_MPI(int, Win_lock_all, (int assert, MPI_Win win));
HUB_MPI(int, Win_unlock, (int rank, MPI_Win win));
HUB_MPI(int, Win_unlock_all, (MPI_Win win));
HUB_MPI(int, Win_flush, (int rank, MPI_Win win));
HUB_MPI(int, Win_flush_all, (MPI_Win win));
HUB_MPI(int, Win_flush_local, (int rank, MPI_Win win));
HUB_MPI(int, Win_flush_local_all, (MPI_Win win));
HUB_MPI(int, Win_sync, (MPI_Win win));

/* Processes of their own */
HUB_MPI(int, Comm_spawn,
        (const char *command, char *argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm,
         MPI_Comm *intercomm, int codes[]));
HUB_MPI(int, Comm_spawn_multiple,
        (int count, char *commands[], char **argvs[], const int maxprocs[], const MPI_Info infos[],
         int root, MPI_Comm comm, MPI_Comm *intercomm, int codes[]));
HUB_MPI(int, Comm_get_parent, (MPI_Comm * parent));
HUB_MPI(int, Comm_disconnect, (MPI_Comm * comm));
HUB_MPI(int, Comm_join, (int fd, MPI_Comm *intercomm));
HUB_MPI(int, Open_port, (MPI_Info info, char *port));
HUB_MPI(int, Close_port, (const char *port));
HUB_MPI(int, Comm_accept,
        (const char *port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm));
HUB_MPI(int, Comm_connect,
        (const char *port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm));
HUB_MPI(int, Publish_name, (const char *service, MPI_Info info, const char *port));
HUB_MPI(int, Unpublish_name, (const char *service, MPI_Info info, const char *port));
HUB_MPI(int, Lookup_name, (const char *service, MPI_Info info, char *port));

/* Files */
HUB_MPI(int, File_open,
        (MPI_Comm comm, const char *name, int amode, MPI_Info info, MPI_File *file));
HUB_MPI(int, File_close, (MPI_File * file));
HUB_MPI(int, File_delete, (const char *name, MPI_Info info));
HUB_MPI(int, File_set_size, (MPI_File file, MPI_Offset size));
HUB_MPI(int, File_preallocate, (MPI_File file, MPI_Offset size));
HUB_MPI(int, File_get_size, (MPI_File file, MPI_Offset *size));
HUB_MPI(int, File_get_group, (MPI_File file, MPI_Group *group));
HUB_MPI(int, File_get_amode, (MPI_File file, int *amode));
HUB_MPI(int, File_set_info, (MPI_File file, MPI_Info info));
HUB_MPI(int, File_get_info, (MPI_File file, MPI_Info *info));
HUB_MPI(int, File_set_view,
        (MPI_File file, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype,
         const char *datarep, MPI_Info info));
HUB_MPI(int, File_get_view,
        (MPI_File file, MPI_Offset *disp, MPI_Datatype *etype, MPI_Datatype *filetype,
         char *datarep));
#define HUB_MPI_FILE(NAME, CONST,                                                                  \
                     LAST) /* at an offset, and at the individual or shared pointer */             \
    HUB_MPI(                                                                                       \
        int, File_##NAME##_at,                                                                     \
        (MPI_File file, MPI_Offset offset, CONST void *buf, int count, MPI_Datatype type, LAST));  \
    HUB_MPI(int, File_##NAME,                                                                      \
            (MPI_File file, CONST void *buf, int count, MPI_Datatype type, LAST));                 \
    HUB_MPI(int, File_##NAME##_shared,                                                             \
            (MPI_File file, CONST void *buf, int count, MPI_Datatype type, LAST))
#define HUB_MPI_FILE_ALL(NAME, CONST) /* collective, and in two halves */                          \
    HUB_MPI(int, File_##NAME##_at_all,                                                             \
            (MPI_File file, MPI_Offset offset, CONST void *buf, int count, MPI_Datatype type,      \
             MPI_Status *status));                                                                 \
    HUB_MPI(int, File_##NAME##_all,                                                                \
            (MPI_File file, CONST void *buf, int count, MPI_Datatype type, MPI_Status *status));   \
    HUB_MPI(int, File_##NAME##_ordered,                                                            \
            (MPI_File file, CONST void *buf, int count, MPI_Datatype type, MPI_Status *status));   \
    HUB_MPI(int, File_##NAME##_at_all_begin,                                                       \
            (MPI_File file, MPI_Offset offset, CONST void *buf, int count, MPI_Datatype type));    \
    HUB_MPI(int, File_##NAME##_at_all_end, (MPI_File file, CONST void *buf, MPI_Status *status));  \
    HUB_MPI(int, File_##NAME##_all_begin,                                                          \
            (MPI_File file, CONST void *buf, int count, MPI_Datatype type));                       \
    HUB_MPI(int, File_##NAME##_all_end, (MPI_File file, CONST void *buf, MPI_Status *status));     \
    HUB_MPI(int, File_##NAME##_ordered_begin,                                                      \
            (MPI_File file, CONST void *buf, int count, MPI_Datatype type));                       \
    HUB_MPI(int, File_##NAME##_ordered_end, (MPI_File file, CONST void *buf, MPI_Status *status))
HUB_MPI_FILE(read, , MPI_Status *status);
HUB_MPI_FILE(write, const, MPI_Status *status);
HUB_MPI_FILE(iread, , MPI_Request *request);
HUB_MPI_FILE(iwrite, const, MPI_Request *request);
HUB_MPI_FILE_ALL(read, );
HUB_MPI_FILE_ALL(write, const);
HUB_MPI(int, File_iread_at_all,
        (MPI_File file, MPI_Offset offset, void *buf, int count, MPI_Datatype type,
         MPI_Request *request));
HUB_MPI(int, File_iwrite_at_all,
        (MPI_File file, MPI_Offset offset, const void *buf, int count, MPI_Datatype type,
         MPI_Request *request));
HUB_MPI(int, File_iread_all,
        (MPI_File file, void *buf, int count, MPI_Datatype type, MPI_Request *request));
HUB_MPI(int, File_iwrite_all,
        (MPI_File file, const void *buf, int count, MPI_Datatype type, MPI_Request *request));
HUB_MPI(int, File_seek, (MPI_File file, MPI_Offset offset, int whence));
HUB_MPI(int, File_get_position, (MPI_File file, MPI_Offset *offset));
HUB_MPI(int, File_seek_shared, (MPI_File file, MPI_Offset offset, int whence));
HUB_MPI(int, File_get_position_shared, (MPI_File file, MPI_Offset *offset));
HUB_MPI(int, File_get_byte_offset, (MPI_File file, MPI_Offset offset, MPI_Offset *disp));
HUB_MPI(int, File_get_type_extent, (MPI_File file, MPI_Datatype type, MPI_Aint *extent));
HUB_MPI(int, File_set_atomicity, (MPI_File file, int flag));
HUB_MPI(int, File_get_atomicity, (MPI_File file, int *flag));
HUB_MPI(int, File_sync, (MPI_File file));
HUB_MPI(int, Register_datarep,
        (const char *datarep, MPI_Datarep_conversion_function *read,
         MPI_Datarep_conversion_function *write, MPI_Datarep_extent_function *extent, void *state));

/* Fortran's handles are the same integers. */
#define HUB_MPI_HANDLE(KIND)                                                                       \
    HUB_MPI(MPI_Fint, KIND##_c2f, (MPI_##KIND handle));                                            \
    HUB_MPI(MPI_##KIND, KIND##_f2c, (MPI_Fint handle))
HUB_MPI_HANDLE(Comm);
HUB_MPI_HANDLE(Group);
HUB_MPI_HANDLE(Request);
HUB_MPI_HANDLE(Message);
HUB_MPI_HANDLE(Op);
HUB_MPI_HANDLE(Info);
HUB_MPI_HANDLE(Win);
HUB_MPI_HANDLE(File);
HUB_MPI_HANDLE(Errhandler);
HUB_MPI(MPI_Fint, Type_c2f, (MPI_Datatype type));
HUB_MPI(MPI_Datatype, Type_f2c, (MPI_Fint type));
HUB_MPI(int, Status_c2f, (const MPI_Status *status, MPI_Fint *fortran));
HUB_MPI(int, Status_f2c, (const MPI_Fint *fortran, MPI_Status *status));
HUB_MPI(int, Status_c2f08, (const MPI_Status *status, MPI_F08_status *fortran));
HUB_MPI(int, Status_f082c, (const MPI_F08_status *fortran, MPI_Status *status));
HUB_MPI(int, Status_f082f, (const MPI_F08_status *from, MPI_Fint *to));
HUB_MPI(int, Status_f2f08, (const MPI_Fint *from, MPI_F08_status *to));

/* NOLINTEND(bugprone-macro-parentheses) */
#undef HUB_MPI
#undef HUB_MPI_SEND
#undef HUB_MPI_ISEND
#undef HUB_MPI_COLLECTIVE
#undef HUB_MPI_RMA
#undef HUB_MPI_FILE
#undef HUB_MPI_FILE_ALL
#undef HUB_MPI_HANDLE

#ifdef __cplusplus
}
#endif
#endif /* HUBSIM_MPI_FUNCTIONS_H */
