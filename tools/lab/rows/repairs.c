#include "tools/lab/rows/repairs.h"

#include <inttypes.h>
#include <string.h>

/** In the order of cause and effect. */
static const struct {
    const char *tail; /* how the statistic's path ends */
    const char *words;
} kinds[] = {
    { ".tx.bit_errors", "bits that the wire inverted" },
    { ".tx.corrupted_tlps", "TLPs of which not all arrived as sent" },
    { ".tx.corrupted_dllps", "DLLPs that did not arrive as sent" },
    { ".outages", "outages and changes of rate" },
    { ".rx.bad_lcrc", "TLPs refused for their LCRC or a symbol" },
    { ".rx.bad_sequence", "TLPs refused for their sequence number" },
    { ".rx.bad_dllps", "DLLPs refused for their CRC or a symbol" },
    { ".tx.naks", "NAKs sent" },
    { ".tx.replays", "replays begun, by NAK or time-out" },
    { ".tx.replay_timeouts", "of them by time-out" },
    { ".tx.replayed_tlps", "TLPs sent again" },
    { ".rx.duplicates", "TLPs dropped that had been received before" },
    { ".rx.nullified_tlps", "nullified TLPs dropped" },
    { ".retrains", "retrainings that a port asked for" },
    { ".errors.uncorrectable", "errors that the links could not repair" },
    { ".tx.discarded_tlps", "TLPs lost with a link that went down" }, /* the last: always printed */
};

#define NKINDS SIM_COUNT(kinds)

void lab_repairs_add(struct lab_repairs *r, const char *path, uint64_t value)
{
    size_t n = strlen(path);

    _Static_assert(NKINDS <= LAB_REPAIRS_MAX, "room for each");
    for (size_t i = 0; i < NKINDS; i++) {
        size_t tail = strlen(kinds[i].tail);

        if (n > tail && strcmp(path + n - tail, kinds[i].tail) == 0)
            r->counts[i] += value;
    }
}

void lab_repairs_write(const struct lab_repairs *r, const char *head, FILE *out)
{
    bool any = false;

    for (size_t i = 0; i < NKINDS; i++)
        any |= r->counts[i] != 0;
    if (!any)
        (void)fprintf(out, "%snothing that a link had to repair\n", head);
    for (size_t i = 0; i < NKINDS && any; i++)
        if (r->counts[i] != 0 || i + 1 == NKINDS)
            (void)fprintf(out, "%s%12" PRIu64 "  %s\n", head, r->counts[i], kinds[i].words);
}

/** "link node*.hub.e: burst at=10us for=1us (8 places)" */
static const char *fault_text(const struct load_fault *f, struct load_arena *arena)
{
    bool named = strncmp(f->pairs, f->kind, strlen(f->kind)) == 0; /* bit_error_rate=1e-9 */

    return load_text(arena, "%s %s: %s%s%s (%u %s)", f->target, f->pattern, named ? "" : f->kind,
                     named || f->pairs[0] == '\0' ? "" : " ", f->pairs, f->places,
                     f->places == 1 ? "place" : "places");
}

struct writing {
    const char *head;
    FILE *out;
};

static void write_one(void *arg, const struct load_fault *fault)
{
    const struct writing *w = arg;
    struct load_arena arena = { 0 };

    (void)fprintf(w->out, "%s%s\n", w->head, fault_text(fault, &arena));
    load_arena_fini(&arena);
}

void lab_repairs_write_faults(const struct load_machine *machine, const char *head, FILE *out)
{
    struct writing w = { head, out };

    load_machine_each_fault(machine, write_one, &w);
}

/* ---- all runs of a pool ------------------------------------------------------------------ */

struct summing {
    struct lab_repairs repairs;
    struct load_arena arena;
    unsigned n;
    const char *faults[64]; /* each once; what does not fit is in the result's faults.csv */
    bool more;
};

static struct load_fault parse_fault(const struct lab_line *line, struct load_arena *arena)
{
    struct load_fault f = { "", "", "", "", 0 };
    uint64_t places = 0;

    for (unsigned i = 0; i < line->n; i++) {
        const struct lab_pair *pair = &line->pairs[i];

        if (strcmp(pair->key, "target") == 0)
            f.target = pair->value;
        else if (strcmp(pair->key, "pattern") == 0)
            f.pattern = pair->value;
        else if (strcmp(pair->key, "kind") == 0)
            f.kind = pair->value;
        else if (strcmp(pair->key, "places") != 0)
            f.pairs = load_text(arena, "%s%s%s=%s", f.pairs, f.pairs[0] != '\0' ? " " : "",
                                pair->key, pair->value);
    }
    (void)lab_line_get(line, "places", &places);
    f.places = (unsigned)places;
    return f;
}

static void add_fault(struct summing *s, const char *text)
{
    for (unsigned i = 0; i < s->n; i++)
        if (strcmp(s->faults[i], text) == 0)
            return;
    s->more |= s->n == sizeof(s->faults) / sizeof(s->faults[0]);
    if (!s->more)
        s->faults[s->n++] = text;
}

static void add_run(void *arg, const struct lab_run *run, const struct lab_result *result)
{
    struct summing *s = arg;

    (void)run;
    for (unsigned i = 0; i < result->nfaults; i++) {
        struct load_fault fault = parse_fault(&result->faults[i], &s->arena);

        add_fault(s, fault_text(&fault, &s->arena));
    }
    for (unsigned i = 0; i < result->nstats; i++)
        lab_repairs_add(&s->repairs, result->stats[i].path, result->stats[i].value);
}

void lab_repairs_write_all(const struct lab_pool *pool, FILE *out)
{
    struct summing s = { .n = 0 };

    lab_pool_each(pool, add_run, &s);
    if (s.n > 0)
        (void)fprintf(out, "\nfaults\n");
    for (unsigned i = 0; i < s.n; i++)
        (void)fprintf(out, "  %s\n", s.faults[i]);
    if (s.more)
        (void)fprintf(out, "  ...\n");
    if (s.n > 0) {
        (void)fprintf(out, "\nwhat they did, and what the links did about them, in all runs\n");
        lab_repairs_write(&s.repairs, "  ", out);
    }
    load_arena_fini(&s.arena);
}
