/*
 * Tables of parameters and of faults. A table is the only schema of a component's
 * configuration: it drives loading, `--set`, range errors, `hubsim params` and the
 * tables in docs/model.md.
 */
#ifndef SIM_CORE_PARAM_H
#define SIM_CORE_PARAM_H

#include "core/sim.h"

SIM_BEGIN_DECLS

/** One key of a component. The value is a uint64_t at `offset` of the kind's configuration. */
struct machine_param {
    const char *key;  /* "link.lanes"; the last part ends in its unit where it has one */
    const char *unit; /* "ps", "bytes", "1" for a plain number, "choice" */
    uint64_t min, max, def;
    size_t offset;
    const char *meaning; /* one sentence; what it is, physically */
    const char *choices; /* "uc|wc": the value is the index in this list; else NULL */
};
/** The number at `field` of `type`, under the field's name. */
#define MACHINE_PARAM(type, field, unit, min, max, def, meaning)                                   \
    {                                                                                              \
#field, unit, min, max, def, offsetof(type, field), meaning, NULL                          \
    }
/** The default of a row that need not be said: its kind takes something else instead. */
#define MACHINE_UNSAID UINT64_MAX
#define MACHINE_PARAM_END                                                                          \
    {                                                                                              \
        NULL, NULL, 0, 0, 0, 0, NULL, NULL                                                         \
    }

/** Rows of another block's table: keys of a struct that a component holds once, or for each name.
 */
struct machine_group {
    const char *key;          /* goes before the rows' keys: "*.link.", where * stands for a name */
    const char *const *names; /* NULL at the end; NULL: one without a name */
    const struct machine_param *rows;
    size_t offset, stride; /* in the kind's configuration: the first struct, and to the next one */
    const void *defaults; /* NULL, or such a struct: what is not 0 there replaces a row's default */
    bool unsaid;          /* all defaults are MACHINE_UNSAID */
};

/**
 * A kind's `params` and behind them the rows of its `groups` (key NULL at the end) as one table;
 * either may be NULL. free() it; NULL: out of memory.
 */
struct machine_param *machine_table_create(const struct machine_param *params,
                                           const struct machine_group *groups);

enum machine_fault_place {
    MACHINE_OF_COMPONENT,
    MACHINE_OF_PORT, /* what this end does */
    MACHINE_OF_LINK  /* both directions at once: given to one of the two ports */
};

/** One way in which a component, or one of its ports, can be made to go wrong. */
struct machine_fault_kind {
    const char *name; /* "burst" */
    enum machine_fault_place place;
    /** What is to be said of it. A row whose `def` lies outside of its range must be given; a value
     * alone is the first row's. Beside the units of all tables: "ps", written with its unit, and
     * "1e-18" or the like, a rate. */
    const struct machine_param *params;
    size_t config_bytes;
    const char *meaning;
};
#define MACHINE_FAULT_END                                                                          \
    {                                                                                              \
        NULL, MACHINE_OF_COMPONENT, NULL, 0, NULL                                                  \
    }

SIM_END_DECLS
#endif
