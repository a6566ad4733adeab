/* The proof that routes lead where they should: a walk from each hub to each other one. */
#include "machine/network.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum state { UNSEEN, ON_WAY, ARRIVES };

struct walk {
    struct machine_network net;
    const struct machine_routes *routes;
    enum state *state; /* by router, for the present destination */
};

const char *machine_routes_port(const struct machine_routes *routes, unsigned slot)
{
    for (unsigned i = 0; i < routes->nranges; i++)
        if (slot >= routes->ranges[i].first && slot <= routes->ranges[i].last)
            return routes->ranges[i].port;
    return NULL;
}

static const char *path_of(const struct walk *w, unsigned router)
{
    return w->net.graph->routers[router].path;
}

/** The hop by hand from `at` to `to`; NULL: there is none. */
static const struct machine_hop *by_hand(const struct walk *w, unsigned at, unsigned to)
{
    const struct machine_policy *p = &w->net.graph->policy;

    for (unsigned i = 0; i < p->nhops; i++)
        if (p->hops[i].at == at && p->hops[i].to == to)
            return &p->hops[i];
    return NULL;
}

/** Headed by the place of the hop by hand at `at`, else by that of the policy. */
static int fail_hop(const struct walk *w, unsigned at, unsigned to, const char *text,
                    struct sim_error *err)
{
    const struct machine_hop *hop = by_hand(w, at, to);
    const char *file = hop != NULL ? hop->file : w->net.graph->policy.file;
    unsigned line = hop != NULL ? hop->line : w->net.graph->policy.line;

    return sim_error_set_at(err, SIM_ERR_CONFIG, file, line, "%s", text);
}

static int report_loss(const struct walk *w, unsigned from, unsigned at, unsigned to,
                       struct sim_error *err)
{
    const char *port = machine_routes_port(&w->routes[at], w->routes[to].slot);
    char text[512];

    if (port == NULL)
        (void)snprintf(text, sizeof(text),
                       "%s: no port leads to %s (the route from %s): expected a route for each "
                       "pair that cables join",
                       path_of(w, at), path_of(w, to), path_of(w, from));
    else
        (void)snprintf(text, sizeof(text),
                       "%s.%s: what is for %s (the route from %s) ends at a port without a cable "
                       "to another hub",
                       path_of(w, at), port, path_of(w, to), path_of(w, from));
    return fail_hop(w, at, to, text, err);
}

/** The router behind the port that leads to part `slot`; MACHINE_NONE: there is none. */
static unsigned next_router(const struct walk *w, unsigned at, unsigned slot)
{
    const char *name = machine_routes_port(&w->routes[at], slot);
    unsigned port = name != NULL ? machine_network_port(&w->net, at, name) : MACHINE_NONE;

    return port < w->net.nports ? machine_network_far(&w->net, at, port)->router : MACHINE_NONE;
}

static int report_circle(const struct walk *w, unsigned start, unsigned to, struct sim_error *err)
{
    unsigned slot = w->routes[to].slot, at;
    char text[512];
    size_t used;

    /* It begins with a hop by hand, if there is one: that is the likely cause. */
    for (at = next_router(w, start, slot); at != start && by_hand(w, start, to) == NULL;
         at = next_router(w, at, slot))
        if (by_hand(w, at, to) != NULL)
            start = at;
    at = start;
    used = (size_t)snprintf(text, sizeof(text),
                            "%s.%s: the route to %s goes round for ever: ", path_of(w, start),
                            machine_routes_port(&w->routes[start], slot), path_of(w, to));
    do {
        if (used < sizeof(text))
            used += (size_t)snprintf(text + used, sizeof(text) - used, "%s.%s, ", path_of(w, at),
                                     machine_routes_port(&w->routes[at], slot));
        at = next_router(w, at, slot);
    } while (at != start);
    if (used < sizeof(text))
        (void)snprintf(text + used, sizeof(text) - used, "%s", path_of(w, start));
    return fail_hop(w, start, to, text, err);
}

static int walk_from(const struct walk *w, unsigned from, unsigned to, struct sim_error *err)
{
    unsigned at = from;

    while (w->state[at] == UNSEEN) {
        unsigned over = next_router(w, at, w->routes[to].slot);

        if (over == MACHINE_NONE)
            return report_loss(w, from, at, to, err);
        w->state[at] = ON_WAY;
        at = over;
    }
    if (w->state[at] == ON_WAY)
        return report_circle(w, at, to, err);
    for (at = from; w->state[at] == ON_WAY; at = next_router(w, at, w->routes[to].slot))
        w->state[at] = ARRIVES;
    return SIM_OK;
}

static int walk_all(const struct walk *w, struct sim_error *err)
{
    int code = SIM_OK;

    for (unsigned to = 0; to < w->net.n && code == SIM_OK; to++) {
        for (unsigned i = 0; i < w->net.n; i++)
            w->state[i] = i == to ? ARRIVES : UNSEEN;
        for (unsigned from = 0; from < w->net.n && code == SIM_OK; from++)
            if (w->routes[from].subcluster == w->routes[to].subcluster)
                code = walk_from(w, from, to, err);
    }
    return code;
}

int machine_routes_walk(const struct machine_graph *graph, const struct machine_routes *routes,
                        struct sim_error *err)
{
    struct walk w = { .routes = routes };
    int code = SIM_ERR_NOMEM;

    w.state = calloc(graph->nrouters + 1u, sizeof(*w.state));
    if (machine_network_init(&w.net, graph) && w.state != NULL)
        code = walk_all(&w, err);
    free(w.state);
    machine_network_fini(&w.net);
    return code;
}
