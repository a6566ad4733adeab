#include "tools/lab/result/manifest.h"

#include "tools/lab/format/out.h"

#include "tools/lab/format/index.h"
#include "tools/lab/format/table.h"
#include "tools/lab/format/version.h"
#include "tools/lab/run/params.h"
#include "tools/load/file.h"
#include "tools/load/tree.h"

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

uint64_t lab_hash_file(uint64_t hash, const char *path)
{
    struct load_arena scratch = { 0 };
    size_t n;
    const char *bytes = load_file_read(path, LOAD_FILE_ANY, &scratch, &n);

    hash = sim_hash_bytes(hash, bytes, n);
    load_arena_fini(&scratch);
    return hash;
}

struct hashing {
    uint64_t hash;
    bool sets; /* also what is of --set */
};

static void hash_value(void *arg, const char *path, const struct machine_value *value)
{
    struct hashing *h = arg;

    hash_text(&h->hash, path);
    hash_text(&h->hash, value->param->key);
    if (h->sets || value->file == NULL || strcmp(value->file, "--set") != 0)
        hash_number(&h->hash, value->value);
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

uint64_t lab_hash_machine(const struct load_machine *machine, bool sets)
{
    const struct machine_desc *desc = load_machine_desc(machine);
    struct hashing h = { .sets = sets };
    uint64_t hash;

    load_machine_each(machine, hash_value, &h);
    hash = h.hash;
    for (unsigned n = 0; n < desc->nnodes; n++) {
        const struct machine_node_desc *node = &desc->nodes[n];

        for (unsigned i = 0; i < node->ncomponents; i++) {
            hash_text(&hash, node->components[i].name);
            if (sets || !load_machine_make_is_set(machine, &node->components[i]))
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

struct writer {
    FILE *f;
    const struct lab_out *out;
    struct load_arena arena;
};

static const char *quote(struct writer *w, const char *text)
{
    return lab_json_quote(text, &w->arena);
}

static void write_texts(struct writer *w, const char *key, const char *const *texts, unsigned n)
{
    fprintf(w->f, "  \"%s\": [", key);
    for (unsigned i = 0; i < n; i++)
        fprintf(w->f, "%s%s", i > 0 ? ", " : "", quote(w, texts[i]));
    fputs("],\n", w->f);
}

/** Makes that an override has chosen; those of files are parts of the hash alone. */
static void write_makes(struct writer *w, const struct load_machine *machine)
{
    const struct machine_desc *desc = load_machine_desc(machine);

    for (unsigned n = 0; n < desc->nnodes; n++)
        for (unsigned i = 0; i < desc->nodes[n].ncomponents; i++) {
            const struct machine_component_desc *c = &desc->nodes[n].components[i];

            if (load_machine_make_is_set(machine, c))
                fprintf(w->f, ",\n      \"node%u.%s.kind\": %s", n, c->name,
                        quote(w, c->kind->name));
        }
}

/** Each value in force, on a line of its own; those that all nodes share stand once. */
static void write_parameters(struct writer *w, const struct load_machine *machine)
{
    struct lab_table table;

    lab_params(machine, NULL, &table);
    for (unsigned i = 0; i < table.nrows; i++) {
        const char *value = lab_table_get(&table, i, LAB_PARAMS_VALUE);
        bool number = value[strspn(value, "0123456789")] == '\0';

        fprintf(w->f, "%s\n      %s: %s", i > 0 ? "," : "",
                quote(w, lab_table_get(&table, i, LAB_PARAMS_KEY)),
                number ? value : quote(w, value));
    }
    lab_table_fini(&table);
    write_makes(w, machine);
}

static void write_machines(struct writer *w)
{
    fputs("  \"machines\": [", w->f);
    for (unsigned i = 0; i < w->out->nmachines; i++) {
        const struct lab_out_machine *m = &w->out->machines[i];

        fprintf(w->f, "%s\n    {\"machine\": %s", i > 0 ? "," : "", quote(w, m->name));
        if (m->platform != NULL)
            fprintf(w->f, ", \"platform\": %s", quote(w, m->platform));
        fprintf(w->f, ", \"nodes\": %u, \"hash\": \"%016" PRIx64 "\", \"parameters\": {",
                load_machine_desc(m->machine)->nnodes, lab_hash_machine(m->machine, true));
        write_parameters(w, m->machine);
        fputs("\n    }}", w->f);
    }
    fputs("\n  ],\n", w->f);
}

static void write_runs(struct writer *w)
{
    fputs("  \"runs\": [", w->f);
    for (unsigned i = 0; i < w->out->nruns; i++) {
        const struct lab_out_run *run = &w->out->runs[i];

        fprintf(w->f,
                "%s\n    {\"run\": %s, \"machine\": %u, \"visible\": \"%016" PRIx64
                "\", \"wire\": \"%016" PRIx64 "\", \"edge\": \"%016" PRIx64 "\"}",
                i > 0 ? "," : "", quote(w, run->text), run->machine, run->result->print.visible,
                run->result->print.wire, run->result->print.edge);
    }
    fputs("\n  ],\n", w->f);
}

/** Runs by their indices, so that points may share them. */
static void write_points(struct writer *w)
{
    struct lab_index runs = { 0 };

    for (unsigned i = 0; i < w->out->nruns; i++)
        (void)lab_index_put(&runs, w->out->runs[i].text, &w->arena);
    fputs("  \"points\": [", w->f);
    for (unsigned i = 0; i < w->out->npoints; i++) {
        const struct lab_out_point *point = &w->out->points[i];

        fprintf(w->f, "%s\n    {\"point\": %s, \"runs\": [", i > 0 ? "," : "",
                quote(w, point->name));
        for (unsigned k = 0; k < point->nruns; k++)
            fprintf(w->f, "%s%u", k > 0 ? ", " : "", lab_index_get(&runs, point->runs[k]));
        fputs("]}", w->f);
    }
    fputs("\n  ]\n", w->f);
}

struct trial {
    const char *word;
    bool same; /* after it was read */
};

static void read_back(void *arg)
{
    struct trial *trial = arg;
    struct load_arena arena = { 0 };
    const char *text = load_text(&arena, "word: %s", lab_json_quote(trial->word, &arena));
    const struct load_tree *root = load_tree_parse("word", text, strlen(text), &arena);

    trial->same = strcmp(root->items[0].exact, trial->word) == 0;
    load_arena_fini(&arena);
}

void lab_out_try_words(const char *const *words, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        struct trial trial = { .word = words[i] };
        struct load_arena arena = { 0 };

        if (load_attempt(read_back, &trial, NULL) != SIM_OK || !trial.same)
            load_raise(SIM_ERR_CONFIG, "%s: a result cannot hold this argument: expected UTF-8",
                       lab_json_quote(trial.word, &arena));
    }
}

void lab_manifest_write(const char *path, const struct lab_out *out)
{
    struct writer w = { .out = out, .f = lab_out_open(path) };
    const char *const texts[][2] = {
        { "format", LAB_OUT_FORMAT }, { "hubsim", HUBSIM_VERSION },
        { "commit", hubsim_commit },  { "kind", out->kind },
        { "name", out->name },        { "description", out->description },
        { "command", out->command }
    };

    fputs("{\n", w.f);
    for (size_t i = 0; i < SIM_COUNT(texts); i++)
        fprintf(w.f, "  \"%s\": %s,\n", texts[i][0], quote(&w, texts[i][1]));
    write_texts(&w, "arguments", out->words, out->nwords);
    if (out->program != NULL)
        fprintf(w.f, "  \"program\": \"%s\",\n", out->program);
    fprintf(w.f, "  \"seed\": %" PRIu64 ",\n", out->seed);
    write_texts(&w, "set", out->sets, out->nsets);
    fprintf(w.f, "  \"keys\": %u,\n", out->nkeys);
    write_machines(&w);
    write_runs(&w);
    write_points(&w);
    fputs("}\n", w.f);
    load_arena_fini(&w.arena);
    lab_out_close(w.f, path);
}
