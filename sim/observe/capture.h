/*
 * A capture of the packets on chosen links, as a pcapng file: an interface for each direction of a
 * link, named by the port that sends, link type DLT_USER0. Packets stand in the order in which
 * their first symbols leave; scripts/hubsim.lua teaches Wireshark to read them.
 *
 * A packet is a header of ours (capture_format.h), then for a TLP the bytes from sequence number to
 * LCRC, for a DLLP those with its CRC-16.
 */
#ifndef OBSERVE_CAPTURE_H
#define OBSERVE_CAPTURE_H

#include "observe/fan.h"
#include "observe/sink.h"

SIM_BEGIN_DECLS

struct observe_capture;

struct observe_capture_config {
    struct observe_sink sink;
    const char *program; /* "hubsim 0.2.0": who wrote the file */
    /** NULL: all; else whether the link between these ports ("node0.hub.e") is captured. Asked once
     * in each order at most. */
    bool (*wanted)(void *arg, const char *a, const char *b);
    void *arg;
};

/** `cfg` is copied. The capture observes by `fan` until it is destroyed. NULL: out of memory. */
struct observe_capture *observe_capture_create(const struct observe_capture_config *cfg,
                                               struct observe_fan *fan);
void observe_capture_destroy(struct observe_capture *c);
/** Writes what is left. @return SIM_OK; SIM_ERR_IO; SIM_ERR_NOMEM; SIM_ERR_CONFIG: a
 * payload was late (memory/payload.h), so that its bytes were not known when it began to be sent */
int observe_capture_finish(struct observe_capture *c);

SIM_END_DECLS
#endif /* OBSERVE_CAPTURE_H */
