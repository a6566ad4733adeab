/*
 * MPI 3.1 for programs on simulated hosts: MPI-1.3 whole, of MPI-2 and MPI-3 what programs use.
 * What is declared and not there is an error of the linker, by name. Handles are integers, the same
 * in Fortran. The functions, each also as PMPI_: mpi-functions.h, which is made of
 * bindings/calls.def. No C++ bindings.
 */
#ifndef HUBSIM_MPI_H
#define HUBSIM_MPI_H

#define MPI_VERSION    3
#define MPI_SUBVERSION 1

typedef long MPI_Aint; /* holds a pointer */
typedef long long MPI_Offset;
typedef long long MPI_Count;
typedef int MPI_Fint; /* INTEGER of gfortran */

/* 0 is the null handle of each kind. */
typedef int MPI_Comm;
typedef int MPI_Group;
typedef int MPI_Datatype; /* of predefined ones, bits 15..8: MPI_Type_size() */
typedef int MPI_Op;
typedef int MPI_Request;
typedef int MPI_Message;
typedef int MPI_Errhandler;
typedef int MPI_Info;
typedef int MPI_Win;
typedef int MPI_File;

typedef struct MPI_Status {
    int MPI_SOURCE;
    int MPI_TAG;
    int MPI_ERROR;
    unsigned hub_bytes, hub_bytes_high; /* received; for MPI_Get_count() */
    int hub_cancelled;
} MPI_Status;

/* A status in Fortran: MPI_STATUS_SIZE integers, or TYPE(MPI_Status) of the module mpi_f08. */
typedef MPI_Status MPI_F08_status;
#define MPI_STATUS_SIZE 6
#define MPI_F_SOURCE    0
#define MPI_F_TAG       1
#define MPI_F_ERROR     2

#define MPI_COMM_NULL       ((MPI_Comm)0)
#define MPI_COMM_WORLD      ((MPI_Comm)1)
#define MPI_COMM_SELF       ((MPI_Comm)2)
#define MPI_GROUP_NULL      ((MPI_Group)0)
#define MPI_GROUP_EMPTY     ((MPI_Group)1)
#define MPI_REQUEST_NULL    ((MPI_Request)0)
#define MPI_MESSAGE_NULL    ((MPI_Message)0)
#define MPI_MESSAGE_NO_PROC ((MPI_Message)-1)
#define MPI_INFO_NULL       ((MPI_Info)0)
#define MPI_INFO_ENV        ((MPI_Info)1)
#define MPI_WIN_NULL        ((MPI_Win)0)
#define MPI_FILE_NULL       ((MPI_File)0)

#define MPI_ERRHANDLER_NULL  ((MPI_Errhandler)0)
#define MPI_ERRORS_ARE_FATAL ((MPI_Errhandler)1)
#define MPI_ERRORS_RETURN    ((MPI_Errhandler)2)

/* Datatypes; bits 7..0: a number. */
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
#define MPI_LONG_LONG_INT      MPI_LONG_LONG
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
#define MPI_WCHAR              ((MPI_Datatype)0x0419)
#define MPI_PACKED             ((MPI_Datatype)0x011a)
#define MPI_AINT               ((MPI_Datatype)0x081b)
#define MPI_OFFSET             ((MPI_Datatype)0x081c)
#define MPI_COUNT              ((MPI_Datatype)0x081d)

#define MPI_C_COMPLEX               ((MPI_Datatype)0x081e)
#define MPI_C_FLOAT_COMPLEX         MPI_C_COMPLEX
#define MPI_C_DOUBLE_COMPLEX        ((MPI_Datatype)0x101f)
#define MPI_C_LONG_DOUBLE_COMPLEX   ((MPI_Datatype)0x2020)
#define MPI_CXX_BOOL                ((MPI_Datatype)0x0121)
#define MPI_CXX_FLOAT_COMPLEX       ((MPI_Datatype)0x0822)
#define MPI_CXX_DOUBLE_COMPLEX      ((MPI_Datatype)0x1023)
#define MPI_CXX_LONG_DOUBLE_COMPLEX ((MPI_Datatype)0x2024)

