/*
 * A program for a node with the card of card.h: stores and loads of its memory, and jobs that it
 * does in the host's. It finds the card as a driver does. The same file is a program for
 * systemc_hubrun, and part of the SystemC program systemc_card.
 *
 *   hubcc --no-tca poke.c -o poke
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <hosts/driver/driver.h>
#include <hosts/host/host.h>

enum { VENDOR = 0x5c5c, DEVICE = 1, MEMORY = 0x40, DOORBELL = 0x1000, BYTES = 64, JOBS = 4 };

static uint64_t time_ps(struct host *h)
{
    return h->cpu->time_ps(h);
}

static void do_job(struct host *h, const struct host_bar *card, unsigned char *buffer, uint64_t bus)
{
    volatile unsigned char *last = buffer + 2 * BYTES - 1;
    uint64_t start = time_ps(h);

    h->bus->store(h, card, DOORBELL, &bus, sizeof(bus));
    h->bus->fence(h);
    while (*last != (unsigned char)(buffer[BYTES - 1] + 1))
        h->bus->wait_write(h, last, 1);
    printf("job done in %llu ps\n", (unsigned long long)(time_ps(h) - start));
}

int main(void)
{
    struct host *h = host_self();
    const struct driver_function *fn = driver_find(driver_of(h), VENDOR, DEVICE, 0);
    unsigned char *buffer = h->memory->alloc(h, 2 * BYTES, HOST_PAGE);
    uint64_t word = UINT64_C(0x0123456789abcdef), start;
    struct host_bar card;

    if (fn == NULL || buffer == NULL) {
        fprintf(stderr, "poke: there is no card\n");
        return 1;
    }
    card = (struct host_bar){ fn->bar[0].bus, fn->bar[0].bytes, HOST_UNCACHED };
    h->bus->store(h, &card, MEMORY, &word, sizeof(word));
    start = time_ps(h);
    word = h->bus->load(h, &card, MEMORY, sizeof(word));
    printf("loaded %#llx in %llu ps\n", (unsigned long long)word,
           (unsigned long long)(time_ps(h) - start));
    printf("nothing there: %#llx\n", (unsigned long long)h->bus->load(h, &card, 2 * DOORBELL, 8));
    for (unsigned job = 0; job < JOBS; job++) {
        memset(buffer, (int)(17 * job), BYTES);
        do_job(h, &card, buffer, h->memory->pointer(h, buffer).offset);
    }
    return 0;
}
