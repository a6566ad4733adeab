/*
 * The ports of a hub, a row each: parameters, paths, labels of signals, statistics, rings and what
 * analyses of deadlock know follow from it. A chip has as many of them as its parameter `ports`
 * says, from the first one on, which is the host's.
 *
 * What comes in by a port goes straight on by its partner, and so they carry a ring; S joins rings
 * and is part of none. BOARD: the partner is given, and a key `date_line.*`, stored with the port
 * in the last column, holds for both. FREE: the partner is a default, and both are keys of the
 * port.
 */
#ifndef HUB_PORTS_H
#define HUB_PORTS_H

#include "machine/kind.h"

SIM_BEGIN_DECLS

/* clang-format off */
/*       port  role    gen lanes  rings  partner  date line */
#define HUB_PORTS(ROW) \
    ROW(n, ENDPOINT, 2, 8, BOARD, NONE, n) \
    ROW(e, ENDPOINT, 2, 8, BOARD, w,    e) \
    ROW(w, ROOT,     2, 8, BOARD, e,    e) \
    ROW(s, ENDPOINT, 2, 8, BOARD, NONE, s) \
    ROW(a, ENDPOINT, 2, 8, BOARD, b,    a) \
    ROW(b, ROOT,     2, 8, BOARD, a,    a) \
    ROW(c, ENDPOINT, 2, 8, FREE,  d,    c) \
    ROW(d, ROOT,     2, 8, FREE,  c,    d) \
    ROW(f, ENDPOINT, 2, 8, FREE,  g,    f) \
    ROW(g, ROOT,     2, 8, FREE,  f,    g) \
    ROW(h, ENDPOINT, 2, 8, FREE,  i,    h) \
    ROW(i, ROOT,     2, 8, FREE,  h,    i)
/* clang-format on */

enum {
#define PORT_INDEX(port, ...) HUB_PORT_##port,
    HUB_PORTS(PORT_INDEX)
#undef PORT_INDEX
        HUB_MAX_PORTS,
    HUB_PORT_NONE = HUB_MAX_PORTS,
    HUB_HOST = HUB_PORT_n,
    HUB_FIRST_FREE = HUB_PORT_c
};

struct hub_config;

extern const char *const hub_port_names[]; /* NULL at the end */

/** HUB_PORT_NONE: there is none of this name. */
uint32_t hub_port_find(const char *name);
/** By which packets go straight on that came in by this port; HUB_PORT_NONE: it carries no ring. */
uint32_t hub_port_partner(const struct hub_config *cfg, uint32_t port);
/** Have packets that go on by this port passed the date line of their ring? */
bool hub_port_date_line(const struct hub_config *cfg, uint32_t port);
/** Partners name each other. */
int hub_check_rings(const char *path, const struct hub_config *cfg, struct sim_error *err);
/** See struct machine_kind. */
struct machine_ring hub_ring(const void *config, const char *port);

SIM_END_DECLS
#endif
