/*
 * What a program object and its loader agree on. Each program is linked with
 * shim/program.c; the loader finds `hub_program_hooks` in its copy and fills it.
 */
#ifndef LAUNCH_SHIM_PROGRAM_H
#define LAUNCH_SHIM_PROGRAM_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define HUB_PROGRAM_ABI 1

struct hub_program_hooks {
    uint32_t abi;              /* HUB_PROGRAM_ABI, set by the object */
    FILE *in, *out, *err;      /* of this rank, set by the loader */
    void (*exit)(int code);    /* ends the calling rank; does not return */
    uint64_t (*time_ps)(void); /* simulated time */
    void (*sleep_ps)(uint64_t ps);
    /* memory of the rank; also takes what libc or a library allocated for it, as strdup() does */
    void *(*alloc)(void *heap, size_t bytes, size_t align, int *zeroed_p);
    void (*free)(void *heap, void *p);
    size_t (*size)(void *heap, void *p);
    void *heap;
};

#endif /* LAUNCH_SHIM_PROGRAM_H */
