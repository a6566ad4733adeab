#include "hosts/launch/launch.h"
#include "hosts/launch/process/program.h"
#include "hosts/launch/run.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- before ranks start --------------------------------------------------------------------- */

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return text != NULL ? sim_hash_bytes(hash, text, strlen(text)) : hash;
}

static uint64_t hash_file(uint64_t hash, const struct program_file *file)
{
    void *bytes =
        file->bytes > 0 ? mmap(NULL, file->bytes, PROT_READ, MAP_PRIVATE, file->fd, 0) : MAP_FAILED;

    if (bytes == MAP_FAILED)
        return hash;
    hash = sim_hash_bytes(hash, bytes, file->bytes);
    (void)munmap(bytes, file->bytes);
    return hash;
}

static uint64_t hash_software(uint64_t hash, const struct launch_software *s)
{
    const uint64_t own[] = { s->local_message_ps, s->start_spread_ps, s->pio_mapping,
                             s->rank_socket, s->rank_hub };

    hash = sim_hash_bytes(hash, s->cost_ps, sizeof(s->cost_ps));
    hash = sim_hash_bytes(hash, own, sizeof(own));
    for (const struct host_setting *setting = s->settings; setting->key != NULL; setting++) {
        hash = hash_text(hash_text(hash, setting->key), setting->text);
        hash = sim_hash_bytes(hash_text(hash, setting->word), &setting->number,
                              sizeof(setting->number));
    }
    return hash;
}

static uint64_t hash_config(const struct launch *run)
{
    const struct launch_config *cfg = run->cfg;
    const uint64_t own[] = { run->nranks, cfg->max_time_ps, cfg->patience_s, cfg->profile,
                             cfg->checks, cfg->compute,     cfg->block_ps };
    uint64_t hash = sim_hash_bytes(0, own, sizeof(own));

    for (int i = 0; i < cfg->argc; i++)
        hash = hash_text(hash, cfg->argv[i]);
    if (cfg->nodes != NULL)
        hash = sim_hash_bytes(hash, cfg->nodes, run->nranks * sizeof(cfg->nodes[0]));
    hash = hash_text(hash_text(hash, cfg->visible), cfg->beside);
    return hash_software(hash, run->software);
}

int launch_agree_inputs(const struct launch *run, const struct program_file *file,
                        struct sim_error *err)
{
    struct sim *sim = machine_sim(run->m);
    bool same = true;
    int code = SIM_OK;

    if (sim_processes(sim) > 1)
        code = sim_compare(sim, hash_file(hash_config(run), file), &same);
    if (code == SIM_OK && !same)
        code = sim_error_set(err, SIM_ERR_CONFIG,
                             "%s: the processes of this run have different programs, arguments or "
                             "options: expected the same",
                             run->cfg->program != NULL ? run->cfg->program : "entry");
    return code;
}

/* ---- between slices ------------------------------------------------------------------------- */

static void take_lines(void *arg, const unsigned char *bytes, size_t n)
{
    SIM_ASSERT(output_unpack(arg, bytes, n));
}

int launch_flush_all(struct launch *run, sim_time_t until)
{
    struct sim *sim = machine_sim(run->m);
    int code = SIM_OK;

    if (sim_processes(sim) > 1) {
        size_t n;
        unsigned char *bytes = output_pack(run->output, until, &n);

        SIM_ASSERT(bytes != NULL);
        code = sim_allgather(sim, bytes, n, take_lines, run->output);
        free(bytes);
    }
    output_flush(run->output, until);
    return code;
}

static void take_abort(void *arg, const unsigned char *bytes, size_t n)
{
    struct launch_abort *first = arg, other;

    memcpy(&other, bytes, n);
    if (other.done && (!first->done || other.time < first->time ||
                       (other.time == first->time && other.rank < first->rank)))
        *first = other;
}

int launch_agree_abort(struct launch *run)
{
    struct launch_abort own = run->abort;

    return sim_allgather(machine_sim(run->m), &own, sizeof(own), take_abort, &run->abort);
}

/* ---- results ------------------------------------------------------------------------------- */

/* A result of a rank. If it has a profile, that follows, and the names in it behind each other. */
struct packed_rank {
    uint64_t rank, profile_bytes, names_bytes;
    struct launch_rank_result result; /* without its profile */
};

