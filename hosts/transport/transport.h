/*
 * The transport interface: all that the protocols of a library (hosts/mpi/point/protocol.h, for
 * one) ask of a network.
 *
 * A transport belongs to one rank. It has, at each receiver, one memory-based FIFO for each source
 * and kind of entry, and may write into memory that another rank has exposed.
 *
 *   append()  ... puts an entry at the end of a FIFO at the far side; take() and release() there
 *   expose()  ... makes a key, bytes that travel in entries; who has it may
 *   write()   ... put data there, and behind them a note, which becomes an entry of a FIFO
 *
 * Rules for all of them:
 *  - Entries of one (source, destination, kind) arrive once and in order, notes among the others.
 *  - Of one pair of ranks, data of a write are in place before any note or entry that was begun
 *    later can be taken, of whichever kind.
 *    Memory of a GPU has them for whatever reaches it through its bus from then on.
 *  - A write without a note makes no entry: the software of the far side does not learn of it. Its
 *    data, too, are in place before any note or entry that was begun later.
 *  - Nothing waits for the software of the far side. What would have to (no room in a FIFO, no free
 *    slot) returns false, with nothing done; the caller takes in what has come, wait()s, and tries
 *    again. So two ranks that fill each other's FIFOs both go on.
 *  - Simulated time passes inside of the calls, as the machine and its software take it.
 *  - To the rank itself only if caps.itself; else the protocols see to that. Ranks of one node are
 *    the transport's.
 *  - A rank may have one transport for each library that it uses, of one kind or of two. None sees
 *    what belongs to another, nor waits for calls of it: what they share (the control network, DMA
 *    channels, a task of the kernel) differs by transport.user, or taken in turns.
 *  - Settings are those of the library that uses it: "mpi.boxes", "gasnet.boxes".
 *  - Whether something of this very instant is seen must not depend on the order of events: what
 *    poll() says of it has to be settled by a rule (see net/net.c for one way).
 *
 * To add one: a file NAME.c with its ops, transport_NAME. Compiled to transports/NAME.so in a
 * folder of HUBSIM_PATH it is found (docs/architects.md); a build's own are listed in transport.c.
 */
#ifndef TRANSPORT_H
#define TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hosts/host/param.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TRANSPORT_HEAD_BYTES  96u /* longest header of an entry, and longest note */
#define TRANSPORT_KEY_BYTES   32u
#define TRANSPORT_ENTRY_LEAST 256u /* longest entry that every transport takes, at least */
#define TRANSPORT_BYTES_MAX   (UINT32_C(1) << 30) /* longest message: sizes travel in 32 bits */
#define TRANSPORT_ENTRIES_MAX 64u                 /* most that "ring_entries" may say */
#define TRANSPORT_WHY_BYTES   160u
#define TRANSPORT_NAME_BYTES  16u /* as host_setting.word */
#define TRANSPORTS_MAX        16u

/** Who uses a transport; the number is transport.user. */
enum transport_library { TRANSPORT_MPI, TRANSPORT_GASNET, TRANSPORT_LIBRARIES };

enum transport_fifo {
    TRANSPORT_MESSAGE, /* messages, pieces of them, notes of writes */
    TRANSPORT_REQUEST, /* what receivers ask senders for, and answers */
    TRANSPORT_FIFOS
};

/** What a transport can do, and how the protocols should use it. A transport fills in its own
 * values; settings of the platform override those marked (*). */
struct transport_caps {
    bool read;           /* has read() */
    bool write_strided;  /* write() takes strides */
    bool gpu;            /* takes pointers to GPU memory as they are; else they are staged */
    bool sends_requests; /* (*) receives that find nothing announce their address: SR, else NSR */
    bool itself;         /* what goes to the rank itself goes through it, too */
    bool slots;          /* its device reads and writes memory of the library itself: entries with
                            data there need no copy */
    uint32_t read_gpu_bytes; /* longest read() where an end is in the memory of a GPU */
    uint32_t fifo_bytes;     /* (*, shorter) longest entry, header and data together */
    uint32_t eager_bytes;    /* (*) longest message sent without asking when no request for it is
                                known; in several entries, if it has to be */
    uint32_t write_bytes;    /* (*) shortest message for which a request is used; 0: all */
    /* Costs that the protocols spend; those of its own calls a transport spends itself. */
    uint64_t copy_kb_ps; /* per 1024 bytes between an entry and memory, and of packing */
    uint64_t entry_ps;   /* (*) making a header, or looking at one and finding what it is for */
};

/** Bytes that name exposed memory; only its transport knows what they mean. */
struct transport_key {
    uint8_t bytes[TRANSPORT_KEY_BYTES];
};

/** An entry at the head of a FIFO, in place: until release(). */
struct transport_taken {
    const uint8_t *bytes;
    uint32_t size;
};

/** An operation whose data may not be changed or freed yet; 0: it was over at return. */
typedef uint64_t transport_ticket;

