/*
 * Whole commands on files that are wrong, or right at the edge of what is allowed:
 *
 *   fuzz_commands BUILD [--seed N] [--first N] [--runs N] [--seconds N] [--jobs N] [--limit S]
 *                 [--idle S] [--keep DIR] [--show]
 *   fuzz_commands BUILD [--limit S] [--idle S] CASE...
 *
 * Whatever it is given, no command ends by a signal, breaks a rule of its own, hangs, or fails
 * without a line on stderr. A case follows from the seed and its number. What is found is made
 * smaller and kept in DIR; given as CASE, it runs once more. Runs in the root of the source.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "child.h"
#include "compose.h"
#include "shrink.h"
#include "tests/fuzz/arguments.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORKERS_MAX 64u  /* as many as a large machine has processors */
#define KNOWN_MAX   500u /* causes; a later one is reported each time that it is met */
#define CORPUS      "tests/fuzz/corpus"

struct settings {
    char *build; /* to be freed */
    const char *keep;
    uint64_t seed, first, runs, seconds, jobs, limit_s, idle_s;
    bool show;
    int cases; /* of argv: from here on; 0: none */
};

struct counts { /* shared by the workers; each has its own row */
    uint64_t runs, verdicts[FOUND + 1], not_kept;
};

struct shared {
    struct counts workers[WORKERS_MAX];
    char known[KNOWN_MAX][200]; /* by whichever worker found it first */
    unsigned nknown;
};

static bool set_number(const char *name, const char *value, struct settings *s)
{
    const struct fuzz_option options[] = {
        { "--seed", 0, UINT64_MAX, &s->seed },  { "--first", 0, UINT64_MAX, &s->first },
        { "--runs", 0, UINT64_MAX, &s->runs },  { "--seconds", 0, 1000000, &s->seconds },
        { "--jobs", 1, WORKERS_MAX, &s->jobs }, { "--limit", 0, 1000000, &s->limit_s },
        { "--idle", 0, 1000000, &s->idle_s },   { NULL, 0, 0, NULL },
    };

    return fuzz_read_option(options, name, value);
}

static bool read_settings(int argc, char **argv, struct settings *s)
{
    /* A busy machine may spread the 5 s that a command has of a processor over 75 s. */
    *s = (struct settings){ .seed = 1, .runs = UINT64_MAX, .jobs = 1, .limit_s = 5, .idle_s = 75 };
    if (argc < 2)
        return false;
    s->build = realpath(argv[1], NULL);
    for (int i = 2; i < argc; i++) {
        if (argv[i][0] != '-') {
            s->cases = i;
            return s->build != NULL;
        }
        if (strcmp(argv[i], "--show") == 0) {
            s->show = true;
            continue;
        }
        if (++i == argc)
            return false;
        if (strcmp(argv[i - 1], "--keep") == 0)
            s->keep = argv[i];
        else if (!set_number(argv[i - 1], argv[i], s))
            return false;
    }
    return s->build != NULL;
}

static void run_words(const struct site *site, const char *const *words, unsigned n,
                      struct load_arena *arena, struct outcome *outcome)
{
    struct fuzz_case c = { .arena = arena };

    for (unsigned i = 0; i < n; i++)
        case_add_arg(&c, words[i]);
    child_run(site, 0, &c, outcome);
}

/** Parameters as the commands under test name them, and results that they keep. */
static bool make_seeds(const struct site *site, struct seeds *seeds)
{
    static const char *const words[][7] = {
        { "hubsim", "params", "two-node", "--csv", NULL },
        { "hubsim", "params", "mbcf-switch", "--csv", NULL },
        { "hubsim", "explain", "two-node", "--pcap=x.pcapng", "--kind=chain", NULL },
        { "hubsim", "run", "single-transfer", "--out=kept", NULL },
        { "hubsim", "run", "two-node", "--out=kept", NULL },
        { "hubrun", "-n2", "--out=kept", "../matcher", "patterns=1", "limits=300", NULL },
    };
    static const char *const made[] = {
        NULL, NULL, ".", "kept/single-transfer", "kept/two-node", "kept/matcher"
    };
    const char *folder = load_text(&seeds->arena, "%s/w0/case/a/b", site->base);
    struct outcome outcome;
    const char *text;
    size_t length;

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        unsigned n = 0;

        while (words[i][n] != NULL)
            n++;
        run_words(site, words[i], n, &seeds->arena, &outcome);
        if (outcome.verdict != ENDED_WELL)
            return false;
        text =
            seeds_read(&seeds->arena, load_text(&seeds->arena, "%s/../../stdout", folder), &length);
        if (made[i] != NULL)
            seeds_add_folder(seeds, folder, made[i]);
        else if (text != NULL)
            seeds_add_params(seeds, text, i == 1);
    }
    return true;
}

