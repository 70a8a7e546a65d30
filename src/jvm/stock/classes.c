/* classes.c - the classes of a stock JVM, as ebb numbers them. */
#include "jvm/stock/internal.h"

#include "base/text.h"

#include <string.h>

enum { TAG_ARRAY = 3, TAG_INTERFACE = 2, IS_PREPARED = 2, IS_INITIALISED = 4, FIRST_OFFSET = 16, OFFSET_STEP = 8 };

/* ---- names ---- */

static const char *primitive_name(char letter)
{
    static const char *const names[] = {"Bbyte", "Cchar", "Ddouble", "Ffloat", "Iint", "Jlong", "Sshort", "Zboolean", "Vvoid"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i][0] == letter)
            return names[i] + 1;
    return "?";
}

/* Of a hidden class the number that the JVM appends is after a dot in one, after a slash in the other. */
static char other_separator(char c)
{
    return c == '/' ? '.' : c == '.' ? '/' : c;
}

/* "[Lpkg/Main;" is "pkg.Main[]"; "LMain$$Lambda$1.0x8;" is "Main$$Lambda$1/0x8". */
static const char *name_of_signature(ebb_arena *arena, const char *signature)
{
    size_t dimensions = strspn(signature, "[");
    const char *at = signature + dimensions;
    ebb_buf name = {0};
    if (*at == 'L')
        for (at++; *at && *at != ';'; at++)
            ebb_buf_addc(&name, other_separator(*at));
    else
        ebb_buf_adds(&name, primitive_name(*at));
    while (dimensions-- > 0)
        ebb_buf_adds(&name, "[]");
    const char *kept = ebb_arena_strdup(arena, ebb_buf_text(&name));
    ebb_buf_fini(&name);
    return kept;
}

/* The other way round. */
static const char *signature_of_name(ebb_arena *arena, const char *name)
{
    size_t n = strlen(name);
    ebb_buf out = {0};
    for (; n > 2 && strncmp(name + n - 2, "[]", 2) == 0; n -= 2)
        ebb_buf_addc(&out, '[');
    char letter = 0;
    for (const char *at = "BCDFIJSZV"; *at; at++)
        if (strlen(primitive_name(*at)) == n && strncmp(primitive_name(*at), name, n) == 0)
            letter = *at;
    if (letter)
        ebb_buf_addc(&out, letter);
    else {
        ebb_buf_addc(&out, 'L');
        for (size_t i = 0; i < n; i++)
            ebb_buf_addc(&out, other_separator(name[i]));
        ebb_buf_addc(&out, ';');
    }
    const char *kept = ebb_arena_strdup(arena, ebb_buf_text(&out));
    ebb_buf_fini(&out);
    return kept;
}

/* ---- numbers ---- */

static uint32_t hash_of(const char *text)
{
    uint32_t h = 2166136261u;
    for (; *text; text++)
        h = (h ^ (uint8_t)*text) * 16777619u;
    return h & 0x7fffffff;
}

/* The same in every run, but where two names share a hash. */
static uint32_t free_serial(const stock *k, const char *signature)
{
    uint32_t serial = hash_of(signature);
    while (serial == 0 || ebb_map_get_u64(k->by_serial, serial))
        serial = (serial + 1) & 0x7fffffff;
    return serial;
}

static stock_class *add_class(stock *k, uint8_t tag, uint64_t type, const char *signature)
{
    stock_class *cls = EBB_ARENA_NEW(&k->for_good, stock_class);
    *cls = (stock_class){.type = type, .tag = tag, .signature = ebb_arena_strdup(&k->for_good, signature)};
    cls->name = name_of_signature(&k->for_good, signature);
    cls->serial = free_serial(k, signature);
    ebb_map_set_u64(k->by_type, type, cls);
    ebb_map_set_u64(k->by_serial, cls->serial, cls);
    ebb_vec_push(&k->classes, cls);
    return cls;
}

stock_class *stock_class_of_type(stock *k, uint8_t tag, uint64_t type)
{
    stock_class *cls = type ? ebb_map_get_u64(k->by_type, type) : NULL;
    if (cls || !type)
        return cls;
    ebb_arena arena = {0};
    jdwp_in in;
    if (stock_ask(k, &arena, &in, NULL, JDWP_TYPE_SIGNATURE, "t", type) == EBB_OK)
        cls = add_class(k, tag, type, jdwp_text(&in, &arena));
    ebb_arena_fini(&arena);
    return cls;
}

