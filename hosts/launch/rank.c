/* Ranks: their copy of the program, their memory, their streams, their beginning and end. */
#include "hosts/launch/helper.h"
#include "hosts/launch/message.h"
#include "hosts/launch/node/node.h"
#include "hosts/launch/poll.h"
#include "hosts/launch/process/output.h"
#include "hosts/launch/race/race.h"
#include "hosts/launch/signal.h"
#include "hosts/launch/watch.h"
#include "hosts/launch/worker.h"
#include "hosts/transport/transport.h"

#include <stdlib.h>
#include <string.h>

/* Asked at each line that the rank prints. */
static sim_time_t rank_clock(void *arg)
{
    launch_polls_printed(arg);
    return sim_now(((struct launch_thread *)arg)->dom);
}

static void hook_exit(int code)
{
    struct launch_thread *t = launch_self();

    if (t == NULL)
        launch_end_outside(code);
    launch_charge(launch_running(&t->host));
    t->host.process->exit(&t->host, code);
}

/* No time passes while programs are loaded and unloaded, which runs constructors and destructors.
 */
static uint64_t hook_time(void)
{
    struct host *h = host_self();

    if (h == NULL)
        return 0;
    h->cpu->tsc(h); /* what reading the timer costs */
    return h->cpu->time_ps(h);
}

static uint64_t hook_sleep(uint64_t ps, const uint64_t *ran_p)
{
    struct launch_thread *t = launch_self();
    const struct hub_program_signals *s;
    uint64_t now, until, ran;

    if (t == NULL)
        return 0;
    s = &t->signals.program;
    now = t->host.cpu->time_ps(&t->host);
    until = ps < HOST_NEVER - now ? now + ps : HOST_NEVER;
    ran = ran_p != NULL ? *ran_p : s->ran;
    while (now < until && s->ran == ran && (s->pending & s->wanted) == 0) {
        t->host.cpu->sleep(&t->host, until);
        now = t->host.cpu->time_ps(&t->host);
    }
    return until - now;
}

/* The rank's own loops: those of a helper hold its core until they end, and those of threads that
 * the program started are no part of the simulation. */
static void hook_poll(const volatile void *p, uint32_t size, const struct hub_program_place *place)
{
    struct launch_thread *t = launch_self();

    if (t == NULL || launch_running(&t->host) != t)
        return;
    launch_poll(t, p, size, place);
    launch_signals_take(t);
}

static void hook_access(const volatile void *p, size_t bytes, enum hub_program_access access,
                        const void *from)
{
    struct launch_thread *t = launch_self();

    if (t != NULL && launch_running(&t->host) == t)
        race_access(t->node->run->race, t, p, bytes, access, from);
}

static void rank_run(struct launch_thread *t)
{
    const struct launch_config *cfg = t->node->run->cfg;
    task_main_fn fn = t->program != NULL ? t->program->main : cfg->entry;

    launch_charged(t);
    t->exit_code = task_call_main(cfg->argc, t->argv, fn); /* adapters pin pages of its arrays */
    if (t->program != NULL)
        t->program->exit(t->exit_code);
}

static void rank_start(struct sim_event *ev)
{
    launch_resume(SIM_CONTAINER_OF(ev, struct launch_thread, start));
}

/* The program may change its arguments: each rank has its own, in one piece of memory. */
static char **copy_args(const struct launch_config *cfg)
{
    size_t bytes = ((size_t)cfg->argc + 1) * sizeof(char *);
    char **argv;
    char *text;

    for (int i = 0; i < cfg->argc; i++)
        bytes += strlen(cfg->argv[i]) + 1;
    argv = malloc(bytes);
    if (argv == NULL)
        return NULL;
    text = (char *)(argv + cfg->argc + 1);
    for (int i = 0; i < cfg->argc; i++) {
        size_t n = strlen(cfg->argv[i]) + 1;

        argv[i] = memcpy(text, cfg->argv[i], n);
        text += n;
    }
    argv[cfg->argc] = NULL;
    return argv;
}

