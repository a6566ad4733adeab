#include "pcie/tlp/tlp.h"

#include <string.h>

/* Fmt[2:0] (table 2-2): bit 0 a 4 DW header, bit 1 data, bit 2 a prefix. */
#define FMT_4DW    1u
#define FMT_DATA   2u
#define FMT_PREFIX 4u

/* Type[4:0] (table 2-3) */
enum {
    TYPE_MEMORY = 0x00,
    TYPE_IO = 0x02,
    TYPE_CFG0 = 0x04,
    TYPE_CFG1 = 0x05,
    TYPE_CPL = 0x0a,
    TYPE_MSG = 0x10, /* low 3 bits: routing */
};

#define BYTE1_IDO  0x04u /* Attr[2] */
#define BYTE2_TD   0x80u
#define BYTE2_EP   0x40u
#define BYTE2_AT   0x0cu
#define CFG_OFFSET 0xffcu

static const struct {
    uint8_t type;
    bool data;
} kinds[PCIE_KINDS] = {
    [PCIE_MRD] = { TYPE_MEMORY, false },  [PCIE_MWR] = { TYPE_MEMORY, true },
    [PCIE_CFGRD0] = { TYPE_CFG0, false }, [PCIE_CFGWR0] = { TYPE_CFG0, true },
    [PCIE_CFGRD1] = { TYPE_CFG1, false }, [PCIE_CFGWR1] = { TYPE_CFG1, true },
    [PCIE_MSG] = { TYPE_MSG, false },     [PCIE_MSGD] = { TYPE_MSG, true },
    [PCIE_CPL] = { TYPE_CPL, false },     [PCIE_CPLD] = { TYPE_CPL, true },
    [PCIE_IORD] = { TYPE_IO, false },     [PCIE_IOWR] = { TYPE_IO, true },
};

static void put16(uint8_t *p, uint16_t v)
{
    p[0] = (uint8_t)(v >> 8);
    p[1] = (uint8_t)v;
}

static void put32(uint8_t *p, uint32_t v)
{
    put16(p, (uint16_t)(v >> 16));
    put16(p + 2, (uint16_t)v);
}

static uint16_t get16(const uint8_t *p)
{
    return (uint16_t)(p[0] << 8 | p[1]);
}

static uint32_t get32(const uint8_t *p)
{
    return (uint32_t)get16(p) << 16 | get16(p + 2);
}

static bool is_completion(uint8_t kind)
{
    return kind == PCIE_CPL || kind == PCIE_CPLD;
}

static bool is_message(uint8_t kind)
{
    return kind == PCIE_MSG || kind == PCIE_MSGD;
}

static bool is_memory(uint8_t kind)
{
    return kind == PCIE_MRD || kind == PCIE_MWR;
}

static bool is_config(uint8_t kind)
{
    return kind >= PCIE_CFGRD0 && kind <= PCIE_CFGWR1;
}

/** Length is reserved in completions and messages without data (2.2.1). */
static bool has_length(uint8_t kind)
{
    return kind != PCIE_CPL && kind != PCIE_MSG;
}

static void encode_completion(const struct pcie_tlp *tlp, uint8_t *h)
{
    put16(h + 4, tlp->completer_id);
    h[6] = (uint8_t)(tlp->status << 5 | ((tlp->byte_count >> 8) & 0xf)); /* 4096 is sent as 0 */
    h[7] = (uint8_t)tlp->byte_count;
    put16(h + 8, tlp->requester_id);
    h[10] = tlp->tag;
    h[11] = tlp->lower_addr & 0x7f;
}

static void encode_request(const struct pcie_tlp *tlp, uint8_t *h, bool dw4)
{
    put16(h + 4, tlp->requester_id);
    h[6] = tlp->tag;
    h[7] = (uint8_t)(tlp->last_be << 4 | tlp->first_be);
    if (is_message(tlp->kind)) {
        h[7] = tlp->msg_code;
        put32(h + 8, (uint32_t)(tlp->addr >> 32));
        put32(h + 12, (uint32_t)tlp->addr);
    } else if (is_config(tlp->kind)) {
        put16(h + 8, tlp->completer_id);
        put16(h + 10, (uint16_t)(tlp->addr & CFG_OFFSET));
    } else if (dw4) {
        put32(h + 8, (uint32_t)(tlp->addr >> 32));
        put32(h + 12, (uint32_t)tlp->addr & ~3u);
    } else {
        put32(h + 8, (uint32_t)tlp->addr & ~3u);
    }
}

