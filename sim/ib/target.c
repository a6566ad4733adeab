/* What comes from the bus: registers, doorbells, configuration; completions go to dma.c. */
#include "ib/internal.h"

#include <string.h>

void ib_received(void *user, struct pcie_tlp *tlp)
{
    struct ib_hca *hca = user;

    ib_keep(hca, &hca->incoming, tlp);
    ib_wake_now(hca);
}

static struct pcie_tlp answer_to(const struct ib_hca *hca, const struct pcie_tlp *request,
                                 enum pcie_cpl_status status)
{
    struct pcie_tlp cpl = pcie_tlp_answer(request, status);

    cpl.completer_id = hca->fn.id;
    return cpl;
}

/* ---- reads ------------------------------------------------------------------------ */

static uint64_t read_register(const struct ib_hca *hca, uint64_t offset)
{
    if (offset != IB_ID)
        return 0;
    return IB_ID_MAGIC | hca->cfg.ports << 32 |
           (uint64_t)__builtin_ctzll(hca->cfg.link.mtu_bytes) << 40 | (uint64_t)hca->lid << 48;
}

static void answer_data(struct ib_hca *hca, const struct pcie_tlp *request, const void *bytes,
                        uint32_t dws)
{
    struct pcie_tlp cpl = answer_to(hca, request, PCIE_CPL_SC);
    uint64_t addr = request->addr;

    if (request->kind == PCIE_MRD)
        (void)pcie_tlp_range(request, &addr);
    cpl.kind = PCIE_CPLD;
    cpl.length_dw = (uint16_t)dws;
    cpl.lower_addr = request->kind == PCIE_MRD ? (uint8_t)(addr & 0x7f) : 0;
    cpl.payload = pcie_payload(hca->payloads, 0, bytes, dws * 4);
    ib_keep(hca, &hca->answers, &cpl);
}

static void refuse_request(struct ib_hca *hca, const struct pcie_tlp *tlp)
{
    struct pcie_tlp cpl = answer_to(hca, tlp, PCIE_CPL_UR);

    pcie_port_advisory(hca->pcie, PCIE_ERR_UNSUPPORTED, tlp);
    ib_keep(hca, &hca->answers, &cpl);
}

static void memory_read(struct ib_hca *hca, const struct pcie_tlp *tlp)
{
    int bar = pcie_function_claims(&hca->fn, tlp->addr);
    uint64_t offset = bar >= 0 ? tlp->addr - pcie_function_bar(&hca->fn, (unsigned)bar) : 0;
    uint64_t value[2];

    if (bar < 0 || tlp->length_dw > 2) {
        refuse_request(hca, tlp);
        return;
    }
    value[0] = bar == 0 ? read_register(hca, offset & ~UINT64_C(7)) : 0;
    value[1] = 0;
    answer_data(hca, tlp, (const uint8_t *)value + (offset & 4), tlp->length_dw);
}

static void answer_config(struct ib_hca *hca, const struct pcie_tlp *tlp)
{
    uint32_t reg = (uint32_t)tlp->addr, value;

    hca->fn.id = tlp->completer_id;
    if (tlp->kind == PCIE_CFGRD0) {
        value = pcie_function_read(&hca->fn, reg);
        answer_data(hca, tlp, &value, 1);
    } else if (tlp->kind == PCIE_CFGWR0) {
        struct pcie_tlp cpl = answer_to(hca, tlp, PCIE_CPL_SC);

        memcpy(&value, tlp->payload->data, 4);
        pcie_function_write(&hca->fn, reg, value, tlp->first_be);
        ib_keep(hca, &hca->answers, &cpl);
    } else {
        refuse_request(hca, tlp);
    }
}

/* ---- writes ------------------------------------------------------------------------ */

static void write_page(struct ib_hca *hca, uint64_t offset, const uint8_t *bytes, uint32_t n)
{
    uint64_t value = 0;

    if (offset >= IB_BLUEFLAME(0)) {
        uint32_t at = (uint32_t)(offset - IB_BLUEFLAME(0));

        ib_blueflame(hca, at / IB_WQE_BYTES, at % IB_WQE_BYTES, bytes, n);
        return;
    }
    if (n != 8)
        return;
    memcpy(&value, bytes, 8);
    hca->stat.doorbells++;
    if (offset == IB_SEND_DOORBELL)
        ib_send_doorbell(hca, value);
    else if (offset == IB_RECV_DOORBELL)
        ib_recv_doorbell(hca, value);
}

static void memory_write(struct ib_hca *hca, const struct pcie_tlp *tlp)
{
    int bar = pcie_function_claims(&hca->fn, tlp->addr);
    uint64_t first, offset, bus;
    uint32_t n = pcie_tlp_range(tlp, &first);

    if (bar < 0 || tlp->poisoned) {
        pcie_port_error(hca->pcie, bar < 0 ? PCIE_ERR_UNSUPPORTED : PCIE_ERR_POISONED, tlp);
        return;
    }
    if (n == 0)
        return;
    offset = first - pcie_function_bar(&hca->fn, (unsigned)bar);
    if (bar == 2) {
        write_page(hca, offset, tlp->payload->data + (first - tlp->addr), n);
    } else if (offset == IB_COMMAND && n == 8) {
        memcpy(&bus, tlp->payload->data, 8);
        ib_command_ring(hca, bus);
    }
}

static void take_packet(struct ib_hca *hca, struct pcie_tlp *tlp)
{
    switch (tlp->kind) {
    case PCIE_MWR:
        memory_write(hca, tlp);
        break;
    case PCIE_MRD:
        memory_read(hca, tlp);
        break;
    case PCIE_CPL:
    case PCIE_CPLD:
        ib_completed(hca, tlp);
        break;
    case PCIE_MSG:
    case PCIE_MSGD:
        break;
    default:
        answer_config(hca, tlp);
        break;
    }
    pcie_port_consume(hca->pcie, pcie_tlp_class(tlp), pcie_tlp_data_credits(tlp));
    pcie_tlp_drop(tlp);
}

void ib_target_run(struct ib_hca *hca)
{
    struct ib_write *w;

    while ((w = sim_list_pop(&hca->incoming)) != NULL) {
        take_packet(hca, &w->tlp);
        sim_list_push_first(&hca->free_writes, &w->link);
    }
}
