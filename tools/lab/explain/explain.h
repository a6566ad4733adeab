/* One message on a machine, and where its time went. */
#ifndef LAB_EXPLAIN_H
#define LAB_EXPLAIN_H

#include "tools/lab/format/table.h"
#include "tools/lab/run/simulate.h"

SIM_BEGIN_DECLS

#define LAB_CONTEND_MAX (LAB_RANKS_MAX - 2)

/** What is sent; all texts as the program `message` takes them, or `gasnet-message`. */
struct lab_message {
    const char *kind;        /* "pio", "register", "dma", "chain", "2d"; "long", "get" of GASNet */
    const char *gasnet;      /* as of `hubrun --gasnet`, of these two */
    const char *src, *dst;   /* "cpu", "gpu0" ... */
    const char *descriptors; /* "internal", "host" */
    uint64_t bytes, puts, blocks, pitch;
    unsigned from, to; /* nodes */
    unsigned ncontend; /* nodes that write to node `to` at the same time */
    unsigned contend[LAB_CONTEND_MAX];
};

/** An interval, relative to the start of the message. Texts live in the arena. */
struct lab_part {
    const char *phase, *kind, *stage, *where, *meaning;
    uint64_t from_ps, to_ps;
};

struct lab_explanation {
    const struct lab_message *message;
    const char *machine;
    uint64_t ps; /* as the program measured */
    bool verified;
    unsigned hops; /* cables between hubs */
    unsigned n;
    struct lab_part *parts; /* in order of time, without gaps: they add up to `ps` */
    struct load_arena arena;
};

/** Is it one of GASNet? A get is called by its receiver, and its data come from a segment. */
bool lab_message_is_gasnet(const struct lab_message *message);
/**
 * Runs `message` on the machine of `run` (its machine, platform, sets and seed count).
 * Free with lab_explanation_fini().
 */
struct lab_explanation lab_explain(const struct lab_site *site, const struct lab_run *run,
                                   const struct lab_message *message);
void lab_explanation_fini(struct lab_explanation *e);

enum lab_sum { LAB_SUM_KIND, LAB_SUM_PHASE };
/** Tables, to be freed: each interval; folded; sums by kind of stage or by phase. */
void lab_explain_path(const struct lab_explanation *e, struct lab_table *table);
void lab_explain_table(const struct lab_explanation *e, struct lab_table *table);
void lab_explain_sums(const struct lab_explanation *e, enum lab_sum by, struct lab_table *table);
/** What was sent and how long it took, one line. */
void lab_explain_title(const struct lab_explanation *e, char *text, size_t size);

SIM_END_DECLS
#endif /* LAB_EXPLAIN_H */
