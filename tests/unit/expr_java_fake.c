/* expr_java_fake.c - classes and objects are rows that the tests add. */
#include "expr_java_fake.h"
#include "base/check.h"
#include "expr/java_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_MEMBERS = 60, MAX_INTERFACES = 8, FIRST_REF = 0x1000, REF_STEP = 16 };

struct java_type {
    char *name, *descriptor;
    java_kind kind;
    const java_type *super, *element;
    const java_type *interfaces[MAX_INTERFACES];
    size_t n_interfaces;
    java_member fields[MAX_MEMBERS], methods[MAX_MEMBERS];
    size_t n_fields, n_methods;
    java_value statics[MAX_MEMBERS]; /* by index of the field */
    size_t first_slot, n_slots;      /* of its own instance fields; with those above */
    uint64_t mirror;
    int32_t n_objects;
};

static char *copy(fake_java *fake, const char *text, size_t n)
{
    return ebb_arena_strndup(&fake->arena, text, n);
}

/* ---- types -------------------------------------------------------------------------------------------- */

static java_type *add_type(fake_java *fake, java_kind kind, const char *name, const char *descriptor)
{
    ebb_check(fake->n_types < FAKE_JAVA_MAX);
    java_type *type = EBB_NEW(java_type);
    type->kind = kind;
    type->name = ebb_strdup(name);
    type->descriptor = ebb_strdup(descriptor);
    fake->types[fake->n_types++] = type;
    return type;
}

static java_type *find_descriptor(fake_java *fake, const char *descriptor)
{
    for (size_t i = 0; i < fake->n_types; i++) {
        if (strcmp(fake->types[i]->descriptor, descriptor) == 0)
            return fake->types[i];
    }
    return NULL;
}

static const java_type *get_type(void *self, const char *descriptor)
{
    fake_java *fake = self;
    java_type *type = find_descriptor(fake, descriptor);
    if (type || *descriptor != '[' || strlen(descriptor) > 200)
        return type;
    const java_type *element = get_type(self, descriptor + 1);
    if (!element || strcmp(element->descriptor, "V") == 0 || fake->n_types == FAKE_JAVA_MAX)
        return NULL;
    char *name = ebb_asprintf("%s[]", element->name);
    type = add_type(fake, JAVA_ARRAY, name, descriptor);
    type->element = element;
    type->super = find_descriptor(fake, "Ljava/lang/Object;");
    free(name);
    return type;
}

const java_type *fake_java_type(fake_java *fake, const char *descriptor)
{
    const java_type *type = get_type(fake, descriptor);
    ebb_check(type);
    return type;
}

static bool is_named(const java_type *type, const char *name)
{
    size_t n = strlen(type->name), n_name = strlen(name);
    if (n_name > n || type->kind == JAVA_ARRAY)
        return false;
    const char *end = type->name + n - n_name;
    for (size_t i = 0; i < n_name; i++) {
        bool is_same = end[i] == name[i] || (end[i] == '$' && name[i] == '.');
        if (!is_same)
            return false;
    }
    return end == type->name || end[-1] == '.' || end[-1] == '$';
}

static const java_type *find_class(void *self, const char *name, ebb_error *err)
{
    fake_java *fake = self;
    const java_type *found = NULL;
    for (size_t i = 0; i < fake->n_types; i++) {
        java_type *type = fake->types[i];
        if (type->kind == JAVA_PRIMITIVE || type->kind == JAVA_NULL)
            continue;
        if (strcmp(type->name, name) == 0)
            return type;
        if (!is_named(type, name))
            continue;
        if (found) {
            ebb_fail(err, EBB_BAD_INPUT, "%s and %s are both called %.100s.", found->name, type->name, name);
            return NULL;
        }
        found = type;
    }
    return found;
}

static const char *type_descriptor(void *self, const java_type *type)
{
    return type->descriptor;
}

static const char *type_name(void *self, const java_type *type)
{
    return type->name;
}

static java_kind kind_of(void *self, const java_type *type)
{
    return type->kind;
}