static unsigned node_of(const struct launch *run, unsigned rank)
{
    return run->cfg->nodes != NULL ? run->cfg->nodes[rank] : rank % run->nnodes;
}

static unsigned ranks_of(const struct launch *run, unsigned node)
{
    unsigned n = 0;

    for (unsigned r = 0; r < run->nranks; r++)
        n += node_of(run, r) == node;
    return n;
}

/** Which hub of its node the rank `local` there uses. */
static int choose_hub(const struct launch *run, unsigned rank, unsigned local, unsigned *hub_p,
                      struct sim_error *err)
{
    const struct machine_desc *desc = machine_description(run->m);
    unsigned node = node_of(run, rank), n = launch_hubs(desc, node);
    unsigned hub = launch_rank_hub(run->software->rank_hub, n, local);

    if (hub != 0 && hub >= n)
        return sim_error_set(err, SIM_ERR_CONFIG,
                             "rank %u on node %u: software.rank_hub = %u: expected turn, or a hub "
                             "of the %u that the node has",
                             rank, node, hub, n);
    if (hub != 0 && local != 0 && run->race != NULL && run->software->rank_hub == LAUNCH_HUB_TURN)
        return sim_error_set(err, SIM_ERR_CONFIG,
                             "rank %u on node %u: the check for races knows one hub of a node: "
                             "expected software.rank_hub = 0, not turn",
                             rank, node);
    *hub_p = hub;
    return SIM_OK;
}

/* One core of a node is for interrupts, unless it has one only. */
static int rank_place(struct launch *run, unsigned rank, struct sim_error *err)
{
    struct launch_thread *t = &run->ranks[rank];
    unsigned index = node_of(run, rank), hub = 0;
    struct launch_node *node;
    int code;

    if (index >= run->nnodes)
        return sim_error_set(err, SIM_ERR_CONFIG, "rank %u: node = %u: expected 0 .. %u", rank,
                             index, run->nnodes - 1);
    node = &run->nodes[index];
    if (node->nranks + (node_host_cores(node->host) > 1) >= node_host_cores(node->host))
        return sim_error_set(
            err, SIM_ERR_CONFIG,
            "node%u.host: cores = %u: too few for %u ranks and one for interrupts: "
            "expected fewer ranks (-n, --place) or more nodes (-m)",
            index, node_host_cores(node->host), ranks_of(run, index));
    code = choose_hub(run, rank, node->nranks, &hub, err);
    if (code != SIM_OK)
        return code;
    t->is_rank = true;
    sim_event_init(&t->start, rank_start);
    launch_signals_init(t);
    launch_mail_init(t);
    code = launch_thread_init(
        t, node, node_host_core(node->host, launch_core_of(node, node->nranks++)), rank_run, err);
    t->host.rank = rank;
    t->host.hub = hub;
    t->host.checks = run->cfg->checks;
    t->host.race = run->race != NULL ? &race_ops : NULL;
    t->host.run = &run->shared;
    if (code != SIM_OK || !run->cfg->profile)
        return code;
    t->host.profile =
        calloc(1, sizeof(*t->host.profile) + run->nranks * sizeof(t->host.profile->peers[0]));
    if (t->host.profile == NULL)
        return sim_error_set(err, SIM_ERR_NOMEM, "rank %u: out of memory", rank);
    t->host.profile->npeers = run->nranks;
    return SIM_OK;
}

static int rank_memory(struct launch_node *node, struct launch_thread *t, struct sim_error *err)
{
    uint64_t first = node->ram->base + LAUNCH_RESERVED + LAUNCH_KERNEL;
    uint64_t share =
        (node->ram->base + node->ram->size - first) / node->nranks & ~(LAUNCH_ARENA_ALIGN - 1);
    uint64_t index = node->arenas++;

    if (index == 0)
        launch_set_home(node, first, share);
    t->pins.segment = (unsigned)index;
    if (share == 0 || !range_init(&t->arena, first + index * share, share))
        return sim_error_set(err, SIM_ERR_NOMEM, "node%u: no memory for %u rank%s",
                             node->shared.index, node->nranks, node->nranks == 1 ? "" : "s");
    return SIM_OK;
}

