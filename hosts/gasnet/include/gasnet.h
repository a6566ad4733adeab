/*
 * GASNet 1 for simulated nodes: the Core API and the Extended API of specification 1.8. One thread
 * runs a rank's program, so the three modes are one library; objects of different modes do not
 * link. docs/gasnet-interface.md says what differs from other implementations.
 */
#ifndef GASNET_H
#define GASNET_H

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "gasnet_tools_compiler.h" /* if_pf(), if_pt(), _STRINGIFY() */

#if defined(GASNET_SEQ) + defined(GASNET_PARSYNC) + defined(GASNET_PAR) != 1
#error "gasnet.h: expected one of GASNET_SEQ, GASNET_PARSYNC and GASNET_PAR to be defined"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- versions and properties ---- */

#define GASNET_SPEC_VERSION_MAJOR    1
#define GASNET_SPEC_VERSION_MINOR    8
#define GASNET_VERSION               GASNET_SPEC_VERSION_MAJOR
#define GASNET_RELEASE_VERSION_MAJOR 1
#define GASNET_RELEASE_VERSION_MINOR 8
#define GASNET_RELEASE_VERSION_PATCH 0
#define GASNET_CORE_NAME             HUBSIM
#define GASNET_CORE_NAME_STR         "HUBSIM"
#define GASNET_CORE_VERSION          1.0
#define GASNET_CORE_VERSION_STR      "1.0"
#define GASNET_EXTENDED_NAME         HUBSIM
#define GASNET_EXTENDED_NAME_STR     "HUBSIM"
#define GASNET_EXTENDED_VERSION      1.0
#define GASNET_EXTENDED_VERSION_STR  "1.0"
#define GASNET_CONDUIT_NAME          HUBSIM
#define GASNET_CONDUIT_NAME_STR      "HUBSIM"
#define GASNET_CONDUIT_HUBSIM        1

#if defined(GASNET_SEQ)
#define GASNETI_MODE     gasnet_mode_seq
#define GASNETI_MODE_STR "SEQ"
#elif defined(GASNET_PARSYNC)
#define GASNETI_MODE     gasnet_mode_parsync
#define GASNETI_MODE_STR "PARSYNC"
#else
#define GASNETI_MODE     gasnet_mode_par
#define GASNETI_MODE_STR "PAR"
#endif
#define GASNET_CONFIG_STRING                                                                       \
    "RELEASE=1.8.0,SPEC=1.8,CONDUIT=HUBSIM(HUBSIM-1.0/HUBSIM-1.0),THREADMODEL=" GASNETI_MODE_STR   \
    ",SEGMENT=FAST,PTR=64bit,nodebug,notrace,nostats"

#define GASNET_SEGMENT_FAST            1
#define GASNET_ALIGNED_SEGMENTS        0
#define GASNET_MAXNODES                65535u
#define GASNET_PAGESIZE                4096
#define GASNET_MAX_HANDLERS            256
#define SIZEOF_GASNET_REGISTER_VALUE_T 8

/* Every object of a program names its mode here, and hubcc has the linker look. */
#ifdef __cplusplus
#define GASNETI_WEAK extern __attribute__((weak, used))
#else
#define GASNETI_WEAK __attribute__((weak, used))
#endif
extern const char GASNETI_MODE;
GASNETI_WEAK const char GASNETI_MODE = 1;

/* ---- types ---- */

typedef uint32_t gasnet_node_t;
typedef uint8_t gasnet_handler_t;
typedef int32_t gasnet_handlerarg_t;
typedef uint64_t gasnet_register_value_t;
typedef struct gasneti_token *gasnet_token_t;
typedef struct gasneti_op *gasnet_handle_t;
typedef struct gasneti_value *gasnet_valget_handle_t;
typedef void *gasnet_threadinfo_t;

/* A handler: its parameters are a token and what its message has. */
#ifdef __cplusplus
typedef void (*gasneti_handler_fn)(); /* of handlers with others it takes a cast */
#else
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
typedef void (*gasneti_handler_fn)();
#pragma GCC diagnostic pop
#endif