static const java_type *super_of(void *self, const java_type *type)
{
    return type->super;
}

static size_t interfaces_of(void *self, const java_type *type, const java_type **out, size_t at_most)
{
    for (size_t i = 0; i < type->n_interfaces && i < at_most; i++)
        out[i] = type->interfaces[i];
    return type->n_interfaces;
}

static const java_type *element_of(void *self, const java_type *array)
{
    return array->element;
}

static size_t fields_of(void *self, const java_type *type, const java_member **out)
{
    *out = type->fields;
    return type->n_fields;
}

static size_t methods_of(void *self, const java_type *type, const java_member **out)
{
    *out = type->methods;
    return type->n_methods;
}

/* ---- declaring classes ---------------------------------------------------------------------------------- */

static const char *next_word(fake_java *fake, const char **at)
{
    *at += strspn(*at, " ,");
    size_t n = strcspn(*at, " ,");
    const char *word = copy(fake, *at, n);
    *at += n;
    return word;
}

static const java_type *class_named(fake_java *fake, const char *name)
{
    for (size_t i = 0; i < fake->n_types; i++) {
        if (strcmp(fake->types[i]->name, name) == 0)
            return fake->types[i];
    }
    ebb_check(!"a class that wasn't declared");
    return NULL;
}

/* "static synthetic I x": modifiers, then what `is_method` says: descriptor and name, or name with descriptor. */
static void add_member(fake_java *fake, java_type *type, bool is_method, const char *text)
{
    static const struct {
        const char *word;
        uint16_t bit;
    } modifiers[] = {{"public", 1}, {"private", 2}, {"static", 8}, {"final", 16}, {"bridge", 0x40}, {"varargs", 0x80}, {"abstract", 0x400}, {"synthetic", 0x1000}};
    java_member member = {.holder = type};
    const char *word = next_word(fake, &text);
    for (bool is_modifier = true; is_modifier;) {
        is_modifier = false;
        for (size_t i = 0; i < sizeof modifiers / sizeof *modifiers; i++) {
            if (strcmp(word, modifiers[i].word) == 0) {
                member.access |= modifiers[i].bit;
                word = next_word(fake, &text);
                is_modifier = true;
                break;
            }
        }
    }
    if (!*word)
        return;
    if (is_method) {
        const char *bracket = strchr(word, '(');
        member.name = copy(fake, word, (size_t)(bracket - word));
        member.descriptor = bracket;
        member.id = type->n_methods;
        type->methods[type->n_methods++] = member;
    } else {
        member.descriptor = word;
        member.name = next_word(fake, &text);
        member.id = (uint64_t)(uintptr_t)type << 8 | type->n_fields;
        type->fields[type->n_fields++] = member;
        type->n_slots += !(member.access & 8);
    }
    ebb_check(type->n_fields < MAX_MEMBERS && type->n_methods < MAX_MEMBERS);
}

static void add_members(fake_java *fake, java_type *type, bool is_method, const char *text)
{
    while (*text) {
        size_t n = strcspn(text, "|");
        add_member(fake, type, is_method, copy(fake, text, n));
        text += n + (text[n] == '|');
    }
}

const java_type *fake_java_class(fake_java *fake, const char *head, const char *fields, const char *methods)
{
    bool is_interface = strcmp(next_word(fake, &head), "interface") == 0;
    const char *name = next_word(fake, &head);
    char *descriptor = ebb_asprintf("L%s;", name);
    for (char *at = descriptor; *at; at++)
        *at = *at == '.' ? '/' : *at;
    java_type *type = add_type(fake, is_interface ? JAVA_INTERFACE : JAVA_CLASS, name, descriptor);
    free(descriptor);
    type->super = is_interface || fake->n_types == 1 ? NULL : class_named(fake, "java.lang.Object");
    if (type->super == type)
        type->super = NULL;
    for (const char *word = next_word(fake, &head); *word; word = next_word(fake, &head)) {
        if (strcmp(word, "extends") == 0 && !is_interface)
            type->super = class_named(fake, next_word(fake, &head));
        else if (strcmp(word, "implements") != 0 && strcmp(word, "extends") != 0)
            type->interfaces[type->n_interfaces++] = class_named(fake, word);
    }
    type->first_slot = type->n_slots = type->super ? type->super->n_slots : 0;
    add_members(fake, type, false, fields);
    add_members(fake, type, true, methods);
    return type;
}