/* MPI_MAXLOC and MPI_MINLOC take these: like the C structure { value; int index; } with its gap. */
#define MPI_FLOAT_INT       ((MPI_Datatype)0x0825)
#define MPI_DOUBLE_INT      ((MPI_Datatype)0x0c26)
#define MPI_LONG_INT        ((MPI_Datatype)0x0c27)
#define MPI_2INT            ((MPI_Datatype)0x0828)
#define MPI_SHORT_INT       ((MPI_Datatype)0x0629)
#define MPI_LONG_DOUBLE_INT ((MPI_Datatype)0x142a)

/* Fortran */
#define MPI_CHARACTER         ((MPI_Datatype)0x012b)
#define MPI_LOGICAL           ((MPI_Datatype)0x042c)
#define MPI_INTEGER           ((MPI_Datatype)0x042d)
#define MPI_REAL              ((MPI_Datatype)0x042e)
#define MPI_DOUBLE_PRECISION  ((MPI_Datatype)0x082f)
#define MPI_COMPLEX           ((MPI_Datatype)0x0830)
#define MPI_DOUBLE_COMPLEX    ((MPI_Datatype)0x1031)
#define MPI_INTEGER1          ((MPI_Datatype)0x0132)
#define MPI_INTEGER2          ((MPI_Datatype)0x0233)
#define MPI_INTEGER4          ((MPI_Datatype)0x0434)
#define MPI_INTEGER8          ((MPI_Datatype)0x0835)
#define MPI_INTEGER16         ((MPI_Datatype)0x1036)
#define MPI_REAL4             ((MPI_Datatype)0x0437)
#define MPI_REAL8             ((MPI_Datatype)0x0838)
#define MPI_REAL16            ((MPI_Datatype)0x1039)
#define MPI_COMPLEX8          ((MPI_Datatype)0x083a)
#define MPI_COMPLEX16         ((MPI_Datatype)0x103b)
#define MPI_COMPLEX32         ((MPI_Datatype)0x203c)
#define MPI_2REAL             ((MPI_Datatype)0x083d)
#define MPI_2DOUBLE_PRECISION ((MPI_Datatype)0x103e)
#define MPI_2INTEGER          ((MPI_Datatype)0x083f)

/* Markers without data, of MPI_Type_struct() */
#define MPI_LB ((MPI_Datatype)0x0040)
#define MPI_UB ((MPI_Datatype)0x0041)

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
#define MPI_MAXLOC  ((MPI_Op)11)
#define MPI_MINLOC  ((MPI_Op)12)
#define MPI_REPLACE ((MPI_Op)13) /* of accumulate calls alone */
#define MPI_NO_OP   ((MPI_Op)14)

#define MPI_ANY_SOURCE (-1)
#define MPI_PROC_NULL  (-2)
#define MPI_ROOT       (-3)
#define MPI_ANY_TAG    (-1)
#define MPI_UNDEFINED  (-32766)

/* Arguments that no program's own can be. */
#define MPI_BOTTOM              ((void *)0)
#define MPI_IN_PLACE            ((void *)-1)
#define MPI_STATUS_IGNORE       ((MPI_Status *)0)
#define MPI_STATUSES_IGNORE     ((MPI_Status *)0)
#define MPI_F_STATUS_IGNORE     ((MPI_Fint *)0)
#define MPI_F_STATUSES_IGNORE   ((MPI_Fint *)0)
#define MPI_F08_STATUS_IGNORE   ((MPI_F08_status *)0)
#define MPI_F08_STATUSES_IGNORE ((MPI_F08_status *)0)
#define MPI_ERRCODES_IGNORE     ((int *)0)
#define MPI_ARGV_NULL           ((char **)0)
#define MPI_ARGVS_NULL          ((char ***)0)
#define MPI_UNWEIGHTED          ((int *)-2)
#define MPI_WEIGHTS_EMPTY       ((int *)-3)

