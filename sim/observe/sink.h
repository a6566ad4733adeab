/* Where an observer's bytes go: sim/ knows no files. */
#ifndef OBSERVE_SINK_H
#define OBSERVE_SINK_H

#include "core/sim.h"

SIM_BEGIN_DECLS

/** Bytes in the order in which they are to stand in the file. */
struct observe_sink {
    /** False: they could not be written; nothing more will be. */
    bool (*write)(void *arg, const void *bytes, size_t n);
    void *arg;
};

SIM_END_DECLS
#endif /* OBSERVE_SINK_H */
