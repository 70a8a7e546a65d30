/* index.c - one scan over all units finds the top-level names, without libdw, which would be too slow for it. */
#include "symbols/index.h"
#include "symbols/scopes.h"
#include "symbols/abbrev.h"
#include "symbols/demangle.h"

#include <string.h>

enum { MAX_NAMESPACES = 64 }; /* inside each other */

/* ---- scanning --------------------------------------------------------------------------------- */

typedef struct scanner {
    sym_module *module;
    sym_index *index;
    sym_unit *unit;
    sym_bytes section; /* that the unit is in */
    sym_abbrevs abbrevs;
    const sym_sections *abbrevs_of;
    sym_reader r;
    uint64_t str_offsets_base;
} scanner;

/* What the scan wants to know of a DIE. */
typedef struct scanned {
    uint64_t offset;
    const sym_abbrev *abbrev; /* NULL: the end of a list of children */
    const char *name;
    uint64_t sibling; /* in .debug_info; 0 if it has none */
    uint64_t origin;  /* abstract origin or specification, in .debug_info; 0 if it has none */
    bool is_declaration, is_external, has_code;
} scanned;

static uint64_t position(const scanner *s)
{
    return (uint64_t)(s->r.at - s->section.data);
}

static const char *indexed_text(const scanner *s, uint64_t index)
{
    size_t size = s->unit->offset_size;
    if (index > UINT32_MAX)
        return NULL;
    sym_reader r =
        sym_reader_at(s->unit->sections->str_offsets, s->str_offsets_base + index * size);
    uint64_t offset = sym_read_fixed(&r, size);
    return r.failed ? NULL : sym_text_at(s->unit->sections->str, offset);
}

static const char *read_name(scanner *s, unsigned form)
{
    const sym_sections *sections = s->unit->sections;
    sym_reader *r = &s->r;
    switch (form) {
    case DW_FORM_string: return sym_read_text(r);
    case DW_FORM_strp: return sym_text_at(sections->str, sym_read_fixed(r, s->unit->offset_size));
    case DW_FORM_line_strp:
        return sym_text_at(sections->line_str, sym_read_fixed(r, s->unit->offset_size));
    case DW_FORM_GNU_strp_alt:
    case DW_FORM_strp_sup:
        return sym_text_at(s->module->sections.alt_str, sym_read_fixed(r, s->unit->offset_size));
    case DW_FORM_strx1: return indexed_text(s, sym_read_u8(r));
    case DW_FORM_strx2: return indexed_text(s, sym_read_u16(r));
    case DW_FORM_strx3: return indexed_text(s, sym_read_fixed(r, 3));
    case DW_FORM_strx4: return indexed_text(s, sym_read_u32(r));
    case DW_FORM_strx:
    case DW_FORM_GNU_str_index: return indexed_text(s, sym_read_uleb(r));
    default:
        if (!sym_form_skip(r, form, s->unit))
            sym_read_fail(r);
        return NULL;
    }
}

/* A reference as an offset in .debug_info; 0 for other kinds. */
static uint64_t read_reference(scanner *s, unsigned form)
{
    sym_reader *r = &s->r;
    uint64_t unit = s->unit->dies_start;
    switch (form) {
    case DW_FORM_ref1: return unit + sym_read_u8(r);
    case DW_FORM_ref2: return unit + sym_read_u16(r);
    case DW_FORM_ref4: return unit + sym_read_u32(r);
    case DW_FORM_ref8: return unit + sym_read_u64(r);
    case DW_FORM_ref_udata: return unit + sym_read_uleb(r);
    case DW_FORM_ref_addr:
        return sym_read_fixed(r, s->unit->version == 2 ? 8 : s->unit->offset_size);
    default:
        if (!sym_form_skip(r, form, s->unit))
            sym_read_fail(r);
        return 0;
    }
}

static bool read_flag(scanner *s, unsigned form)
{
    if (form == DW_FORM_flag_present)
        return true;
    if (form == DW_FORM_flag)
        return sym_read_u8(&s->r) != 0;
    if (!sym_form_skip(&s->r, form, s->unit))
        sym_read_fail(&s->r);
    return false;
}

