/*
 * Any bytes as accesses to configuration space and errors that are detected between them: what is
 * read-only stays, what is there when bits were cleared is what was set since, and nothing is
 * reached outside of the function.
 */
#include "fuzz.h"
#include "pcie/port/aer.h"

#include <stdlib.h>
#include <string.h>

struct step {
    uint8_t what, be;
    uint16_t reg;
    uint32_t value;
};

static const uint8_t errors[] = {
    PCIE_ERR_PROTOCOL,  PCIE_ERR_SURPRISE_DOWN, PCIE_ERR_POISONED,        PCIE_ERR_FLOW_CONTROL,
    PCIE_ERR_TIMEOUT,   PCIE_ERR_ABORT,         PCIE_ERR_UNEXPECTED,      PCIE_ERR_OVERFLOW,
    PCIE_ERR_MALFORMED, PCIE_ERR_ECRC,          PCIE_ERR_UNSUPPORTED,     PCIE_ERR_RECEIVER,
    PCIE_ERR_BAD_TLP,   PCIE_ERR_BAD_DLLP,      PCIE_ERR_REPLAY_ROLLOVER, PCIE_ERR_REPLAY_TIMER
};

/** A bit of status is set only by an error since it was last cleared. */
static void check_status(const struct pcie_function *fn, const uint32_t seen[2])
{
    if ((pcie_function_read(fn, PCIE_AER_UNCORRECTABLE) & ~seen[0]) != 0 ||
        (pcie_function_read(fn, PCIE_AER_CORRECTABLE) & ~seen[1]) != 0)
        abort();
}

static void detect(struct pcie_function *fn, const struct step *s, uint32_t seen[2])
{
    struct pcie_tlp tlp = { .kind = s->reg % PCIE_KINDS, .addr = s->value, .length_dw = 1 };
    enum pcie_error error = (enum pcie_error)errors[s->be % sizeof(errors)];
    bool advisory = (s->what & 2) != 0;

    pcie_aer_record(fn, error, advisory, (s->what & 4) != 0 ? &tlp : NULL);
    seen[error / 32] |= UINT32_C(1) << error % 32;
    if (advisory)
        seen[1] |= UINT32_C(1) << PCIE_ERR_ADVISORY % 32;
}

static void access(struct pcie_function *fn, const struct step *s)
{
    uint32_t before = pcie_function_read(fn, s->reg), after;

    pcie_function_write(fn, s->reg, s->value, s->be & 0xf);
    after = pcie_function_read(fn, s->reg);
    for (uint32_t b = 0; b < 4; b++)
        if ((s->be >> b & 1) == 0 && ((before ^ after) >> 8 * b & 0xff) != 0)
            abort(); /* a byte that was not enabled */
    if ((s->reg == PCIE_AER_UNCORRECTABLE || s->reg == PCIE_AER_CORRECTABLE) &&
        (after & ~before) != 0)
        abort(); /* writing sets no status */
    (void)pcie_function_claims(fn, s->value);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct pcie_function fn;
    uint32_t seen[2] = { 0, 0 };
    struct step s;

    pcie_function_init(&fn, 0x1172, 0x0004, 0x068000);
    pcie_function_add_bar(&fn, 0, UINT64_C(1) << 39);
    pcie_function_add_bar(&fn, 2, 65536);
    for (; n >= sizeof(s); bytes += sizeof(s), n -= sizeof(s)) {
        memcpy(&s, bytes, sizeof(s));
        if ((s.what & 1) != 0)
            detect(&fn, &s, seen);
        else
            access(&fn, &s);
        check_status(&fn, seen);
        if (pcie_function_read(&fn, PCIE_CFG_ID) != 0x00041172 ||
            pcie_function_read(&fn, PCIE_CFG_AER) != 0x00020001)
            abort();
    }
    return 0;
}
