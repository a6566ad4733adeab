#define _POSIX_C_SOURCE 200809L
#include "tools/lab/process/processes.h"

#include "parallel/parallel.h"
#include "tools/lab/format/version.h"
#include "tools/load/find.h"
#include "tools/load/value.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct parallel *others; /* NULL: this process is alone */

static void leave(void)
{
    (void)fflush(NULL);
    parallel_close(others);
    others = NULL;
}

static void be_silent(void)
{
    int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);

    if (nothing < 0)
        return;
    (void)dup2(nothing, STDOUT_FILENO);
    (void)dup2(nothing, STDERR_FILENO);
    (void)close(nothing);
}

void lab_processes_begin(void)
{
    char folder[900], object[1000];

    if (parallel_processes() == 1 || others != NULL)
        return;
    if (!load_find_self(folder, sizeof(folder)))
        load_raise(SIM_ERR_IO, "/proc/self/exe: cannot be read");
    (void)snprintf(object, sizeof(object), "%s/../lib/hubsim/hubsim_parallel.so", folder);
    others = parallel_open(object, load_error());
    if (others == NULL)
        load_check(load_error()->code);
    (void)atexit(leave);
    if (!lab_processes_first())
        be_silent();
}

bool lab_processes_several(void)
{
    return others != NULL;
}

bool lab_processes_first(void)
{
    return others == NULL || parallel_group(others)->process == 0;
}

static uint64_t hash_link(uint64_t hash, const struct machine_link_desc *link)
{
    const uint64_t ends[] = { link->node_a, link->node_b, link->length_mm };
    const char *const names[] = { link->component_a, link->port_a, link->component_b,
                                  link->port_b };

    hash = sim_hash_bytes(hash, ends, sizeof(ends));
    for (size_t i = 0; i < SIM_COUNT(names); i++)
        hash = sim_hash_bytes(hash, names[i], strlen(names[i]));
    return hash;
}

static uint64_t hash_node(uint64_t hash, const struct machine_node_desc *node)
{
    for (unsigned i = 0; i < node->ncomponents; i++) {
        const struct machine_component_desc *c = &node->components[i];

        hash = sim_hash_bytes(hash, c->name, strlen(c->name));
        for (const struct machine_value *v = c->values; v->param != NULL; v++)
            hash = sim_hash_bytes(hash, &v->value, sizeof(v->value));
    }
    for (unsigned i = 0; i < node->nlinks; i++)
        hash = hash_link(hash, &node->links[i]);
    return hash;
}

static uint64_t hash_machine(uint64_t hash, const struct machine_desc *desc)
{
    const uint64_t own[] = { desc->nnodes,         desc->ncables,          desc->ps_per_m,
                             desc->net_latency_ps, desc->net_bytes_per_us, desc->nfaults };

    hash = sim_hash_bytes(hash, own, sizeof(own));
    for (unsigned i = 0; i < desc->nnodes; i++)
        hash = hash_node(hash, &desc->nodes[i]);
    for (unsigned i = 0; i < desc->ncables; i++)
        hash = hash_link(hash, &desc->cables[i]);
    return hash;
}

static void check_same(struct machine *m, const struct machine_desc *desc)
{
    uint64_t hash = sim_hash_bytes(0, hubsim_commit, strlen(hubsim_commit));
    uint64_t seed = sim_seed(machine_domain(m, 0));
    bool same;

    hash = sim_hash_bytes(hash, HUBSIM_VERSION, strlen(HUBSIM_VERSION));
    hash = sim_hash_bytes(hash, &seed, sizeof(seed));
    load_check(sim_compare(machine_sim(m), hash_machine(hash, desc), &same));
    if (!same)
        load_raise(SIM_ERR_CONFIG,
                   "%s: the processes of this run have different machines, seeds or builds: "
                   "expected the same",
                   desc->name);
}

void lab_processes_share(struct machine *m, const struct machine_desc *desc)
{
    struct sim *sim = machine_sim(m);
    const struct sim_group *group;
    uint32_t n = sim_domains(sim), *owner;

    if (others == NULL)
        return;
    group = parallel_group(others);
    owner = calloc(n + 1u, sizeof(*owner));
    SIM_ASSERT(owner != NULL);
    parallel_blocks(n, group->nprocesses, owner);
    load_check(sim_join(sim, group, owner));
    free(owner);
    check_same(m, desc);
}
