/*
 * A collective of MPI (op=...) on all ranks: all begin at one time, and the last one's end counts;
 * with start=barrier after a barrier, and the slowest one's time counts. type=double: what is added
 * up is doubles.
 * `bytes` is what a rank gives; of all-to-all and of scatter and gather at the root: to each rank.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "mpi-common.h"

enum { WORD = sizeof(uint32_t) };

struct test {
    int me, ranks, root;
    uint64_t bytes, rounds, warmup, repeats;
    int memory;
    const char *op, *traffic, *start, *type;
    MPI_Datatype added; /* what reductions add up, and its size */
    uint64_t unit;
    uint8_t *out, *in;      /* where the collective works */
    uint8_t *want, *staged; /* what must be there; the host's copy */
};

/** One of them: how it is called, and what must have come. */
struct op {
    const char *name;
    uint64_t (*out_bytes)(const struct test *t), (*in_bytes)(const struct test *t);
    void (*call)(struct test *t);
    /** Fills `want` for the bytes that fill() gave; 0: nothing comes to this rank. */
    uint64_t (*expect)(struct test *t, unsigned number);
};

/* ---- bytes: every rank has its own, so that any mix-up shows -------------------------- */

static unsigned seed_of(const struct test *t, unsigned number, int rank)
{
    return number * (unsigned)t->ranks + (unsigned)rank;
}

static void bytes_of(const struct test *t, unsigned number, int rank, uint64_t from, uint64_t n,
                     uint8_t *to)
{
    for (uint64_t i = 0; i < n; i++)
        to[i] = byte_of(seed_of(t, number, rank), from + i);
}

/** Words that add up without overflow in a way that order does not matter to. */
static uint32_t word_of(unsigned number, int rank, uint64_t at)
{
    return number * 7 + (uint32_t)rank * 13 + (uint32_t)at;
}

static void words_of(const struct test *t, unsigned number, uint8_t *to, int first, int last)
{
    for (uint64_t i = 0; i < t->bytes / t->unit; i++) {
        uint32_t sum = 0;
        double real;

        for (int rank = first; rank <= last; rank++)
            sum += word_of(number, rank, i);
        real = sum;
        memcpy(to + i * t->unit, t->unit == WORD ? (void *)&sum : (void *)&real, t->unit);
    }
}

static uint64_t none(const struct test *t)
{
    (void)t;
    return 0;
}

static uint64_t one(const struct test *t)
{
    return t->bytes;
}

static uint64_t all(const struct test *t)
{
    return t->bytes * (uint64_t)t->ranks;
}

/* ---- calls --------------------------------------------------------------------------- */

static int words(const struct test *t)
{
    return (int)(t->bytes / t->unit);
}

