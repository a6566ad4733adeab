#include "tools/lab/result/manifest.h"

#include "tools/lab/format/out.h"

#include "tools/lab/format/index.h"
#include "tools/lab/run/params.h"
#include "tools/lab/run/version.h"

#include <inttypes.h>
#include <string.h>

/* ---- the machine in one number --------------------------------------------------- */

static void hash_text(uint64_t *hash, const char *text)
{
    *hash = sim_hash_bytes(*hash, text, strlen(text) + 1);
}

static void hash_number(uint64_t *hash, uint64_t number)
{
    *hash = sim_hash_bytes(*hash, &number, sizeof(number));
}

static void hash_value(void *arg, const char *path, const struct machine_value *value)
{
    hash_text(arg, path);
    hash_text(arg, value->param->key);
    hash_number(arg, value->value);
}

static void hash_links(uint64_t *hash, const struct machine_link_desc *links, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        hash_number(hash, links[i].node_a);
        hash_text(hash, links[i].component_a);
        hash_text(hash, links[i].port_a);
        hash_number(hash, links[i].node_b);
        hash_text(hash, links[i].component_b);
        hash_text(hash, links[i].port_b);
        hash_number(hash, links[i].length_mm);
    }
}

static void hash_dimension(uint64_t *hash, const struct machine_dimension *dimension)
{
    for (const char *const *port = dimension->ports; *port != NULL; port++)
        hash_text(hash, *port);
    hash_number(hash, 0); /* where one dimension ends */
}

static void hash_routing(uint64_t *hash, const struct machine_routing_desc *routing)
{
    hash_number(hash, routing->ndimensions);
    for (unsigned i = 0; i < routing->ndimensions; i++)
        hash_dimension(hash, &routing->dimensions[i]);
    hash_number(hash, routing->by_hand);
    for (unsigned i = 0; i < routing->nhand; i++) {
        const struct machine_hand_desc *hand = &routing->hand[i];

        hash_number(hash, hand->node);
        hash_text(hash, hand->component);
        hash_text(hash, hand->port);
        hash_number(hash, hand->first);
        hash_number(hash, hand->last);
    }
}

/** Of all that makes a machine: kinds, values, links, cables, routes, slots. */
static uint64_t hash_machine(const struct load_machine *machine)
{
    const struct machine_desc *desc = load_machine_desc(machine);
    uint64_t hash = 0;

    load_machine_each(machine, hash_value, &hash);
    for (unsigned n = 0; n < desc->nnodes; n++) {
        const struct machine_node_desc *node = &desc->nodes[n];

        for (unsigned i = 0; i < node->ncomponents; i++) {
            hash_text(&hash, node->components[i].name);
            hash_text(&hash, node->components[i].kind->name);
        }
        hash_links(&hash, node->links, node->nlinks);
        if (desc->slot_order != NULL)
            hash_number(&hash, desc->slot_order[n]);
    }
    hash_links(&hash, desc->cables, desc->ncables);
    hash_routing(&hash, &desc->routing);
    return hash;
}

/* ---- writing --------------------------------------------------------------------- */

static void write_pair(FILE *f, const char *key, const char *value)
{
    fprintf(f, "  \"%s\": ", key);
    lab_json_text(f, value);
    fputs(",\n", f);
}

static void write_texts(FILE *f, const char *key, const char *const *texts, unsigned n)
{
    fprintf(f, "  \"%s\": [", key);
    for (unsigned i = 0; i < n; i++) {
        fputs(i > 0 ? ", " : "", f);
        lab_json_text(f, texts[i]);
    }
    fputs("],\n", f);
}

