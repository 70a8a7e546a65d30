/* print_aggregate.c - structs, unions and arrays: nesting, runs of equal elements, limits. */
#include "expr/library.h"
#include "expr/print.h"
#include "symbols/short_names.h"

#include <string.h>

enum {
    MAX_DEPTH = 100,         /* whatever the setting: debug information can nest a type in itself */
    CHUNK_NBYTES = 64 << 10, /* of an array that isn't fetched as a whole */
    MAX_RUN_NBYTES = 16 << 20,    /* PR3: how far a run is counted in such an array */
    MAX_OUTPUT_NBYTES = 16 << 20, /* arrays of arrays of arrays multiply their limits */
};

static bool is_too_deep(const expr_printer *printer, unsigned depth)
{
    unsigned limit = printer->format->depth_limit;
    return (limit && depth >= limit) || depth >= MAX_DEPTH;
}

static void new_line(expr_printer *printer, unsigned depth)
{
    ebb_buf_addf(printer->out, "\n%*s", (int)(2 * depth), "");
}

/* ---- structs and unions ---------------------------------------------------------------------- */

/* A member without the way back to its place, which printing has no use for. */
static expr_value member_value(expr_printer *printer, const expr_value *whole,
                               const sym_member *member)
{
    expr_value copy = *whole;
    if (copy.place.kind != EXPR_PLACE_MEMORY)
        copy.place = (expr_place){.kind = EXPR_PLACE_NONE};
    return expr_value_part(printer->arena, &copy, member->type, member->offset, member->bit_offset,
                           member->nbits);
}

/* A variable of its own, called by the class. */
static ebb_status print_static(expr_printer *printer, const sym_type *type, const sym_member *member, unsigned depth)
{
    const expr_world *world = printer->world;
    expr_value value = {0};
    ebb_buf_addf(printer->out, "static %s = ", member->name ? member->name : "");
    if (member->has_constant)
        value = expr_value_of_u64(printer->arena, member->type, (uint64_t)member->constant);
    else if (!member->name || !type->name ||
             world->find_name(world->self, printer->arena, type->name, member->name, &value, NULL) != EBB_OK || value.is_optimized_out) {
        ebb_buf_adds(printer->out, "<optimized out>");
        return EBB_OK;
    }
    return expr_print_value(printer, &value, depth + 1);
}

static void put_base_name(expr_printer *printer, sym_type *base)
{
    ebb_buf_addc(printer->out, '<');
    sym_canonical_names(base->name ? base->name : "", printer->out);
    ebb_buf_adds(printer->out, "> = ");
}

static ebb_status print_member(expr_printer *printer, const expr_value *whole,
                               const sym_member *member, unsigned depth)
{
    if (member->is_static)
        return print_static(printer, sym_type_strip(whole->type), member, depth);
    if (member->is_base)
        put_base_name(printer, member->type);
    if (member->is_base && sym_type_strip(member->type)->is_declared_only) { /* nothing is known of it */
        ebb_buf_adds(printer->out, "{<No data fields>}");
        return EBB_OK;
    }
    if (member->is_virtual) {
        expr_value base;
        printer->prints_base = true;
        if (expr_virtual_base(printer->world, whole, member, &base))
            return expr_print_value(printer, &base, depth + 1);
        ebb_buf_adds(printer->out, "<invalid address>");
        return EBB_OK;
    }
    if (member->name)
        ebb_buf_addf(printer->out, "%s = ", member->name);
    expr_value value = member_value(printer, whole, member);
    printer->prints_base = member->is_base;
    return expr_print_value(printer, &value, depth + 1);
}

/* A virtual base is there once, however often it is inherited. */
static bool is_shown_already(expr_printer *printer, const sym_member *member)
{
    if (!member->is_virtual)
        return false;
    for (size_t i = printer->virtual_from; i < printer->n_virtual_bases; i++)
        if (sym_type_same(printer->virtual_bases[i], member->type))
            return true;
    if (printer->n_virtual_bases < EXPR_MAX_VIRTUAL_BASES)
        printer->virtual_bases[printer->n_virtual_bases++] = member->type;
    return false;
}

static ebb_status print_struct(expr_printer *printer, expr_value *value, unsigned depth)
{
    sym_type *type = sym_type_strip(value->type);
    bool is_hidden_union =
        type->kind == SYM_TYPE_UNION && depth > 0 && !printer->format->union_members;
    if (is_too_deep(printer, depth) || is_hidden_union) {
        ebb_buf_adds(printer->out, "{...}");
        return EBB_OK;
    }
    const char *shown;
    bool hides_bases = expr_library_of(type, &shown) == EXPR_LIBRARY_PAIR; /* an empty one, of its own making */
    size_t n_bases = 0, n_shown = 0;
    for (size_t i = 0; i < type->n_members; i++)
        n_bases += type->members[i].is_base && !hides_bases;
    ebb_buf_addc(printer->out, '{');
    bool is_pretty = printer->format->pretty && type->n_members > 0;
    for (size_t i = 0; i < type->n_members; i++) {
        if (type->members[i].is_base && hides_bases)
            continue;
        if (is_shown_already(printer, &type->members[i])) {
            n_bases--;
            continue;
        }
        bool is_first_own = n_bases > 0 && n_shown == n_bases;
        if (n_shown++ > 0)
            ebb_buf_adds(printer->out, is_pretty && !is_first_own ? "," : ", ");
        if (is_pretty)
            new_line(printer, depth + 1);
        if (is_pretty && is_first_own) {
            ebb_buf_addf(printer->out, "members of %s:", type->name ? type->name : "");
            new_line(printer, depth + 1);
        }
        ebb_status status = print_member(printer, value, &type->members[i], depth);
        if (status)
            return status;
    }
    bool has_own = n_shown > n_bases;
    if (!has_own)
        ebb_buf_adds(printer->out, n_bases ? ", <No data fields>" : "<No data fields>");
    if (is_pretty && has_own)
        new_line(printer, depth);
    ebb_buf_addc(printer->out, '}');
    return EBB_OK;
}

