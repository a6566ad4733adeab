#include "hosts/launch/node/node.h"
#include "hosts/launch/process/output.h"
#include "hosts/launch/race/race.h"
#include "hosts/launch/report.h"

#include "hosts/gasnet/core/settings.h"
#include "hosts/launch/watch.h"
#include "hosts/loops/loops.h"
#include "hosts/mbcf/costs.h"
#include "hosts/transport/transport.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lines are handed over so often in simulated time, so that a long run shows its progress. */
#define SLICE_PS SIM_MS
/* Ranks start at a multiple of this, so that a faster boot of one device moves nothing. */
#define START_GRID_PS (100 * SIM_US)

#define ANOTHER_IS_GONE "another process of the simulation is gone"

static const struct host_param own_params[] = {
    HOST_PARAM_PS("local_message_ps", 1 * SIM_US, "a message between ranks of one node"),
    HOST_PARAM_PS("start_spread_ps", 0,
                  "ranks start within this time of each other, seeded; 0 = all at once"),
    HOST_PARAM_CHOICE("pio_mapping", HOST_UNCACHED, "uc|wc", HOST_WRITE_COMBINING,
                      "how the window is mapped into programs: uncached or write-combining"),
    HOST_PARAM_CHOICE(
        "rank_socket", LAUNCH_SOCKET_BESIDE, "adapter|0|1", 2,
        "whose cores and memory ranks take first: of the adapter that MPI uses, or of a socket"),
    HOST_PARAM_CHOICE(
        "rank_hub", 0, "0|1|2|3|4|5|6|7|turn", LAUNCH_HUB_TURN,
        "which of the hubs of its node a rank uses, by root port; turn: the first rank "
        "of a node the first hub, the next one the next"),
    HOST_PARAM_END
};

static const struct host_param *table_row(const struct host_param *table, unsigned *i)
{
    for (; table != NULL && table->key != NULL; table++)
        if ((*i)-- == 0)
            return table;
    return NULL;
}

const struct host_param *launch_param(unsigned i, const char **transport_p)
{
    const struct host_param *const first[] = {
        host_cost_params,          own_params,   loops_params, transport_params(),
        transport_gasnet_params(), gasnet_params
    };
    const struct host_param *const last[] = { transport_cost_params, mbcf_params };
    const struct host_param *found = NULL;

    if (transport_p != NULL)
        *transport_p = NULL;
    for (unsigned t = 0; found == NULL && t < SIM_COUNT(first); t++)
        found = table_row(first[t], &i);
    for (unsigned l = 0; found == NULL && l < TRANSPORT_LIBRARIES; l++)
        for (unsigned t = 0; found == NULL && transports[t] != NULL; t++) {
            found = table_row(transports[t]->params[l], &i);
            if (found != NULL && transport_p != NULL)
                *transport_p = transports[t]->name;
        }
    for (unsigned t = 0; found == NULL && t < SIM_COUNT(last); t++)
        found = table_row(last[t], &i);
    return found;
}

struct host_setting *launch_software_setting(struct launch_software *software, const char *key)
{
    struct host_setting *s = software->settings;

    while (s->key != NULL && strcmp(s->key, key) != 0)
        s++;
    SIM_ASSERT(s < software->settings + LAUNCH_SETTINGS_MAX);
    *s = (struct host_setting){ .key = key };
    return s;
}

/** The number-th of "a|b|c". */
static void choose_word(const char *choices, uint64_t number, char *word, size_t room)
{
    while (number-- > 0)
        choices += strcspn(choices, "|") + 1;
    (void)snprintf(word, room, "%.*s", (int)strcspn(choices, "|"), choices);
}

void launch_software_set(struct launch_software *software, const struct host_param *p,
                         uint64_t value)
{
    uint64_t *const own[] = { &software->local_message_ps, &software->start_spread_ps,
                              &software->pio_mapping, &software->rank_socket, &software->rank_hub };
    struct host_setting *s;

    if (p->cost != 0) {
        software->cost_ps[p->cost - 1] = value;
        return;
    }
    for (unsigned i = 0; i < SIM_COUNT(own); i++)
        if (p == &own_params[i]) {
            *own[i] = value;
            return;
        }
    s = launch_software_setting(software, p->key);
    s->number = value;
    if (p->choices != NULL)
        choose_word(p->choices, value, s->word, sizeof(s->word));
}

struct launch_software launch_software_default(void)
{
    struct launch_software software = { 0 };
    const struct host_param *p;

