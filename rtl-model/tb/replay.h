/*
 * Gives an RTL core what the C core was given, edge by edge, and compares what it does: each beat
 * of each output, and each place that it frees.
 */
#ifndef TB_REPLAY_H
#define TB_REPLAY_H

#include "record.h"

/** A library of forward.h. */
struct ForwardLibrary {
    ForwardParams (*params)(void);
    Forward *(*create)(uint64_t seed, const char *trace);
    void (*reset)(Forward *rtl, const ForwardBegin *begin);
    void (*edge)(Forward *rtl, const ForwardIn *in, ForwardOut *out);
    void (*destroy)(Forward *rtl);
};

/** Resets the core first, whatever it was given before. `*midst_p`: the record ends within a
 * packet.
 * @return the first difference, with what happened before it, or an empty text */
std::string replay_record(const ForwardLibrary &library, Forward *rtl, const Record &record,
                          bool *midst_p);

#endif
