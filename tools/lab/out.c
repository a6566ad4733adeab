#define _POSIX_C_SOURCE 200809L
#include "tools/lab/out.h"

#include "tools/load/value.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

int lab_out_folder(const char *path, struct sim_error *err)
{
    char part[1024];

    for (const char *p = path; *p != '\0';) {
        p += 1 + strcspn(p + 1, "/");
        (void)snprintf(part, sizeof(part), "%.*s", (int)(p - path), path);
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            return sim_error_set(err, SIM_ERR_IO, "%s: %s: expected a folder to write to", part,
                                 strerror(errno));
    }
    return SIM_OK;
}

int lab_out_open(const char *path, FILE **file_p, struct sim_error *err)
{
    *file_p = fopen(path, "w");
    if (*file_p != NULL)
        return SIM_OK;
    return sim_error_set(err, SIM_ERR_IO, "%s: %s: expected a writable file", path,
                         strerror(errno));
}

int lab_out_close(FILE *f, const char *path, struct sim_error *err)
{
    bool failed = ferror(f) != 0;

    if (fclose(f) != 0 || failed)
        return sim_error_set(err, SIM_ERR_IO, "%s: could not be written in full", path);
    return SIM_OK;
}

/* ---- the manifest -------------------------------------------------------------------- */

static void write_pair(FILE *f, const char *key, const char *value)
{
    (void)fprintf(f, "  \"%s\": ", key);
    lab_json_text(f, value);
    (void)fputs(",\n", f);
}

struct parameters {
    FILE *f;
    bool first;
};

static void write_value(void *arg, const char *path, const struct machine_value *value)
{
    struct parameters *p = arg;
    char text[128];

    (void)fprintf(p->f, "%s\n    \"%s%s%s\": ", p->first ? "" : ",", path,
                  path[0] != '\0' ? "." : "", value->param->key);
    p->first = false;
    (void)load_value_print(value->param, value->value, text, sizeof(text));
    if (value->param->choices != NULL)
        lab_json_text(p->f, text);
    else
        (void)fputs(text, p->f);
}

/** Parameters in force of each different machine, by "machine platform". */
static int write_machines(FILE *f, const struct lab_samples *samples,
                          const struct lab_evaluator *ev, const struct lab_site *site,
                          struct sim_error *err)
{
    bool first = true;
    int rc = SIM_OK;

    (void)fputs("  \"machines\": {", f);
    for (unsigned i = 0; i < samples->n && rc == SIM_OK; i++) {
        const struct lab_run *run = &samples->samples[i].machine_run;
        struct parameters p = { f, true };
        struct load_machine *machine;
        struct lab_run with_sets = *run;
        bool seen = run->machine == NULL;

        for (unsigned k = 0; k < i && !seen; k++) {
            const struct lab_run *other = &samples->samples[k].machine_run;

            seen = other->machine != NULL && strcmp(other->machine, run->machine) == 0 &&
                   strcmp(other->platform != NULL ? other->platform : "",
                          run->platform != NULL ? run->platform : "") == 0;
        }
        if (seen)
            continue;
        with_sets.sets = ev->sets;
        with_sets.nsets = ev->nsets;
        rc = lab_load_run(site, &with_sets, &machine, err);
        if (rc != SIM_OK)
            break;
        (void)fprintf(f, "%s\n  \"%s %s\": {", first ? "" : ",", run->machine,
                      run->platform != NULL ? run->platform : "-");
        first = false;
        load_machine_each(machine, write_value, &p);
        (void)fputs("\n  }", f);
        load_machine_destroy(machine);
    }
    (void)fputs("\n  },\n", f);
    return rc;
}

static void write_runs(FILE *f, const struct lab_samples *samples)
{
    bool first = true;

    (void)fputs("  \"runs\": [", f);
    for (unsigned i = 0; i < samples->n; i++) {
        const struct lab_sample *s = &samples->samples[i];

        if (s->run == NULL)
            continue;
        (void)fputs(first ? "\n    {\"run\": " : ",\n    {\"run\": ", f);
        first = false;
        lab_json_text(f, s->run);
        (void)fprintf(f, ", \"visible\": \"%016" PRIx64 "\", \"wire\": \"%016" PRIx64 "\"}",
                      s->visible, s->wire);
    }
    (void)fputs("\n  ]\n", f);
}

static int write_manifest(const char *path, const struct lab_experiment *exp,
                          const struct lab_samples *samples, const struct lab_evaluator *ev,
                          const struct lab_site *site, struct sim_error *err)
{
    FILE *f;
    int rc = lab_out_open(path, &f, err);

    if (rc != SIM_OK)
        return rc;
    (void)fputs("{\n", f);
    write_pair(f, "version", HUBSIM_VERSION);
    write_pair(f, "experiment", exp->name);
    (void)fprintf(f, "  \"seed\": %" PRIu64 ",\n  \"set\": [", ev->seed);
    for (unsigned i = 0; i < ev->nsets; i++) {
        (void)fputs(i > 0 ? ", " : "", f);
        lab_json_text(f, ev->sets[i]);
    }
    (void)fputs("],\n", f);
    rc = write_machines(f, samples, ev, site, err);
    write_runs(f, samples);
    (void)fputs("}\n", f);
    if (rc == SIM_OK)
        return lab_out_close(f, path, err);
    (void)fclose(f);
    return rc;
}

int lab_out_write(const char *dir, const struct lab_experiment *exp,
                  const struct lab_samples *samples, const struct lab_evaluator *ev,
                  const struct lab_site *site, struct sim_error *err)
{
    const char *csv = load_text(ev->arena, "%s/table.csv", dir);
    struct lab_table table;
    FILE *f;
    int rc = lab_out_folder(dir, err);

    if (rc == SIM_OK)
        rc = lab_out_open(csv, &f, err);
    if (rc != SIM_OK)
        return rc;
    lab_samples_table(samples, &table);
    lab_table_write(&table, LAB_CSV, f);
    lab_table_fini(&table);
    rc = lab_out_close(f, csv, err);
    if (rc == SIM_OK)
        rc = write_manifest(load_text(ev->arena, "%s/manifest.json", dir), exp, samples, ev, site,
                            err);
    return rc;
}
