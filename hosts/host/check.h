/* What libraries and the launcher look after in a program when the user asks for it. */
#ifndef HOST_CHECK_H
#define HOST_CHECK_H

enum host_check {
    HOST_CHECK_HEAP = 1,     /* bytes beyond a block of malloc(), blocks after free(), handles */
    HOST_CHECK_MPI = 2,      /* calls of MPI that do not fit together, and what was left over */
    HOST_CHECK_RACES = 4,    /* memory that the program uses while a transfer does */
    HOST_CHECK_ALL_RACES = 8 /* with a line for each pair of places, however many */
};

#endif /* HOST_CHECK_H */
