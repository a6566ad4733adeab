#include "pcie/port/aer.h"
#include "pcie/port/port_impl.h"

#define WORD(reg) ((reg) / 4)

#define CAPABILITY_AER 0x00020001u /* extended capability 0001h, version 2, the last one */
#define FIRST_ERROR    0x1fu

#define BIT(error) (UINT32_C(1) << (error) % 32)

#define UNCORRECTABLE                                                                              \
    (BIT(PCIE_ERR_PROTOCOL) | BIT(PCIE_ERR_SURPRISE_DOWN) | BIT(PCIE_ERR_POISONED) |               \
     BIT(PCIE_ERR_FLOW_CONTROL) | BIT(PCIE_ERR_TIMEOUT) | BIT(PCIE_ERR_ABORT) |                    \
     BIT(PCIE_ERR_UNEXPECTED) | BIT(PCIE_ERR_OVERFLOW) | BIT(PCIE_ERR_MALFORMED) |                 \
     BIT(PCIE_ERR_ECRC) | BIT(PCIE_ERR_UNSUPPORTED))
#define CORRECTABLE                                                                                \
    (BIT(PCIE_ERR_RECEIVER) | BIT(PCIE_ERR_BAD_TLP) | BIT(PCIE_ERR_BAD_DLLP) |                     \
     BIT(PCIE_ERR_REPLAY_ROLLOVER) | BIT(PCIE_ERR_REPLAY_TIMER) | BIT(PCIE_ERR_ADVISORY))
/* Severity after reset (7.10.4). */
#define FATAL                                                                                      \
    (BIT(PCIE_ERR_PROTOCOL) | BIT(PCIE_ERR_SURPRISE_DOWN) | BIT(PCIE_ERR_FLOW_CONTROL) |           \
     BIT(PCIE_ERR_OVERFLOW) | BIT(PCIE_ERR_MALFORMED))

void pcie_aer_init(struct pcie_function *fn)
{
    fn->words[WORD(PCIE_CFG_AER)] = CAPABILITY_AER;
    fn->words[WORD(PCIE_AER_SEVERITY)] = FATAL;
    fn->words[WORD(PCIE_AER_CORRECTABLE_MASK)] = BIT(PCIE_ERR_ADVISORY); /* 7.10.6 */
    fn->writable[WORD(PCIE_AER_UNCORRECTABLE_MASK)] = UNCORRECTABLE;
    fn->writable[WORD(PCIE_AER_SEVERITY)] = UNCORRECTABLE;
    fn->writable[WORD(PCIE_AER_CORRECTABLE_MASK)] = CORRECTABLE;
    fn->clears[WORD(PCIE_AER_UNCORRECTABLE)] = UNCORRECTABLE;
    fn->clears[WORD(PCIE_AER_CORRECTABLE)] = CORRECTABLE;
}

/** The first error pointer is valid while the bit that it points to is set (6.2.4.2). */
static bool logged(const struct pcie_function *fn)
{
    uint32_t first = fn->words[WORD(PCIE_AER_CONTROL)] & FIRST_ERROR;

    return (fn->words[WORD(PCIE_AER_UNCORRECTABLE)] >> first & 1) != 0;
}

static void log_header(struct pcie_function *fn, const struct pcie_tlp *tlp)
{
    uint8_t header[PCIE_MAX_HEADER] = { 0 };

    if (tlp != NULL)
        (void)pcie_tlp_encode(tlp, header);
    for (uint32_t i = 0; i < PCIE_MAX_HEADER; i += 4)
        fn->words[WORD(PCIE_AER_HEADER_LOG + i)] = (uint32_t)header[i] << 24 |
                                                   (uint32_t)header[i + 1] << 16 |
                                                   (uint32_t)header[i + 2] << 8 | header[i + 3];
}

static void set_uncorrectable(struct pcie_function *fn, enum pcie_error error,
                              const struct pcie_tlp *tlp)
{
    bool masked = (fn->words[WORD(PCIE_AER_UNCORRECTABLE_MASK)] & BIT(error)) != 0;

    if (!masked && !logged(fn)) {
        uint32_t *control = &fn->words[WORD(PCIE_AER_CONTROL)];

        *control = (*control & ~FIRST_ERROR) | (uint32_t)error;
        log_header(fn, tlp);
    }
    fn->words[WORD(PCIE_AER_UNCORRECTABLE)] |= BIT(error);
}

void pcie_aer_record(struct pcie_function *fn, enum pcie_error error, bool advisory,
                     const struct pcie_tlp *tlp)
{
    uint32_t *status = &fn->words[WORD(PCIE_CFG_DEVICE_CONTROL)];
    uint32_t *pci = &fn->words[WORD(PCIE_CFG_COMMAND)];
    bool fatal = (fn->words[WORD(PCIE_AER_SEVERITY)] & BIT(error)) != 0;

    *status |= error == PCIE_ERR_UNSUPPORTED ? PCIE_STATUS_UNSUPPORTED : 0;
    *pci |= error == PCIE_ERR_POISONED ? PCIE_STATUS_PARITY : 0;
    *pci |= error == PCIE_ERR_ABORT ? PCIE_STATUS_SIGNALED_ABORT : 0;
    if (error >= PCIE_ERR_CORRECTABLE) {
        *status |= PCIE_STATUS_CORRECTABLE;
        fn->words[WORD(PCIE_AER_CORRECTABLE)] |= BIT(error);
    } else if (advisory && !fatal) {
        *status |= PCIE_STATUS_CORRECTABLE;
        fn->words[WORD(PCIE_AER_CORRECTABLE)] |= BIT(PCIE_ERR_ADVISORY);
        if ((fn->words[WORD(PCIE_AER_CORRECTABLE_MASK)] & BIT(PCIE_ERR_ADVISORY)) == 0)
            set_uncorrectable(fn, error, tlp);
    } else {
        *status |= fatal ? PCIE_STATUS_FATAL : PCIE_STATUS_NONFATAL;
        set_uncorrectable(fn, error, tlp);
    }
}

void pcie_port_set_function(struct pcie_port *port, struct pcie_function *fn)
{
    port->function = fn;
}

static void detected(struct pcie_port *port, enum pcie_error error, bool advisory,
                     const struct pcie_tlp *tlp)
{
    if (error >= PCIE_ERR_CORRECTABLE)
        port->stat.correctable++;
    else
        port->stat.uncorrectable++;
    if (port->function != NULL)
        pcie_aer_record(port->function, error, advisory, tlp);
}

void pcie_port_error(struct pcie_port *port, enum pcie_error error, const struct pcie_tlp *tlp)
{
    detected(port, error, false, tlp);
}

void pcie_port_advisory(struct pcie_port *port, enum pcie_error error, const struct pcie_tlp *tlp)
{
    detected(port, error, true, tlp);
}

void pcie_port_answered(struct pcie_port *port, const struct pcie_tlp *cpl)
{
    uint32_t *pci;

    if (cpl->poisoned)
        pcie_port_error(port, PCIE_ERR_POISONED, cpl);
    if (cpl->status == PCIE_CPL_SC || port->function == NULL)
        return;
    pci = &port->function->words[WORD(PCIE_CFG_COMMAND)];
    *pci |= cpl->status == PCIE_CPL_CA ? PCIE_STATUS_TARGET_ABORT : PCIE_STATUS_MASTER_ABORT;
}
