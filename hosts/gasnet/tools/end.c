/* What the GASNet tools of a program ask of its run: who it is, where it is, and its end. */
#define _GNU_SOURCE /* _Unwind_Backtrace() with the frames of signals */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unwind.h>

#include "hosts/gasnet/tools/run.h"
#include "hosts/host/host.h"

bool gasneti_tools_run_is_first(void)
{
    const struct host *h = host_self();

    return h != NULL && h->rank == 0;
}

void gasneti_tools_run_end(const char *text)
{
    struct host *h = host_self();
    char line[GASNETI_LINE_BYTES + 128];

    if (h == NULL) /* a thread of the program's own */
        host_end_outside(NULL, NULL, text);
    (void)snprintf(line, sizeof(line), "rank %u on node %u at %.6f us: %s", h->rank, h->node->index,
                   (double)h->cpu->time_ps(h) * 1e-6, text);
    h->process->print(h, line);
    for (;;)
        h->process->abort(h, 1); /* does not return */
}

struct walk {
    struct host *h;
    gasneti_tools_run_frame_fn *frame;
    void *arg;
    unsigned left;
};

/* Frames of libraries have no place in the program. */
static _Unwind_Reason_Code walk_frame(struct _Unwind_Context *context, void *arg)
{
    struct walk *w = arg;
    char place[160] = "";
    const void *from = (const void *)_Unwind_GetIP(context); // NOLINT(performance-no-int-to-ptr)

    w->h->process->place(w->h, from, place, sizeof(place));
    if (place[0] != '\0')
        w->frame(w->arg, place);
    return --w->left > 0 ? _URC_NO_REASON : _URC_END_OF_STACK;
}

void gasneti_tools_run_frames(gasneti_tools_run_frame_fn *frame, void *arg)
{
    struct walk w = { host_self(), frame, arg, 256 };

    if (w.h != NULL)
        (void)_Unwind_Backtrace(walk_frame, &w);
}