static size_t profile_bytes(const struct host_profile *profile)
{
    return profile != NULL ? sizeof(*profile) + profile->npeers * sizeof(profile->peers[0]) : 0;
}

/* The i-th name of a profile, NULL: there are fewer. Those of libraries stand elsewhere in another
 * process. */
static const char **name_of(struct host_profile *profile, unsigned i)
{
    for (unsigned c = 0; c < HOST_PROFILE_CALLS; c++)
        if (profile->calls[c].name != NULL && i-- == 0)
            return &profile->calls[c].name;
    for (unsigned library = 0; library < HOST_PROFILE_LIBRARIES; library++) {
        struct host_counts *counts = &profile->counts[library];

        if (i < counts->n)
            return &counts->of[i].name;
        i -= counts->n;
    }
    return NULL;
}

static void give_profile(struct sim_parcel *own, struct host_profile *profile, uint64_t *names_p)
{
    const char **name;

    memcpy(sim_parcel_room(own, profile_bytes(profile)), profile, profile_bytes(profile));
    for (unsigned i = 0; (name = name_of(profile, i)) != NULL; i++) {
        size_t n = strlen(*name) + 1;

        memcpy(sim_parcel_room(own, n), *name, n);
        *names_p += n;
    }
}

static void take_profile(struct launch_rank_result *rank, const struct packed_rank *packed,
                         const unsigned char *bytes)
{
    const char **name;
    char *at;

    if (packed->profile_bytes == 0)
        return;
    SIM_ASSERT(rank->profile != NULL && profile_bytes(rank->profile) == packed->profile_bytes);
    memcpy(rank->profile, bytes, packed->profile_bytes);
    rank->names = at = malloc(packed->names_bytes + 1);
    SIM_ASSERT(at != NULL);
    memcpy(at, bytes + packed->profile_bytes, packed->names_bytes);
    for (unsigned i = 0; (name = name_of(rank->profile, i)) != NULL; i++) {
        *name = at;
        at += strlen(at) + 1;
    }
}

static void take_results(void *arg, const unsigned char *bytes, size_t n)
{
    struct launch_result *res = arg;

    for (size_t at = 0; at < n;) {
        struct packed_rank packed;
        struct launch_rank_result *rank;

        memcpy(&packed, bytes + at, sizeof(packed));
        at += sizeof(packed);
        rank = &res->ranks[packed.rank];
        packed.result.profile = rank->profile;
        *rank = packed.result;
        take_profile(rank, &packed, bytes + at);
        at += packed.profile_bytes + packed.names_bytes;
    }
}

static void give_result(struct sim_parcel *own, unsigned rank,
                        const struct launch_rank_result *result)
{
    size_t at = own->used;
    struct packed_rank packed = { .rank = rank,
                                  .profile_bytes = profile_bytes(result->profile),
                                  .result = *result };

    packed.result.profile = NULL;
    (void)sim_parcel_room(own, sizeof(packed));
    if (result->profile != NULL)
        give_profile(own, result->profile, &packed.names_bytes);
    memcpy(own->bytes + at, &packed, sizeof(packed));
}

int launch_share_results(const struct launch *run, struct launch_result *res)
{
    struct sim *sim = machine_sim(run->m);
    uint64_t counts[] = { res->found, res->found_lines, res->announces };
    struct sim_parcel own = { 0 };
    int code;

    if (sim_processes(sim) == 1)
        return SIM_OK;
    for (unsigned r = 0; r < res->nranks; r++)
        if (run->ranks[r].node != NULL && sim_is_here(run->ranks[r].dom)) /* else none is placed */
            give_result(&own, r, &res->ranks[r]);
    code = sim_allgather(sim, own.bytes, own.used, take_results, res);
    free(own.bytes);
    if (code == SIM_OK)
        code = sim_sum(sim, counts, SIM_COUNT(counts));
    res->found = counts[0];
    res->found_lines = counts[1];
    res->announces = counts[2] != 0;
    for (unsigned r = 0; r < res->nranks; r++)
        res->end_ps = sim_max(res->end_ps, res->ranks[r].ended ? res->ranks[r].end_ps : 0);
    return code;
}
