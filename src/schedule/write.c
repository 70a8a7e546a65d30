/* write.c - a schedule as text: SCH1. */
#include "schedule/schedule.h"

#include <inttypes.h>
#include <string.h>

static void write_thread(ebb_buf *out, uint32_t thread)
{
    if (thread == SCHED_NONE)
        ebb_buf_adds(out, " none");
    else
        ebb_buf_addf(out, " %" PRIu32, thread);
}

static void write_place(ebb_buf *out, const sched_command *c)
{
    const sched_place *p = &c->place;
    if (!p->cls) {
        ebb_buf_adds(out, " none");
        return;
    }
    ebb_buf_addf(out, " %s ", p->cls);
    if (p->method)
        ebb_buf_adds(out, p->method);
    else
        ebb_buf_addf(out, "%" PRIu32, p->method_index);
    ebb_buf_addf(out, p->is_line ? " line:%" PRIu32 : " %" PRIu32, p->offset);
    ebb_buf_addf(out, " %" PRIu64, c->count);
}

/* Names are any text: what would end the line, or be lost where runs of blanks become one, is written as %XX. */
static void write_name(ebb_buf *out, const char *name)
{
    for (const unsigned char *p = (const unsigned char *)name; *p; p++) {
        bool is_edge_blank = *p == ' ' && (p == (const unsigned char *)name || p[1] == ' ' || p[1] == '\0');
        if (*p == '%' || *p == '#' || *p < ' ' || *p == 0x7f || is_edge_blank)
            ebb_buf_addf(out, "%%%02X", *p);
        else
            ebb_buf_addc(out, (char)*p);
    }
}

static void write_times(ebb_buf *out, uint64_t times)
{
    if (times == SCHED_FOREVER)
        ebb_buf_adds(out, " inf");
    else
        ebb_buf_addf(out, " %" PRIu64, times);
}

static void write_named(ebb_buf *out, const sched_command *c)
{
    write_thread(out, c->thread);
    if (!c->text)
        return;
    ebb_buf_addc(out, ' ');
    write_name(out, c->text);
}

void sched_write_command(ebb_buf *out, const sched_command *c)
{
    ebb_buf_adds(out, sched_rows[c->kind].word);
    switch (sched_rows[c->kind].operands) {
    case SCHED_TAKES_NOTHING: break;
    case SCHED_TAKES_PLACE: write_place(out, c); break;
    case SCHED_TAKES_WHOM:
    case SCHED_TAKES_WHOM_OR_NONE: write_thread(out, c->thread); break;
    case SCHED_TAKES_MESSAGE:
        write_thread(out, c->thread);
        ebb_buf_addf(out, " %" PRId64, c->message);
        break;
    case SCHED_TAKES_LOG: ebb_buf_addf(out, " %" PRIu64 "%s%s", c->count, *c->text ? " " : "", c->text); break;
    case SCHED_TAKES_TIMES: write_times(out, c->count); break;
    case SCHED_TAKES_NAME: write_named(out, c); break;
    }
}

void sched_write(ebb_buf *out, const sched_schedule *s)
{
    unsigned depth = 0;
    for (size_t i = 0; i < s->commands.n; i++) {
        const sched_command *c = &s->commands.items[i];
        if (c->kind == SCHED_LOOPEND && depth > 0)
            depth--;
        for (unsigned n = depth < 20 ? depth : 20; n; n--)
            ebb_buf_adds(out, "  ");
        sched_write_command(out, c);
        ebb_buf_addc(out, '\n');
        depth += c->kind == SCHED_LOOPBEGIN;
    }
}
