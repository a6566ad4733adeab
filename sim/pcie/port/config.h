/*
 * Configuration space of one function (PCI Express Base 3.0, chapter 7; PCI 3.0, 6.1 and 6.2.5). It
 * has a type 0 header with BARs that can be sized, or type 1, and capabilities: MSI, PCI Express
 * and Advanced Error Reporting (pcie/port/aer.h).
 */
#ifndef PCIE_CONFIG_H
#define PCIE_CONFIG_H

#include "core/sim.h"

SIM_BEGIN_DECLS

#define PCIE_CFG_ID             0x00u /* vendor in the low half, device in the high one */
#define PCIE_CFG_COMMAND        0x04u
#define PCIE_CFG_CLASS          0x08u
#define PCIE_CFG_BAR(n)         (0x10u + 4u * (n))
#define PCIE_CFG_CAPABILITIES   0x34u
#define PCIE_CFG_MSI            0x50u /* capability 05h, 64-bit: +4, +8 address, +12 data */
#define PCIE_CFG_EXPRESS        0x70u /* capability 10h */
#define PCIE_CFG_DEVICE_CONTROL 0x78u /* MPS in bits 7..5, MRRS in 14..12, each 128 << code */
#define PCIE_COMMAND_MEMORY     0x2u
#define PCIE_COMMAND_MASTER     0x4u
#define PCIE_MSI_ENABLE         0x10000u /* in the capability's first word */

#define PCIE_CFG_BYTES 4096u
#define PCIE_CFG_WORDS 76u /* that hold something: up to the end of the extended capability */
#define PCIE_BARS      6u

struct pcie_function {
    uint16_t id; /* captured by its owner from configuration writes (2.2.6.2) */
    uint16_t nclaims;
    struct {
        uint64_t lower, bytes;
        uint32_t bar;
    } claims[PCIE_BARS / 2]; /* by BARs while memory space is enabled; follows the words */
    uint32_t words[PCIE_CFG_WORDS];
    uint32_t writable[PCIE_CFG_WORDS];
    uint32_t clears[PCIE_CFG_WORDS]; /* bits that writing a one clears */
    uint64_t bar_bytes[PCIE_BARS];   /* 0: no BAR begins here */
};

void pcie_function_init(struct pcie_function *fn, uint16_t vendor, uint16_t device,
                        uint32_t class_code);
/** The same of a root port, a bridge to `bus`: type 1 header, no BARs. */
void pcie_function_init_root(struct pcie_function *fn, uint16_t vendor, uint16_t device,
                             uint8_t bus);
/** A 64-bit prefetchable memory BAR in registers `index`, `index` + 1; `bytes` a power of two
 * >= 16. */
void pcie_function_add_bar(struct pcie_function *fn, unsigned index, uint64_t bytes);

/** `reg` in bytes, below PCIE_CFG_BYTES; where there is nothing it reads as zero. */
uint32_t pcie_function_read(const struct pcie_function *fn, uint32_t reg);
void pcie_function_write(struct pcie_function *fn, uint32_t reg, uint32_t value, uint8_t be);

bool pcie_function_memory_enabled(const struct pcie_function *fn);
/** Bus Master Enable: it may make memory requests, MSI among them (7.5.1.1). */
bool pcie_function_master_enabled(const struct pcie_function *fn);
/** The BAR that claims `addr`, or -1; none claims before memory space is enabled. */
int pcie_function_claims(const struct pcie_function *fn, uint64_t addr);
uint64_t pcie_function_bar(const struct pcie_function *fn, unsigned index);
/** Where an interrupt is written; false while MSI is disabled. */
bool pcie_function_msi(const struct pcie_function *fn, uint64_t *addr_p, uint32_t *data_p);
/** Max_Read_Request_Size in bytes, as set. */
uint32_t pcie_function_mrrs(const struct pcie_function *fn);

SIM_END_DECLS
#endif /* PCIE_CONFIG_H */
