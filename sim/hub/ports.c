#include "hub/ports.h"

#include "hub/hub.h"

#include <stdio.h>
#include <string.h>

#define NAME(port, ...) #port,
const char *const hub_port_names[] = { HUB_PORTS(NAME) NULL };

enum { BOARD, FREE };

static const struct {
    uint8_t rings, partner, date_line;
} rows[HUB_MAX_PORTS] = {
#define ROW(port, role, rings, partner, line) { rings, HUB_PORT_##partner, HUB_PORT_##line },
    HUB_PORTS(ROW)
};

/* clang-format off */
/* NOLINTBEGIN(bugprone-macro-parentheses): names of fields and ports */
#define RING_CHOICE(port, role, rings, ...) RING_CHOICE_##rings(port)
#define RING_CHOICE_BOARD(port)
#define RING_CHOICE_FREE(port) "|" #port
static const char ring_choices[] = "none" HUB_PORTS(RING_CHOICE);

#define FIELD(field, port) offsetof(struct hub_config, field[HUB_PORT_##port])
#define PORT_ROWS(port, role_, rings, partner, ...) \
    { #port ".role", "choice", 0, 1, HUB_##role_, FIELD(role, port), "Which end of the link this port is.", "endpoint|root" }, \
    PORT_ROWS_##rings(port, partner)
#define PORT_ROWS_BOARD(port, partner)
#define PORT_ROWS_FREE(port, partner) \
    { #port ".ring", "choice", 0, HUB_MAX_PORTS - HUB_FIRST_FREE, HUB_PORT_##partner - HUB_FIRST_FREE + 1, FIELD(ring, port), "The other port of its ring, by which packets go straight on that came in here.", ring_choices }, \
    { #port ".date_line", "1", 0, 1, 0, FIELD(date_line, port), "1: packets that go on by this port have passed the date line.", NULL },
const struct machine_param hub_port_params[] = { HUB_PORTS(PORT_ROWS) MACHINE_PARAM_END };

#define SPARE(port, role, rings, ...) SPARE_##rings(port)
#define SPARE_BOARD(port)
#define SPARE_FREE(port) #port,
const char *const hub_port_spare[] = { HUB_PORTS(SPARE) "weight", NULL };
/* NOLINTEND(bugprone-macro-parentheses) */
/* clang-format on */

uint32_t hub_port_find(const char *name)
{
    uint32_t p = 0;

    while (p < HUB_MAX_PORTS && strcmp(hub_port_names[p], name) != 0)
        p++;
    return p;
}

/* Whether or not the chip has that port. */
static uint32_t named_partner(const struct hub_config *cfg, uint32_t port)
{
    if (rows[port].rings == BOARD)
        return rows[port].partner;
    return cfg->ring[port] == 0 ? (uint32_t)HUB_PORT_NONE
                                : HUB_FIRST_FREE + (uint32_t)cfg->ring[port] - 1;
}

uint32_t hub_port_partner(const struct hub_config *cfg, uint32_t port)
{
    uint32_t partner = named_partner(cfg, port);

    return port < cfg->ports && partner < cfg->ports ? partner : (uint32_t)HUB_PORT_NONE;
}

bool hub_port_date_line(const struct hub_config *cfg, uint32_t port)
{
    return cfg->date_line[rows[port].date_line] != 0;
}

/* Of two rings that do not fit, the one that has been changed: defaults fit each other. */
static int refuse_ring(const char *head, const struct hub_config *cfg, uint32_t port,
                       uint32_t partner, struct sim_error *err)
{
    bool changed = partner != rows[port].partner;
    uint32_t at = changed ? port : partner, of = named_partner(cfg, at);
    const char *word = of == HUB_PORT_NONE ? "none" : hub_port_names[of];
    char key[32];

    (void)snprintf(key, sizeof(key), "%s.ring", hub_port_names[at]);
    if (changed)
        return sim_error_choice(err, SIM_ERR_CONFIG, head, key, cfg->ring[at], word,
                                "expected none, or a port whose ring is %s", hub_port_names[port]);
    return sim_error_choice(err, SIM_ERR_CONFIG, head, key, cfg->ring[at], word,
                            "expected %s, whose ring is %s", hub_port_names[port],
                            hub_port_names[partner]);
}

int hub_check_rings(const char *head, const struct hub_config *cfg, struct sim_error *err)
{
    for (uint32_t p = HUB_FIRST_FREE; p < cfg->ports; p++) {
        uint32_t partner = named_partner(cfg, p);

        if (partner != HUB_PORT_NONE && (partner == p || named_partner(cfg, partner) != p))
            return refuse_ring(head, cfg, p, partner, err);
    }
    return SIM_OK;
}

struct machine_ring hub_ring(const void *config, const char *port)
{
    const struct hub_config *cfg = config;
    uint32_t p = hub_port_find(port), partner;

    partner = p < HUB_MAX_PORTS ? hub_port_partner(cfg, p) : (uint32_t)HUB_PORT_NONE;
    if (partner == HUB_PORT_NONE)
        return (struct machine_ring){ NULL, false, false };
    return (struct machine_ring){ hub_port_names[partner], cfg->vc1_ph_credits != 0,
                                  hub_port_date_line(cfg, p) };
}
