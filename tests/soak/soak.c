#include "soak.h"

#include "endpoint.h"
#include "hub/hub.h"
#include "tools/load/machine.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SLICE (20 * SIM_US)
/* What is under way when the sources stop, and replays of it, takes no longer. */
#define DRAIN (5 * SIM_MS)

struct run {
    struct machine *machine;
    struct soak_node *nodes[SOAK_NODES];
    struct soak_result *result;
};

static void add_tlps(void *arg, const char *path, const char *unit, const char *meaning,
                     uint64_t value)
{
    size_t n = strlen(path);
    uint64_t *sum = arg;

    (void)unit;
    (void)meaning;
    if (n > 8 && strcmp(path + n - 8, ".tx.tlps") == 0)
        *sum += value;
}

static int check_nodes(const struct run *r, struct sim_error *err)
{
    for (unsigned i = 0; i < SOAK_NODES; i++)
        if (r->nodes[i]->err.code != SIM_OK)
            return sim_error_set(err, SIM_ERR_IO, "%s", r->nodes[i]->err.text);
    return SIM_OK;
}

static uint64_t count_tlps(const struct run *r)
{
    uint64_t sum = 0;

    sim_stat_each(machine_sim(r->machine), add_tlps, &sum);
    return sum;
}

/** What has not come yet, of writes and reads. */
static uint64_t missing(const struct run *r)
{
    uint64_t n = 0;

    for (unsigned a = 0; a < SOAK_NODES; a++) {
        n += r->nodes[a]->reading ? 1 : 0;
        for (unsigned b = 0; b < SOAK_NODES; b++)
            n += r->nodes[a]->sent[b] - r->nodes[b]->taken[a];
    }
    return n;
}

static int drive(struct run *r, uint64_t tlps, struct sim_error *err)
{
    struct sim *sim = machine_sim(r->machine);
    sim_time_t now = 0;
    uint64_t before = 0;
    int rc = SIM_OK;

    while (rc == SIM_OK && count_tlps(r) < tlps) {
        (void)sim_run(sim, now += SLICE);
        rc = check_nodes(r, err);
        if (rc == SIM_OK && now % DRAIN == 0) {
            if (count_tlps(r) == before)
                return sim_error_set(err, SIM_ERR_STALLED, "nothing moves since %" PRIu64 " ps",
                                     now - DRAIN);
            before = count_tlps(r);
        }
    }
    for (unsigned i = 0; i < SOAK_NODES; i++)
        r->nodes[i]->stopped = true;
    for (sim_time_t end = now + DRAIN; rc == SIM_OK && missing(r) != 0; now += SLICE) {
        if (now > end)
            return sim_error_set(err, SIM_ERR_STALLED, "%" PRIu64 " writes or reads never came",
                                 missing(r));
        (void)sim_run(sim, now + SLICE);
        rc = check_nodes(r, err);
    }
    r->result->end_ps = now;
    return rc;
}

static void conclude(struct run *r)
{
    struct soak_result *out = r->result;

    out->tlps = count_tlps(r);
    out->print = sim_fingerprint_of(machine_sim(r->machine));
    for (unsigned i = 0; i < SOAK_NODES; i++) {
        out->bytes += r->nodes[i]->bytes;
        out->reads += r->nodes[i]->reads;
        for (unsigned k = 0; k < SOAK_NODES; k++)
            out->writes += r->nodes[i]->taken[k];
    }
}

struct telling {
    soak_stat_fn fn;
    void *arg;
};

static void tell(void *arg, const char *path, const char *unit, const char *meaning, uint64_t value)
{
    const struct telling *t = arg;

    (void)unit;
    (void)meaning;
    if (value != 0)
        t->fn(t->arg, path, value);
}

static int run_on(const struct soak_config *cfg, const struct machine_desc *desc,
                  struct soak_result *result, const struct telling *telling, struct sim_error *err)
{
    const struct sim_config sim = {
        .seed = cfg->seed, .fingerprint = true, .order = cfg->order, .check_order = true
    };
    struct run r = { .result = result };
    int rc = machine_create(desc, &sim, NULL, NULL, &r.machine, err);

    if (rc != SIM_OK)
        return rc;
    for (unsigned i = 0; i < SOAK_NODES; i++)
        r.nodes[i] = machine_component(r.machine, i, "host", NULL);
    *result = (struct soak_result){ 0 };
    rc = drive(&r, cfg->tlps, err);
    conclude(&r);
    if (telling->fn != NULL)
        sim_stat_each(machine_sim(r.machine), tell, (void *)(uintptr_t)telling);
    machine_destroy(r.machine);
    return rc;
}

struct ring {
    const char *path;
    const struct load_options *opt;
    struct load_machine *file;
};

static void read_ring(void *arg)
{
    struct ring *ring = arg;

    ring->file = load_machine_create(ring->path, ring->opt);
}

int soak_run(const struct soak_config *cfg, struct soak_result *result, soak_stat_fn stat,
             void *stat_arg, struct sim_error *err)
{
    static const struct machine_kind *const kinds[] = { &soak_kind, &hub_kind, NULL };
    const struct telling telling = { stat, stat_arg };
    struct load_roots roots;
    const struct load_options opt = {
        .roots = &roots, .kinds = kinds, .faults = cfg->faults, .nfaults = cfg->nfaults
    };
    char path[1024];
    struct ring ring = { .path = path, .opt = &opt };
    int rc;

    load_roots_init(&roots);
    (void)snprintf(path, sizeof(path), "%s/ring8.yaml", cfg->folder);
    rc = load_attempt(read_ring, &ring, err);
    if (rc != SIM_OK)
        return rc;
    rc = run_on(cfg, load_machine_desc(ring.file), result, &telling, err);
    load_machine_destroy(ring.file);
    return rc;
}
