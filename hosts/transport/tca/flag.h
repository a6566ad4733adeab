/*
 * The flag of an entry:
 *
 *   63..56  55..40  39..30  29..26  25..13  12..6         5..4     3     2     1..0
 *   number  need    before  pad     bytes   header bytes  channel  has   wide  kind
 *
 * number: of the round in which the ring is used, so no code clears flags. need: transfers of that
 * channel that have to have arrived, if `has`; the entry begins with those of all channels, 16 bits
 * each, if `wide`. before: packets with data that have to have landed. pad: bytes that are skipped
 * in front of the header, or of the data of a piece. bytes: of data; a piece says so in its header.
 */
#ifndef TRANSPORT_TCA_FLAG_H
#define TRANSPORT_TCA_FLAG_H

#include <stdbool.h>
#include <stdint.h>

enum tct_kind {
    TCT_PLAIN,
    TCT_LANDS,  /* data for a target, and a header that is the entry */
    TCT_SILENT, /* data for a target */
    TCT_PIECE   /* the same, in the ring of pieces */
};

#define TCT_BEFORE_BITS 10u

struct tct_flag {
    enum tct_kind kind;
    bool wide, has;
    uint32_t channel, head_bytes, bytes, pad, before, need, number;
};

static inline uint64_t tct_flag_encode(struct tct_flag f)
{
    return (uint64_t)f.kind | (uint64_t)f.wide << 2 | (uint64_t)f.has << 3 |
           (uint64_t)f.channel << 4 | (uint64_t)f.head_bytes << 6 | (uint64_t)f.bytes << 13 |
           (uint64_t)f.pad << 26 | (uint64_t)(f.before & ((1u << TCT_BEFORE_BITS) - 1)) << 30 |
           (uint64_t)(f.need & 0xffff) << 40 | (uint64_t)(f.number & 0xff) << 56;
}

static inline uint32_t tct_flag_bits(uint64_t word, unsigned shift, unsigned n)
{
    return (uint32_t)(word >> shift) & ((1u << n) - 1);
}

static inline struct tct_flag tct_flag_decode(uint64_t word)
{
    return (struct tct_flag){
        .kind = (enum tct_kind)tct_flag_bits(word, 0, 2),
        .wide = tct_flag_bits(word, 2, 1) != 0,
        .has = tct_flag_bits(word, 3, 1) != 0,
        .channel = tct_flag_bits(word, 4, 2),
        .head_bytes = tct_flag_bits(word, 6, 7),
        .bytes = tct_flag_bits(word, 13, 13),
        .pad = tct_flag_bits(word, 26, 4),
        .before = tct_flag_bits(word, 30, TCT_BEFORE_BITS),
        .need = tct_flag_bits(word, 40, 16),
        .number = tct_flag_bits(word, 56, 8),
    };
}

/** Of counters whose low bits are known, which differ by less than half of what these can say. */
static inline bool tct_flag_reached(uint32_t count, uint32_t need, unsigned bits)
{
    return ((count - need) & ((UINT32_C(1) << bits) - 1)) < UINT32_C(1) << (bits - 1);
}

#endif /* TRANSPORT_TCA_FLAG_H */
