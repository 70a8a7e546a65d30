/* draw.c - a schedule as an SVG picture: a lane for each thread, a row for each command, arrows where the turn changes hands. */
#include "schedule/convert.h"

enum { LANE = 160, ROW = 22, TOP = 60, LEFT = 30, BAR = 12, GAP = 6, MAX_DEPTH_SHOWN = 20 };

typedef struct picture {
    ebb_buf *out;
    const sched_schedule *s;
    uint32_t nlanes;
    unsigned *lanes;    /* where each begins; one more: where the last one ends */
    uint32_t runner;
    unsigned row;       /* of the next command */
    unsigned since;     /* the row from which the runner runs */
    EBB_VEC(unsigned) loops; /* the rows of those that are open */
} picture;

static void add_escaped(ebb_buf *out, const char *text)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '<')
            ebb_buf_adds(out, "&lt;");
        else if (c == '&')
            ebb_buf_adds(out, "&amp;");
        else if (c == '"')
            ebb_buf_adds(out, "&quot;");
        else
            ebb_buf_addc(out, c < ' ' || c >= 0x7f ? '?' : *text);
    }
}

static unsigned lane_x(const picture *p, uint32_t thread)
{
    return p->lanes[thread];
}

static unsigned row_y(unsigned row)
{
    return TOP + row * ROW;
}

static void add_text(picture *p, unsigned x, unsigned y, const char *class_name, const char *text)
{
    ebb_buf_addf(p->out, "<text x=\"%u\" y=\"%u\" class=\"%s\">", x, y, class_name);
    add_escaped(p->out, text);
    ebb_buf_adds(p->out, "</text>\n");
}

/* ---- lanes ---- */

static void add_name(ebb_buf *out, const sched_schedule *s, uint32_t thread)
{
    const char *given = sched_name_of(s, thread);
    ebb_buf_addf(out, "%u%s%s", thread, given ? " " : "", given ? given : "");
}

static void draw_lane(picture *p, uint32_t thread, unsigned nrows)
{
    ebb_buf name = {0};
    add_name(&name, p->s, thread);
    add_text(p, lane_x(p, thread), TOP - 30, "name", ebb_buf_text(&name));
    ebb_buf_addf(p->out, "<line x1=\"%u\" y1=\"%d\" x2=\"%u\" y2=\"%u\" class=\"lane\"/>\n", lane_x(p, thread) + BAR / 2, TOP - 20,
                 lane_x(p, thread) + BAR / 2, row_y(nrows));
    ebb_buf_fini(&name);
}

static void widen(unsigned *width, const ebb_buf *text)
{
    unsigned needed = BAR + 3 * GAP + (unsigned)text->n * 15 / 2; /* a letter of that size is a little less wide */
    if (*width < needed)
        *width = needed;
}

static void measure_name(picture *p, uint32_t thread)
{
    ebb_buf name = {0};
    add_name(&name, p->s, thread);
    p->lanes[thread + 1] = LANE;
    widen(&p->lanes[thread + 1], &name);
    ebb_buf_fini(&name);
}

static void measure_command(picture *p, uint32_t runner, const sched_command *c)
{
    ebb_buf words = {0};
    sched_write_command(&words, c);
    if (sched_rows[c->kind].role != SCHED_IS_HEAD)
        widen(&p->lanes[runner + 1], &words);
    ebb_buf_fini(&words);
}

/* Whether another thread, or the same one, has the turn after that. */
static bool goes_on(const sched_command *c)
{
    return sched_rows[c->kind].role == SCHED_IS_LAST && c->kind != SCHED_TERMINATE && c->thread != SCHED_NONE;
}

/* A lane is as wide as what is written in it. */
static void measure_lanes(picture *p)
{
    uint32_t runner = 0;
    for (uint32_t t = 0; t < p->nlanes; t++)
        measure_name(p, t);
    for (size_t i = 0; i < p->s->commands.n; i++) {
        const sched_command *c = &p->s->commands.items[i];
        measure_command(p, runner, c);
        runner = goes_on(c) ? c->thread : runner;
    }
    p->lanes[0] = LEFT;
    for (uint32_t t = 0; t < p->nlanes; t++)
        p->lanes[t + 1] += p->lanes[t];
}

/* The running thread's bar, from where it got its turn to this row. */
static void end_turn(picture *p)
{
    unsigned height = (p->row - p->since) * ROW;
    ebb_buf_addf(p->out, "<rect x=\"%u\" y=\"%u\" width=\"%d\" height=\"%u\" class=\"turn\"/>\n", lane_x(p, p->runner), row_y(p->since), BAR,
                 height ? height : 2);
    p->since = p->row;
}

