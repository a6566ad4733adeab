/*
 * Transaction Layer Packets (PCI Express Base Specification 3.0, chapter 2):
 * a small value owned anew at each hop, and with it its payload.
 */
#ifndef PCIE_TLP_H
#define PCIE_TLP_H

#include "memory/payload.h"

SIM_BEGIN_DECLS

/** Kinds of TLP by meaning; Fmt and Type follow from it and the address (3DW or 4DW). */
enum pcie_tlp_kind {
    PCIE_MRD, /* Memory Read Request */
    PCIE_MWR, /* Memory Write Request */
    PCIE_CFGRD0,
    PCIE_CFGWR0,
    PCIE_CFGRD1,
    PCIE_CFGWR1,
    PCIE_MSG, /* Message without data */
    PCIE_MSGD,
    PCIE_CPL, /* Completion without data */
    PCIE_CPLD,
    PCIE_IORD,
    PCIE_IOWR,
    PCIE_KINDS
};

/**
 * Flow-control class (2.6.1): those of virtual channel 0, and the posted requests of channel 1,
 * which carries nothing else.
 */
enum pcie_class { PCIE_POSTED, PCIE_NONPOSTED, PCIE_COMPLETION, PCIE_POSTED_VC1, PCIE_CLASSES };

/** The Traffic Class that is mapped to channel 1 where a link has one (2.5.2). */
#define PCIE_TC_VC1 1u

enum pcie_cpl_status { PCIE_CPL_SC = 0, PCIE_CPL_UR = 1, PCIE_CPL_CRS = 2, PCIE_CPL_CA = 4 };

#define PCIE_MAX_PAYLOAD 4096
#define PCIE_MAX_HEADER  16

struct pcie_tlp {
    uint8_t kind;     /* enum pcie_tlp_kind */
    uint8_t tc, attr; /* Traffic Class; Attr[2:0]: IDO, RO, NS */
    uint8_t poisoned; /* EP */
    uint8_t tag;
    uint8_t first_be, last_be; /* requests; 0 in completions */
    uint8_t msg_code;          /* messages; low 3 bits of Type in msg_routing */
    uint8_t msg_routing;
    uint8_t status;     /* completions: enum pcie_cpl_status */
    uint16_t length_dw; /* 1 .. 1024; 0 where the kind carries none */
    uint16_t requester_id;
    uint16_t completer_id; /* completions; configuration requests: the target's ID */
    uint16_t byte_count;   /* completions: bytes left including these, 1 .. 4096 */
    uint8_t lower_addr;    /* completions: low 7 bits of the first byte's address */
    uint64_t addr;         /* memory, I/O: DW aligned; configuration: register offset;
                              messages: bytes 8 to 15 of the header */
    uint64_t trace_id;     /* the observer's last mark of it (core/probe.h); not on the wire */
    struct mem_payload *payload; /* length_dw * 4 bytes, or NULL */
};

static inline enum pcie_class pcie_tlp_class(const struct pcie_tlp *tlp)
{
    static const uint8_t of_kind[PCIE_KINDS + 1] = {
        [PCIE_MRD] = PCIE_NONPOSTED,    [PCIE_MWR] = PCIE_POSTED,
        [PCIE_CFGRD0] = PCIE_NONPOSTED, [PCIE_CFGWR0] = PCIE_NONPOSTED,
        [PCIE_CFGRD1] = PCIE_NONPOSTED, [PCIE_CFGWR1] = PCIE_NONPOSTED,
        [PCIE_MSG] = PCIE_POSTED,       [PCIE_MSGD] = PCIE_POSTED,
        [PCIE_CPL] = PCIE_COMPLETION,   [PCIE_CPLD] = PCIE_COMPLETION,
        [PCIE_IORD] = PCIE_NONPOSTED,   [PCIE_IOWR] = PCIE_NONPOSTED,
        [PCIE_KINDS] = PCIE_POSTED_VC1,
    };
    bool vc1 = (tlp->tc == PCIE_TC_VC1) & (tlp->kind == PCIE_MWR); /* without a branch */

    return (enum pcie_class)of_kind[vc1 ? (unsigned)PCIE_KINDS : tlp->kind];
}

