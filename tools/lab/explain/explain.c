#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "tools/lab/explain/explain.h"

#include "observe/observe.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MARKS_MAX   (UINT64_C(1) << 24) /* 1.5 GB: a message of some megabytes */
#define TIME_MAX_MS 20u                 /* other traffic may keep a message out for ever */

/* ---- running it ---------------------------------------------------------------- */

struct job {
    struct observer *obs;
    const struct lab_site *site;
    const struct lab_run *run;
    const struct load_machine *machine;
    FILE *out;
    char *text; /* what was written to `out` */
    size_t size;
    char core[64];
    const struct machine_desc *desc;
    struct lab_explanation *e;
};

static void read_result(struct job *job, uint64_t *start_p, uint64_t *end_p)
{
    struct lab_result result;
    uint64_t verified = 0;

    (void)fflush(job->out);
    lab_result_parse(job->text, &job->e->arena, &result);
    if (result.nlines == 0 || !lab_line_get(&result.lines[0], "start_ps", start_p) ||
        !lab_line_get(&result.lines[0], "end_ps", end_p) ||
        !lab_line_get(&result.lines[0], "verified", &verified))
        load_raise(SIM_ERR_IO, "message: printed no result");
    job->e->verified = verified != 0;
}

/** Is it a port of a router, "node0.hub.w", and not that of its host? */
static bool is_between_hubs(const struct machine_desc *desc, const char *port)
{
    char name[64], letter[64];
    unsigned node;

    if (sscanf(port, "node%u.%63[^.].%63s", &node, name, letter) != 3 || node >= desc->nnodes)
        return false;
    for (unsigned i = 0; i < desc->nodes[node].ncomponents; i++) {
        const struct machine_component_desc *c = &desc->nodes[node].components[i];

        if (strcmp(c->name, name) == 0)
            return machine_is_router(c) &&
                   (c->kind->host_port == NULL || strcmp(c->kind->host_port, letter) != 0);
    }
    return false;
}

static void keep_parts(struct lab_explanation *e, const struct machine_desc *desc,
                       const struct observe_breakdown *b)
{
    e->ps = b->to - b->from;
    e->n = b->n;
    e->parts = load_alloc(&e->arena, (b->n + 1) * sizeof(*e->parts));
    for (unsigned i = 0; i < b->n; i++) {
        const struct observe_part *p = &b->parts[i];

        e->parts[i] = (struct lab_part){ .phase = p->phase,
                                         .kind = sim_stage_kind_name(p->stage->kind),
                                         .stage = p->stage->name,
                                         .where = load_text(&e->arena, "%s", p->where),
                                         .meaning = p->stage->meaning,
                                         .from_ps = p->from - b->from,
                                         .to_ps = p->to - b->from };
        e->hops += p->stage->kind == SIM_KIND_CABLE && is_between_hubs(desc, p->where);
    }
}

static void explain_end(void *arg)
{
    struct job *job = arg;
    struct observe_breakdown b;
    uint64_t start = 0, end = 0;

    read_result(job, &start, &end);
    load_check(observe_explain(job->obs, job->core, start, end, &b, load_error()));
    keep_parts(job->e, job->desc, &b);
    observe_breakdown_fini(&b);
}

bool lab_message_is_gasnet(const struct lab_message *m)
{
    return strcmp(m->kind, "long") == 0 || strcmp(m->kind, "get") == 0;
}

/** The segment is where the data go, or where a get finds them. */
static void describe_gasnet(const struct lab_message *m, struct lab_run *run,
                            struct load_arena *arena)
{
    const char *segment = strcmp(m->kind, "get") == 0 ? m->src : m->dst;
    const char *const args[] = { load_text(arena, "op=%s", m->kind),
                                 load_text(arena, "bytes=%" PRIu64, m->bytes),
                                 load_text(arena, "src=%s", m->src),
                                 load_text(arena, "dst=%s", m->dst) };

    run->program = "gasnet-message";
    run->gasnet = load_text(arena, "%s,segment=%s", m->gasnet,
                            strcmp(segment, "cpu") == 0 ? "host" : segment);
    run->nargs = SIM_COUNT(args);
    memcpy(run->args, args, sizeof(args));
}

