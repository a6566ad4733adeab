/*
 * What a rank waits for, as its libraries report it, for a user who asks why a run does not end.
 */
#ifndef HOST_REPORT_H
#define HOST_REPORT_H

#include <stdbool.h>
#include <stdint.h>

/** A message that a rank waits for. */
struct host_wait {
    const char *what; /* in words, of the peer: "room for a message to"; NULL: by what follows */
    bool sends;       /* for its receiver; else for its sender */
    int peer;         /* rank; -1: any; -2: several */
    int tag;          /* -1: any; -2: of a collective, which has none */
    uint64_t bytes;   /* of one that is sent */
    bool other;       /* one that was not received has come instead: */
    int other_peer, other_tag;
    char group[64]; /* "MPI_COMM_WORLD"; beside `what`, more of it, or nothing */
};

/** A notification: the window part that it comes from, its slot and tag. */
struct host_notice {
    unsigned part, slot, tag;
};

/** A function of a library of messages that the program has called. */
struct host_entry {
    const char *name; /* NULL: none */
    const void *from; /* where the program goes on behind it */
};

/** The library function that a rank waits in. */
struct host_call {
    const char *name;          /* NULL: in none */
    const void *from;          /* where the program goes on behind it; NULL: that is not said */
    struct host_notice notice; /* what it waits for, */
    int channel;               /* or, when not -1, a DMA channel */
    bool own;                  /* the part of which is that of the rank's node */
    /** One that has come and that no rank has taken: from the same part, or if there is none one of
     * the same slot and tag; false: none. NULL: not a wait for a notification. Read after the run
     * has ended. */
    bool (*other)(const void *arg, const struct host_notice *notice, struct host_notice *other_p);
    const void *other_arg;
    /** A library of messages has this instead: the i-th message that it waits for; false: no more.
     * NULL: the library is another one. Read after the run has ended. */
    bool (*waits)(const void *arg, unsigned i, struct host_wait *wait_p);
    const void *waits_arg;
    bool waits_any; /* one of them is enough */
};

/** Library functions that look and do not wait (MPI_Test), for reports of ranks that call them for
 * ever. The library counts them; the back end forgets the call when the rank does anything else,
 * but for reading a timer. */
struct host_looks {
    bool inside; /* one of them lasts */
    uint64_t found, vain;
    struct host_call call; /* the last one, which found nothing; or it has no name */
};

#endif /* HOST_REPORT_H */