static inline bool pcie_tlp_has_data(const struct pcie_tlp *tlp)
{
    return tlp->payload != NULL;
}
/** 12 or 16: memory requests above 4 GiB and messages take 4 DW. */
static inline uint32_t pcie_tlp_header_bytes(const struct pcie_tlp *tlp)
{
    bool memory = tlp->kind == PCIE_MRD || tlp->kind == PCIE_MWR;
    bool message = tlp->kind == PCIE_MSG || tlp->kind == PCIE_MSGD;

    return message || (memory && tlp->addr >> 32 != 0) ? 16 : 12;
}
static inline uint32_t pcie_tlp_data_bytes(const struct pcie_tlp *tlp)
{
    return tlp->payload != NULL ? tlp->length_dw * 4u : 0;
}
/** Data credits: units of 16 bytes (2.6.1). */
static inline uint32_t pcie_tlp_data_credits(const struct pcie_tlp *tlp)
{
    return (pcie_tlp_data_bytes(tlp) + 15u) / 16u;
}

/** The header as on the wire. @return its bytes, 12 or 16. */
uint32_t pcie_tlp_encode(const struct pcie_tlp *tlp, uint8_t header[PCIE_MAX_HEADER]);
/**
 * Reads a header; does not touch payload (length_dw and *has_data_p say how much follows).
 * @return header bytes, or SIM_ERR_CONFIG for a malformed or unsupported header (err says why).
 */
int pcie_tlp_decode(const uint8_t *bytes, size_t n, struct pcie_tlp *tlp_p, bool *has_data_p,
                    struct sim_error *err);

/**
 * What makes a TLP with `bytes` of payload malformed for a receiver whose Max_Payload_Size is `mps`
 * (2.2.2, 2.2.5, 2.2.7); NULL: nothing.
 */
const char *pcie_tlp_malformed(const struct pcie_tlp *tlp, uint32_t bytes, uint32_t mps);

/**
 * Byte enables for [addr, addr + bytes) (2.2.5); sets addr, length_dw, first_be, last_be. 0 bytes
 * give the zero-length request: one DW, none enabled.
 */
void pcie_tlp_set_range(struct pcie_tlp *tlp, uint64_t addr, uint32_t bytes);
/**
 * Bytes from the first to the last enabled one of a request, and where the first lies; 0 for a
 * zero-length request (whose completion has byte count 1 all the same, 2.3.1.1).
 */
uint32_t pcie_tlp_range(const struct pcie_tlp *tlp, uint64_t *first_p);

/** Byte Count of the first completion: what a read asks for, else 4 (2.2.9); 1 for a zero-length
 * read (2.3.1.1). */
uint16_t pcie_tlp_byte_count(const struct pcie_tlp *request);

/**
 * A payload of whole double words, with `n` bytes from `skip` (0 .. 3) on and zeroes beside them.
 * Out of memory is the end of the run, since a model has no way to go on.
 */
struct mem_payload *pcie_payload(struct mem_pool *pool, uint32_t skip, const void *bytes,
                                 uint32_t n);
/** A memory write of `n` bytes. */
struct pcie_tlp pcie_tlp_write(struct mem_pool *pool, uint16_t requester_id, uint64_t addr,
                               const void *bytes, uint32_t n);

/** A completion of a request, without data and the completer's ID. */
struct pcie_tlp pcie_tlp_answer(const struct pcie_tlp *request, enum pcie_cpl_status status);

/**
 * The longest piece of [addr, addr + left) that one request may carry: at most `max`
 * (MPS or MRRS) and not across a 4 KiB boundary (2.2.7).
 */
static inline uint32_t pcie_split(uint64_t addr, uint64_t left, uint32_t max)
{
    uint64_t to_page = 4096 - (addr & 4095);
    uint64_t n = left < max ? left : max;

    return (uint32_t)(n < to_page ? n : to_page);
}
/** The same for one completion: it ends at a multiple of `rcb`-sized `piece` (2.3.1.1). */
static inline uint32_t pcie_split_completion(uint64_t addr, uint64_t left, uint32_t piece)
{
    uint64_t to_edge = piece - (addr & (piece - 1));

    return (uint32_t)sim_min(left, to_edge);
}

/** Frees the payload. */
static inline void pcie_tlp_drop(struct pcie_tlp *tlp)
{
    mem_payload_free(tlp->payload);
    tlp->payload = NULL;
}
/** Hash of header and payload for the `wire` fingerprint. */
uint64_t pcie_tlp_hash(const struct pcie_tlp *tlp);

SIM_END_DECLS
#endif /* PCIE_TLP_H */