/** What append() puts into a FIFO: header and data, together at most caps.fifo_bytes. */
struct transport_entry {
    enum transport_fifo fifo;
    const void *head, *data; /* `data` may be GPU memory if caps.gpu */
    uint32_t head_bytes, bytes;
    bool in_slot; /* only if caps.slots: no time goes into a copy of `data` */
};

/** Data of a write in `nblocks` pieces of `block` bytes, which begin `from_step` bytes apart, and
 * `to_step` where they go. 0: side by side; else the transport must have said lays_out(). */
struct transport_strides {
    uint32_t block, nblocks;
    int64_t from_step, to_step;
};

/** Data for the memory that `key` names, and a note, if any, which becomes an entry behind them. */
struct transport_write {
    const struct transport_key *key;
    uint64_t at; /* where they go: bytes behind the beginning of that memory */
    const void *from;
    uint64_t bytes;                          /* may be 0 */
    const struct transport_strides *strides; /* NULL: one piece; others if caps.write_strided */
    enum transport_fifo fifo;                /* for the note */
    const void *note;
    uint32_t note_bytes;
    bool watched; /* placed() will be asked; only where there is one */
};

struct transport;
struct host_counts;

struct transport_ops {
    const char *name;          /* as in `hubrun --mpi NAME` */
    enum host_network network; /* it goes over */
    /* Settings that it alone has, keys "mpi.*" and "gasnet.*"; NULL: none */
    const struct host_param *params[TRANSPORT_LIBRARIES];
    size_t bytes; /* of its struct, which begins as zeros and with `t` */
    /**
     * When its library is initialised: fills in the capabilities of the rank's transport. All ranks
     * call it, so they may agree on addresses. A rank that is ended while it waits here does not
     * return: whatever it has allocated is destroy()'s to find.
     * @return false, and why in `why` (TRANSPORT_WHY_BYTES; it says that there is no memory), when
     * the machine has no such network.
     */
    bool (*connect)(struct transport *t, char *why);
    /** Frees it, too. Also while other ranks go on: after the run, or when it was ended. Takes no
     * time. */
    void (*destroy)(struct transport *t);

    /**
     * Puts an entry at the end of a FIFO of rank `dest`. At return its bytes may be reused.
     * @return false: no room now.
     */
    bool (*append)(struct transport *t, unsigned dest, const struct transport_entry *entry);
    /**
     * Which sources may have something: @return the first source >= `from` whose FIFO is worth a
     * take(), or the number of ranks. What it costs to look is spent.
     */
    unsigned (*next)(struct transport *t, enum transport_fifo fifo, unsigned from);
    /** The entry at the head of a FIFO, which stays until release(). @return false: none. */
    bool (*take)(struct transport *t, enum transport_fifo fifo, unsigned source,
                 struct transport_taken *taken_p);
    /** Gives the room of the entry that was taken last back to its source. */
    void (*release)(struct transport *t, enum transport_fifo fifo, unsigned source);

    /** Lets others write to [p, p + bytes), and read if caps.read; *key_p is 0 before. @return
     * false: cannot (pageable memory that is not pinned, say); the protocols then copy. NULL: it
     * never can, and write() is not called. */
    bool (*expose)(struct transport *t, void *p, uint64_t bytes, struct transport_key *key_p);
    /** Or NULL: there is nothing to be done. */
    void (*hide)(struct transport *t, const struct transport_key *key);
    /**
     * Data may be reused when done() says so of *ticket_p, which is 0 before; the note at return.
     * @return false: no room now.
     */
    bool (*write)(struct transport *t, unsigned dest, const struct transport_write *write,
                  transport_ticket *ticket_p);
    /** Or NULL: never. May this write, with its strides at both ends, be begun as it is? Else what
     * asks takes fewer blocks, or one by one. Takes no time. */
    bool (*lays_out)(struct transport *t, unsigned dest, const struct transport_write *write);
    /** Or NULL. From the memory that `key` names at rank `source`, `at` bytes behind its beginning.
     * Data are there when done() says so. @return false: no room now. */
    bool (*read)(struct transport *t, unsigned source, const struct transport_key *key, uint64_t at,
                 void *to, uint64_t bytes, transport_ticket *ticket_p);
    /** Or NULL: every ticket is 0. */
    bool (*done)(struct transport *t, transport_ticket ticket);
    /** Or NULL: only the far software could say so, by an entry. Has the far memory the data of a
     * write that was `watched`? Its ticket counts until it has. */
    bool (*placed)(struct transport *t, transport_ticket ticket);
    /** Or NULL. Returns when nothing is left that only a later call would start: a program that
     * computes after a blocking send delays none of it. */
    void (*hand_over)(struct transport *t);