static void describe_board(const struct lab_message *m, struct lab_run *run,
                           struct load_arena *arena)
{
    const char *const args[] = { load_text(arena, "kind=%s", m->kind),
                                 load_text(arena, "bytes=%" PRIu64, m->bytes),
                                 load_text(arena, "puts=%" PRIu64, m->puts),
                                 load_text(arena, "blocks=%" PRIu64, m->blocks),
                                 load_text(arena, "pitch=%" PRIu64, m->pitch),
                                 load_text(arena, "src=%s", m->src),
                                 load_text(arena, "dst=%s", m->dst),
                                 load_text(arena, "descriptors=%s", m->descriptors) };

    run->program = "message";
    run->nargs = SIM_COUNT(args);
    memcpy(run->args, args, sizeof(args));
}

static void describe_run(const struct lab_message *m, struct lab_run *run, struct load_arena *arena)
{
    if (lab_message_is_gasnet(m))
        describe_gasnet(m, run, arena);
    else
        describe_board(m, run, arena);
    run->nranks = 2 + m->ncontend;
    run->nodes[0] = m->from;
    run->nodes[1] = m->to;
    for (unsigned i = 0; i < m->ncontend; i++)
        run->nodes[2 + i] = m->contend[i];
}

static void simulate_job(void *arg)
{
    struct job *job = arg;

    lab_simulate_on(job->site, job->run, job->machine, job->out);
}

/** No option has set the limit that ends it. */
static void run_job(struct job *job)
{
    struct sim_error why = { 0 };
    int rc = load_attempt(simulate_job, job, &why);

    if (rc == SIM_ERR_LIMIT)
        load_raise(rc,
                   "%s: what happens in %u ms is explained: expected a message that has come by "
                   "then",
                   why.text, TIME_MAX_MS);
    *load_error() = why;
    load_check(rc);
}

static void end_job(void *arg)
{
    struct job *job = arg;

    (void)fclose(job->out);
    free(job->text);
    observe_destroy(job->obs);
}

struct lab_explanation lab_explain(const struct lab_site *site, const struct lab_run *run,
                                   const struct lab_message *message)
{
    struct lab_explanation e = { .message = message, .machine = run->machine };
    struct lab_site observed = *site;
    struct lab_run whole = *run;
    struct job job = { .obs = observe_create(MARKS_MAX), .e = &e };
    struct load_machine *machine = lab_load_run(site, run);
    struct load_arena arena = { 0 };

    job.desc = load_machine_desc(machine);
    job.out = open_memstream(&job.text, &job.size);
    SIM_ASSERT(job.out != NULL);
    load_own(&arena, end_job, &job);
    if (job.obs == NULL)
        load_raise(SIM_ERR_NOMEM, "%s: out of memory", run->machine);
    (void)snprintf(job.core, sizeof(job.core), "node%u.host.core%u", message->to,
                   message->from == message->to ? 1 : 0);
    describe_run(message, &whole, &e.arena);
    observed.probe = observe_probe(job.obs);
    observed.ended = explain_end;
    observed.ended_arg = &job;
    observed.max_time_ps = TIME_MAX_MS * SIM_MS;
    job.site = &observed;
    job.run = &whole;
    job.machine = machine;
    run_job(&job);
    load_arena_fini(&arena);
    load_machine_destroy(machine);
    return e;
}

void lab_explanation_fini(struct lab_explanation *e)
{
    load_arena_fini(&e->arena);
}

/* ---- tables ------------------------------------------------------------------------ */

static bool same_stage(const struct lab_part *a, const struct lab_part *b)
{
    return strcmp(a->phase, b->phase) == 0 && strcmp(a->stage, b->stage) == 0 &&
           strcmp(a->where, b->where) == 0;
}

/** A part for each place and stage of a phase: all its intervals together. */
struct fold {
    const struct lab_part *first;
    unsigned count;
    uint64_t ps;
};

/** In the order in which they come first. @return how many; *folds_p lives in `arena`. */
static unsigned fold_parts(const struct lab_explanation *e, struct load_arena *arena,
                           struct fold **folds_p)
{
    struct fold *folds = load_alloc(arena, (e->n + 1) * sizeof(*folds));
    unsigned n = 0;

    for (unsigned i = 0; i < e->n; i++) {
        unsigned k = 0;

        while (k < n && !same_stage(folds[k].first, &e->parts[i]))
            k++;
        if (k == n)
            folds[n++] = (struct fold){ .first = &e->parts[i] };
        folds[k].count++;
        folds[k].ps += e->parts[i].to_ps - e->parts[i].from_ps;
    }
    *folds_p = folds;
    return n;
}

static void set_ns(struct lab_table *table, unsigned row, unsigned column, uint64_t ps)
{
    lab_table_set(table, row, column, "%" PRIu64 ".%03u", ps / 1000, (unsigned)(ps % 1000));
}

