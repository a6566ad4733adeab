/*
 * What the facility takes of a platform: costs of its parts of the kernel, and how it asks for
 * acknowledgements. Written once, for its structure and its table of parameters:
 *
 *   X(member, key, unit, least, most, default, choices, meaning)
 */
#ifndef MBCF_COSTS_H
#define MBCF_COSTS_H

#include "hosts/host/param.h"

#define MBCF_PS(X, member, meaning)                                                                \
    X(member, "kernel." #member "_ps", "ps", 0, UINT64_C(1000000000), 0, NULL, meaning)

/* clang-format off */
#define MBCF_SETTINGS(X)                                                                           \
    MBCF_PS(X, trap_in, "a system call until the kernel's function for it runs")                   \
    MBCF_PS(X, trap_out, "the end of that function until the program goes on")                     \
    MBCF_PS(X, interrupt_in, "an interrupt until its handler runs")                                \
    MBCF_PS(X, interrupt_out, "the handler's end until what was interrupted goes on")              \
    MBCF_PS(X, space, "switching to another address space")                                        \
    MBCF_PS(X, check, "finding and checking the pages of one packet's data")                       \
    MBCF_PS(X, access, "an uncached access to a register of the adapter, over its bus")            \
    MBCF_PS(X, send, "making a packet's header, its place in the order, keeping it")               \
    MBCF_PS(X, receive, "looking at a packet's header and its place in the order")                 \
    MBCF_PS(X, line, "a cache line of 32 bytes that is missed")                                    \
    MBCF_PS(X, ring, "keeping the bounds of a FIFO for one entry")                                 \
    MBCF_PS(X, reread, "a line of an entry that is taken out, from the larger cache; 0: it is not there") \
    MBCF_PS(X, ring_kb, "second, word-by-word copy of 1024 bytes into a FIFO")                     \
    MBCF_PS(X, socket, "the layer of sockets, for a call that reads, writes or waits")             \
    MBCF_PS(X, wake, "a process that waited in the kernel runs again")                             \
    X(window, "kernel.window", "1", 1, 1024, 32, NULL,                                             \
      "packets to one node that may wait to be acknowledged")                                      \
    X(ack_every, "kernel.ack_every", "1", 1, 1024, 4, NULL,                                        \
      "so many packets are acknowledged when none goes the other way; fewer after half of retry")                   \
    X(half_waits, "kernel.half_waits", "choice", 0, 1, 0, "off|on",                                \
      "whether in half duplex the driver sees a frame out before it begins the next")              \
    X(retry, "kernel.retry_ps", "ps", 1000000, UINT64_C(1000000000000), UINT64_C(20000000000), NULL, \
      "a packet is sent again when it was not acknowledged for so long")
/* clang-format on */

#define MBCF_MEMBER(member, key, unit, least, most, def, choices, meaning) uint64_t member;

extern const struct host_param mbcf_params[];

#endif /* MBCF_COSTS_H */
