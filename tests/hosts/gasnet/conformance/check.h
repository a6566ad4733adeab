/*
 * Checks of the conformance suite: plain C programs, one for each chapter of specification 1.8,
 * that any GASNet-1 library should pass.
 *
 *   int main(int argc, char **argv)
 *   {
 *       check_begin(&argc, &argv, "6 locks", table, n);
 *       CHECK(gasnet_hsl_trylock(&hsl) == GASNET_OK, "Handler-safe locks: a free one is taken");
 *       CHECK_OF(bytes, same, "Medium: %d bytes arrive", bytes);
 *       return check_end();
 *   }
 *
 * Each has a number: its chapter, its place there, and of a row of cases which one, 4.7/12. One
 * that fails is printed at once; the last line has the counts of all ranks. With the word `list`
 * all that the first rank does are printed with their texts. Numbers of handlers from CHECK_FIRST
 * on are this header's.
 */
#ifndef CHECK_H
#define CHECK_H

#if !defined(GASNET_PAR) && !defined(GASNET_PARSYNC) && !defined(GASNET_SEQ)
#define GASNET_SEQ 1
#endif
#include <cuda.h>
#include <cuda_runtime.h>
#include <gasnet.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK_SEGMENT  (1u << 20)
#define CHECK_SITES    128
#define CHECK_CASES    256 /* of one site */
#define CHECK_AT_ONCE  8   /* sites whose cases fit into the smallest Medium */
#define CHECK_FIRST    250 /* handlers */
#define CHECK_HANDLERS 4

typedef gasnet_handlerarg_t arg;

static unsigned me, nodes, next, prev;
static gasnet_seginfo_t *segments;
static bool segment_on_gpu;

static const char *check_chapter;
static bool check_list;
static int check_counts[2]; /* passed, failed */
static uint8_t check_ran[CHECK_SITES][CHECK_CASES / 8];

static inline bool check_at(unsigned site, unsigned of, bool passed, const char *file, int line,
                            const char *format, ...)
{
    bool again = false;
    va_list args;

    if (site < CHECK_SITES && of < CHECK_CASES) {
        again = check_ran[site][of / 8] >> of % 8 & 1;
        check_ran[site][of / 8] |= (uint8_t)(1u << of % 8);
    } else {
        passed = false;
    }
    check_counts[!passed]++;
    if ((passed || check_counts[1] > 20) && (!check_list || again || me != 0))
        return passed; /* 20 are enough to see what is wrong */
    if (!passed)
        printf("%s:%d: node %u of %u: FAILED ", file, line, me, nodes);
    printf("%d.%u/%u ", atoi(check_chapter), site, of);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
    return passed;
}
#define CHECK_OF(of, condition, ...)                                                               \
    check_at(__COUNTER__, (unsigned)(of), (condition), __FILE__, __LINE__, __VA_ARGS__)
#define CHECK(condition, ...) CHECK_OF(0, condition, __VA_ARGS__)

/* ---- between ranks, with the simplest calls there are ---- */

static volatile unsigned check_arrived, check_released, check_told;

static void check_on_arrival(gasnet_token_t token)
{
    (void)token;
    check_arrived++;
}

static void check_on_release(gasnet_token_t token)
{
    (void)token;
    check_released++;
}

static void check_on_ran(gasnet_token_t token, void *data, size_t bytes, arg site)
{
    const uint8_t *from = data;
    uint8_t *to = check_ran[site];

    (void)token;
    for (size_t i = 0; i < bytes; i++)
        to[i] |= from[i];
    check_told++;
}

static void check_on_counts(gasnet_token_t token, arg passed, arg failed)
{
    (void)token;
    check_counts[0] += passed;
    check_counts[1] += failed;
    check_told++;
}

/** All ranks have come here, and each has polled. */
static inline void check_barrier(void)
{
    static unsigned rounds;

    rounds++;
    gasnet_AMRequestShort0(0, CHECK_FIRST);
    if (me == 0) {
        GASNET_BLOCKUNTIL(check_arrived >= rounds * nodes);
        for (unsigned i = 0; i < nodes; i++)
            gasnet_AMRequestShort0(i, CHECK_FIRST + 1);
    }
    GASNET_BLOCKUNTIL(check_released >= rounds);
}

/* ---- memory ---- */

static inline uint8_t check_byte(unsigned seed, size_t i)
{
    return (uint8_t)((i * 2654435761u + seed * 40503u + 12345u) >> 11);
}

static inline void fill(void *to, size_t bytes, unsigned seed)
{
    for (size_t i = 0; i < bytes; i++)
        ((uint8_t *)to)[i] = check_byte(seed, i);
}

