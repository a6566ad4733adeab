#include "tools/lab/run/software.h"
#include "rtl-model/cosim/cosim.h"
#include "tools/lab/run/mpi_library.h"
#include "tools/load/value.h"

#include <stdlib.h>
#include <string.h>

#define KINDS_MAX 32u

struct config {
    uint64_t values[LAB_SOFTWARE_ROWS_MAX]; /* by row of the parameters of all libraries */
};

static struct machine_param params[LAB_SOFTWARE_ROWS_MAX + 1];

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

/* ---- which hub ranks use -------------------------------------------------------------- */

/** What the first node's software says. The other nodes must say no other. */
static uint64_t first_rank_hub(const struct machine_desc *desc)
{
    const struct machine_node_desc *nd = &desc->nodes[0];

    for (unsigned i = 0; i < nd->ncomponents; i++) {
        const struct machine_value *v = machine_value_find(&nd->components[i], "rank_hub");

        if (v != NULL)
            return v->value;
    }
    return 0;
}

/** Has some node, perhaps another one, the hub of this number? Without a hub, 0 says nothing. */
static bool is_rank_hub(const struct machine_desc *desc, uint64_t rank_hub)
{
    bool found = rank_hub == LAUNCH_HUB_TURN || rank_hub == 0;

    for (unsigned node = 0; node < desc->nnodes && !found; node++)
        found = rank_hub < launch_hubs(desc, node);
    return found;
}

static int check_rank_hub(const struct machine_desc *desc, unsigned node,
                          const struct machine_component_desc *component, struct sim_error *err)
{
    const struct machine_value *v = machine_value_find(component, "rank_hub");
    uint64_t first = first_rank_hub(desc);
    char is[16], expected[16];

    load_value_print(v->param, v->value, is, sizeof(is));
    if (!is_rank_hub(desc, v->value))
        return sim_error_set_at(err, SIM_ERR_CONFIG, v->file, v->line,
                                "node%u.%s.rank_hub = %s: expected turn, or the number of a hub "
                                "from 0 on: no node has that many",
                                node, component->name, is);
    /* On a node with one hub it has no meaning. */
    if (v->value != first && launch_hubs(desc, node) > 1)
        return sim_error_set_at(
            err, SIM_ERR_CONFIG, v->file, v->line,
            "node%u.%s.rank_hub = %s: expected %s as on node 0: all ranks choose their hub alike",
            node, component->name, is,
            load_value_print(v->param, first, expected, sizeof(expected)));
    return SIM_OK;
}

/* ---- the kind --------------------------------------------------------------------------- */

static const char *const no_ports[] = { NULL };

static const struct machine_kind software_kind = {
    .name = "software",
    .summary = "costs of the operating system and libraries",
    .params = params,
    .config_bytes = sizeof(struct config),
    .ports = no_ports,
    .check = check_rank_hub,
    .create = create,
    .destroy = free,
};

/** As a row of a machine's parameters. */
static struct machine_param row_of(const struct host_param *p, unsigned i)
{
    SIM_ASSERT(i < LAB_SOFTWARE_ROWS_MAX);
    return (struct machine_param){ .key = p->key,
                                   .unit = p->unit,
                                   .min = p->least,
                                   .max = p->most,
                                   .def = p->def,
                                   .offset = offsetof(struct config, values[i]),
                                   .meaning = p->meaning,
                                   .choices = p->choices };
}

static unsigned add_kinds(const struct machine_kind **all, unsigned n,
                          const struct machine_kind *const *kinds)
{
    for (; *kinds != NULL; kinds++) {
        SIM_ASSERT(n + 2 < KINDS_MAX);
        all[n++] = *kinds;
    }
    return n;
}

const struct machine_kind *const *lab_kinds(void)
{
    static const struct machine_kind *all[KINDS_MAX]; /* the same at every call */
    unsigned n = add_kinds(all, 0, machine_kinds());

    all[n++] = cosim_hub_rtl();
    all[n++] = cosim_hub_sc();
    if (machine_more_kinds != NULL)
        n = add_kinds(all, n, machine_more_kinds);
    for (unsigned i = 0; launch_param(i, NULL) != NULL; i++)
        params[i] = row_of(launch_param(i, NULL), i);
    all[n++] = &software_kind;
    all[n] = NULL;
    return all;
}

#define MPI_PREFIX "mpi."

void lab_software_algorithms(struct launch_software *software, const char *text)
{
    launch_software_setting(software, "mpi.algorithms")->text = text;
}

/** A setting of MPI, its key without "mpi.", and the one transport that has it, or NULL. @return
 * NULL: there is none. */
static const struct host_param *find_setting(size_t n, const char *key, const char **alone_p)
{
    const struct host_param *p;

    for (unsigned i = 0; (p = launch_param(i, alone_p)) != NULL; i++)
        if (strncmp(p->key, MPI_PREFIX, strlen(MPI_PREFIX)) == 0 &&
            strlen(p->key) == strlen(MPI_PREFIX) + n &&
            strncmp(p->key + strlen(MPI_PREFIX), key, n) == 0)
            return p;
    return NULL;
}

/** What was chosen; "own": nothing was. */
static const char *transport_of(const struct launch_software *software)
{
    for (const struct host_setting *s = software->settings; s->key != NULL; s++)
        if (strcmp(s->key, MPI_PREFIX "transport") == 0 && s->word[0] != '\0')
            return s->word;
    return "own";
}