    for (unsigned i = 0; (p = launch_param(i, NULL)) != NULL; i++)
        if (p->cost != 0 || (p >= own_params && p < own_params + SIM_COUNT(own_params)))
            launch_software_set(&software, p, p->def);
    return software;
}

/* Appends a circle of ranks or packets that wait for each other to what is known of the ranks. */
static void add_circle(const struct launch *run, struct sim_error *err)
{
    struct launch_needs *needs = launch_needs_create(run);
    size_t n = err != NULL ? strlen(err->text) : 0;
    char circle[700];

    if (err == NULL || needs == NULL)
        goto out;
    /* Packets of all nodes are known to one process only when there is one. */
    if (launch_circle(needs, circle, sizeof(circle)) ||
        (sim_processes(machine_sim(run->m)) == 1 &&
         machine_stall_circle(run->m, circle, sizeof(circle)))) {
        err->cause = SIM_CAUSE_DEADLOCK;
        (void)snprintf(err->text + n, sizeof(err->text) - n, "; deadlock: %s", circle);
    } else if (launch_bereft(needs, circle, sizeof(circle)))
        (void)snprintf(err->text + n, sizeof(err->text) - n, "; %s", circle);
out:
    launch_needs_destroy(needs);
}

struct first_rank {
    unsigned rank; /* UINT_MAX: none */
    char text[250];
};

static void take_first(void *arg, const unsigned char *bytes, size_t n)
{
    struct first_rank *first = arg, other;

    memcpy(&other, bytes, n);
    if (other.rank < first->rank)
        *first = other;
}

/* ": rank 1 on node 1 is polling memory", of the first rank that has not ended */
static int name_first(const struct launch *run, char *text, size_t room)
{
    struct first_rank first = { .rank = UINT_MAX }, all = first;
    char where[200];
    int code;

    for (unsigned r = 0; r < run->nranks && first.rank == UINT_MAX; r++) {
        const struct launch_thread *t = &run->ranks[r];

        if (t->ended || !sim_is_here(t->dom))
            continue;
        first.rank = r;
        launch_where(t, where, sizeof(where));
        (void)snprintf(first.text, sizeof(first.text), ": rank %u on node %u is %s", r,
                       t->node->shared.index, where);
    }
    code = sim_allgather(machine_sim(run->m), &first, sizeof(first), take_first, &all);
    SIM_ASSERT(code != SIM_OK || all.rank != UINT_MAX);
    (void)snprintf(text, room, "%s", all.text);
    return code;
}

/** Ranks that have not ended. */
static unsigned launch_left(const struct launch *run)
{
    return run->abort.done ? 0 : (unsigned)sim_parts_left(machine_sim(run->m));
}

static int report_stuck(const struct launch *run, int code, const char *why, struct sim_error *err)
{
    char first[250] = "";

    if (!run->cfg->lists && name_first(run, first, sizeof(first)) != SIM_OK)
        return sim_error_set(err, SIM_ERR_IO, ANOTHER_IS_GONE);
    (void)sim_error_set(err, code, "%s at %.3f us%s; %u of %u have not ended", why,
                        (double)sim_reached(machine_sim(run->m)) / 1e6, first, launch_left(run),
                        run->nranks);
    if (code == SIM_ERR_STALLED)
        add_circle(run, err);
    return code;
}

/* How long nothing but turns of programs' loops, or looks of all ranks in vain, has happened. */
struct idling {
    uint64_t events, turns;
    unsigned long since_ms; /* by the processor's time */
};

static bool idle_too_long(struct launch *run, struct idling *idle)
{
    uint64_t events = sim_events_run(machine_sim(run->m)) - idle->events;
    uint64_t turns = run->idle_turns - idle->turns;
    bool looks = launch_only_looks(run);
    uint64_t busy = events != turns && !looks, late;

    idle->events += events;
    idle->turns += turns;
    (void)sim_sum(machine_sim(run->m), &busy, 1);
    if (busy != 0)
        idle->since_ms = watch_cpu_ms();
    late = run->cfg->patience_s != 0 &&
           watch_cpu_ms() - idle->since_ms > run->cfg->patience_s * 1000UL;
    (void)sim_sum(machine_sim(run->m), &late, 1);
    return late != 0;
}

