/* watch.c - what a watchpoint looks at in a Java program.
 *
 * An expression that names a field, an element or a static means that very one, now and later: `watch this.total` goes on
 * when the method returns.  A local variable is watched as long as its frame is there.  `Account.balance` for a field that
 * each object has is that field of every object.  Anything else is evaluated again when something it read has changed. */
#include "session/java/java.h"
#include "session/watch.h"

#include <string.h>

enum { ACC_STATIC = 0x0008 };

typedef struct watch_target {
    enum { AN_EXPRESSION, A_PLACE, EVERY_OBJECTS_FIELD } kind;
    char *expression;
    java_value place;       /* A_PLACE */
    const java_field *field; /* EVERY_OBJECTS_FIELD, or the field that the place is */
    const java_class *cls;
    expr_format format;     /* as it was set at first: there may be a million values to print */
    char *lasts_in;         /* AN_EXPRESSION that is a static on a stock JVM: the class, which the next run has, too; else NULL */
    machine_place aimed_at; /* AN_EXPRESSION that is the name of a local variable: where its frame stood; else 0 */
} watch_target;

static const java_field *field_of(session *s, java_field_id id, const java_class **cls)
{
    if (jvm_remote_class(s->machine, (java_class_id)(id >> 32), cls, NULL) != EBB_OK)
        return NULL;
    for (size_t i = 0; i < (*cls)->n_fields; i++)
        if ((*cls)->fields[i].id == id)
            return &(*cls)->fields[i];
    return NULL;
}

/* "Account.balance": a class, and a field that its objects have. */
static bool is_every_objects(session *s, const char *expression, watch_target *target)
{
    const char *dot = strrchr(expression, '.');
    java_class_ids classes = {0};
    bool found = false;
    if (!dot)
        return false;
    char *name = ebb_strndup(expression, (size_t)(dot - expression));
    if (ses_java_classes(s, name, &classes, NULL) == EBB_OK && classes.n > 0 &&
        jvm_remote_class(s->machine, classes.items[0], &target->cls, NULL) == EBB_OK)
        for (size_t i = 0; i < target->cls->n_fields && !found; i++) {
            target->field = &target->cls->fields[i];
            found = strcmp(target->field->name, dot + 1) == 0 && !(target->field->access & ACC_STATIC);
        }
    ebb_vec_fini(&classes);
    free(name);
    return found;
}

ebb_status ses_java_place_of(session *s, const char *expression, java_value *place, ebb_error *err)
{
    ebb_arena arena = {0};
    const expr_node *tree;
    ebb_status status = expr_java_parse(&arena, expression, &tree, err);
    if (status == EBB_OK)
        status = expr_java_place(&arena, &s->java->world, tree, place, err);
    ses_java_world_end_calls(s);
    ebb_arena_fini(&arena);
    return status;
}

/* Where going back is another run, a static is watched in that one as well: by its name, for nothing else is the same there. */
static void make_last(session *s, watch_target *target)
{
    if (jvm_remote_has_copies(s->machine) || target->place.place != JAVA_PLACE_STATIC || !target->field)
        return;
    target->kind = AN_EXPRESSION;
    target->lasts_in = ebb_strdup(target->cls->name);
    target->expression = ebb_asprintf("%s.%s", target->cls->name, target->field->name);
    target->place = (java_value){0};
    target->field = NULL;
    target->cls = NULL;
}

ebb_status ses_java_watch_aim(session *s, const char *expression, bool location, void **out, ebb_error *err)
{
    watch_target target = {.kind = AN_EXPRESSION, .format = ses_default_format(s)};
    ebb_error why;
    EBB_TRY(ses_need_debuggee(s, err));
    ebb_status status = ses_java_place_of(s, expression, &target.place, &why);
    bool lasts = target.place.place == JAVA_PLACE_FIELD || target.place.place == JAVA_PLACE_STATIC ||
                 target.place.place == JAVA_PLACE_ELEMENT;
    if (status == EBB_OK && lasts) {
        target.kind = A_PLACE;
        if (target.place.place != JAVA_PLACE_ELEMENT)
            target.field = field_of(s, target.place.which, &target.cls);
        make_last(s, &target);
    } else if (status != EBB_OK && is_every_objects(s, expression, &target))
        target.kind = EVERY_OBJECTS_FIELD;
    else if (status != EBB_OK && (location || status != EBB_UNSUPPORTED))
        return ebb_fail(err, status, "%s", why.text);
    const ses_frame *frame;
    if (status == EBB_OK && target.place.place == JAVA_PLACE_LOCAL && ses_frame_selected(s, &frame, NULL) == EBB_OK)
        target.aimed_at = frame->pc;
    if (!target.expression)
        target.expression = ebb_strdup(expression);
    watch_target *made = EBB_NEW(watch_target);
    *made = target;
    *out = made;
    return EBB_OK;
}

