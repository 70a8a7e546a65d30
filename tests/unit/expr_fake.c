/* expr_fake.c - the world is filled by the tests, a line for each variable or type. */
#include "expr_fake.h"
#include "base/check.h"
#include "base/mem.h"

#include <stdio.h>
#include <string.h>

/* ---- symbols ---------------------------------------------------------------------------------- */

static fake_symbol *add_symbol(fake_world *fake, const char *name)
{
    ebb_check(fake->n_symbols < FAKE_MAX_SYMBOLS);
    fake_symbol *symbol = &fake->symbols[fake->n_symbols++];
    *symbol = (fake_symbol){.name = name};
    return symbol;
}

static fake_symbol *find_symbol(fake_world *fake, const char *name, bool is_type, bool is_register, bool is_convenience)
{
    for (size_t i = fake->n_symbols; i-- > 0;) {
        fake_symbol *symbol = &fake->symbols[i];
        if (strcmp(symbol->name, name) == 0 && symbol->is_type == is_type && symbol->is_register == is_register &&
            symbol->is_convenience == is_convenience)
            return symbol;
    }
    return NULL;
}

static ebb_status find_name(void *self, ebb_arena *arena, const char *scope, const char *name, expr_value *value, ebb_error *err)
{
    fake_world *fake = self;
    fake_symbol *symbol = find_symbol(fake, name, false, false, false);
    bool has_scope = scope && *scope;
    if (has_scope && strcmp(scope, "file.c") != 0)
        return ebb_fail(err, EBB_NOT_FOUND, "No symbol \"%s\" in current context.", scope);
    if (!symbol)
        return ebb_fail(err, EBB_NOT_FOUND, "No symbol \"%.200s\" in %s context.", name, has_scope ? "specified" : "current");
    *value = symbol->value;
    return EBB_OK;
}

static sym_type *find_type(void *self, sym_type_kind kind, const char *name)
{
    fake_world *fake = self;
    for (size_t i = 0; i < fake->n_symbols; i++) {
        fake_symbol *symbol = &fake->symbols[i];
        if (symbol->is_type && strcmp(symbol->name, name) == 0 && symbol->value.type->kind == kind)
            return symbol->value.type;
    }
    return NULL;
}

/* ---- memory ----------------------------------------------------------------------------------- */

static ebb_status check_range(uint64_t addr, size_t nbytes, ebb_error *err)
{
    if (addr < FAKE_BASE || nbytes > FAKE_NBYTES || addr - FAKE_BASE > FAKE_NBYTES - nbytes)
        return ebb_fail(err, EBB_NO_MEMORY_AT, "Cannot access memory at address 0x%llx", (unsigned long long)addr);
    return EBB_OK;
}

static ebb_status read_memory(void *self, uint64_t addr, void *bytes, size_t nbytes, ebb_error *err)
{
    fake_world *fake = self;
    fake->n_reads++;
    ebb_status status = check_range(addr, nbytes, err);
    if (!status) {
        fake->n_bytes_read += nbytes;
        memcpy(bytes, fake->memory + (addr - FAKE_BASE), nbytes);
    }
    return status;
}

static ebb_status write_memory(void *self, uint64_t addr, const void *bytes, size_t nbytes, ebb_error *err)
{
    fake_world *fake = self;
    fake->n_writes++;
    ebb_status status = check_range(addr, nbytes, err);
    if (!status)
        memcpy(fake->memory + (addr - FAKE_BASE), bytes, nbytes);
    return status;
}

static uint64_t reserve(fake_world *fake, uint64_t nbytes)
{
    fake->used = (fake->used + 15) / 16 * 16;
    uint64_t addr = FAKE_BASE + fake->used;
    fake->used += nbytes;
    ebb_check(fake->used <= FAKE_NBYTES);
    return addr;
}

static ebb_status place_bytes(void *self, const void *bytes, size_t nbytes, uint64_t *addr, ebb_error *err)
{
    *addr = reserve(self, nbytes);
    return write_memory(self, *addr, bytes, nbytes, err);
}

/* ---- registers, conveniences, history --------------------------------------------------------- */

static ebb_status find_register(void *self, ebb_arena *arena, const char *name, expr_value *value, ebb_error *err)
{
    fake_symbol *symbol = find_symbol(self, name, false, true, false);
    if (!symbol)
        return ebb_fail(err, EBB_NOT_FOUND, "No register %s.", name);
    *value = symbol->value;
    return EBB_OK;
}

