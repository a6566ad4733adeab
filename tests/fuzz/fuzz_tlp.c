/*
 * Any bytes as a TLP: the decoder reads nothing beyond them, what it accepts says the same after it
 * was encoded again, and a receiver finds it malformed only for its payload, never for its header.
 */
#include "fuzz.h"
#include "pcie/tlp/ordering.h"
#include "pcie/tlp/tlp.h"

#include <stdlib.h>
#include <string.h>

static void check_twice(const uint8_t *bytes, size_t n, struct pcie_tlp *tlp, bool *has_data_p)
{
    struct pcie_tlp again;
    uint8_t header[PCIE_MAX_HEADER], header_again[PCIE_MAX_HEADER];
    bool has_data_again;
    uint32_t size;

    memset(&again, 0, sizeof(again));
    size = pcie_tlp_encode(tlp, header);
    if (pcie_tlp_decode(header, size, &again, &has_data_again, NULL) != (int)size)
        abort();
    if (*has_data_p != has_data_again || pcie_tlp_encode(&again, header_again) != size ||
        memcmp(header, header_again, size) != 0 || size > n || bytes == NULL)
        abort();
}

static void check_receiver(const struct pcie_tlp *tlp, bool has_data, size_t payload)
{
    uint32_t bytes = has_data ? tlp->length_dw * 4u : 0;
    uint64_t first;

    if (pcie_tlp_malformed(tlp, bytes, PCIE_MAX_PAYLOAD) != NULL)
        abort();
    if (payload != bytes && payload <= PCIE_MAX_PAYLOAD &&
        pcie_tlp_malformed(tlp, (uint32_t)payload, PCIE_MAX_PAYLOAD) == NULL)
        abort();
    if ((tlp->kind == PCIE_MRD || tlp->kind == PCIE_MWR) &&
        (pcie_tlp_range(tlp, &first) > tlp->length_dw * 4u || first - tlp->addr > 3))
        abort();
    if (pcie_order_key_of(tlp).kind == PCIE_ORDER_READ && !pcie_may_pass(tlp, tlp))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct pcie_tlp tlp;
    bool has_data;
    int size;

    memset(&tlp, 0, sizeof(tlp));
    size = pcie_tlp_decode(bytes, n, &tlp, &has_data, NULL);
    if (size < 0) /* the fields may still be those of a TLP that a broken device makes */
        return 0;
    check_twice(bytes, n, &tlp, &has_data);
    check_receiver(&tlp, has_data, n - (size_t)size);
    return 0;
}
