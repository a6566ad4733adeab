/* Packets: how they leave (ring.c), and what is done with those that come (receive.c). */
#ifndef TRANSPORT_TCA_PACKET_H
#define TRANSPORT_TCA_PACKET_H

#include "hosts/transport/tca/internal.h"

/* ring.c */
/** What a packet has beside its bytes. */
struct tct_packet {
    unsigned ring;
    const void *head, *data;
    uint32_t head_bytes, bytes;
    bool lands; /* its data go to `target`, and its header is the entry */
    struct tct_target target;
    struct tct_job *job; /* moves the packet, or its data from memory of a GPU; NULL: the core
                            stores it */
    uint64_t gpu_src;    /* bus address of the data there; HOST_NO_BUS: none */
};
bool tct_has_room(struct tct *c, unsigned dest, unsigned ring);
/** Whether the core stores such a packet. */
bool tct_is_stored(const struct tct *c, unsigned dest, const struct tct_packet *p);
/** The longest data that land from a packet with such a header. */
static inline uint32_t tct_landing_max(const struct tct *c, uint32_t head_bytes)
{
    return c->entry_bytes - TCT_ENTRY_HEAD - head_bytes;
}
void tct_put_note(struct tct *c, unsigned dest, const struct tct_note *note);
/** Where there is room. A header of 0 bytes: it is no entry for the protocols. */
void tct_put_packet(struct tct *c, unsigned dest, const struct tct_packet *p);
/** The send entry of piece `n` to `dest`, counted from the next one that leaves. */
uint8_t *tct_piece_entry(struct tct *c, unsigned dest, uint32_t n);
bool tct_has_piece_room(struct tct *c, unsigned dest, uint32_t n);
/** Its header; stored by the core where a channel moves nothing but the data. */
void tct_put_piece_head(struct tct *c, unsigned dest, struct tct_target target, uint32_t bytes,
                        bool stored, uint32_t n);
/** Its flag: it leaves with the transfer of this channel that was promised last. */
void tct_put_piece(struct tct *c, unsigned dest, unsigned channel, uint32_t phase);
/** The bus address, in the window, of a place in the rings of a peer for this rank. */
uint64_t tct_far_bus(const struct tct *c, unsigned dest, uint64_t at);

/* receive.c */
/** What is at the head of the FIFO's ring may be taken. */
bool tct_look(struct tct *c, unsigned source, unsigned ring, struct transport_taken *taken_p);
void tct_release(struct tct *c, unsigned source, unsigned ring);
/** Takes in what lands by itself. @return whether there is anything new for the protocols. */
bool tct_receive(struct tct *c);
/** Notes for which flag a ring waits next: at first, and when the one before has been seen. */
void tct_await(struct tct *c, unsigned source, unsigned ring);
unsigned tct_next_ready(struct tct *c, unsigned ring, unsigned from);
bool tct_half_full(const struct tct *c);

#endif /* TRANSPORT_TCA_PACKET_H */