stock_class *stock_class_by_serial(const stock *k, uint64_t serial)
{
    return ebb_map_get_u64(k->by_serial, serial);
}

/* ---- members ---- */

static uint32_t new_offset(stock *k, stock_class *cls, size_t index)
{
    if (k->n_offsets == k->cap_offsets)
        k->offsets = ebb_vec_grow(k->offsets, &k->cap_offsets, sizeof *k->offsets);
    k->offsets[k->n_offsets].cls = cls;
    k->offsets[k->n_offsets].index = index;
    return FIRST_OFFSET + OFFSET_STEP * (uint32_t)k->n_offsets++;
}

static bool read_members(stock *k, uint64_t type, jdwp_command command, stock_member **out, size_t *n)
{
    ebb_arena arena = {0};
    jdwp_in in;
    bool good = stock_ask(k, &arena, &in, NULL, command, "t", type) == EBB_OK;
    uint32_t count = good ? jdwp_count(&in, 13) : 0;
    *out = EBB_ARENA_ARRAY(&k->for_good, stock_member, count + 1u);
    for (*n = 0; *n < count; ++*n) {
        stock_member *m = &(*out)[*n];
        m->id = command == JDWP_TYPE_FIELDS ? jdwp_field(&in) : jdwp_method(&in);
        m->name = jdwp_text(&in, &k->for_good);
        m->descriptor = jdwp_text(&in, &k->for_good);
        m->access = (uint16_t)jdwp_u32(&in);
    }
    ebb_arena_fini(&arena);
    return good;
}

static int by_name(const void *a, const void *b)
{
    const stock_member *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : strcmp(x->descriptor, y->descriptor);
}

static void read_parents(stock *k, stock_class *cls)
{
    ebb_arena arena = {0};
    jdwp_in in;
    stock_class *parent = NULL;
    if (cls->tag == 1 && stock_ask(k, &arena, &in, NULL, JDWP_CLASS_SUPER, "t", cls->type) == EBB_OK)
        parent = stock_class_of_type(k, 1, jdwp_type(&in));
    else if (cls->tag != 1)
        parent = stock_class_named(k, "Ljava/lang/Object;");
    cls->super = parent ? parent->serial : 0;
    if (cls->tag != TAG_ARRAY && stock_ask(k, &arena, &in, NULL, JDWP_TYPE_INTERFACES, "t", cls->type) == EBB_OK) {
        uint32_t n = jdwp_count(&in, k->j.sizes.n_type);
        cls->interfaces = EBB_ARENA_ARRAY(&k->for_good, uint32_t, n + 1u);
        for (uint32_t i = 0; i < n; i++) {
            const stock_class *one = stock_class_of_type(k, TAG_INTERFACE, jdwp_type(&in));
            if (one)
                cls->interfaces[cls->n_interfaces++] = one->serial;
        }
    }
    ebb_arena_fini(&arena);
}

static uint32_t status_of(stock *k, const stock_class *cls)
{
    ebb_arena arena = {0};
    jdwp_in in;
    uint32_t status = 0;
    if (stock_ask(k, &arena, &in, NULL, JDWP_TYPE_STATUS, "t", cls->type) == EBB_OK)
        status = jdwp_u32(&in);
    ebb_arena_fini(&arena);
    return status;
}

static void read_about(stock *k, stock_class *cls)
{
    ebb_arena arena = {0};
    jdwp_in in;
    if (stock_ask(k, &arena, &in, NULL, JDWP_TYPE_MODIFIERS, "t", cls->type) == EBB_OK)
        cls->access = (uint16_t)jdwp_u32(&in);
    if (stock_ask(k, &arena, &in, NULL, JDWP_TYPE_CLASS_OBJECT, "t", cls->type) == EBB_OK)
        cls->mirror = stock_ref(k, jdwp_object(&in));
    if (stock_ask(k, &arena, &in, NULL, JDWP_TYPE_LOADER, "t", cls->type) == EBB_OK)
        cls->loader = stock_ref(k, jdwp_object(&in));
    ebb_arena_fini(&arena);
}

