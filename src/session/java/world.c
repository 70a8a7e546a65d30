/* world.c - the debuggee as Java's expressions see it (java_world). */
#include "session/convenience.h"
#include "session/printed.h"
#include "session/java/java.h"
#include "session/edits.h"
#include "session/watch.h"

#include <string.h>

/* ---- types ---------------------------------------------------------------------------------- */

static const java_type *world_type(void *self, const char *descriptor)
{
    return ses_java_type_named(self, descriptor);
}

static void fail_ambiguous(session *s, const char *name, const java_class_ids *classes, ebb_error *err)
{
    ebb_buf list = {0};
    for (size_t i = 0; i < classes->n && i < 5; i++) {
        const java_class *cls;
        if (jvm_remote_class(s->machine, classes->items[i], &cls, NULL) == EBB_OK)
            ebb_buf_addf(&list, "%s%s", i ? ", " : "", cls->name);
    }
    ebb_fail(err, EBB_BAD_INPUT, "%s may be any of %s; write its package, too.", name, ebb_buf_text(&list));
    ebb_buf_fini(&list);
}

static bool all_same_name(session *s, const java_class_ids *classes)
{
    const java_class *first, *cls;
    for (size_t i = 1; i < classes->n; i++)
        if (jvm_remote_class(s->machine, classes->items[0], &first, NULL) != EBB_OK ||
            jvm_remote_class(s->machine, classes->items[i], &cls, NULL) != EBB_OK ||
            strcmp(first->name, cls->name) != 0)
            return false;
    return true;
}

static const java_type *find_class(void *self, const char *name, ebb_error *err)
{
    session *s = self;
    java_class_ids classes = {0};
    const java_type *type = NULL;
    if (ses_java_classes(s, name, &classes, err) != EBB_OK)
        ;
    else if (classes.n == 0)
        ebb_fail(err, EBB_NOT_FOUND, "No class %s is loaded.", name);
    else if (!all_same_name(s, &classes))
        fail_ambiguous(s, name, &classes, err);
    else
        type = ses_java_type_of_class(s, classes.items[0]);
    ebb_vec_fini(&classes);
    return type;
}

static const char *type_descriptor(void *self, const java_type *type)
{
    (void)self;
    return type->descriptor;
}

static const char *type_name(void *self, const java_type *type)
{
    (void)self;
    return type->name;
}

static java_kind kind(void *self, const java_type *type)
{
    (void)self;
    return type->kind;
}

static const java_type *super(void *self, const java_type *type)
{
    if (type->kind == JAVA_ARRAY)
        return ses_java_type_named(self, "Ljava/lang/Object;");
    return type->info && type->info->super ? ses_java_type_of_class(self, type->info->super) : NULL;
}

static size_t interfaces(void *self, const java_type *type, const java_type **out, size_t at_most)
{
    size_t n = 0;
    for (size_t i = 0; type->info && i < type->info->n_interfaces && n < at_most; i++) {
        out[n] = ses_java_type_of_class(self, type->info->interfaces[i]);
        n += out[n] != NULL;
    }
    return n;
}

static const java_type *element(void *self, const java_type *array)
{
    (void)self;
    return array->element;
}

static size_t fields(void *self, const java_type *type, const java_member **out)
{
    session *s = self;
    java_type *t = (java_type *)type;
    size_t n = t->info ? t->info->n_fields : 0;
    if (!t->fields && n) {
        t->fields = EBB_ARENA_ARRAY(&s->java->arena, java_member, n);
        for (size_t i = 0; i < n; i++) {
            const java_field *f = &t->info->fields[i];
            t->fields[i] = (java_member){
                .name = f->name, .descriptor = f->descriptor, .id = f->id, .access = f->access, .holder = t};
        }
    }
    *out = t->fields;
    return n;
}