void ses_java_watch_drop(void *target)
{
    free(((watch_target *)target)->expression);
    free(((watch_target *)target)->lasts_in);
    free(target);
}

bool ses_java_watch_is_static(const void *target)
{
    const watch_target *aimed = target;
    return aimed->kind == A_PLACE && aimed->place.place == JAVA_PLACE_STATIC;
}

bool ses_java_watch_is_of_all(const void *target)
{
    return ((const watch_target *)target)->kind == EVERY_OBJECTS_FIELD;
}

bool ses_java_watch_survives(const void *target)
{
    return ses_java_watch_awaits(target) != NULL; /* objects and classes go with the debuggee */
}

const char *ses_java_watch_awaits(const void *target)
{
    return ((const watch_target *)target)->lasts_in;
}

/* ---- looking -------------------------------------------------------------------------------- */

/* Reads the place through the world, which notes it. */
static ebb_status read_place(session *s, const watch_target *target, java_value *value, ebb_error *err)
{
    const java_world *world = &s->java->world;
    const java_value *place = &target->place;
    if (place->place == JAVA_PLACE_ELEMENT)
        return world->elements(s, place->holder, (uint32_t)place->which, 1, value, err);
    if (!target->field)
        return ebb_fail(err, EBB_NOT_FOUND, "That field is not known.");
    java_member member = {.name = target->field->name,
                          .descriptor = target->field->descriptor,
                          .id = target->field->id,
                          .access = target->field->access,
                          .holder = ses_java_type_of_class(s, target->cls->id)};
    return world->field_get(s, place->holder, &member, value, err);
}

/* ---- a field of every object ---------------------------------------------------------------- */

static bool is_field_stop(const session *s)
{
    return s->at.kind == MACHINE_STOP_POINT && s->at.object;
}

static void put_formatted(session *s, const expr_format *format, const java_type *type, java_word word, ebb_buf *text)
{
    ebb_arena arena = {0};
    java_value value = ses_java_value(type, word);
    (void)!expr_java_print(&arena, &s->java->world, format, &value, text, NULL);
    ebb_arena_fini(&arena);
}

static void put_value(session *s, const java_type *type, java_word word, ebb_buf *text)
{
    expr_format format = ses_default_format(s);
    put_formatted(s, &format, type, word, text);
}

/* The object that was just written or read; the machine tells which. */
static void *every_objects(session *s, const watch_target *target)
{
    ses_watch_note_read(s, JAVA_SPACE_FIELD, target->field->id, 1);
    ebb_buf shown = {0};
    java_word word;
    const java_type *type = ses_java_type_named(s, target->field->descriptor);
    if (is_field_stop(s) && type &&
        jvm_remote_field_get(s->machine, s->at.object, target->field->id, &word, NULL) == EBB_OK) {
        ebb_arena arena = {0};
        expr_format format = ses_default_format(s);
        java_value holder = {.type = ses_java_type_of_class(s, target->cls->id), .ref = s->at.object};
        put_value(s, type, word, &shown);
        ebb_buf_adds(&shown, " in ");
        (void)!expr_java_print_brief(&arena, &s->java->world, &format, &holder, &shown, NULL);
        ebb_arena_fini(&arena);
    }
    java_value nothing = {.type = ses_java_type_named(s, "I")};
    void *kept = ses_java_keep(s, &nothing, shown.n ? ebb_buf_text(&shown) : "unknown");
    ebb_buf_fini(&shown);
    return kept;
}

/* "97 in Account@1f" without the object. */
char *ses_java_without_holder(const char *shown)
{
    const char *holder = NULL;
    for (const char *at = shown; (at = strstr(at, " in ")) != NULL; at++)
        holder = at;
    return holder ? ebb_strndup(shown, (size_t)(holder - shown)) : ebb_strdup(shown);
}

/* The bits that the field had, as a value of its type. */
static java_word word_of_bits(char type, uint64_t bits)
{
    union {
        uint64_t bits;
        float f;
        double d;
    } raw = {.bits = bits};
    java_word word = {.type = type == '[' ? 'L' : type};
    switch (word.type) {
    case 'Z':
    case 'B': word.i = (int8_t)bits; break;
    case 'C': word.i = (uint16_t)bits; break;
    case 'S': word.i = (int16_t)bits; break;
    case 'I': word.i = (int32_t)bits; break;
    case 'F': word.d = (double)raw.f; break;
    case 'D': word.d = raw.d; break;
    case 'L': word.ref = bits; break;
    default: word.i = (int64_t)bits; break;
    }
    return word;
}

