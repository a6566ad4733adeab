/*
 * The faults of a port as rows of a table (machine/kind.h), which fill a struct
 * pcie_fault_values. Only names of fields appear here, so that pcie includes
 * nothing of machine.
 */
#ifndef PCIE_FAULT_PARAMS_H
#define PCIE_FAULT_PARAMS_H

#include "pcie/lossy/fault.h"

SIM_BEGIN_DECLS

/** What is said of one fault; each kind of fault uses some of it. */
struct pcie_fault_values {
    uint64_t rate_e18;                       /* bit error rate */
    uint64_t at_ps, for_ps, every_ps, times; /* times >= 1, each `every_ps` later */
    uint64_t tlp, dllp;                      /* the n-th one; 0: none */
    uint64_t cls, gen, lanes;
};

/** In the order of PCIE_FAULT_KINDS. */
enum pcie_fault_kind {
    PCIE_KIND_BIT_ERROR_RATE,
    PCIE_KIND_BURST,
    PCIE_KIND_CORRUPT,
    PCIE_KIND_DROP,
    PCIE_KIND_NULLIFY,
    PCIE_KIND_DUPLICATE,
    PCIE_KIND_FLAP,
    PCIE_KIND_DOWN,
    PCIE_KIND_STUCK_CREDIT,
    PCIE_KIND_DEGRADE,
    PCIE_FAULT_KINDS_COUNT
};

/** One more fault of a port; a second bit error rate replaces the first. As
 * pcie_port_set_faults(). */
int pcie_port_add_fault(struct pcie_port *port, enum pcie_fault_kind kind,
                        const struct pcie_fault_values *values, struct sim_error *err);

/* clang-format off */
#define PCIE_FAULT_ROW(key, unit, min, max, def, field, meaning) \
    { key, unit, min, max, def, offsetof(struct pcie_fault_values, field), meaning, NULL }
#define PCIE_FAULT_NTH_MAX  UINT64_C(1000000000000)
#define PCIE_FAULT_TIME_MAX (UINT64_C(1000000) * SIM_MS)
/* A default that is no value: must be given. */
#define PCIE_FAULT_GIVEN    UINT64_MAX

#define PCIE_FAULT_RATE     PCIE_FAULT_ROW("bit_error_rate", "1e-18", 0, PCIE_BER_MAX, PCIE_FAULT_GIVEN, rate_e18, "bits that arrive wrong, of all bits that are sent")
#define PCIE_FAULT_AT(def)  PCIE_FAULT_ROW("at", "ps", 0, PCIE_FAULT_TIME_MAX, def, at_ps, "when it begins")
#define PCIE_FAULT_FOR      PCIE_FAULT_ROW("for", "ps", 1, PCIE_FAULT_TIME_MAX, PCIE_FAULT_GIVEN, for_ps, "how long it lasts")
#define PCIE_FAULT_AGAIN    PCIE_FAULT_ROW("every", "ps", 0, PCIE_FAULT_TIME_MAX, 0, every_ps, "from the beginning of one to that of the next"), \
                            PCIE_FAULT_ROW("times", "1", 1, 10000, 1, times, "how often it happens")
#define PCIE_FAULT_TLP_ROW  PCIE_FAULT_ROW("tlp", "1", 1, PCIE_FAULT_NTH_MAX, 0, tlp, "which TLP that the port sends, counted from 1, replays with them")
#define PCIE_FAULT_NTH      PCIE_FAULT_ROW("tlp", "1", 0, PCIE_FAULT_NTH_MAX, 0, tlp, "which TLP that the port sends, counted from 1, replays with them"), \
                            PCIE_FAULT_ROW("dllp", "1", 0, PCIE_FAULT_NTH_MAX, 0, dllp, "which DLLP that the port sends, counted from 1")
#define PCIE_FAULT_END      { NULL, NULL, 0, 0, 0, 0, NULL, NULL }

