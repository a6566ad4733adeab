/* Settings of the libraries that a user chooses beside a machine: `hubrun --mpi` and `--gasnet`. */
#include "hosts/launch/launch.h"
#include "tools/lab/run/mpi_library.h"
#include "tools/lab/run/software.h"
#include "tools/load/value.h"

#include <stdlib.h>
#include <string.h>

struct library {
    const char *title, *prefix; /* of its keys */
    const char *folder;         /* of files of settings */
    const char *transport;      /* where none is chosen */
};

static const struct library mpi = { "MPI", "mpi.", LAB_MPI_FOLDER, "own" };
static const struct library gasnet = { "GASNet", "gasnet.", LAB_GASNET_FOLDER, "net" };

void lab_software_algorithms(struct launch_software *software, const char *text)
{
    launch_software_setting(software, "mpi.algorithms")->text = text;
}

/* ---- one setting ------------------------------------------------------------------------ */

static bool is_key(const struct library *l, const char *whole, size_t n, const char *key)
{
    size_t prefix = strlen(l->prefix);

    return strncmp(whole, l->prefix, prefix) == 0 && strlen(whole) == prefix + n &&
           strncmp(whole + prefix, key, n) == 0;
}

/** A setting of a library, its key without the library's name, and the one transport that has it,
 * or NULL. @return NULL: there is none. */
static const struct host_param *find_setting(const struct library *l, size_t n, const char *key,
                                             const char **alone_p)
{
    const struct host_param *p;

    for (unsigned i = 0; (p = launch_param(i, alone_p)) != NULL; i++)
        if (is_key(l, p->key, n, key))
            return p;
    return NULL;
}

/** What a setting of words was chosen to be, or `own`. */
static const char *word_of(const struct launch_software *software, const struct library *l,
                           const char *key, const char *own)
{
    for (const struct host_setting *s = software->settings; s->key != NULL; s++)
        if (is_key(l, s->key, strlen(key), key) && s->word[0] != '\0')
            return s->word;
    return own;
}

static const char *transport_of(const struct launch_software *software, const struct library *l)
{
    return word_of(software, l, "transport", l->transport);
}

/** @param at where a file sets it; NULL: the user does */
static void set_text(struct launch_software *software, const struct library *l, const char *key,
                     size_t n, const char *text, const struct load_tree *at)
{
    const char *alone;
    const struct host_param *p = find_setting(l, n, key, &alone);
    char expected[160];

    if (p != NULL) {
        struct machine_param row = lab_software_row(p, 0);
        uint64_t value;

        if (load_value_parse(&row, text, &value)) {
            launch_software_set(software, p, value);
            return;
        }
        (void)load_value_expected(&row, expected, sizeof(expected));
    } else {
        (void)snprintf(expected, sizeof(expected),
                       "no such setting; `hubsim params` has them as %s*", l->prefix);
    }
    load_check(sim_error_set_at(load_error(), SIM_ERR_CONFIG, at != NULL ? at->file : NULL,
                                at != NULL ? at->line : 0, "%s: %.*s = %s: %s", l->title, (int)n,
                                key, text, expected));
}

/* ---- files of settings ------------------------------------------------------------------ */

/** Has the user said so of the first node, of which the settings count? @param key without the
 * library's name */
static bool is_set(const struct machine *machine, const struct library *l, const char *key)
{
    const struct machine_node_desc *node =
        machine != NULL ? &machine_description(machine)->nodes[0] : NULL;
    char whole[64];

    (void)snprintf(whole, sizeof(whole), "%s%s", l->prefix, key);
    for (unsigned i = 0; node != NULL && i < node->ncomponents; i++) {
        const struct machine_value *v = machine_value_find(&node->components[i], whole);

        if (v != NULL && v->file != NULL && strcmp(v->file, "--set") == 0)
            return true;
    }
    return false;
}

/** All settings of a library of its time, but those that the user sets.
 * @return the transport that they were made for; NULL: it names none */
static const char *set_library(struct launch_software *software, const struct library *l,
                               const struct machine *machine, const char *name,
                               const struct load_roots *roots, struct load_arena *arena)
{
    const struct load_tree *settings, *transport;
    const char *algorithms;

    settings = lab_mpi_library(roots, l->folder, name, &algorithms, arena);
    for (unsigned i = 0; i < settings->n; i++) {
        const struct load_tree *item = &settings->items[i];

        if (!is_set(machine, l, item->key))
            set_text(software, l, item->key, strlen(item->key), lab_mpi_value(item), item);
    }
    if (algorithms != NULL)
        launch_software_setting(software, "mpi.library_algorithms")->text = algorithms;
    transport = load_tree_get(settings, "transport");
    return transport != NULL ? lab_mpi_value(transport) : NULL;
}

/** Over another transport most settings of a library would be without effect, in silence. */
static void check_library(const struct launch_software *software, const struct library *l,
                          const char *item, const char *made_for)
{
    const char *transport = transport_of(software, l);

    if (made_for != NULL && strcmp(made_for, transport) != 0)
        load_raise(SIM_ERR_CONFIG, "%s: %s: its settings are for transport %s: expected %s, not %s",
                   l->title, item, made_for, made_for, transport);
}

/* ---- what the user says ----------------------------------------------------------------- */

