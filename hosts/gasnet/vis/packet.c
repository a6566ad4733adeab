/* Runs of pieces. */
#include "hosts/gasnet/vis/packet.h"

uint32_t vis_packet_room(const struct vis_packet *p)
{
    uint32_t table = (p->runs + 1) * (uint32_t)sizeof(*p->run);
    uint32_t used = p->data != NULL ? table + p->bytes : p->bytes;

    return table > p->room || used > p->room ? 0 : p->room - used;
}

void vis_packet_close(struct vis_packet *p)
{
    struct vis_run *before, *last;

    if (p->runs < 2)
        return;
    last = &p->run[p->runs - 1];
    before = last - 1;
    if (last->bytes != before->bytes || last->pieces != 1)
        return;
    if (before->pieces == 1)
        before->step = (int64_t)(last->at - before->at);
    else if (last->at != before->at + before->pieces * (uint64_t)before->step)
        return;
    before->pieces++;
    p->runs--;
}

void vis_packet_add(struct vis_packet *p, uint64_t at, uint32_t bytes)
{
    p->bytes += bytes;
    if (p->runs > 0) {
        struct vis_run *last = &p->run[p->runs - 1];

        if (last->pieces == 1 && at == last->at + last->bytes) {
            last->bytes += bytes;
            return;
        }
    }
    vis_packet_close(p);
    p->run[p->runs++] = (struct vis_run){ .at = at, .bytes = bytes, .pieces = 1 };
}
