#include "tools/lab/run/software.h"
#include "tools/lab/run/mpi_library.h"
#include "tools/load/value.h"

#include "hosts/driver/include/hub-work.h"
#include "hosts/mbcf/costs.h"

#include <stdlib.h>
#include <string.h>

#define KINDS_MAX 32u

struct config {
    uint64_t call_ps, syscall_ps, helper_ps, cuda_call_ps, cuda_copy_ps, copy_kb_ps, pin_ps;
    uint64_t local_message_ps, start_spread_ps, pio_mapping, rank_socket;
    uint64_t loop_ps[HUB_LOOPS];
    uint64_t memory_first_bytes, memory_first_ps, memory_cache_bytes, memory_line_bytes,
        memory_line_ps;
    uint64_t mpi_transport, mpi_progress, mpi_requests, mpi_eager_bytes, mpi_write_bytes,
        mpi_entry_ps;
    uint64_t mpi_fifo_bytes;
    struct { /* settings that transport ib alone has */
        uint64_t rails, stripe_bytes, inline_bytes, gdr, gdr_limit;
        uint64_t gpu_load_bytes, gpu_store_bytes, gpu_gather, gpu_eager_bytes;
        uint64_t chunk_bytes, chunks, copies_ahead, gdr_rails, gpu_query_ps;
    } ib;
    struct {
        MBCF_SETTINGS(MBCF_MEMBER)
    } kernel;
};

#define KERNEL(member, key, unit, least, most, def, choices, meaning)                              \
    { key, unit, least, most, def, offsetof(struct config, kernel.member), meaning, choices },
#define COST(key, def, member, meaning)                                                            \
    {                                                                                              \
        key, "ps", 0, SIM_MS, def, offsetof(struct config, member), meaning, NULL                  \
    }

#define BYTES(key, member, meaning)                                                                \
    {                                                                                              \
        key, "bytes", 0, UINT32_C(1) << 30, 0, offsetof(struct config, member), meaning, NULL      \
    }

