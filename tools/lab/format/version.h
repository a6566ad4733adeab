/* Which hubsim this is: HUBSIM_VERSION, of the compiler's command line, and the commit. */
#ifndef LAB_VERSION_H
#define LAB_VERSION_H

/** Twelve digits of the git commit, "-dirty" behind it where files differ from it; "unknown". */
extern const char hubsim_commit[];

#endif /* LAB_VERSION_H */
