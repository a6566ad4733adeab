/* Programs that describe themselves (hubsim-workload.h), and the runs of them. */
#define _POSIX_C_SOURCE 200809L /* glob */
#include "tools/lab/run/simulate.h"
#include "tools/lab/workload/elf.h"
#include "tools/lab/workload/plan_parts.h"
#include "tools/lab/workload/values.h"
#include "tools/load/value.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading a description ------------------------------------------------------------- */

static bool is_text(const char *text, size_t size)
{
    return memchr(text, '\0', size) != NULL;
}

/** An initial value may fill an array without its 0, and the file may be damaged. */
static bool is_whole(const struct hubsim_workload *d)
{
    bool whole = is_text(d->summary, sizeof(d->summary)) && is_text(d->prints, sizeof(d->prints)) &&
                 d->keys[HUBSIM_KEYS - 1].key[0] == '\0';

    for (const struct hubsim_key *k = d->keys; whole && k->key[0] != '\0'; k++)
        whole = is_text(k->key, sizeof(k->key)) && is_text(k->values, sizeof(k->values)) &&
                is_text(k->unit, sizeof(k->unit)) && is_text(k->value, sizeof(k->value)) &&
                is_text(k->meaning, sizeof(k->meaning));
    return whole;
}

/** A description of another size is that of another hubsim. */
static bool read_description(const char *path, struct hubsim_workload *d)
{
    FILE *f = lab_elf_open(path);
    Elf64_Shdr section;
    bool good = f != NULL && lab_elf_section(f, HUBSIM_WORKLOAD_SECTION, &section) &&
                section.sh_size == sizeof(*d) &&
                lab_elf_read(f, section.sh_offset, d, sizeof(*d)) && is_whole(d);

    if (f != NULL)
        (void)fclose(f);
    return good;
}

/* ---- plans ------------------------------------------------------------------------------- */

/** Is it an argument as it stands? The ranks are placed, and add_rounds() of plan.c adds the
 * others. */
static bool is_argument(const char *key)
{
    return strcmp(key, "nodes") != 0 && strcmp(key, "warmup") != 0 && strcmp(key, "rounds") != 0 &&
           strcmp(key, "repeats") != 0;
}

/** Grids are of the ranks that the run has. */
static void check_grids(const struct lab_planning *p)
{
    for (const struct hubsim_key *k = p->workload->own->keys; k->key[0] != '\0'; k++) {
        const char *value = lab_setup_get(p->setup, k->key);
        uint64_t ranks;

        if (value != NULL && strcmp(k->values, HUBSIM_GRID) == 0 &&
            lab_values_grid(value, &ranks) && ranks != p->run->nranks)
            lab_plan_fail(p, k->key,
                          load_text(p->arena, "a product of %u, the ranks", p->run->nranks));
    }
}

static void plan_described(const struct lab_planning *p)
{
    p->run->program = p->pt->workload;
    p->plan->directions = p->workload->own->directions;
    for (const struct hubsim_key *k = p->workload->own->keys; k->key[0] != '\0'; k++) {
        const char *value = lab_setup_get(p->setup, k->key);
        uint64_t number;

        if (strcmp(k->key, "mode") == 0)
            value = p->mode;
        if (value == NULL || !is_argument(k->key))
            continue;
        if (strcmp(k->unit, HUBSIM_MEMORY) == 0)
            lab_plan_arg_memory(p, k->key, lab_plan_memory(value, false));
        /* 0x40, 4_096: the program reads digits only */
        else if (strchr(k->values, '|') == NULL && k->values[0] != '\0' &&
                 load_number(value, false, &number))
            lab_plan_arg_number(p, k->key, number);
        else
            lab_plan_arg(p, k->key, value);
    }
    lab_plan_place(p);
    check_grids(p);
}

/** On the network of the platform, the board's if it has none. */
static void plan_by_network(const struct lab_planning *p, lab_plan_fn plan)
{
    lab_plan_network(p);
    p->run->mpi = lab_setup_get(p->setup, "mpi");
    p->run->gasnet = lab_setup_get(p->setup, "gasnet");
    plan(p);
}

/* Words of all of them, beside their own keys. */
static const struct lab_word described_words[] = {
    { .key = "place" },
    { .key = "mpi", .values = LAB_VALUES_MPI },
    { .key = "gasnet" },
    { .key = "duplex", .values = "half|full" },
    { 0 },
};

const struct lab_workload *lab_plan_described(const char *name, struct load_arena *arena)
{
    struct lab_workload *w = load_alloc(arena, sizeof(*w));
    struct hubsim_workload *own = load_alloc(arena, sizeof(*own));
    struct lab_word *keys = load_alloc(arena, HUBSIM_KEYS * sizeof(*keys));
    struct lab_site site;

    lab_site_init(&site);
    if (!read_description(lab_program_path(&site, name, arena), own))
        return NULL;
    for (unsigned i = 0; own->keys[i].key[0] != '\0'; i++) {
        const char *values = own->keys[i].values;

        keys[i] = (struct lab_word){ own->keys[i].key, values[0] != '\0' ? values : NULL,
                                     own->keys[i].unit, own->keys[i].value, own->keys[i].meaning };
    }
    *w = (struct lab_workload){ .name = name,
                                .words = { keys, described_words },
                                .by = plan_by_network,
                                .plan = plan_described,
                                .prints = own->prints,
                                .own = own };
    return w;
}

void lab_plan_each_described(lab_workload_fn fn, void *arg)
{
    struct lab_site site;
    struct load_arena all = { 0 };
    glob_t found = { 0 };

    lab_site_init(&site);
    (void)glob(lab_program_path(&site, "*", &all), 0, NULL, &found);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct load_arena arena = { 0 };
        struct hubsim_workload d;

        if (read_description(found.gl_pathv[i], &d))
            fn(arg, load_find_stem(found.gl_pathv[i], &arena), d.summary);
        load_arena_fini(&arena);
    }
    globfree(&found);
    load_arena_fini(&all);
}