static const struct machine_param params[] = {
    COST("call_ps", 20 * SIM_NS, call_ps, "entering a library function"),
    COST("syscall_ps", 500 * SIM_NS, syscall_ps, "into the kernel and back"),
    COST("helper_ps", 3 * SIM_US, helper_ps,
         "a library's helper, rung by an interrupt, gets the core of its rank, and gives it back"),
    COST("cuda_call_ps", 300 * SIM_NS, cuda_call_ps, "a CUDA call that starts nothing"),
    COST("cuda_copy_ps", 5 * SIM_US, cuda_copy_ps, "starting a copy and learning of its end"),
    COST("copy_kb_ps", 170 * SIM_NS, copy_kb_ps, "a core copies 1024 bytes in memory"),
    COST("pin_ps", 250 * SIM_NS, pin_ps, "the kernel pins a page and gives it a bus address"),
    COST("local_message_ps", 1 * SIM_US, local_message_ps, "a message between ranks of one node"),
    COST("start_spread_ps", 0, start_spread_ps,
         "ranks start within this time of each other, seeded; 0 = all at once"),
    { "pio_mapping", "choice", 0, 1, 0, offsetof(struct config, pio_mapping),
      "how the window is mapped into programs: uncached or write-combining", "uc|wc" },
    { "rank_socket", "choice", 0, 2, 0, offsetof(struct config, rank_socket),
      "whose cores and memory ranks take first: of the adapter that MPI uses, or of a socket",
      "adapter|0|1" },
    { "memory.first_bytes", "bytes", 0, UINT32_C(1) << 30, UINT32_C(32) << 10,
      offsetof(struct config, memory_first_bytes), "first-level cache for data", NULL },
    COST("memory.first_ps", 4 * SIM_NS, memory_first_ps,
         "a value that the first-level cache does not hold comes from the larger one"),
    { "memory.cache_bytes", "bytes", 0, UINT32_C(1) << 30, UINT32_C(20) << 20,
      offsetof(struct config, memory_cache_bytes), "what a program's loops find in the cache",
      NULL },
    { "memory.line_bytes", "bytes", 1, 4096, 64, offsetof(struct config, memory_line_bytes),
      "what a miss of it moves", NULL },
    COST("memory.line_ps", 5 * SIM_NS, memory_line_ps,
         "a line between memory and cache, in loops that walk through memory"),
    COST("loop.random_ps", 12 * SIM_NS, loop_ps[HUB_LOOP_RANDOM],
         "a program computes elementary functions of a random number"),
    COST("loop.stencil_ps", 400, loop_ps[HUB_LOOP_STENCIL],
         "an operation of sums over neighbours in a grid larger than caches"),
    COST("loop.indexed_ps", 1 * SIM_NS, loop_ps[HUB_LOOP_INDEXED],
         "an operation on a row of a sparse matrix"),
    COST("loop.counting_ps", 1 * SIM_NS, loop_ps[HUB_LOOP_COUNTING],
         "an integer is counted or moved by its value"),
    COST("loop.sweep_ps", 500, loop_ps[HUB_LOOP_SWEEP],
         "an operation on blocks of a grid, each after its neighbours"),
    COST("loop.lines_ps", 500, loop_ps[HUB_LOOP_LINES],
         "an operation of recurrences along the lines of a grid"),
    COST("loop.blocks_ps", 350, loop_ps[HUB_LOOP_BLOCKS],
         "an operation on blocks eliminated along the lines of a grid"),
    { "mpi.transport", "choice", 0, 5, 0, offsetof(struct config, mpi_transport),
      "the network that MPI uses; own = the first of hubs, ib and Ethernet that joins all nodes",
      "own|net|mbcf|tcp|ib|peach2" },
    { "mpi.progress", "choice", 0, 1, 0, offsetof(struct config, mpi_progress),
      "what goes on with pending operations while a program computes: its next call of MPI, or a "
      "helper that interrupts wake",
      "calls|helper" },
    /* 0 and "own": as the transport has it */
    { "mpi.requests", "choice", 0, 2, 0, offsetof(struct config, mpi_requests),
      "whether receives that find nothing tell senders their address", "own|on|off" },
    { "mpi.eager_bytes", "bytes", 0, UINT32_C(1) << 30, 0, offsetof(struct config, mpi_eager_bytes),
      "longest message that is sent without asking; 0 = the transport's own limit", NULL },
    { "mpi.write_bytes", "bytes", 0, UINT32_C(1) << 30, 0, offsetof(struct config, mpi_write_bytes),
      "shortest message written to the address a receive told; 0 = the transport's own", NULL },
    { "mpi.fifo_bytes", "bytes", 0, UINT32_C(1) << 30, 0, offsetof(struct config, mpi_fifo_bytes),
      "longest entry of a FIFO, if shorter than the transport's own; 0 = that, else 256 or more",
      NULL },
    /* of transport ib; 0: its own */
    { "mpi.rails", "1", 0, 2, 0, offsetof(struct config, ib.rails),
      "ports of the InfiniBand adapter that MPI uses; 0 = one", NULL },
    BYTES("mpi.stripe_bytes", ib.stripe_bytes,
          "InfiniBand: shortest write that is shared out among the rails; 0 = 16384"),
    BYTES("mpi.inline_bytes", ib.inline_bytes,
          "InfiniBand: longest entry that travels inside of its work request; 0 = 128"),
    { "mpi.gdr", "choice", 0, 2, 0, offsetof(struct config, ib.gdr),
      "InfiniBand: whether the adapter reads and writes GPU memory", "own|on|off" },
    BYTES("mpi.gdr_limit", ib.gdr_limit,
          "InfiniBand: longest message that the adapter moves from or to a GPU; 0 = 8192"),
    BYTES("mpi.gpu_load_bytes", ib.gpu_load_bytes,
          "InfiniBand: most data that the core loads from a GPU; 0 = 16; 1 = none"),
    BYTES("mpi.gpu_store_bytes", ib.gpu_store_bytes,
          "InfiniBand: most data that the core stores to a GPU; 0 = 16; 1 = none"),
    { "mpi.gpu_gather", "choice", 0, 2, 0, offsetof(struct config, ib.gpu_gather),
      "InfiniBand: eager data leave the GPU by the adapter, or are looped to the host first",
      "own|on|off" },
    BYTES("mpi.gpu_eager_bytes", ib.gpu_eager_bytes,
          "InfiniBand: longest message from a GPU that is sent without asking; 0 = 4096; 1 = none"),
    BYTES("mpi.chunk_bytes", ib.chunk_bytes,
          "InfiniBand: piece of a message that is staged through the host; 0 = 262144"),
    { "mpi.chunks", "1", 0, 16, 0, offsetof(struct config, ib.chunks),
      "InfiniBand: such pieces under way; 0 = 4", NULL },
    { "mpi.copies_ahead", "1", 0, 16, 0, offsetof(struct config, ib.copies_ahead),
      "InfiniBand: pieces copied out of the GPU before the first of them leaves; 0 = 1", NULL },
    { "mpi.gdr_rails", "1", 0, 2, 0, offsetof(struct config, ib.gdr_rails),
      "InfiniBand: ports that move data of a GPU without staging; 0 = one", NULL },
    COST("mpi.gpu_query_ps", 0, ib.gpu_query_ps,
         "InfiniBand: finding out whose memory a pointer of a call points to"),
    COST("mpi.entry_ps", 0, mpi_entry_ps,
         "MPI makes or examines one header; 0 = the transport's own"),
    /* the facility of hosts/mbcf in the kernel */
    MBCF_SETTINGS(KERNEL) MACHINE_PARAM_END
};