/** Each value in force, on a line of its own; those that all nodes share stand once. */
static void write_parameters(FILE *f, const struct load_machine *machine)
{
    struct lab_table table;

    lab_params(machine, &table);
    fputs("\"parameters\": {", f);
    for (unsigned i = 0; i < table.nrows; i++) {
        const char *value = lab_table_get(&table, i, LAB_PARAMS_VALUE);

        fputs(i > 0 ? ",\n      " : "\n      ", f);
        lab_json_text(f, lab_table_get(&table, i, LAB_PARAMS_KEY));
        fputs(": ", f);
        if (value[strspn(value, "0123456789")] == '\0')
            fputs(value, f);
        else
            lab_json_text(f, value);
    }
    fputs("\n    }", f);
    lab_table_fini(&table);
}

static void write_machines(FILE *f, const struct lab_out *out)
{
    fputs("  \"machines\": [", f);
    for (unsigned i = 0; i < out->nmachines; i++) {
        const struct lab_out_machine *m = &out->machines[i];

        fputs(i > 0 ? ",\n    {\"machine\": " : "\n    {\"machine\": ", f);
        lab_json_text(f, m->name);
        if (m->platform != NULL) {
            fputs(", \"platform\": ", f);
            lab_json_text(f, m->platform);
        }
        fprintf(f, ", \"nodes\": %u, \"hash\": \"%016" PRIx64 "\", ",
                load_machine_desc(m->machine)->nnodes, hash_machine(m->machine));
        write_parameters(f, m->machine);
        fputs("}", f);
    }
    fputs("\n  ],\n", f);
}

static void write_runs(FILE *f, const struct lab_out *out)
{
    fputs("  \"runs\": [", f);
    for (unsigned i = 0; i < out->nruns; i++) {
        const struct lab_out_run *run = &out->runs[i];

        fputs(i > 0 ? ",\n    {\"run\": " : "\n    {\"run\": ", f);
        lab_json_text(f, run->text);
        fprintf(f,
                ", \"machine\": %u, \"visible\": \"%016" PRIx64 "\", \"wire\": \"%016" PRIx64 "\"}",
                run->machine, run->result->visible, run->result->wire);
    }
    fputs("\n  ],\n", f);
}

/** Runs by their indices, so that points may share them. */
static void write_points(FILE *f, const struct lab_out *out)
{
    struct load_arena arena = { 0 };
    struct lab_index runs = { 0 };

    for (unsigned i = 0; i < out->nruns; i++)
        (void)lab_index_put(&runs, out->runs[i].text, &arena);
    fputs("  \"points\": [", f);
    for (unsigned i = 0; i < out->npoints; i++) {
        const struct lab_out_point *point = &out->points[i];

        fputs(i > 0 ? ",\n    {\"point\": " : "\n    {\"point\": ", f);
        lab_json_text(f, point->name);
        fputs(", \"runs\": [", f);
        for (unsigned k = 0; k < point->nruns; k++)
            fprintf(f, "%s%u", k > 0 ? ", " : "", lab_index_get(&runs, point->runs[k]));
        fputs("]}", f);
    }
    fputs("\n  ]\n", f);
    load_arena_fini(&arena);
}

int lab_manifest_write(const char *path, const struct lab_out *out, struct sim_error *err)
{
    FILE *f;
    int rc = lab_out_open(path, &f, err);

    if (rc != SIM_OK)
        return rc;
    fputs("{\n", f);
    write_pair(f, "format", LAB_OUT_FORMAT);
    write_pair(f, "hubsim", HUBSIM_VERSION);
    write_pair(f, "commit", hubsim_commit);
    write_pair(f, "kind", out->kind);
    write_pair(f, "name", out->name);
    write_pair(f, "description", out->description);
    write_pair(f, "command", out->command);
    write_texts(f, "arguments", out->words, out->nwords);
    fprintf(f, "  \"seed\": %" PRIu64 ",\n", out->seed);
    write_texts(f, "set", out->sets, out->nsets);
    fprintf(f, "  \"keys\": %u,\n", out->nkeys);
    write_machines(f, out);
    write_runs(f, out);
    write_points(f, out);
    fputs("}\n", f);
    return lab_out_close(f, path, err);
}