bool stock_class_read(stock *k, stock_class *cls)
{
    if (cls->is_ready)
        return true;
    if (cls->tag != TAG_ARRAY && !(status_of(k, cls) & IS_PREPARED))
        return false;
    if (!read_members(k, cls->type, JDWP_TYPE_METHODS, &cls->methods, &cls->n_methods) && cls->tag != TAG_ARRAY)
        return false;
    read_members(k, cls->type, JDWP_TYPE_FIELDS, &cls->fields, &cls->n_fields);
    qsort(cls->methods, cls->n_methods, sizeof *cls->methods, by_name);
    cls->codes = EBB_ARENA_ARRAY(&k->for_good, stock_code *, cls->n_methods + 1);
    for (size_t i = 0; i < cls->n_fields; i++)
        cls->fields[i].offset = new_offset(k, cls, i);
    read_about(k, cls);
    read_parents(k, cls);
    cls->is_ready = true;
    return true;
}

static const char *source_of(stock *k, stock_class *cls)
{
    ebb_arena arena = {0};
    jdwp_in in;
    if (!cls->has_source_asked && cls->tag != TAG_ARRAY &&
        stock_ask(k, &arena, &in, NULL, JDWP_TYPE_SOURCE_FILE, "t", cls->type) == EBB_OK)
        cls->source = jdwp_text(&in, &k->for_good);
    cls->has_source_asked = true;
    ebb_arena_fini(&arena);
    return cls->source;
}

/* The classes of the JDK, and what ebb put in. */
bool stock_is_library(const stock_class *cls)
{
    static const char *const packages[] = {"java.", "javax.", "jdk.", "sun.", "com.sun.", "ebb.Timestamp"};
    for (size_t i = 0; i < sizeof packages / sizeof *packages; i++)
        if (ebb_text_starts(cls->name, packages[i]))
            return true;
    return false;
}

/* ---- finding ---- */

const stock_member *stock_method(stock *k, machine_place place, stock_class **cls)
{
    size_t index = place >> 16 & 0xffff;
    *cls = stock_class_by_serial(k, java_place_class(place));
    return *cls && stock_class_read(k, *cls) && index < (*cls)->n_methods ? &(*cls)->methods[index] : NULL;
}

const stock_member *stock_method_named(stock *k, stock_class *cls, const char *name, const char *descriptor)
{
    if (!stock_class_read(k, cls))
        return NULL;
    for (size_t i = 0; i < cls->n_methods; i++)
        if (strcmp(cls->methods[i].name, name) == 0 && (!descriptor || strcmp(cls->methods[i].descriptor, descriptor) == 0))
            return &cls->methods[i];
    return NULL;
}

const stock_member *stock_field_named(stock *k, stock_class *cls, const char *name)
{
    if (!stock_class_read(k, cls))
        return NULL;
    for (size_t i = 0; i < cls->n_fields; i++)
        if (strcmp(cls->fields[i].name, name) == 0)
            return &cls->fields[i];
    return NULL;
}

const stock_member *stock_field(stock *k, uint64_t id, stock_class **cls)
{
    uint32_t index = (uint32_t)id;
    *cls = stock_class_by_serial(k, id >> 32);
    return *cls && stock_class_read(k, *cls) && index < (*cls)->n_fields ? &(*cls)->fields[index] : NULL;
}

const stock_member *stock_field_at(stock *k, uint32_t offset, stock_class **cls)
{
    size_t i = offset < FIRST_OFFSET ? SIZE_MAX : (offset - FIRST_OFFSET) / OFFSET_STEP;
    if (i >= k->n_offsets)
        return NULL;
    *cls = k->offsets[i].cls;
    return &(*cls)->fields[k->offsets[i].index];
}

stock_class *stock_class_named(stock *k, const char *signature)
{
    ebb_arena arena = {0};
    jdwp_in in;
    stock_class *cls = NULL;
    if (stock_ask(k, &arena, &in, NULL, JDWP_VM_CLASSES_BY_SIGNATURE, "s", signature) == EBB_OK && jdwp_count(&in, 9) > 0) {
        uint8_t tag = jdwp_u8(&in);
        cls = stock_class_of_type(k, tag, jdwp_type(&in));
    }
    ebb_arena_fini(&arena);
    return cls;
}

