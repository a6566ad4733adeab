#include "tools/lab/software.h"

#include <stdlib.h>
#include <string.h>

#define KINDS_MAX 32u

struct config {
    uint64_t call_ps, syscall_ps, cuda_call_ps, cuda_copy_ps, copy_kb_ps, pin_ps;
    uint64_t local_message_ps, start_spread_ps, pio_mapping;
};

#define COST(key, def, member, meaning)                                                            \
    {                                                                                              \
        key, "ps", 0, SIM_MS, def, offsetof(struct config, member), meaning, NULL                  \
    }

static const struct machine_param params[] = {
    COST("call_ps", 20 * SIM_NS, call_ps, "entering a library function"),
    COST("syscall_ps", 500 * SIM_NS, syscall_ps, "into the kernel and back"),
    COST("cuda_call_ps", 300 * SIM_NS, cuda_call_ps, "a CUDA call that starts nothing"),
    COST("cuda_copy_ps", 5 * SIM_US, cuda_copy_ps, "starting a copy and learning of its end"),
    COST("copy_kb_ps", 170 * SIM_NS, copy_kb_ps, "a core copies 1024 bytes in memory"),
    COST("pin_ps", 250 * SIM_NS, pin_ps, "the kernel pins a page and gives it a bus address"),
    COST("local_message_ps", 1 * SIM_US, local_message_ps, "a message between ranks of one node"),
    COST("start_spread_ps", 0, start_spread_ps,
         "ranks start within this time of each other, seeded; 0 = all at once"),
    { "pio_mapping", "choice", 0, 1, 0, offsetof(struct config, pio_mapping),
      "how the window is mapped into programs: uncached or write-combining", "uc|wc" },
    MACHINE_PARAM_END
};

static int create(const struct machine_place *place, const void *config, void **component_p,
                  struct sim_error *err)
{
    struct config *copy = malloc(sizeof(*copy));

    if (copy == NULL)
        return sim_error_set(err, SIM_ERR_NOMEM, "%s: out of memory", place->path);
    memcpy(copy, config, sizeof(*copy));
    *component_p = copy;
    return SIM_OK;
}

static struct machine_port no_port(void *component, const char *name)
{
    (void)component;
    (void)name;
    return (struct machine_port){ NULL, NULL, NULL };
}

static const char *const no_ports[] = { NULL };

const struct machine_kind lab_software_kind = {
    .name = "software",
    .summary = "costs of the operating system and libraries",
    .params = params,
    .config_bytes = sizeof(struct config),
    .ports = no_ports,
    .create = create,
    .port = no_port,
    .destroy = free,
};

const struct machine_kind *const *lab_kinds(void)
{
    static const struct machine_kind *all[KINDS_MAX]; /* the same at every call */
    unsigned n = 0;

    for (const struct machine_kind *const *kind = machine_kinds(); *kind != NULL; kind++) {
        SIM_ASSERT(n + 2 < KINDS_MAX);
        all[n++] = *kind;
    }
    all[n++] = &lab_software_kind;
    all[n] = NULL;
    return all;
}

struct launch_software lab_software(struct machine *machine, unsigned node)
{
    struct launch_software software = launch_software_default;
    const struct machine_kind *kind = NULL;
    const struct config *cfg = machine_component(machine, node, "software", &kind);

    if (cfg == NULL || kind != &lab_software_kind)
        return software;
    software.cost_ps[HOST_COST_CALL] = cfg->call_ps;
    software.cost_ps[HOST_COST_SYSCALL] = cfg->syscall_ps;
    software.cost_ps[HOST_COST_CUDA_CALL] = cfg->cuda_call_ps;
    software.cost_ps[HOST_COST_CUDA_COPY] = cfg->cuda_copy_ps;
    software.cost_ps[HOST_COST_COPY_KB] = cfg->copy_kb_ps;
    software.cost_ps[HOST_COST_PIN] = cfg->pin_ps;
    software.local_message_ps = cfg->local_message_ps;
    software.start_spread_ps = cfg->start_spread_ps;
    software.pio_mapping = cfg->pio_mapping != 0 ? HOST_WRITE_COMBINING : HOST_UNCACHED;
    return software;
}
