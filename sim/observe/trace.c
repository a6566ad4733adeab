#include "observe/trace.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LONGEST_PIECE 512u

static void flush(struct trace *tr)
{
    if (!tr->failed && tr->n != 0)
        tr->failed = !tr->sink.write(tr->sink.arg, tr->buffer, tr->n);
    tr->n = 0;
}

static void put(struct trace *tr, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(struct trace *tr, const char *format, ...)
{
    va_list args;
    int n;

    if (TRACE_BUFFER - tr->n < LONGEST_PIECE)
        flush(tr);
    va_start(args, format);
    n = vsnprintf(tr->buffer + tr->n, LONGEST_PIECE, format, args);
    va_end(args);
    SIM_ASSERT(n >= 0 && (size_t)n < LONGEST_PIECE);
    tr->n += (size_t)n;
}

/** A string with its quotes. */
static void put_text(struct trace *tr, const char *text)
{
    put(tr, "\"");
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;

        if (c < 0x20)
            put(tr, "\\u%04x", c);
        else
            put(tr, c == '"' || c == '\\' ? "\\%c" : "%c", c);
    }
    put(tr, "\"");
}

/** Microseconds. */
static void put_time(struct trace *tr, const char *key, sim_time_t time)
{
    put(tr, ",\"%s\":%llu.%06u", key, (unsigned long long)(time / SIM_US),
        (unsigned)(time % SIM_US));
}

static void begin_event(struct trace *tr, const char *phase, uint32_t pid)
{
    put(tr, "%s{\"ph\":\"%s\",\"pid\":%u", tr->started ? ",\n" : "", phase, pid);
    tr->started = true;
}

void trace_begin(struct trace *tr, const struct observe_sink *sink)
{
    tr->sink = *sink;
    tr->n = 0;
    tr->failed = tr->started = false;
    tr->pids = tr->tids = 0;
    put(tr, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
}

/** A name for what is shown, and where. */
static void metadata(struct trace *tr, const char *what, uint32_t pid, uint32_t tid,
                     const char *name, uint32_t sort)
{
    begin_event(tr, "M", pid);
    put(tr, ",\"tid\":%u,\"name\":\"%s_name\",\"args\":{\"name\":", tid, what);
    put_text(tr, name);
    put(tr, "}}");
    begin_event(tr, "M", pid);
    put(tr, ",\"tid\":%u,\"name\":\"%s_sort_index\",\"args\":{\"sort_index\":%u}}", tid, what,
        sort);
}

uint32_t trace_process(struct trace *tr, const char *name, uint32_t sort)
{
    metadata(tr, "process", ++tr->pids, 0, name, sort);
    return tr->pids;
}

struct trace_thread trace_thread(struct trace *tr, uint32_t pid, const char *name, uint32_t sort)
{
    metadata(tr, "thread", pid, ++tr->tids, name, sort);
    return (struct trace_thread){ pid, tr->tids };
}

void trace_slice(struct trace *tr, struct trace_thread thread, const char *name,
                 const char *category, sim_time_t from, sim_time_t to, const char *detail)
{
    begin_event(tr, "X", thread.pid);
    put(tr, ",\"tid\":%u", thread.tid);
    put_time(tr, "ts", from);
    put_time(tr, "dur", to - from);
    put(tr, ",\"name\":");
    put_text(tr, name);
    put(tr, ",\"cat\":");
    put_text(tr, category);
    if (detail != NULL) {
        put(tr, ",\"args\":{\"detail\":");
        put_text(tr, detail);
        put(tr, "}");
    }
    put(tr, "}");
}

void trace_arrow(struct trace *tr, enum trace_flow what, uint64_t id, struct trace_thread thread,
                 sim_time_t time)
{
    static const char *const phases[] = { "s", "t", "f" };

    begin_event(tr, phases[what], thread.pid);
    put(tr, ",\"tid\":%u", thread.tid);
    put_time(tr, "ts", time);
    put(tr, ",\"name\":\"message\",\"cat\":\"message\",\"id\":%llu%s}", (unsigned long long)id,
        what == TRACE_FLOW_END ? ",\"bp\":\"e\"" : "");
}

void trace_counter(struct trace *tr, uint32_t pid, const char *name, sim_time_t time,
                   uint64_t value)
{
    begin_event(tr, "C", pid);
    put_time(tr, "ts", time);
    put(tr, ",\"name\":");
    put_text(tr, name);
    put(tr, ",\"args\":{\"value\":%llu}}", (unsigned long long)value);
}

bool trace_end(struct trace *tr)
{
    put(tr, "\n]}\n");
    flush(tr);
    return !tr->failed;
}
