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
/*       port  role      rings  partner  date line */
#define HUB_PORTS(ROW) \
    ROW(n, ENDPOINT, BOARD, NONE, n) \
    ROW(e, ENDPOINT, BOARD, w,    e) \
    ROW(w, ROOT,     BOARD, e,    e) \
    ROW(s, ENDPOINT, BOARD, NONE, s) \
    ROW(a, ENDPOINT, BOARD, b,    a) \
    ROW(b, ROOT,     BOARD, a,    a) \
    ROW(c, ENDPOINT, FREE,  d,    c) \
    ROW(d, ROOT,     FREE,  c,    d) \
    ROW(f, ENDPOINT, FREE,  g,    f) \
    ROW(g, ROOT,     FREE,  f,    g) \
    ROW(h, ENDPOINT, FREE,  i,    h) \
    ROW(i, ROOT,     FREE,  h,    i)
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
/** The ports' own keys of the parameter table; and first parts of those that a chip rarely has. */
extern const struct machine_param hub_port_params[];
extern const char *const hub_port_spare[];

/** HUB_PORT_NONE: there is none of this name. */
uint32_t hub_port_find(const char *name);
/** By which packets go straight on that came in by this port; HUB_PORT_NONE: it carries no ring,
 * perhaps since the chip has too few ports for its partner. */
uint32_t hub_port_partner(const struct hub_config *cfg, uint32_t port);
/** Have packets that go on by this port passed the date line of their ring? */
bool hub_port_date_line(const struct hub_config *cfg, uint32_t port);
/** Partners name each other. `head` ("node0.hub.") begins a message. */
int hub_check_rings(const char *head, const struct hub_config *cfg, struct sim_error *err);
/** See struct machine_kind. */
struct machine_ring hub_ring(const void *config, const char *port);

SIM_END_DECLS
#endif
