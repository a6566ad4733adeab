#include "pcie/port/aer.h"

#define BAR_64BIT_PREFETCHABLE 0xcu
#define BAR_FLAGS              0xfu

#define WORD(reg) ((reg) / 4)

/* Bits that software may change; all others keep what the function says of itself. */
static const struct {
    uint32_t reg, init, writable;
} common[] = {
    { PCIE_CFG_COMMAND, 0x00100000,
      0x00000407 }, /* capability list; I/O, memory, master, INTx off */
    { PCIE_CFG_CAPABILITIES, PCIE_CFG_MSI, 0 },
    { PCIE_CFG_MSI, 0x00800005 | PCIE_CFG_EXPRESS << 8, 0x00710000 }, /* 64-bit address */
    { PCIE_CFG_MSI + 4, 0, 0xfffffffc },
    { PCIE_CFG_MSI + 8, 0, 0xffffffff },
    { PCIE_CFG_MSI + 12, 0, 0x0000ffff },
    { PCIE_CFG_EXPRESS, 0x00020010, 0 },     /* endpoint, version 2 */
    { PCIE_CFG_EXPRESS + 4, 0x00000005, 0 }, /* Max_Payload_Size Supported: 4096 bytes */
    { PCIE_CFG_DEVICE_CONTROL, 0x00002000, 0x0000ffff }, /* MPS 128, MRRS 512 (7.8.4) */
};

void pcie_function_init(struct pcie_function *fn, uint16_t vendor, uint16_t device,
                        uint32_t class_code)
{
    *fn = (struct pcie_function){ .id = 0 };
    fn->words[WORD(PCIE_CFG_ID)] = vendor | (uint32_t)device << 16;
    fn->words[WORD(PCIE_CFG_CLASS)] = class_code << 8;
    for (unsigned i = 0; i < SIM_COUNT(common); i++) {
        fn->words[WORD(common[i].reg)] = common[i].init;
        fn->writable[WORD(common[i].reg)] = common[i].writable;
    }
    fn->clears[WORD(PCIE_CFG_COMMAND)] = PCIE_STATUS_SIGNALED_ABORT | PCIE_STATUS_TARGET_ABORT |
                                         PCIE_STATUS_MASTER_ABORT | PCIE_STATUS_PARITY;
    fn->clears[WORD(PCIE_CFG_DEVICE_CONTROL)] = PCIE_STATUS_CORRECTABLE | PCIE_STATUS_NONFATAL |
                                                PCIE_STATUS_FATAL | PCIE_STATUS_UNSUPPORTED;
    pcie_aer_init(fn);
}

#define CLASS_BRIDGE 0x060400u /* PCI to PCI */
#define HEADER_TYPE  0x0cu
#define BUS_NUMBERS  0x18u
#define ROOT_PORT    0x00400000u /* Device/Port Type in the PCI Express capability (7.8.2) */

void pcie_function_init_root(struct pcie_function *fn, uint16_t vendor, uint16_t device,
                             uint8_t bus)
{
    pcie_function_init(fn, vendor, device, CLASS_BRIDGE);
    fn->words[WORD(HEADER_TYPE)] = 0x00010000;
    fn->words[WORD(BUS_NUMBERS)] = (uint32_t)bus << 8 | (uint32_t)bus
                                                            << 16; /* secondary, subordinate */
    fn->words[WORD(PCIE_CFG_EXPRESS)] |= ROOT_PORT;
}

static void update_claims(struct pcie_function *fn)
{
    fn->nclaims = 0;
    if (!pcie_function_memory_enabled(fn))
        return;
    for (unsigned i = 0; i + 1 < PCIE_BARS; i++) {
        if (fn->bar_bytes[i] == 0)
            continue;
        fn->claims[fn->nclaims].lower = pcie_function_bar(fn, i);
        fn->claims[fn->nclaims].bytes = fn->bar_bytes[i];
        fn->claims[fn->nclaims++].bar = i;
    }
}

/* Address bits below the size stay zero, which is how software finds the size (PCI 3.0, 6.2.5.1).
 */
void pcie_function_add_bar(struct pcie_function *fn, unsigned index, uint64_t bytes)
{
    uint64_t mask = ~(bytes - 1);

    SIM_ASSERT(index + 1 < PCIE_BARS && bytes >= 16 && (bytes & (bytes - 1)) == 0);
    SIM_ASSERT((index == 0 || fn->bar_bytes[index - 1] == 0) && fn->bar_bytes[index + 1] == 0);
    fn->bar_bytes[index] = bytes;
    fn->words[WORD(PCIE_CFG_BAR(index))] = BAR_64BIT_PREFETCHABLE;
    fn->writable[WORD(PCIE_CFG_BAR(index))] = (uint32_t)mask & ~BAR_FLAGS;
    fn->writable[WORD(PCIE_CFG_BAR(index + 1))] = (uint32_t)(mask >> 32);
}

uint32_t pcie_function_read(const struct pcie_function *fn, uint32_t reg)
{
    return WORD(reg) < PCIE_CFG_WORDS ? fn->words[WORD(reg)] : 0;
}

void pcie_function_write(struct pcie_function *fn, uint32_t reg, uint32_t value, uint8_t be)
{
    uint32_t mask = 0, clear;

    if (WORD(reg) >= PCIE_CFG_WORDS)
        return;
    for (uint32_t b = 0; b < 4; b++)
        if ((be >> b & 1) != 0)
            mask |= UINT32_C(0xff) << (8 * b);
    clear = value & mask & fn->clears[WORD(reg)];
    mask &= fn->writable[WORD(reg)];
    fn->words[WORD(reg)] = ((fn->words[WORD(reg)] & ~mask) | (value & mask)) & ~clear;
    update_claims(fn);
}

bool pcie_function_memory_enabled(const struct pcie_function *fn)
{
    return (fn->words[WORD(PCIE_CFG_COMMAND)] & PCIE_COMMAND_MEMORY) != 0;
}

bool pcie_function_master_enabled(const struct pcie_function *fn)
{
    return (fn->words[WORD(PCIE_CFG_COMMAND)] & PCIE_COMMAND_MASTER) != 0;
}

uint64_t pcie_function_bar(const struct pcie_function *fn, unsigned index)
{
    return (fn->words[WORD(PCIE_CFG_BAR(index))] & ~BAR_FLAGS) |
           (uint64_t)fn->words[WORD(PCIE_CFG_BAR(index + 1))] << 32;
}

int pcie_function_claims(const struct pcie_function *fn, uint64_t addr)
{
    for (unsigned i = 0; i < fn->nclaims; i++)
        if (addr - fn->claims[i].lower < fn->claims[i].bytes)
            return (int)fn->claims[i].bar;
    return -1;
}

bool pcie_function_msi(const struct pcie_function *fn, uint64_t *addr_p, uint32_t *data_p)
{
    if ((fn->words[WORD(PCIE_CFG_MSI)] & PCIE_MSI_ENABLE) == 0)
        return false;
    *addr_p = fn->words[WORD(PCIE_CFG_MSI + 4)] | (uint64_t)fn->words[WORD(PCIE_CFG_MSI + 8)] << 32;
    *data_p = fn->words[WORD(PCIE_CFG_MSI + 12)];
    return true;
}

uint32_t pcie_function_mrrs(const struct pcie_function *fn)
{
    return 128u << (fn->words[WORD(PCIE_CFG_DEVICE_CONTROL)] >> 12 & 7);
}