static const char *base_name(const struct launch_config *cfg)
{
    const char *path = cfg->argc > 0 ? cfg->argv[0] : "", *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

static int rank_program(struct launch_node *node, struct launch_thread *t,
                        const struct program_file *file, struct sim_error *err)
{
    struct launch *run = node->run;
    struct hub_program_hooks hooks = {
        .in = t->host.rank == 0 ? stdin : run->nothing, /* as mpirun has it */
        .exit = hook_exit,
        .time_ps = hook_time,
        .sleep_ps = hook_sleep,
        .poll = hook_poll,
        .poll_low = (uintptr_t)node->ram->bytes,
        .poll_bytes = node->ram->size,
        .place = { [HUB_RANK] = t->host.rank,
                   [HUB_RANKS] = run->nranks,
                   [HUB_LOCAL_RANK] = t->pins.segment, /* arenas are given out in order of rank */
                   [HUB_LOCAL_RANKS] = node->nranks },
        .visible = &t->visible,
    };
    int code = SIM_OK;

    if (run->race != NULL) {
        hooks.access = hook_access;
        hooks.accessed = race_range(run->race, t->host.rank);
    }
    t->visible = (char *)(uintptr_t)run->cfg->visible; /* getenv() has no const */
    launch_signals_hook(t, &hooks);
    (void)snprintf(hooks.host, sizeof(hooks.host), "node%u", node->shared.index);
    (void)snprintf(hooks.name, sizeof(hooks.name), "%s", base_name(run->cfg));
    t->argv = copy_args(run->cfg);
    t->out = output_open(run->output, t->host.rank, OUTPUT_STDOUT, rank_clock, t);
    t->err = output_open(run->output, t->host.rank, OUTPUT_STDERR, rank_clock, t);
    if (!launch_heap_init(t, &hooks) || hooks.in == NULL || t->argv == NULL || t->out == NULL ||
        t->err == NULL)
        return sim_error_set(err, SIM_ERR_NOMEM, "rank %u: out of memory", t->host.rank);
    hooks.out = t->out;
    hooks.err = t->err;
    if (file->fd >= 0)
        code = program_load(file, t->host.rank, &hooks, &t->program, err);
    if (code == SIM_OK) {
        t->compute = run->cfg->compute;
        t->blocks = t->program != NULL ? t->program->blocks : NULL;
    }
    return code;
}

/** Do ranks send by hubs, those that drive them or by MPI? Functions of tests may do so. */
static bool uses_hubs(const struct launch *run)
{
    const struct launch_thread *first = &run->ranks[0];

    return first->program == NULL || first->program->drives_hubs ||
           transport_network(&first->host, launch_network(run->m)) == HOST_NETWORK_HUBS;
}

/** Has a file or the user said which hub ranks use? */
static bool is_hub_chosen(const struct machine_desc *desc)
{
    const struct machine_node_desc *nd = &desc->nodes[0]; /* whose software all ranks have */

    for (unsigned i = 0; i < nd->ncomponents; i++) {
        const struct machine_value *v = machine_value_find(&nd->components[i], "rank_hub");

        if (v != NULL && v->file != NULL)
            return true;
    }
    return false;
}

/** The second hub of a node that has ranks, where all ranks use the first by default. */
static void remark_idle_hub(const struct launch *run)
{
    const struct machine_desc *desc = machine_description(run->m);
    char line[200];

    if (run->cfg->remark == NULL || run->software->rank_hub != 0 || !uses_hubs(run) ||
        is_hub_chosen(desc))
        return;
    for (unsigned r = 0; r < run->nranks; r++) {
        unsigned node = node_of(run, r);

        if (launch_hub(desc, node, 1) == NULL)
            continue;
        (void)snprintf(line, sizeof(line),
                       "node%u.%s: no rank uses it: software.rank_hub = turn gives the ranks of a "
                       "node its hubs in turn, and 1 gives them this one",
                       node, launch_hub(desc, node, 1));
        run->cfg->remark(run->cfg->output_arg, line);
        return;
    }
}

int launch_ranks_init(struct launch *run, struct sim_error *err)
{
    struct program_file file = { .fd = -1 };
    int code = SIM_OK;

    run->ranks = calloc(run->nranks, sizeof(*run->ranks));
    run->nothing = fopen("/dev/null", "re");
    if (run->ranks == NULL)
        return sim_error_set(err, SIM_ERR_NOMEM, "out of memory");
    if ((run->cfg->checks & HOST_CHECK_RACES) != 0 && (run->race = race_create(run)) == NULL)
        return sim_error_set(err, SIM_ERR_NOMEM, "out of memory");
    if (run->cfg->program != NULL)
        code = program_file_open(run->cfg->program, &file, err);
    code = sim_agree(machine_sim(run->m), code, err);
    if (code == SIM_OK)
        code = launch_agree_inputs(run, &file, err);
    for (unsigned r = 0; r < run->nranks && code == SIM_OK; r++)
        code = rank_place(run, r, err);
    for (unsigned r = 0; r < run->nranks && code == SIM_OK; r++) {
        struct launch_node *node = &run->nodes[node_of(run, r)];

        code = rank_memory(node, &run->ranks[r], err);
        if (code == SIM_OK && sim_is_here(node->dom))
            code = rank_program(node, &run->ranks[r], &file, err);
    }
    if (code == SIM_OK)
        remark_idle_hub(run);
    program_file_close(&file);
    return code;
}

void launch_end(struct launch_thread *t, int code, sim_time_t at)
{
    SIM_ASSERT(!t->ended);
    t->ended = true;
    t->exit_code = code;
    t->host.ended_well = code == 0;
    t->host.end_ps = at;
    if (!t->is_rank)
        return;
    /* Events that no rank waits for would put off, or for ever hide, that others are deadlocked. */
    launch_signals_cancel(t);
    sim_cancel(t->dom, &t->wakeup);
    launch_helper_cancel(t);
    sim_part_ended(t->dom, at);
}

/* The earliest one counts, in whatever order the nodes have run. Without a lock: one thread runs
 * all nodes (core/sim.h), and threads of a program's own, for which the heap has locks, never get
 * here: they are no rank (host_self()) and end the process (launch_end_outside()). */
void launch_abort_all(struct launch_thread *t, unsigned rank, int code, const char *line)
{
    struct launch_abort *abort = &t->node->run->abort;
    sim_time_t now = sim_now(t->dom);

    if (!abort->done || now < abort->time || (now == abort->time && rank < abort->rank)) {
        *abort = (struct launch_abort){ .done = true, .rank = rank, .code = code, .time = now };
        (void)snprintf(abort->line, sizeof(abort->line), "%s", line);
    }
    if (t->err != NULL) /* its own lines come first */
        (void)fflush(t->err);
    sim_stop(t->dom);
}

static void rank_fini(struct launch_thread *t)
{
    launch_helper_fini(t);
    launch_worker_fini(t);
    if (t->task != NULL) {
        sim_cancel(t->dom, &t->start);
        launch_signals_cancel(t);
    }
    host_states_release(&t->host.states);
    launch_thread_fini(t);
    launch_mail_fini(t);
    launch_polls_fini(t);
    free(t->host.profile); /* unless the result has it */
    free(t->argv);
}

void launch_ranks_fini(struct launch *run)
{
    for (unsigned r = 0; run->ranks != NULL && r < run->nranks; r++)
        rank_fini(&run->ranks[r]);
}

void launch_ranks_start(struct launch *run, sim_time_t at)
{
    sim_expect(machine_sim(run->m), run->nranks);
    for (unsigned r = 0; r < run->nranks; r++) {
        struct launch_thread *t = &run->ranks[r];
        struct sim_stream stream;
        char path[32];
        sim_time_t late = 0;

        snprintf(path, sizeof(path), "rank%u.start", r);
        sim_stream_init(&stream, sim_seed(t->dom), path);
        if (run->software->start_spread_ps != 0)
            late = sim_stream_below(&stream, run->software->start_spread_ps);
        sim_schedule_at(t->dom, &t->start, at + late, SIM_TASK);
    }
}
