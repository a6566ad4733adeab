#include "hosts/driver/bar.h"

#include <string.h>

static _Thread_local struct host *current;

struct host *host_self(void)
{
    return current;
}

void host_set_self(struct host *h)
{
    current = h;
}

const struct host_setting *host_setting_of(const struct host *h, const char *key)
{
    for (const struct host_setting *s = h->settings; s != NULL && s->key != NULL; s++)
        if (strcmp(s->key, key) == 0)
            return s;
    return NULL;
}

void host_release_states(struct host_state *states, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (states[i].release != NULL)
            states[i].release(states[i].data);
        states[i] = (struct host_state){ NULL, NULL };
    }
}