/* ---- objects ---------------------------------------------------------------------------------------------- */

static fake_java_object *object_at(fake_java *fake, uint64_t ref)
{
    bool is_good = ref >= FIRST_REF && (ref - FIRST_REF) % REF_STEP == 0 && (ref - FIRST_REF) / REF_STEP < fake->n_objects;
    return is_good ? &fake->objects[(ref - FIRST_REF) / REF_STEP] : NULL;
}

static uint64_t add_object(fake_java *fake, const java_type *type, uint32_t n)
{
    ebb_check(fake->n_objects < FAKE_JAVA_MAX_OBJECTS);
    fake->objects[fake->n_objects] = (fake_java_object){
        .type = type, .values = ebb_arena_alloc(&fake->arena, (n + 1) * sizeof(java_value)), .n = n, .hash = ++((java_type *)type)->n_objects};
    return FIRST_REF + REF_STEP * fake->n_objects++;
}

uint64_t fake_java_new(fake_java *fake, const char *descriptor)
{
    const java_type *type = fake_java_type(fake, descriptor);
    return add_object(fake, type, (uint32_t)type->n_slots);
}

uint64_t fake_java_array(fake_java *fake, const char *descriptor, uint32_t n)
{
    return add_object(fake, fake_java_type(fake, descriptor), n);
}

uint64_t fake_java_string(fake_java *fake, const char *text)
{
    uint64_t ref = fake_java_new(fake, "Ljava/lang/String;");
    object_at(fake, ref)->text = ebb_arena_strdup(&fake->arena, text);
    return ref;
}

static const java_member *field_named(const java_type *type, const char *name)
{
    for (; type; type = type->super) {
        for (size_t i = 0; i < type->n_fields; i++) {
            if (strcmp(type->fields[i].name, name) == 0)
                return &type->fields[i];
        }
    }
    ebb_check(!"a field that wasn't declared");
    return NULL;
}

/* Where a field's value is. */
static java_value *slot_of(fake_java *fake, uint64_t ref, const java_member *field)
{
    java_type *type = (java_type *)field->holder;
    if (field->access & 8)
        return &type->statics[field - type->fields];
    size_t slot = type->first_slot;
    for (const java_member *at = type->fields; at < field; at++)
        slot += !(at->access & 8);
    fake_java_object *object = object_at(fake, ref);
    return object && slot < object->n ? &object->values[slot] : NULL;
}

void fake_java_set(fake_java *fake, uint64_t ref, const char *field, java_value value)
{
    *slot_of(fake, ref, field_named(object_at(fake, ref)->type, field)) = value;
}

void fake_java_set_static(fake_java *fake, const char *descriptor, const char *field, java_value value)
{
    *slot_of(fake, 0, field_named(fake_java_type(fake, descriptor), field)) = value;
}

void fake_java_set_element(fake_java *fake, uint64_t array, uint32_t i, java_value value)
{
    object_at(fake, array)->values[i] = value;
}

static const char *box_descriptor(char code)
{
    static const char letters[] = "ZBCSIJFD";
    static const char *const boxes[] = {"Ljava/lang/Boolean;", "Ljava/lang/Byte;", "Ljava/lang/Character;", "Ljava/lang/Short;",
                                        "Ljava/lang/Integer;", "Ljava/lang/Long;", "Ljava/lang/Float;", "Ljava/lang/Double;"};
    return boxes[strchr(letters, code) - letters];
}

uint64_t fake_java_box(fake_java *fake, char code, java_value value)
{
    uint64_t ref = fake_java_new(fake, box_descriptor(code));
    fake_java_set(fake, ref, "value", value);
    return ref;
}

