/*
 * What a program object and its loader agree on. Each program is linked with
 * shim/program.c; the loader finds `hub_program_hooks` in its copy and fills it.
 */
#ifndef LAUNCH_SHIM_PROGRAM_H
#define LAUNCH_SHIM_PROGRAM_H

#include <stdint.h>
#include <stdio.h>

#define HUB_PROGRAM_ABI 1

struct hub_program_hooks {
    uint32_t abi;              /* HUB_PROGRAM_ABI, set by the object */
    FILE *in, *out, *err;      /* of this rank, set by the loader */
    void (*exit)(int code);    /* ends the calling rank; does not return */
    uint64_t (*time_ps)(void); /* simulated time */
    void (*sleep_ps)(uint64_t ps);
};

#endif /* LAUNCH_SHIM_PROGRAM_H */
