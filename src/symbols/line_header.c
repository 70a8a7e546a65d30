/* The header of a line table: which files there are, and what they are called. */
#include "symbols/lines.h"
#include "symbols/reader.h"
#include "base/text.h"

#include <string.h>

enum { MAX_FILES = 1 << 20 };

typedef struct header_reader {
    sym_unit *unit;
    sym_lines *lines;
    sym_reader r;
    uint16_t version;
    uint8_t offset_size;
    EBB_VEC(const char *) dirs;
} header_reader;

/* ---- names ------------------------------------------------------------------------------------ */

static bool is_absolute(const char *path)
{
    return path[0] == '/';
}

/* dir/name, with "./" components left out. */
static const char *join(ebb_arena *arena, const char *dir, const char *name)
{
    while (name[0] == '.' && name[1] == '/')
        name += 2;
    if (is_absolute(name) || !dir || !*dir)
        return ebb_arena_strdup(arena, name);
    size_t n = strlen(dir);
    return ebb_arena_printf(arena, "%s%s%s", dir, dir[n - 1] == '/' ? "" : "/", name);
}

/* `shown` is how the table calls the file at `path`. */
static uint32_t add_source(header_reader *h, const char *shown, const char *path)
{
    for (size_t i = 0; i < h->lines->sources.n; i++)
        if (strcmp(h->lines->sources.items[i].path, path) == 0) {
            if (!is_absolute(shown)) /* the compilation directory is relative: gdb prints it too */
                h->lines->sources.items[i].name = shown;
            return (uint32_t)i;
        }
    sym_source source = {.name = shown, .path = path};
    ebb_vec_push(&h->lines->sources, source);
    return (uint32_t)h->lines->sources.n - 1;
}

/* Directory 0 is the compilation directory, which is in the table only since DWARF 5; the others are
 * absolute or relative to it. */
static void add_file(header_reader *h, const char *name, uint64_t dir)
{
    ebb_arena *arena = &h->unit->module->arena;
    const char *prefix = NULL;
    if (h->version >= 5)
        prefix = dir < h->dirs.n ? h->dirs.items[dir] : NULL;
    else if (dir > 0)
        prefix = dir - 1 < h->dirs.n ? h->dirs.items[dir - 1] : NULL;
    const char *shown = name;
    if (!is_absolute(name) && prefix)
        shown = ebb_arena_printf(arena, "%s/%s", prefix, name);
    const char *path = join(arena, h->unit->comp_dir, dir == 0 ? name : shown);
    uint32_t source = add_source(h, ebb_arena_strdup(arena, shown), path);
    ebb_vec_push(&h->lines->source_of_file, source);
}

/* ---- file tables ------------------------------------------------------------------------------ */

static void read_old_tables(header_reader *h)
{
    for (;;) {
        const char *dir = sym_read_text(&h->r);
        if (h->r.failed || !*dir)
            break;
        ebb_vec_push(&h->dirs, dir);
    }
    ebb_vec_push(&h->lines->source_of_file, 0); /* numbers begin at one */
    for (;;) {
        const char *name = sym_read_text(&h->r);
        if (h->r.failed || !*name)
            break;
        uint64_t dir = sym_read_uleb(&h->r);
        sym_read_uleb(&h->r); /* time */
        sym_read_uleb(&h->r); /* size */
        if (!h->r.failed)
            add_file(h, name, dir);
    }
}

typedef struct entry_field {
    uint64_t content, form;
} entry_field;

/* One field of an entry in a DWARF 5 table: text for a path, a number for the rest. */
static void read_entry_field(header_reader *h, entry_field field, const char **text,
                             uint64_t *number)
{
    const sym_sections *s = &h->unit->module->sections;
    switch (field.form) {
    case DW_FORM_string: *text = sym_read_text(&h->r); return;
    case DW_FORM_line_strp:
        *text = sym_text_at(s->line_str, sym_read_fixed(&h->r, h->offset_size));
        return;
    case DW_FORM_strp: *text = sym_text_at(s->str, sym_read_fixed(&h->r, h->offset_size)); return;
    case DW_FORM_udata: *number = sym_read_uleb(&h->r); return;
    case DW_FORM_data1: *number = sym_read_u8(&h->r); return;
    case DW_FORM_data2: *number = sym_read_u16(&h->r); return;
    case DW_FORM_data4: *number = sym_read_u32(&h->r); return;
    case DW_FORM_data8: *number = sym_read_u64(&h->r); return;
    case DW_FORM_data16: sym_read_skip(&h->r, 16); return;
    case DW_FORM_block: sym_read_skip(&h->r, sym_read_uleb(&h->r)); return;
    default: sym_read_fail(&h->r); return;
    }
}