static void set_share(const struct lab_explanation *e, struct lab_table *table, unsigned row,
                      unsigned column, uint64_t ps)
{
    uint64_t tenths = e->ps != 0 ? (ps * 1000 + e->ps / 2) / e->ps : 0;

    lab_table_set(table, row, column, "%" PRIu64 ".%u", tenths / 10, (unsigned)(tenths % 10));
}

void lab_explain_path(const struct lab_explanation *e, struct lab_table *table)
{
    lab_table_begin(table, "phase, kind, stage, where, from_ps#, to_ps#, ps#, meaning");
    for (unsigned i = 0; i < e->n; i++) {
        const struct lab_part *p = &e->parts[i];
        unsigned row = lab_table_add(table);

        lab_table_set(table, row, 0, "%s\t%s\t%s\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%s",
                      p->phase, p->kind, p->stage, p->where, p->from_ps, p->to_ps,
                      p->to_ps - p->from_ps, p->meaning);
    }
}

void lab_explain_table(const struct lab_explanation *e, struct lab_table *table)
{
    struct fold *folds;
    uint64_t sum = 0;
    unsigned n;

    lab_table_begin(table, "phase, stage, where, times#, ns#, share_%#, sum_ns#");
    n = fold_parts(e, &table->arena, &folds);
    for (unsigned i = 0; i < n; i++) {
        const struct lab_part *p = folds[i].first;
        unsigned row = lab_table_add(table);

        sum += folds[i].ps;
        lab_table_set(table, row, 0, "%s\t%s\t%s",
                      i == 0 || strcmp(p->phase, folds[i - 1].first->phase) != 0 ? p->phase : "",
                      p->stage, p->where);
        if (folds[i].count > 1)
            lab_table_set(table, row, 3, "%u", folds[i].count);
        set_ns(table, row, 4, folds[i].ps);
        set_share(e, table, row, 5, folds[i].ps);
        set_ns(table, row, 6, sum);
    }
}

struct sum {
    const char *name;
    uint64_t ps;
};

static int by_time(const void *a, const void *b)
{
    const struct sum *x = a, *y = b;

    if (x->ps != y->ps)
        return x->ps < y->ps ? 1 : -1;
    return strcmp(x->name, y->name);
}

void lab_explain_sums(const struct lab_explanation *e, enum lab_sum by, struct lab_table *table)
{
    struct sum *sums;
    unsigned n = 0;

    lab_table_begin(table, by == LAB_SUM_KIND ? "kind, ns#, share_%#" : "phase, ns#, share_%#");
    sums = load_alloc(&table->arena, (e->n + 1) * sizeof(*sums));
    for (unsigned i = 0; i < e->n; i++) {
        const char *name = by == LAB_SUM_KIND ? e->parts[i].kind : e->parts[i].phase;
        unsigned k = 0;

        while (k < n && strcmp(sums[k].name, name) != 0)
            k++;
        if (k == n)
            sums[n++] = (struct sum){ name, 0 };
        sums[k].ps += e->parts[i].to_ps - e->parts[i].from_ps;
    }
    if (by == LAB_SUM_KIND)
        qsort(sums, n, sizeof(*sums), by_time);
    for (unsigned i = 0; i < n; i++) {
        unsigned row = lab_table_add(table);

        lab_table_set(table, row, 0, "%s", sums[i].name);
        set_ns(table, row, 1, sums[i].ps);
        set_share(e, table, row, 2, sums[i].ps);
    }
}

void lab_explain_title(const struct lab_explanation *e, char *text, size_t size)
{
    const struct lab_message *m = e->message;
    char shape[96] = "";

    if (strcmp(m->kind, "chain") == 0)
        (void)snprintf(shape, sizeof(shape), "%" PRIu64 " x ", m->puts);
    if (strcmp(m->kind, "2d") == 0)
        (void)snprintf(shape, sizeof(shape), "%" PRIu64 " x ", m->blocks);
    (void)snprintf(text, size,
                   "%s: %s, %s%" PRIu64 " bytes, node%u %s to node%u %s, %u hop%s%s: %" PRIu64
                   ".%03u ns",
                   e->machine, m->kind, shape, m->bytes, m->from, m->src, m->to, m->dst, e->hops,
                   e->hops == 1 ? "" : "s", m->ncontend > 0 ? ", contended" : "", e->ps / 1000,
                   (unsigned)(e->ps % 1000));
}
