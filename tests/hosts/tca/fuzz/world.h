/*
 * What a sequence of TCA calls has made so far, by docs/tca.md and tca-api.h: memory with the bytes
 * that it must hold, handles, lists, channels, tables, and notifications that have to come. All
 * ranks share it, and they take turns: one call of one rank at a time, while transfers go on.
 */
#ifndef FUZZ_WORLD_H
#define FUZZ_WORLD_H

#include "tests/fuzz/commands/dice.h"

#include <stdio.h>
#include <tca-api.h>

enum {
    RANKS_MAX = 4,
    CHANNELS = 4,
    STEPS_MAX = 256,
    MEMS_MAX = 48,
    HANDLES_MAX = 96,
    LISTS_MAX = 32,
    PIOS_MAX = 16,
    TABLES_MAX = 12,
    TABLE_ROOM = 1024, /* positions: the most that a table has */
    NOTES_MAX = 512,
    LOG_BYTES = 1 << 16,
    NO_CHANNEL = -1, /* stores of the CPU */
    NO_NOTE = -1,
};

/** What the text leaves open: a call may be refused, or succeed. */
enum open_row {
    OPEN_FREE_NULL,  /* tcaFree(NULL), tcaDescFree(NULL) */
    OPEN_LIST_FIRST, /* tcaDescNew() and tcaDescFree() before tcaInit() */
    OPEN_BEYOND,     /* a handle that ends somewhat behind its allocation, or has nothing in it */
    OPEN_FREED,      /* what names memory that was freed */
    OPEN_COPY,       /* a copy of a handle that was destroyed */
    OPEN_BENT,       /* a handle of which some bytes were changed */
    OPEN_ROOM,       /* lists of more than half of what the board has room for */
    OPEN_NEXT,       /* no place for the next position */
    OPEN_BROKEN,     /* channels after a transfer that met freed memory */
    OPEN_ROWS
};

struct mem {
    unsigned rank;
    tcaMemoryKind kind;
    uint8_t *p;
    size_t n;
    bool live;
    bool reused;    /* freed, and its address is that of another one */
    bool unchecked; /* transfers to freed memory may have met it */
    uint8_t *want;  /* what it must hold */
    uint8_t *vague; /* by byte: nothing is known about it */
};

enum handle_state {
    HANDLE_GOOD,
    HANDLE_DESTROYED,
    HANDLE_COPY, /* of one that was destroyed */
    HANDLE_ODD,  /* the text leaves open whether there may be such a one */
    HANDLE_BENT,
    HANDLE_JUNK
};

struct handle {
    tcaHandle bytes;
    enum handle_state state;
    unsigned rank, mem;
    size_t off, n; /* in the memory; n of ODD, too */
};

struct place {
    unsigned mem;
    size_t off, pitch;
};

struct put {
    struct place dst, src;
    size_t width, count;
    int flags, slot, tag;
    bool odd; /* nothing is known about where it leads: it never runs */
};

struct puts {
    struct put *put;
    size_t n, room;
};

struct list {
    tcaDesc *d;
    unsigned rank;
    bool live;
    bool reused; /* freed, and another one may have its address */
    struct puts puts;
};

struct channel {
    bool set;
    struct puts puts;
    size_t earlier; /* descriptors, at most, of lists that it had since it was idle */
    bool broken;    /* a transfer met freed memory */
};

struct table { /* number 0: the one in the board's memory, from the beginning */
    unsigned rank;
    int number, capacity;
    bool live;
    bool set[TABLE_ROOM];
    struct put put[TABLE_ROOM];
};

struct pio {
    tcaPIOHandle bytes;
    unsigned rank, mem;
    size_t off, size;
    bool odd;
};

struct note { /* notifications of one key */
    unsigned to, from;
    int slot, tag;
    unsigned sent, taken;
    bool vague; /* how many come is not known */
};