typedef struct {
    gasnet_handler_t index;
    gasneti_handler_fn fnptr;
} gasnet_handlerentry_t;

typedef struct {
    void *addr;
    uintptr_t size;
} gasnet_seginfo_t;

typedef struct {
    uint32_t host, supernode;
} gasnet_nodeinfo_t;

typedef struct {
    void *addr;
    size_t len;
} gasnet_memvec_t;

/* The library's own. */
typedef struct gasneti_hsl {
    uint32_t state, number;
    struct gasneti_hsl *below; /* locked before it, and still held */
} gasnet_hsl_t;

#define GASNET_HSL_INITIALIZER                                                                     \
    {                                                                                              \
        0, 0, NULL                                                                                 \
    }
#define GASNET_INVALID_HANDLE ((gasnet_handle_t)0)

/* ---- errors ---- */

#define GASNET_OK                   0
#define GASNET_ERR_NOT_INIT         10001
#define GASNET_ERR_RESOURCE         10002
#define GASNET_ERR_BAD_ARG          10003
#define GASNET_ERR_NOT_READY        10004
#define GASNET_ERR_BARRIER_MISMATCH 10005

const char *gasnet_ErrorName(int code);
const char *gasnet_ErrorDesc(int code);

/* ---- control ---- */

typedef char *gasneti_getenv_fn(const char *name);
int gasneti_init(int *argc, char ***argv, gasneti_getenv_fn *environment);
/* A program that ends by exit() or returns from main() ends the job as by gasnet_exit(). */
int gasneti_on_exit(void (*fn)(int code, void *arg), void *arg) __asm__("on_exit");
void gasneti_ended(int code);
static inline void gasneti_at_exit(int code, void *arg)
{
    (void)arg;
    fflush(NULL);
    gasneti_ended(code);
}
static inline int gasnet_init(int *argc, char ***argv)
{
    int code = gasneti_init(argc, argv, getenv); /* OK once: a second call ends the job */

    if (code == GASNET_OK && gasneti_on_exit(gasneti_at_exit, NULL) != 0)
        code = GASNET_ERR_RESOURCE;
    return code;
}
int gasnet_attach(gasnet_handlerentry_t *table, int n, uintptr_t segsize, uintptr_t minheapoffset);
void gasneti_exit(int code, void (*end)(int)) __attribute__((noreturn));
__attribute__((noreturn)) static inline void gasnet_exit(int code)
{
    fflush(NULL);
    gasneti_exit(code, exit);
}
gasnet_node_t gasnet_mynode(void);
gasnet_node_t gasnet_nodes(void);
static inline char *gasnet_getenv(const char *name)
{
    return getenv(name);
}
uintptr_t gasnet_getMaxLocalSegmentSize(void);
uintptr_t gasnet_getMaxGlobalSegmentSize(void);
int gasnet_getSegmentInfo(gasnet_seginfo_t *table, int n);
int gasnet_getNodeInfo(gasnet_nodeinfo_t *table, int n);

#define GASNET_WAIT_SPIN      0
#define GASNET_WAIT_BLOCK     1
#define GASNET_WAIT_SPINBLOCK 2
int gasnet_set_waitmode(int mode);

/* ---- active messages ---- */

size_t gasnet_AMMaxArgs(void);
size_t gasnet_AMMaxMedium(void);
size_t gasnet_AMMaxLongRequest(void);
size_t gasnet_AMMaxLongReply(void);
int gasnet_AMGetMsgSource(gasnet_token_t token, gasnet_node_t *source_p);
int gasnet_AMPoll(void);
/* Takes what has come, and waits for something if nothing has. */
void gasneti_wait(void);
#define GASNET_BLOCKUNTIL(cond)                                                                    \
    do {                                                                                           \
        while (!(cond))                                                                            \
            gasneti_wait();                                                                        \
    } while (0)

