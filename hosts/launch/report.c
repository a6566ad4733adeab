/* What ranks do, in words, for those who ask why a run does not end. */
#define _GNU_SOURCE /* REG_RIP */
#include "hosts/launch/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

uint64_t launch_counter_of(const void *context)
{
    const ucontext_t *uc = context;

#if defined(__x86_64__)
    return (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return uc->uc_mcontext.pc;
#else
    (void)uc;
    return 0;
#endif
}

void launch_place(const struct launch_thread *t, uint64_t addr, char *text, size_t room)
{
    const char *path = t->node->run->cfg->program;
    const char *name = path != NULL ? strrchr(path, '/') : NULL;
    uint64_t offset;

    text[0] = '\0';
    if (path != NULL && program_offset(t->program, addr, &offset))
        (void)snprintf(text, room, " at %s+0x%" PRIx64, name != NULL ? name + 1 : path, offset);
}

/** "in tcaWaitDMAC (channel 0), ". @return its length */
static size_t call_text(const struct host_call *call, char *text, size_t room)
{
    int n = 0;

    if (call->name != NULL && call->channel >= 0)
        n = snprintf(text, room, "in %s (channel %d), ", call->name, call->channel);
    else if (call->name != NULL)
        n = snprintf(text, room, "in %s (part %u, slot %u, tag 0x%x), ", call->name, call->part,
                     call->slot, call->tag);
    return n < 0 || (size_t)n >= room ? 0 : (size_t)n;
}

void launch_where(const struct launch_thread *t, char *text, size_t room)
{
    size_t n = call_text(&t->host.call, text, room);

    text += n;
    room -= n;
    if (!launch_polled(t, text, room))
        (void)snprintf(text, room, "%s", t->waits != NULL ? t->waits : "not started");
}