static bool read_seeds(const struct site *site, struct seeds *seeds)
{
    static const char *const folders[] = { "adapters",  "experiments", "faults",   "figures",
                                           "hosts",     "hubs",        "machines", "mpi",
                                           "platforms", "published",   "sweeps" };
    static const char *const corpora[] = { "capture", "faults", "machine" };

    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
        seeds_add_folder(seeds, "configs", folders[i]);
    for (size_t i = 0; i < sizeof(corpora) / sizeof(corpora[0]); i++)
        seeds_add_folder(seeds, CORPUS, corpora[i]);
    return make_seeds(site, seeds);
}

/** @return whether no worker has found it before */
static bool is_new(struct shared *shared, const char *what)
{
    unsigned n = shared->nknown < KNOWN_MAX ? shared->nknown : KNOWN_MAX;

    for (unsigned i = 0; i < n; i++)
        if (strcmp(shared->known[i], what) == 0)
            return false;
    n = __atomic_fetch_add(&shared->nknown, 1, __ATOMIC_SEQ_CST);
    if (n < KNOWN_MAX)
        (void)snprintf(shared->known[n], sizeof(shared->known[n]), "%s", what);
    return true;
}

static bool write_case(const struct fuzz_case *c, const char *path)
{
    FILE *f = fopen(path, "wb");
    bool failed;

    if (f == NULL)
        return false;
    case_write(c, f);
    failed = ferror(f) != 0;
    return fclose(f) == 0 && !failed;
}

/** @return whether it is kept; also when nothing is to be kept */
static bool keep_case(const struct settings *s, const struct fuzz_case *c, const char *name)
{
    char path[512];
    bool kept;

    if (s->keep == NULL)
        return true;
    (void)mkdir(s->keep, 0777);
    (void)snprintf(path, sizeof(path), "%s/%s", s->keep, name);
    kept = write_case(c, path);
    printf("  %s: %s\n", kept ? "kept" : "could not be kept", path);
    return kept;
}

/** @return as keep_case() */
static bool report(const struct settings *s, const struct fuzz_case *c, uint64_t number,
                   const struct outcome *outcome)
{
    char name[64];
    bool kept;

    (void)snprintf(name, sizeof(name), "%s-%" PRIu64 "-%" PRIu64,
                   outcome->verdict == SLOW ? "slow" : "found", s->seed, number);
    printf("%s (seed %" PRIu64 ", number %" PRIu64 "): ",
           outcome->verdict == SLOW ? "slow" : outcome->what, s->seed, number);
    case_print(c, stdout);
    kept = keep_case(s, c, name);
    (void)fflush(stdout);
    return kept;
}

/** The command, and the first line that it said on stderr. */
static void show(const struct site *site, unsigned worker, const struct fuzz_case *c,
                 const struct outcome *outcome)
{
    static const char *const verdicts[] = { "ended well", "refused", "slow", "found" };
    const char *path = load_text(c->arena, "%s/w%u/case/stderr", site->base, worker);
    size_t n = 0;
    const char *text = seeds_read(c->arena, path, &n);

    printf("%s: ", verdicts[outcome->verdict]);
    case_print(c, stdout);
    if (text != NULL && n > 0)
        printf("    %.*s\n", (int)strcspn(text, "\n"), text);
}

static void run_one(const struct settings *s, const struct site *site, const struct seeds *seeds,
                    struct shared *shared, unsigned worker, uint64_t number)
{
    struct load_arena arena = { 0 };
    struct counts *counts = &shared->workers[worker];
    struct fuzz_case c;
    struct outcome outcome;

    compose(seeds, s->seed, number, &arena, &c);
    child_run(site, worker, &c, &outcome);
    if (s->show)
        show(site, worker, &c, &outcome);
    counts->runs++;
    counts->verdicts[outcome.verdict]++;
    if (outcome.verdict == FOUND && is_new(shared, outcome.what)) {
        if (strstr(outcome.what, " hangs") == NULL && strstr(outcome.what, " too long") == NULL)
            shrink(site, worker, &c, &outcome);
        counts->not_kept += !report(s, &c, number, &outcome);
    } else if (outcome.verdict == SLOW) {
        counts->not_kept += !report(s, &c, number, &outcome);
    }
    load_arena_fini(&arena);
}

static void work(const struct settings *s, const struct site *site, const struct seeds *seeds,
                 struct shared *shared, unsigned worker)
{
    double end = s->seconds != 0 ? fuzz_now() + s->seconds : 1e300;

