/*
 * From marks to slices. A mark ends a slice that began at the latest of its causes, so the last
 * marks are kept: when they were, and what decided that. When a poll has seen bytes, its causes are
 * followed back to the store that began it all: that is an arrow. What is older than the marks that
 * are kept begins no slice, and an arrow begins at the oldest of them.
 */
#include "observe/timeline_impl.h"

#include "pcie/tlp/packet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARROW_POINTS 512u
#define PACKET_NAME  64u

/* ---- what marks mean ------------------------------------------------------------------- */

/** Kinds of stages have tracks where their time is not shown by others, nor a constant of the way.
 */
static enum track_group group_of_kind(enum sim_stage_kind kind)
{
    switch (kind) {
    case SIM_KIND_HARD_IP:
    case SIM_KIND_CABLE:
    case SIM_KIND_HUB:
    case SIM_KIND_ROOT_COMPLEX:
    case SIM_KIND_ARBITER:
    case SIM_KIND_DMA:
    case SIM_KIND_NOTIFICATION:
    case SIM_KIND_REPLAY:
    case SIM_KIND_SERIALISATION:
    case SIM_KIND_CPU:
        return TRACK_NONE;
    default:
        return TRACK_KIND;
    }
}

static enum track_group group_of(const struct sim_stage *s)
{
    switch (s->use) {
    case SIM_STAGE_STEP:
        return TRACK_CORE;
    case SIM_STAGE_WIRE:
        return TRACK_WIRE;
    case SIM_STAGE_QUEUE:
    case SIM_STAGE_LINK:
    case SIM_STAGE_READ:
        return TRACK_NONE;
    default:
        return group_of_kind(s->kind);
    }
}

/** Somebody who waits for bytes sees them. */
static bool is_poll(const struct sim_stage *s)
{
    return s->use == SIM_STAGE_READ || (s->use == SIM_STAGE_STEP && s->kind == SIM_KIND_POLL);
}

static struct timeline_mark *mark_place(const struct observe_timeline *t, uint64_t id)
{
    return &t->mark[id % TIMELINE_MARKS];
}

/** NULL: it is not kept, or none. */
static const struct timeline_mark *mark_at(const struct observe_timeline *t, uint64_t id)
{
    bool kept = id != 0 && id <= t->marks && t->marks - id < TIMELINE_MARKS;

    return kept ? mark_place(t, id) : NULL;
}

/* ---- causes ------------------------------------------------------------------------------ */

/** The last write to what `m` has read; 0: none is known. */
static uint64_t writer_of(const struct observe_timeline *t, const struct sim_mark *m)
{
    uint64_t oldest = t->writes > TIMELINE_WRITES ? t->writes - TIMELINE_WRITES : 0;

    for (uint64_t i = t->writes; i-- > oldest;) {
        const struct timeline_write *w = &t->write[i % TIMELINE_WRITES];

        if (w->where == m->where && w->time <= m->time && w->addr < m->addr + m->bytes &&
            m->addr < w->addr + w->bytes)
            return w->id;
    }
    return 0;
}

static void keep_write(struct observe_timeline *t, const struct sim_mark *m, uint64_t id)
{
    t->write[t->writes++ % TIMELINE_WRITES] = (struct timeline_write){
        .where = m->where, .addr = m->addr, .bytes = m->bytes, .id = id, .time = m->time
    };
}

/** The cause that decided; 0: none is kept. */
static uint64_t cause_of(const struct observe_timeline *t, const struct sim_mark *m)
{
    uint64_t last = 0;
    sim_time_t time = 0;

    if (m->stage->use == SIM_STAGE_READ && (last = writer_of(t, m)) != 0)
        return last;
    for (unsigned i = 0; i < SIM_CAUSES; i++) {
        const struct timeline_mark *c = mark_at(t, m->cause[i]);

        if (c != NULL && c->time <= m->time && (last == 0 || c->time > time)) {
            last = m->cause[i];
            time = c->time;
        }
    }
    return last;
}

/* ---- slices -------------------------------------------------------------------------------- */

uint32_t timeline_slice(struct observe_timeline *t, uint32_t track, const char *name,
                        const char *category, sim_time_t from, sim_time_t to, const char *detail)
{
    if (track != 0 && from >= to)
        return track;
    if (track != 0)
        track = tracks_take(&t->tracks, track, from, to);
    if (track == 0)
        t->nomem = true;
    else
        trace_slice(&t->trace, track_of(&t->tracks, track)->thread, name, category, from, to,
                    detail);
    return track;
}