static size_t methods(void *self, const java_type *type, const java_member **out)
{
    session *s = self;
    java_type *t = (java_type *)type;
    size_t n = t->info ? t->info->n_methods : 0;
    if (!t->methods && n) {
        t->methods = EBB_ARENA_ARRAY(&s->java->arena, java_member, n);
        for (size_t i = 0; i < n; i++) {
            const java_method *m = &t->info->methods[i];
            t->methods[i] = (java_member){
                .name = m->name, .descriptor = m->descriptor, .id = m->id, .access = m->access, .holder = t};
        }
    }
    *out = t->methods;
    return n;
}

/* ---- the frame ------------------------------------------------------------------------------ */

ebb_status ses_java_typed(session *s, const char *descriptor, java_word word, java_value *value, ebb_error *err)
{
    const java_type *type = ses_java_type_named(s, descriptor);
    if (!type && word.type == 'L' && word.ref)
        type = ses_java_type_of_object(s, word.ref, err);
    else if (!type)
        type = ses_java_type_named(s, "null");
    if (!type)
        return EBB_NOT_FOUND;
    *value = ses_java_value(type, word);
    return EBB_OK;
}

static ebb_status value_of_variable(session *s, const ses_frame *frame, const ses_java_variable *variable,
                                    java_value *value, ebb_error *err)
{
    java_word word;
    char letter = variable->descriptor[0] == '[' ? 'L' : variable->descriptor[0];
    EBB_TRY(jvm_remote_local_get(s->machine, (java_local_at){s->thread, frame->depth, variable->slot}, letter, &word, err));
    EBB_TRY(ses_java_typed(s, variable->descriptor, word, value, err));
    value->place = JAVA_PLACE_LOCAL;
    value->which = variable->slot;
    ses_watch_note_read(s, JAVA_SPACE_LOCAL, frame->regs.cfa | variable->slot, 1);
    ebb_buf *which = ses_watch_note_local(s);
    if (which)
        ebb_buf_adds(which, ";"); /* there is one: nothing tells it from others of its name */
    return EBB_OK;
}

static ebb_status local(void *self, const char *name, java_value *value, ebb_error *err)
{
    session *s = self;
    const ses_frame *frame;
    ebb_arena arena = {0};
    ses_java_variables variables = {0};
    if (s->scope.has_no_frame || ses_frame_selected(s, &frame, NULL) != EBB_OK)
        return ebb_fail(err, EBB_NOT_FOUND, "%s", "");
    ebb_status status = ses_java_variables_of(s, &arena, frame, &variables, err);
    size_t i = 0;
    while (i < variables.n && strcmp(variables.items[i].name, name) != 0)
        i++;
    if (status == EBB_OK)
        status = i < variables.n ? value_of_variable(s, frame, &variables.items[i], value, err)
                                 : ses_java_no_variable(s, frame, name, err);
    ebb_vec_fini(&variables);
    ebb_arena_fini(&arena);
    return status;
}

static ebb_status this_(void *self, java_value *value, ebb_error *err)
{
    session *s = self;
    const ses_frame *frame;
    if (!ses_has_debuggee(s))
        return ebb_fail(err, EBB_GONE, "The program is not running.");
    if (ses_frame_get(s, 0, &frame, NULL) != EBB_OK)
        return ebb_fail(err, EBB_GONE, "There is no `this` here: no method is under way in this thread.");
    return local(self, "this", value, err);
}

static const java_type *scope_class(void *self)
{
    session *s = self;
    java_class_id id = s->machine ? ses_java_scope_class(s) : 0;
    return id ? ses_java_type_of_class(s, id) : NULL;
}

/* ---- objects -------------------------------------------------------------------------------- */

static ebb_status class_of(void *self, uint64_t ref, const java_type **type, ebb_error *err)
{
    session *s = self;
    EBB_TRY(ses_need_debuggee(s, err));
    *type = ses_java_type_of_object(s, ref, err);
    return *type ? EBB_OK : EBB_NOT_FOUND;
}