uint32_t pcie_tlp_encode(const struct pcie_tlp *tlp, uint8_t header[PCIE_MAX_HEADER])
{
    uint32_t n = pcie_tlp_header_bytes(tlp);
    unsigned fmt = (n == 16 ? FMT_4DW : 0) | (kinds[tlp->kind].data ? FMT_DATA : 0);
    uint16_t length = has_length(tlp->kind) ? tlp->length_dw & 0x3ff : 0; /* 1024 is sent as 0 */

    header[0] = (uint8_t)(fmt << 5 | kinds[tlp->kind].type);
    if (is_message(tlp->kind))
        header[0] |= tlp->msg_routing & 7;
    header[1] = (uint8_t)((unsigned)tlp->tc << 4 | ((tlp->attr & 4) != 0 ? BYTE1_IDO : 0));
    header[2] =
        (uint8_t)((tlp->poisoned ? BYTE2_EP : 0) | (tlp->attr & 3u) << 4 | (unsigned)length >> 8);
    header[3] = (uint8_t)length;
    if (is_completion(tlp->kind))
        encode_completion(tlp, header);
    else
        encode_request(tlp, header, n == 16);
    return n;
}

/** The kind that Fmt and Type name, or PCIE_KINDS. */
static uint8_t kind_of(unsigned fmt, unsigned type)
{
    bool data = (fmt & FMT_DATA) != 0, dw4 = (fmt & FMT_4DW) != 0;

    if ((fmt & FMT_PREFIX) != 0)
        return PCIE_KINDS;
    if ((type & 0x18) == TYPE_MSG) {
        if (!dw4)
            return PCIE_KINDS;
        return data ? PCIE_MSGD : PCIE_MSG;
    }
    for (unsigned k = 0; k < PCIE_KINDS; k++) {
        if (kinds[k].type == type && kinds[k].data == data && (!dw4 || is_memory((uint8_t)k)))
            return (uint8_t)k;
    }
    return PCIE_KINDS;
}

/** First enables end at the top of the DW, last ones begin at its bottom (2.2.5). */
static bool enables_contiguous(const struct pcie_tlp *tlp)
{
    static const uint16_t first_ok = 1 << 0x8 | 1 << 0xc | 1 << 0xe | 1 << 0xf;
    static const uint16_t last_ok = 1 << 0x1 | 1 << 0x3 | 1 << 0x7;

    return (first_ok >> tlp->first_be & 1) != 0 &&
           ((last_ok >> tlp->last_be & 1) != 0 || tlp->last_be == 0xf);
}

static const char *check_request(const struct pcie_tlp *tlp)
{
    uint64_t page = tlp->addr & 4095;

    if (!is_memory(tlp->kind)) {
        if (tlp->length_dw != 1 || tlp->last_be != 0)
            return "configuration and I/O requests have one DW";
        return tlp->tc != 0 || tlp->attr != 0 ? "TC or Attr set" : NULL;
    }
    if (page + UINT64_C(4) * tlp->length_dw > 4096)
        return "request crosses a 4 KiB boundary";
    if (tlp->length_dw == 1)
        return tlp->last_be != 0 ? "last byte enables set in a request of one DW" : NULL;
    if (tlp->first_be == 0 || tlp->last_be == 0)
        return "no byte enabled in the first or last DW";
    if ((tlp->length_dw > 2 || (tlp->addr & 4) != 0) && !enables_contiguous(tlp))
        return "byte enables are not contiguous";
    return NULL;
}

const char *pcie_tlp_malformed(const struct pcie_tlp *tlp, uint32_t bytes, uint32_t mps)
{
    if (tlp->kind >= PCIE_KINDS)
        return "unknown kind";
    if (kinds[tlp->kind].data != (bytes != 0))
        return bytes != 0 ? "data that its kind does not have" : "no data";
    if (bytes != 0 && bytes != tlp->length_dw * 4u)
        return "payload of another size than Length says";
    if (bytes > mps)
        return "payload above Max_Payload_Size";
    return is_completion(tlp->kind) || is_message(tlp->kind) ? NULL : check_request(tlp);
}

