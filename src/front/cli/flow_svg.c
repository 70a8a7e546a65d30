/* flow_svg.c - draws the travels of an object as in figure 5 of Lienhard, Girba and Nierstrasz; see flow_svg.h.
 *
 * Time goes down.  A box is a method invocation, and lies in that of its caller; a point is a move of the object, in the invocation in which the reference becomes visible; an arrow
 * leads from a move to where the reference came from, its origin.
 *
 * FV1  invocations in which nothing happens are left out, unless more than one that is drawn was called there;
 * FV2  the arrow of a move is dashed if the reference may have come another way: the invocation had got it several times by then, or it had been written to several places of that name. */
#include "front/cli/flow_svg.h"
#include "base/buf.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { ROW = 22, COLUMN = 26, LEFT = 70, TOP = 26, GAP = 6, WIDE = 860, POINT = 5, BASELINE = 4, DEEPEST = 256 };

typedef EBB_VEC(int) indices;

typedef struct box {
    int call;
    unsigned depth, top;
    bool goes_on; /* another thread's was drawn in between */
} box;

typedef struct drawing {
    const ses_origin_links *links;
    const ses_call_tree *tree;
    bool *is_drawn;     /* each call (FV1) */
    bool *was_drawn;    /* its box is in the picture, or a part of it */
    bool has_threads;   /* more than one */
    unsigned *x, *y;    /* each link's point */
    EBB_VEC(box) open;  /* boxes that are not closed yet, outer ones first */
    unsigned down;      /* how far the picture reaches */
    unsigned deepest;
    ebb_buf boxes, points, arrows;
} drawing;

/* ---- words --------------------------------------------------------------------------------------- */

static const char *color_of(ses_origin_kind kind)
{
    switch (kind) {
    case SES_ORIGIN_ALLOCATION: return "#2a9d4a";
    case SES_ORIGIN_PARAMETER: return "#2b6cb0";
    case SES_ORIGIN_RETURN: return "#8e44ad";
    case SES_ORIGIN_FIELD_WRITE:
    case SES_ORIGIN_ARRAY_WRITE: return "#c0392b";
    case SES_ORIGIN_FIELD_READ:
    case SES_ORIGIN_ARRAY_READ: return "#d68910";
    default: return "#555555";
    }
}

static void put_text(ebb_buf *svg, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '<': ebb_buf_adds(svg, "&lt;"); break;
        case '>': ebb_buf_adds(svg, "&gt;"); break;
        case '&': ebb_buf_adds(svg, "&amp;"); break;
        case '"': ebb_buf_adds(svg, "&quot;"); break;
        default: ebb_buf_addc(svg, (unsigned char)*text < ' ' ? ' ' : *text);
        }
}

/* ---- which calls are drawn (FV1) ------------------------------------------------------------------ */

/* A caller comes before those that it called. */
static void choose_calls(drawing *d)
{
    size_t n = d->tree->calls.n;
    unsigned *branches = ebb_zalloc((n + 1) * sizeof *branches);
    for (size_t i = 0; i < d->links->n; i++)
        if (d->tree->of_link.items[i] != SES_NO_CALL)
            d->is_drawn[d->tree->of_link.items[i]] = true;
    for (size_t i = n; i-- > 0;) {
        int caller = d->tree->calls.items[i].caller;
        d->is_drawn[i] = d->is_drawn[i] || branches[i] > 1;
        d->has_threads = d->has_threads || d->tree->calls.items[i].thread != d->tree->calls.items[0].thread;
        if (caller != SES_NO_CALL)
            branches[caller] += d->is_drawn[i] ? 1 : branches[i];
    }
    free(branches);
}

static int drawn_caller(const drawing *d, int call)
{
    for (call = d->tree->calls.items[call].caller; call != SES_NO_CALL && !d->is_drawn[call];)
        call = d->tree->calls.items[call].caller;
    return call;
}

/* ---- boxes --------------------------------------------------------------------------------------- */

static unsigned x_of(size_t depth)
{
    return LEFT + COLUMN * (unsigned)(depth < DEEPEST ? depth : DEEPEST);
}

static void close_box(drawing *d)
{
    const box *b = &d->open.items[d->open.n - 1];
    unsigned left = x_of(b->depth) - COLUMN / 2, right = x_of(0) + WIDE - GAP * (b->depth < DEEPEST ? b->depth : DEEPEST);
    const char *name = d->tree->calls.items[b->call].function;
    ebb_buf words = {0};
    ebb_buf_addf(&words, "<rect class=\"call\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" rx=\"4\" fill=\"#3b6ea5\" fill-opacity=\"0.05\" stroke=\"#8aa4c0\"/>\n<text class=\"call\" x=\"%u\" y=\"%u\" font-weight=\"bold\" fill=\"#34506e\">",
                 left, b->top, right > left + WIDE / 2 ? right - left : WIDE / 2, d->down - b->top, left + GAP, b->top + ROW - GAP);
    put_text(&words, name ? name : "?");
    if (d->has_threads && b->depth == 0)
        ebb_buf_addf(&words, ", in thread %lld", (long long)d->tree->calls.items[b->call].thread);
    ebb_buf_adds(&words, b->goes_on ? ", going on</text>\n" : "</text>\n");
    ebb_buf_add(&d->boxes, words.data, words.n);
    ebb_buf_fini(&words);
    d->open.n--;
    d->down += GAP;
}