/* Where the field lies: in its object, or in the mirror of its class. */
static void note_field(session *s, uint64_t ref, const java_member *field)
{
    const java_class *cls;
    /* Asked again: when its type was made the class may not have been linked, nor its fields have had their places. */
    if (!field->holder->info || jvm_remote_class(s->machine, field->holder->info->id, &cls, NULL) != EBB_OK)
        return;
    for (size_t i = 0; i < cls->n_fields; i++)
        if (cls->fields[i].id == field->id)
            ses_watch_note_read(s, JAVA_SPACE_OBJECT, (ref ? ref : cls->mirror) + cls->fields[i].offset,
                                java_type_size(field->descriptor[0]));
}

static ebb_status field_get(void *self, uint64_t ref, const java_member *field, java_value *value,
                            ebb_error *err)
{
    session *s = self;
    java_word word;
    EBB_TRY(ses_need_debuggee(s, err));
    EBB_TRY(jvm_remote_field_get(s->machine, ref, field->id, &word, err));
    EBB_TRY(ses_java_typed(s, field->descriptor, word, value, err));
    value->place = ref ? JAVA_PLACE_FIELD : JAVA_PLACE_STATIC;
    value->holder = ref;
    value->which = field->id;
    note_field(s, ref, field);
    return EBB_OK;
}

static ebb_status length(void *self, uint64_t array, uint32_t *n, ebb_error *err)
{
    session *s = self;
    EBB_TRY(ses_need_debuggee(s, err));
    return jvm_remote_array_length(s->machine, array, n, err);
}

static ebb_status elements(void *self, uint64_t array, uint32_t from, uint32_t n, java_value *values,
                           ebb_error *err)
{
    session *s = self;
    EBB_TRY(ses_need_debuggee(s, err));
    const java_type *type = ses_java_type_of_object(s, array, err);
    if (!type)
        return EBB_NOT_FOUND;
    if (!type->element)
        return ebb_fail(err, EBB_BAD_INPUT, "A %s is no array.", type->name);
    java_words words = {0};
    ebb_status status = jvm_remote_array_get(s->machine, array, from, n, &words, err);
    if (status == EBB_OK && words.n < n)
        status = ebb_fail(err, EBB_NOT_FOUND, "The array ends before that.");
    unsigned nbytes = java_type_size(type->element->descriptor[0]);
    for (uint32_t i = 0; status == EBB_OK && i < n; i++) {
        values[i] = ses_java_value(type->element, words.items[i]);
        values[i].place = JAVA_PLACE_ELEMENT;
        values[i].holder = array;
        values[i].which = from + i;
    }
    if (status == EBB_OK)
        ses_watch_note_read(s, JAVA_SPACE_OBJECT, array + SES_JAVA_ARRAY_BASE + (uint64_t)from * nbytes,
                            (size_t)n * nbytes);
    ebb_vec_fini(&words);
    return status;
}

static ebb_status string(void *self, ebb_arena *arena, uint64_t ref, uint32_t at_most, java_string *out, ebb_error *err)
{
    session *s = self;
    java_chars chars;
    EBB_TRY(ses_need_debuggee(s, err));
    EBB_TRY(jvm_remote_string(s->machine, arena, ref, at_most, &chars, err));
    *out = (java_string){chars.utf8, chars.length};
    return EBB_OK;
}

static ebb_status class_mirrored(void *self, uint64_t mirror, const java_type **type, ebb_error *err)
{
    session *s = self;
    java_class_id id;
    EBB_TRY(ses_need_debuggee(s, err));
    EBB_TRY(jvm_remote_class_mirrored(s->machine, mirror, &id, err));
    *type = ses_java_type_of_class(s, id);
    return *type ? EBB_OK : ebb_fail(err, EBB_NOT_FOUND, "That class is not known.");
}