/** @return how many bytes are not those of fill() */
static inline size_t differ(const void *from, size_t bytes, unsigned seed)
{
    size_t bad = 0;

    for (size_t i = 0; i < bytes; i++)
        bad += ((const uint8_t *)from)[i] != check_byte(seed, i);
    return bad;
}

static inline uint8_t *segment_of(unsigned node)
{
    return segments[node].addr;
}

/** A program may load and store in its own segment; where a GPU has it, by copies. */
static inline void segment_store(size_t at, const void *from, size_t bytes)
{
    if (!segment_on_gpu)
        memcpy(segment_of(me) + at, from, bytes);
    else if (bytes > 0)
        cudaMemcpy(segment_of(me) + at, from, bytes, cudaMemcpyHostToDevice);
}

static inline void segment_load(void *to, size_t at, size_t bytes)
{
    if (!segment_on_gpu)
        memcpy(to, segment_of(me) + at, bytes);
    else if (bytes > 0)
        cudaMemcpy(to, segment_of(me) + at, bytes, cudaMemcpyDeviceToHost);
}

static inline void segment_clear(size_t at, size_t bytes, int value)
{
    uint8_t *zero = malloc(bytes + 1);

    memset(zero, value, bytes);
    segment_store(at, zero, bytes);
    free(zero);
}

static inline size_t segment_differs(size_t at, size_t bytes, unsigned seed)
{
    uint8_t *copy = malloc(bytes + 1);
    size_t bad;

    segment_load(copy, at, bytes);
    bad = differ(copy, bytes, seed);
    free(copy);
    return bad;
}

static inline bool check_on_gpu(void *p)
{
    CUmemorytype type = CU_MEMORYTYPE_HOST;

    return p != NULL && cuInit(0) == CUDA_SUCCESS &&
           cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)p) ==
               CUDA_SUCCESS &&
           type == CU_MEMORYTYPE_DEVICE;
}

/* ---- beginning and end ---- */

static inline void check_init(int *argc, char ***argv, const char *chapter)
{
    check_chapter = chapter;
    gasnet_init(argc, argv);
    me = gasnet_mynode();
    nodes = gasnet_nodes();
    next = (me + 1) % nodes;
    prev = (me + nodes - 1) % nodes;
    check_list = *argc > 1 && strcmp((*argv)[1], "list") == 0;
}

/** Attaches with the handlers of a chapter and those of this header. */
static inline void check_attach(const gasnet_handlerentry_t *table, int n, uintptr_t segment)
{
    static const gasnet_handlerentry_t own[CHECK_HANDLERS] = {
        { CHECK_FIRST, (void (*)())check_on_arrival },
        { CHECK_FIRST + 1, (void (*)())check_on_release },
        { CHECK_FIRST + 2, (void (*)())check_on_ran },
        { CHECK_FIRST + 3, (void (*)())check_on_counts },
    };
    gasnet_handlerentry_t all[256];

    if (n > 0)
        memcpy(all, table, (size_t)n * sizeof(*all));
    memcpy(all + n, own, sizeof(own));
    if (gasnet_attach(all, n + CHECK_HANDLERS, segment, 0) != GASNET_OK)
        exit(3);
    segments = calloc(nodes, sizeof(*segments));
    gasnet_getSegmentInfo(segments, (int)nodes);
    segment_on_gpu = check_on_gpu(segments[me].addr);
}

static inline void check_begin(int *argc, char ***argv, const char *chapter,
                               const gasnet_handlerentry_t *table, int n)
{
    check_init(argc, argv, chapter);
    check_attach(table, n, CHECK_SEGMENT);
}

static inline unsigned check_distinct(void)
{
    unsigned n = 0;

    for (unsigned i = 0; i < CHECK_SITES; i++)
        for (unsigned k = 0; k < CHECK_CASES; k++)
            n += check_ran[i][k / 8] >> k % 8 & 1;
    return n;
}

/** Collects the counts at the first rank; ends all ranks. */
static inline int check_end(void)
{
    const unsigned bytes = CHECK_AT_ONCE * sizeof(check_ran[0]);

    check_barrier();
    for (unsigned i = 0; me != 0 && i < CHECK_SITES; i += CHECK_AT_ONCE)
        gasnet_AMRequestMedium1(0, CHECK_FIRST + 2, check_ran[i], bytes, (arg)i);
    if (me != 0)
        gasnet_AMRequestShort2(0, CHECK_FIRST + 3, check_counts[0], check_counts[1]);
    else
        GASNET_BLOCKUNTIL(check_told == (nodes - 1) * (CHECK_SITES / CHECK_AT_ONCE + 1));
    if (me == 0)
        printf("%s: %u checks, %d passed, %d failed on %u nodes\n", check_chapter, check_distinct(),
               check_counts[0], check_counts[1], nodes);
    check_barrier();
    gasnet_exit(check_counts[1] != 0);
    return 1;
}

#endif /* CHECK_H */
