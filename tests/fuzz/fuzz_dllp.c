/*
 * Any six bytes as a DLLP: what the decoder accepts says the same after it was
 * encoded again. The CRC is made right for half of the inputs, which would else
 * hardly pass it.
 */
#include "fuzz.h"
#include "pcie/tlp/dllp.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct pcie_dllp dllp, again;
    uint8_t wire[PCIE_DLLP_BYTES], encoded[PCIE_DLLP_BYTES], encoded_again[PCIE_DLLP_BYTES];
    uint16_t crc;

    if (n < PCIE_DLLP_BYTES)
        return 0;
    memcpy(wire, bytes, sizeof(wire));
    if (n > PCIE_DLLP_BYTES) {
        crc = pcie_dllp_crc(wire);
        wire[4] = (uint8_t)crc;
        wire[5] = (uint8_t)(crc >> 8);
    }
    if (pcie_dllp_decode(wire, &dllp) != PCIE_DLLP_GOOD)
        return 0;
    pcie_dllp_encode(&dllp, encoded);
    if (pcie_dllp_decode(encoded, &again) != PCIE_DLLP_GOOD)
        abort();
    pcie_dllp_encode(&again, encoded_again);
    if (memcmp(encoded, encoded_again, sizeof(encoded)) != 0)
        abort();
    return 0;
}