/** Keys that libraries read by name (host_setting_of()). */
static bool is_setting(const char *key)
{
    return strncmp(key, "mpi.", 4) == 0 || strncmp(key, "kernel.", 7) == 0 ||
           strncmp(key, "memory.", 7) == 0;
}

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

#define MPI_PREFIX "mpi."

/** The place of a setting for the libraries, with its key. */
static struct host_setting *setting(struct launch_software *software, const char *key)
{
    struct host_setting *s = software->settings;

    while (s->key != NULL && strcmp(s->key, key) != 0)
        s++;
    SIM_ASSERT(s < software->settings + LAUNCH_SETTINGS_MAX);
    *s = (struct host_setting){ .key = key };
    return s;
}

void lab_software_algorithms(struct launch_software *software, const char *text)
{
    setting(software, "mpi.algorithms")->text = text;
}

/** A setting for the libraries; 0 takes it back. */
static void set(struct launch_software *software, const struct machine_param *param, uint64_t value)
{
    struct host_setting *s = setting(software, param->key);
    char word[64];

    s->number = value;
    if (param->choices != NULL)
        (void)snprintf(s->word, sizeof(s->word), "%s",
                       load_value_print(param, value, word, sizeof(word)));
}

/** The row of a setting of MPI, its key without "mpi."; NULL: there is none. */
static const struct machine_param *find_setting(size_t n, const char *key)
{
    const struct machine_param *p = params;

    while (p->key != NULL && (strncmp(p->key, MPI_PREFIX, strlen(MPI_PREFIX)) != 0 ||
                              strlen(p->key) != strlen(MPI_PREFIX) + n ||
                              strncmp(p->key + strlen(MPI_PREFIX), key, n) != 0))
        p++;
    return p->key != NULL ? p : NULL;
}

/** What was chosen; "own": nothing was. */
static const char *transport_of(const struct launch_software *software)
{
    for (const struct host_setting *s = software->settings; s->key != NULL; s++)
        if (strcmp(s->key, MPI_PREFIX "transport") == 0 && s->word[0] != '\0')
            return s->word;
    return "own";
}

static bool is_of_ib(const char *item)
{
    const struct machine_param *p = find_setting(strcspn(item, "=,"), item);
    const size_t first = offsetof(struct config, ib);

    return p != NULL && p->offset >= first && p->offset < first + sizeof(((struct config *)0)->ib);
}

/** What the user sets must be there to be set; a library may say more than the transport has. */
static int check_settings(const struct launch_software *software, const char *text,
                          struct sim_error *err)
{
    const char *transport = transport_of(software);