static ebb_status mirror(void *self, const java_type *type, uint64_t *ref, ebb_error *err)
{
    session *s = self;
    EBB_TRY(ses_need_debuggee(s, err));
    if (type->info) {
        *ref = type->info->mirror;
        return EBB_OK;
    }
    java_class_ids classes = {0};
    const java_class *cls;
    ebb_status status = jvm_remote_classes_named(s->machine, type->name, &classes, err);
    if (status == EBB_OK && classes.n == 0)
        status = ebb_fail(err, EBB_NOT_FOUND, "No class %s is loaded.", type->name);
    if (status == EBB_OK)
        status = jvm_remote_class(s->machine, classes.items[0], &cls, err);
    if (status == EBB_OK)
        *ref = cls->mirror;
    ebb_vec_fini(&classes);
    return status;
}

static int32_t identity_hash(void *self, uint64_t ref)
{
    session *s = self;
    int32_t hash;
    return s->machine && jvm_remote_identity_hash(s->machine, ref, &hash, NULL) == EBB_OK ? hash : 0;
}

/* ---- calling -------------------------------------------------------------------------------- */

static ebb_status needs_calls(void *self, ebb_error *err)
{
    session *s = self;
    EBB_TRY(ses_need_debuggee(s, err));
    if (s->java->is_calling || ses_setting_is(s, "java-calls", "live"))
        return EBB_OK;
    EBB_TRY(jvm_remote_scratch_begin(s->machine, err));
    s->java->is_calling = true;
    return EBB_OK;
}

void ses_java_world_end_calls(session *s)
{
    if (s->java->is_calling)
        jvm_remote_scratch_end(s->machine);
    s->java->is_calling = false;
    ses_java_lambdas_forget(s->java);
    ses_java_types_forget_copy(s);
}

static ebb_status fail_thrown(session *s, const java_member *method, java_ref thrown, ebb_error *err)
{
    ebb_buf words = {0};
    s->java->thrown = thrown;
    if (s->java->lambda_error.status)
        return ebb_fail(err, s->java->lambda_error.status, "%s", s->java->lambda_error.text);
    ses_java_exception_words(s, thrown, &words);
    ebb_status status =
        ebb_fail(err, EBB_BAD_INPUT, "%s.%s threw %s", ses_java_simple_name(method->holder->name),
                 method->name, ebb_buf_text(&words));
    ebb_buf_fini(&words);
    return status;
}

static ebb_status call(void *self, const java_call *call, java_value *result, ebb_error *err)
{
    session *s = self;
    const java_member *method = call->method;
    java_words words = {0};
    java_invoked out = {0};
    EBB_TRY(ses_need_debuggee(s, err));
    const char *at = method->descriptor + 1;
    for (size_t i = 0; i < call->n_args; i++) {
        ebb_vec_push(&words, ses_java_word(&call->args[i], *at));
        at = ses_java_next_type(at);
    }
    if (s->java->lambda_depth == 0)
        s->java->lambda_error = (ebb_error){0};
    java_invoke how = {s->thread, call->ref, method->id, call->is_virtual, words.items, words.n};
    ebb_status status = jvm_remote_invoke(s->machine, &how, &out, err);
    ebb_vec_fini(&words);
    EBB_TRY(status);
    if (out.thrown)
        return fail_thrown(s, method, out.thrown, err);
    const char *returns = strchr(method->descriptor, ')') + 1;
    if (*returns == 'V') {
        *result = (java_value){.type = ses_java_type_named(s, "V")};
        return EBB_OK;
    }
    return ses_java_typed(s, returns, out.result, result, err);
}

static ebb_status new_string(void *self, const char *utf8, uint64_t *ref, ebb_error *err)
{
    session *s = self;
    EBB_TRY(ses_need_debuggee(s, err));
    return jvm_remote_new_string(s->machine, utf8, ref, err);
}

static ebb_status new_object(void *self, const java_type *type, uint64_t *ref, ebb_error *err)
{
    session *s = self;
    EBB_TRY(ses_need_debuggee(s, err));
    if (!type->info)
        return ebb_fail(err, EBB_BAD_INPUT, "%s is no class to make objects of.", type->name);
    return jvm_remote_new_object(s->machine, type->info->id, ref, err);
}

