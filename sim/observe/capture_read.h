/* Reads a capture that observe_capture_*() has written, or another tool has cut out of one. */
#ifndef OBSERVE_CAPTURE_READ_H
#define OBSERVE_CAPTURE_READ_H

#include "core/probe.h"

SIM_BEGIN_DECLS

/** One captured packet. */
struct observe_captured {
    uint32_t interface;
    enum sim_packet_kind kind;
    uint32_t flags;           /* enum sim_packet_flag */
    uint32_t link, direction; /* direction 0 or 1 */
    sim_time_t begin, end;    /* as in struct sim_packet */
    const uint8_t *bytes;     /* sequence number to LCRC, or the DLLP; part of what is read */
    uint32_t nbytes;
};

/** What a reader learns of a capture, in the order of the file. Texts and bytes are valid until the
 * reading ends. */
struct observe_capture_visitor {
    /** Interfaces count from 0; `name` is the port that sends, "" where the file has none. */
    void (*interface)(void *arg, uint32_t number, const char *name);
    void (*packet)(void *arg, const struct observe_captured *packet);
    void *arg;
};

/**
 * @return SIM_OK; or SIM_ERR_CONFIG for what is no capture of hubsim: err says where and why
 */
int observe_capture_read(const uint8_t *bytes, size_t n, const struct observe_capture_visitor *v,
                         struct sim_error *err);

SIM_END_DECLS
#endif /* OBSERVE_CAPTURE_READ_H */