static void open_box(drawing *d, int call)
{
    box b = {.call = call, .depth = (unsigned)d->open.n, .top = d->down, .goes_on = d->was_drawn[call]};
    d->was_drawn[call] = true;
    ebb_vec_push(&d->open, b);
    d->down += ROW;
    d->deepest = b.depth > d->deepest ? b.depth : d->deepest;
}

/* The boxes of the call and those around it are open then, and no others. */
static void enter(drawing *d, int call)
{
    indices path = {0};
    for (int at = call; at != SES_NO_CALL; at = drawn_caller(d, at))
        ebb_vec_push(&path, at);
    size_t same = 0;
    while (same < d->open.n && same < path.n && d->open.items[same].call == path.items[path.n - 1 - same])
        same++;
    while (d->open.n > same)
        close_box(d);
    for (size_t i = path.n - same; i-- > 0;)
        open_box(d, path.items[i]);
    ebb_vec_fini(&path);
}

/* ---- points -------------------------------------------------------------------------------------- */

static void put_point(drawing *d, size_t i)
{
    const ses_origin_link *link = &d->links->items[i];
    d->x[i] = x_of(d->open.n ? d->open.n - 1 : 0) + COLUMN / 2;
    d->y[i] = d->down + ROW / 2;
    d->down += ROW;
    ebb_buf_addf(&d->points, "<circle cx=\"%u\" cy=\"%u\" r=\"%d\" fill=\"%s\"/>\n<text x=\"%u\" y=\"%u\">", d->x[i], d->y[i], POINT, color_of(link->kind), d->x[i] + 3 * POINT, d->y[i] + BASELINE);
    if (link->text && *link->text) {
        put_text(&d->points, link->text);
        ebb_buf_addc(&d->points, ' ');
    }
    put_text(&d->points, link->what);
    if (link->file)
        ebb_buf_addf(&d->points, " <tspan fill=\"#777777\">line %u</tspan>", link->line);
    ebb_buf_adds(&d->points, "<title>");
    put_text(&d->points, link->position ? link->position : "");
    ebb_buf_adds(&d->points, link->source ? ": " : "");
    put_text(&d->points, link->source ? link->source : "");
    ebb_buf_adds(&d->points, "</title></text>\n");
}

/* ---- origins (FV2) -------------------------------------------------------------------------------- */

/* By which the reference becomes visible in an invocation. */
static bool is_source(ses_origin_kind kind)
{
    return kind == SES_ORIGIN_ALLOCATION || kind == SES_ORIGIN_PARAMETER || kind == SES_ORIGIN_RETURN || kind == SES_ORIGIN_FIELD_READ || kind == SES_ORIGIN_ARRAY_READ ||
           kind == SES_ORIGIN_THROW;
}

typedef struct origin {
    size_t link, n; /* the last one, of so many that it may be */
} origin;

static void take(origin *o, size_t link)
{
    *o = (origin){link, o->n + 1};
}

static origin sources_in(const drawing *d, int call, size_t before)
{
    origin found = {0};
    for (size_t i = 0; i < before && call != SES_NO_CALL; i++)
        if (d->tree->of_link.items[i] == call && is_source(d->links->items[i].kind))
            take(&found, i);
    return found;
}

/* What "read from the field A.b" and "written to the field A.b" have in common. */
static const char *member_of(const ses_origin_link *link)
{
    const char *name = strrchr(link->what, ' ');
    return name ? name : link->what;
}

static origin writes_of(const drawing *d, size_t read)
{
    const ses_origin_link *link = &d->links->items[read];
    ses_origin_kind kind = link->kind == SES_ORIGIN_FIELD_READ ? SES_ORIGIN_FIELD_WRITE : SES_ORIGIN_ARRAY_WRITE;
    origin found = {0};
    for (size_t i = 0; i < read; i++)
        if (d->links->items[i].kind == kind && strcmp(member_of(&d->links->items[i]), member_of(link)) == 0)
            take(&found, i);
    return found;
}

/* The call that returned it, to that one: the last that did something in it. */
static int returned_from(const drawing *d, size_t before, int to)
{
    for (size_t i = before; i-- > 0;) {
        int call = d->tree->of_link.items[i];
        if (call != SES_NO_CALL && d->tree->calls.items[call].caller == to)
            return call;
    }
    return SES_NO_CALL;
}