/** What the user sets must be there to be set; a library may say more than the transport has. */
static void check_settings(const struct launch_software *software, const struct library *l,
                           const char *text)
{
    const char *transport = transport_of(software, l), *alone;

    if (strcmp(transport, "own") == 0)
        return;
    for (const char *at = text; *at != '\0'; at += strcspn(at, ","), at += *at == ',')
        if (find_setting(l, strcspn(at, "=,"), at, &alone) != NULL && alone != NULL &&
            strcmp(alone, transport) != 0)
            load_raise(SIM_ERR_CONFIG,
                       "%s: %.*s: a setting of transport %s alone: expected %s, not %s", l->title,
                       (int)strcspn(at, ","), at, alone, alone, transport);
}

/** A setting, or a transport, which is a word alone. */
static void set_item(struct launch_software *software, const struct library *l, const char *item)
{
    const char *value = strchr(item, '=');

    if (value != NULL)
        set_text(software, l, item, (size_t)(value - item), value + 1, NULL);
    else
        set_text(software, l, "transport", strlen("transport"), item, NULL);
}

#define LIBRARY "library="

static bool is_transport(const struct library *l, const char *name)
{
    const struct host_param *p = find_setting(l, strlen("transport"), "transport", NULL);
    struct machine_param row = lab_software_row(p, 0);
    uint64_t value;

    return load_value_parse(&row, name, &value);
}

/** The file of settings that an item names, library=NAME, or for GASNet a word that is no
 * transport; NULL: it names none. */
static const char *file_of(const struct library *l, const struct load_roots *roots,
                           const char *item, struct load_arena *arena)
{
    if (strncmp(item, LIBRARY, strlen(LIBRARY)) == 0)
        return item + strlen(LIBRARY);
    if (l == &gasnet && strchr(item, '=') == NULL && !is_transport(l, item) &&
        (load_find_is_path(item) || load_find_first(roots, l->folder, item, arena) != NULL))
        return item;
    return NULL;
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

static void set_items(struct launch_software *software, const struct library *l,
                      const struct machine *machine, const char *text,
                      const struct load_roots *roots, struct load_arena *arena)
{
    const char *at, *item, *file, *library = NULL, *made_for = NULL;
    struct load_roots own = { 0 };

    if (roots == NULL) {
        load_roots_init(&own);
        roots = &own;
    }
    /* Those of a library come first, wherever it stands: what is said beside it is meant. */
    for (at = text; (item = next_item(&at, arena)) != NULL;)
        if ((file = file_of(l, roots, item, arena)) != NULL) {
            library = item;
            made_for = set_library(software, l, machine, file, roots, arena);
        }
    for (at = text; (item = next_item(&at, arena)) != NULL;)
        if (file_of(l, roots, item, arena) == NULL)
            set_item(software, l, item);
    check_library(software, l, library, made_for);
    check_settings(software, l, text);
}

void lab_software_mpi(struct launch_software *software, const struct machine *machine,
                      const char *text, const struct load_roots *roots, struct load_arena *arena)
{
    set_items(software, &mpi, machine, text, roots, arena);
}

void lab_software_gasnet(struct launch_software *software, const struct machine *machine,
                         const char *text, const struct load_roots *roots, struct load_arena *arena)
{
    set_items(software, &gasnet, machine, text, roots, arena);
}

/* ---- what the machine makes of it ------------------------------------------------------- */

const char *lab_software_beside(const struct launch_software *software,
                                const struct machine *machine)
{
    const char *transport = transport_of(software, &mpi);
    bool ib = strcmp(transport, "own") != 0 ? strcmp(transport, "ib") == 0
                                            : launch_network(machine) == HOST_NETWORK_IB;

    return ib ? "ib" : NULL;
}

/** The GPU of a node beside the adapter that GASNet uses, which of a hub is the first one. */
static unsigned gpu_beside(const struct launch_software *software, const struct machine_desc *desc,
                           unsigned node)
{
    unsigned gpu = 0;

    if (strcmp(transport_of(software, &gasnet), "ib") == 0)
        (void)launch_gpu_by(desc, node, "ib", true, 0, &gpu);
    return gpu;
}

void lab_software_segment(struct launch_software *software, const struct machine *machine,
                          const unsigned *nodes, unsigned nranks)
{
    const struct machine_desc *desc = machine_description(machine);
    const char *word = word_of(software, &gasnet, "segment", "host");
    bool beside = strcmp(word, "gpu") == 0;
    unsigned gpu = 0;
    char number[16];

    if (strncmp(word, "gpu", 3) != 0)
        return;
    for (unsigned r = 0; r < nranks; r++) {
        unsigned node = nodes != NULL ? nodes[r] : r % desc->nnodes;
        unsigned n = launch_gpus(desc, node, NULL);

        if (beside && r == 0)
            gpu = gpu_beside(software, desc, node);
        else if (!beside)
            gpu = (unsigned)strtoul(word + 3, NULL, 10);
        if (n == 0)
            load_raise(SIM_ERR_CONFIG, "GASNet: segment = %s: node%u has no GPU: expected host",
                       word, node);
        if (gpu >= n)
            load_raise(SIM_ERR_CONFIG,
                       "GASNet: segment = %s: node%u: expected host, gpu or gpu0 .. gpu%u, the "
                       "GPUs of the node",
                       word, node, n - 1);
    }
    (void)snprintf(number, sizeof(number), "gpu%u", gpu);
    set_text(software, &gasnet, "segment", strlen("segment"), number, NULL);
}