/* A signal may come to one process only. @return its number, 0: none has come */
static int signal_of_all(const struct launch *run, const struct watch *watch)
{
    uint64_t not_it = UINT64_MAX - (uint64_t)watch_signal(watch);

    (void)sim_least(machine_sim(run->m), &not_it, 1);
    return (int)(UINT64_MAX - not_it);
}

static void abort_all(struct launch *run)
{
    const struct launch_abort *abort = &run->abort;

    if (abort->line[0] != '\0' && sim_is_here(run->ranks[abort->rank].dom))
        output_put(run->output, abort->rank, OUTPUT_LIBRARY, abort->time, abort->line);
    for (unsigned r = 0; r < run->nranks; r++) {
        struct launch_thread *t = &run->ranks[r];

        if (!t->ended && sim_is_here(t->dom))
            launch_end(t, run->abort.code, run->abort.time);
    }
}

/* main() alone has a block. */
static int check_counts(const struct launch *run, struct sim_error *err)
{
    uint64_t counted = 0;

    if (run->cfg->compute != LAUNCH_COMPUTE_COUNTED)
        return SIM_OK;
    for (unsigned r = 0; r < run->nranks; r++)
        counted += run->ranks[r].blocks != NULL && *run->ranks[r].blocks != 0;
    if (sim_sum(machine_sim(run->m), &counted, 1) == SIM_OK && counted != 0)
        return SIM_OK;
    return sim_error_set(err, SIM_ERR_CONFIG,
                         "%s: no block was counted: expected a program made by hubcc --count",
                         run->cfg->program != NULL ? run->cfg->program : "entry");
}

static int run_ranks(struct launch *run, sim_time_t start, const struct watch *watch, int *signal_p,
                     struct sim_error *err)
{
    struct sim *sim = machine_sim(run->m);
    sim_time_t max = run->cfg->max_time_ps != 0 ? run->cfg->max_time_ps : SIM_TIME_NEVER;
    sim_time_t until = start;
    struct idling idle = { 0 };

    while (launch_left(run) > 0) {
        int code, gone;

        until = until < max && max - until > SLICE_PS ? until + SLICE_PS : max;
        code = sim_run(sim, until);
        gone = code == SIM_ERR_IO ? code : launch_agree_abort(run);
        if (gone == SIM_OK && run->abort.done)
            abort_all(run);
        if (gone == SIM_OK)
            gone = launch_flush_all(run, until);
        if (gone != SIM_OK)
            return sim_error_set(err, gone, ANOTHER_IS_GONE);
        if (launch_left(run) == 0)
            break;
        *signal_p = signal_of_all(run, watch);
        if (*signal_p != 0)
            return report_stuck(run, SIM_ERR_LIMIT, "stopped by a signal", err);
        if (code == SIM_OK)
            return report_stuck(run, SIM_ERR_STALLED, "nothing is left that could happen", err);
        if (code != SIM_ERR_LIMIT)
            return code;
        if (until == max)
            return report_stuck(run, SIM_ERR_LIMIT, "the time limit was reached", err);
        if (idle_too_long(run, &idle))
            return report_stuck(run, SIM_ERR_STALLED, "nothing but polling happens", err);
    }
    return SIM_OK;
}

static enum host_end end_of(const struct launch *run, int code)
{
    if (code == SIM_ERR_STALLED)
        return HOST_END_STALLED;
    if (code != SIM_OK || run->abort.done)
        return HOST_END_EARLY;
    for (unsigned r = 0; r < run->nranks; r++)
        if (run->ranks[r].exit_code != 0)
            return HOST_END_EARLY;
    return HOST_END_WELL;
}

uint64_t launch_found_max(unsigned checks)
{
    return (checks & HOST_CHECK_ALL_RACES) != 0 ? UINT64_MAX : LAUNCH_FOUND_MAX;
}