static void read_attr(scanner *s, const sym_abbrev_attr *attr, scanned *die)
{
    switch (attr->name) {
    case DW_AT_name: die->name = read_name(s, attr->form); return;
    case DW_AT_sibling: die->sibling = read_reference(s, attr->form); return;
    case DW_AT_abstract_origin:
    case DW_AT_specification: die->origin = read_reference(s, attr->form); return;
    case DW_AT_declaration: die->is_declaration = read_flag(s, attr->form); return;
    case DW_AT_external: die->is_external = read_flag(s, attr->form); return;
    case DW_AT_low_pc:
    case DW_AT_ranges: die->has_code = true; break;
    default: break;
    }
    if (!sym_form_skip(&s->r, attr->form, s->unit))
        sym_read_fail(&s->r);
}

static bool read_die(scanner *s, scanned *die)
{
    *die = (scanned){.offset = position(s)};
    uint64_t code = sym_read_uleb(&s->r);
    if (s->r.failed)
        return false;
    if (code == 0)
        return true;
    if (code >= s->abbrevs.by_code.n || s->abbrevs.by_code.items[code].tag == 0) {
        sym_read_fail(&s->r);
        return false;
    }
    die->abbrev = &s->abbrevs.by_code.items[code];
    const sym_abbrev_attr *attrs = s->abbrevs.attrs.items + die->abbrev->first_attr;
    for (uint32_t i = 0; i < die->abbrev->n_attrs; i++)
        read_attr(s, &attrs[i], die);
    return !s->r.failed;
}

/* Moves over the children of a DIE that was just read. */
static void skip_children(scanner *s, const scanned *parent)
{
    if (parent->sibling > position(s) && parent->sibling < s->unit->dies_end) {
        s->r.at = s->section.data + parent->sibling;
        return;
    }
    for (size_t depth = 1; depth > 0;) {
        scanned die;
        if (!read_die(s, &die))
            return;
        if (!die.abbrev)
            depth--;
        else if (die.abbrev->has_children) {
            if (die.sibling > position(s) && die.sibling < s->unit->dies_end)
                s->r.at = s->section.data + die.sibling;
            else
                depth++;
        }
    }
}

/* ---- entries ---------------------------------------------------------------------------------- */

static uint32_t hash_name(const char *name)
{
    uint32_t hash = 2166136261u;
    for (; *name; name++)
        hash = (hash ^ (uint8_t)*name) * 16777619u;
    return hash;
}

static void add_entry(scanner *s, const scanned *die, sym_entry_kind kind, const char *name)
{
    sym_entry entry = {
        .name = name,
        .offset = die->offset,
        .unit = (uint32_t)s->unit->index,
        .hash = hash_name(name),
        .kind = (uint8_t)kind,
        .is_external = die->is_external,
    };
    ebb_vec_push(&s->index->entries, entry);
}

/* An instance of a template is found by the template's name, too. */
static void add_template(scanner *s, const scanned *die, sym_entry_kind kind, const char *name)
{
    size_t n = sym_name_bare_length(name);
    bool is_function = kind == SYM_ENTRY_FUNCTION || kind == SYM_ENTRY_INLINE;
    if (is_function && name[n])
        add_entry(s, die, kind, ebb_arena_strndup(&s->module->arena, name, n));
}

/* The name that an instance or definition takes from another DIE; is_external comes with it. */
static const char *name_of_origin(scanner *s, scanned *die)
{
    scanned at = *die;
    sym_reader saved = s->r;
    for (int i = 0; i < 8 && !at.name && at.origin; i++) {
        if (at.origin < s->unit->die_offset || at.origin >= s->unit->dies_end) {
            Dwarf_Die other;
            s->index->has_cross_unit_origins = true;
            Dwarf *dwarf = s->unit->split ? s->unit->split : s->module->dwarf;
            at.name = dwarf_offdie(dwarf, at.origin, &other) ? sym_die_name(&other) : NULL;
            die->is_external |= at.name && sym_die_flag(&other, DW_AT_external);
            break;
        }
        s->r.at = s->section.data + at.origin;
        if (!read_die(s, &at) || !at.abbrev)
            break;
        die->is_external |= at.is_external;
    }
    s->r = saved;
    return at.name;
}

