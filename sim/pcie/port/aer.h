/*
 * Errors of PCI Express and where they are recorded (PCI Express Base 3.0, 6.2 and 7.10): the
 * Advanced Error Reporting capability at 0x100 of a function's configuration space, and the Device
 * Status of its PCI Express capability. docs/errors.md says who detects what.
 */
#ifndef PCIE_AER_H
#define PCIE_AER_H

#include "pcie/port/config.h"
#include "pcie/port/port.h"

SIM_BEGIN_DECLS

/** Bits of the Uncorrectable Error Status; from PCIE_ERR_CORRECTABLE on, of the Correctable one. */
enum pcie_error {
    PCIE_ERR_PROTOCOL = 4,      /* data link protocol: an ACK or NAK of what was never sent */
    PCIE_ERR_SURPRISE_DOWN = 5, /* the link went down and nothing had asked for it */
    PCIE_ERR_POISONED = 12,     /* poisoned TLP received */
    PCIE_ERR_FLOW_CONTROL = 13, /* flow control protocol */
    PCIE_ERR_TIMEOUT = 14,      /* completion time-out */
    PCIE_ERR_ABORT = 15,        /* Completer Abort sent */
    PCIE_ERR_UNEXPECTED = 16,   /* unexpected completion */
    PCIE_ERR_OVERFLOW = 17,     /* receiver overflow */
    PCIE_ERR_MALFORMED = 18,    /* malformed TLP */
    PCIE_ERR_ECRC = 19,
    PCIE_ERR_UNSUPPORTED = 20, /* Unsupported Request */

    PCIE_ERR_CORRECTABLE = 32,
    PCIE_ERR_RECEIVER = PCIE_ERR_CORRECTABLE + 0, /* 8b/10b, framing */
    PCIE_ERR_BAD_TLP = PCIE_ERR_CORRECTABLE + 6,  /* LCRC or sequence number */
    PCIE_ERR_BAD_DLLP = PCIE_ERR_CORRECTABLE + 7, /* CRC-16 */
    PCIE_ERR_REPLAY_ROLLOVER = PCIE_ERR_CORRECTABLE + 8,
    PCIE_ERR_REPLAY_TIMER = PCIE_ERR_CORRECTABLE + 12,
    PCIE_ERR_ADVISORY = PCIE_ERR_CORRECTABLE + 13, /* advisory non-fatal: see pcie_aer_record() */
};

#define PCIE_CFG_AER                0x100u /* capability 0001h, version 2 */
#define PCIE_AER_UNCORRECTABLE      0x104u /* W1C */
#define PCIE_AER_UNCORRECTABLE_MASK 0x108u
#define PCIE_AER_SEVERITY           0x10cu /* 1: fatal */
#define PCIE_AER_CORRECTABLE        0x110u /* W1C */
#define PCIE_AER_CORRECTABLE_MASK   0x114u
#define PCIE_AER_CONTROL            0x118u /* bits 4..0: first error pointer */
#define PCIE_AER_HEADER_LOG         0x11cu /* 16 bytes: byte 0 of the header in bits 31..24 */

/* Device Status: the upper half of the word of Device Control; W1C */
#define PCIE_STATUS_CORRECTABLE 0x00010000u
#define PCIE_STATUS_NONFATAL    0x00020000u
#define PCIE_STATUS_FATAL       0x00040000u
#define PCIE_STATUS_UNSUPPORTED 0x00080000u

/* Status of PCI: the upper half of the word of Command; W1C (7.5.1.2) */
#define PCIE_STATUS_SIGNALED_ABORT 0x08000000u
#define PCIE_STATUS_TARGET_ABORT   0x10000000u /* a completion with Completer Abort came */
#define PCIE_STATUS_MASTER_ABORT   0x20000000u /* the same with Unsupported Request */
#define PCIE_STATUS_PARITY         0x80000000u /* poisoned data came */

/** Adds the capability to the function. */
void pcie_aer_init(struct pcie_function *fn);
/**
 * Records an error in the function's registers as in figure 6-2: Device Status, status bit, and
 * where the bit is not masked, the first error pointer and `tlp`'s header (NULL: none).
 * `advisory`: a case of 6.2.3.2.4, where another agent decides what the error means (the requester
 * of what is answered with Unsupported Request, say); where its severity is non-fatal it counts as
 * correctable.
 */
void pcie_aer_record(struct pcie_function *fn, enum pcie_error error, bool advisory,
                     const struct pcie_tlp *tlp);

/** The function whose registers record what `port` detects; NULL: none, it is only counted. */
void pcie_port_set_function(struct pcie_port *port, struct pcie_function *fn);
/**
 * `port`, or the user behind it, has detected an error: counts it (statistics
 * `<port>.errors.correctable`, `.uncorrectable`) and records it. `tlp` may be NULL. Any phase.
 */
void pcie_port_error(struct pcie_port *port, enum pcie_error error, const struct pcie_tlp *tlp);
/** The same for the cases of 6.2.3.2.4. */
void pcie_port_advisory(struct pcie_port *port, enum pcie_error error, const struct pcie_tlp *tlp);

/** A request of `port`'s user was answered by `cpl`: records an error status, and poisoned data. */
void pcie_port_answered(struct pcie_port *port, const struct pcie_tlp *cpl);

SIM_END_DECLS
#endif /* PCIE_AER_H */