    for (uint64_t i = worker; i < s->runs && fuzz_now() < end; i += s->jobs)
        run_one(s, site, seeds, shared, worker, s->first + i);
}

static bool conclude(const struct settings *s, const struct shared *shared, double seconds)
{
    struct counts all = { 0 };

    for (unsigned w = 0; w < s->jobs; w++) {
        all.runs += shared->workers[w].runs;
        all.not_kept += shared->workers[w].not_kept;
        for (int v = ENDED_WELL; v <= FOUND; v++)
            all.verdicts[v] += shared->workers[w].verdicts[v];
    }
    printf("seed %" PRIu64 ": %" PRIu64 " commands in %.0f s, %.0f a second: %" PRIu64
           " ended well, %" PRIu64 " were refused, %" PRIu64 " were slow, %" PRIu64
           " broke a rule (%u causes)\n",
           s->seed, all.runs, seconds, (double)all.runs / seconds, all.verdicts[ENDED_WELL],
           all.verdicts[REFUSED], all.verdicts[SLOW], all.verdicts[FOUND], shared->nknown);
    if (all.not_kept != 0)
        (void)fprintf(stderr, "fuzz_commands: %s: %" PRIu64 " cases could not be kept\n", s->keep,
                      all.not_kept);
    return all.verdicts[FOUND] == 0 && all.not_kept == 0;
}

static bool fuzz(const struct settings *s, const struct site *site)
{
    struct seeds seeds = { 0 };
    struct shared *shared =
        mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    double start = fuzz_now();
    bool good = true;
    int status;

    if (shared == MAP_FAILED)
        return false;
    if (!read_seeds(site, &seeds)) {
        (void)fprintf(stderr, "fuzz_commands: %s: its commands do not run; is all of it built?\n",
                      s->build);
        return false;
    }
    (void)fflush(stdout);
    for (unsigned w = 0; w < s->jobs; w++) {
        if (fork() == 0) {
            work(s, site, &seeds, shared, w);
            (void)fflush(stdout);
            _exit(0);
        }
    }
    for (unsigned w = 0; w < s->jobs; w++)
        good &= wait(&status) > 0 && status == 0;
    seeds_fini(&seeds);
    if (!good)
        (void)fprintf(stderr, "fuzz_commands: a worker ended early\n");
    return conclude(s, shared, fuzz_now() - start) && good;
}

static void print_errors(const struct site *site, struct load_arena *arena)
{
    size_t n = 0;
    const char *text = seeds_read(arena, load_text(arena, "%s/w0/case/stderr", site->base), &n);

    if (text != NULL)
        printf("%s", text);
}

/** @return whether all of them keep the rules */
static bool replay(const struct settings *s, const struct site *site, int argc, char **argv)
{
    unsigned bad = 0;

    for (int i = s->cases; i < argc; i++) {
        struct load_arena arena = { 0 };
        struct fuzz_case c;
        struct outcome outcome = { .verdict = FOUND, .what = "no case" };
        size_t n = 0;
        const char *bytes = seeds_read(&arena, argv[i], &n);

        if (bytes != NULL && case_parse(bytes, n, &arena, &c))
            child_run(site, 0, &c, &outcome);
        if (outcome.verdict >= SLOW) {
            printf("%s: %s\n", argv[i], outcome.verdict == SLOW ? "slow" : outcome.what);
            print_errors(site, &arena);
            bad++;
        }
        load_arena_fini(&arena);
    }
    printf("%d cases\n", argc - s->cases);
    return bad == 0;
}

int main(int argc, char **argv)
{
    struct settings s;
    struct site site;
    char *configs;
    sigset_t child;
    bool good;

    if (!read_settings(argc, argv, &s)) {
        (void)fprintf(stderr,
                      "usage: fuzz_commands BUILD [--seed N] [--first N] [--runs N] [--seconds N] "
                      "[--jobs N] [--limit S] [--idle S] [--keep DIR] [--show] [CASE...]\n");
        return 2;
    }
    site.limit_s = (unsigned)s.limit_s;
    site.idle_s = (unsigned)s.idle_s;
    (void)sigemptyset(&child);
    (void)sigaddset(&child, SIGCHLD);
    (void)sigprocmask(SIG_BLOCK, &child, NULL);
    configs = realpath("configs", NULL);
    if (configs == NULL || !site_init(&site, s.build, configs)) {
        (void)fprintf(stderr, "fuzz_commands: %s: no complete build\n", s.build);
        return 2;
    }
    good = s.cases != 0 ? replay(&s, &site, argc, argv) : fuzz(&s, &site);
    site_fini(&site);
    free(configs);
    free(s.build);
    return good ? 0 : 1;
}
