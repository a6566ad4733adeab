/* The rules: what no command may do, whatever it is given. */
#ifndef JUDGE_H
#define JUDGE_H

#include "child.h"

enum end { END_BY_ITSELF, END_BUSY, END_IDLE };

struct end_facts {
    const struct fuzz_case *c;
    enum end end;
    int status; /* of waitpid() */
    bool left;  /* processes */
};

/** Its output lies two folders above `folder`. */
void judge(const struct end_facts *facts, const char *folder, struct outcome *outcome);

#endif /* JUDGE_H */
