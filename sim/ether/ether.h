/*
 * Ethernet: adapters behind a host's expansion bus, a repeater hub and a
 * store-and-forward switch, joined by cables. Kinds "ether.adapter",
 * "ether.repeater" and "ether.switch"; their machine ports speak "ethernet".
 * Numbers are those of IEEE 802.3: clauses 3 (frames), 4 (access to the medium)
 * and 27 (repeaters).
 */
#ifndef ETHER_ETHER_H
#define ETHER_ETHER_H

#include "core/sim.h"
#include "machine/kind.h"

SIM_BEGIN_DECLS

#define ETHER_PREAMBLE_BYTES 8u /* with the start delimiter */
#define ETHER_HEADER_BYTES   14u
#define ETHER_FCS_BYTES      4u
#define ETHER_MIN_BYTES      64u /* shortest frame, header to check sequence */
#define ETHER_MAX_BYTES      1518u
#define ETHER_GAP_BITS       96u
#define ETHER_SLOT_BITS      512u
#define ETHER_JAM_BITS       32u
#define ETHER_ATTEMPTS       16u
#define ETHER_BACKOFF_LIMIT  10u
/* What software hands over: a frame less its check sequence, which adapters make and take off. */
#define ETHER_ROOM (ETHER_MAX_BYTES - ETHER_FCS_BYTES)

#define ETHER_ADDRESS_BYTES 6u

extern const struct machine_kind ether_adapter_kind, ether_repeater_kind, ether_switch_kind;

/** The address of the adapter of a node, administered locally. */
void ether_address(unsigned node, uint8_t address[ETHER_ADDRESS_BYTES]);

/* ---- an adapter, as the driver of its host uses it ---------------------------------- */

struct ether_adapter;

/** Phase SIM_CLOCK, so that it comes before all software of its instant. Once for all that has
 * happened since ether_adapter_listen(). */
typedef void (*ether_irq_fn)(void *arg);
void ether_adapter_set_irq(struct ether_adapter *a, ether_irq_fn fn, void *arg);

/**
 * Puts a frame of header and data, at most ETHER_ROOM bytes, into the transmit ring; the adapter
 * fetches it over the bus, fills it up to the least size and sends it. Phase SIM_TASK.
 * @return false: the ring is full.
 */
bool ether_adapter_post(struct ether_adapter *a, const void *frame, uint32_t bytes);
bool ether_adapter_half_duplex(const struct ether_adapter *a);
/** Free places of the transmit ring. */
unsigned ether_adapter_room(const struct ether_adapter *a);
/** Interrupts once when at least `places` of the transmit ring are free. */
void ether_adapter_want_room(struct ether_adapter *a, unsigned places);
/** The oldest frame of the receive ring; NULL: none. Stays until ether_adapter_release(). */
const uint8_t *ether_adapter_frame(const struct ether_adapter *a, uint32_t *bytes_p);
void ether_adapter_release(struct ether_adapter *a);
/** Frames that wait in the receive ring interrupt again only from now on, also those there. */
void ether_adapter_listen(struct ether_adapter *a);

SIM_END_DECLS
#endif /* ETHER_ETHER_H */
