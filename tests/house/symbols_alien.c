/* What the simulation may not do; the symbol test has to see it. */
#include <stdio.h>
#include <unistd.h>

int symbols_alien(void);

static int calls;

int symbols_alien(void)
{
    calls++;
    return puts("alien") + (int)getpid() + calls;
}
