/* Settings of the transport "tca": how a library of 2016 used the hub. */
#ifndef TRANSPORT_TCA_SETTINGS_H
#define TRANSPORT_TCA_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "hosts/transport/tca/cache.h"
#include "hosts/transport/transport.h"

#define TCT_CHANNELS      4u                    /* those of a hub */
#define TCT_ENTRIES_MAX   TRANSPORT_ENTRIES_MAX /* those of a ring */
#define TCT_STAGES_MAX    4u
#define TCT_ENTRIES       16u /* a ring has so many where nothing else is set */
#define TCT_BUFFERS       2u  /* send buffers of a rank, which are used in turn */
#define TCT_ENTRY_MAX     8192u
#define TCT_PIECE_MAX     (UINT32_C(1) << 20)
#define TCT_HOST_MAX      4096u /* descriptors that the cache keeps in host memory */
#define TCT_INTERNAL_MAX  1024u
#define TCT_BYTES_MAX     (UINT32_C(1) << 30)
#define TCT_COST_MAX      1000000000u
#define TCT_PROMOTION_MAX 1000000u

/*
 * Settings as the library had them, with keys "mpi.*", or "gasnet.*":
 *
 *   NUMBER(member, unit, most, what 0 stands for, meaning)
 *   SWITCH(member, meaning)      on unless it is off
 *   CHOICE(member, words, most, meaning)
 */
/* clang-format off */
#define TCT_SETTINGS(NUMBER, SWITCH, CHOICE)                                                       \
    NUMBER(pio_bytes, "bytes", TCT_ENTRY_MAX, 128,                                                 \
           "tca: longest packet that the core stores into the far ring; a channel moves longer "   \
           "ones; 0 = 128")                                                                        \
    NUMBER(entry_bytes, "bytes", TCT_ENTRY_MAX, 4096, "tca: an entry of a ring; 0 = 4096")         \
    NUMBER(ack_entries, "1", TCT_ENTRIES_MAX, 0,                                                   \
           "tca: entries that are acknowledged together; 0 = half a ring")                         \
    NUMBER(btob_bytes, "bytes", TCT_ENTRY_MAX, 64,                                                 \
           "tca: most data of host memory that travel inside of a packet though a channel could "  \
           "write them to their target; 0 = 64; 1 = none")                                         \
    NUMBER(piece_bytes, "bytes", TCT_PIECE_MAX, 262144,                                            \
           "tca: longest piece of a transfer by way of a send buffer; 0 = 262144")                 \
    NUMBER(first_bytes, "bytes", TCT_PIECE_MAX, 32768,                                             \
           "tca: first piece of a transfer; each one is twice as long as that before it; 0 = "     \
           "32768")                                                                                \
    NUMBER(staged_alike, "1", TCT_ENTRIES_MAX, 2,                                                  \
           "tca: where an engine copies first, so many pieces before they double; 0 = 2")          \
    NUMBER(landing_bytes, "bytes", TCT_PIECE_MAX, 65536,                                           \
           "tca: longest piece that the receiver copies to its place; 0 = 65536")                  \
    NUMBER(pieces, "1", TCT_ENTRIES_MAX, 4,                                                        \
           "tca: such pieces that a receiver has room for, from 2 on; 0 = 4")                      \
    NUMBER(stage_bytes, "bytes", TCT_BYTES_MAX, 524288,                                            \
           "tca: shortest data of a GPU that its engine copies to host memory first; 0 = 524288; " \
           "1 GiB = none")                                                                         \
    NUMBER(stage_buffers, "1", TCT_STAGES_MAX, 3,                                                  \
           "tca: buffers that the engine of a GPU fills; 0 = 3")                                   \
    NUMBER(channels, "1", TCT_CHANNELS, 1, "tca: DMA channels of a rank; 0 = one")                 \
    CHOICE(cache_policy, "lru|lfu|first", 2,                                                       \
           "tca: which descriptor makes room: that used longest ago, that used least, or none")    \
    NUMBER(cache_entries, "1", TCT_HOST_MAX, 1024,                                                 \
           "tca: descriptors kept in host memory; 0 = 1024")                                       \
    NUMBER(internal_entries, "1", TCT_INTERNAL_MAX, TCT_INTERNAL_MAX,                              \
           "tca: most descriptors kept in the hub's memory, as far as there is room; 0 = all")     \
    SWITCH(promote, "tca: whether descriptors move to the hub's memory")                           \
    NUMBER(promote_uses, "1", TCT_PROMOTION_MAX, 2,                                                \
           "tca: uses of a descriptor in host memory before it moves; 0 = 2")                      \
    NUMBER(find_ps, "ps", TCT_COST_MAX, 100000,                                                    \
           "tca: looking for the descriptor of a transfer; 0 = 100000")                            \
    NUMBER(desc_host_ps, "ps", TCT_COST_MAX, 100000,                                               \
           "tca: making a descriptor in host memory; 0 = 100000")                                  \
    NUMBER(look_ps, "ps", TCT_COST_MAX, 20000, "tca: a look at the rings; 0 = 20000")              \
    NUMBER(copy_call_ps, "ps", TCT_COST_MAX, 5000,                                                 \
           "tca: beginning a copy by the core; 0 = 5000")                                          \
    NUMBER(settle_ps, "ps", TCT_COST_MAX, 350000,                                                  \
           "tca: what the core waits for its stores to reach a GPU; 0 = 350000; 1 = not at all")   \
    CHOICE(fault, "off|on", 1,                                                                     \
           "tca: whether the end of a channel is only found by polling its counter of bytes")      \
    CHOICE(confirm, "off|on", 1,                                                                   \
           "tca: whether the core reads from a GPU after it has stored data there")
#define TCT_NUMBER(member, unit, most, own, meaning) uint32_t member;
#define TCT_SWITCH(member, meaning) bool member;
#define TCT_CHOICE(member, words, most, meaning) uint32_t member;
/* clang-format on */

struct tct_settings {
    TCT_SETTINGS(TCT_NUMBER, TCT_SWITCH, TCT_CHOICE)
    uint32_t ring_entries; /* a setting of all transports */
};

#endif /* TRANSPORT_TCA_SETTINGS_H */