static ebb_status new_array(void *self, const java_type *type, uint32_t n, uint64_t *ref, ebb_error *err)
{
    session *s = self;
    EBB_TRY(ses_need_debuggee(s, err));
    return jvm_remote_new_array(s->machine, type->descriptor, n, ref, err);
}

static const java_type *load_class(void *self, const char *name, ebb_error *err)
{
    session *s = self;
    java_class_id id;
    if (ses_need_debuggee(s, err) != EBB_OK ||
        jvm_remote_load_class(s->machine, ses_java_scope_class(s), name, true, &id, err) != EBB_OK)
        return NULL;
    return ses_java_type_of_class(s, id);
}

static bool is_initialised(void *self, const java_type *type)
{
    session *s = self;
    bool is_so;
    if (s->machine && !jvm_remote_has_copies(s->machine))
        return true; /* looking must not initialise it in the program itself */
    return !type->info || !s->machine || jvm_remote_class_is_initialised(s->machine, type->info->id, &is_so, NULL) != EBB_OK ||
           is_so;
}

/* In the copy, or wherever new_array made it. */
static ebb_status set_element(void *self, uint64_t array, uint32_t i, const java_value *value, ebb_error *err)
{
    session *s = self;
    EBB_TRY(ses_need_debuggee(s, err));
    const java_type *type = ses_java_type_of_object(s, array, err);
    if (!type || !type->element)
        return EBB_NOT_FOUND;
    return jvm_remote_array_set(s->machine, array, i, ses_java_word(value, type->element->descriptor[0]), err);
}

/* ---- assigning ------------------------------------------------------------------------------ */

/* JV1: whatever was called to get the value, the assignment is done in the debuggee itself. */
static ebb_status leave_copy(session *s, const java_value *value, ebb_error *err)
{
    java_class_id in_copy, here;
    if (!s->java->is_calling)
        return EBB_OK;
    bool is_object = value->ref && value->type->kind != JAVA_PRIMITIVE && !value->text;
    ebb_status known = is_object ? jvm_remote_class_of(s->machine, value->ref, &in_copy, NULL) : EBB_OK;
    ses_java_world_end_calls(s);
    if (is_object && (known != EBB_OK || jvm_remote_class_of(s->machine, value->ref, &here, NULL) != EBB_OK ||
                      here != in_copy))
        return ebb_fail(err, EBB_UNSUPPORTED,
                        "That object was made in a copy of the program; `set java-calls live` makes it for real.");
    return EBB_OK;
}

/* Where a field lies; 0: that isn't known. */
static uint64_t address_of_field(session *s, uint64_t holder, uint64_t field)
{
    const java_class *cls;
    if (jvm_remote_class(s->machine, (java_class_id)(field >> 32), &cls, NULL) != EBB_OK)
        return 0;
    for (size_t i = 0; i < cls->n_fields; i++)
        if (cls->fields[i].id == field)
            return (holder ? holder : cls->mirror) + cls->fields[i].offset;
    return 0;
}

/* What is about to be set, for who asks about it at this stop. */
static void note_edit(session *s, const java_value *place)
{
    const ses_frame *frame;
    void *kept = ses_java_keep(s, place, NULL);
    char *old = kept ? s->language->value_text(s, kept) : ebb_strdup("<unreadable>");
    if (kept)
        s->language->value_drop(kept);
    if (place->place == JAVA_PLACE_LOCAL && ses_frame_selected(s, &frame, NULL) == EBB_OK)
        ses_edit_note(s, JAVA_SPACE_LOCAL, frame->regs.cfa | place->which, old);
    else if (place->place == JAVA_PLACE_FIELD || place->place == JAVA_PLACE_STATIC)
        ses_edit_note(s, JAVA_SPACE_OBJECT, address_of_field(s, place->holder, place->which), old);
    else if (place->place == JAVA_PLACE_ELEMENT)
        ses_edit_note(s, JAVA_SPACE_OBJECT, place->holder + SES_JAVA_ARRAY_BASE + place->which * java_type_size(place->type->descriptor[0]), old);
    else
        free(old);
}

