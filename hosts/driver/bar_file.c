#define _POSIX_C_SOURCE 200809L
#include "hosts/driver/bar_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static bool file_map(struct host *h, uint64_t bus, uint64_t bytes, enum host_mapping mapping,
                     struct host_bar *bar_p)
{
    const struct bar_file *bf = (const struct bar_file *)h;

    if (bus < bf->bus || bus - bf->bus > bf->bytes || bytes > bf->bytes - (bus - bf->bus))
        return false;
    *bar_p = (struct host_bar){ bus, bytes, mapping, (char *)bf->base + (bus - bf->bus) };
    return true;
}

/* One access of the given size: volatile, so that the compiler neither joins nor cuts it. */
static void store_one(void *at, const uint8_t *bytes, uint32_t size)
{
    uint64_t value = 0;

    memcpy(&value, bytes, size);
    switch (size) {
    case 1:
        *(volatile uint8_t *)at = (uint8_t)value;
        break;
    case 2:
        *(volatile uint16_t *)at = (uint16_t)value;
        break;
    case 4:
        *(volatile uint32_t *)at = (uint32_t)value;
        break;
    default:
        *(volatile uint64_t *)at = value;
    }
}

static void file_store_block(struct host *h, const struct host_bar *bar, uint64_t offset,
                             const void *bytes, uint64_t size)
{
    const uint8_t *from = bytes;

    (void)h;
    while (size > 0) {
        uint32_t n = 8;

        while ((bar->bus + offset) % n != 0 || n > size)
            n /= 2;
        store_one((char *)bar->cpu + offset, from, n);
        from += n;
        offset += n;
        size -= n;
    }
}

static void file_store(struct host *h, const struct host_bar *bar, uint64_t offset,
                       const void *bytes, uint32_t size)
{
    file_store_block(h, bar, offset, bytes, size);
}

static uint64_t file_load(struct host *h, const struct host_bar *bar, uint64_t offset,
                          uint32_t size)
{
    const volatile void *at = (const char *)bar->cpu + offset;

    (void)h;
    switch (size) {
    case 1:
        return *(const volatile uint8_t *)at;
    case 2:
        return *(const volatile uint16_t *)at;
    case 4:
        return *(const volatile uint32_t *)at;
    default:
        return *(const volatile uint64_t *)at;
    }
}

static void file_fence(struct host *h)
{
    (void)h;
    atomic_thread_fence(memory_order_seq_cst);
}

/* The caller looks again. */
static void file_wait_write(struct host *h, const volatile void *p, uint32_t size)
{
    (void)h;
    (void)p;
    (void)size;
}

/* Real software costs what it costs. */
static void file_spend(struct host *h, uint64_t ps)
{
    (void)h;
    (void)ps;
}

static uint64_t file_cost_ps(struct host *h, enum host_cost cost)
{
    (void)h;
    (void)cost;
    return 0;
}

static uint64_t file_time_ps(struct host *h)
{
    struct timespec t;

    (void)h;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return ((uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec) * 1000u;
}

static const struct host_ops file_ops = {
    .map = file_map,
    .store = file_store,
    .store_block = file_store_block,
    .load = file_load,
    .fence = file_fence,
    .wait_write = file_wait_write,
    .spend = file_spend,
    .cost_ps = file_cost_ps,
    .time_ps = file_time_ps,
};

int bar_file_open(struct bar_file *bf, const char *path, uint64_t bus, uint64_t bytes)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);
    struct stat st;
    int code = 0;

    if (fd < 0)
        return errno;
    *bf = (struct bar_file){ .host = { .size = 1, .ops = &file_ops }, .bus = bus, .bytes = bytes };
    bf->host.node = &bf->node;
    /* Beyond the end of a plain file or a sysfs resource accesses would be SIGBUS; other device
     * files have no size and refuse in mmap(). */
    if (fstat(fd, &st) != 0)
        code = errno;
    else if (bytes == 0 || (S_ISREG(st.st_mode) && bytes > (uint64_t)st.st_size))
        code = EINVAL;
    if (code == 0) {
        bf->base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (bf->base == MAP_FAILED)
            code = errno;
    }
    (void)close(fd); /* the mapping stays */
    return code;
}

void bar_file_close(struct bar_file *bf)
{
    (void)munmap(bf->base, bf->bytes);
    bf->base = NULL;
}
