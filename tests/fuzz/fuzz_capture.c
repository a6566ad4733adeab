/* Any bytes as a capture: the reader reads nothing beyond them, and what it returns lies in them.
 */
#include "fuzz.h"
#include "observe/capture_read.h"

#include <stdlib.h>
#include <string.h>

struct seen {
    const uint8_t *bytes;
    size_t n;
    uint32_t interfaces;
    uint64_t sum;
};

static void interface(void *arg, uint32_t number, const char *name)
{
    struct seen *seen = arg;

    if (number != seen->interfaces)
        abort();
    seen->interfaces++;
    seen->sum += strlen(name);
}

static void packet(void *arg, const struct observe_captured *p)
{
    struct seen *seen = arg;

    if (p->interface >= seen->interfaces || p->direction > 1 || p->bytes < seen->bytes ||
        p->bytes + p->nbytes > seen->bytes + seen->n)
        abort();
    for (uint32_t i = 0; i < p->nbytes; i++)
        seen->sum += p->bytes[i];
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct seen seen = { .bytes = bytes, .n = n };
    struct sim_error err = { 0 };
    int rc = observe_capture_read(
        bytes, n, &(struct observe_capture_visitor){ interface, packet, &seen }, &err);

    if ((rc != SIM_OK) != (err.code != SIM_OK) || (rc != SIM_OK && err.text[0] == '\0'))
        abort();
    return 0;
}