#define MPI_MAX_PROCESSOR_NAME         256
#define MPI_MAX_LIBRARY_VERSION_STRING 256
#define MPI_MAX_ERROR_STRING           512
#define MPI_MAX_OBJECT_NAME            128
#define MPI_MAX_INFO_KEY               255
#define MPI_MAX_INFO_VAL               1024
#define MPI_MAX_PORT_NAME              256
#define MPI_MAX_DATAREP_STRING         128
#define MPI_BSEND_OVERHEAD             128

/* compare */
#define MPI_IDENT     0
#define MPI_CONGRUENT 1
#define MPI_SIMILAR   2
#define MPI_UNEQUAL   3
/* topologies */
#define MPI_GRAPH      1
#define MPI_CART       2
#define MPI_DIST_GRAPH 3
/* split_type */
#define MPI_COMM_TYPE_SHARED     1
#define MPI_THREAD_SINGLE        0
#define MPI_THREAD_FUNNELED      1
#define MPI_THREAD_SERIALIZED    2
#define MPI_THREAD_MULTIPLE      3
#define MPI_TYPECLASS_REAL       1
#define MPI_TYPECLASS_INTEGER    2
#define MPI_TYPECLASS_COMPLEX    3
#define MPI_ORDER_C              56
#define MPI_ORDER_FORTRAN        57
#define MPI_DISTRIBUTE_BLOCK     121
#define MPI_DISTRIBUTE_CYCLIC    122
#define MPI_DISTRIBUTE_NONE      123
#define MPI_DISTRIBUTE_DFLT_DARG (-49767)

/* MPI_Type_get_envelope() */
#define MPI_COMBINER_NAMED            1
#define MPI_COMBINER_DUP              2
#define MPI_COMBINER_CONTIGUOUS       3
#define MPI_COMBINER_VECTOR           4
#define MPI_COMBINER_HVECTOR_INTEGER  5
#define MPI_COMBINER_HVECTOR          6
#define MPI_COMBINER_INDEXED          7
#define MPI_COMBINER_HINDEXED_INTEGER 8
#define MPI_COMBINER_HINDEXED         9
#define MPI_COMBINER_INDEXED_BLOCK    10
#define MPI_COMBINER_HINDEXED_BLOCK   11
#define MPI_COMBINER_STRUCT_INTEGER   12
#define MPI_COMBINER_STRUCT           13
#define MPI_COMBINER_SUBARRAY         14
#define MPI_COMBINER_DARRAY           15
#define MPI_COMBINER_F90_REAL         16
#define MPI_COMBINER_F90_COMPLEX      17
#define MPI_COMBINER_F90_INTEGER      18
#define MPI_COMBINER_RESIZED          19

/* Attributes that are always there: of communicators, then of windows */
#define MPI_KEYVAL_INVALID    0
#define MPI_TAG_UB            1
#define MPI_HOST              2
#define MPI_IO                3
#define MPI_WTIME_IS_GLOBAL   4
#define MPI_UNIVERSE_SIZE     5
#define MPI_LASTUSEDCODE      6
#define MPI_APPNUM            7
#define MPI_WIN_BASE          8
#define MPI_WIN_SIZE          9
#define MPI_WIN_DISP_UNIT     10
#define MPI_WIN_CREATE_FLAVOR 11
#define MPI_WIN_MODEL         12

/* Windows */
#define MPI_WIN_FLAVOR_CREATE   1
#define MPI_WIN_FLAVOR_ALLOCATE 2
#define MPI_WIN_FLAVOR_DYNAMIC  3
#define MPI_WIN_FLAVOR_SHARED   4
#define MPI_WIN_SEPARATE        1
#define MPI_WIN_UNIFIED         2
#define MPI_LOCK_EXCLUSIVE      234
#define MPI_LOCK_SHARED         235
#define MPI_MODE_NOCHECK        1024
#define MPI_MODE_NOSTORE        2048
#define MPI_MODE_NOPUT          4096
#define MPI_MODE_NOPRECEDE      8192
#define MPI_MODE_NOSUCCEED      16384