static origin origin_of(const drawing *d, size_t i)
{
    int call = d->tree->of_link.items[i];
    if (call == SES_NO_CALL)
        return (origin){0};
    switch (d->links->items[i].kind) {
    case SES_ORIGIN_FIELD_READ:
    case SES_ORIGIN_ARRAY_READ: return writes_of(d, i);
    case SES_ORIGIN_PARAMETER: return sources_in(d, d->tree->calls.items[call].caller, i);
    case SES_ORIGIN_RETURN: return sources_in(d, returned_from(d, i, call), i);
    case SES_ORIGIN_FIELD_WRITE:
    case SES_ORIGIN_ARRAY_WRITE: return sources_in(d, call, i);
    default: return (origin){0};
    }
}

static void put_arrow(drawing *d, size_t i)
{
    enum { NEAR = 14, FAR = 56 };
    origin o = origin_of(d, i);
    if (o.n == 0)
        return;
    unsigned x = d->x[i], y = d->y[i], to_x = d->x[o.link], to_y = d->y[o.link], least = x < to_x ? x : to_x;
    unsigned out = NEAR + (y - to_y) / 12, bend = least - (out < FAR ? out : FAR);
    ebb_buf_addf(&d->arrows, "<path class=\"origin\" d=\"M%u %u C%u %u %u %u %u %u\" fill=\"none\" stroke=\"%s\" stroke-opacity=\"0.7\"%s marker-end=\"url(#end)\"/>\n", x - POINT, y, bend, y, bend, to_y,
                 to_x - POINT, to_y, color_of(d->links->items[i].kind), o.n > 1 ? " stroke-dasharray=\"4 3\"" : "");
}

/* ---- all of it ----------------------------------------------------------------------------------- */

static void put_legend(ebb_buf *svg)
{
    static const struct { ses_origin_kind kind; const char *word; } kinds[] = {{SES_ORIGIN_ALLOCATION, "made"}, {SES_ORIGIN_PARAMETER, "passed"}, {SES_ORIGIN_RETURN, "returned"},
                                                                               {SES_ORIGIN_FIELD_WRITE, "written"}, {SES_ORIGIN_FIELD_READ, "read"}};
    unsigned x = LEFT;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++, x += 3 * COLUMN)
        ebb_buf_addf(svg, "<rect x=\"%u\" y=\"8\" width=\"9\" height=\"9\" fill=\"%s\"/><text x=\"%u\" y=\"17\">%s</text>\n", x, color_of(kinds[i].kind), x + 14, kinds[i].word);
    ebb_buf_addf(svg, "<text x=\"%u\" y=\"17\" fill=\"#777777\">arrows lead to where the reference came from; dashed: it may have come another way</text>\n", x);
}

static void draw(drawing *d, ebb_buf *svg)
{
    choose_calls(d);
    for (size_t i = 0; i < d->links->n; i++) {
        if (d->tree->of_link.items[i] != SES_NO_CALL)
            enter(d, d->tree->of_link.items[i]);
        put_point(d, i);
    }
    while (d->open.n > 0)
        close_box(d);
    for (size_t i = 0; i < d->links->n; i++)
        put_arrow(d, i);
    ebb_buf_addf(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
                 "<defs><marker id=\"end\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"6\" markerHeight=\"6\" orient=\"auto\"><path d=\"M0 0 L8 4 L0 8 z\" fill=\"#555555\"/></marker></defs>\n",
                 x_of(d->deepest) + WIDE + GAP, d->down + ROW);
    put_legend(svg);
    ebb_buf_add(svg, d->boxes.data, d->boxes.n);
    ebb_buf_add(svg, d->arrows.data, d->arrows.n);
    ebb_buf_add(svg, d->points.data, d->points.n);
    ebb_buf_adds(svg, "</svg>\n");
}

static void draw_all(const ses_origin_links *links, const ses_call_tree *tree, ebb_buf *svg)
{
    drawing d = {.links = links, .tree = tree, .down = TOP, .is_drawn = ebb_zalloc((tree->calls.n + 1) * sizeof(bool)), .was_drawn = ebb_zalloc((tree->calls.n + 1) * sizeof(bool)),
                 .x = ebb_zalloc((links->n + 1) * sizeof(unsigned)), .y = ebb_zalloc((links->n + 1) * sizeof(unsigned))};
    draw(&d, svg);
    free(d.is_drawn);
    free(d.was_drawn);
    free(d.x);
    free(d.y);
    ebb_vec_fini(&d.open);
    ebb_buf_fini(&d.boxes);
    ebb_buf_fini(&d.points);
    ebb_buf_fini(&d.arrows);
}

ebb_status cli_flow_svg(const char *path, const ses_origin_links *links, const ses_call_tree *tree, ebb_error *err)
{
    ebb_buf svg = {0};
    draw_all(links, tree, &svg);
    FILE *file = fopen(path, "w");
    bool is_written = file && fwrite(svg.data, 1, svg.n, file) == svg.n;
    if (file && fclose(file) != 0)
        is_written = false;
    ebb_buf_fini(&svg);
    return is_written ? EBB_OK : ebb_fail(err, EBB_UNAVAILABLE, "%.200s can't be written: %s.", path, strerror(errno));
}