static void add_enumerators(scanner *s)
{
    for (;;) {
        scanned die;
        if (!read_die(s, &die) || !die.abbrev)
            return;
        if (die.abbrev->tag == DW_TAG_enumerator && die.name)
            add_entry(s, &die, SYM_ENTRY_ENUMERATOR, die.name);
        if (die.abbrev->has_children)
            skip_children(s, &die);
    }
}

static bool kind_of_tag(const scanned *die, sym_entry_kind *kind)
{
    switch (die->abbrev->tag) {
    case DW_TAG_subprogram:
        *kind = die->has_code ? SYM_ENTRY_FUNCTION : SYM_ENTRY_INLINE;
        return true;
    case DW_TAG_variable: *kind = SYM_ENTRY_VARIABLE; return true;
    case DW_TAG_structure_type:
    case DW_TAG_class_type: *kind = SYM_ENTRY_STRUCT; return true;
    case DW_TAG_union_type: *kind = SYM_ENTRY_UNION; return true;
    case DW_TAG_enumeration_type: *kind = SYM_ENTRY_ENUM; return true;
    case DW_TAG_typedef: *kind = SYM_ENTRY_TYPEDEF; return true;
    case DW_TAG_base_type: *kind = SYM_ENTRY_BASE; return true;
    default: return false;
    }
}

/* Namespaces, and classes of C++, which may have types inside of them. */
static bool may_hold_names(const scanner *s, const scanned *die)
{
    int tag = (int)die->abbrev->tag;
    bool is_class = tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
    return tag == DW_TAG_namespace || (is_class && sym_unit_open(s->unit) && sym_unit_has_scopes(s->unit));
}

static void scan_top_level(scanner *s, int depth)
{
    for (;;) {
        scanned die;
        sym_entry_kind kind;
        if (!read_die(s, &die) || !die.abbrev)
            return;
        if (!die.is_declaration && kind_of_tag(&die, &kind)) {
            if (!die.name && die.origin)
                die.name = name_of_origin(s, &die);
            if (die.name && *die.name) {
                add_entry(s, &die, kind, die.name);
                add_template(s, &die, kind, die.name);
            }
        }
        if (!die.abbrev->has_children)
            continue;
        if (die.abbrev->tag == DW_TAG_enumeration_type)
            add_enumerators(s);
        else if (may_hold_names(s, &die) && depth < MAX_NAMESPACES)
            scan_top_level(s, depth + 1);
        else
            skip_children(s, &die);
    }
}

/* DW_AT_str_offsets_base of the unit's own DIE; the default is what comes after a header. */
static void read_str_offsets_base(scanner *s)
{
    Dwarf_Attribute attr;
    Dwarf_Word base;
    s->str_offsets_base = s->unit->version < 5 ? 0 : s->unit->offset_size == 8 ? 16 : 8;
    if (!s->unit->sections->str_offsets.data || !sym_unit_open(s->unit))
        return;
    if (dwarf_attr(&s->unit->die, DW_AT_str_offsets_base, &attr) &&
        dwarf_formudata(&attr, &base) == 0)
        s->str_offsets_base = base;
}

/* Where a split unit's DIEs are is known once it is open. */
static bool may_be_split(const sym_unit *unit)
{
    return unit->unit_type == DW_UT_skeleton || (unit->version < 5 && unit->module->sections.addr.data);
}

/* Reads the unit's own DIE; false if the unit can't be scanned. */
static bool begin_unit(scanner *s, sym_unit *unit, scanned *top)
{
    if (may_be_split(unit) && !sym_unit_open(unit))
        return false;
    s->unit = unit;
    s->section = sym_unit_section(unit);
    bool has_abbrevs = s->abbrevs.is_valid && s->abbrevs.offset == unit->abbrev_offset && s->abbrevs_of == unit->sections;
    s->abbrevs_of = unit->sections;
    if (!has_abbrevs && !sym_abbrevs_read(&s->abbrevs, unit->sections->abbrev, unit->abbrev_offset)) {
        sym_module_warn(s->module,
                        "broken debug information: the unit at 0x%llx has no abbreviations",
                        (unsigned long long)unit->offset);
        return false;
    }
    s->r = sym_reader_at(s->section, unit->die_offset);
    s->r.end = s->section.data + unit->dies_end;
    read_str_offsets_base(s);
    return read_die(s, top) && top->abbrev;
}

