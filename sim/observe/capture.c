/*
 * Packets come nearly in the order of time: each domain runs ahead of the others by at most the
 * lookahead. So they wait in a buffer, as blocks of the file, beside a list of them by time; when
 * it is full the earlier ones are written.
 */
#include "observe/capture.h"

#include "observe/capture_format.h"
#include "observe/map.h"
#include "pcie/tlp/lcrc.h"
#include "pcie/tlp/packet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A quarter of it holds what 600 links of Gen2 x8 carry within 100 ns, the lookahead of most
 * machines; where that does not do, some packets stand in the file before earlier ones. */
#define BUFFER_BYTES (UINT32_C(2) << 20)
#define BLOCK_MAX                                                                                  \
    (PCAPNG_PACKET_BYTES + CAPTURE_HEADER_BYTES + PCIE_FRAME_MAX + 3u + PCAPNG_BLOCK_END_BYTES)
#define BLOCK_MIN                                                                                  \
    (PCAPNG_PACKET_BYTES + CAPTURE_HEADER_BYTES + PCIE_DLLP_BYTES + PCAPNG_BLOCK_END_BYTES)
#define WAITING_MAX (BUFFER_BYTES / BLOCK_MIN)
#define TEXT_MAX    250u /* longest path of a port */

/* One direction of a link, an interface of the file if it is captured. */
struct wire {
    bool known;
    const char *from; /* port: a text that lives as long as the machine; NULL: not captured */
    uint32_t number, link, direction;
};

struct waiting {
    sim_time_t begin;
    uint32_t offset, wire; /* its block in the buffer */
};

struct observe_capture {
    struct observe_capture_config cfg;
    int rc;                     /* SIM_OK, or why no more is written */
    struct observe_table wires; /* of struct wire, by the path of the port that sends */
    uint32_t ninterfaces, nlinks;
    uint32_t used, nwaiting;
    uint8_t *buffer, *next_buffer; /* each of BUFFER_BYTES */
    struct waiting *waiting;       /* by time, then wire, then as they came; WAITING_MAX */
};

/* ---- numbers -------------------------------------------------------------------------------- */

/* The file says in which byte order it is; fixed, so that equal runs give equal files. */
static uint8_t *put_le(uint8_t *p, uint64_t v, unsigned bytes)
{
    sim_store(p, v, bytes);
    return p + bytes;
}

static uint8_t *put_be(uint8_t *p, uint64_t v, unsigned bytes)
{
    for (unsigned i = bytes; i-- > 0;)
        *p++ = (uint8_t)(v >> 8 * i);
    return p;
}

static uint8_t *put_padding(uint8_t *p, uint32_t bytes)
{
    for (; bytes % 4 != 0; bytes++)
        *p++ = 0;
    return p;
}

/* ---- what stands in front of packets --------------------------------------------------------- */

static void write_bytes(struct observe_capture *c, const uint8_t *bytes, size_t n)
{
    if (c->rc == SIM_OK && !c->cfg.sink.write(c->cfg.sink.arg, bytes, n))
        c->rc = SIM_ERR_IO;
}

static uint8_t *put_option(uint8_t *p, uint32_t code, const void *bytes, size_t n)
{
    p = put_le(p, code, 2);
    p = put_le(p, n, 2);
    memcpy(p, bytes, n);
    return put_padding(p + n, (uint32_t)n);
}

/* `end` behind the options of a block that begins at `block`. */
static void end_block(struct observe_capture *c, uint8_t *block, uint8_t *end)
{
    uint32_t n;

    end = put_le(end, PCAPNG_OPT_END, 4);
    n = (uint32_t)(end - block) + PCAPNG_BLOCK_END_BYTES;
    (void)put_le(end, n, 4);
    (void)put_le(block + 4, n, 4);
    write_bytes(c, block, n);
}

static void write_section(struct observe_capture *c, const char *program)
{
    uint8_t block[128 + TEXT_MAX], *p = put_le(block, PCAPNG_SECTION, 8);
    size_t n = strlen(program);

    p = put_le(p, PCAPNG_MAGIC, 4);
    p = put_le(p, 1, 2); /* version 1.0 */
    p = put_le(p, 0, 2);
    p = put_le(p, UINT64_MAX, 8); /* length of the section: not known */
    p = put_option(p, PCAPNG_SHB_USERAPPL, program, n < TEXT_MAX ? n : TEXT_MAX);
    end_block(c, block, p);
}

