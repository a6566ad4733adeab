/*
 * Files that a run will write, before any of them is opened: none may be a file that the run reads,
 * or one that it writes twice. Files are compared by device and inode, whatever their names.
 */
#ifndef LAB_CLAIMS_H
#define LAB_CLAIMS_H

#include "tools/load/machine.h"

SIM_BEGIN_DECLS

#define LAB_CLAIMS_MAX 8u

struct lab_claims { /* all zero: none */
    unsigned n;
    struct lab_claim {
        const char *option, *path; /* "--pcap", "x.pcapng"; must outlive the claims */
    } files[LAB_CLAIMS_MAX];
};

/** The run writes `path`, as `option` says; NULL: it does not. Raises SIM_ERR_CONFIG: another
 * option has claimed the file. */
void lab_claims_add(struct lab_claims *claims, const char *option, const char *path);
/** The run reads `path`, as `option` says. Raises SIM_ERR_CONFIG: the file is claimed. */
void lab_claims_spare(const struct lab_claims *claims, const char *option, const char *path);
/** It reads all that the machine was made of. */
void lab_claims_spare_machine(const struct lab_claims *claims, const struct load_machine *machine);

SIM_END_DECLS
#endif /* LAB_CLAIMS_H */
