/* Makes a case smaller as long as the same is found. */
#ifndef SHRINK_H
#define SHRINK_H

#include "child.h"

void shrink(const struct site *site, unsigned worker, struct fuzz_case *c,
            const struct outcome *found);

#endif /* SHRINK_H */