/* What an array's elements are may be a class that is not linked yet: only java.lang.Class itself tells of it. */
void stock_learn_elements(stock *k, stock_class *array)
{
    ebb_arena arena = {0};
    jdwp_in in;
    jvm_wire_word component;
    uint64_t mirror;
    stock_class *meta = stock_class_named(k, "Ljava/lang/Class;");
    const stock_member *field = meta ? stock_field_named(k, meta, "componentType") : NULL;
    if (array->signature[1] != 'L' && array->signature[1] != '[')
        return;
    if (field && stock_class_read(k, array) && stock_object(k, array->mirror, &mirror, NULL) == EBB_OK &&
        stock_field_value(k, mirror, meta, field, &component, NULL) == EBB_OK && stock_object(k, component.bits, &mirror, NULL) == EBB_OK &&
        stock_ask(k, &arena, &in, NULL, JDWP_CLASS_OBJECT_TYPE, "o", mirror) == EBB_OK) {
        uint8_t tag = jdwp_u8(&in);
        stock_class *element = stock_class_of_type(k, tag, jdwp_type(&in));
        if (element && element->tag == TAG_ARRAY)
            stock_learn_elements(k, element);
    }
    ebb_arena_fini(&arena);
}

/* ---- places ---- */

machine_place stock_read_place(stock *k, jdwp_in *in)
{
    uint8_t tag = jdwp_u8(in);
    uint64_t type = jdwp_type(in), method = jdwp_method(in), bci = jdwp_u64(in);
    stock_class *cls = stock_class_of_type(k, tag, type);
    if (!cls || !stock_class_read(k, cls))
        return 0;
    for (size_t i = 0; i < cls->n_methods; i++)
        if (cls->methods[i].id == method)
            return (machine_place)cls->serial << 32 | i << 16 | (bci & 0xffff);
    return 0;
}

bool stock_put_place(stock *k, ebb_buf *out, machine_place place)
{
    stock_class *cls;
    const stock_member *method = stock_method(k, place, &cls);
    if (!method)
        return false;
    stock_put(k, out, "btml", (uint64_t)cls->tag, cls->type, method->id, (uint64_t)java_place_bci(place));
    return true;
}

/* ---- answers ---- */

static void describe_members(const stock_class *cls, jvm_wire_class *a, ebb_arena *arena)
{
    enum { NATIVE_OR_ABSTRACT = 0x0100 | 0x0400 };
    a->fields.items = EBB_ARENA_ARRAY(arena, jvm_wire_field, cls->n_fields + 1);
    for (size_t i = 0; i < cls->n_fields; i++) {
        const stock_member *f = &cls->fields[i];
        a->fields.items[a->fields.n++] = (jvm_wire_field){.id = (uint64_t)cls->serial << 32 | i, .name = f->name,
            .descriptor = f->descriptor, .access = f->access, .offset = f->offset};
    }
    a->methods.items = EBB_ARENA_ARRAY(arena, jvm_wire_method, cls->n_methods + 1);
    for (size_t i = 0; i < cls->n_methods; i++) {
        const stock_member *m = &cls->methods[i];
        bool has_code = !(m->access & NATIVE_OR_ABSTRACT); /* how much, only its bytecode tells, which is read when it is needed */
        a->methods.items[a->methods.n++] = (jvm_wire_method){.id = (uint64_t)cls->serial << 32 | i << 16, .name = m->name,
            .descriptor = m->descriptor, .access = m->access, .n_code = has_code ? UINT16_MAX : 0, .has_lines = has_code};
    }
}

ebb_status stock_serve_class_info(stock *k, const jvm_wire_number *q, jvm_wire_class *a, ebb_arena *arena, ebb_error *err)
{
    stock_class *cls = stock_class_by_serial(k, q->value);
    if (!cls)
        return ebb_fail(err, EBB_NOT_FOUND, "No class number %lu is there.", (unsigned long)q->value);
    bool is_ready = stock_class_read(k, cls);
    *a = (jvm_wire_class){.id = cls->serial, .super = cls->super, .name = cls->name, .source = source_of(k, cls), .mirror = cls->mirror,
        .loader = cls->loader, .access = cls->access, .is_array = cls->tag == TAG_ARRAY, .is_library = stock_is_library(cls),
        .is_linked = is_ready, .element = cls->tag == TAG_ARRAY ? (uint8_t)cls->signature[1] : 0};
    a->interfaces.items = EBB_ARENA_ARRAY(arena, jvm_wire_number, cls->n_interfaces + 1);
    for (size_t i = 0; i < cls->n_interfaces; i++)
        a->interfaces.items[a->interfaces.n++].value = cls->interfaces[i];
    describe_members(cls, a, arena);
    return EBB_OK;
}

