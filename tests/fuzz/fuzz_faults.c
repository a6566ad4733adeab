/* Any bytes as a file of faults for a ring of the real kinds: a machine, or one message. What is
 * read is given to the ports too, which check it once more. */
#define _GNU_SOURCE /* memfd_create */
#include "fuzz.h"
#include "tools/lab/software.h"
#include "tools/load/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

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

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct load_roots roots = { 0 };
    char path[64];
    const char *faults[] = { path };
    struct load_options opt = {
        .roots = &roots, .kinds = lab_kinds(), .faults = faults, .nfaults = 1
    };
    struct load_machine *machine;
    struct sim_error err = { 0 };
    int file = memfd_create("faults", 0);

    if (file < 0 || write(file, bytes, n) != (ssize_t)n)
        abort();
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
    load_roots_add(&roots, "configs");
    if (load_machine_create("configs/machines/ring4.yaml", &opt, &machine, &err) == SIM_OK) {
        build(machine);
        load_machine_destroy(machine);
    } else if (err.code == SIM_OK || err.text[0] == '\0') {
        abort();
    }
    (void)close(file);
    return 0;
}
