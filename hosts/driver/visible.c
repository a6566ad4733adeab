/* Which GPUs of its node a rank sees: CUDA_VISIBLE_DEVICES, for all libraries that have GPUs. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "hosts/driver/driver.h"

/* @return the number of a GPU, or `ngpus`: it is none */
static unsigned parse_entry(const char *text, size_t n, unsigned ngpus)
{
    unsigned gpu = 0;

    while (n > 0 && isblank((unsigned char)text[0]))
        text++, n--;
    while (n > 0 && isblank((unsigned char)text[n - 1]))
        n--;
    for (size_t i = 0; i < n && gpu < ngpus; i++)
        gpu = isdigit((unsigned char)text[i]) ? gpu * 10 + (unsigned)(text[i] - '0') : ngpus;
    return n > 0 && gpu < ngpus ? gpu : ngpus;
}

/* CUDA C++ Programming Guide, "CUDA Environment Variables". It does not name a number that comes
 * twice; PyTorch (torch/cuda/__init__.py) expects of CUDA what is done here. */
unsigned driver_visible_parse(const char *text, unsigned ngpus, uint8_t gpus[DRIVER_GPUS])
{
    unsigned n = 0;

    if (text == NULL) {
        for (; n < ngpus; n++)
            gpus[n] = (uint8_t)n;
        return n;
    }
    for (size_t length;; text += length + 1) {
        unsigned gpu;

        length = strcspn(text, ",");
        gpu = parse_entry(text, length, ngpus);
        if (gpu == ngpus)
            return n;
        if (memchr(gpus, (int)gpu, n) != NULL)
            return 0;
        gpus[n++] = (uint8_t)gpu;
        if (text[length] == '\0')
            return n;
    }
}

static void visible_release(void *visible)
{
    free(visible);
}

const struct driver_visible *driver_visible(struct host *h)
{
    static const struct driver_visible none = { .n = 0 };
    struct driver_visible *v = host_state_of(h->states, visible_release);

    if (v != NULL)
        return v;
    v = calloc(1, sizeof(*v));
    if (v == NULL || driver_of(h) == NULL) {
        free(v);
        return &none;
    }
    v->n = driver_visible_parse(h->gpus->visible(h), driver_of(h)->ngpus, v->gpus);
    if (v->n > 0)
        h->gpu = v->gpus[0];
    host_state_add(&h->states, &v->kept, visible_release);
    return v;
}