static void collect_result(const struct launch *run, sim_time_t start, struct launch_result *res)
{
    res->start_ps = start;
    res->aborted = run->abort.done;
    res->abort_rank = run->abort.rank;
    res->found = run->found;
    res->found_lines = run->found_lines;
    res->announces =
        run->ranks != NULL && run->ranks[0].program != NULL && run->ranks[0].program->announces;
    res->ranks = calloc(run->nranks, sizeof(*res->ranks));
    res->nranks = res->ranks != NULL ? run->nranks : 0;
    for (unsigned r = 0; run->ranks != NULL && r < res->nranks; r++) {
        struct launch_thread *t = &run->ranks[r];
        struct launch_rank_result *rank = &res->ranks[r];

        *rank = (struct launch_rank_result){ .ended = t->ended,
                                             .exit_code = t->exit_code,
                                             .signal = t->signal,
                                             .end_ps = t->host.end_ps,
                                             .profile = t->host.profile };
        t->host.profile = NULL;
        res->uses_mpi |= transport_of(&t->host, TRANSPORT_MPI) != NULL;
        res->uses_gasnet |= transport_of(&t->host, TRANSPORT_GASNET) != NULL;
        if (t->node != NULL)
            rank->node = t->node->shared.index;
        if (t->ended && t->host.end_ps > res->end_ps)
            res->end_ps = t->host.end_ps;
        if (!t->ended && t->node != NULL) {
            launch_where(t, rank->where, sizeof(rank->where));
            rank->in_collective = launch_in_collective(t);
        }
    }
    if (launch_left(run) > 0)
        res->end_ps = sim_reached(machine_sim(run->m));
}

static unsigned process_threads(void)
{
    DIR *folder = opendir("/proc/self/task");
    unsigned n = 0;

    while (folder != NULL && readdir(folder) != NULL)
        n++;
    if (folder != NULL)
        closedir(folder);
    return n;
}

/* Tasks of a rank refer to its program and heap, and what the unloading of a program runs may write
 * to its streams. All stay where threads of a program's own still run, which end with the process.
 */
static void run_fini(struct launch *run, unsigned threads_before)
{
    bool stays;

    launch_ranks_fini(run);
    launch_nodes_fini(run);
    output_end(run->output);
    stays = process_threads() > threads_before;
    for (unsigned r = 0; run->ranks != NULL && r < run->nranks; r++) {
        program_unload(run->ranks[r].program, stays);
        run->ranks[r].program = NULL;
        if (!stays)
            launch_heap_fini(&run->ranks[r]);
    }
    if (stays)
        output_keep(run->output);
    else
        output_destroy(run->output);
    if (stays)
        return; /* with what such threads allocate from */
    if (run->nothing != NULL)
        (void)fclose(run->nothing);
    race_destroy(run->race);
    free(run->ranks);
}

int launch_run(struct machine *m, const struct launch_config *cfg, struct launch_result *result_p,
               struct sim_error *err)
{
    const struct launch_software usual = launch_software_default();
    struct launch run = { .m = m, .cfg = cfg };
    struct watch *watch;
    sim_time_t start = 0;
    unsigned threads = process_threads();
    int code;

    memset(result_p, 0, sizeof(*result_p));
    run.nranks = cfg->nranks != 0 ? cfg->nranks : launch_hosts(m);
    run.software = cfg->software != NULL ? cfg->software : &usual;
    run.output = output_create(cfg->output, cfg->output_arg);
    if (run.output == NULL)
        return sim_error_set(err, SIM_ERR_NOMEM, "out of memory");
    output_follow(run.output, cfg->output_codes);
    code = launch_nodes_init(&run, err);
    if (code == SIM_OK)
        code = launch_ranks_init(&run, err);
    code = sim_agree(machine_sim(m), code, err);
    if (code == SIM_OK)
        code = sim_agree(machine_sim(m), launch_boot(&run, err), err);
    if (code == SIM_OK)
        code = sim_gather(machine_sim(m)); /* for counts from the start of the ranks on */
    if (code == SIM_OK) {
        start = (sim_reached(machine_sim(m)) / START_GRID_PS + 1) * START_GRID_PS;
        if (cfg->begins != NULL)
            cfg->begins(cfg->output_arg);
        launch_ranks_start(&run, start);
        watch = watch_begin(&run);
        code = run_ranks(&run, start, watch, &result_p->signal, err);
        watch_end(watch);
        if (code == SIM_OK)
            code = check_counts(&run, err);
    }
    (void)launch_flush_all(&run, SIM_TIME_NEVER);
    launch_heaps_end(&run);
    race_end(run.race);
    run.shared.end = end_of(&run, code);
    host_states_release(&run.shared.states);
    collect_result(&run, start, result_p);
    (void)launch_share_results(&run, result_p);
    (void)sim_gather(machine_sim(m));
    run_fini(&run, threads);
    return code;
}

void launch_result_fini(struct launch_result *result)
{
    for (unsigned r = 0; r < result->nranks; r++) {
        free(result->ranks[r].profile);
        free(result->ranks[r].names);
    }
    free(result->ranks);
    result->ranks = NULL;
    result->nranks = 0;
}
