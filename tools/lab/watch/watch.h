/*
 * What observes a run, each observer with a file of its own: --timeline FILE and the like. Several
 * may be on at once; none of them changes what happens.
 */
#ifndef LAB_WATCH_H
#define LAB_WATCH_H

#include "core/probe.h"
#include "machine/machine.h"
#include "tools/lab/watch/claims.h"

#include <stdio.h>

SIM_BEGIN_DECLS

/** NULL: not wanted. */
struct lab_watch_options {
    const char *timeline;   /* trace-event JSON, gzip */
    const char *waves;      /* FST; see fst.h */
    const char *pcap;       /* packets: pcapng */
    const char *pcap_links; /* of links with a port that this pattern matches; NULL: of all */
    /* No file: use of links over time, by lab_watch_report(). */
    bool usage;
    sim_time_t usage_window_ps; /* 0: some hundred windows */
};

struct lab_watch;

bool lab_watch_wanted(const struct lab_watch_options *opt);
/** Claims the files; see claims.h. */
void lab_watch_claim(const struct lab_watch_options *opt, struct lab_claims *claims);
/** Raises what of a machine cannot be observed so, before a file is opened. */
void lab_watch_check(const struct lab_watch_options *opt, const struct machine_desc *desc);
/**
 * Opens the files, before the machine is made. `also`: NULL or a further observer. With nothing
 * wanted the watch holds `also` alone. `opt` must outlive it. An error that leaves the attempt
 * closes the watch.
 */
struct lab_watch *lab_watch_open(const struct lab_watch_options *opt, const struct sim_probe *also);
/** For sim_config; NULL when nothing observes. */
const struct sim_probe *lab_watch_probe(const struct lab_watch *watch);
/**
 * Lines `usage place=... side=... from_ps=... to_ps=... payload_ps=...` of a run that has ended at
 * `end`, for each direction of a link and window in which it was used; see observe/usage.h.
 * Nothing when they are not wanted.
 */
void lab_watch_report(const struct lab_watch *watch, sim_time_t end, FILE *out);
/** Completes the files, and raises what of them could not be written; the machine may be gone.
 * Frees the watch. */
void lab_watch_close(struct lab_watch *watch);

SIM_END_DECLS
#endif /* LAB_WATCH_H */
