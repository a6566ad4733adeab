/*
 * Settings of libraries, and what software costs on a platform: each library exports a table of its
 * own, by which files and users set them, and which is what is known of them elsewhere.
 */
#ifndef HOST_PARAM_H
#define HOST_PARAM_H

#include <stdint.h>

#include "hosts/host/host.h"

#ifdef __cplusplus
extern "C" {
#endif

struct host_param {
    const char *key;  /* what host_setting_of() finds it by; "mpi.eager_bytes" */
    const char *unit; /* "ps", "bytes", "1" for a plain number, "choice" */
    uint64_t least, most, def;
    const char *meaning;
    const char *choices; /* "own|on|off": the value is the index in this list; else NULL */
    unsigned cost;       /* one of enum host_cost, plus 1; 0: a setting, read by its key */
};

#define HOST_PARAM_COST_PS(key, def, cost, meaning)                                                \
    {                                                                                              \
        key, "ps", 0, UINT64_C(1000000000), def, meaning, NULL, cost                               \
    }
#define HOST_PARAM_PS(key, def, meaning) HOST_PARAM_COST_PS(key, def, 0, meaning)
#define HOST_PARAM_BYTES(key, def, meaning)                                                        \
    {                                                                                              \
        key, "bytes", 0, UINT32_C(1) << 30, def, meaning, NULL, 0                                  \
    }
#define HOST_PARAM_NUMBER(key, unit, most, meaning)                                                \
    {                                                                                              \
        key, unit, 0, most, 0, meaning, NULL, 0                                                    \
    }
#define HOST_PARAM_CHOICE(key, def, choices, most, meaning)                                        \
    {                                                                                              \
        key, "choice", 0, most, def, meaning, choices, 0                                           \
    }
#define HOST_PARAM_END                                                                             \
    {                                                                                              \
        NULL, NULL, 0, 0, 0, NULL, NULL, 0                                                         \
    }

/** What the operating system and calls of libraries cost. */
extern const struct host_param host_cost_params[];

#ifdef __cplusplus
}
#endif
#endif /* HOST_PARAM_H */