static fake_symbol *symbol_of_place(fake_world *fake, const expr_place *place)
{
    ebb_check(place->kind == EXPR_PLACE_REGISTER && !place->whole);
    return find_symbol(fake, place->name, false, true, false);
}

static ebb_status read_place(void *self, expr_value *value, ebb_error *err)
{
    fake_symbol *symbol = symbol_of_place(self, &value->place);
    memcpy(value->bytes, symbol->bytes, (size_t)sym_type_size(value->type));
    /* The odd register whose upper half is lost, for tests of partly optimised out values. */
    if (strcmp(symbol->name, "half") == 0)
        value->missing[0] = 0xf0;
    return EBB_OK;
}

static ebb_status write_place(void *self, const expr_place *place, sym_type *type, const void *bytes, ebb_error *err)
{
    fake_world *fake = self;
    fake->n_writes++;
    memcpy(symbol_of_place(self, place)->bytes, bytes, (size_t)sym_type_size(type));
    return EBB_OK;
}

static ebb_status get_convenience(void *self, ebb_arena *arena, const char *name, expr_value *value, ebb_error *err)
{
    fake_world *fake = self;
    fake_symbol *symbol = find_symbol(fake, name, false, false, true);
    *value = symbol ? symbol->value
                    : (expr_value){.type = sym_types_basic(fake->world.types, "void")};
    return EBB_OK;
}

static ebb_status set_convenience(void *self, const char *name, const expr_value *value, ebb_error *err)
{
    fake_world *fake = self;
    fake_symbol *symbol = find_symbol(fake, name, false, false, true);
    if (!symbol)
        symbol = add_symbol(fake, ebb_arena_strdup(&fake->arena, name));
    symbol->is_convenience = true;
    if (symbol->value.bytes) /* whoever still looks at the old value sees it */
        memset(symbol->value.bytes, 0xee, (size_t)sym_type_size(symbol->value.type));
    symbol->value = expr_value_of_bytes(&fake->arena, value->type, value->bytes);
    return EBB_OK;
}

static ebb_status get_history(void *self, ebb_arena *arena, long index, bool from_end, expr_value *value, ebb_error *err)
{
    fake_world *fake = self;
    long at = from_end ? (long)fake->n_history - index : index;
    if (at < 1 || at > (long)fake->n_history)
        return ebb_fail(err, EBB_NOT_FOUND, "History has not yet reached $%ld.", at);
    *value = fake->history[at - 1];
    return EBB_OK;
}

/* ---- functions -------------------------------------------------------------------------------- */

static ebb_status call(void *self, ebb_arena *arena, const expr_call *call, expr_value *result, ebb_error *err)
{
    fake_world *fake = self;
    fake->n_calls++;
    sym_type *type = call->type->target ? call->type->target : sym_types_basic(fake->world.types, "void");
    for (size_t i = 0; i < fake->n_symbols; i++) {
        fake_symbol *symbol = &fake->symbols[i];
        if (symbol->call && symbol->value.place.addr == call->addr) {
            uint64_t bits[2] = {symbol->call(call->args, call->n_args), 0};
            *result = expr_value_of_bytes(arena, type, bits);
            return EBB_OK;
        }
    }
    return ebb_fail(err, EBB_NO_MEMORY_AT, "Cannot access memory at address 0x%llx", (unsigned long long)call->addr);
}

static bool symbolise(void *self, uint64_t addr, bool data_too, ebb_buf *out)
{
    fake_world *fake = self;
    for (size_t i = 0; i < fake->n_symbols; i++) {
        fake_symbol *symbol = &fake->symbols[i];
        uint64_t start = symbol->value.place.addr;
        if (symbol->value.place.kind != EXPR_PLACE_MEMORY || (!symbol->call && !data_too))
            continue;
        if (addr >= start && addr < start + symbol->nbytes) {
            ebb_buf_addf(out, addr > start ? "<%s+%d>" : "<%s>", symbol->name, (int)(addr - start));
            return true;
        }
    }
    return false;
}

/* ---- building --------------------------------------------------------------------------------- */