/** What the user sets must be there to be set; a library may say more than the transport has. */
static void check_settings(const struct launch_software *software, const char *text)
{
    const char *transport = transport_of(software), *alone;

    if (strcmp(transport, "own") == 0)
        return;
    for (const char *at = text; *at != '\0'; at += strcspn(at, ","), at += *at == ',')
        if (find_setting(strcspn(at, "=,"), at, &alone) != NULL && alone != NULL &&
            strcmp(alone, transport) != 0)
            load_raise(SIM_ERR_CONFIG,
                       "MPI: %.*s: a setting of transport %s alone: expected %s, not %s",
                       (int)strcspn(at, ","), at, alone, alone, transport);
}

/** @param at where a file sets it; NULL: the user does */
static void set_text(struct launch_software *software, const char *key, size_t n, const char *text,
                     const struct load_tree *at)
{
    const char *alone, *wrong = "no such setting; `hubsim params` has them as mpi.*";
    const struct host_param *p = find_setting(n, key, &alone);
    char expected[160];

    if (p != NULL) {
        struct machine_param row = row_of(p, 0);
        uint64_t value;

        if (load_value_parse(&row, text, &value)) {
            launch_software_set(software, p, value);
            return;
        }
        wrong = load_value_expected(&row, expected, sizeof(expected));
    }
    load_check(sim_error_set_at(load_error(), SIM_ERR_CONFIG, at != NULL ? at->file : NULL,
                                at != NULL ? at->line : 0, "MPI: %.*s = %s: %s", (int)n, key, text,
                                wrong));
}

/** Has the user said so of the first node, of which the settings count? @param key without "mpi."
 */
static bool is_set(const struct machine *machine, const char *key)
{
    const struct machine_node_desc *node =
        machine != NULL ? &machine_description(machine)->nodes[0] : NULL;
    char whole[64];

    (void)snprintf(whole, sizeof(whole), MPI_PREFIX "%s", key);
    for (unsigned i = 0; node != NULL && i < node->ncomponents; i++) {
        const struct machine_value *v = machine_value_find(&node->components[i], whole);

        if (v != NULL && v->file != NULL && strcmp(v->file, "--set") == 0)
            return true;
    }
    return false;
}

/** All settings of a library of its time, but those that the user sets.
 * @return the transport that they were made for; NULL: it names none */
static const char *set_library(struct launch_software *software, const struct machine *machine,
                               const char *name, const struct load_roots *roots,
                               struct load_arena *arena)
{
    struct load_roots own = { 0 };
    const struct load_tree *settings, *transport;
    const char *algorithms;

    if (roots == NULL)
        load_roots_init(&own);
    settings = lab_mpi_library(roots != NULL ? roots : &own, name, &algorithms, arena);
    for (unsigned i = 0; i < settings->n; i++) {
        const struct load_tree *item = &settings->items[i];

        if (!is_set(machine, item->key))
            set_text(software, item->key, strlen(item->key), lab_mpi_value(item), item);
    }
    if (algorithms != NULL)
        launch_software_setting(software, "mpi.library_algorithms")->text = algorithms;
    transport = load_tree_get(settings, "transport");
    return transport != NULL ? lab_mpi_value(transport) : NULL;
}

/** Over another transport most settings of a library would be without effect, in silence. */
static void check_library(const struct launch_software *software, const char *item,
                          const char *made_for)
{
    const char *transport = transport_of(software);

    if (made_for != NULL && strcmp(made_for, transport) != 0)
        load_raise(SIM_ERR_CONFIG,
                   "MPI: %s: its settings are for transport %s: expected %s, not %s", item,
                   made_for, made_for, transport);
}

#define LIBRARY "library="

/** A setting, or a transport, which is a word alone. */
static void set_item(struct launch_software *software, const char *item)
{
    const char *value = strchr(item, '=');

    if (value != NULL)
        set_text(software, item, (size_t)(value - item), value + 1, NULL);
    else
        set_text(software, "transport", strlen("transport"), item, NULL);
}

/** @return the next item, a copy without its comma; NULL: there is none. Moves *at_p behind it. */
static const char *next_item(const char **at_p, struct load_arena *arena)
{
    const char *at = *at_p;
    size_t n = strcspn(at, ",");

    if (*at == '\0')
        return NULL;
    *at_p += n + (at[n] == ',');
    return load_text(arena, "%.*s", (int)n, at);
}

void lab_software_mpi(struct launch_software *software, const struct machine *machine,
                      const char *text, const struct load_roots *roots, struct load_arena *arena)
{
    const char *at, *item, *library = NULL, *made_for = NULL;

    /* Those of a library come first, wherever it stands: what is said beside it is meant. */
    for (at = text; (item = next_item(&at, arena)) != NULL;)
        if (strncmp(item, LIBRARY, strlen(LIBRARY)) == 0) {
            library = item;
            made_for = set_library(software, machine, item + strlen(LIBRARY), roots, arena);
        }
    for (at = text; (item = next_item(&at, arena)) != NULL;)
        if (strncmp(item, LIBRARY, strlen(LIBRARY)) != 0)
            set_item(software, item);
    check_library(software, library, made_for);
    check_settings(software, text);
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
    struct launch_software software = launch_software_default();
    const struct machine_kind *kind = NULL;
    const struct config *cfg = machine_component(machine, node, "software", &kind);

    if (cfg == NULL || kind != &software_kind)
        return software;
    for (unsigned i = 0; params[i].key != NULL; i++)
        launch_software_set(&software, launch_param(i, NULL), cfg->values[i]);
    return software;
}
