/*
 * Random sequences of TCA calls, valid and invalid ones, on 2 to 4 nodes:
 *
 *   fuzz_tca [--seed N] [--first N] [--runs N] [--seconds N] [--ranks N] [--steps N]
 *            [--only 3,5,8] [--show] [--lie WHAT]
 *
 * The reference (reference.h) says for each call whether it must be refused. Data must arrive, what
 * is refused changes nothing and leaves one line, nothing crashes or hangs, and hardware has no
 * error to report. A sequence follows from the seed and its number. What is found is made shorter
 * and printed. `--lie` is for the test of this program: it falsifies what the library did.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "reference.h"
#include "shrink.h"
#include "tests/fuzz/arguments.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define TWICE_EACH 8u  /* of as many sequences one runs twice */
#define KNOWN_MAX  20u /* causes that are reported; of each the first case */

struct totals { /* of all machines: shared with their processes */
    uint64_t sequences, calls, refused, bytes, open[OPEN_ROWS], found;
    unsigned nknown;
    char known[KNOWN_MAX][100];
};

struct settings {
    uint64_t seed, first, runs, seconds, ranks, steps;
    bool show, only;
    bool left_out[STEPS_MAX];
    enum lie lie;
    struct totals *totals;
    double end; /* of this machine's time; 0: none */
};

/* ---- arguments ---------------------------------------------------------------- */

static bool read_only(struct settings *s, const char *list)
{
    s->only = true;
    memset(s->left_out, true, sizeof(s->left_out));
    while (*list != '\0') {
        char *end;
        unsigned long step = strtoul(list, &end, 10);

        if (end == list || step >= STEPS_MAX || (*end != ',' && *end != '\0'))
            return false;
        s->left_out[step] = false;
        list = *end == ',' ? end + 1 : end;
    }
    return true;
}

static bool read_lie(struct settings *s, const char *word)
{
    static const char *const words[LIES] = {
        [LIE_NONE] = "none",   [LIE_ACCEPTS] = "accepts", [LIE_REFUSES] = "refuses",
        [LIE_BYTE] = "byte",   [LIE_LINE] = "line",       [LIE_ERROR] = "error",
        [LIE_CRASH] = "crash", [LIE_HANG] = "hang",       [LIE_DIFFERS] = "differs",
    };

    for (unsigned i = 0; i < LIES; i++) {
        s->lie = (enum lie)i;
        if (strcmp(word, words[i]) == 0)
            return true;
    }
    return false;
}

static bool read_option(struct settings *s, const char *name, const char *value)
{
    const struct fuzz_option options[] = {
        { "--seed", 0, UINT64_MAX, &s->seed },
        { "--first", 0, UINT64_MAX, &s->first },
        { "--runs", 0, UINT64_MAX, &s->runs },
        { "--seconds", 0, 1000000, &s->seconds },
        { "--ranks", 2, RANKS_MAX, &s->ranks },
        { "--steps", 1, STEPS_MAX, &s->steps },
        { NULL, 0, 0, NULL },
    };

    if (strcmp(name, "--only") == 0)
        return read_only(s, value);
    if (strcmp(name, "--lie") == 0)
        return read_lie(s, value);
    return fuzz_read_option(options, name, value);
}

static bool read_settings(int argc, char **argv, struct settings *s)
{
    *s = (struct settings){ .seed = 1, .runs = UINT64_MAX, .steps = 150 };
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--show") == 0) {
            s->show = true;
            continue;
        }
        if (i + 1 == argc || !read_option(s, argv[i], argv[i + 1]))
            return false;
        i++;
    }
    return s->runs != UINT64_MAX || s->seconds != 0;
}

/* ---- sequences ---------------------------------------------------------------- */

static void report(const struct settings *s, unsigned ranks, const struct sequence *q,
                   const struct outcome *out)
{
    const char *comma = "";

    printf("fuzz_tca: seed %" PRIu64 ", %u ranks, sequence %" PRIu64 ": %s\n%s", s->seed, ranks,
           q->number, out->found, out->log);
    printf("again: fuzz_tca --seed %" PRIu64 " --ranks %u --first %" PRIu64 " --runs 1 --steps %u"
           " --only ",
           s->seed, ranks, q->number, q->steps);
    for (unsigned i = 0; i < q->steps; i++) {
        if (q->left_out[i])
            continue;
        printf("%s%u", comma, i);
        comma = ",";
    }
    printf("\n");
}