void fake_init(fake_world *fake)
{
    *fake = (fake_world){.memory = ebb_zalloc(FAKE_NBYTES), .format = expr_format_default()};
    fake->world = (expr_world){
        .self = fake,
        .types = sym_types_new(),
        .find_name = find_name,
        .find_type = find_type,
        .read = read_memory,
        .write = write_memory,
        .find_register = find_register,
        .read_place = read_place,
        .write_place = write_place,
        .get_convenience = get_convenience,
        .set_convenience = set_convenience,
        .get_history = get_history,
        .call = call,
        .place_bytes = place_bytes,
        .symbolise = symbolise,
    };
}

void fake_fini(fake_world *fake)
{
    sym_types_free(fake->world.types);
    ebb_arena_fini(&fake->arena);
    ebb_buf_fini(&fake->text);
    free(fake->memory);
}

sym_type *fake_type(fake_world *fake, const char *text)
{
    sym_type *type = NULL;
    ebb_status status = expr_parse_type(&fake->arena, &fake->world, text, &type, &fake->err);
    if (status)
        fprintf(stderr, "%s: %s\n", text, fake->err.text);
    ebb_check(status == EBB_OK);
    return type;
}

uint64_t fake_variable(fake_world *fake, const char *type, const char *name, const void *bytes)
{
    fake_symbol *symbol = add_symbol(fake, name);
    symbol->value.type = fake_type(fake, type);
    symbol->value.is_lazy = true;
    symbol->nbytes = sym_type_size(symbol->value.type);
    uint64_t addr = reserve(fake, symbol->nbytes);
    symbol->value.place = (expr_place){.kind = EXPR_PLACE_MEMORY, .addr = addr};
    if (bytes)
        memcpy(fake->memory + (addr - FAKE_BASE), bytes, (size_t)symbol->nbytes);
    return addr;
}

uint64_t fake_function(fake_world *fake, const char *type, const char *name, uint64_t (*function)(const expr_value *args, size_t n_args))
{
    fake_symbol *symbol = add_symbol(fake, name);
    symbol->value.type = strcmp(type, "?") == 0 ? expr_type_without_debug_info(fake->world.types, true) : fake_type(fake, type);
    symbol->value.is_lazy = true;
    symbol->nbytes = 16;
    symbol->call = function;
    symbol->value.place = (expr_place){.kind = EXPR_PLACE_MEMORY, .addr = reserve(fake, symbol->nbytes)};
    return symbol->value.place.addr;
}

void fake_register(fake_world *fake, const char *type, const char *name, uint64_t value)
{
    fake_symbol *symbol = add_symbol(fake, name);
    symbol->is_register = true;
    symbol->value.type = fake_type(fake, type);
    symbol->value.is_lazy = true;
    symbol->value.place = (expr_place){.kind = EXPR_PLACE_REGISTER, .name = name};
    memcpy(symbol->bytes, &value, sizeof value);
}

void fake_in_register(fake_world *fake, const char *type, const char *name, const char *register_name, uint64_t value)
{
    fake_register(fake, type, register_name, value);
    fake_symbol *symbol = add_symbol(fake, name);
    symbol->value = fake->symbols[fake->n_symbols - 2].value;
}

static sym_type *add_type(fake_world *fake, sym_type_kind kind, const char *name)
{
    sym_type *type = sym_types_add(fake->world.types, kind);
    type->name = name;
    fake_symbol *symbol = add_symbol(fake, name);
    symbol->is_type = true;
    symbol->value.type = type;
    return type;
}

sym_type *fake_typedef(fake_world *fake, const char *type, const char *name)
{
    sym_type *target = fake_type(fake, type);
    sym_type *made = add_type(fake, SYM_TYPE_TYPEDEF, name);
    made->target = target;
    return made;
}

sym_type *fake_enum(fake_world *fake, const char *tag, const sym_enumerator *enumerators, size_t n)
{
    sym_type *type = add_type(fake, SYM_TYPE_ENUM, tag);
    type->nbytes = 4;
    type->enumerators = enumerators;
    type->n_enumerators = n;
    for (size_t i = 0; i < n; i++) {
        type->is_signed |= enumerators[i].value < 0;
        fake_symbol *symbol = add_symbol(fake, enumerators[i].name);
        symbol->value = expr_value_of_u64(&fake->arena, type, (uint64_t)enumerators[i].value);
    }
    return type;
}