    /** Or NULL: the network has no interrupts. From now on whatever wait() waits for rings the
     * rank's helper (host_cpu_ops.ring) as well; what this rank sends rings that of its receiver.
     * All ranks call it, or none. @return false: there are no interrupts. */
    bool (*ring)(struct transport *t);
    /** Or NULL: nothing. Is there anything that a helper is to do, though no operation is pending:
     * what hand_over() would wait for, or room that senders want? Takes no time. */
    bool (*queued)(const struct transport *t);

    /** Or NULL: caps.eager_bytes. The same of data in the memory of a GPU; only if caps.gpu. */
    uint32_t (*gpu_eager_bytes)(const struct transport *t, unsigned gpu);
    /** Or NULL: memcpy(), and caps.copy_kb_ps. Copies between an entry or memory of the library and
     * memory of the program, which may be of a GPU; spends what that takes. */
    void (*copy)(struct transport *t, void *to, const void *from, uint64_t bytes);

    /**
     * Returns when an entry may have come, an operation ended or room been made since the caller
     * looked last; it may return early. The caller has taken all that next() found.
     */
    void (*wait)(struct transport *t);
    /** Looks for the same without waiting, which takes some time, so that a program that spins on
     * MPI_Test() lets others go on. @return false: nothing new has come. */
    bool (*poll)(struct transport *t);
    /** Or NULL. Sets what it counts, for a profile or a program (hosts/host/profile.h). */
    void (*profile)(const struct transport *t, struct host_counts *to);
};

/** First member of each transport's own. */
struct transport {
    const struct transport_ops *ops;
    struct host *host;
    const char *library; /* whose settings count; "mpi" or "gasnet" */
    unsigned user;       /* an enum transport_library; see HOST_USERS */
    /* Its library writes at any time: expose() gives keys, also without caps.sends_requests. */
    bool one_sided;
    struct transport_caps caps;
    /* It has taken notice of entries, so no interrupt will announce them: as if one had. */
    bool rung;
};

/** All of them, NULL at the end. */
extern const struct transport_ops *transports[];
/** What each library can set, whichever transport it uses: keys "mpi.*", and "gasnet.*". Those of
 * one transport alone are transport_ops.params. */
const struct host_param *transport_params(void);
const struct host_param *transport_gasnet_params(void);
/** What the software of all of them costs. */
extern const struct host_param transport_cost_params[];

/** One more, which must stay, before anything looks at the tables of the process. @return false:
 * there is one of that name, or no room. */
bool transport_add(const struct transport_ops *ops);

/**
 * For this library, "mpi" or "gasnet": the one that the platform or the user has chosen
 * ("mpi.transport"), with its settings applied. If none is: for MPI that of the machine's own
 * network, for GASNet the control network. *t_p is set before it connects. @return false, and why.
 */
bool transport_open(struct host *h, const char *library, char *why, struct transport **t_p);
/** That of a library in this rank, once it is open; NULL: it has none. */
struct transport *transport_of(const struct host *h, enum transport_library library);

/** The network that MPI's transport_open() goes over, where `fastest` is the machine's own. An
 * unknown name stands for the control network. */
enum host_network transport_network(const struct host *h, enum host_network fastest);

/** A setting of the library that uses a transport, its key without "mpi."; or `own` where neither
 * the platform nor the user has set something else than 0. */
uint64_t transport_number(const struct transport *t, const char *key, uint64_t own);
/** The setting "fifo_bytes", for a transport whose longest entry has `own` bytes. */
uint32_t transport_fifo_bytes(const struct transport *t, uint32_t own);
/** "ring_entries": `own`, for which the transport has room, or fewer. */
uint32_t transport_ring_entries(const struct transport *t, uint32_t own);
/** Has such a setting of words this one? */
bool transport_has_word(const struct transport *t, const char *key, const char *word);
/** Whom lines of a transport name: "MPI over net: out of memory". */
const char *transport_title(const struct transport *t);
/** A setting by its whole key, or `own` where neither the platform nor the user has set something
 * else than 0. */
uint64_t transport_setting(const struct host *h, const char *key, uint64_t own);
/** Has a setting of words this one? */
bool transport_is_set(const struct host *h, const char *key, const char *word);
/** Writes why connect() fails where a node has no such device, which `platform` has. */
bool transport_lacks(const struct transport *t, const char *device, const char *platform,
                     char *why);
static inline void transport_spend(struct transport *t, uint64_t ps)
{
    t->host->cpu->spend(t->host, ps);
}
/** By the setting "progress": will ring() be called? */
bool transport_wants_helper(const struct transport *t);
/** Messages of the control network to and from the same library of other ranks. */
static inline void transport_send(struct transport *t, unsigned rank, const void *bytes,
                                  uint32_t size)
{
    t->host->net->send(t->host, t->user, rank, bytes, size);
}
static inline void transport_receive(struct transport *t, struct host_message *msg_p)
{
    t->host->net->receive(t->host, t->user, msg_p);
}

#ifdef __cplusplus
}
#endif

#include "hosts/transport/bytes.h" /* what transports do to bytes */

#endif /* TRANSPORT_H */
