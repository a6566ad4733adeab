#include "common.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime.h>
#include <hubsim-workload.h>
#include <mpi.h>

void fail(const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    vfprintf(stderr, format, ap); /* NOLINT(clang-analyzer-valist.Uninitialized): it is started */
    va_end(ap);
    fputc('\n', stderr);
    exit(2);
}

/* ---- arguments ---------------------------------------------------------------- */

static int is_choice(const char *choices, const char *text)
{
    size_t n = strlen(text);

    for (const char *at = choices; at != NULL; at = strchr(at, '|')) {
        at += *at == '|';
        if (strncmp(at, text, n) == 0 && (at[n] == '|' || at[n] == '\0'))
            return 1;
    }
    return 0;
}

/* Of programs that describe themselves. */
#pragma weak hubsim_workload

/* By the unit of the key's description; by its name where nothing describes it. */
static int counts_bytes(const char *key)
{
    const struct hubsim_key *k = &hubsim_workload != NULL ? hubsim_workload.keys : NULL;

    for (; k != NULL && k->key[0] != '\0'; k++)
        if (strcmp(k->key, key) == 0)
            return strcmp(k->unit, HUBSIM_BYTES) == 0;
    return strstr(key, "bytes") != NULL;
}

/* 4096, and 4KiB where the key counts bytes. */
static void read_number(const struct option *o, const char *value)
{
    static const char units[] = "KMG";
    char *end;
    const char *unit;
    unsigned shift;

    errno = 0;
    *o->number = strtoull(value, &end, 10);
    unit = *end != '\0' && counts_bytes(o->key) ? strchr(units, *end) : NULL;
    shift = unit != NULL ? 10 * (unsigned)(unit - units + 1) : 0;
    if (*value < '0' || *value > '9' || errno == ERANGE || *o->number > UINT64_MAX >> shift ||
        strcmp(end + (unit != NULL), unit != NULL ? "iB" : "") != 0)
        fail("%s=%s: expected a whole number", o->key, value);
    *o->number <<= shift;
}

static void read_one(const struct option *o, const char *value)
{
    if (o->number != NULL) {
        read_number(o, value);
    } else if (o->memory != NULL) {
        if (strcmp(value, "cpu") == 0)
            *o->memory = IN_HOST;
        else if (strncmp(value, "gpu", 3) == 0 && value[3] >= '0' && value[3] <= '7' &&
                 value[4] == '\0')
            *o->memory = value[3] - '0';
        else
            fail("%s=%s: expected cpu or gpu0 .. gpu7", o->key, value);
    } else {
        if (o->choices != NULL && !is_choice(o->choices, value))
            fail("%s=%s: expected %s", o->key, value, o->choices);
        *o->text = value;
    }
}

void options_read(int argc, char **argv, const struct option *options)
{
    for (int i = 1; i < argc; i++) {
        const char *value = strchr(argv[i], '=');
        const struct option *o = options;

        if (value == NULL)
            fail("%s: expected key=value", argv[i]);
        while (o->key != NULL && (strncmp(o->key, argv[i], (size_t)(value - argv[i])) != 0 ||
                                  o->key[value - argv[i]] != '\0'))
            o++;
        if (o->key == NULL)
            fail("%s: unknown key", argv[i]);
        read_one(o, value + 1);
    }
}

/* ---- bytes --------------------------------------------------------------------- */

uint8_t byte_of(unsigned seed, size_t at)
{
    return (uint8_t)(at * 7 + (at >> 8) * 13 + (size_t)seed * 101 + 1);
}

void bytes_copy(void *to, const void *from, size_t n)
{
    cudaError_t code = cudaMemcpy(to, from, n, cudaMemcpyDefault);

    if (code == cudaErrorNoDevice) /* then all memory is the CPU's */
        memcpy(to, from, n);
    else
        CHECK(code, cudaSuccess);
}

/* By way of host memory, since GPU memory is not the CPU's to touch. */
void bytes_fill(void *p, size_t n, unsigned seed)
{
    uint8_t *host = malloc(n);

    if (host == NULL)
        fail("out of memory");
    for (size_t i = 0; i < n; i++)
        host[i] = byte_of(seed, i);
    bytes_copy(p, host, n);
    free(host);
}

void bytes_clear(void *p, size_t n)
{
    uint8_t *host = calloc(1, n);

    if (host == NULL)
        fail("out of memory");
    bytes_copy(p, host, n);
    free(host);
}

