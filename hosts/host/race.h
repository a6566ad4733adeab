/*
 * What a library says of its transfers to the check for races (HOST_CHECK_RACES): which memory they
 * read and write, and which rank knows that they have ended. A back end without the check has no
 * such table: host.race is NULL. Nothing here takes simulated time.
 */
#ifndef HOST_RACE_H
#define HOST_RACE_H

#include <stdbool.h>
#include <stdint.h>

struct host;

/** Rows of memory, `pitch` bytes from one to the next; one row has no pitch. */
struct host_rows {
    uint64_t at, width, count, pitch;
};

/** One put of a hub: what it reads of the own node and writes of another one. */
struct host_put {
    struct host_rows from; /* bus addresses */
    struct host_rows to;   /* offsets in: */
    unsigned subcluster, part, area;
    bool notifies, notifies_self; /* with: */
    unsigned slot;
    uint32_t tag;
};

/** A call of the program that begins a transfer. */
struct host_place {
    const char *call;
    const void *from; /* its return address */
    uint64_t number;  /* which call of the rank, if one may announce many pieces; else 0 */
};

/** In a function that programs call: where they did. */
#define HOST_PLACE_OF_CALLER()                                                                     \
    ((struct host_place){ .call = __func__, .from = __builtin_return_address(0) })

/** Memory of the program that a library has given back. */
struct host_freed {
    const void *p;
    uint64_t bytes;
    uint64_t bus; /* where transfers found it */
};

/** What a call of a library does with memory of the program at once. */
enum host_use { HOST_LOADS, HOST_STORES, HOST_FREES };

enum host_lock { HOST_UNLOCKED, HOST_SHARED, HOST_EXCLUSIVE };

/** What a one-sided operation does to memory of another rank. */
struct host_reach {
    unsigned rank;
    uint32_t window;
    bool writes;
    bool atomic;         /* two of these make no race */
    enum host_lock lock; /* the epoch has it */
};

struct host_race_ops {
    /** The node is this part of a sub-cluster's window, whose areas begin at these bus addresses,
     * or are closed (HOST_NO_BUS). */
    void (*part)(struct host *h, unsigned subcluster, unsigned part, const uint64_t *area_bus);
    /** The list of a channel from now on; copied. */
    void (*install)(struct host *h, unsigned channel, const struct host_put *puts, unsigned n);
    /** The list of a channel begins, as soon as the channel is idle: the rank waits for that. */
    void (*start)(struct host *h, unsigned channel, struct host_place place);
    /** The list that was started last has broken off; or, with !begun, it did not begin, since the
     * one before it has broken off. What has not come of it will not come. */
    void (*failed)(struct host *h, unsigned channel, bool begun);
    /** The rank knows that the channel is idle. */
    void (*idle)(struct host *h, unsigned channel);
    /** The rank has taken a notification of another part, or of its own. */
    void (*notified)(struct host *h, unsigned part, unsigned slot, uint32_t tag);
    /** Such a notification has come, and no rank of the node will take it any more. */
    void (*forgotten)(struct host *h, unsigned part, unsigned slot, uint32_t tag);
    /** Stores of the rank are on their way to another node's memory (`from` has no rows). */
    void (*stored)(struct host *h, const struct host_put *put, struct host_place place);
    /** No program and no transfer is to use this memory until it is given again. Transfers that the
     * rank does not know to have ended may still do so. */
    void (*freed)(struct host *h, const struct host_freed *freed, struct host_place place);
    /** Transfers find memory at these bus addresses again: of the node, which the back end gives to
     * whichever library, or of a GPU, which the driver pins. */
    void (*given)(struct host *h, uint64_t bus, uint64_t bytes);
    /** A library uses memory of the program (`rows.at`: an address) until it is taken back by
     * `owner` or by `group` (or NULL): it writes it, or only reads it. */
    void (*lend)(struct host *h, const void *owner, const void *group, struct host_rows rows,
                 bool writes, struct host_place place);
    void (*take_back)(struct host *h, const void *owner_or_group);
    /** The program has no handle of the owner any more. Its memory is taken back by its group, or
     * as soon as anything that the rank hears may have said that the operation has ended. */
    void (*let_go)(struct host *h, const void *owner);
    /** `bus`: where transfers find that memory; 0: by its address, or they do not. */
    void (*used)(struct host *h, struct host_rows rows, uint64_t bus, enum host_use use,
                 struct host_place place);
    /** Others may reach the rank's memory from `base` on by the number of a window. */
    void (*window)(struct host *h, uint32_t number, const void *base);
    /** A one-sided operation uses memory of a rank's window (`rows.at`: bytes from its base). */
    void (*reach)(struct host *h, const struct host_reach *reach, struct host_rows rows,
                  struct host_place place);
    /** All of them in this rank's window have been done, or will have been when it hears of it;
     * `unlocks`: with the lock of the window, which others have had before. */
    void (*reached)(struct host *h, unsigned rank, uint32_t window, bool unlocks);
    /** A rank, which may be the own one, gives back its lock of the own window: its operations
     * there have been done. */
    void (*unlocked)(struct host *h, unsigned rank, uint32_t window);
    /** The rank has this lock of its own window: what others have done with theirs is over. It has
     * it until it is HOST_UNLOCKED. */
    void (*locked)(struct host *h, uint32_t window, enum host_lock lock);
    /** A library calls a function of the program that works on a buffer for it, until `false`. */
    void (*pause)(struct host *h, bool pauses);
    /** The rank sends its message of this number to another rank, unless it has to try again. */
    void (*sends)(struct host *h, unsigned rank, uint64_t number);
    /** That message has come to this rank, which knows what the other one knew then. */
    void (*heard)(struct host *h, unsigned rank, uint64_t number);
    /** The rank gives its answer of this number to another one's message, unless it has to try
     * again: it receives the message. */
    void (*answers)(struct host *h, unsigned rank, uint64_t number);
    void (*answered)(struct host *h, unsigned rank, uint64_t number);
    /** A synchronous message to that rank has ended: so the rank knows what the other one knew at
     * the last answer that has come from there. */
    void (*received)(struct host *h, unsigned rank);
};

#endif /* HOST_RACE_H */
