/* A GPU by its place, "gpu@ib": beside a component, on the same socket or another. */
#include "tools/lab/run/simulate.h"

#include "hosts/launch/launch.h"
#include "tools/load/value.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct gpu_place {
    char component[64];
    bool beside; /* on its socket, else on another */
    unsigned skip;
};

/** "gpu@ib", "gpu@ib+1" or "gpu@!ib". */
static bool read_place(const char *text, struct gpu_place *place_p)
{
    const char *name = text + strlen("gpu@");
    bool beside = *name != '!';
    uint64_t skip = 0;
    size_t n;

    name += !beside;
    n = strcspn(name, "+");
    if (n == 0 || n >= sizeof(place_p->component) ||
        (name[n] == '+' && (!load_number(name + n + 1, false, &skip) || skip > UINT_MAX)))
        return false;
    *place_p = (struct gpu_place){ .beside = beside, .skip = (unsigned)skip };
    (void)snprintf(place_p->component, sizeof(place_p->component), "%.*s", (int)n, name);
    return true;
}

bool lab_run_gpu_reads(const char *text)
{
    struct gpu_place place;

    return strncmp(text, "gpu@", 4) != 0 || read_place(text, &place);
}

bool lab_run_gpu(const struct machine_desc *desc, unsigned node, const char *text, unsigned *gpu_p)
{
    struct gpu_place place;

    if (text[3] != '@') {
        *gpu_p = (unsigned)strtoul(text + 3, NULL, 10);
        return *gpu_p < launch_gpus(desc, node, NULL);
    }
    return read_place(text, &place) &&
           launch_gpu_by(desc, node, place.component, place.beside, place.skip, gpu_p);
}

static bool has_component(const struct machine_node_desc *node, const char *name)
{
    for (unsigned i = 0; i < node->ncomponents; i++)
        if (strcmp(node->components[i].name, name) == 0)
            return true;
    return false;
}

/** `arg`, "src=gpu7", names a GPU that the node lacks. */
static _Noreturn void fail_number(const struct machine_desc *desc, unsigned node, const char *arg)
{
    unsigned n = launch_gpus(desc, node, NULL);

    if (n == 0)
        load_raise(SIM_ERR_CONFIG, "%s: node%u: expected cpu: the node has no GPU", arg, node);
    load_raise(SIM_ERR_CONFIG, "%s: node%u: expected cpu or gpu0 .. gpu%u, the GPUs of the node",
               arg, node, n - 1);
}

/** `at`: "gpu@..." in `arg`, which no GPU of the node is. */
static _Noreturn void fail_place(const struct machine_desc *desc, unsigned node, const char *arg,
                                 const char *at)
{
    struct gpu_place place;
    bool reads = read_place(at, &place);

    SIM_ASSERT(reads); /* lab_run_gpu_reads() refuses it before */
    if (!has_component(&desc->nodes[node], place.component))
        load_raise(SIM_ERR_CONFIG,
                   "%s: node%u: no component %s: expected one at a root port of the node", arg,
                   node, place.component);
    if (!launch_at_root_port(desc, node, place.component))
        load_raise(SIM_ERR_CONFIG, "%s: node%u: expected a component at a root port of the node",
                   arg, node);
    load_raise(SIM_ERR_CONFIG, "%s: node%u: expected a GPU %s the socket of %s, and %u before it",
               arg, node, place.beside ? "on" : "beyond", place.component, place.skip);
}

const char *lab_run_memory(const struct lab_run *run, unsigned i)
{
    return (run->memories >> i & 1) != 0 ? strchr(run->args[i], '=') + 1 : NULL;
}

const char *lab_run_place_memory(const struct lab_run *run, const struct machine_desc *desc,
                                 unsigned i, struct load_arena *arena)
{
    const char *arg = run->args[i], *memory = lab_run_memory(run, i);
    unsigned node = run->nranks > 0 ? run->nodes[0] : 0, gpu;
    bool placed = memory != NULL && strncmp(memory, "gpu@", 4) == 0;

    if (memory == NULL || strncmp(memory, "gpu", 3) != 0)
        return arg;
    if (!lab_run_gpu(desc, node, memory, &gpu)) {
        if (placed)
            fail_place(desc, node, arg, memory);
        fail_number(desc, node, arg);
    }
    if (!placed)
        return arg;
    return load_text(arena, "%.*sgpu%u", (int)(memory - arg), arg, gpu);
}