    if (strcmp(transport, "own") == 0 || strcmp(transport, "ib") == 0)
        return SIM_OK;
    for (const char *at = text; *at != '\0'; at += strcspn(at, ","), at += *at == ',')
        if (is_of_ib(at))
            return sim_error_set(err, SIM_ERR_CONFIG,
                                 "MPI: %.*s: a setting of transport ib alone: expected ib, not %s",
                                 (int)strcspn(at, ","), at, transport);
    return SIM_OK;
}

static int set_text(struct launch_software *software, const char *key, size_t n, const char *text,
                    struct sim_error *err)
{
    const struct machine_param *p = find_setting(n, key);
    char expected[160];
    uint64_t value;

    if (p == NULL)
        return sim_error_set(err, SIM_ERR_CONFIG,
                             "MPI: %.*s = %s: no such setting; `hubsim params` has them as mpi.*",
                             (int)n, key, text);
    if (!load_value_parse(p, text, &value))
        return sim_error_set(err, SIM_ERR_CONFIG, "MPI: %.*s = %s: %s", (int)n, key, text,
                             load_value_expected(p, expected, sizeof(expected)));
    set(software, p, value);
    return SIM_OK;
}

static int set_one(void *arg, const char *key, const char *value, struct sim_error *err)
{
    return set_text(arg, key, strlen(key), value, err);
}

/** All settings of a library of its time. */
static int set_library(struct launch_software *software, const char *name,
                       const struct load_roots *roots, struct sim_error *err)
{
    struct load_roots own = { 0 };

    if (roots == NULL)
        load_roots_init(&own);
    return lab_mpi_library(roots != NULL ? roots : &own, name, set_one, software, err);
}

int lab_software_mpi(struct launch_software *software, const char *text,
                     const struct load_roots *roots, struct sim_error *err)
{
    char item[128];
    int rc = SIM_OK;

    for (const char *at = text; rc == SIM_OK && *at != '\0';) {
        size_t n = strcspn(at, ",");
        const char *value;

        if (n >= sizeof(item))
            return sim_error_set(err, SIM_ERR_CONFIG, "MPI: %.40s...: no such setting", at);
        (void)snprintf(item, sizeof(item), "%.*s", (int)n, at);
        value = strchr(item, '=');
        if (strncmp(item, "library=", strlen("library=")) == 0)
            rc = set_library(software, value + 1, roots, err);
        else if (value != NULL)
            rc = set_text(software, item, (size_t)(value - item), value + 1, err);
        else
            rc = set_text(software, "transport", strlen("transport"), item, err);
        at += n + (at[n] == ',');
    }
    return rc == SIM_OK ? check_settings(software, text, err) : rc;
}

const char *lab_software_beside(const struct launch_software *software,
                                const struct machine *machine)
{
    const char *transport = transport_of(software);
    bool ib = strcmp(transport, "own") != 0 ? strcmp(transport, "ib") == 0
                                            : launch_network(machine) == HOST_NETWORK_IB;

    return ib ? "ib" : NULL;
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
    software.cost_ps[HOST_COST_HELPER] = cfg->helper_ps;
    software.cost_ps[HOST_COST_CUDA_CALL] = cfg->cuda_call_ps;
    software.cost_ps[HOST_COST_CUDA_COPY] = cfg->cuda_copy_ps;
    software.cost_ps[HOST_COST_COPY_KB] = cfg->copy_kb_ps;
    software.cost_ps[HOST_COST_PIN] = cfg->pin_ps;
    for (unsigned i = 0; i < HUB_LOOPS; i++)
        software.cost_ps[HOST_COST_LOOP + i] = cfg->loop_ps[i];
    software.local_message_ps = cfg->local_message_ps;
    software.start_spread_ps = cfg->start_spread_ps;
    if (cfg->rank_socket != 0)
        software.socket = (unsigned)cfg->rank_socket - 1;
    software.pio_mapping = cfg->pio_mapping != 0 ? HOST_WRITE_COMBINING : HOST_UNCACHED;
    for (const struct machine_param *p = params; p->key != NULL; p++)
        if (is_setting(p->key))
            set(&software, p, *(const uint64_t *)((const char *)cfg + p->offset));
    return software;
}
