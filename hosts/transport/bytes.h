/* What transports do to bytes of messages; part of transport.h. */
#ifndef TRANSPORT_BYTES_H
#define TRANSPORT_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct host;
struct host_pointer;
struct transport;

/** Bytes of each of `n` rings: `most`, halved down to `least` until all take at most `all`. */
uint32_t transport_ring_bytes(uint32_t n, uint32_t most, uint32_t least, uint32_t all);
/** What a message is put together in; it grows. */
struct transport_buffer {
    uint8_t *bytes;
    size_t room;
};
/** @return its beginning, with room for so many bytes; NULL: out of memory. */
uint8_t *transport_room(struct transport_buffer *buffer, size_t bytes);
/** By the core, in the time that it takes it. */
void transport_copy(struct transport *t, void *to, const void *from, uint64_t bytes);
/** By the GPU's copy engine from its memory to pinned memory, or back if `in`; they are there. */
void transport_copy_gpu(struct transport *t, const struct host_pointer *gpu, uint64_t bus, bool in,
                        uint64_t bytes);
/** A system call, and the kernel's copy of a message on its way out or in. */
void transport_spend_copy(struct host *h, uint64_t bytes);

#ifdef __cplusplus
}
#endif
#endif /* TRANSPORT_BYTES_H */