int bytes_ok(const void *p, size_t n, unsigned seed)
{
    uint8_t *host = malloc(n);
    int ok = 1;

    if (host == NULL)
        fail("out of memory");
    bytes_copy(host, p, n);
    for (size_t i = 0; i < n && ok; i++)
        ok = host[i] == byte_of(seed, i);
    free(host);
    return ok;
}

/* ---- ranks ----------------------------------------------------------------------- */

/* By the environment: some programs are without MPI, and this takes no time. */
void tca_alone(void)
{
    const char *ranks = getenv("MPI_LOCALNRANKS");

    if (ranks != NULL && strcmp(ranks, "1") != 0)
        fail("%s ranks on one node: expected one on each, which has its DMA channels alone", ranks);
}

void tca_pair(void)
{
    int ranks = 0;

    CHECK(MPI_Comm_size(MPI_COMM_WORLD, &ranks), MPI_SUCCESS);
    if (ranks != 2)
        fail("%d ranks: expected 2", ranks);
    tca_alone();
}

/* ---- memory ---------------------------------------------------------------------- */

tcaMemoryKind tca_kind(int memory)
{
    return memory == IN_HOST ? tcaMemoryCPU : tcaMemoryGPU;
}

void gpu_use(int gpu)
{
    cudaError_t code = cudaSetDevice(gpu);
    int n = 0;

    if (code == cudaSuccess)
        return;
    if (cudaGetDeviceCount(&n) != cudaSuccess || n == 0)
        fail("gpu%d: expected cpu: the node has no GPU", gpu);
    if (gpu >= n)
        fail("gpu%d: expected cpu or gpu0 .. gpu%d, the GPUs of the node", gpu, n - 1);
    CHECK(code, cudaSuccess);
}

void *tca_memory(int memory, size_t n)
{
    void *p = NULL;

    if (memory != IN_HOST)
        gpu_use(memory);
    CHECK(tcaMalloc(&p, n, tca_kind(memory)), TCA_SUCCESS);
    return p;
}

tcaHandle *tca_publish(void *p, size_t n, int memory)
{
    int size = 0;
    tcaHandle own, *all;

    CHECK(MPI_Comm_size(MPI_COMM_WORLD, &size), MPI_SUCCESS);
    all = calloc((size_t)size, sizeof(*all));
    if (all == NULL)
        fail("out of memory");
    CHECK(tcaCreateHandle(&own, p, n, tca_kind(memory)), TCA_SUCCESS);
    CHECK(MPI_Allgather(&own, sizeof(own), MPI_BYTE, all, sizeof(own), MPI_BYTE, MPI_COMM_WORLD),
          MPI_SUCCESS);
    return all;
}

/* ---- results ----------------------------------------------------------------------- */

void times_init(struct times *t, uint64_t repeats)
{
    if (repeats == 0)
        fail("repeats=0: expected at least 1");
    t->n = 0;
    t->ps = calloc(repeats, sizeof(*t->ps));
    if (t->ps == NULL)
        fail("out of memory");
}

void times_add(struct times *t, uint64_t ps)
{
    unsigned at = t->n++;

    for (; at > 0 && t->ps[at - 1] > ps; at--) /* in rising order */
        t->ps[at] = t->ps[at - 1];
    t->ps[at] = ps;
}

uint64_t half_round_ps(uint64_t elapsed_ps, uint64_t rounds)
{
    return rounds != 0 ? elapsed_ps / (2 * rounds) : 0;
}

void times_print(struct times *t, uint64_t bytes, int verified, const char *more)
{
    uint64_t min = t->ps[0], median = t->ps[t->n / 2];

    if (t->n % 2 == 0)
        median = (t->ps[t->n / 2 - 1] + t->ps[t->n / 2]) / 2;
    printf("result bytes=%llu%s%s repeats=%u latency_ps_min=%llu latency_ps_median=%llu "
           "latency_ps_p99=%llu latency_ps_max=%llu bandwidth_kBps=%llu verified=%d\n",
           (unsigned long long)bytes, more != NULL ? " " : "", more != NULL ? more : "", t->n,
           (unsigned long long)min, (unsigned long long)median,
           (unsigned long long)t->ps[(t->n * UINT64_C(99) - 1) / 100],
           (unsigned long long)t->ps[t->n - 1],
           min != 0 ? (unsigned long long)((double)bytes * 1e9 / (double)min) : 0ULL, verified);
    free(t->ps);
    t->ps = NULL;
}