void fake_java_local(fake_java *fake, const char *descriptor, const char *name, java_value value)
{
    value.type = fake_java_type(fake, descriptor);
    value.place = JAVA_PLACE_LOCAL;
    value.which = fake->n_locals;
    fake->locals[fake->n_locals++] = (fake_java_variable){name, value};
}

/* ---- the world: reading ------------------------------------------------------------------------------------- */

static ebb_status get_local(void *self, const char *name, java_value *value, ebb_error *err)
{
    fake_java *fake = self;
    for (size_t i = fake->n_locals; i-- > 0;) {
        if (strcmp(fake->locals[i].name, name) == 0) {
            *value = fake->locals[i].value;
            return EBB_OK;
        }
    }
    return ebb_fail(err, EBB_NOT_FOUND, "%s", "");
}

static ebb_status get_this(void *self, java_value *value, ebb_error *err)
{
    fake_java *fake = self;
    if (!fake->this_)
        return ebb_fail(err, EBB_NOT_FOUND, "No this.");
    *value = (java_value){.type = object_at(fake, fake->this_)->type, .ref = fake->this_};
    return EBB_OK;
}

static const java_type *scope_class(void *self)
{
    return ((fake_java *)self)->scope;
}

static ebb_status fail_object(ebb_error *err, uint64_t ref)
{
    return ebb_fail(err, EBB_NO_MEMORY_AT, "There is no object at 0x%llx.", (unsigned long long)ref);
}

static ebb_status class_of(void *self, uint64_t ref, const java_type **type, ebb_error *err)
{
    fake_java_object *object = object_at(self, ref);
    if (!object)
        return fail_object(err, ref);
    *type = object->type;
    return EBB_OK;
}

static ebb_status field_get(void *self, uint64_t ref, const java_member *field, java_value *value, ebb_error *err)
{
    java_value *slot = slot_of(self, ref, field);
    if (!slot)
        return fail_object(err, ref);
    *value = *slot;
    value->type = get_type(self, field->descriptor);
    return EBB_OK;
}

static ebb_status get_length(void *self, uint64_t array, uint32_t *n, ebb_error *err)
{
    fake_java_object *object = object_at(self, array);
    if (!object || object->type->kind != JAVA_ARRAY)
        return fail_object(err, array);
    *n = object->n;
    return EBB_OK;
}

static ebb_status get_elements(void *self, uint64_t array, uint32_t from, uint32_t n, java_value *values, ebb_error *err)
{
    fake_java_object *object = object_at(self, array);
    if (!object || object->type->kind != JAVA_ARRAY || from > object->n || n > object->n - from)
        return fail_object(err, array);
    for (uint32_t i = 0; i < n; i++) {
        values[i] = object->values[from + i];
        values[i].type = object->type->element;
    }
    return EBB_OK;
}

static ebb_status get_string(void *self, ebb_arena *arena, uint64_t ref, uint32_t at_most, java_string *out, ebb_error *err)
{
    fake_java_object *object = object_at(self, ref);
    if (!object || !object->text)
        return fail_object(err, ref);
    const char *end = object->text;
    for (uint32_t i = 0; i < at_most && *end; i++)
        java_text_next(&end);
    *out = (java_string){ebb_arena_strndup(arena, object->text, (size_t)(end - object->text)), (uint32_t)java_text_length(object->text)};
    return EBB_OK;
}

static ebb_status class_mirrored(void *self, uint64_t mirror, const java_type **type, ebb_error *err)
{
    fake_java_object *object = object_at(self, mirror);
    if (!object || !object->mirrored)
        return fail_object(err, mirror);
    *type = object->mirrored;
    return EBB_OK;
}

static ebb_status get_mirror(void *self, const java_type *type, uint64_t *ref, ebb_error *err)
{
    fake_java *fake = self;
    java_type *own = (java_type *)type;
    if (!own->mirror) {
        own->mirror = fake_java_new(fake, "Ljava/lang/Class;");
        object_at(fake, own->mirror)->mirrored = type;
    }
    *ref = own->mirror;
    return EBB_OK;
}