static void scan_unit(scanner *s, sym_unit *unit)
{
    scanned top;
    if (begin_unit(s, unit, &top)) {
        s->index->has_cross_unit_origins |= top.abbrev->tag == DW_TAG_partial_unit;
        if (top.abbrev->has_children)
            scan_top_level(s, 0);
    }
    if (s->r.failed)
        sym_module_warn(s->module, "broken debug information in the unit at 0x%llx",
                        (unsigned long long)unit->offset);
}

/* ---- instances in other units ----------------------------------------------------------------- */

static bool has_instance(scanner *s, sym_unit *unit, uint64_t origin)
{
    scanned die;
    if (!begin_unit(s, unit, &die))
        return false;
    while (sym_read_left(&s->r) > 0 && read_die(s, &die))
        if (die.abbrev && die.origin == origin && die.abbrev->tag == DW_TAG_inlined_subroutine)
            return true;
    return false;
}

void sym_index_each_instance_unit(sym_module *module, uint64_t origin, sym_unit_fn *fn, void *self)
{
    scanner s = {.module = module, .index = sym_module_index(module)};
    for (size_t i = 0; i < module->n_info_units; i++) {
        sym_unit *unit = module->units.items[i];
        if (!may_be_split(unit) && has_instance(&s, unit, origin) && sym_unit_open(unit))
            fn(unit, self);
    }
    sym_abbrevs_fini(&s.abbrevs);
}

/* ---- the table -------------------------------------------------------------------------------- */

/* From the last entry to the first, so that chains are in order (SI2). */
static void fill_buckets(sym_index *index)
{
    index->n_buckets = 16;
    while (index->n_buckets < index->entries.n)
        index->n_buckets *= 2;
    index->buckets = ebb_zalloc(index->n_buckets * sizeof *index->buckets);
    for (size_t i = index->entries.n; i-- > 0;) {
        sym_entry *entry = &index->entries.items[i];
        uint32_t *bucket = &index->buckets[entry->hash & (index->n_buckets - 1)];
        entry->next = *bucket;
        *bucket = (uint32_t)i + 1;
    }
}

sym_index *sym_module_index(sym_module *module)
{
    if (module->index)
        return module->index;
    module->index = EBB_NEW(sym_index);
    sym_units_read(module);
    scanner s = {.module = module, .index = module->index};
    for (size_t i = 0; i < module->units.n; i++)
        scan_unit(&s, module->units.items[i]);
    sym_abbrevs_fini(&s.abbrevs);
    fill_buckets(module->index);
    return module->index;
}

void sym_index_free(sym_index *index)
{
    if (!index)
        return;
    ebb_vec_fini(&index->entries);
    free(index->buckets);
    free(index);
}

static const sym_entry *next_match(const sym_index *index, uint32_t at, const char *name,
                                   uint32_t hash)
{
    for (; at; at = index->entries.items[at - 1].next) {
        const sym_entry *entry = &index->entries.items[at - 1];
        if (entry->hash == hash && strcmp(entry->name, name) == 0)
            return entry;
    }
    return NULL;
}

const sym_entry *sym_index_first(const sym_index *index, const char *name)
{
    uint32_t hash = hash_name(name);
    return next_match(index, index->buckets[hash & (index->n_buckets - 1)], name, hash);
}

const sym_entry *sym_index_next(const sym_index *index, const sym_entry *entry)
{
    return next_match(index, entry->next, entry->name, entry->hash);
}

sym_unit *sym_entry_unit(sym_module *module, const sym_entry *entry)
{
    sym_unit *unit = module->units.items[entry->unit];
    return sym_unit_open(unit) ? unit : NULL;
}