static void count(struct totals *t, const struct outcome *out)
{
    t->sequences++;
    t->calls += out->calls;
    t->refused += out->refused;
    t->bytes += out->bytes;
    for (unsigned i = 0; i < OPEN_ROWS; i++)
        t->open[i] += out->open[i];
}

static bool is_new(struct totals *t, const char *kind)
{
    unsigned i = 0;

    while (i < t->nknown && strcmp(t->known[i], kind) != 0)
        i++;
    if (i < t->nknown || i == KNOWN_MAX)
        return false;
    (void)snprintf(t->known[t->nknown++], sizeof(t->known[0]), "%s", kind);
    return true;
}

static void run_one(struct settings *s, struct machine_server *m, uint64_t number)
{
    struct sequence q = {
        .seed = s->seed, .number = number, .steps = (unsigned)s->steps, .lie = s->lie
    };
    bool twice = number % TWICE_EACH == 0;
    const struct outcome *out;
    char kind[sizeof(out->kind)];

    memcpy(q.left_out, s->left_out, sizeof(q.left_out));
    out = examine(m, &q, twice);
    count(s->totals, out);
    if (s->show)
        printf("%u ranks, sequence %" PRIu64 ":\n%s", machine_ranks(m), number, out->log);
    if (out->found[0] == '\0')
        return;
    s->totals->found++;
    memcpy(kind, out->kind, sizeof(kind));
    if (!is_new(s->totals, kind))
        return;
    printf("fuzz_tca: sequence %" PRIu64 ": %s\n", number, out->found);
    (void)fflush(stdout);
    if (!s->only)
        shrink(m, &q, twice, kind);
    report(s, machine_ranks(m), &q, examine(m, &q, twice));
}

static void work(struct machine_server *m, void *arg)
{
    struct settings *s = arg;

    for (uint64_t i = 0; i < s->runs && (s->end == 0 || fuzz_now() < s->end); i++)
        run_one(s, m, s->first + i);
}

static bool run_all(struct settings *s)
{
    unsigned first = s->ranks != 0 ? (unsigned)s->ranks : 2;
    unsigned last = s->ranks != 0 ? (unsigned)s->ranks : RANKS_MAX;
    double start = fuzz_now();
    bool good = true;

    for (unsigned ranks = first; ranks <= last; ranks++) {
        if (s->seconds != 0)
            s->end = fuzz_now() + (start + (double)s->seconds - fuzz_now()) / (last - ranks + 1);
        good &= machine_serve(ranks, s->seed, work, s);
    }
    return good;
}

static void conclude(const struct settings *s, double seconds)
{
    const struct totals *t = s->totals;

    for (unsigned i = 0; i < OPEN_ROWS; i++)
        printf("%8" PRIu64 " calls that may be refused or not: %s\n", t->open[i], open_names[i]);
    printf("seed %" PRIu64 ": %" PRIu64 " sequences of %" PRIu64 " calls, of which %" PRIu64
           " were refused, and %" PRIu64 " bytes compared, in %.0f s: %" PRIu64
           " findings of %u kinds\n",
           s->seed, t->sequences, t->calls, t->refused, t->bytes, seconds, t->found, t->nknown);
}

int main(int argc, char **argv)
{
    struct settings s;
    double start = fuzz_now();
    bool good;

    if (!read_settings(argc, argv, &s)) {
        (void)fprintf(stderr, "usage: fuzz_tca --runs N | --seconds N [--seed N] [--first N] "
                              "[--ranks 2..4] [--steps N] [--only 3,5,8] [--show] [--lie WHAT]\n");
        return 2;
    }
    s.totals =
        mmap(NULL, sizeof(*s.totals), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (s.totals == MAP_FAILED)
        return 2;
    good = run_all(&s);
    conclude(&s, fuzz_now() - start);
    return good && s.totals->found == 0 ? 0 : 1;
}
