/* Reading a setup whose words are right, and writing the arguments of its program. */
#include "regs/hub_regs.h"
#include "tools/lab/workload/plan_parts.h"
#include "tools/load/value.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *lab_plan_text(const struct lab_planning *p, const char *key, const char *absent)
{
    const char *value = lab_setup_get(p->setup, key);

    return value != NULL ? value : absent;
}

bool lab_plan_given(const struct lab_planning *p, const char *key)
{
    return lab_setup_get(p->setup, key) != NULL;
}

bool lab_plan_says(const struct lab_planning *p, const char *key, const char *value)
{
    return strcmp(lab_plan_text(p, key, ""), value) == 0;
}

uint64_t lab_plan_number(const struct lab_planning *p, const char *key, uint64_t absent)
{
    const char *text = lab_setup_get(p->setup, key);
    uint64_t value = absent;

    if (text != NULL)
        SIM_ASSERT(load_number(text, false, &value)); /* checked before */
    return value;
}

uint64_t lab_plan_multiple(const struct lab_planning *p, const char *key, uint64_t absent,
                           uint64_t step)
{
    uint64_t value = lab_plan_number(p, key, absent);

    if (value == 0 || value % step != 0)
        lab_plan_fail(
            p, key,
            step == 1
                ? "at least 1"
                : load_text(p->arena, "a multiple of %" PRIu64 ", at least %" PRIu64, step, step));
    return value;
}

void lab_plan_need_ranks(const struct lab_planning *p, unsigned nranks)
{
    if (p->run->nranks != nranks)
        lab_plan_fail(p, "nodes",
                      load_text(p->arena, "%u, the ranks of %s", nranks, p->pt->workload));
}

void lab_plan_fail(const struct lab_planning *p, const char *key, const char *expected)
{
    load_raise(SIM_ERR_CONFIG, "%s: setup %s=%s: expected %s",
               lab_setup_where(p->setup, key, p->pt->where), key, lab_plan_text(p, key, "(absent)"),
               expected);
}

const char *lab_plan_first(const struct lab_planning *p, const char *const *keys)
{
    while (*keys != NULL && !lab_plan_given(p, *keys))
        keys++;
    return *keys;
}

const char *lab_plan_first_word(const struct lab_planning *p, const struct lab_word *words)
{
    while (words->key != NULL && !lab_plan_given(p, words->key))
        words++;
    return words->key;
}

void lab_plan_refuse(const struct lab_planning *p, const char *const *keys, const char *why)
{
    const char *key = lab_plan_first(p, keys);

    if (key != NULL)
        lab_plan_fail(p, key, why);
}

void lab_plan_arg(const struct lab_planning *p, const char *key, const char *value)
{
    SIM_ASSERT(p->run->nargs < LAB_ARGS_MAX);
    p->run->args[p->run->nargs++] = load_text(p->arena, "%s=%s", key, value);
}

void lab_plan_arg_memory(const struct lab_planning *p, const char *key, const char *memory)
{
    p->run->memories |= UINT32_C(1) << p->run->nargs;
    lab_plan_arg(p, key, memory);
}

void lab_plan_arg_number(const struct lab_planning *p, const char *key, uint64_t value)
{
    lab_plan_arg(p, key, load_text(p->arena, "%" PRIu64, value));
}

void lab_plan_pass(const struct lab_planning *p, const char *key, const char *absent)
{
    const char *value = lab_plan_text(p, key, absent);

    if (value != NULL)
        lab_plan_arg(p, key, value);
}

const char *lab_plan_memory(const char *word, bool pio_source)
{
    if (pio_source || strncmp(word, "cpu", 3) == 0)
        return "cpu";
    if (strcmp(word, "gpu-other-same-node") == 0)
        return "gpu1";
    return strcmp(word, "gpu-across-qpi") == 0 ? "gpu2" : "gpu0";
}

struct lab_shape lab_plan_shape(const struct lab_planning *p)
{
    uint64_t n = lab_plan_number(p, "n", 0), bytes;
    struct lab_shape shape = { lab_plan_number(p, "blocks", n),
                               lab_plan_number(p, "block_bytes", 8 * n),
                               lab_plan_number(p, "pitch_bytes", 8 * n * n) };

    bytes = shape.blocks * shape.block_bytes;
    if (bytes == 0)
        lab_plan_fail(p, shape.blocks == 0 ? "blocks" : "block_bytes", "at least 1, or n");
    if (lab_plan_number(p, "bytes", bytes) != bytes)
        lab_plan_fail(p, "bytes", "blocks * block_bytes");
    if (shape.pitch_bytes < shape.block_bytes)
        lab_plan_fail(p, "pitch_bytes", "at least block_bytes");
    return shape;
}

void lab_plan_arg_shape(const struct lab_planning *p, const struct lab_shape *shape)
{
    lab_plan_arg_number(p, "blocks", shape->blocks);
    lab_plan_arg_number(p, "block_bytes", shape->block_bytes);
    lab_plan_arg_number(p, "pitch_bytes", shape->pitch_bytes);
}

void lab_plan_place(const struct lab_planning *p)
{
    const char *place = lab_plan_text(p, "place", NULL);
    uint64_t nodes = lab_plan_number(p, "nodes", 2);

    if (nodes < 1 || nodes > LAB_RANKS_MAX)
        lab_plan_fail(p, "nodes", "1 .. 64");
    p->run->nranks = (unsigned)nodes;
    for (unsigned i = 0; i < p->run->nranks; i++) {
        char *end;

        p->run->nodes[i] = place != NULL ? (unsigned)strtoul(place, &end, 10) : i;
        if (place == NULL)
            continue;
        if (end == place || *end != (i + 1 < p->run->nranks ? ',' : '\0'))
            lab_plan_fail(p, "place", "a node for each rank, with commas");
        place = end + 1;
    }
}

static _Noreturn void refuse_destination(const struct lab_planning *p, const char *key)
{
    lab_plan_fail(p, key,
                  load_text(p->arena,
                            "memory that a window reaches: that of the host or of GPU 0 .. %u",
                            HUB_AREA_SELF - HUB_AREA_GPU0 - 1));
}

void lab_plan_add_memory(const struct lab_planning *p, const char *key)
{
    bool source = strcmp(key, "src") == 0, pio = strcmp(p->mode, "pio") == 0;
    bool far = lab_plan_says(p, "gpu", "ib-side") || /* the other socket than the board's */
               lab_plan_says(p, "gpu", "across-qpi");
    const char *word = lab_plan_text(p, key, "cpu");

    far &= strcmp(word, "gpu") == 0;
    if (!source && (far || strcmp(word, "gpu-across-qpi") == 0))
        refuse_destination(p, far ? "gpu" : key);
    lab_plan_arg_memory(p, key, far ? "gpu@!hub" : lab_plan_memory(word, pio && source));
}

void lab_plan_memories(const struct lab_planning *p)
{
    lab_plan_add_memory(p, "src");
    lab_plan_add_memory(p, "dst");
}