static ebb_status all_classes(stock *k, ebb_arena *arena, ebb_error *err)
{
    jdwp_in in;
    EBB_TRY(stock_ask(k, arena, &in, err, JDWP_VM_ALL_CLASSES, ""));
    for (uint32_t n = jdwp_count(&in, 9); n > 0 && !in.bad; n--) {
        uint8_t tag = jdwp_u8(&in);
        uint64_t type = jdwp_type(&in);
        const char *signature = jdwp_text(&in, arena);
        jdwp_u32(&in);
        if (!in.bad && !ebb_map_get_u64(k->by_type, type))
            add_class(k, tag, type, signature);
    }
    return in.bad ? stock_nonsense(err) : EBB_OK;
}

/* The JVM does not name classes that are not linked; but it may have told of one in another way. */
static void add_unlinked(const stock *k, const char *name, jvm_wire_numbers *a, ebb_arena *arena)
{
    a->list.items = EBB_ARENA_ARRAY(arena, jvm_wire_number, k->classes.n + 1);
    for (size_t i = 0; i < k->classes.n; i++)
        if (strcmp(k->classes.items[i]->name, name) == 0)
            a->list.items[a->list.n++].value = k->classes.items[i]->serial;
}

ebb_status stock_serve_classes_named(stock *k, const jvm_wire_name *q, jvm_wire_numbers *a, ebb_arena *arena, ebb_error *err)
{
    jdwp_in in;
    EBB_TRY(stock_ask(k, arena, &in, err, JDWP_VM_CLASSES_BY_SIGNATURE, "s", signature_of_name(arena, q->text ? q->text : "")));
    uint32_t n = jdwp_count(&in, 5);
    a->list.items = EBB_ARENA_ARRAY(arena, jvm_wire_number, n + 1u);
    for (; n > 0 && !in.bad; n--) {
        uint8_t tag = jdwp_u8(&in);
        const stock_class *cls = stock_class_of_type(k, tag, jdwp_type(&in));
        jdwp_u32(&in);
        if (cls)
            a->list.items[a->list.n++].value = cls->serial;
    }
    if (a->list.n == 0)
        add_unlinked(k, q->text ? q->text : "", a, arena);
    return EBB_OK;
}

typedef struct class_test {
    bool (*is_picked)(stock *k, stock_class *cls, const char *text);
    const char *text; /* NULL is "" */
    size_t at_most;
} class_test;

/* Those of all classes that the test picks. */
static ebb_status pick_classes(stock *k, const class_test *test, jvm_wire_numbers *a, ebb_arena *arena, ebb_error *err)
{
    EBB_TRY(all_classes(k, arena, err));
    a->list.items = EBB_ARENA_ARRAY(arena, jvm_wire_number, k->classes.n + 1);
    for (size_t i = 0; i < k->classes.n && a->list.n < test->at_most; i++)
        if (test->is_picked(k, k->classes.items[i], test->text ? test->text : ""))
            a->list.items[a->list.n++].value = k->classes.items[i]->serial;
    return EBB_OK;
}

static bool is_of_source(stock *k, stock_class *cls, const char *text)
{
    const char *source = source_of(k, cls);
    return source && strcmp(source, text) == 0;
}

static bool is_like(stock *k, stock_class *cls, const char *text)
{
    return ebb_text_starts(cls->name, text);
}

ebb_status stock_serve_classes_of_source(stock *k, const jvm_wire_name *q, jvm_wire_numbers *a, ebb_arena *arena, ebb_error *err)
{
    return pick_classes(k, &(class_test){is_of_source, q->text, SIZE_MAX}, a, arena, err);
}

ebb_status stock_serve_classes_like(stock *k, const jvm_wire_like *q, jvm_wire_numbers *a, ebb_arena *arena, ebb_error *err)
{
    return pick_classes(k, &(class_test){is_like, q->prefix, q->at_most}, a, arena, err);
}

ebb_status stock_serve_class_is_initialised(stock *k, const jvm_wire_number *q, jvm_wire_number *a, ebb_arena *arena, ebb_error *err)
{
    const stock_class *cls = stock_class_by_serial(k, q->value);
    if (!cls)
        return ebb_fail(err, EBB_NOT_FOUND, "No class number %lu is there.", (unsigned long)q->value);
    a->value = cls->tag == TAG_ARRAY || (status_of(k, cls) & IS_INITIALISED) != 0;
    return EBB_OK;
}
