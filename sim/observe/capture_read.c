/*
 * pcapng: blocks of type, length, body, length again. Only those that a capture of hubsim needs
 * are looked into; others, statistics say, are passed over.
 */
#include "observe/capture_read.h"

#include "observe/capture_format.h"

#include <string.h>

#define BLOCK_OVERHEAD  12u /* type, length, length */
#define SECTION_BYTES   16u /* of its body, in front of options */
#define INTERFACE_BYTES 8u
#define PACKET_BYTES    20u
#define NAME_MAX        256u

struct reader {
    const uint8_t *bytes;
    size_t n, at; /* `at`: the present block */
    const struct observe_capture_visitor *v;
    struct sim_error *err;
    uint32_t ninterfaces;
};

static uint32_t get_le(const uint8_t *p, unsigned n)
{
    uint32_t v = 0;

    for (unsigned i = n; i-- > 0;)
        v = v << 8 | p[i];
    return v;
}

static uint64_t get_be(const uint8_t *p, unsigned n)
{
    uint64_t v = 0;

    for (unsigned i = 0; i < n; i++)
        v = v << 8 | p[i];
    return v;
}

static int refuse_value(const struct reader *r, const char *what, uint64_t value,
                        const char *expected)
{
    return sim_error_set(r->err, SIM_ERR_CONFIG, "byte %zu: %s = %llu: expected %s", r->at, what,
                         (unsigned long long)value, expected);
}

static int read_section(const struct reader *r, const uint8_t *body, uint32_t n)
{
    if (n < SECTION_BYTES)
        return refuse_value(r, "length of a section's header", n, "16 or more");
    if (get_le(body, 4) != PCAPNG_MAGIC)
        return refuse_value(r, "byte order", get_le(body, 4), "that of hubsim, little-endian");
    if (get_le(body + 4, 2) != 1)
        return refuse_value(r, "version of pcapng", get_le(body + 4, 2), "1");
    return SIM_OK;
}

static int read_interface(struct reader *r, const uint8_t *body, uint32_t n)
{
    char name[NAME_MAX] = "";
    uint32_t at = INTERFACE_BYTES;

    if (n < INTERFACE_BYTES)
        return refuse_value(r, "length of an interface", n, "8 or more");
    if (get_le(body, 2) != CAPTURE_LINK_TYPE)
        return refuse_value(r, "link type", get_le(body, 2), "147, DLT_USER0");
    while (n - at >= 4) {
        uint32_t code = get_le(body + at, 2), bytes = get_le(body + at + 2, 2);

        at += 4;
        if (bytes > n - at)
            return refuse_value(r, "length of an option", bytes,
                                "what is left of its block, or less");
        if (code == PCAPNG_OPT_END)
            break;
        if (code == PCAPNG_IF_NAME && bytes < NAME_MAX) {
            memcpy(name, body + at, bytes);
            name[bytes] = '\0';
        }
        bytes = (bytes + 3) & ~3u;
        at = bytes < n - at ? at + bytes : n;
    }
    if (r->v->interface != NULL)
        r->v->interface(r->v->arg, r->ninterfaces, name);
    r->ninterfaces++;
    return SIM_OK;
}

static int read_packet(const struct reader *r, const uint8_t *body, uint32_t n)
{
    struct observe_captured c;
    const uint8_t *p = body + PACKET_BYTES;
    uint32_t bytes;

    if (n < PACKET_BYTES)
        return refuse_value(r, "length of a packet's block", n, "20 or more");
    c.interface = get_le(body, 4);
    bytes = get_le(body + 12, 4);
    if (c.interface >= r->ninterfaces)
        return refuse_value(r, "interface", c.interface, "one that the file has described before");
    if (bytes > n - PACKET_BYTES)
        return refuse_value(r, "length of a packet", bytes, "that of its block, or less");
    if (bytes < CAPTURE_HEADER_BYTES)
        return refuse_value(r, "length of a packet", bytes, "20 or more");
    if (p[0] != CAPTURE_VERSION)
        return refuse_value(r, "version of a packet", p[0], "1");
    if (p[1] > SIM_PACKET_DLLP)
        return refuse_value(r, "kind of a packet", p[1], "0 or 1");
    if (p[3] > 1)
        return refuse_value(r, "direction of a packet", p[3], "0 or 1");
    c.kind = (enum sim_packet_kind)p[1];
    c.flags = p[2];
    c.direction = p[3];
    c.link = (uint32_t)get_be(p + 4, 4);
    c.begin = get_be(p + 8, 8);
    c.end = c.begin + get_be(p + 16, 4);
    c.bytes = p + CAPTURE_HEADER_BYTES;
    c.nbytes = bytes - CAPTURE_HEADER_BYTES;
    if (r->v->packet != NULL)
        r->v->packet(r->v->arg, &c);
    return SIM_OK;
}

static int read_block(struct reader *r, uint32_t *bytes_p)
{
    const uint8_t *p = r->bytes + r->at;
    size_t left = r->n - r->at;
    uint32_t type, bytes;

    if (left < BLOCK_OVERHEAD)
        return refuse_value(r, "bytes that are left", left, "0, or a block of 12 or more");
    type = get_le(p, 4);
    if (r->at == 0 && type != PCAPNG_SECTION)
        return refuse_value(r, "type of the first block", type, "168627466, a section of pcapng");
    bytes = get_le(p + 4, 4);
    if (bytes < BLOCK_OVERHEAD || bytes % 4 != 0 || bytes > left)
        return refuse_value(r, "length of a block", bytes, "a multiple of 4 within the file");
    if (get_le(p + bytes - 4, 4) != bytes)
        return refuse_value(r, "length at the end of a block", get_le(p + bytes - 4, 4),
                            "that at its beginning");
    *bytes_p = bytes;
    if (type == PCAPNG_SECTION && r->at != 0)
        return refuse_value(r, "type of a block", type, "one section in a file");
    if (type == PCAPNG_SECTION)
        return read_section(r, p + 8, bytes - BLOCK_OVERHEAD);
    if (type == PCAPNG_INTERFACE)
        return read_interface(r, p + 8, bytes - BLOCK_OVERHEAD);
    if (type == PCAPNG_PACKET)
        return read_packet(r, p + 8, bytes - BLOCK_OVERHEAD);
    return SIM_OK;
}

int observe_capture_read(const uint8_t *bytes, size_t n, const struct observe_capture_visitor *v,
                         struct sim_error *err)
{
    struct reader r = { .bytes = bytes, .n = n, .v = v, .err = err };
    int rc = SIM_OK;

    if (n == 0)
        return refuse_value(&r, "length", 0, "a section of pcapng");
    while (r.at < n && rc == SIM_OK) {
        uint32_t block = 0;

        rc = read_block(&r, &block);
        r.at += block;
    }
    return rc;
}
