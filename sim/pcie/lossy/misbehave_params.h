/*
 * What completers do wrong as rows of a table (machine/kind.h), as fault_params.h
 * has what links do; these stand behind those in a kind's list.
 */
#ifndef PCIE_MISBEHAVE_PARAMS_H
#define PCIE_MISBEHAVE_PARAMS_H

#include "pcie/lossy/fault_params.h"
#include "pcie/lossy/misbehave.h"

SIM_BEGIN_DECLS

struct pcie_misbehave_values {
    uint64_t at_ps, for_ps, skip, count, ppm, late_ps;
};

/* clang-format off */
#define PCIE_MISDEED_ROW(key, unit, min, max, def, field, meaning) \
    { key, unit, min, max, def, offsetof(struct pcie_misbehave_values, field), meaning, NULL }
#define PCIE_MISDEED_TIME \
    PCIE_MISDEED_ROW("at", "ps", 0, PCIE_FAULT_TIME_MAX, 0, at_ps, "when it begins"), \
    PCIE_MISDEED_ROW("for", "ps", 0, PCIE_FAULT_TIME_MAX, 0, for_ps, "how long it lasts; 0 = for ever")
#define PCIE_MISDEED_SHARE \
    PCIE_MISDEED_ROW("share", "1e-6", 0, 1000000, 1000000, ppm, "of the requests that it hits, picked at random")
#define PCIE_MISDEED_REQUESTS \
    PCIE_MISDEED_ROW("skip", "1", 0, PCIE_FAULT_NTH_MAX, 0, skip, "requests that are spared first"), \
    PCIE_MISDEED_ROW("count", "1", 0, PCIE_FAULT_NTH_MAX, 0, count, "requests that may be hit then; 0 = all")

/** Tables of the rows, for PCIE_MISDEEDS. */
#define PCIE_MISDEED_TABLES                                                                                         \
    static const struct machine_param misdeed_rows[] = { PCIE_MISDEED_SHARE, PCIE_MISDEED_TIME,                     \
                                                         PCIE_MISDEED_REQUESTS, PCIE_FAULT_END };                   \
    static const struct machine_param misdeed_slow_rows[] = {                                                       \
        PCIE_MISDEED_ROW("by", "ps", 1, PCIE_FAULT_TIME_MAX, PCIE_FAULT_GIVEN, late_ps, "later than it would answer"), \
        PCIE_MISDEED_SHARE, PCIE_MISDEED_TIME, PCIE_MISDEED_REQUESTS, PCIE_FAULT_END };                             \
    static const struct machine_param misdeed_dead_rows[] = { PCIE_MISDEED_TIME, PCIE_FAULT_END }

#define PCIE_MISDEED(name, rows, meaning) \
    { name, MACHINE_OF_COMPONENT, rows, sizeof(struct pcie_misbehave_values), meaning }
/** In the order of enum pcie_misdeed. */
#define PCIE_MISDEEDS \
    PCIE_MISDEED("poison", misdeed_rows, "Completions with data are poisoned."), \
    PCIE_MISDEED("abort", misdeed_rows, "Requests are answered with Completer Abort."), \
    PCIE_MISDEED("slow", misdeed_slow_rows, "Requests are answered later."), \
    PCIE_MISDEED("silent", misdeed_rows, "Requests are taken and never answered."), \
    PCIE_MISDEED("dead", misdeed_dead_rows, "Nothing is taken out of its receive buffers, which fill up.")
/* clang-format on */

static inline struct pcie_misbehavior
pcie_misbehavior_of(enum pcie_misdeed deed, const struct pcie_misbehave_values *values)
{
    return (struct pcie_misbehavior){
        .deed = deed,
        .from_ps = values->at_ps,
        .to_ps = values->for_ps != 0 ? values->at_ps + values->for_ps : SIM_TIME_NEVER,
        .skip = values->skip,
        .count = values->count,
        .ppm = (uint32_t)values->ppm,
        .late_ps = values->late_ps,
    };
}

SIM_END_DECLS
#endif /* PCIE_MISBEHAVE_PARAMS_H */
