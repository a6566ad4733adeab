/*
 * Any bytes as a TLP header: the decoder reads nothing beyond them, and what it
 * accepts says the same after it was encoded again.
 */
#include "fuzz.h"
#include "pcie/tlp.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct pcie_tlp tlp, again;
    uint8_t header[PCIE_MAX_HEADER], header_again[PCIE_MAX_HEADER];
    bool has_data, has_data_again;
    uint32_t size;

    memset(&tlp, 0, sizeof(tlp));
    memset(&again, 0, sizeof(again));
    if (pcie_tlp_decode(bytes, n, &tlp, &has_data, NULL) < 0)
        return 0;
    size = pcie_tlp_encode(&tlp, header);
    if (pcie_tlp_decode(header, size, &again, &has_data_again, NULL) != (int)size)
        abort();
    if (has_data != has_data_again || pcie_tlp_encode(&again, header_again) != size ||
        memcmp(header, header_again, size) != 0)
        abort();
    return 0;
}