bool sym_entry_die(sym_module *module, const sym_entry *entry, Dwarf_Die *die)
{
    sym_unit *unit = sym_entry_unit(module, entry);
    return unit && sym_unit_die_at(unit, entry->offset, die) && dwarf_tag(die) != DW_TAG_invalid;
}

/* "shop::over(std::string_view, int)": with the names that the source has for the types.  `rest` is what comes after them (" const").  free() */
static char *name_as_declared(sym_module *module, Dwarf_Die *die, const char *rest)
{
    ebb_buf out = {0};
    sym_type *type = sym_type_of_die(module, die);
    const char *name = sym_die_function_name(module, die);
    sym_type_complete(type);
    ebb_buf_addf(&out, "%s(", name ? name : "");
    for (size_t i = type->has_this; i < type->n_params; i++) {
        ebb_buf_adds(&out, i > type->has_this ? ", " : "");
        sym_type_print(type->params[i], &out);
    }
    ebb_buf_addf(&out, ")%s", rest);
    return ebb_buf_take(&out);
}

static bool is_called_as_declared(sym_module *module, Dwarf_Die *die, const char *wanted, const char *full)
{
    const char *end = full ? strrchr(full, ')') : NULL;
    char *declared = strchr(wanted, '(') ? name_as_declared(module, die, end ? end + 1 : "") : NULL;
    bool is_called = declared && sym_name_means(wanted, declared);
    free(declared);
    return is_called;
}

bool sym_die_is_called(sym_module *module, Dwarf_Die *die, const char *wanted)
{
    const char *linkage = sym_die_linkage_name(die), *own = linkage ? NULL : sym_die_function_name(module, die);
    char *full = linkage ? sym_demangle(linkage, true) : NULL;
    bool is_called = full ? sym_name_means(wanted, full) : own && sym_name_means(wanted, own);
    is_called = is_called || is_called_as_declared(module, die, wanted, full);
    free(full);
    return is_called;
}

/* ---- definitions ------------------------------------------------------------------------------ */

static bool kind_matches(const sym_entry *entry, sym_type_kind kind)
{
    return (kind == SYM_TYPE_STRUCT && entry->kind == SYM_ENTRY_STRUCT) ||
           (kind == SYM_TYPE_UNION && entry->kind == SYM_ENTRY_UNION) ||
           (kind == SYM_TYPE_ENUM && entry->kind == SYM_ENTRY_ENUM);
}

static sym_type *definition_in(sym_module *module, const sym_type *declared, const char *name)
{
    sym_type_kind kind = declared->kind;
    const sym_index *index = sym_module_index(module);
    for (const sym_entry *e = sym_index_first(index, name); e; e = sym_index_next(index, e)) {
        Dwarf_Die die;
        if (kind_matches(e, kind) && sym_entry_die(module, e, &die)) {
            sym_type *type = sym_type_of_die(module, &die);
            if (!type->is_declared_only && type->kind == kind && type->name && strcmp(type->name, declared->name) == 0)
                return type;
        }
    }
    return NULL;
}

sym_type *sym_index_find_definition(sym_table *table, const sym_type *declared, const char *own_name,
                                    sym_module *first)
{
    sym_type *type = own_name ? definition_in(first, declared, own_name) : NULL;
    for (size_t i = 0; i < table->modules.n && !type; i++)
        if (table->modules.items[i] != first)
            type = own_name ? definition_in(table->modules.items[i], declared, own_name) : NULL;
    return type;
}

static const sym_variable *external_in(sym_module *module, const char *name)
{
    const sym_index *index = sym_module_index(module);
    for (const sym_entry *e = sym_index_first(index, name); e; e = sym_index_next(index, e)) {
        Dwarf_Die die;
        if (e->kind == SYM_ENTRY_VARIABLE && e->is_external && sym_entry_die(module, e, &die))
            return sym_variable_of_die(sym_entry_unit(module, e), &die);
    }
    return NULL;
}

const sym_variable *sym_index_find_variable(sym_table *table, const char *name, sym_module *first)
{
    const sym_variable *found = external_in(first, name);
    for (size_t i = 0; i < table->modules.n && !found; i++)
        if (table->modules.items[i] != first)
            found = external_in(table->modules.items[i], name);
    return found;
}