/** A put or a PIO call that may still be under way. */
struct flight {
    unsigned rank;
    int channel;            /* or NO_CHANNEL */
    struct put put;         /* of PIO: without a source, MEMS_MAX */
    int to_note, self_note; /* of world.note, or NO_NOTE */
    unsigned commits;       /* of PIO: of its rank, before it */
    bool read;              /* its source may change */
    bool vague;             /* what it writes is not known */
    bool landed;
};

struct turn {
    unsigned rank, step;
    enum { TURN_CALL, TURN_SETTLE, TURN_COMPARE } what;
};

/** Of one sequence: shared with the process that asked for it. */
struct outcome {
    bool ended;
    char found[300]; /* empty: nothing */
    char kind[100];  /* the same text for the same cause, if possible */
    uint64_t prints[3], results;
    unsigned calls, refused, bytes;
    unsigned open[OPEN_ROWS];
    size_t nlog;
    char log[LOG_BYTES];
};

/** What the test of this program does to what it sees of the library. */
enum lie {
    LIE_NONE,
    LIE_ACCEPTS, /* the first refused call returns TCA_SUCCESS */
    LIE_REFUSES, /* the 20th call that succeeds returns an error */
    LIE_BYTE,    /* a byte of a memory changes */
    LIE_LINE,    /* the first refusal leaves no line */
    LIE_ERROR,   /* a put goes to freed memory, and the reference does not know */
    LIE_CRASH,
    LIE_HANG,
    LIE_DIFFERS, /* the second run takes other times */
    LIES
};

struct world {
    uint64_t seed, number;
    struct dice dice; /* of this step */
    unsigned ranks, step, turn, nturns;
    struct turn turns[(STEPS_MAX + 1) * 2 * RANKS_MAX];
    bool wild; /* memory may be freed while it is in use */
    enum lie lie;
    bool lied, again; /* again: the second run of a sequence */
    bool begun[RANKS_MAX];
    bool stray; /* a transfer has met freed memory: hardware may have seen errors */
    unsigned nmems, nhandles, nlists, npios, ntables, nnotes, commits[RANKS_MAX];
    struct mem mems[MEMS_MAX];
    struct handle handles[HANDLES_MAX];
    struct list lists[LISTS_MAX];
    struct channel channels[RANKS_MAX][CHANNELS];
    struct pio pios[PIOS_MAX];
    struct table *tables; /* TABLES_MAX */
    struct note notes[NOTES_MAX];
    struct flight *flights;
    size_t nflights, flights_room;
    unsigned lines_now, lines_of[RANKS_MAX]; /* in this call; in all */
    char line[400];                          /* the last one */
    struct outcome *out;
};

/** Empty; `out` is kept. */
struct world *world_create(uint64_t seed, uint64_t number, unsigned ranks, struct outcome *out);
void puts_add(struct puts *puts, const struct put *put);
/** *to becomes what *from is. */
void puts_copy(struct puts *to, const struct puts *from);

/** Adds to the log, which shows the calls as a program would have them. */
void world_log(struct world *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
/** What is found first counts; `kind` is a name for the cause. */
void world_found(struct world *w, const char *kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static inline bool world_over(const struct world *w)
{
    return w->out->found[0] != '\0' || w->turn >= w->nturns;
}

/** The key's notifications; NULL: there are too many keys. */
struct note *world_note(struct world *w, unsigned to, unsigned from, int slot, int tag);
/** Number of the memory of this rank that holds the address, else MEMS_MAX. */
unsigned world_mem_at(const struct world *w, unsigned rank, const uint8_t *p, bool live);
/** Does something that may be under way use this memory? */
bool world_in_use(const struct world *w, unsigned mem);
/** Is there memory that was freed behind one of these puts? Or one that must not run, in *odd_p. */
bool puts_stale(const struct world *w, const struct puts *puts, bool *odd_p);

#endif /* FUZZ_WORLD_H */