static void decode_completion(const uint8_t *h, struct pcie_tlp *tlp)
{
    uint8_t status = h[6] >> 5;

    tlp->completer_id = get16(h + 4);
    /* Reserved values count as Unsupported Request (2.2.9). */
    if (status != PCIE_CPL_SC && status != PCIE_CPL_CRS && status != PCIE_CPL_CA)
        status = PCIE_CPL_UR;
    tlp->status = status;
    tlp->byte_count = get16(h + 6) & 0xfff;
    if (tlp->byte_count == 0)
        tlp->byte_count = 4096;
    tlp->requester_id = get16(h + 8);
    tlp->tag = h[10];
    tlp->lower_addr = h[11] & 0x7f;
}

/** @return NULL or what is wrong */
static const char *decode_request(const uint8_t *h, bool dw4, struct pcie_tlp *tlp)
{
    tlp->requester_id = get16(h + 4);
    tlp->tag = h[6];
    if (is_message(tlp->kind)) {
        tlp->msg_routing = h[0] & 7;
        tlp->msg_code = h[7];
        tlp->addr = (uint64_t)get32(h + 8) << 32 | get32(h + 12);
        return NULL;
    }
    tlp->first_be = h[7] & 0xf;
    tlp->last_be = h[7] >> 4;
    if (is_config(tlp->kind)) {
        tlp->completer_id = get16(h + 8);
        tlp->addr = get16(h + 10) & CFG_OFFSET;
    } else if (dw4) {
        tlp->addr = (uint64_t)get32(h + 8) << 32 | (get32(h + 12) & ~3u);
        if (tlp->addr >> 32 == 0)
            return "4 DW header for an address below 4 GiB";
    } else {
        tlp->addr = get32(h + 8) & ~3u;
    }
    return check_request(tlp);
}

static const char *decode_header(const uint8_t *h, size_t n, struct pcie_tlp *tlp)
{
    unsigned fmt;

    if (n < 12)
        return "shorter than 12 bytes";
    fmt = h[0] >> 5;
    tlp->kind = kind_of(fmt, h[0] & 0x1f);
    if (tlp->kind == PCIE_KINDS)
        return "unsupported Fmt and Type";
    if ((fmt & FMT_4DW) != 0 && n < 16)
        return "shorter than its 4 DW header";
    if ((h[2] & BYTE2_TD) != 0)
        return "TLP digests are not supported";
    if ((h[2] & BYTE2_AT) != 0)
        return "address translation is not supported";
    tlp->tc = h[1] >> 4 & 7;
    tlp->attr = (uint8_t)((h[1] & BYTE1_IDO) | (h[2] >> 4 & 3)); /* IDO is Attr[2] in place */
    tlp->poisoned = (h[2] & BYTE2_EP) != 0;
    if (has_length(tlp->kind)) {
        tlp->length_dw = get16(h + 2) & 0x3ff;
        if (tlp->length_dw == 0)
            tlp->length_dw = 1024;
    }
    if (is_completion(tlp->kind)) {
        decode_completion(h, tlp);
        return NULL;
    }
    return decode_request(h, (fmt & FMT_4DW) != 0, tlp);
}

int pcie_tlp_decode(const uint8_t *bytes, size_t n, struct pcie_tlp *tlp_p, bool *has_data_p,
                    struct sim_error *err)
{
    struct pcie_tlp tlp = { 0 };
    const char *wrong = decode_header(bytes, n, &tlp);

    if (wrong != NULL)
        return sim_error_set(err, SIM_ERR_CONFIG, "TLP header: %s", wrong);
    *tlp_p = tlp;
    *has_data_p = kinds[tlp.kind].data;
    return (int)pcie_tlp_header_bytes(&tlp);
}

void pcie_tlp_set_range(struct pcie_tlp *tlp, uint64_t addr, uint32_t bytes)
{
    uint32_t offset = (uint32_t)(addr & 3);
    uint32_t end = offset + bytes; /* relative to the first DW */
    uint8_t first = (uint8_t)(0xf << offset & 0xf);
    uint8_t last = (uint8_t)(0xf >> (-end & 3));

    tlp->addr = addr - offset;
    tlp->length_dw = bytes == 0 ? 1 : (uint16_t)((end + 3) / 4);
    tlp->first_be = first;
    tlp->last_be = last;
    if (tlp->length_dw == 1) {
        tlp->first_be = bytes == 0 ? 0 : first & last;
        tlp->last_be = 0;
    }
}