static int32_t identity_hash(void *self, uint64_t ref)
{
    fake_java_object *object = object_at(self, ref);
    return object ? object->hash : 0;
}

/* ---- the world: changing ----------------------------------------------------------------------------------------- */

static ebb_status assign(void *self, const java_value *place, const java_value *value, ebb_error *err)
{
    fake_java *fake = self;
    java_value stored = *value;
    stored.place = JAVA_PLACE_NONE;
    if (stored.text) {
        stored.ref = fake_java_string(fake, stored.text);
        stored.text = NULL;
    }
    if (place->place == JAVA_PLACE_LOCAL) {
        stored.type = fake->locals[place->which].value.type;
        stored.place = JAVA_PLACE_LOCAL;
        stored.which = place->which;
        fake->locals[place->which].value = stored;
        return EBB_OK;
    }
    java_value *slot = NULL;
    fake_java_object *object = object_at(fake, place->holder);
    if (place->place == JAVA_PLACE_ELEMENT) {
        slot = object && place->which < object->n ? &object->values[place->which] : NULL;
    } else {
        java_type *holder = (java_type *)(uintptr_t)(place->which >> 8);
        slot = slot_of(fake, place->holder, &holder->fields[place->which & 0xff]);
    }
    if (!slot)
        return fail_object(err, place->holder);
    *slot = stored;
    return EBB_OK;
}

static ebb_status needs_calls(void *self, ebb_error *err)
{
    fake_java *fake = self;
    fake->n_scratch++;
    return fake->can_call ? EBB_OK : ebb_fail(err, EBB_UNSUPPORTED, "Nothing can be called here.");
}

static ebb_status call(void *self, const java_call *call, java_value *result, ebb_error *err)
{
    fake_java *fake = self;
    const java_member *method = call->method;
    uint64_t ref = call->ref;
    fake_java_object *object = object_at(fake, ref);
    ebb_check(fake->n_scratch > 0); /* JE2 */
    ebb_check((ref == 0) == ((method->access & 8) != 0));
    ebb_buf_addf(&fake->calls, "%s%s%s.%s%s", fake->calls.n ? " " : "", ref && !call->is_virtual ? "!" : "", method->holder->name, method->name, method->descriptor);
    const char *name = strrchr(method->holder->name, '.');
    if (strcmp(method->name, "toString") == 0) {
        char *text = ebb_asprintf("<%s>", strrchr(object->type->name, '.') ? strrchr(object->type->name, '.') + 1 : object->type->name);
        result->ref = object->text ? ref : fake_java_string(fake, text);
        free(text);
    } else if (strcmp(method->name, "valueOf") == 0 && name && call->n_args == 1) {
        result->ref = fake_java_box(fake, method->descriptor[1], call->args[0]);
    } else if (strcmp(method->name, "intern") == 0) {
        for (size_t i = 0; i < fake->n_objects && !result->ref; i++) {
            if (fake->objects[i].text && strcmp(fake->objects[i].text, object->text) == 0)
                result->ref = FIRST_REF + REF_STEP * i;
        }
    } else if (strcmp(method->name, "length") == 0 && object->text) {
        result->i = (int64_t)java_text_length(object->text);
    }
    return EBB_OK;
}

static ebb_status new_string(void *self, const char *utf8, uint64_t *ref, ebb_error *err)
{
    *ref = fake_java_string(self, utf8);
    return EBB_OK;
}

static const java_type *load_class(void *self, const char *name, ebb_error *err)
{
    return NULL;
}

static bool is_initialised(void *self, const java_type *type)
{
    return true;
}

static ebb_status set_element(void *self, uint64_t array, uint32_t i, const java_value *value, ebb_error *err)
{
    ebb_check(!value->text); /* JX3 */
    fake_java_set_element(self, array, i, *value);
    return EBB_OK;
}

static ebb_status new_object(void *self, const java_type *type, uint64_t *ref, ebb_error *err)
{
    *ref = add_object(self, type, (uint32_t)type->n_slots);
    return EBB_OK;
}