/** A step of a program; before it the program may have waited for others. */
static uint32_t core_slice(struct observe_timeline *t, const struct sim_mark *m, sim_time_t from)
{
    uint32_t track = tracks_at(&t->tracks, m->where, TRACK_CORE, NULL);
    sim_time_t before = track != 0 ? track_of(&t->tracks, track)->end : 0;

    from = sim_max(from, before);
    if (before != 0)
        (void)timeline_slice(t, track, is_poll(m->stage) ? "polling" : "waiting", "waiting", before,
                             from, NULL);
    track = timeline_slice(t, track, m->stage->name, sim_stage_kind_name(m->stage->kind), from,
                           m->time, m->stage->meaning);
    if (track != 0) /* after a step that took no time as well */
        track_of(&t->tracks, track)->end = m->time;
    return track;
}

static uint32_t mark_slice(struct observe_timeline *t, const struct sim_mark *m,
                           enum track_group group, sim_time_t from)
{
    const char *kind = sim_stage_kind_name(m->stage->kind);

    switch (group) {
    case TRACK_CORE:
        return core_slice(t, m, from);
    case TRACK_WIRE: /* take_packet() has made the slice */
        return tracks_at(&t->tracks, m->where, TRACK_WIRE, "?");
    case TRACK_KIND:
        return timeline_slice(t, tracks_at(&t->tracks, m->where, TRACK_KIND, kind), m->stage->name,
                              kind, from, m->time, m->stage->meaning);
    default:
        return 0;
    }
}

/* ---- packets ---- */

/** @return its category */
static const char *tlp_name(const struct pcie_tlp *tlp, char name[PACKET_NAME])
{
    static const struct {
        const char *name, *category;
    } kinds[PCIE_KINDS] = {
        [PCIE_MRD] = { "MRd", "read" },
        [PCIE_MWR] = { "MWr", "write" },
        [PCIE_CFGRD0] = { "CfgRd0", "configuration" },
        [PCIE_CFGWR0] = { "CfgWr0", "configuration" },
        [PCIE_CFGRD1] = { "CfgRd1", "configuration" },
        [PCIE_CFGWR1] = { "CfgWr1", "configuration" },
        [PCIE_MSG] = { "Msg", "message" },
        [PCIE_MSGD] = { "MsgD", "message" },
        [PCIE_CPL] = { "Cpl", "completion" },
        [PCIE_CPLD] = { "CplD", "completion" },
        [PCIE_IORD] = { "IORd", "read" },
        [PCIE_IOWR] = { "IOWr", "write" },
    };

    snprintf(name, PACKET_NAME, "%s %u B", kinds[tlp->kind].name, tlp->length_dw * 4u);
    return kinds[tlp->kind].category;
}

static const char *dllp_name(const struct pcie_dllp *dllp, char name[PACKET_NAME])
{
    static const char *const classes[] = { "P", "NP", "Cpl" };
    const char *type = dllp->type == PCIE_DLLP_ACK        ? "Ack"
                       : dllp->type == PCIE_DLLP_NAK      ? "Nak"
                       : dllp->type == PCIE_DLLP_INITFC1  ? "InitFC1"
                       : dllp->type == PCIE_DLLP_INITFC2  ? "InitFC2"
                       : dllp->type == PCIE_DLLP_UPDATEFC ? "UpdateFC"
                                                          : "DLLP";

    if (pcie_dllp_is_flow_control(dllp->type))
        snprintf(name, PACKET_NAME, "%s-%s%s", type, classes[dllp->cls],
                 dllp->vc != 0 ? " VC1" : "");
    else
        snprintf(name, PACKET_NAME, "%s", type);
    return "DLLP";
}

static const char *packet_name(const struct pcie_packet *p, char name[PACKET_NAME])
{
    const char *category =
        p->packet.kind == SIM_PACKET_TLP ? tlp_name(p->tlp, name) : dllp_name(p->dllp, name);
    uint32_t flags = p->packet.flags;
    size_t n = strlen(name);

    if ((flags & (SIM_PACKET_LOST | SIM_PACKET_CORRUPT | SIM_PACKET_NULLIFIED)) != 0) {
        snprintf(name + n, PACKET_NAME - n, ", %s",
                 (flags & SIM_PACKET_LOST) != 0      ? "lost"
                 : (flags & SIM_PACKET_CORRUPT) != 0 ? "corrupt"
                                                     : "nullified");
        return "damaged";
    }
    return (flags & SIM_PACKET_REPLAY) != 0 ? "replay" : category;
}

/* ---- arrows ---------------------------------------------------------------------------------- */

struct point {
    uint32_t track;
    sim_time_t time;
};

/** From the step of mark `id` back to the step that began it. @return how many points; 0: it was no
 * poll, or nothing came from outside */
