/* types.c - the types of a Java program as the evaluator sees them. */
#include "session/java/java.h"

#include <stdio.h>
#include <string.h>

enum { ACC_INTERFACE = 0x0200 };

void ses_java_types_forget(ses_java *java)
{
    ebb_map_free(java->types_by_class);
    ebb_map_free(java->types_by_descriptor);
    java->types_by_class = ebb_map_new();
    java->types_by_descriptor = ebb_map_new();
    ebb_vec_fini(&java->seen_in_copy);
    ebb_arena_fini(&java->arena);
}

/* Its numbers will be given to other classes. */
void ses_java_types_forget_copy(session *s)
{
    java_class_ids *seen = &s->java->seen_in_copy;
    for (size_t i = 0; i < seen->n; i++) {
        const java_type *type = ebb_map_get_u64(s->java->types_by_class, seen->items[i]);
        const java_class *cls;
        if (type && (!s->machine || jvm_remote_class(s->machine, seen->items[i], &cls, NULL) != EBB_OK || strcmp(cls->name, type->name) != 0))
            ebb_map_remove_u64(s->java->types_by_class, seen->items[i]);
    }
    ebb_vec_fini(seen);
}

/* ---- making --------------------------------------------------------------------------------- */

static char *name_of(ses_java *java, const char *descriptor)
{
    ebb_buf words = {0};
    const char *at = descriptor;
    ses_java_type_words(&at, &words);
    char *name = ebb_arena_strdup(&java->arena, ebb_buf_text(&words));
    ebb_buf_fini(&words);
    return name;
}

static java_type *new_type(ses_java *java, java_kind kind, const char *descriptor)
{
    java_type *type = EBB_ARENA_NEW(&java->arena, java_type);
    type->kind = kind;
    type->descriptor = ebb_arena_strdup(&java->arena, descriptor);
    type->name = kind == JAVA_NULL ? "null" : name_of(java, descriptor);
    return type;
}

static const java_type *simple_type(ses_java *java, const char *descriptor)
{
    java_type *type = ebb_map_get(java->types_by_descriptor, descriptor);
    if (!type) {
        type = new_type(java, strcmp(descriptor, "null") == 0 ? JAVA_NULL : JAVA_PRIMITIVE, descriptor);
        ebb_map_set(java->types_by_descriptor, descriptor, type);
    }
    return type;
}

static const java_type *array_of(ses_java *java, const java_type *element)
{
    char key[40];
    snprintf(key, sizeof key, "[%p", (const void *)element);
    java_type *type = ebb_map_get(java->types_by_descriptor, key);
    if (!type) {
        type = new_type(java, JAVA_ARRAY, ebb_arena_printf(&java->arena, "[%s", element->descriptor));
        type->element = element;
        ebb_map_set(java->types_by_descriptor, key, type);
    }
    return type;
}

/* "java.lang.String[][]", "int[]" as a descriptor. */
static char *descriptor_of_name(ebb_arena *arena, const char *name)
{
    static const struct {
        const char *word, *letter;
    } primitives[] = {{"boolean", "Z"}, {"byte", "B"}, {"char", "C"},   {"short", "S"}, {"int", "I"},
                      {"long", "J"},    {"float", "F"}, {"double", "D"}, {"void", "V"}};
    size_t n = strcspn(name, "[");
    ebb_buf text = {0};
    for (const char *at = name + n; *at; at++)
        if (*at == '[')
            ebb_buf_addc(&text, '[');
    const char *letter = NULL;
    for (size_t i = 0; i < sizeof primitives / sizeof *primitives; i++)
        if (strlen(primitives[i].word) == n && strncmp(primitives[i].word, name, n) == 0)
            letter = primitives[i].letter;
    if (letter)
        ebb_buf_adds(&text, letter);
    else {
        ebb_buf_addc(&text, 'L');
        for (size_t i = 0; i < n; i++)
            ebb_buf_addc(&text, name[i] == '.' ? '/' : name[i]);
        ebb_buf_addc(&text, ';');
    }
    char *descriptor = ebb_arena_strdup(arena, ebb_buf_text(&text));
    ebb_buf_fini(&text);
    return descriptor;
}

const java_type *ses_java_type_of_class(session *s, java_class_id id)
{
    ses_java *java = s->java;
    java_type *type = ebb_map_get_u64(java->types_by_class, id);
    const java_class *cls;
    if (type)
        return type;
    if (!s->machine || jvm_remote_class(s->machine, id, &cls, NULL) != EBB_OK)
        return NULL;
    const char *descriptor = descriptor_of_name(&java->arena, cls->name);
    if (cls->is_array || cls->is_primitive)
        return ses_java_type_named(s, descriptor);
    type = new_type(java, cls->access & ACC_INTERFACE ? JAVA_INTERFACE : JAVA_CLASS, descriptor);
    type->name = cls->name;
    type->info = cls;
    ebb_map_set_u64(java->types_by_class, id, type);
    if (java->is_calling)
        ebb_vec_push(&java->seen_in_copy, id);
    return type;
}

