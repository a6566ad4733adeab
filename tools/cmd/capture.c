/* hubsim capture: what a file of --pcap holds, for those who have no tshark at hand. */
#define _POSIX_C_SOURCE 200809L
#include "observe/capture_read.h"
#include "pcie/tlp/dllp.h"
#include "pcie/tlp/lcrc.h"
#include "tools/cmd/session.h"
#include "tools/load/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is counted of each port. */
enum {
    POSTED,
    NONPOSTED,
    COMPLETION,
    DATA_BYTES,
    ACK,
    NAK,
    FLOW_CONTROL,
    OTHER,
    REPLAYED,
    NULLIFIED,
    CORRUPTED,
    LOST,
    COUNTS
};

enum { PORT, FIRST_COUNT, BUSY = FIRST_COUNT + COUNTS };

struct port {
    const char *name;
    uint64_t counts[COUNTS];
    sim_time_t busy;
};

struct summary {
    struct load_arena *arena;
    unsigned n, room;
    struct port *ports;
    sim_time_t first, last;
};

static void add_port(void *arg, uint32_t number, const char *name)
{
    struct summary *s = arg;

    (void)number;
    s->ports = load_grow(s->arena, s->ports, s->n, &s->room, sizeof(*s->ports));
    s->ports[s->n++] = (struct port){ .name = load_text(s->arena, "%s", name) };
}

static void count_tlp(struct port *port, const struct observe_captured *p)
{
    static const uint8_t of_class[PCIE_CLASSES] = { [PCIE_POSTED] = POSTED,
                                                    [PCIE_NONPOSTED] = NONPOSTED,
                                                    [PCIE_COMPLETION] = COMPLETION,
                                                    [PCIE_POSTED_VC1] = POSTED };
    struct pcie_tlp tlp;
    bool has_data;

    if (p->nbytes < PCIE_SEQ_BYTES + PCIE_LCRC_BYTES ||
        pcie_tlp_decode(p->bytes + PCIE_SEQ_BYTES, p->nbytes - PCIE_SEQ_BYTES - PCIE_LCRC_BYTES,
                        &tlp, &has_data, NULL) < 0) {
        port->counts[OTHER]++;
        return;
    }
    port->counts[of_class[pcie_tlp_class(&tlp)]]++;
    port->counts[DATA_BYTES] += has_data ? tlp.length_dw * UINT64_C(4) : 0;
}

static void count_dllp(struct port *port, const struct observe_captured *p)
{
    struct pcie_dllp dllp;

    if (p->nbytes != PCIE_DLLP_BYTES || pcie_dllp_decode(p->bytes, &dllp) != PCIE_DLLP_GOOD)
        port->counts[OTHER]++;
    else if (pcie_dllp_is_flow_control(dllp.type))
        port->counts[FLOW_CONTROL]++;
    else
        port->counts[dllp.type == PCIE_DLLP_ACK ? ACK : dllp.type == PCIE_DLLP_NAK ? NAK : OTHER]++;
}

static void count_packet(void *arg, const struct observe_captured *p)
{
    struct summary *s = arg;
    struct port *port = &s->ports[p->interface];

    if (p->kind == SIM_PACKET_TLP)
        count_tlp(port, p);
    else
        count_dllp(port, p);
    port->counts[REPLAYED] += (p->flags & SIM_PACKET_REPLAY) != 0;
    port->counts[NULLIFIED] += (p->flags & SIM_PACKET_NULLIFIED) != 0;
    port->counts[CORRUPTED] += (p->flags & SIM_PACKET_CORRUPT) != 0;
    port->counts[LOST] += (p->flags & SIM_PACKET_LOST) != 0;
    port->busy += p->end - p->begin;
    s->first = p->begin < s->first ? p->begin : s->first;
    s->last = p->end > s->last ? p->end : s->last;
}

static void print_summary(const struct summary *s, enum lab_format format)
{
    double span = s->last > s->first ? (double)(s->last - s->first) : 1;
    struct lab_table table;

    lab_table_begin(&table, "port, posted#, nonposted#, completion#, data_bytes#, ack#, nak#, fc#, "
                            "other#, replayed#, nullified#, corrupted#, lost#, busy_pct#");
    for (unsigned i = 0; i < s->n; i++) {
        unsigned row = lab_table_add(&table);

        lab_table_set(&table, row, PORT, "%s", s->ports[i].name);
        for (unsigned k = 0; k < COUNTS; k++)
            lab_table_set(&table, row, FIRST_COUNT + k, "%" PRIu64, s->ports[i].counts[k]);
        lab_table_set(&table, row, BUSY, "%.2f", 100 * (double)s->ports[i].busy / span);
    }
    cmd_print_table(&table, format);
}

static void *map_file(const char *path, size_t *n_p)
{
    struct stat st = { 0 };
    void *bytes = MAP_FAILED;
    int fd = load_file_open(path), error;

    if (fstat(fd, &st) == 0 && st.st_size > 0)
        bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    error = errno;
    (void)close(fd);
    if (st.st_size == 0)
        load_raise(SIM_ERR_CONFIG, "%s: empty: expected a file of --pcap", path);
    if (bytes == MAP_FAILED)
        load_raise(SIM_ERR_IO, "%s: %s", path, strerror(error));
    *n_p = (size_t)st.st_size;
    return bytes;
}

struct options {
    struct cmd_common common;
    const char *file;
};

static void capture(struct cmd_session *session)
{
    const struct options *opt = session->options;
    struct summary s = { .arena = &session->arena, .first = SIM_TIME_NEVER };
    struct sim_error why = { 0 };
    size_t n;
    void *bytes = map_file(opt->file, &n);
    int code = observe_capture_read(
        bytes, n, &(struct observe_capture_visitor){ add_port, count_packet, &s }, &why);

    (void)munmap(bytes, n);
    if (code != SIM_OK)
        load_raise(code, "%s: %s", opt->file, why.text);
    print_summary(&s, opt->common.format);
}

const struct cmd_command cmd_capture = {
    .usage = {
            .words = "FILE",
            .about = "Sums up a capture that --pcap has written: for each port the TLPs it has sent by "
                     "class, their data, its DLLPs, what befell them, and how long its wire was busy "
                     "of the time from the first packet of the file to the end of the last.",
            .options = { { cmd_format_options, 0 } },
            CMD_ONE_WORD("FILE", file),
            .none = "expected a file that --pcap has written",
    },
    .size = sizeof(struct options),
    .run = capture,
};