uint32_t pcie_tlp_range(const struct pcie_tlp *tlp, uint64_t *first_p)
{
    uint32_t skip = 0, drop = 0; /* disabled bytes before the first and behind the last */
    uint8_t last = tlp->length_dw == 1 ? tlp->first_be : tlp->last_be;

    if (tlp->first_be == 0 && last == 0) {
        *first_p = tlp->addr;
        return 0;
    }
    while (skip < 4 && (tlp->first_be >> skip & 1) == 0)
        skip++;
    while (drop < 4 && (last << drop & 8) == 0)
        drop++;
    *first_p = tlp->addr + skip;
    return tlp->length_dw * 4u - skip - drop;
}

uint16_t pcie_tlp_byte_count(const struct pcie_tlp *request)
{
    uint64_t first;
    uint32_t n;

    if (request->kind != PCIE_MRD)
        return 4;
    n = pcie_tlp_range(request, &first);
    return (uint16_t)(n != 0 ? n : 1);
}

struct mem_payload *pcie_payload(struct mem_pool *pool, uint32_t skip, const void *bytes,
                                 uint32_t n)
{
    uint32_t span = (skip + n + 3) / 4 * 4;
    struct mem_payload *p = mem_payload_alloc(pool, span);

    SIM_ASSERT(p != NULL);
    memset(p->data, 0, 4);
    memset(p->data + span - 4, 0, 4);
    memcpy(p->data + skip, bytes, n);
    return p;
}

struct pcie_tlp pcie_tlp_write(struct mem_pool *pool, uint16_t requester_id, uint64_t addr,
                               const void *bytes, uint32_t n)
{
    struct pcie_tlp tlp = { .kind = PCIE_MWR, .requester_id = requester_id };

    pcie_tlp_set_range(&tlp, addr, n);
    tlp.payload = pcie_payload(pool, (uint32_t)(addr & 3), bytes, n);
    return tlp;
}

struct pcie_tlp pcie_tlp_answer(const struct pcie_tlp *request, enum pcie_cpl_status status)
{
    return (struct pcie_tlp){
        .kind = PCIE_CPL,
        .tc = request->tc,
        .attr = request->attr,
        .tag = request->tag,
        .status = (uint8_t)status,
        .requester_id = request->requester_id,
        .byte_count = pcie_tlp_byte_count(request),
        .trace_id = request->trace_id,
    };
}

/** Where the valid bytes of the payload are: others may hold anything and do not count. */
static uint32_t valid_bytes(const struct pcie_tlp *tlp, uint32_t *offset_p)
{
    uint32_t all = pcie_tlp_data_bytes(tlp), n;
    uint64_t first;

    *offset_p = 0;
    if (is_completion(tlp->kind)) {
        *offset_p = tlp->lower_addr & 3;
        return (uint32_t)sim_min(all - *offset_p, tlp->byte_count);
    }
    if (is_message(tlp->kind))
        return all;
    n = pcie_tlp_range(tlp, &first);
    *offset_p = (uint32_t)(first - tlp->addr);
    return n;
}

uint64_t pcie_tlp_hash(const struct pcie_tlp *tlp)
{
    uint8_t header[PCIE_MAX_HEADER], few[8];
    uint64_t h = sim_hash_bytes(0, header, pcie_tlp_encode(tlp, header));
    uint32_t offset, n;

    if (!pcie_tlp_has_data(tlp))
        return h;
    n = valid_bytes(tlp, &offset);
    if (tlp->kind != PCIE_MWR || tlp->length_dw > 2)
        return sim_hash_bytes(h, tlp->payload->data + offset, n);
    /* Writes of one or two DW may have holes between enabled bytes. */
    memset(few, 0, sizeof(few));
    for (uint32_t i = 0; i < tlp->length_dw * 4u; i++) {
        if (((tlp->last_be << 4 | tlp->first_be) >> i & 1) != 0)
            few[i] = tlp->payload->data[i];
    }
    return sim_hash_bytes(h, few, sizeof(few));
}