static ebb_status new_array(void *self, const java_type *type, uint32_t length, uint64_t *ref, ebb_error *err)
{
    fake_java *fake = self;
    if (length > 100000 || fake->n_objects + 1 >= FAKE_JAVA_MAX_OBJECTS)
        return ebb_fail(err, EBB_UNSUPPORTED, "java.lang.OutOfMemoryError: Java heap space");
    *ref = add_object(fake, type, length);
    return EBB_OK;
}

/* ---- $ --------------------------------------------------------------------------------------------------------------- */

static ebb_status get_convenience(void *self, ebb_arena *arena, const char *name, java_value *value, ebb_error *err)
{
    fake_java *fake = self;
    *value = (java_value){.type = fake_java_type(fake, "V")};
    for (size_t i = 0; i < fake->n_conveniences; i++) {
        if (strcmp(fake->conveniences[i].name, name) == 0)
            *value = fake->conveniences[i].value;
    }
    return EBB_OK;
}

static ebb_status set_convenience(void *self, const char *name, const java_value *value, ebb_error *err)
{
    fake_java *fake = self;
    if (fake->n_conveniences == FAKE_JAVA_MAX)
        return ebb_fail(err, EBB_UNSUPPORTED, "Too many.");
    java_value kept = *value;
    if (kept.text)
        kept.text = ebb_arena_strdup(&fake->arena, kept.text);
    fake->conveniences[fake->n_conveniences++] = (fake_java_variable){ebb_arena_strdup(&fake->arena, name), kept};
    return EBB_OK;
}

static ebb_status get_history(void *self, ebb_arena *arena, long index, bool from_end, java_value *value, ebb_error *err)
{
    fake_java *fake = self;
    long n = (long)fake->n_history, at = from_end ? n - 1 - index : index - 1;
    if (at < 0 || at >= n)
        return ebb_fail(err, EBB_NOT_FOUND, "History has not yet reached $%ld.", index);
    *value = fake->history[at];
    return EBB_OK;
}

/* ---- beginning and end ------------------------------------------------------------------------------------------------ */

static void add_language(fake_java *fake)
{
    static const char *const primitives[][2] = {{"boolean", "Z"}, {"byte", "B"}, {"char", "C"}, {"short", "S"}, {"int", "I"}, {"long", "J"}, {"float", "F"}, {"double", "D"}, {"void", "V"}};
    static const char *const boxes[][2] = {{"Boolean", "Z"}, {"Byte", "B"}, {"Character", "C"}, {"Short", "S"}, {"Integer", "I"}, {"Long", "J"}, {"Float", "F"}, {"Double", "D"}};
    fake_java_class(fake, "class java.lang.Object", "", "<init>()V | toString()Ljava/lang/String; | hashCode()I | equals(Ljava/lang/Object;)Z");
    for (size_t i = 0; i < 9; i++)
        add_type(fake, JAVA_PRIMITIVE, primitives[i][0], primitives[i][1]);
    add_type(fake, JAVA_NULL, "<null>", "null");
    fake_java_class(fake, "interface java.lang.Comparable", "", "abstract compareTo(Ljava/lang/Object;)I");
    fake_java_class(fake, "interface java.lang.CharSequence", "", "abstract length()I");
    fake_java_class(fake, "interface java.lang.Runnable", "", "abstract run()V");
    fake_java_class(fake, "interface java.lang.Cloneable", "", "");
    fake_java_class(fake, "interface java.io.Serializable", "", "");
    fake_java_class(fake, "class java.lang.String implements java.lang.Comparable java.lang.CharSequence", "I hash", "length()I | intern()Ljava/lang/String; | charAt(I)C | toString()Ljava/lang/String;");
    fake_java_class(fake, "class java.lang.Class", "", "");
    fake_java_class(fake, "class java.lang.Number", "", "abstract intValue()I");
    fake_java_class(fake, "class java.lang.Enum implements java.lang.Comparable", "Ljava/lang/String; name | I ordinal", "ordinal()I");
    fake_java_class(fake, "class java.lang.Record", "", "");
    fake_java_class(fake, "class java.lang.Throwable", "Ljava/lang/String; detailMessage | Ljava/lang/Throwable; cause", "getMessage()Ljava/lang/String;");
    for (size_t i = 0; i < 8; i++) {
        bool is_number = i != 0 && i != 2;
        char *head = ebb_asprintf("class java.lang.%s extends java.lang.%s implements java.lang.Comparable", boxes[i][0], is_number ? "Number" : "Object");
        char *field = ebb_asprintf("%s value", boxes[i][1]);
        char *methods = ebb_asprintf("static valueOf(%s)Ljava/lang/%s; | intValue()I", boxes[i][1], boxes[i][0]);
        fake_java_class(fake, head, field, methods);
        free(head);
        free(field);
        free(methods);
    }
}

