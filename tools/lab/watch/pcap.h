/* A capture (observe/capture.h) in a file: --pcap FILE, --pcap-links PATTERN. */
#ifndef LAB_PCAP_H
#define LAB_PCAP_H

#include "machine/machine.h"
#include "observe/fan.h"

SIM_BEGIN_DECLS

struct lab_pcap;

/** Raises that a link which is to be captured ends at a component that sends late payloads
 * (memory/payload.h). */
void lab_pcap_check(const char *path, const char *links, const struct machine_desc *desc);
/**
 * @param links NULL: all; else a pattern with * and ?, and those links are captured of which it
 * matches either port ("node*.hub.e"). Both texts must outlive the capture.
 */
struct lab_pcap *lab_pcap_open(const char *path, const char *links, struct observe_fan *fan);
/** Completes the file and frees the capture. *err (which may be NULL) has what went wrong, also
 * that `links` has matched none. */
void lab_pcap_close(struct lab_pcap *pcap, struct sim_error *err);

SIM_END_DECLS
#endif /* LAB_PCAP_H */
