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

    if (rc == SIM_ERR_NOMEM)
        (void)sim_error_set(err, rc, "%s: out of memory", pcap->path);
    else if (rc == SIM_ERR_CONFIG)
        (void)sim_error_set(err, rc,
                            "%s: a hub sends packets whose bytes come later: expected the kind "
                            "hub.c, or --pcap-links without its ports",
                            pcap->path);
    else if (code != 0)
        (void)sim_error_set(err, SIM_ERR_IO, "%s: writing failed: %s", pcap->path, strerror(code));
    else if (pcap->links != NULL && !pcap->matched)
        (void)sim_error_set(err, SIM_ERR_CONFIG,
                            "--pcap-links %s: matches no port that has sent, such as %s",
                            pcap->links, pcap->example);
    observe_capture_destroy(pcap->capture);
    free(pcap);
}
