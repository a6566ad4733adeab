/* Any bytes as a file of faults for two nodes of the real kinds: a machine, or one message. What is
 * read is given to ports and components too, which check it once more. */
#define _GNU_SOURCE /* memfd_create */
#include "fuzz.h"
#include "tools/lab/run/software.h"
#include "tools/load/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/** As small as nodes can be, since each input builds them. */
static const char node[] = "components:\n"
                           "  host: {kind: host, ram_bytes: 65536}\n"
                           "  gpu0: {kind: gpu, memory_bytes: 65536, bar_bytes: 65536}\n"
                           "  hub: {kind: hub.c}\n"
                           "links:\n"
                           "  - {from: host.p0, to: hub.n, length_mm: 200}\n"
                           "  - {from: host.p1, to: gpu0.pcie, length_mm: 200}\n";

/** @return a descriptor; its path in `path`. */
static int hold(const void *bytes, size_t n, char *path, size_t size)
{
    int file = memfd_create("fuzz", 0);

    if (file < 0 || write(file, bytes, n) != (ssize_t)n)
        abort();
    (void)snprintf(path, size, "/proc/self/fd/%d", file);
    return file;
}

static void build(const struct load_machine *file)
{
    const struct sim_config cfg = { .seed = 1 };
    struct machine *machine;
    struct sim_error err = { 0 };

    if (machine_create(load_machine_desc(file), &cfg, NULL, NULL, &machine, &err) == SIM_OK)
        machine_destroy(machine);
    else if (err.text[0] == '\0')
        abort();
}

struct input {
    char text[256];
    const char *faults[1];
};

static void read_machine(void *arg)
{
    const struct input *input = arg;
    struct load_roots roots = { 0 };
    struct load_machine *machine = load_machine_parse(
        "two", input->text, strlen(input->text),
        &(struct load_options){
            .roots = &roots, .kinds = lab_kinds(), .faults = input->faults, .nfaults = 1 });

    build(machine);
    load_machine_destroy(machine);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    char platform[64], path[64];
    const int nodes = hold(node, sizeof(node) - 1, platform, sizeof(platform));
    const int file = hold(bytes, n, path, sizeof(path));
    struct input input = { .faults = { path } };
    struct sim_error err = { 0 };

    (void)snprintf(input.text, sizeof(input.text),
                   "platform: %s\nnodes: 2\ncables:\n"
                   "  - {from: node0.hub.e, to: node1.hub.w, length_mm: 1000}\n",
                   platform);
    if (load_attempt(read_machine, &input, &err) != SIM_OK && err.text[0] == '\0')
        abort();
    (void)close(file);
    (void)close(nodes);
    return 0;
}
