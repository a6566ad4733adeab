#include "observe/trace.h"

#include <stdio.h>
#include <string.h>

static void flush_buffer(struct trace *tr)
{
    if (!tr->failed && tr->n != 0)
        tr->failed = !tr->sink.write(tr->sink.arg, tr->buffer, tr->n);
    tr->n = 0;
}

/** Numbers and texts are put by hand, since a run makes millions of events. */
static void put_bytes(struct trace *tr, const char *text, size_t n)
{
    SIM_ASSERT(n <= TRACE_BUFFER);
    if (n > TRACE_BUFFER - tr->n)
        flush_buffer(tr);
    memcpy(tr->buffer + tr->n, text, n);
    tr->n += n;
}

static void put_raw(struct trace *tr, const char *text)
{
    put_bytes(tr, text, strlen(text));
}

/** With at least `digits` digits. */
static void put_number(struct trace *tr, uint64_t value, unsigned digits)
{
    char text[24];
    unsigned n = 0;

    while (value != 0 || n < digits) {
        text[sizeof(text) - ++n] = (char)('0' + value % 10);
        value /= 10;
    }
    put_bytes(tr, text + sizeof(text) - n, n);
}

/** A string with its quotes. */
static void put_text(struct trace *tr, const char *text)
{
    put_raw(tr, "\"");
    while (*text != '\0') {
        size_t plain = 0;

        while ((unsigned char)text[plain] >= 0x20 && text[plain] != '"' && text[plain] != '\\')
            plain++;
        put_bytes(tr, text, plain);
        text += plain;
        if (*text == '"' || *text == '\\') {
            put_raw(tr, "\\");
            put_bytes(tr, text++, 1);
        } else if (*text != '\0') {
            char code[8];

            snprintf(code, sizeof(code), "\\u%04x", (unsigned)(unsigned char)*text++);
            put_raw(tr, code);
        }
    }
    put_raw(tr, "\"");
}

static void put_field(struct trace *tr, const char *key, uint64_t value)
{
    put_raw(tr, key);
    put_number(tr, value, 1);
}

/** Microseconds. */
static void put_time(struct trace *tr, const char *key, sim_time_t time)
{
    put_field(tr, key, time / SIM_US);
    put_raw(tr, ".");
    put_number(tr, time % SIM_US, 6);
}

static void begin_event(struct trace *tr, char phase, uint32_t pid)
{
    put_raw(tr, tr->started ? ",\n{\"ph\":\"" : "{\"ph\":\"");
    put_bytes(tr, &phase, 1);
    put_field(tr, "\",\"pid\":", pid);
    tr->started = true;
}

void trace_begin(struct trace *tr, const struct observe_sink *sink)
{
    tr->sink = *sink;
    tr->n = 0;
    tr->failed = tr->started = false;
    tr->pids = tr->tids = 0;
    put_raw(tr, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
}

/** A name for what is shown, and where. */
static void put_metadata(struct trace *tr, const char *what, uint32_t pid, uint32_t tid,
                         const char *name, uint32_t sort)
{
    begin_event(tr, 'M', pid);
    put_field(tr, ",\"tid\":", tid);
    put_raw(tr, ",\"name\":\"");
    put_raw(tr, what);
    put_raw(tr, "_name\",\"args\":{\"name\":");
    put_text(tr, name);
    put_raw(tr, "}}");
    begin_event(tr, 'M', pid);
    put_field(tr, ",\"tid\":", tid);
    put_raw(tr, ",\"name\":\"");
    put_raw(tr, what);
    put_field(tr, "_sort_index\",\"args\":{\"sort_index\":", sort);
    put_raw(tr, "}}");
}

uint32_t trace_process(struct trace *tr, const char *name, uint32_t sort)
{
    put_metadata(tr, "process", ++tr->pids, 0, name, sort);
    return tr->pids;
}

struct trace_thread trace_thread(struct trace *tr, uint32_t pid, const char *name, uint32_t sort)
{
    put_metadata(tr, "thread", pid, ++tr->tids, name, sort);
    return (struct trace_thread){ pid, tr->tids };
}

void trace_slice(struct trace *tr, struct trace_thread thread, const char *name,
                 const char *category, sim_time_t from, sim_time_t to, const char *detail)
{
    begin_event(tr, 'X', thread.pid);
    put_field(tr, ",\"tid\":", thread.tid);
    put_time(tr, ",\"ts\":", from);
    put_time(tr, ",\"dur\":", to - from);
    put_raw(tr, ",\"name\":");
    put_text(tr, name);
    put_raw(tr, ",\"cat\":");
    put_text(tr, category);
    if (detail != NULL) {
        put_raw(tr, ",\"args\":{\"detail\":");
        put_text(tr, detail);
        put_raw(tr, "}");
    }
    put_raw(tr, "}");
}

void trace_arrow(struct trace *tr, enum trace_flow what, uint64_t id, struct trace_thread thread,
                 sim_time_t time)
{
    static const char phases[] = { 's', 't', 'f' };

    begin_event(tr, phases[what], thread.pid);
    put_field(tr, ",\"tid\":", thread.tid);
    put_time(tr, ",\"ts\":", time);
    put_field(tr, ",\"name\":\"message\",\"cat\":\"message\",\"id\":", id);
    put_raw(tr, what == TRACE_FLOW_END ? ",\"bp\":\"e\"}" : "}");
}

void trace_counter(struct trace *tr, uint32_t pid, const char *name, sim_time_t time,
                   uint64_t value)
{
    begin_event(tr, 'C', pid);
    put_time(tr, ",\"ts\":", time);
    put_raw(tr, ",\"name\":");
    put_text(tr, name);
    put_field(tr, ",\"args\":{\"value\":", value);
    put_raw(tr, "}}");
}

bool trace_end(struct trace *tr)
{
    put_raw(tr, "\n]}\n");
    flush_buffer(tr);
    return !tr->failed;
}