/* Whether the variable is in scope there.  javac splits its row where it has to; one with another type is another variable's. */
static bool is_in_scope(session *s, const watch_target *target, machine_place at)
{
    const java_class *cls;
    const java_code *code;
    const java_method *method = ses_java_method(s, at, &cls);
    unsigned bci = java_place_bci(at);
    if (!method || java_place_method(at) != java_place_method(target->aimed_at) || jvm_remote_code(s->machine, method->id, &code, NULL) != EBB_OK)
        return false;
    for (size_t i = 0; i < code->n_locals; i++) {
        const java_local *row = &code->locals[i];
        if (row->slot == target->place.which && strcmp(row->name, target->expression) == 0 &&
            ses_java_type_named(s, row->descriptor) == target->place.type && row->from <= bci && bci < row->to)
            return true;
    }
    return false;
}

/* What a place holds, where the machine's stop is about that one alone; NULL also for objects, which may be gone. */
static const java_type *type_of_place(session *s, const watch_target *target)
{
    const java_type *type = target->place.type;
    if (s->at.kind != MACHINE_STOP_POINT || s->at.n_points != 1)
        return NULL;
    if (target->field)
        type = ses_java_type_named(s, target->field->descriptor);
    return type && type->kind == JAVA_PRIMITIVE ? type : NULL;
}

char *ses_java_watch_before(session *s, const void *what)
{
    const watch_target *target = what;
    const java_type *type = target->kind == A_PLACE ? type_of_place(s, target) : NULL;
    if (target->kind == EVERY_OBJECTS_FIELD && is_field_stop(s))
        type = ses_java_type_named(s, target->field->descriptor);
    if (target->aimed_at && is_in_scope(s, target, s->at.touched_by)) /* else this was its first store */
        type = type_of_place(s, target);
    if (!type)
        return NULL;
    ebb_buf text = {0};
    put_value(s, type, word_of_bits(type->descriptor[0], s->at.was), &text);
    return text.data ? ebb_buf_take(&text) : NULL;
}

/* What an object looks like is in its fields, which may change: a reference takes a picture. */
bool ses_java_watch_is_told(session *s, const void *what, bool *is_reference)
{
    const watch_target *target = what;
    const java_type *type = target->kind == A_PLACE || target->aimed_at ? target->place.type : NULL;
    *is_reference = type && type->kind != JAVA_PRIMITIVE;
    return type && (!target->aimed_at || is_in_scope(s, target, target->aimed_at));
}

static ebb_status put_pictured(session *s, const watch_target *target, const machine_listed *hit, ebb_buf *text, ebb_error *err)
{
    jvm_remote_picture_show(s->machine, hit);
    put_formatted(s, &target->format, target->place.type, (java_word){.type = 'L', .ref = hit->is}, text);
    if (jvm_remote_picture_hide(s->machine))
        return EBB_OK;
    return ebb_fail(err, EBB_UNAVAILABLE, "That object was not looked at.");
}

ebb_status ses_java_watch_text(session *s, const void *what, const machine_listed *hit, char **out, ebb_error *err)
{
    const watch_target *target = what;
    const java_type *type = target->place.type;
    ebb_buf text = {0};
    ebb_status status = EBB_OK;
    *out = NULL;
    if (target->aimed_at && !is_in_scope(s, target, hit->place))
        return EBB_OK;
    if (type->kind == JAVA_PRIMITIVE) {
        expr_format format = expr_format_default(); /* the settings are about objects and arrays */
        put_formatted(s, &format, type, word_of_bits(type->descriptor[0], hit->is), &text);
    } else
        status = put_pictured(s, target, hit, &text, err);
    if (status == EBB_OK && text.data)
        *out = ebb_buf_take(&text);
    ebb_buf_fini(&text);
    return status;
}

/* A static by its name is nothing of the frame: looking for a field of that name in `this` would be a read of it. */
static ebb_status evaluate_target(session *s, ebb_arena *arena, const watch_target *target, java_value *value, ebb_error *err)
{
    struct ses_scope outer = s->scope;
    if (target->lasts_in)
        s->scope = (struct ses_scope){.is_set = true, .has_no_frame = true};
    ebb_status status = ses_java_evaluate_text(s, arena, target->expression, value, err);
    s->scope = outer;
    return status;
}

ebb_status ses_java_watch_value(session *s, const void *what, void **kept, ebb_error *err)
{
    const watch_target *target = what;
    EBB_TRY(ses_need_debuggee(s, err));
    if (target->kind == EVERY_OBJECTS_FIELD) {
        *kept = every_objects(s, target);
        return EBB_OK;
    }
    ebb_arena arena = {0};
    java_value value;
    ebb_status status = target->kind == A_PLACE
                            ? read_place(s, target, &value, err)
                            : evaluate_target(s, &arena, target, &value, err);
    bool was_calling = s->java->is_calling;
    if (status == EBB_OK && was_calling)
        status = ebb_fail(err, EBB_UNSUPPORTED, "An expression that calls methods can't be watched.");
    ses_java_world_end_calls(s);
    if (status == EBB_OK)
        *kept = ses_java_keep(s, &value, NULL);
    ebb_arena_fini(&arena);
    return status;
}