static void draw_arrow(picture *p, uint32_t to)
{
    unsigned y = row_y(p->row + 1) - 3, from = lane_x(p, p->runner) + (to > p->runner ? BAR : 0), x = lane_x(p, to) + (to > p->runner ? 0 : BAR);
    ebb_buf_addf(p->out, "<line x1=\"%u\" y1=\"%u\" x2=\"%u\" y2=\"%u\" class=\"arrow\" marker-end=\"url(#head)\"/>\n", from, y, x, y);
}

/* ---- commands ---- */

static void draw_words(picture *p, const sched_command *c)
{
    ebb_buf words = {0};
    sched_write_command(&words, c);
    const char *class_name = sched_rows[c->kind].role == SCHED_IS_EVENT ? "event" : "action";
    add_text(p, lane_x(p, p->runner) + BAR + GAP, row_y(p->row) + ROW - 7, class_name, ebb_buf_text(&words));
    ebb_buf_fini(&words);
}

static void draw_last(picture *p, const sched_command *c)
{
    if (goes_on(c) && c->thread != p->runner)
        draw_arrow(p, c->thread);
    p->row++;
    end_turn(p);
    if (goes_on(c))
        p->runner = c->thread;
}

static void draw_loop(picture *p, const sched_command *c)
{
    ebb_buf words = {0};
    unsigned begin = p->loops.items[--p->loops.n];
    unsigned inset = p->loops.n < MAX_DEPTH_SHOWN ? (unsigned)p->loops.n : MAX_DEPTH_SHOWN;
    if (c->count == SCHED_FOREVER)
        ebb_buf_adds(&words, "for ever");
    else
        ebb_buf_addf(&words, "%llu times", (unsigned long long)c->count);
    ebb_buf_addf(p->out, "<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" class=\"loop\"/>\n", 4 + inset, row_y(begin), p->lanes[p->nlanes] - 8 - 2 * inset,
                 (p->row - begin) * ROW + ROW / 2);
    add_text(p, p->lanes[p->nlanes] - 80, row_y(p->row) + ROW / 2 - 4, "loop-name", ebb_buf_text(&words));
    ebb_buf_fini(&words);
    p->row++;
}

static void draw_command(picture *p, const sched_command *c)
{
    if (sched_rows[c->kind].role == SCHED_IS_HEAD)
        return;
    if (c->kind == SCHED_LOOPBEGIN) {
        ebb_vec_push(&p->loops, p->row);
        return;
    }
    if (c->kind == SCHED_LOOPEND) {
        draw_loop(p, c);
        return;
    }
    draw_words(p, c);
    if (sched_rows[c->kind].role == SCHED_IS_LAST)
        draw_last(p, c);
    else
        p->row++;
}

static unsigned count_rows(const sched_schedule *s)
{
    unsigned n = 1;
    for (size_t i = 0; i < s->commands.n; i++)
        n += sched_rows[s->commands.items[i].kind].role != SCHED_IS_HEAD && s->commands.items[i].kind != SCHED_LOOPBEGIN;
    return n;
}

static void begin_picture(picture *p, unsigned nrows)
{
    ebb_buf_addf(p->out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\">\n", p->lanes[p->nlanes], row_y(nrows) + 20);
    ebb_buf_adds(p->out,
                 "<style>text{font:12px monospace;fill:#222}.name{font-weight:bold}.action{fill:#666}.loop-name{fill:#a50}"
                 ".lane{stroke:#bbb;stroke-dasharray:3 3}.turn{fill:#4a90d9}.arrow{stroke:#c33;stroke-width:1.5}.loop{fill:none;stroke:#a50;stroke-dasharray:6 3}</style>\n"
                 "<defs><marker id=\"head\" markerWidth=\"8\" markerHeight=\"8\" refX=\"7\" refY=\"4\" orient=\"auto\"><path d=\"M0,0 L8,4 L0,8 z\" fill=\"#c33\"/></marker></defs>\n"
                 "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
    for (uint32_t t = 0; t < p->nlanes; t++)
        draw_lane(p, t, nrows);
}

void sched_draw(ebb_buf *out, const sched_schedule *s)
{
    picture p = {.out = out, .s = s, .nlanes = sched_nthreads(s)};
    p.lanes = ebb_zalloc((p.nlanes + 1) * sizeof *p.lanes);
    measure_lanes(&p);
    begin_picture(&p, count_rows(s));
    for (size_t i = 0; i < s->commands.n; i++)
        draw_command(&p, &s->commands.items[i]);
    p.row++;
    end_turn(&p); /* who runs at the end of the schedule goes on */
    ebb_buf_adds(out, "</svg>\n");
    ebb_vec_fini(&p.loops);
    free(p.lanes);
}
