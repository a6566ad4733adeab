/* Settings of the transport over InfiniBand: how the library of a time used the adapter. */
#ifndef TRANSPORT_IB_SETTINGS_H
#define TRANSPORT_IB_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#define IBT_RAILS     2u
#define IBT_SLOTS_MAX 16u /* chunks of one message under way */
/* Buffers for data of memory that is not registered; 4 KiB as those of GASNet's InfiniBand conduit.
 * How many is assumed: room for two of the longest transfers (65536 bytes, the default of its
 * GASNET_NONBULKPUT_BOUNCE_LIMIT), so that the cores fill one while the adapter sends the other:
 * 2 * 65536 B / 4096 B = 32. */
#define IBT_BOUNCE_SLOT  4096u
#define IBT_BOUNCE_SLOTS 32u

/*
 * Settings as the library of its time had them, with keys "mpi.*", or "gasnet.*":
 *
 *   NUMBER(member, unit, most, what 0 stands for, meaning)
 *   SWITCH(member, meaning)      on unless it is off
 */
/* clang-format off */
#define IBT_BYTES_MAX (UINT32_C(1) << 30)
#define IBT_SETTINGS(NUMBER, SWITCH)                                                               \
    NUMBER(rails, "1", IBT_RAILS, 1, "ports of the InfiniBand adapter that MPI uses; 0 = one")     \
    NUMBER(stripe_bytes, "bytes", IBT_BYTES_MAX, 16384,                                            \
           "InfiniBand: shortest write that is shared out among the rails; 0 = 16384")             \
    SWITCH(entry_turns, "InfiniBand: whether entries of the library go by its ports in turn")      \
    NUMBER(inline_bytes, "bytes", IBT_BYTES_MAX, 128,                                              \
           "InfiniBand: longest entry that travels inside of its work request; 0 = 128")           \
    SWITCH(gdr, "InfiniBand: whether the adapter reads and writes GPU memory")                     \
    NUMBER(gdr_limit, "bytes", IBT_BYTES_MAX, 8192,                                                \
           "InfiniBand: longest message that the adapter moves from or to a GPU; 0 = 8192")        \
    NUMBER(gdr_receive_limit, "bytes", IBT_BYTES_MAX, 0,                                           \
           "InfiniBand: the same to a GPU, where it is another; 0 = gdr_limit")                    \
    SWITCH(gdrcopy, "InfiniBand: whether cores load and store GPU memory")                         \
    NUMBER(gpu_load_bytes, "bytes", IBT_BYTES_MAX, 16,                                             \
           "InfiniBand: most data that the core loads from a GPU; 0 = 16; 1 = none")               \
    NUMBER(gpu_store_bytes, "bytes", IBT_BYTES_MAX, 16,                                            \
           "InfiniBand: most data that the core stores to a GPU; 0 = 16; 1 = none")                \
    NUMBER(gpu_across_bytes, "bytes", IBT_BYTES_MAX, 0,                                            \
           "InfiniBand: data up to this size of a GPU on another socket than the adapter are sent "\
           "without asking, looped to the host first, and stored by the core")                     \
    SWITCH(gpu_gather,                                                                             \
           "InfiniBand: eager data leave the GPU by the adapter, or are looped to the host first") \
    NUMBER(gpu_eager_bytes, "bytes", IBT_BYTES_MAX, 4096,                                          \
           "InfiniBand: longest message from a GPU that is sent without asking; 0 = 4096; 1 = none") \
    NUMBER(chunk_bytes, "bytes", IBT_BYTES_MAX, 262144,                                            \
           "InfiniBand: piece of a message that is staged through the host; 0 = 262144")           \
    NUMBER(chunks, "1", IBT_SLOTS_MAX, 4, "InfiniBand: such pieces under way; 0 = 4")              \
    NUMBER(copies_ahead, "1", IBT_SLOTS_MAX, 1,                                                    \
           "InfiniBand: pieces copied out of the GPU before the first of them leaves; 0 = 1")      \
    NUMBER(stage_ps, "ps", 1000000000, 0,                                                          \
           "InfiniBand: before a side stages a message, beside its copies")                        \
    NUMBER(gdr_rails, "1", IBT_RAILS, 1,                                                           \
           "InfiniBand: ports that move data of a GPU without staging; 0 = one")                   \
    NUMBER(gpu_query_ps, "ps", 1000000000, 0,                                                      \
           "InfiniBand: finding out whose memory a pointer of a call points to")                   \
    SWITCH(keep_regions,                                                                           \
           "InfiniBand: whether host memory of the program that a transfer has registered stays so") \
    NUMBER(bounce_bytes, "bytes", IBT_BOUNCE_SLOTS * IBT_BOUNCE_SLOT / 2, 0,                       \
           "InfiniBand: longest transfer that goes by memory of the library where the program's is " \
           "not registered and would not stay so; 0 = none")
#define IBT_NUMBER(member, unit, most, own, meaning) uint32_t member;
#define IBT_SWITCH(member, meaning) bool member;
/* clang-format on */

struct ibt_settings {
    IBT_SETTINGS(IBT_NUMBER, IBT_SWITCH)
    bool rings; /* completions interrupt, here and elsewhere */
};

#endif /* TRANSPORT_IB_SETTINGS_H */