/* ---- by name -------------------------------------------------------------------------------- */

/* Of several classes of one name, that of the loader whose code is looked from. */
static java_class_id nearest(session *s, const java_class_ids *classes)
{
    const java_class *scope, *cls;
    java_class_id id = ses_java_scope_class(s);
    if (classes->n > 1 && id && jvm_remote_class(s->machine, id, &scope, NULL) == EBB_OK)
        for (size_t i = 0; i < classes->n; i++)
            if (jvm_remote_class(s->machine, classes->items[i], &cls, NULL) == EBB_OK &&
                cls->loader == scope->loader)
                return cls->id;
    return classes->n ? classes->items[0] : 0;
}

static const java_type *find_class_type(session *s, const char *descriptor)
{
    char *name = ebb_strndup(descriptor + 1, strcspn(descriptor + 1, ";"));
    for (char *at = name; *at; at++)
        *at = *at == '/' ? '.' : *at;
    java_class_ids classes = {0};
    java_class_id id = 0;
    if (jvm_remote_classes_named(s->machine, name, &classes, NULL) == EBB_OK)
        id = nearest(s, &classes);
    ebb_vec_fini(&classes);
    free(name);
    return id ? ses_java_type_of_class(s, id) : NULL;
}

/* Literals and what is made of them have types without a program, too: of those nothing but the name is known then. */
static const java_type *bare_type(ses_java *java, const char *descriptor)
{
    static const char *const bare[] = {"Ljava/lang/Object;", "Ljava/lang/String;", "Ljava/lang/Boolean;", "Ljava/lang/Byte;", "Ljava/lang/Character;", "Ljava/lang/Short;",
                                       "Ljava/lang/Integer;", "Ljava/lang/Long;", "Ljava/lang/Float;", "Ljava/lang/Double;", "Ljava/lang/Void;"};
    java_type *type = ebb_map_get(java->types_by_descriptor, descriptor);
    for (size_t i = 0; i < sizeof bare / sizeof *bare && !type; i++)
        if (strcmp(descriptor, bare[i]) == 0) {
            type = new_type(java, JAVA_CLASS, descriptor);
            ebb_map_set(java->types_by_descriptor, descriptor, type);
        }
    return type;
}

/* What a name means to the code of a class never changes once it means something: asked once for each such class. */
static const java_type *class_type(session *s, const char *descriptor)
{
    if (!s->machine)
        return bare_type(s->java, descriptor);
    char *key = ebb_asprintf("%u %s", (unsigned)ses_java_scope_class(s), descriptor);
    const java_type *type = ebb_map_get(s->java->types_by_descriptor, key);
    if (!type)
        type = find_class_type(s, descriptor);
    if (type && !s->java->is_calling)
        ebb_map_set(s->java->types_by_descriptor, key, (void *)type);
    free(key);
    return type ? type : bare_type(s->java, descriptor); /* after its end the machine may know no classes */
}

const java_type *ses_java_type_named(session *s, const char *descriptor)
{
    switch (descriptor[0]) {
    case 'L': return class_type(s, descriptor);
    case '[': {
        const java_type *element = ses_java_type_named(s, descriptor + 1);
        return element ? array_of(s->java, element) : NULL;
    }
    case '\0': return NULL;
    default: return simple_type(s->java, descriptor);
    }
}

const java_type *ses_java_type_of_object(session *s, java_ref object, ebb_error *err)
{
    java_class_id id;
    if (jvm_remote_class_of(s->machine, object, &id, err) != EBB_OK)
        return NULL;
    const java_type *type = ses_java_type_of_class(s, id);
    if (!type)
        ebb_fail(err, EBB_NOT_FOUND, "The class of the object at 0x%lx is not known.", (unsigned long)object);
    return type;
}

/* ---- values --------------------------------------------------------------------------------- */

java_value ses_java_value(const java_type *type, java_word word)
{
    java_value value = {.type = type};
    if (word.type == 'F' || word.type == 'D')
        value.d = word.d;
    else if (word.type == 'L')
        value.ref = word.ref;
    else
        value.i = word.i;
    return value;
}

java_word ses_java_word(const java_value *value, char type)
{
    java_word word = {.type = type == '[' ? 'L' : type};
    if (word.type == 'F' || word.type == 'D')
        word.d = value->d;
    else if (word.type == 'L')
        word.ref = value->ref;
    else
        word.i = value->i;
    return word;
}