static uint64_t alignment(sym_type *type)
{
    type = sym_type_strip(type);
    if (type->kind == SYM_TYPE_ARRAY)
        return alignment(type->target);
    uint64_t most = 1;
    for (size_t i = 0; i < type->n_members; i++) {
        uint64_t inner = alignment(type->members[i].type);
        most = inner > most ? inner : most;
    }
    return type->n_members ? most : type->nbytes ? type->nbytes : 1;
}

typedef struct bit_layout {
    uint64_t nbits, align;
} bit_layout;

static void place_member(bit_layout *layout, sym_type_kind kind, sym_member *member)
{
    uint64_t align = alignment(member->type), unit = 8 * sym_type_size(member->type);
    uint64_t at = kind == SYM_TYPE_UNION ? 0 : layout->nbits;
    if (!member->nbits)
        at = (at + 8 * align - 1) / (8 * align) * (8 * align);
    else if (at / unit != (at + member->nbits - 1) / unit)
        at = (at + unit - 1) / unit * unit;
    member->offset = at / 8;
    member->bit_offset = (unsigned)(at % 8);
    uint64_t end = at + (member->nbits ? member->nbits : unit);
    layout->nbits = end > layout->nbits ? end : layout->nbits;
    layout->align = align > layout->align ? align : layout->align;
}

/* "type name", "type name:bits", or "type" alone for an anonymous member. */
static sym_member read_member(fake_world *fake, char *text)
{
    sym_member member = {0};
    char *colon = strchr(text, ':');
    if (colon) {
        member.nbits = (unsigned)atoi(colon + 1);
        *colon = '\0';
    }
    char *name = strrchr(text, ' ');
    ebb_check(name);
    if (name[1] != '-')
        member.name = ebb_arena_strdup(&fake->arena, name + 1);
    *name = '\0';
    member.type = fake_type(fake, text);
    return member;
}

sym_type *fake_struct(fake_world *fake, sym_type_kind kind, const char *tag, const char *members)
{
    sym_type *type = add_type(fake, kind, tag);
    sym_member *made = sym_types_alloc(fake->world.types, 32 * sizeof *made);
    char *text = ebb_strdup(members), *rest = text;
    bit_layout layout = {.align = 1};
    for (char *one; (one = strsep(&rest, ";"));) {
        one += strspn(one, " ");
        if (*one == '\0')
            continue;
        ebb_check(type->n_members < 32);
        made[type->n_members] = read_member(fake, one);
        place_member(&layout, kind, &made[type->n_members++]);
    }
    free(text);
    type->members = made;
    type->nbytes = (layout.nbits + 8 * layout.align - 1) / (8 * layout.align) * layout.align;
    return type;
}

/* ---- asking ----------------------------------------------------------------------------------- */

static const char *answer(fake_world *fake, ebb_status status)
{
    if (status) {
        ebb_check(fake->err.status == status && fake->err.text[0]); /* E2 */
        ebb_buf_truncate(&fake->text, 0);
        ebb_buf_addf(&fake->text, "! %s", fake->err.text);
    }
    return ebb_buf_text(&fake->text);
}

static void remember(fake_world *fake, const expr_value *value)
{
    if (fake->n_history < FAKE_MAX_HISTORY)
        fake->history[fake->n_history++] = *value;
}

const char *fake_print(fake_world *fake, const char *expression)
{
    expr_format format = fake->format;
    expr_value value;
    long count;
    ebb_buf_truncate(&fake->text, 0);
    if (*expression == '/') {
        ebb_status status = expr_format_parse(expression, &format, &count, &expression, &fake->err);
        if (status)
            return answer(fake, status);
    }
    ebb_status status = expr_evaluate(&fake->arena, &fake->world, expression, &value, &fake->err);
    if (!status)
        status = expr_print_top(&fake->arena, &fake->world, &format, &value, &fake->text, &fake->err);
    if (!status)
        remember(fake, &value);
    return answer(fake, status);
}

const char *fake_whatis(fake_world *fake, const char *expression)
{
    const expr_node *tree;
    sym_type *type;
    bool is_type_name;
    ebb_buf_truncate(&fake->text, 0);
    ebb_status status = expr_parse(&fake->arena, &fake->world, expression, &tree, &fake->err);
    if (!status)
        status = expr_type_of(&fake->arena, &fake->world, tree, &type, &is_type_name, &fake->err);
    if (!status)
        sym_type_print(type, &fake->text);
    return answer(fake, status);
}
