#include "tools/lab/watch/watch.h"

#include "observe/timeline.h"
#include "observe/usage.h"
#include "tools/lab/format/line.h"
#include "tools/lab/format/out.h"
#include "tools/lab/watch/fst.h"
#include "tools/lab/watch/pcap.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <zlib.h>

struct lab_watch {
    struct load_arena arena; /* in which it lives */
    struct sim_error *err;   /* what went wrong in completing files; NULL: not asked for */
    struct observe_fan fan;
    const struct lab_watch_options *opt;
    struct observe_timeline *timeline;
    gzFile timeline_file;
    int timeline_code; /* error number of its first write that failed, or 0 */
    struct observe_waves *waves;
    struct lab_fst *waves_file;
    struct observe_usage *usage;
    struct lab_pcap *pcap;
};

bool lab_watch_wanted(const struct lab_watch_options *opt)
{
    return opt->timeline != NULL || opt->waves != NULL || opt->pcap != NULL;
}

void lab_watch_claim(const struct lab_watch_options *opt, struct lab_claims *claims)
{
    lab_claims_add(claims, "--timeline", opt->timeline);
    lab_claims_add(claims, "--waves", opt->waves);
    lab_claims_add(claims, "--pcap", opt->pcap);
}

/* ---- timeline -------------------------------------------------------------------------------- */

static void note_timeline(struct lab_watch *w)
{
    if (w->timeline_code == 0)
        w->timeline_code = errno != 0 ? errno : EIO;
}

static bool write_gzip(void *arg, const void *bytes, size_t n)
{
    struct lab_watch *w = arg;

    if (gzwrite(w->timeline_file, bytes, (unsigned)n) == (int)n)
        return true;
    note_timeline(w);
    return false;
}

static void open_timeline(struct lab_watch *w)
{
    const char *path = w->opt->timeline;

    /* Level 1: six times as fast as the default for a fifth more bytes. */
    w->timeline_file = gzdopen(lab_out_create(path), "wb1");
    SIM_ASSERT(w->timeline_file != NULL);
    (void)gzbuffer(w->timeline_file, 1u << 17);
    w->timeline =
        observe_timeline_create(&(struct observe_sink){ .write = write_gzip, .arg = w }, &w->fan);
    if (w->timeline == NULL)
        load_raise(SIM_ERR_NOMEM, "%s: out of memory", path);
}

static void close_timeline(struct lab_watch *w)
{
    const char *path = w->opt->timeline;
    int rc = w->timeline != NULL ? observe_timeline_finish(w->timeline) : SIM_OK;

    observe_timeline_destroy(w->timeline);
    if (w->timeline_file != NULL && gzclose(w->timeline_file) != Z_OK)
        note_timeline(w);
    if (rc == SIM_ERR_NOMEM)
        (void)sim_error_set(w->err, rc, "%s: out of memory", path);
    else if (w->timeline_code != 0)
        (void)sim_error_set(w->err, SIM_ERR_IO, "%s: writing failed: %s", path,
                            strerror(w->timeline_code));
}

/* ---- waves ---- */

static void open_waves(struct lab_watch *w)
{
    struct observe_wave_writer writer;

    w->waves_file = lab_fst_open(w->opt->waves);
    writer = lab_fst_writer(w->waves_file);
    w->waves = observe_waves_create(&writer, &w->fan);
    if (w->waves == NULL)
        load_raise(SIM_ERR_NOMEM, "%s: out of memory", w->opt->waves);
}

static void close_waves(struct lab_watch *w)
{
    int rc = w->waves != NULL ? observe_waves_finish(w->waves) : SIM_OK;

    if (rc != SIM_OK)
        (void)sim_error_set(w->err, rc, "%s: out of memory", w->opt->waves);
    observe_waves_destroy(w->waves);
    if (w->waves_file != NULL)
        lab_fst_close(w->waves_file, w->err);
}

/* ---- use of links ---------------------------------------------------------------------------- */

static void open_usage(struct lab_watch *w)
{
    w->usage = observe_usage_create(w->opt->usage_window_ps, &w->fan);
    if (w->usage == NULL)
        load_raise(SIM_ERR_NOMEM, "use of links: out of memory");
}

static void write_window(void *arg, const struct observe_window *window)
{
    lab_line_write(arg, LAB_LINE_USAGE, "place=%s side=%s from_ps=%" PRIu64 " to_ps=%" PRIu64,
                   window->where, window->side, window->from, window->to);
    for (unsigned use = 0; use < OBSERVE_USES; use++)
        (void)fprintf(arg, " %s_ps=%" PRIu64, observe_use_name(use), window->ps[use]);
    (void)fputc('\n', arg);
}

void lab_watch_report(const struct lab_watch *watch, sim_time_t end, FILE *out)
{
    if (watch->usage != NULL)
        load_check(observe_usage_each(watch->usage, end, write_window, out, load_error()));
}

/* ---- all of them ---- */

static void close_all(void *watch)
{
    struct lab_watch *w = watch;

    close_timeline(w);
    close_waves(w);
    if (w->pcap != NULL)
        lab_pcap_close(w->pcap, w->err);
    observe_usage_destroy(w->usage);
}

void lab_watch_check(const struct lab_watch_options *opt, const struct machine_desc *desc)
{
    if (opt->pcap != NULL)
        lab_pcap_check(opt->pcap, opt->pcap_links, desc);
}

struct lab_watch *lab_watch_open(const struct lab_watch_options *opt, const struct sim_probe *also)
{
    struct load_arena arena = { 0 };
    struct lab_watch *w = load_own(&arena, close_all, load_alloc(&arena, sizeof(*w)));

    w->arena = arena;
    w->opt = opt;
    if (also != NULL)
        observe_fan_add(&w->fan, also);
    if (opt->timeline != NULL)
        open_timeline(w);
    if (opt->waves != NULL)
        open_waves(w);
    if (opt->usage)
        open_usage(w);
    if (opt->pcap != NULL)
        w->pcap = lab_pcap_open(opt->pcap, opt->pcap_links, &w->fan);
    return w;
}

const struct sim_probe *lab_watch_probe(const struct lab_watch *watch)
{
    return observe_fan_probe(&watch->fan);
}

void lab_watch_close(struct lab_watch *watch)
{
    struct sim_error err = { 0 };

    watch->err = &err;
    load_arena_fini(&watch->arena);
    if (err.code != SIM_OK)
        load_raise(err.code, "%s", err.text);
}
