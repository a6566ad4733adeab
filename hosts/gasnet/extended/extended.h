/* The Extended API: puts, gets and barriers. */
#ifndef GASNET_EXTENDED_H
#define GASNET_EXTENDED_H

#include "hosts/gasnet/core/message.h"

/** At gasnet_init(): its handlers. */
void gasnet_extended_init(struct gasnet_rank *gr);
void gasnet_extended_release(struct gasnet_rank *gr);

#endif /* GASNET_EXTENDED_H */
