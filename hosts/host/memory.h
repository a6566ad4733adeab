/*
 * Memory that devices can reach: the node's own, and memory of the program that is pinned.
 */
#ifndef HOST_MEMORY_H
#define HOST_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

struct host;

enum host_pointer_kind { HOST_PAGEABLE, HOST_PINNED, HOST_GPU };

/** What a pointer of the program points to. */
struct host_pointer {
    enum host_pointer_kind kind;
    unsigned gpu;    /* of HOST_GPU */
    uint64_t offset; /* of HOST_GPU: in the device's memory; of HOST_PINNED: the bus address */
};

struct host_memory_ops {
    void *(*alloc)(struct host *h, uint64_t bytes, uint64_t align); /* NULL: none left */
    uint64_t (*free)(struct host *h, void *p); /* its bytes; 0: not from alloc() of this rank */
    struct host_pointer (*pointer)(struct host *h, const void *p);
    /** The bytes from `p` to the end of what alloc(), also that of GPUs, has given out there.
     * 0: nothing is there, or memory of another rank. */
    uint64_t (*left)(struct host *h, const void *p);
    /**
     * Makes [p, p + bytes) reachable for devices at [result, + bytes), page by page: memory of the
     * program (heap, static, stack) or from alloc(), not of a library's own malloc(), whose pages
     * differ from run to run. It must stay until unpin(). Costs nothing by itself: a driver spends
     * a system call and HOST_COST_PIN for each page. HOST_NO_BUS: none left.
     */
    uint64_t (*pin)(struct host *h, const void *p, uint64_t bytes);
    /** `bus` from pin(). What devices still do there comes to nothing. */
    void (*unpin)(struct host *h, uint64_t bus);
    /** By this a library may remember what was pinned: another block of the program that lies there
     * later is reached by the same pin. Usually the pointer itself. */
    uint64_t (*address)(struct host *h, const void *p);
    /** All memory that alloc() gives out has bus addresses from here on. */
    uint64_t (*base)(struct host *h);
};

/** Zeros where there is anything else: a page of alloc() that was never touched stays so, and
 * takes no memory of the simulator. */
void host_clear(uint8_t *p, uint64_t bytes);

#endif /* HOST_MEMORY_H */