static void write_interface(struct observe_capture *c, const char *from, const char *to)
{
    static const uint8_t digits = CAPTURE_TIME_DIGITS;
    uint8_t block[128 + 4 * TEXT_MAX], *p = put_le(block, PCAPNG_INTERFACE, 8);
    char both[2 * TEXT_MAX + 8];
    size_t n = strlen(from), m;

    SIM_ASSERT(n < TEXT_MAX && strlen(to) < TEXT_MAX);
    m = (size_t)snprintf(both, sizeof(both), "%s to %s", from, to);
    p = put_le(p, CAPTURE_LINK_TYPE, 4);
    p = put_le(p, 0, 4); /* packets of any length */
    p = put_option(p, PCAPNG_IF_NAME, from, n);
    p = put_option(p, PCAPNG_IF_DESCRIPTION, both, m);
    p = put_option(p, PCAPNG_IF_TSRESOL, &digits, 1);
    end_block(c, block, p);
}

/* ---- packets --------------------------------------------------------------------------------- */

static uint32_t block_bytes(const uint8_t *block)
{
    return (uint32_t)block[4] + ((uint32_t)block[5] << 8); /* shorter than 64 KiB */
}

static void write_waiting(struct observe_capture *c, uint32_t n)
{
    uint32_t from = 0, to = 0; /* blocks that follow each other are written in one go */

    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = c->waiting[i].offset;

        if (at != to) {
            write_bytes(c, c->buffer + from, to - from);
            from = at;
        }
        to = at + block_bytes(c->buffer + at);
    }
    write_bytes(c, c->buffer + from, to - from);
}

/* Makes room by writing the earlier ones, three of four. */
static void make_room(struct observe_capture *c)
{
    uint32_t n = c->nwaiting - c->nwaiting / 4, used = 0;
    uint8_t *old = c->buffer;

    write_waiting(c, n);
    c->nwaiting -= n;
    memmove(c->waiting, c->waiting + n, c->nwaiting * sizeof(*c->waiting));
    for (uint32_t i = 0; i < c->nwaiting; i++) {
        const uint8_t *block = old + c->waiting[i].offset;
        uint32_t bytes = block_bytes(block);

        memcpy(c->next_buffer + used, block, bytes);
        c->waiting[i].offset = used;
        used += bytes;
    }
    c->used = used;
    c->buffer = c->next_buffer;
    c->next_buffer = old;
}

static void insert_waiting(struct observe_capture *c, sim_time_t begin, uint32_t wire)
{
    uint32_t at = c->nwaiting;

    while (at > 0 && (c->waiting[at - 1].begin > begin ||
                      (c->waiting[at - 1].begin == begin && c->waiting[at - 1].wire > wire)))
        at--;
    memmove(c->waiting + at + 1, c->waiting + at, (c->nwaiting - at) * sizeof(*c->waiting));
    c->waiting[at] = (struct waiting){ .begin = begin, .offset = c->used, .wire = wire };
    c->nwaiting++;
}

static uint8_t *put_tlp(uint8_t *p, const struct pcie_packet *packet)
{
    uint8_t *end = p + pcie_frame_encode(packet->tlp, packet->seq, p);

    if ((packet->packet.flags & SIM_PACKET_NULLIFIED) != 0) /* the LCRC is inverted (3.5.2.1) */
        for (unsigned i = 1; i <= PCIE_LCRC_BYTES; i++)
            end[-(int)i] ^= 0xff;
    return end;
}

static uint8_t *put_packet(uint8_t *p, const struct pcie_packet *packet)
{
    if (packet->bytes != NULL) {
        SIM_ASSERT(packet->nbytes <= PCIE_FRAME_MAX);
        memcpy(p, packet->bytes, packet->nbytes);
        return p + packet->nbytes;
    }
    if (packet->packet.kind == SIM_PACKET_TLP)
        return put_tlp(p, packet);
    pcie_dllp_encode(packet->dllp, p);
    return p + PCIE_DLLP_BYTES;
}

