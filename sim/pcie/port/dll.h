/*
 * The data-link layer of a port (dll.c): sequence numbers, acknowledgements and credits. Parts of
 * it are there for pcie/lossy/, which adds what repairs losses.
 */
#ifndef PCIE_DLL_H
#define PCIE_DLL_H

#include "pcie/port/port_impl.h"

#include <string.h>

SIM_BEGIN_DECLS

void pcie_dll_receive(void *arg, const void *record, uint32_t bytes);
void pcie_dll_receive_dllps(void *arg, const void *record, uint32_t bytes);
/** Sends a TLP whose credits are there, directly behind what is being sent; takes the payload. */
void pcie_dll_send(struct pcie_port *p, const struct pcie_tlp *tlp, enum pcie_class cls);
/** Sends all DLLPs for what happened before now. */
void pcie_dll_flush(struct pcie_port *p);
/** A DLLP is to go out at `due` or as soon after it as the link is free. */
void pcie_dll_due(struct pcie_port *p, sim_time_t due);
/** The Ack latency and UpdateFC limits of tables 3-7 and 2-42, in symbol times. */
uint64_t pcie_dll_latency_symbols(uint32_t gen, uint32_t lanes, uint32_t mps);

/** Those that are sent together, in their order on the wire: ACK or NAK goes first. @return how
 * many
 */
unsigned pcie_dll_unpack(const struct wire_dllp *d, struct pcie_dllp dllps[PCIE_DLLPS_MAX]);
/** What is to be announced, as bits of a mask; d gets it; when the rest of `classes` and of ACKs is
 * due. */
uint32_t pcie_dll_to_announce(struct pcie_port *p, sim_time_t now);
void pcie_dll_announce(struct pcie_port *p, uint32_t mask, struct wire_dllp *d, sim_time_t now);
sim_time_t pcie_dll_next_due(const struct pcie_port *p, uint32_t classes, sim_time_t now);
/** What is acknowledged leaves the replay buffer. @return how many, or -1: it was never sent */
int pcie_dll_take_ack(struct pcie_port *p, uint32_t seq);
/** InitFC1 or InitFC2, by `stage`, with the credits of all classes. */
void pcie_dll_write_init(const struct pcie_port *p, uint8_t stage, struct wire_dllp *d);
void pcie_dll_take_init(struct tx_class *q, uint32_t hdr, uint32_t data);
/** @return false, and nothing done: more credits than there are */
bool pcie_dll_take_update(struct tx_class *q, uint32_t hdr, uint32_t data);
/** The next TLP in sequence, of which `data` are the bytes, goes to the user. */
void pcie_dll_accept(struct pcie_port *p, const struct pcie_tlp *header, const void *data,
                     uint32_t bytes);

/** Room for a record of the TLP in its channel, filled; `bytes` of payload. */
static inline struct wire_tlp *pcie_dll_record(struct pcie_port *p, const struct pcie_tlp *tlp,
                                               uint16_t seq, uint32_t bytes)
{
    struct wire_tlp *rec =
        (struct wire_tlp *)sim_channel_reserve(p->out, (uint32_t)sizeof(*rec) + bytes);

    rec->seq = seq;
    rec->payload_bytes = bytes;
    rec->tlp = *tlp;
    if (__builtin_expect(bytes != 0 && tlp->payload->late, 0))
        return rec;
    rec->tlp.payload = NULL;
    if (bytes != 0)
        memcpy(rec + 1, tlp->payload->data, bytes);
    return rec;
}

SIM_END_DECLS
#endif /* PCIE_DLL_H */