static unsigned collect_points(const struct observe_timeline *t, uint64_t id, struct point *points)
{
    const struct timeline_mark *m = mark_at(t, id);
    unsigned n = 0, wires = 0;
    bool poll = false;

    for (; m != NULL && n < ARROW_POINTS; m = mark_at(t, m->cause)) {
        poll |= m->poll;
        wires += m->wire;
        if (m->track != 0 && (m->wire || n == 0))
            points[n++] = (struct point){ m->track, m->from };
        else if (m->step) { /* what came before the store: there that began */
            points[n++] = (struct point){ m->track, m->time };
            break;
        }
    }
    return poll && wires != 0 ? n : 0;
}

static void draw_arrow(struct observe_timeline *t, uint64_t id)
{
    struct point points[ARROW_POINTS];
    unsigned n = collect_points(t, id, points);

    if (n < 2)
        return;
    t->arrows++;
    for (unsigned i = n; i-- > 0;) {
        enum trace_flow what = i == n - 1 ? TRACE_FLOW_BEGIN
                               : i == 0   ? TRACE_FLOW_END
                                          : TRACE_FLOW_STEP;

        trace_arrow(&t->trace, what, t->arrows, track_of(&t->tracks, points[i].track)->thread,
                    points[i].time);
    }
}

/* ---- the probe ---- */

static uint64_t take_mark(void *arg, const struct sim_mark *mark)
{
    struct observe_timeline *t = arg;
    enum track_group group = group_of(mark->stage);
    uint64_t cause = cause_of(t, mark), id = ++t->marks;
    const struct timeline_mark *decided = mark_at(t, cause);
    struct timeline_mark m = { .time = mark->time,
                               .from = decided != NULL ? decided->time : mark->time,
                               .cause = cause,
                               .step = group == TRACK_CORE,
                               .wire = group == TRACK_WIRE,
                               .poll = is_poll(mark->stage) };

    if (decided != NULL || m.step)
        m.track = mark_slice(t, mark, group, m.from);
    *mark_place(t, id) = m;
    t->last = sim_max(t->last, mark->time);
    if (mark->stage->use == SIM_STAGE_WROTE)
        keep_write(t, mark, id);
    if (m.step && decided != NULL && !decided->step)
        draw_arrow(t, id);
    return id;
}

static void take_stall(void *arg, const struct sim_stall *stall)
{
    static const char *const causes[SIM_STALL_CAUSES] = {
        [SIM_STALL_CREDIT] = "no credit",     [SIM_STALL_REPLAY] = "replay",
        [SIM_STALL_DOWN] = "link down",       [SIM_STALL_LINK] = "link busy",
        [SIM_STALL_ARBITER] = "arbiter",      [SIM_STALL_ORDER] = "ordering",
        [SIM_STALL_TAG] = "no tag or window", [SIM_STALL_MEMORY] = "memory",
    };
    struct observe_timeline *t = arg;

    if (stall->cause == SIM_STALL_LINK) /* what it carries is there to be seen */
        return;
    (void)timeline_slice(t, tracks_at(&t->tracks, stall->where, TRACK_STALL, stall->side),
                         causes[stall->cause], "stall", stall->from, stall->to, NULL);
}

static void take_packet(void *arg, const struct sim_packet *packet)
{
    struct observe_timeline *t = arg;
    char name[PACKET_NAME];
    const char *category = packet_name(pcie_packet_of(packet), name);

    (void)timeline_slice(t, tracks_at(&t->tracks, packet->where, TRACK_WIRE, packet->toward), name,
                         category, packet->begin, packet->end, NULL);
}

struct observe_timeline *observe_timeline_create(const struct observe_sink *sink,
                                                 struct observe_fan *fan)
{
    struct observe_timeline *t = calloc(1, sizeof(*t));

    if (t == NULL)
        return NULL;
    t->mark = calloc(TIMELINE_MARKS, sizeof(*t->mark));
    t->write = calloc(TIMELINE_WRITES, sizeof(*t->write));
    if (t->mark == NULL || t->write == NULL) {
        observe_timeline_destroy(t);
        return NULL;
    }
    t->levels.size = sizeof(struct timeline_level);
    t->tracks.trace = &t->trace;
    trace_begin(&t->trace, sink);
    /* No holds: stalls are shown instead, one for each picosecond. */
    observe_fan_add(fan, &(struct sim_probe){ .mark = take_mark,
                                              .level = timeline_level,
                                              .packet = take_packet,
                                              .stall = take_stall,
                                              .arg = t });
    return t;
}

void observe_timeline_destroy(struct observe_timeline *t)
{
    if (t == NULL)
        return;
    timeline_levels_fini(t);
    tracks_fini(&t->tracks);
    free(t->mark);
    free(t->write);
    free(t);
}

int observe_timeline_finish(struct observe_timeline *t)
{
    bool written;

    timeline_levels_end(t);
    written = trace_end(&t->trace);
    if (t->nomem)
        return SIM_ERR_NOMEM;
    return written ? SIM_OK : SIM_ERR_IO;
}