static ebb_status assign(void *self, const java_value *place, const java_value *value, ebb_error *err)
{
    session *s = self;
    const ses_frame *frame;
    java_value real = *value;
    EBB_TRY(ses_need_debuggee(s, err));
    EBB_TRY(leave_copy(s, value, err));
    if (real.text && !real.ref)
        EBB_TRY(jvm_remote_new_string(s->machine, real.text, &real.ref, err));
    java_word word = ses_java_word(&real, place->type->kind == JAVA_PRIMITIVE ? place->type->descriptor[0] : 'L');
    ebb_status status = EBB_OK;
    note_edit(s, place);
    switch (place->place) {
    case JAVA_PLACE_LOCAL:
        EBB_TRY(ses_frame_selected(s, &frame, err));
        status = jvm_remote_local_set(s->machine, (java_local_at){s->thread, frame->depth, (unsigned)place->which}, word, err);
        break;
    case JAVA_PLACE_FIELD:
    case JAVA_PLACE_STATIC:
        status = jvm_remote_field_set(s->machine, place->holder, place->which, word, err);
        break;
    case JAVA_PLACE_ELEMENT:
        status = jvm_remote_array_set(s->machine, place->holder, (uint32_t)place->which, word, err);
        break;
    default: return ebb_fail(err, EBB_BAD_INPUT, "Left operand of assignment is not a variable.");
    }
    if (status == EBB_OK)
        ses_watch_refresh(s);
    return status;
}

/* ---- $names --------------------------------------------------------------------------------- */

static ebb_status kept_or_void(session *s, const void *kept, java_value *value, ebb_error *err)
{
    if (kept)
        return ses_java_kept_value(s, kept, value, err);
    *value = (java_value){.type = ses_java_type_named(s, "V")};
    return EBB_OK;
}

static ebb_status get_convenience(void *self, ebb_arena *arena, const char *name, java_value *value,
                                  ebb_error *err)
{
    (void)arena;
    session *s = self;
    int64_t number;
    if (!ses_convenience_computed(s, name, &number))
        return kept_or_void(s, ses_convenience_get(s, name), value, err);
    *value = (java_value){.type = ses_java_type_named(s, "I"), .i = number};
    return EBB_OK;
}

static ebb_status set_convenience(void *self, const char *name, const java_value *value, ebb_error *err)
{
    (void)err;
    session *s = self;
    ses_convenience_set(s, name, ses_java_keep(s, value, NULL));
    return EBB_OK;
}

static ebb_status get_history(void *self, ebb_arena *arena, long index, bool from_end, java_value *value,
                              ebb_error *err)
{
    (void)arena;
    const void *kept;
    EBB_TRY(ses_printed_get(self, index, from_end, &kept, err));
    return kept_or_void(self, kept, value, err);
}

void ses_java_world_init(session *s)
{
    s->java->world = (java_world){
        .self = s,
        .type = world_type,
        .find_class = find_class,
        .type_descriptor = type_descriptor,
        .type_name = type_name,
        .kind = kind,
        .super = super,
        .interfaces = interfaces,
        .element = element,
        .fields = fields,
        .methods = methods,
        .local = local,
        .this_ = this_,
        .scope_class = scope_class,
        .class_of = class_of,
        .field_get = field_get,
        .length = length,
        .elements = elements,
        .string = string,
        .class_mirrored = class_mirrored,
        .mirror = mirror,
        .identity_hash = identity_hash,
        .assign = assign,
        .needs_calls = needs_calls,
        .call = call,
        .new_string = new_string,
        .new_object = new_object,
        .new_array = new_array,
        .new_lambda = ses_java_new_lambda,
        .load_class = load_class,
        .is_initialised = is_initialised,
        .set_element = set_element,
        .get_convenience = get_convenience,
        .set_convenience = set_convenience,
        .get_history = get_history,
    };
}