static uint8_t *put_header(uint8_t *p, const struct sim_packet *packet, const struct wire *wire)
{
    *p++ = CAPTURE_VERSION;
    *p++ = (uint8_t)packet->kind;
    *p++ = (uint8_t)packet->flags;
    *p++ = (uint8_t)wire->direction;
    p = put_be(p, wire->link, 4);
    p = put_be(p, packet->begin, 8);
    return put_be(p, packet->end - packet->begin, 4);
}

/* A new wire from one port to another. */
static void add_wire(struct observe_capture *c, struct wire *wire, const char *from, const char *to)
{
    const struct wire *wires = c->wires.items;
    uint32_t other = 0;

    wire->known = true;
    if (c->cfg.wanted != NULL && !c->cfg.wanted(c->cfg.arg, from, to))
        return;
    while (other < c->wires.n && wires[other].from != to)
        other++;
    wire->from = from;
    wire->number = c->ninterfaces++;
    wire->direction = other < c->wires.n;
    wire->link = other < c->wires.n ? wires[other].link : c->nlinks++;
    write_interface(c, from, to);
}

/* The wire on which a packet goes; NULL: it is not captured. */
static const struct wire *wire_of(struct observe_capture *c, const struct sim_packet *packet)
{
    struct wire *wire = observe_table_at(&c->wires, packet->where, NULL);

    if (wire == NULL) {
        c->rc = SIM_ERR_NOMEM;
        return NULL;
    }
    if (!wire->known)
        add_wire(c, wire, packet->where, packet->toward);
    return wire->from != NULL ? wire : NULL;
}

/* Its bytes come while it is sent. */
static bool is_late(const struct sim_packet *packet)
{
    const struct pcie_tlp *tlp = pcie_packet_of(packet)->tlp;

    return packet->kind == SIM_PACKET_TLP && tlp != NULL && tlp->payload != NULL &&
           tlp->payload->late;
}

static void record_packet(void *arg, const struct sim_packet *packet)
{
    struct observe_capture *c = arg;
    const struct wire *wire = wire_of(c, packet);
    uint32_t bytes, n;
    uint8_t *block, *p;

    if (wire != NULL && is_late(packet))
        c->rc = SIM_ERR_CONFIG;
    if (wire == NULL || c->rc != SIM_OK)
        return;
    if (c->used + BLOCK_MAX > BUFFER_BYTES)
        make_room(c);
    block = c->buffer + c->used;
    p = put_header(block + PCAPNG_PACKET_BYTES, packet, wire);
    p = put_packet(p, pcie_packet_of(packet));
    bytes = (uint32_t)(p - block) - PCAPNG_PACKET_BYTES;
    p = put_padding(p, bytes);
    n = (uint32_t)(p - block) + PCAPNG_BLOCK_END_BYTES;
    (void)put_le(p, n, 4);

    p = put_le(block, PCAPNG_PACKET, 4);
    p = put_le(p, n, 4);
    p = put_le(p, wire->number, 4);
    p = put_le(p, packet->begin >> 32, 4);
    p = put_le(p, packet->begin, 4);
    p = put_le(p, bytes, 4);
    (void)put_le(p, bytes, 4);
    insert_waiting(c, packet->begin, wire->number);
    c->used += n;
}

/* ---- making it ------------------------------------------------------------------------------- */

struct observe_capture *observe_capture_create(const struct observe_capture_config *cfg,
                                               struct observe_fan *fan)
{
    struct observe_capture *c = calloc(1, sizeof(*c));

    if (c == NULL)
        return NULL;
    c->cfg = *cfg;
    c->wires.size = sizeof(struct wire);
    c->buffer = malloc(BUFFER_BYTES);
    c->next_buffer = malloc(BUFFER_BYTES);
    c->waiting = malloc(WAITING_MAX * sizeof(*c->waiting));
    if (c->buffer == NULL || c->next_buffer == NULL || c->waiting == NULL) {
        observe_capture_destroy(c);
        return NULL;
    }
    write_section(c, cfg->program);
    observe_fan_add(fan, &(struct sim_probe){ .packet = record_packet, .arg = c });
    return c;
}

void observe_capture_destroy(struct observe_capture *c)
{
    if (c == NULL)
        return;
    observe_table_fini(&c->wires);
    free(c->waiting);
    free(c->next_buffer);
    free(c->buffer);
    free(c);
}

int observe_capture_finish(struct observe_capture *c)
{
    write_waiting(c, c->nwaiting);
    c->nwaiting = c->used = 0;
    return c->rc;
}
