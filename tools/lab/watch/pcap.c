#define _POSIX_C_SOURCE 200809L /* fnmatch */
#include "tools/lab/watch/pcap.h"

#include "observe/capture.h"
#include "tools/lab/format/writer.h"
#include "tools/load/arena.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lab_pcap {
    const char *path, *links;
    struct lab_writer *file;
    struct observe_capture *capture;
    bool matched;
    char example[128]; /* the first port that has sent */
};

static bool is_wanted(void *arg, const char *a, const char *b)
{
    struct lab_pcap *pcap = arg;
    bool yes = fnmatch(pcap->links, a, 0) == 0 || fnmatch(pcap->links, b, 0) == 0;

    pcap->matched |= yes;
    if (pcap->example[0] == '\0')
        (void)snprintf(pcap->example, sizeof(pcap->example), "%s", a);
    return yes;
}

/* ---- what cannot be captured ---- */

/** The links of a machine that `links` matches. */
struct choice {
    const char *path, *links;
    const struct machine_desc *desc;
};

static bool matches(const struct choice *c, unsigned node, const char *component, const char *port)
{
    char name[256];

    (void)snprintf(name, sizeof(name), "node%u.%s.%s", node, component, port);
    return c->links == NULL || fnmatch(c->links, name, 0) == 0;
}

static void check_end(const struct choice *c, unsigned node, const char *name)
{
    const struct machine_node_desc *nd = &c->desc->nodes[node];

    for (unsigned i = 0; i < nd->ncomponents; i++)
        if (nd->components[i].kind->late && strcmp(nd->components[i].name, name) == 0)
            load_raise(SIM_ERR_CONFIG,
                       "%s: node%u.%s: kind %s sends packets whose bytes come later: expected "
                       "hub.c, or --pcap-links without the links that it is at either end of",
                       c->path, node, name, nd->components[i].kind->name);
}

static void check_links(const struct choice *c, const struct machine_link_desc *links, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        const struct machine_link_desc *link = &links[i];

        if (!matches(c, link->node_a, link->component_a, link->port_a) &&
            !matches(c, link->node_b, link->component_b, link->port_b))
            continue;
        check_end(c, link->node_a, link->component_a);
        check_end(c, link->node_b, link->component_b);
    }
}

void lab_pcap_check(const char *path, const char *links, const struct machine_desc *desc)
{
    const struct choice choice = { path, links, desc };

    for (unsigned i = 0; i < desc->nnodes; i++)
        check_links(&choice, desc->nodes[i].links, desc->nodes[i].nlinks);
    check_links(&choice, desc->cables, desc->ncables);
}

/* ---- the capture ---- */

struct lab_pcap *lab_pcap_open(const char *path, const char *links, struct observe_fan *fan)
{
    struct lab_writer *file = lab_writer_open(path);
    struct lab_pcap *pcap = calloc(1, sizeof(*pcap));

    SIM_ASSERT(pcap != NULL);
    *pcap = (struct lab_pcap){ .path = path, .links = links, .file = file };
    pcap->capture = observe_capture_create(
        &(struct observe_capture_config){ .sink = { lab_writer_write, file },
                                          .program = "hubsim " HUBSIM_VERSION,
                                          .wanted = links != NULL ? is_wanted : NULL,
                                          .arg = pcap },
        fan);
    if (pcap->capture == NULL) {
        (void)lab_writer_close(file);
        free(pcap);
        load_raise(SIM_ERR_NOMEM, "%s: out of memory", path);
    }
    return pcap;
}

void lab_pcap_close(struct lab_pcap *pcap, struct sim_error *err)
{
    int rc = observe_capture_finish(pcap->capture), code = lab_writer_close(pcap->file);

    SIM_ASSERT(rc != SIM_ERR_CONFIG); /* see lab_pcap_check() */
    if (rc == SIM_ERR_NOMEM)
        (void)sim_error_set(err, rc, "%s: out of memory", pcap->path);
    else if (code != 0)
        (void)sim_error_set(err, SIM_ERR_IO, "%s: writing failed: %s", pcap->path, strerror(code));
    else if (pcap->links != NULL && !pcap->matched)
        (void)sim_error_set(err, SIM_ERR_CONFIG,
                            "--pcap-links %s: matches no port that has sent, such as %s",
                            pcap->links, pcap->example);
    observe_capture_destroy(pcap->capture);
    free(pcap);
}
