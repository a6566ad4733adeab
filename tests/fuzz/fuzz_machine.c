/* Any bytes as a machine file over the real platforms and kinds: a machine, or one message. */
#define _GNU_SOURCE /* memfd_create */
#include "fuzz.h"
#include "tools/lab/run/software.h"
#include "tools/load/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static void read_machine(void *path)
{
    struct load_roots roots = { 0 };

    load_roots_add(&roots, "configs");
    load_machine_destroy(
        load_machine_create(path, &(struct load_options){ .roots = &roots, .kinds = lab_kinds() }));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct sim_error err = { 0 };
    char path[64];
    int file = memfd_create("machine", 0);

    if (file < 0 || write(file, bytes, n) != (ssize_t)n)
        abort();
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
    if (load_attempt(read_machine, path, &err) != SIM_OK && err.text[0] == '\0')
        abort();
    (void)close(file);
    return 0;
}
