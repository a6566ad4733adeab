/*
 * What a message says of pieces in a segment: a table of runs, each of pieces of one length that
 * lie equally far apart. Behind the table of a put are their data.
 */
#ifndef GASNET_PACKET_H
#define GASNET_PACKET_H

#include "hosts/gasnet/core/message.h"

struct vis_run {
    uint64_t at; /* offset of the first piece in the segment */
    uint32_t bytes, pieces;
    int64_t step;
};

/** A message that is being put together; `room` bytes for runs, and as many for data. */
struct vis_packet {
    uint32_t room;
    uint32_t runs, bytes; /* so far; bytes of data */
    struct vis_run *run;
    uint8_t *data; /* NULL: has none */
};

/** How many bytes of the next piece still go into it. Data share the room with the runs; of a get
 * they are the answer's. */
uint32_t vis_packet_room(const struct vis_packet *p);
/** Adds a piece, for which there is room. */
void vis_packet_add(struct vis_packet *p, uint64_t at, uint32_t bytes);
/** The last run is put together with the one before if it can be. */
void vis_packet_close(struct vis_packet *p);

#endif /* GASNET_PACKET_H */