/* Files */
#define MPI_MODE_CREATE          1
#define MPI_MODE_RDONLY          2
#define MPI_MODE_WRONLY          4
#define MPI_MODE_RDWR            8
#define MPI_MODE_DELETE_ON_CLOSE 16
#define MPI_MODE_UNIQUE_OPEN     32
#define MPI_MODE_EXCL            64
#define MPI_MODE_APPEND          128
#define MPI_MODE_SEQUENTIAL      256
#define MPI_SEEK_SET             600
#define MPI_SEEK_CUR             601
#define MPI_SEEK_END             602
#define MPI_DISPLACEMENT_CURRENT (-54278278)
/* Older programs have these for requests of files. */
#define MPIO_USES_MPI_REQUEST
#define MPIO_Request MPI_Request
#define MPIO_Wait    MPI_Wait
#define MPIO_Test    MPI_Test

/* Error classes; each is also a code. */
#define MPI_SUCCESS                   0
#define MPI_ERR_BUFFER                1
#define MPI_ERR_COUNT                 2
#define MPI_ERR_TYPE                  3
#define MPI_ERR_TAG                   4
#define MPI_ERR_COMM                  5
#define MPI_ERR_RANK                  6
#define MPI_ERR_ROOT                  7
#define MPI_ERR_OP                    8
#define MPI_ERR_TRUNCATE              9
#define MPI_ERR_NO_MEM                10
#define MPI_ERR_OTHER                 11 /* such as before MPI_Init() or after MPI_Finalize() */
#define MPI_ERR_REQUEST               12
#define MPI_ERR_ARG                   13
#define MPI_ERR_IN_STATUS             14
#define MPI_ERR_GROUP                 15
#define MPI_ERR_TOPOLOGY              16
#define MPI_ERR_DIMS                  17
#define MPI_ERR_UNKNOWN               18
#define MPI_ERR_INTERN                19
#define MPI_ERR_PENDING               20
#define MPI_ERR_KEYVAL                21
#define MPI_ERR_INFO                  22
#define MPI_ERR_INFO_KEY              23
#define MPI_ERR_INFO_VALUE            24
#define MPI_ERR_INFO_NOKEY            25
#define MPI_ERR_SPAWN                 26
#define MPI_ERR_PORT                  27
#define MPI_ERR_SERVICE               28
#define MPI_ERR_NAME                  29
#define MPI_ERR_WIN                   30
#define MPI_ERR_BASE                  31
#define MPI_ERR_SIZE                  32
#define MPI_ERR_DISP                  33
#define MPI_ERR_LOCKTYPE              34
#define MPI_ERR_ASSERT                35
#define MPI_ERR_RMA_CONFLICT          36
#define MPI_ERR_RMA_SYNC              37
#define MPI_ERR_RMA_RANGE             38
#define MPI_ERR_RMA_ATTACH            39
#define MPI_ERR_RMA_SHARED            40
#define MPI_ERR_RMA_FLAVOR            41
#define MPI_ERR_FILE                  42
#define MPI_ERR_NOT_SAME              43
#define MPI_ERR_AMODE                 44
#define MPI_ERR_UNSUPPORTED_DATAREP   45
#define MPI_ERR_UNSUPPORTED_OPERATION 46
#define MPI_ERR_NO_SUCH_FILE          47
#define MPI_ERR_FILE_EXISTS           48
#define MPI_ERR_BAD_FILE              49
#define MPI_ERR_ACCESS                50
#define MPI_ERR_NO_SPACE              51
#define MPI_ERR_QUOTA                 52
#define MPI_ERR_READ_ONLY             53
#define MPI_ERR_FILE_IN_USE           54
#define MPI_ERR_DUP_DATAREP           55
#define MPI_ERR_CONVERSION            56
#define MPI_ERR_IO                    57
#define MPI_ERR_LASTCODE              127 /* those that a program adds are above */

/* Functions of a program; `state` is the one that it gave with them. */
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

#include <mpi-functions.h>

#endif /* HUBSIM_MPI_H */
