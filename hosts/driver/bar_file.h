/*
 * Back end of the bar interface for a device that the operating system shows as a
 * file: on hardware /sys/bus/pci/devices/.../resource0 or a driver's /dev file.
 * Loads, stores and time only: no firmware, no memory for devices, no GPUs, no
 * messages; those operations are NULL. Whether stores combine is decided by the
 * file (resource0_wc), not by the mapping that map() is asked for.
 */
#ifndef DRIVER_BAR_FILE_H
#define DRIVER_BAR_FILE_H

#include "hosts/driver/bar.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bar_file {
    struct host host; /* first; host_set_self(&host) makes it the caller's */
    struct host_node node;
    uint64_t bus, bytes;
    void *base;
};

/**
 * Maps the first `bytes` of the file, which stand for the bus addresses from `bus` on; both are
 * multiples of the page. @return 0 or an errno; *bf is usable after 0 only.
 */
int bar_file_open(struct bar_file *bf, const char *path, uint64_t bus, uint64_t bytes);
void bar_file_close(struct bar_file *bf);

#ifdef __cplusplus
}
#endif
#endif /* DRIVER_BAR_FILE_H */