/** Tables of the rows, for PCIE_FAULT_KINDS. */
#define PCIE_FAULT_TABLES                                                                                           \
    static const struct machine_param fault_rate_rows[] = { PCIE_FAULT_RATE, PCIE_FAULT_END };                      \
    static const struct machine_param fault_burst_rows[] = { PCIE_FAULT_AT(PCIE_FAULT_GIVEN), PCIE_FAULT_FOR,       \
                                                             PCIE_FAULT_RATE, PCIE_FAULT_AGAIN, PCIE_FAULT_END };   \
    static const struct machine_param fault_nth_rows[] = { PCIE_FAULT_NTH, PCIE_FAULT_END };                        \
    static const struct machine_param fault_tlp_rows[] = { PCIE_FAULT_TLP_ROW, PCIE_FAULT_END };                    \
    static const struct machine_param fault_outage_rows[] = { PCIE_FAULT_AT(PCIE_FAULT_GIVEN), PCIE_FAULT_FOR,      \
                                                              PCIE_FAULT_AGAIN, PCIE_FAULT_END };                   \
    static const struct machine_param fault_stuck_rows[] = {                                                        \
        { "class", "choice", 0, 2, PCIE_FAULT_GIVEN, offsetof(struct pcie_fault_values, cls),                       \
          "whose credits are held back", "posted|non-posted|completion" },                                          \
        PCIE_FAULT_AT(0),                                                                                           \
        PCIE_FAULT_ROW("for", "ps", 0, PCIE_FAULT_TIME_MAX, 0, for_ps, "how long it lasts; 0 = for ever"),          \
        PCIE_FAULT_END };                                                                                           \
    static const struct machine_param fault_degrade_rows[] = {                                                      \
        PCIE_FAULT_AT(0),                                                                                           \
        PCIE_FAULT_ROW("gen", "1", 0, 5, 0, gen, "generation at most; 0 = as before"),                              \
        PCIE_FAULT_ROW("lanes", "1", 0, 16, 0, lanes, "lanes at most (1, 2, 4, 8, 16); 0 = as before"),             \
        PCIE_FAULT_END }

#define PCIE_FAULT_KIND(name, place, rows, meaning) \
    { name, place, rows, sizeof(struct pcie_fault_values), meaning }
/** Entries of a kind's list of faults, which PCIE_FAULT_TABLES stands before. */
#define PCIE_FAULT_KINDS \
    PCIE_FAULT_KIND("bit_error_rate", MACHINE_OF_PORT, fault_rate_rows, "Bits of what the port sends arrive wrong at random."), \
    PCIE_FAULT_KIND("burst", MACHINE_OF_PORT, fault_burst_rows, "For a time another bit error rate."), \
    PCIE_FAULT_KIND("corrupt", MACHINE_OF_PORT, fault_nth_rows, "One bit of the n-th TLP or DLLP arrives wrong."), \
    PCIE_FAULT_KIND("drop", MACHINE_OF_PORT, fault_nth_rows, "The n-th TLP or DLLP loses its framing: nothing of it is seen."), \
    PCIE_FAULT_KIND("nullify", MACHINE_OF_PORT, fault_tlp_rows, "The n-th TLP is first sent with EDB, to be ignored."), \
    PCIE_FAULT_KIND("duplicate", MACHINE_OF_PORT, fault_tlp_rows, "The n-th TLP is sent twice."), \
    PCIE_FAULT_KIND("flap", MACHINE_OF_LINK, fault_outage_rows, "For a time nothing passes; then the link retrains and goes on where it was."), \
    PCIE_FAULT_KIND("down", MACHINE_OF_LINK, fault_outage_rows, "For a time the link is down; what it held is lost."), \
    PCIE_FAULT_KIND("stuck_credit", MACHINE_OF_PORT, fault_stuck_rows, "For a time the port announces no credits of a class."), \
    PCIE_FAULT_KIND("degrade", MACHINE_OF_LINK, fault_degrade_rows, "The link retrains and comes back slower or narrower.")
/* clang-format on */

SIM_END_DECLS
#endif /* PCIE_FAULT_PARAMS_H */