static void read_new_table(header_reader *h, bool is_files)
{
    entry_field fields[16];
    uint8_t n_fields = sym_read_u8(&h->r);
    if (n_fields > 16) {
        sym_read_fail(&h->r);
        return;
    }
    for (unsigned i = 0; i < n_fields; i++) {
        fields[i].content = sym_read_uleb(&h->r);
        fields[i].form = sym_read_uleb(&h->r);
    }
    uint64_t n = sym_read_uleb(&h->r);
    for (uint64_t i = 0; i < n && i < MAX_FILES && n_fields && !h->r.failed; i++) {
        const char *path = NULL;
        uint64_t dir = 0;
        for (unsigned f = 0; f < n_fields; f++) {
            const char *text = NULL;
            uint64_t number = 0;
            read_entry_field(h, fields[f], &text, &number);
            if (fields[f].content == DW_LNCT_path)
                path = text;
            else if (fields[f].content == DW_LNCT_directory_index)
                dir = number;
        }
        if (h->r.failed)
            return;
        if (is_files)
            add_file(h, path ? path : "<unknown>", dir);
        else
            ebb_vec_push(&h->dirs, path ? path : "");
    }
}

/* ---- header ----------------------------------------------------------------------------------- */

static bool read_fields(header_reader *h)
{
    sym_lines *lines = h->lines;
    sym_reader *r = &h->r;
    const uint8_t *section = h->unit->module->sections.line.data;
    if (!sym_read_unit_length(r, &h->offset_size))
        return false;
    lines->program_end = (uint64_t)(r->end - section);
    h->version = sym_read_u16(r);
    if (h->version < 2 || h->version > 5)
        return false;
    if (h->version >= 5)
        sym_read_skip(r, 2); /* sizes of addresses and segment selectors */
    uint64_t header_length = sym_read_fixed(r, h->offset_size);
    if (r->failed || header_length > sym_read_left(r))
        return false;
    lines->program = (uint64_t)(r->at - section) + header_length;
    lines->min_insn = sym_read_u8(r);
    if (h->version >= 4)
        sym_read_u8(r); /* operations per instruction: one, but for VLIW machines */
    lines->default_is_stmt = sym_read_u8(r) != 0;
    lines->line_base = (int8_t)sym_read_u8(r);
    lines->line_range = sym_read_u8(r);
    lines->opcode_base = sym_read_u8(r);
    for (unsigned i = 1; i < lines->opcode_base; i++)
        lines->n_operands[i] = sym_read_u8(r);
    return !r->failed && lines->line_range != 0;
}

static void read_header(sym_unit *unit, sym_lines *lines)
{
    Dwarf_Attribute attr;
    Dwarf_Word offset;
    header_reader h = {.unit = unit, .lines = lines};
    if (unit->name) /* LT4 */
        add_source(&h, unit->name, join(&unit->module->arena, unit->comp_dir, unit->name));
    if (!dwarf_attr(&unit->skeleton, DW_AT_stmt_list, &attr) || dwarf_formudata(&attr, &offset) != 0)
        return;
    h.r = sym_reader_at(unit->module->sections.line, offset);
    if (h.r.failed || !read_fields(&h)) {
        sym_module_warn(unit->module, "the line table of %s is broken",
                        unit->name ? unit->name : "a unit");
        lines->program = lines->program_end = 0;
        return;
    }
    if (h.version >= 5) {
        read_new_table(&h, false);
        read_new_table(&h, true);
    } else {
        read_old_tables(&h);
    }
    ebb_vec_fini(&h.dirs);
}

/* A type unit shares the table of a compile unit, but doesn't know its folder. */
sym_lines *sym_unit_sources(sym_unit *unit)
{
    if (!unit->lines) {
        unit->lines = EBB_NEW(sym_lines);
        if (unit->unit_type != DW_UT_type && sym_unit_open(unit))
            read_header(unit, unit->lines);
    }
    return unit->lines;
}

void sym_lines_free(sym_lines *lines)
{
    if (!lines)
        return;
    for (size_t i = 0; i < lines->sources.n; i++)
        ebb_vec_fini(&lines->sources.items[i].rows);
    ebb_vec_fini(&lines->sources);
    ebb_vec_fini(&lines->source_of_file);
    free(lines);
}

const char *sym_unit_file_path(sym_unit *unit, uint64_t file, const char **name)
{
    sym_lines *lines = sym_unit_sources(unit);
    if (file >= lines->source_of_file.n || (file == 0 && unit->version < 5))
        return NULL;
    const sym_source *source = &lines->sources.items[lines->source_of_file.items[file]];
    if (name)
        *name = source->name;
    return source->path;
}

bool sym_source_matches(const sym_source *source, const char *file)
{
    if (is_absolute(file))
        return strcmp(source->path, file) == 0;
    while (file[0] == '.' && file[1] == '/')
        file += 2;
    size_t n = strlen(file), path_n = strlen(source->path);
    if (n == 0 || n > path_n || strcmp(source->path + path_n - n, file) != 0)
        return false;
    return n == path_n || source->path[path_n - n - 1] == '/';
}
