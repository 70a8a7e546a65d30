/* flow_svg.c - draws the travels of an object: a row for each move, a column for each call that it went into; see flow_svg.h. */
#include "front/cli/flow_svg.h"
#include "base/buf.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { ROW = 22, COLUMN = 26, LEFT = 24, TOP = 30, TEXT = 16, WIDE = 900, MAX_DEPTH = 256 };

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

static unsigned x_of(const ses_origin_link *link)
{
    return LEFT + COLUMN * (link->depth < MAX_DEPTH ? link->depth : MAX_DEPTH);
}

static unsigned y_of(size_t row)
{
    return TOP + ROW * (unsigned)row;
}

/* From the move that it comes after in the tree: the last one that is less deep, or as deep. */
static void put_edge(ebb_buf *svg, const ses_origin_links *links, size_t i)
{
    size_t from = i;
    while (from-- > 0)
        if (links->items[from].depth <= links->items[i].depth) {
            ebb_buf_addf(svg, "<path d=\"M%u %u V%u H%u\" fill=\"none\" stroke=\"#bbbbbb\"/>\n", x_of(&links->items[from]), y_of(from), y_of(i), x_of(&links->items[i]));
            return;
        }
}

static void put_node(ebb_buf *svg, const ses_origin_link *link, size_t row)
{
    ebb_buf_addf(svg, "<circle cx=\"%u\" cy=\"%u\" r=\"5\" fill=\"%s\"/>\n<text x=\"%u\" y=\"%u\">", x_of(link), y_of(row), color_of(link->kind), x_of(link) + TEXT, y_of(row) + 4);
    put_text(svg, link->text && *link->text ? link->text : "");
    ebb_buf_adds(svg, link->text && *link->text ? " " : "");
    put_text(svg, link->what);
    if (link->function) {
        ebb_buf_adds(svg, " <tspan fill=\"#777777\">in ");
        put_text(svg, link->function);
        ebb_buf_addf(svg, ":%u</tspan>", link->line);
    }
    ebb_buf_adds(svg, "<title>");
    put_text(svg, link->position ? link->position : "");
    ebb_buf_adds(svg, "</title></text>\n");
}

static void draw(const ses_origin_links *links, ebb_buf *svg)
{
    unsigned depth = 0;
    for (size_t i = 0; i < links->n; i++)
        depth = links->items[i].depth > depth ? links->items[i].depth : depth;
    ebb_buf_addf(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
                 LEFT + COLUMN * (depth < MAX_DEPTH ? depth : MAX_DEPTH) + WIDE, y_of(links->n));
    for (size_t i = 0; i < links->n; i++)
        put_edge(svg, links, i);
    for (size_t i = 0; i < links->n; i++)
        put_node(svg, &links->items[i], i);
    ebb_buf_adds(svg, "</svg>\n");
}

ebb_status cli_flow_svg(const char *path, const ses_origin_links *links, ebb_error *err)
{
    ebb_buf svg = {0};
    draw(links, &svg);
    FILE *file = fopen(path, "w");
    bool is_written = file && fwrite(svg.data, 1, svg.n, file) == svg.n;
    if (file && fclose(file) != 0)
        is_written = false;
    ebb_buf_fini(&svg);
    return is_written ? EBB_OK : ebb_fail(err, EBB_UNAVAILABLE, "%.200s can't be written: %s.", path, strerror(errno));
}