static void barrier(struct test *t)
{
    (void)t;
    CHECK(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
}

static void broadcast(struct test *t)
{
    CHECK(MPI_Bcast(t->me == t->root ? t->out : t->in, (int)t->bytes, MPI_BYTE, t->root,
                    MPI_COMM_WORLD),
          MPI_SUCCESS);
}

static void reduce(struct test *t)
{
    CHECK(MPI_Reduce(t->out, t->in, words(t), t->added, MPI_SUM, t->root, MPI_COMM_WORLD),
          MPI_SUCCESS);
}

static void allreduce(struct test *t)
{
    CHECK(MPI_Allreduce(t->out, t->in, words(t), t->added, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
}

static void gather(struct test *t)
{
    CHECK(MPI_Gather(t->out, (int)t->bytes, MPI_BYTE, t->in, (int)t->bytes, MPI_BYTE, t->root,
                     MPI_COMM_WORLD),
          MPI_SUCCESS);
}

static void allgather(struct test *t)
{
    CHECK(MPI_Allgather(t->out, (int)t->bytes, MPI_BYTE, t->in, (int)t->bytes, MPI_BYTE,
                        MPI_COMM_WORLD),
          MPI_SUCCESS);
}

static void scatter(struct test *t)
{
    CHECK(MPI_Scatter(t->out, (int)t->bytes, MPI_BYTE, t->in, (int)t->bytes, MPI_BYTE, t->root,
                      MPI_COMM_WORLD),
          MPI_SUCCESS);
}

static void alltoall(struct test *t)
{
    CHECK(MPI_Alltoall(t->out, (int)t->bytes, MPI_BYTE, t->in, (int)t->bytes, MPI_BYTE,
                       MPI_COMM_WORLD),
          MPI_SUCCESS);
}

/* ---- what must have come ---------------------------------------------------------------- */

static uint64_t expect_none(struct test *t, unsigned number)
{
    (void)t;
    (void)number;
    return 0;
}

static uint64_t expect_root(struct test *t, unsigned number)
{
    if (t->me == t->root)
        return 0;
    bytes_of(t, number, t->root, 0, t->bytes, t->want);
    return t->bytes;
}

static uint64_t expect_sum(struct test *t, unsigned number)
{
    words_of(t, number, t->want, 0, t->ranks - 1);
    return t->bytes / t->unit * t->unit;
}

static uint64_t expect_sum_at_root(struct test *t, unsigned number)
{
    return t->me == t->root ? expect_sum(t, number) : 0;
}

static uint64_t expect_blocks(struct test *t, unsigned number)
{
    for (int rank = 0; rank < t->ranks; rank++)
        bytes_of(t, number, rank, 0, t->bytes, t->want + (uint64_t)rank * t->bytes);
    return all(t);
}

static uint64_t expect_blocks_at_root(struct test *t, unsigned number)
{
    return t->me == t->root ? expect_blocks(t, number) : 0;
}

static uint64_t expect_own_of_root(struct test *t, unsigned number)
{
    bytes_of(t, number, t->root, (uint64_t)t->me * t->bytes, t->bytes, t->want);
    return t->bytes;
}

static uint64_t expect_own_of_all(struct test *t, unsigned number)
{
    for (int rank = 0; rank < t->ranks; rank++)
        bytes_of(t, number, rank, (uint64_t)t->me * t->bytes, t->bytes,
                 t->want + (uint64_t)rank * t->bytes);
    return all(t);
}

static const struct op ops[] = {
    { "barrier", none, none, barrier, expect_none },
    { "broadcast", one, one, broadcast, expect_root },
    { "reduce", one, one, reduce, expect_sum_at_root },
    { "allreduce", one, one, allreduce, expect_sum },
    { "gather", one, all, gather, expect_blocks_at_root },
    { "allgather", one, all, allgather, expect_blocks },
    { "scatter", all, one, scatter, expect_own_of_root },
    { "alltoall", all, all, alltoall, expect_own_of_all },
};

static const struct op *find_op(const char *name)
{
    for (unsigned i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
        if (strcmp(ops[i].name, name) == 0)
            return &ops[i];
    fail("op=%s: expected barrier, broadcast, reduce, allreduce, gather, allgather, scatter or "
         "alltoall",
         name);
}

/* ---- measuring -------------------------------------------------------------------------- */

static void fill(struct test *t, const struct op *op, unsigned number)
{
    uint64_t n = op->out_bytes(t);

    if (n == 0)
        return;
    if (op->expect == expect_sum || op->expect == expect_sum_at_root)
        words_of(t, number, t->staged, t->me, t->me);
    else
        bytes_of(t, number, t->me, 0, n, t->staged);
    bytes_copy(t->out, t->staged, n);
    mpi_clear(t->in, op->in_bytes(t));
}

static int arrived(struct test *t, const struct op *op, unsigned number)
{
    uint64_t n = op->expect(t, number);

    if (n == 0)
        return 1;
    bytes_copy(t->staged, t->in, n);
    return memcmp(t->staged, t->want, n) == 0;
}

/** All ranks go on at one time, which is the result. */
static double start_together(void)
{
    double start = 0;

    mpi_settle();
    start = MPI_Wtime() + 5e-3; /* by then all know it */
    CHECK(MPI_Allreduce(MPI_IN_PLACE, &start, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD), MPI_SUCCESS);
    mpi_sleep_until(start);
    return start;
}

static double measure(struct test *t, const struct op *op)
{
    double start = start_together(), end;

    for (uint64_t i = 0; i < t->rounds; i++)
        op->call(t);
    end = MPI_Wtime();
    CHECK(MPI_Allreduce(MPI_IN_PLACE, &end, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD), MPI_SUCCESS);
    return (end - start) / (double)t->rounds;
}

struct repeat {
    struct test *t;
    const struct op *op;
};

static void call_once(void *arg)
{
    const struct repeat *r = arg;

    r->op->call(r->t);
}

static void measure_all(struct test *t, const struct op *op)
{
    struct times times;
    struct repeat repeat = { t, op };
    int verified = 1, barrier = strcmp(t->start, "barrier") == 0;
    uint64_t warmup = barrier ? 0 : t->warmup; /* then it is of each repeat */

    times_init(&times, t->repeats);
    for (uint64_t i = 0; i < warmup + t->repeats; i++) {
        double seconds;

        fill(t, op, (unsigned)i);
        seconds = barrier ? mpi_slowest(t->warmup, t->rounds, call_once, &repeat) : measure(t, op);
        verified &= arrived(t, op, (unsigned)i);
        if (i >= warmup)
            times_add(&times, (uint64_t)(seconds * 1e12 + 0.5));
    }
    verified = mpi_all(verified);
    if (t->me == 0)
        times_print(&times, t->bytes, verified, NULL);
}

/*
 * With traffic=on rank 0 prints what no algorithm can do without. In all-to-all it is each pair's
 * block, else what each rank must get and give. Here that goes to and from the rank half of all
 * further on, which in two rings of hubs is joined to it by S. Operations that are not known print
 * nothing.
 */
static void print_traffic(const struct test *t)
{
    uint64_t n = (uint64_t)t->ranks, least = 0;

    if (strcmp(t->op, "allgather") == 0)
        least = (n - 1) * t->bytes;
    else if (strcmp(t->op, "broadcast") == 0)
        least = t->bytes;
    else if (strcmp(t->op, "allreduce") == 0)
        least = 2 * (n - 1) * t->bytes / n;
    for (int r = 0; r < t->ranks && least > 0; r++)
        printf("traffic step=0 src=%d dst=%d bytes=%llu blocks=1\n", r,
               (r + t->ranks / 2) % t->ranks, (unsigned long long)least / WORD * WORD);
    for (int r = 0; r < t->ranks && strcmp(t->op, "alltoall") == 0; r++)
        for (int to = 0; to < t->ranks; to++)
            if (to != r)
                printf("traffic step=0 src=%d dst=%d bytes=%llu blocks=1\n", r, to,
                       (unsigned long long)t->bytes);
}

int main(int argc, char **argv)
{
    struct test t = { .bytes = 8,
                      .rounds = 1,
                      .warmup = 1,
                      .repeats = 3,
                      .memory = IN_HOST,
                      .op = "allreduce",
                      .traffic = "off",
                      .start = "together",
                      .type = "unsigned" };
    const struct option options[] = {
        { .key = "op", .text = &t.op },
        { .key = "bytes", .number = &t.bytes },
        { .key = "rounds", .number = &t.rounds },
        { .key = "warmup", .number = &t.warmup },
        { .key = "repeats", .number = &t.repeats },
        { .key = "memory", .memory = &t.memory },
        { .key = "traffic", .text = &t.traffic, .choices = "on|off" },
        { .key = "start", .text = &t.start, .choices = "together|barrier" },
        { .key = "type", .text = &t.type, .choices = "unsigned|double" },
        OPTIONS_END
    };
    const struct op *op;

    options_read(argc, argv, options);
    op = find_op(t.op);
    if (t.rounds == 0)
        fail("rounds=0: expected at least 1");
    mpi_check_bytes(t.bytes);
    t.unit = strcmp(t.type, "double") == 0 ? sizeof(double) : WORD;
    if (t.bytes % t.unit != 0)
        fail("bytes=%llu: expected a multiple of %llu", (unsigned long long)t.bytes,
             (unsigned long long)t.unit);
    CHECK(MPI_Init(&argc, &argv), MPI_SUCCESS);
    t.added = t.unit == WORD ? MPI_UNSIGNED : MPI_DOUBLE;
    CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &t.me), MPI_SUCCESS);
    CHECK(MPI_Comm_size(MPI_COMM_WORLD, &t.ranks), MPI_SUCCESS);
    t.out = mpi_memory(t.memory, all(&t));
    t.in = mpi_memory(t.memory, all(&t));
    t.want = mpi_memory(IN_HOST, all(&t));
    t.staged = mpi_memory(IN_HOST, all(&t));
    if (t.me == 0 && strcmp(t.traffic, "on") == 0)
        print_traffic(&t);
    measure_all(&t, op);
    CHECK(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
