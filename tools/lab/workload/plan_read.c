/* Reading a setup whose words are right, and writing what a program is told of it. */
#include "tools/lab/workload/plan_parts.h"
#include "tools/load/value.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *lab_plan_text(const struct lab_setup *setup, const char *key, const char *absent)
{
    const char *value = lab_setup_get(setup, key);

    return value != NULL ? value : absent;
}

bool lab_plan_says(const struct lab_setup *setup, const char *key, const char *value)
{
    return strcmp(lab_plan_text(setup, key, ""), value) == 0;
}

uint64_t lab_plan_number(const struct lab_setup *setup, const char *key, uint64_t absent)
{
    const char *text = lab_setup_get(setup, key);
    uint64_t value = absent;

    if (text != NULL)
        SIM_ASSERT(load_number(text, false, &value)); /* checked before */
    return value;
}

int lab_plan_fail(const struct lab_point *pt, struct sim_error *err, const char *key,
                  const char *expected)
{
    return sim_error_set(err, SIM_ERR_CONFIG, "%s: setup %s=%s: expected %s", pt->where, key,
                         lab_plan_text(pt->setup, key, "(absent)"), expected);
}

void lab_plan_arg(struct lab_run *run, struct load_arena *arena, const char *key, const char *value)
{
    SIM_ASSERT(run->nargs < LAB_ARGS_MAX);
    run->args[run->nargs++] = load_text(arena, "%s=%s", key, value);
}

void lab_plan_arg_number(struct lab_run *run, struct load_arena *arena, const char *key,
                         uint64_t value)
{
    SIM_ASSERT(run->nargs < LAB_ARGS_MAX);
    run->args[run->nargs++] = load_text(arena, "%s=%" PRIu64, key, value);
}

const char *lab_plan_memory(const char *word, bool pio_source)
{
    if (pio_source || strncmp(word, "cpu", 3) == 0)
        return "cpu";
    if (strcmp(word, "gpu-other-same-node") == 0)
        return "gpu1";
    return strcmp(word, "gpu-across-qpi") == 0 ? "gpu2" : "gpu0";
}

static uint64_t at_most(uint64_t value, uint64_t limit)
{
    return limit != 0 && value > limit ? limit : value;
}

/** How often `bytes` go into the budget, at least once. */
static uint64_t fitting(uint64_t budget, uint64_t bytes)
{
    return budget == 0 || bytes == 0 ? budget : bytes >= budget ? 1 : budget / bytes;
}

void lab_plan_rounds(const struct lab_point *pt, const struct lab_protocol *protocol,
                     uint64_t bytes, uint64_t rounds, struct lab_run *run, struct load_arena *arena)
{
    uint64_t fit = fitting(protocol->bytes, bytes);
    uint64_t repeats =
        at_most(at_most(lab_plan_number(pt->setup, "repeats", 10), protocol->repeats), fit);

    rounds = at_most(lab_plan_number(pt->setup, "rounds", rounds), protocol->rounds);
    if (fit != 0)
        rounds = at_most(rounds, fitting(fit, repeats));
    lab_plan_arg_number(
        run, arena, "warmup",
        at_most(at_most(lab_plan_number(pt->setup, "warmup", 1), protocol->warmup), fit));
    lab_plan_arg_number(run, arena, "rounds", rounds);
    lab_plan_arg_number(run, arena, "repeats", repeats);
}

int lab_plan_shape(const struct lab_point *pt, struct lab_shape *shape_p, struct sim_error *err)
{
    uint64_t n = lab_plan_number(pt->setup, "n", 0), bytes;
    struct lab_shape shape = { lab_plan_number(pt->setup, "blocks", n),
                               lab_plan_number(pt->setup, "block_bytes", 8 * n),
                               lab_plan_number(pt->setup, "pitch_bytes", 8 * n * n) };

    bytes = shape.blocks * shape.block_bytes;
    if (bytes == 0)
        return lab_plan_fail(pt, err, shape.blocks == 0 ? "blocks" : "block_bytes",
                             "at least 1, or n");
    if (lab_plan_number(pt->setup, "bytes", bytes) != bytes)
        return lab_plan_fail(pt, err, "bytes", "blocks * block_bytes");
    if (shape.pitch_bytes < shape.block_bytes)
        return lab_plan_fail(pt, err, "pitch_bytes", "at least block_bytes");
    *shape_p = shape;
    return SIM_OK;
}

int lab_plan_place(const struct lab_point *pt, struct lab_run *run, struct sim_error *err)
{
    const char *place = lab_plan_text(pt->setup, "place", NULL);
    uint64_t nodes = lab_plan_number(pt->setup, "nodes", 2);

    if (nodes < 2 || nodes > LAB_RANKS_MAX)
        return lab_plan_fail(pt, err, "nodes", "2 .. 64");
    run->nranks = (unsigned)nodes;
    for (unsigned i = 0; i < run->nranks; i++) {
        char *end;

        run->nodes[i] = place != NULL ? (unsigned)strtoul(place, &end, 10) : i;
        if (place == NULL)
            continue;
        if (end == place || *end != (i + 1 < run->nranks ? ',' : '\0'))
            return lab_plan_fail(pt, err, "place", "a node for each rank, with commas");
        place = end + 1;
    }
    return SIM_OK;
}

void lab_plan_memories(const struct lab_point *pt, bool pio, struct lab_run *run,
                       struct load_arena *arena)
{
    bool far = lab_plan_says(pt->setup, "gpu", "ib-side"); /* the other socket than the board's */
    const char *src = lab_plan_text(pt->setup, "src", "cpu");
    const char *dst = lab_plan_text(pt->setup, "dst", "cpu");

    lab_plan_arg(run, arena, "src",
                 far && strcmp(src, "gpu") == 0 ? "gpu@!hub" : lab_plan_memory(src, pio));
    lab_plan_arg(run, arena, "dst",
                 far && strcmp(dst, "gpu") == 0 ? "gpu@!hub" : lab_plan_memory(dst, false));
}
