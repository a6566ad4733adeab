/*
 * Levels of all models (core/probe.h) as waves: one signal of a hierarchy for each, its changes in
 * the order of time. Domains take turns, and grants report when they end, so changes come out of
 * order; they wait until nothing earlier can come.
 */
#ifndef OBSERVE_WAVES_H
#define OBSERVE_WAVES_H

#include "observe/fan.h"

SIM_BEGIN_DECLS

/** Who writes the file. First all scopes and signals, by their paths, then changes by time. */
struct observe_wave_writer {
    void (*scope)(void *arg, const char *name); /* opens one in the one that is open */
    void (*upscope)(void *arg);
    /** @return what stands for the signal */
    uint32_t (*signal)(void *arg, const struct sim_signal *signal, const char *name);
    void (*change)(void *arg, sim_time_t time, uint32_t handle, const struct sim_signal *signal,
                   uint64_t value);
    void *arg;
};

struct observe_waves;

/** `writer` is copied. The waves observe by `fan` until they are destroyed. NULL: out of memory. */
struct observe_waves *observe_waves_create(const struct observe_wave_writer *writer,
                                           struct observe_fan *fan);
void observe_waves_destroy(struct observe_waves *w);
/** What still waits. The machine may be gone. @return SIM_OK or SIM_ERR_NOMEM */
int observe_waves_finish(struct observe_waves *w);

SIM_END_DECLS
#endif /* OBSERVE_WAVES_H */