/* gasnet_AMRequestShort0() .. gasnet_AMReplyLong16(): the parameters behind all others. */
#define GASNETI_PARAMS0
#define GASNETI_PARAMS1  , gasnet_handlerarg_t a0
#define GASNETI_PARAMS2  GASNETI_PARAMS1, gasnet_handlerarg_t a1
#define GASNETI_PARAMS3  GASNETI_PARAMS2, gasnet_handlerarg_t a2
#define GASNETI_PARAMS4  GASNETI_PARAMS3, gasnet_handlerarg_t a3
#define GASNETI_PARAMS5  GASNETI_PARAMS4, gasnet_handlerarg_t a4
#define GASNETI_PARAMS6  GASNETI_PARAMS5, gasnet_handlerarg_t a5
#define GASNETI_PARAMS7  GASNETI_PARAMS6, gasnet_handlerarg_t a6
#define GASNETI_PARAMS8  GASNETI_PARAMS7, gasnet_handlerarg_t a7
#define GASNETI_PARAMS9  GASNETI_PARAMS8, gasnet_handlerarg_t a8
#define GASNETI_PARAMS10 GASNETI_PARAMS9, gasnet_handlerarg_t a9
#define GASNETI_PARAMS11 GASNETI_PARAMS10, gasnet_handlerarg_t a10
#define GASNETI_PARAMS12 GASNETI_PARAMS11, gasnet_handlerarg_t a11
#define GASNETI_PARAMS13 GASNETI_PARAMS12, gasnet_handlerarg_t a12
#define GASNETI_PARAMS14 GASNETI_PARAMS13, gasnet_handlerarg_t a13
#define GASNETI_PARAMS15 GASNETI_PARAMS14, gasnet_handlerarg_t a14
#define GASNETI_PARAMS16 GASNETI_PARAMS15, gasnet_handlerarg_t a15
#define GASNETI_COUNTS(X)                                                                          \
    X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16)

#define GASNETI_DECLARE(M)                                                                         \
    int gasnet_AMRequestShort##M(gasnet_node_t node, gasnet_handler_t handler GASNETI_PARAMS##M);  \
    int gasnet_AMRequestMedium##M(gasnet_node_t node, gasnet_handler_t handler, void *from,        \
                                  size_t bytes GASNETI_PARAMS##M);                                 \
    int gasnet_AMRequestLong##M(gasnet_node_t node, gasnet_handler_t handler, void *from,          \
                                size_t bytes, void *to GASNETI_PARAMS##M);                         \
    int gasnet_AMRequestLongAsync##M(gasnet_node_t node, gasnet_handler_t handler, void *from,     \
                                     size_t bytes, void *to GASNETI_PARAMS##M);                    \
    int gasnet_AMReplyShort##M(gasnet_token_t token, gasnet_handler_t handler GASNETI_PARAMS##M);  \
    int gasnet_AMReplyMedium##M(gasnet_token_t token, gasnet_handler_t handler, void *from,        \
                                size_t bytes GASNETI_PARAMS##M);                                   \
    int gasnet_AMReplyLong##M(gasnet_token_t token, gasnet_handler_t handler, void *from,          \
                              size_t bytes, void *to GASNETI_PARAMS##M);
GASNETI_COUNTS(GASNETI_DECLARE)
#undef GASNETI_DECLARE

void gasnet_hold_interrupts(void);
void gasnet_resume_interrupts(void);
void gasnet_hsl_init(gasnet_hsl_t *hsl);
void gasnet_hsl_destroy(gasnet_hsl_t *hsl);
void gasnet_hsl_lock(gasnet_hsl_t *hsl);
void gasnet_hsl_unlock(gasnet_hsl_t *hsl);
int gasnet_hsl_trylock(gasnet_hsl_t *hsl);

/* ---- Extended API: memory of other nodes ---- */

#define GASNET_BEGIN_FUNCTION()      gasnet_threadinfo_t gasneti_here __attribute__((unused)) = NULL
#define GASNET_GET_THREADINFO()      ((gasnet_threadinfo_t)NULL)
#define GASNET_POST_THREADINFO(info) ((void)(info))

