/* Between the tools of a program: how a mistake of the program ends. */
#ifndef GASNET_TOOLS_FATAL_H
#define GASNET_TOOLS_FATAL_H

/** A line "rank ...: CALL at AT: ..." and the end of all ranks; NULL: the place is not known. */
_Noreturn void gasneti_tools_fatal(const char *call, const char *at, const char *format, ...)
    __attribute__((__format__(__printf__, 3, 4)));

#endif /* GASNET_TOOLS_FATAL_H */
