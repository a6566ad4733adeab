/* The rules: what no command may do, whatever it is given. */
#ifndef JUDGE_H
#define JUDGE_H

#include "child.h"

enum end {
    END_BY_ITSELF,
    END_BUSY, /* stopped: it had used up the time or the memory that it may use */
    END_IDLE, /* stopped: it waited without an end */
};

struct end_facts {
    const struct fuzz_case *c;
    enum end end;
    int status; /* of waitpid() */
    bool left;  /* processes */
};

/** Its output lies two folders above `folder`. */
void judge(const struct end_facts *facts, const char *folder, struct outcome *outcome);

#endif /* JUDGE_H */
