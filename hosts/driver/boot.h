/* Inside of the driver: what firmware does first. */
#ifndef DRIVER_BOOT_H
#define DRIVER_BOOT_H

#include "hosts/driver/driver.h"

/** Fills node->functions. */
int boot_enumerate(struct host *h, struct driver_node *node);

#endif /* DRIVER_BOOT_H */