ebb_status expr_print_struct(expr_printer *printer, expr_value *value, unsigned depth)
{
    size_t n = printer->n_virtual_bases, from = printer->virtual_from;
    bool is_base = printer->prints_base;
    printer->prints_base = false;
    if (!is_base)
        printer->virtual_from = n;
    ebb_status status = print_struct(printer, value, depth);
    if (!is_base) {
        printer->n_virtual_bases = n;
        printer->virtual_from = from;
    }
    return status;
}

/* ---- the elements of an array ---------------------------------------------------------------- */

/* Reads an array that is too large to be fetched in chunks; of one that is there it lends the
 * bytes. */
typedef struct elements {
    expr_printer *printer;
    const expr_value *array;
    sym_type *type;
    uint64_t nbytes, count; /* of one; how many */
    uint8_t *chunk;
    uint64_t chunk_first, chunk_count;
} elements;

static elements elements_of(expr_printer *printer, const expr_value *array)
{
    sym_type *type = sym_type_strip(array->type);
    elements all = {.printer = printer,
                    .array = array,
                    .type = type->target,
                    .nbytes = sym_type_size(type->target)};
    /* The size counts, should the debug information contradict itself. */
    all.count = type->nbytes / all.nbytes;
    return all;
}

static bool read_chunk(elements *all, uint64_t first)
{
    const expr_world *world = all->printer->world;
    uint64_t n = all->nbytes < CHUNK_NBYTES ? CHUNK_NBYTES / all->nbytes : 1;
    n = n < all->count - first ? n : all->count - first;
    if (!all->chunk)
        all->chunk = ebb_arena_alloc(all->printer->arena, (size_t)(n * all->nbytes));
    uint64_t addr = all->array->place.addr + first * all->nbytes;
    /* Near the end of what is readable a smaller chunk may do. */
    for (; n > 0; n /= 2) {
        if (world->read(world->self, addr, all->chunk, (size_t)(n * all->nbytes), NULL) == EBB_OK)
            break;
    }
    all->chunk_first = first;
    all->chunk_count = n;
    return n > 0;
}

/* The bytes of element i, borrowed until the next call; NULL if they can't be read. */
static const uint8_t *element_bytes(elements *all, uint64_t i)
{
    if (all->array->bytes)
        return all->array->bytes + i * all->nbytes;
    bool is_there = i >= all->chunk_first && i - all->chunk_first < all->chunk_count;
    if (!is_there && !read_chunk(all, i))
        return NULL;
    return all->chunk + (i - all->chunk_first) * all->nbytes;
}

/* How many elements from i on are equal to it. */
static uint64_t run_length(elements *all, uint64_t i, const uint8_t *first)
{
    uint64_t n = 1, limit = all->count - i;
    if (all->array->missing)
        return 1;
    if (!all->array->bytes && limit > MAX_RUN_NBYTES / all->nbytes)
        limit = MAX_RUN_NBYTES / all->nbytes + 1;
    for (; n < limit; n++) {
        const uint8_t *bytes = element_bytes(all, i + n);
        if (!bytes || memcmp(bytes, first, (size_t)all->nbytes) != 0)
            break;
    }
    return n;
}

/* Elements that are larger than a chunk are left to be read by whoever prints them. */
static bool are_lazy(const elements *all)
{
    return !all->array->bytes && all->nbytes > CHUNK_NBYTES;
}

static expr_value element_value(elements *all, uint64_t i, uint8_t *bytes)
{
    if (are_lazy(all))
        return expr_value_at(all->type, all->array->place.addr + i * all->nbytes);
    if (all->array->missing) {
        expr_value copy = *all->array;
        copy.place = (expr_place){.kind = EXPR_PLACE_NONE};
        return expr_value_part(all->printer->arena, &copy, all->type, i * all->nbytes, 0, 0);
    }
    expr_value value = {.type = all->type, .bytes = bytes};
    if (all->array->place.kind == EXPR_PLACE_MEMORY)
        value.place = (expr_place){.kind = EXPR_PLACE_MEMORY,
                                   .addr = all->array->place.addr + i * all->nbytes};
    return value;
}