void fake_java_init(fake_java *fake)
{
    fake->format = expr_format_default();
    fake->can_call = true;
    fake->world = (java_world){
        .self = fake, .type = get_type, .find_class = find_class, .type_descriptor = type_descriptor, .type_name = type_name, .kind = kind_of,
        .super = super_of, .interfaces = interfaces_of, .element = element_of, .fields = fields_of, .methods = methods_of, .local = get_local,
        .this_ = get_this, .scope_class = scope_class, .class_of = class_of, .field_get = field_get, .length = get_length, .elements = get_elements,
        .string = get_string, .class_mirrored = class_mirrored, .mirror = get_mirror, .identity_hash = identity_hash, .assign = assign,
        .needs_calls = needs_calls, .call = call, .new_string = new_string, .new_object = new_object, .new_array = new_array, .set_element = set_element, .load_class = load_class, .is_initialised = is_initialised,
        .get_convenience = get_convenience, .set_convenience = set_convenience, .get_history = get_history};
    add_language(fake);
}

void fake_java_fini(fake_java *fake)
{
    for (size_t i = 0; i < fake->n_types; i++) {
        free(fake->types[i]->name);
        free(fake->types[i]->descriptor);
        free(fake->types[i]);
    }
    ebb_arena_fini(&fake->arena);
    ebb_buf_fini(&fake->text);
    ebb_buf_fini(&fake->calls);
}

static const char *answer(fake_java *fake, ebb_status status)
{
    if (status) {
        ebb_buf_truncate(&fake->text, 0);
        ebb_buf_addf(&fake->text, "! %s", fake->err.text);
    }
    return ebb_buf_text(&fake->text);
}

const char *fake_java_print(fake_java *fake, const char *expression)
{
    const expr_node *tree;
    java_value value;
    expr_format format = fake->format;
    long count;
    fake->err = (ebb_error){0};
    ebb_buf_truncate(&fake->text, 0);
    ebb_buf_truncate(&fake->calls, 0);
    fake->n_scratch = 0;
    ebb_status status = EBB_OK;
    if (*expression == '/')
        status = expr_format_parse(expression, &format, &count, &expression, &fake->err);
    if (!status)
        status = expr_java_parse(&fake->arena, expression, &tree, &fake->err);
    if (!status)
        status = expr_java_eval(&fake->arena, &fake->world, tree, &value, &fake->err);
    if (!status)
        status = expr_java_print(&fake->arena, &fake->world, &format, &value, &fake->text, &fake->err);
    return answer(fake, status);
}

const char *fake_java_whatis(fake_java *fake, const char *expression)
{
    const expr_node *tree;
    const java_type *type;
    bool is_type_name;
    fake->err = (ebb_error){0};
    ebb_buf_truncate(&fake->text, 0);
    size_t n_calls = fake->calls.n;
    ebb_status status = expr_java_parse(&fake->arena, expression, &tree, &fake->err);
    if (!status)
        status = expr_java_type_of(&fake->arena, &fake->world, tree, &type, &is_type_name, &fake->err);
    ebb_check(fake->calls.n == n_calls); /* JX1 */
    if (!status)
        ebb_buf_addf(&fake->text, "%s%s", is_type_name ? "type " : "", type->name);
    return answer(fake, status);
}