void gasnet_put(gasnet_node_t node, void *to, void *from, size_t bytes);
void gasnet_put_bulk(gasnet_node_t node, void *to, void *from, size_t bytes);
void gasnet_get(void *to, gasnet_node_t node, void *from, size_t bytes);
void gasnet_get_bulk(void *to, gasnet_node_t node, void *from, size_t bytes);
void gasnet_memset(gasnet_node_t node, void *to, int value, size_t bytes);

gasnet_handle_t gasnet_put_nb(gasnet_node_t node, void *to, void *from, size_t bytes);
gasnet_handle_t gasnet_put_nb_bulk(gasnet_node_t node, void *to, void *from, size_t bytes);
gasnet_handle_t gasnet_get_nb(void *to, gasnet_node_t node, void *from, size_t bytes);
gasnet_handle_t gasnet_get_nb_bulk(void *to, gasnet_node_t node, void *from, size_t bytes);
gasnet_handle_t gasnet_memset_nb(gasnet_node_t node, void *to, int value, size_t bytes);

void gasnet_put_nbi(gasnet_node_t node, void *to, void *from, size_t bytes);
void gasnet_put_nbi_bulk(gasnet_node_t node, void *to, void *from, size_t bytes);
void gasnet_get_nbi(void *to, gasnet_node_t node, void *from, size_t bytes);
void gasnet_get_nbi_bulk(void *to, gasnet_node_t node, void *from, size_t bytes);
void gasnet_memset_nbi(gasnet_node_t node, void *to, int value, size_t bytes);

void gasnet_wait_syncnb(gasnet_handle_t handle);
int gasnet_try_syncnb(gasnet_handle_t handle);
void gasnet_wait_syncnb_all(gasnet_handle_t *handles, size_t n);
int gasnet_try_syncnb_all(gasnet_handle_t *handles, size_t n);
void gasnet_wait_syncnb_some(gasnet_handle_t *handles, size_t n);
int gasnet_try_syncnb_some(gasnet_handle_t *handles, size_t n);
void gasnet_wait_syncnbi_gets(void);
void gasnet_wait_syncnbi_puts(void);
void gasnet_wait_syncnbi_all(void);
int gasnet_try_syncnbi_gets(void);
int gasnet_try_syncnbi_puts(void);
int gasnet_try_syncnbi_all(void);
void gasnet_begin_nbi_accessregion(void);
gasnet_handle_t gasnet_end_nbi_accessregion(void);

void gasnet_put_val(gasnet_node_t node, void *to, gasnet_register_value_t value, size_t bytes);
gasnet_handle_t gasnet_put_nb_val(gasnet_node_t node, void *to, gasnet_register_value_t value,
                                  size_t bytes);
void gasnet_put_nbi_val(gasnet_node_t node, void *to, gasnet_register_value_t value, size_t bytes);
gasnet_register_value_t gasnet_get_val(gasnet_node_t node, void *from, size_t bytes);
gasnet_valget_handle_t gasnet_get_nb_val(gasnet_node_t node, void *from, size_t bytes);
gasnet_register_value_t gasnet_wait_syncnb_valget(gasnet_valget_handle_t handle);

#define GASNET_BARRIERFLAG_ANONYMOUS 1
#define GASNET_BARRIERFLAG_MISMATCH  2
#define GASNET_BARRIERFLAG_UNNAMED   4
#define GASNET_BARRIERFLAG_IMAGES    8
void gasnet_barrier_notify(int id, int flags);
int gasnet_barrier_wait(int id, int flags);
int gasnet_barrier_try(int id, int flags);
int gasnet_barrier(int id, int flags);
int gasnet_barrier_result(int *id);

#ifdef __cplusplus
}
#endif

#include <gasnet_am_counted.h>
/* Programs find the unofficial parts by this header alone. */
#include <gasnet_vis.h>

#include <gasnet_coll.h>

#endif /* GASNET_H */