/* Element i, of which there are n in a row. */
static ebb_status print_run(elements *all, uint64_t i, uint8_t *bytes, unsigned depth, uint64_t n)
{
    expr_printer *printer = all->printer;
    if (printer->format->array_indexes)
        ebb_buf_addf(printer->out, "[%llu] = ", (unsigned long long)i);
    expr_value value = element_value(all, i, bytes);
    ebb_status status = expr_print_value(printer, &value, depth + 1);
    if (n > 1)
        ebb_buf_addf(printer->out, " <repeats %llu times>", (unsigned long long)n);
    return status;
}

/* PR2: at the very beginning it is an error, later it is shown. */
static ebb_status stop_at_unreadable(elements *all, uint64_t i, unsigned depth)
{
    expr_printer *printer = all->printer;
    unsigned long long addr = all->array->place.addr + i * all->nbytes;
    if (i == 0 && depth == 0)
        return ebb_fail(printer->err, EBB_NO_MEMORY_AT, "Cannot access memory at address 0x%llx",
                        addr);
    ebb_buf_addf(printer->out, "<error: Cannot access memory at address 0x%llx>", addr);
    return EBB_OK;
}

static uint64_t limit_or_none(unsigned limit)
{
    return limit ? limit : UINT64_MAX;
}

static ebb_status print_elements(elements *all, unsigned depth)
{
    expr_printer *printer = all->printer;
    uint64_t limit = limit_or_none(printer->format->elements_limit);
    uint64_t repeats_limit = limit_or_none(printer->format->repeats_limit);
    uint8_t *copy = are_lazy(all) ? NULL : ebb_arena_alloc(printer->arena, (size_t)all->nbytes);
    uint64_t i = 0, n_printed = 0;
    while (i < all->count && n_printed < limit &&
           (limit == UINT64_MAX || printer->out->n < MAX_OUTPUT_NBYTES)) {
        uint64_t n = 1;
        if (i > 0)
            ebb_buf_adds(printer->out, printer->format->array_lines ? "," : ", ");
        if (printer->format->array_lines)
            new_line(printer, depth + 1);
        if (copy) {
            const uint8_t *bytes = element_bytes(all, i);
            if (!bytes)
                return stop_at_unreadable(all, i, depth);
            memcpy(copy, bytes, (size_t)all->nbytes);
            n = repeats_limit == UINT64_MAX ? 1 : run_length(all, i, copy);
        }
        bool is_run = n > repeats_limit;
        n = is_run ? n : 1;
        ebb_status status = print_run(all, i, copy, depth, n);
        if (status)
            return status;
        i += n;
        n_printed += is_run ? repeats_limit : 1;
    }
    if (i < all->count)
        ebb_buf_adds(printer->out, "...");
    return EBB_OK;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

/* With `set print null-stop`, only what stands in front of the first NUL. */
static uint64_t cut_at_nul(const expr_printer *printer, const uint8_t *bytes, uint64_t n,
                           size_t unit_nbytes, bool *more_follows)
{
    static const uint8_t nul[4];
    uint64_t limit = limit_or_none(printer->format->elements_limit), at = 0;
    while (at < n && at < limit && memcmp(bytes + at * unit_nbytes, nul, unit_nbytes) != 0)
        at++;
    if (at == limit && at < n && memcmp(bytes + at * unit_nbytes, nul, unit_nbytes) != 0)
        *more_follows = true;
    return at;
}

static ebb_status print_text_array(elements *all, unsigned depth)
{
    expr_printer *printer = all->printer;
    uint64_t n = all->count;
    bool more_follows = false;
    const uint8_t *bytes = element_bytes(all, 0);
    if (!bytes)
        return stop_at_unreadable(all, 0, depth);
    if (!all->array->bytes) {
        n = all->chunk_count;
        more_follows = n < all->count;
    }
    if (printer->format->null_stop)
        n = cut_at_nul(printer, bytes, n, (size_t)all->nbytes, &more_follows);
    expr_print_text(printer, all->type, bytes, (size_t)n, more_follows);
    return EBB_OK;
}

ebb_status expr_print_array(expr_printer *printer, expr_value *value, unsigned depth)
{
    sym_type *type = sym_type_strip(value->type);
    bool is_nowhere = !value->bytes && value->place.kind != EXPR_PLACE_MEMORY;
    if (sym_type_size(type->target) == 0 || type->nbytes < sym_type_size(type->target) ||
        is_nowhere) {
        ebb_buf_adds(printer->out, "{}");
        return EBB_OK;
    }
    elements all = elements_of(printer, value);
    if (expr_text_prefix(all.type, printer->format->letter) && !value->missing)
        return print_text_array(&all, depth);
    if (is_too_deep(printer, depth)) {
        ebb_buf_adds(printer->out, "{...}");
        return EBB_OK;
    }
    ebb_buf_addc(printer->out, type->is_rust ? '[' : '{');
    ebb_status status = print_elements(&all, depth);
    if (printer->format->array_lines)
        new_line(printer, depth);
    ebb_buf_addc(printer->out, type->is_rust ? ']' : '}');
    return status;
}
