/*
 * GASNet tools for programs of simulated nodes: what does not communicate. A program may use them
 * by themselves or behind gasnet.h. One of these decides whether it has threads:
 *
 *   GASNET_SEQ, GASNETT_THREAD_SINGLE or none of them    one
 *   GASNET_PAR, GASNET_PARSYNC or GASNETT_THREAD_SAFE    several
 *
 * GASNETT_LITE_MODE leaves out what depends on that: atomic integers, locks and data of threads.
 * docs/gasnet-tools.md says what differs from other implementations.
 */
#ifndef GASNET_TOOLS_H
#define GASNET_TOOLS_H
/* NOLINTNEXTLINE(bugprone-reserved-identifier): what programs ask for */
#define _INCLUDED_GASNET_TOOLS_H 1

#if defined(GASNETT_THREAD_SAFE) && defined(GASNETT_THREAD_SINGLE)
#error "gasnet_tools.h: expected one of GASNETT_THREAD_SAFE and GASNETT_THREAD_SINGLE, or none"
#endif
#if defined(GASNET_SEQ) + defined(GASNET_PARSYNC) + defined(GASNET_PAR) > 1
#error "gasnet_tools.h: expected one of GASNET_SEQ, GASNET_PARSYNC and GASNET_PAR, or none"
#endif
#if defined(GASNET_PAR) || defined(GASNET_PARSYNC)
#ifdef GASNETT_THREAD_SINGLE
#error "gasnet_tools.h: GASNETT_THREAD_SINGLE: expected GASNET_SEQ beside it, or no mode"
#endif
#ifndef GASNETT_THREAD_SAFE
#define GASNETT_THREAD_SAFE 1
#endif
#elif !defined(GASNETT_THREAD_SAFE) && !defined(GASNETT_THREAD_SINGLE)
#define GASNETT_THREAD_SINGLE 1
#endif

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h> /* free() of a text that is the program's */

#define GASNETT_SPEC_VERSION_MAJOR    1
#define GASNETT_SPEC_VERSION_MINOR    11
#define GASNETT_RELEASE_VERSION_MAJOR 1
#define GASNETT_RELEASE_VERSION_MINOR 8
#define GASNETT_RELEASE_VERSION_PATCH 0
#define GASNETT_SYSTEM_NAME           "hubsim"
#define GASNETT_SYSTEM_TUPLE          PLATFORM_ARCH_FAMILYNAME_STR "-hubsim-linux-gnu"
#define GASNETT_CONFIGURE_ARGS        ""
#define GASNETT_BUILD_ID              ""
#ifdef GASNETT_THREAD_SAFE
#define GASNETI_THREADS_STR "THREADMODEL=PAR"
#else
#define GASNETI_THREADS_STR "THREADMODEL=SEQ"
#endif
#define GASNETT_CONFIG_STRING                                                                      \
    "RELEASE=1.8.0,SPEC=" _STRINGIFY(GASNETT_SPEC_VERSION_MAJOR) "." _STRINGIFY(                   \
        GASNETT_SPEC_VERSION_MINOR) "," GASNETI_THREADS_STR                                        \
                                    ",PTR=64bit,nodebug,notrace,nostats,timers_simulated"

/* What the string is made of, as words. */
#define GASNETT_DEBUG_CONFIG    nodebug
#define GASNETT_PTR_CONFIG      64bit
#define GASNETT_TIMER_CONFIG    timers_simulated
#define GASNETT_ATOMIC_CONFIG   atomics_native
#define GASNETT_ATOMIC32_CONFIG atomic32_native
#define GASNETT_ATOMIC64_CONFIG atomic64_native
/* Threads of a rank that may call GASNet: the one that called gasnet_init(). */
#define GASNETT_MAX_THREADS 1
/* The public test programs take their number of threads from these, and would else count on one
 * beside that thread, or on 256. */
#ifdef GASNETT_THREAD_SAFE
#ifndef TEST_USE_PRIMORDIAL_THREAD
#define TEST_USE_PRIMORDIAL_THREAD 1
#endif
#ifndef TEST_MAXTHREADS
#define TEST_MAXTHREADS 1
#endif
#endif
/* Programs ask for them as for what a configuration of GASNet has found. */
#ifndef HAVE_PTHREAD_H
#define HAVE_PTHREAD_H 1
#endif
#ifndef HAVE_MMAP
#define HAVE_MMAP 1
#endif

#include "gasnet_portable_platform.h"
#include "gasnet_tools_compiler.h"
#ifndef GASNETT_LITE_MODE
#include "gasnet_tools_atomic.h"
#include "gasnet_tools_lock.h"
#endif
#include "gasnet_tools_calls.h"

/* ---- traces and statistics, which hubrun makes (--profile): these do nothing ---- */

GASNETT_BEGIN_EXTERNC
GASNETT_FORMAT_PRINTF(gasneti_tools_drop, 1, 2,
                      static inline void gasneti_tools_drop(const char *format, ...));
static inline void gasneti_tools_drop(const char *format, ...)
{
    (void)format;
}
GASNETT_END_EXTERNC

#define GASNETT_TRACE_ENABLED                       0
#define GASNETT_TRACE_PRINTF(...)                   gasneti_tools_drop(__VA_ARGS__)
#define GASNETT_TRACE_PRINTF_FORCE(...)             gasneti_tools_drop(__VA_ARGS__)
#define GASNETT_TRACE_GETMASK()                     ""
#define GASNETT_TRACE_SETMASK(mask)                 ((void)(mask))
#define GASNETT_TRACE_GET_TRACELOCAL()              0
#define GASNETT_TRACE_SET_TRACELOCAL(value)         ((void)(value))
#define GASNETT_TRACE_SETSOURCELINE(file, line)     GASNETT_UNUSED_ARGS2(file, line)
#define GASNETT_TRACE_GETSOURCELINE(file_p, line_p) ((void)(*(file_p) = NULL, *(line_p) = 0))
#define GASNETT_TRACE_FREEZESOURCELINE()            ((void)0)
#define GASNETT_TRACE_UNFREEZESOURCELINE()          ((void)0)
#define GASNETT_STATS_ENABLED                       0
#define GASNETT_STATS_PRINTF(...)                   gasneti_tools_drop(__VA_ARGS__)
#define GASNETT_STATS_PRINTF_FORCE(...)             gasneti_tools_drop(__VA_ARGS__)
#define GASNETT_STATS_GETMASK()                     ""
#define GASNETT_STATS_SETMASK(mask)                 ((void)(mask))
#define GASNETT_STATS_INIT(callback)                ((void)(callback), 0) /* is it on? */
#define GASNETT_STATS_DUMP(reset)                   ((void)(reset))

#endif /* GASNET_TOOLS_H */
