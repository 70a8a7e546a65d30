/* origin_native.c - what C code passes on of a value that is followed: copies of arrays and objects, Unsafe, reflection. */
#include "session/java/origin.h"

#include <string.h>

enum { ACC_STATIC = 0x0008 };

/* ---- which method it is -------------------------------------------------------------------------- */

static bool is_method(const java_effect *call, const char *holder, const char *name)
{
    return call->holder && strcmp(call->holder, holder) == 0 && strcmp(call->name, name) == 0;
}

static bool is_unsafe(const java_effect *call, const char *prefix)
{
    bool is_it = call->holder && (strcmp(call->holder, "jdk/internal/misc/Unsafe") == 0 || strcmp(call->holder, "sun/misc/Unsafe") == 0);
    return is_it && strncmp(call->name, prefix, strlen(prefix)) == 0;
}

/* clone() of arrays is named as a method of the array's class. */
static bool is_clone(const java_effect *call)
{
    return call->name && strcmp(call->name, "clone") == 0 && strncmp(call->descriptor, "()", 2) == 0;
}

static const char *call_words(ses_java_chain *c, const java_effect *call)
{
    ebb_buf words = {0};
    for (const char *at = call->holder ? call->holder : ""; *at; at++)
        ebb_buf_addc(&words, *at == '/' ? '.' : *at);
    ebb_buf_addf(&words, "%s%s", words.n ? "." : "", call->name);
    const char *text = ebb_arena_strdup(c->arena, ebb_buf_text(&words));
    ebb_buf_fini(&words);
    return text;
}

/* The n-th argument slot; the debuggee stands before the call. */
static ses_java_datum argument(machine_tid thread, const java_frame *frame, const java_effect *call, unsigned n)
{
    return ses_java_stack_slot(thread, frame->id, call->depth - call->pops + n);
}

static bool read_argument(ses_java_chain *c, machine_tid thread, const java_frame *frame, const java_effect *call, unsigned n, uint64_t *bits)
{
    ses_java_datum d = argument(thread, frame, call, n);
    return n < call->pops && ses_java_chain_read(c, &d, bits);
}

static bool is_element(const ses_java_chain *c)
{
    return c->datum.name == NULL;
}

static ses_origin_kind write_kind(const ses_java_chain *c)
{
    return is_element(c) ? SES_ORIGIN_ARRAY_WRITE : SES_ORIGIN_FIELD_WRITE;
}

/* ---- fields of objects, by name ------------------------------------------------------------------ */

static const java_class *class_of(ses_java_chain *c, java_ref object)
{
    java_class_id id;
    const java_class *cls;
    bool is_known = object && jvm_remote_class_of(c->s->machine, object, &id, NULL) == EBB_OK && jvm_remote_class(c->s->machine, id, &cls, NULL) == EBB_OK;
    return is_known ? cls : NULL;
}

/* The field of that name that the object's own class declares. */
static const java_field *own_field(ses_java_chain *c, java_ref object, const char *name)
{
    const java_class *cls = class_of(c, object);
    if (!cls)
        return NULL;
    for (size_t i = 0; i < cls->n_fields; i++)
        if (strcmp(cls->fields[i].name, name) == 0 && !(cls->fields[i].access & ACC_STATIC))
            return &cls->fields[i];
    return NULL;
}

static java_ref reference_in(ses_java_chain *c, java_ref object, const char *name)
{
    java_word word;
    const java_field *field = own_field(c, object, name);
    return field && jvm_remote_field_get(c->s->machine, object, field->id, &word, NULL) == EBB_OK ? word.ref : 0;
}

/* A primitive in its box, the field `value` of that, if it is the value that is followed. */
static bool unbox(ses_java_chain *c, java_ref box, ses_java_datum *cell)
{
    java_word word;
    const java_field *field = own_field(c, box, "value");
    if (!field || jvm_remote_field_get(c->s->machine, box, field->id, &word, NULL) != EBB_OK || !ses_java_chain_is(c, (uint64_t)word.i))
        return false;
    *cell = (ses_java_datum){.kind = SES_JAVA_CELL, .holder = box, .addr = box + field->offset, .name = "value of its box"};
    c->letter = field->descriptor[0];
    return true;
}

/* ---- who wrote a cell ---------------------------------------------------------------------------- */

/* arraycopy(src, srcPos, dest, destPos, length) */
static void follow_copy(ses_java_chain *c, machine_tid thread, const java_frame *frame, const java_effect *call)
{
    uint64_t src, from, dest, to;
    unsigned size = java_type_size(c->letter);
    bool known = read_argument(c, thread, frame, call, 0, &src) && read_argument(c, thread, frame, call, 1, &from) &&
                 read_argument(c, thread, frame, call, 2, &dest) && read_argument(c, thread, frame, call, 3, &to) && dest == c->datum.holder;
    if (!known) {
        ses_java_chain_end(c, SES_ORIGIN_END, "System.arraycopy wrote it, from where is not known");
        return;
    }
    uint64_t index = (c->datum.addr - dest - SES_JAVA_ARRAY_BASE) / size - (uint32_t)to + (uint32_t)from;
    ses_java_chain_add(c, SES_ORIGIN_ARRAY_WRITE, "copied by System.arraycopy, from element %llu", (unsigned long long)index);
    c->datum.holder = src;
    c->datum.addr = src + SES_JAVA_ARRAY_BASE + index * size;
}

static bool is_reference(char letter) { return letter == 'L' || letter == '['; }

static bool is_array_method(const java_effect *call, const char *prefix)
{
    return call->holder && strcmp(call->holder, "java/lang/reflect/Array") == 0 && strncmp(call->name, prefix, strlen(prefix)) == 0;
}

/* A number of another type is followed from here on, one that was written into an array of a wider one. */
static bool follow_widened(ses_java_chain *c, const ses_java_datum *slot, char type, const java_effect *call)
{
    ses_java_chain from = *c;
    if (!strchr("BSCIJF", type) || !ses_java_chain_aim_at_slot(&from, slot, type))
        return false;
    ses_java_chain_add(c, SES_ORIGIN_ARRAY_WRITE, "written by %s", call_words(c, call));
    ses_java_chain_add(c, SES_ORIGIN_CONVERSION, "made of %s (%s)", from.text, call->name);
    c->datum = from.datum;
    c->letter = from.letter;
    c->bits = from.bits;
    c->text = from.text;
    return true;
}

/* java.lang.reflect.Array.set(array, index, value), and setInt and its like. */
static bool follow_array_set(ses_java_chain *c, machine_tid thread, const java_frame *frame, const java_effect *call)
{
    uint64_t array, value;
    char type = is_array_method(call, "set") ? strchr(call->descriptor, ')')[-1] : 0;
    bool is_boxed = type == ';' && !is_reference(c->letter);
    ses_java_datum cell = argument(thread, frame, call, 2);
    bool is_there = type != 0 && read_argument(c, thread, frame, call, 0, &array) && array == c->datum.holder && read_argument(c, thread, frame, call, 2, &value);
    if (is_there && !is_boxed && type != ';' && type != c->letter)
        return follow_widened(c, &cell, type, call);
    if (!is_there || (is_boxed && !unbox(c, value, &cell)))
        return false;
    ses_java_chain_add(c, SES_ORIGIN_ARRAY_WRITE, "written by %s", call_words(c, call));
    if (is_boxed)
        c->datum = cell;
    else
        ses_java_chain_go_on(c, cell);
    return true;
}

void ses_java_native_write(ses_java_chain *c, machine_tid thread, const java_frame *frame, const java_effect *call)
{
    if (follow_array_set(c, thread, frame, call))
        return;
    if (is_method(call, "java/lang/System", "arraycopy")) {
        follow_copy(c, thread, frame, call);
    } else if (is_unsafe(call, "put") || is_unsafe(call, "compareAnd") || is_unsafe(call, "getAndSet") || is_unsafe(call, "weakCompareAnd")) {
        ses_java_chain_add(c, write_kind(c), "written by %s", call_words(c, call));
        ses_java_chain_go_on(c, ses_java_stack_slot(thread, frame->id, call->depth - ses_java_chain_slots(c)));
    } else {
        ses_java_chain_end(c, SES_ORIGIN_NATIVE, "a native method wrote it: %s", call_words(c, call));
    }
}

void ses_java_native_birth(ses_java_chain *c, machine_tid thread, const java_frame *frame, const java_effect *call)
{
    uint64_t original;
    if (is_clone(call) && read_argument(c, thread, frame, call, 0, &original)) {
        ses_java_chain_add(c, write_kind(c), "copied by clone()");
        c->datum.addr = c->datum.addr - c->datum.holder + original;
        c->datum.holder = original;
    } else if ((uint32_t)c->bits == 0 && (strchr("JDL[", c->letter) == NULL || c->bits == 0)) {
        if (c->datum.is_static)
            ses_java_chain_end(c, SES_ORIGIN_INIT, "is what the static field %s has at first: nothing wrote it since its class was loaded, here", c->datum.name);
        else
            ses_java_chain_end(c, SES_ORIGIN_INIT, "is there at first: nothing wrote it since the object was made here, by %s", call_words(c, call));
    } else {
        ses_java_chain_end(c, SES_ORIGIN_NATIVE, "a native method made the object with this in it: %s", call_words(c, call));
    }
}

/* ---- who returned it ----------------------------------------------------------------------------- */

/* getReference(object, offset) and its like, of what is in the heap. */
static bool follow_unsafe_read(ses_java_chain *c, machine_tid thread, const java_frame *frame, const java_effect *call)
{
    uint64_t object, offset;
    if (!is_unsafe(call, "get") && !is_unsafe(call, "compareAndExchange"))
        return false;
    if (!read_argument(c, thread, frame, call, 1, &object) || !read_argument(c, thread, frame, call, 2, &offset) || object == 0)
        return false;
    const java_class *cls = class_of(c, object);
    if (!cls)
        return false;
    ses_java_chain_add(c, cls->is_array ? SES_ORIGIN_ARRAY_READ : SES_ORIGIN_FIELD_READ, "read by %s", call_words(c, call));
    c->datum = (ses_java_datum){.kind = SES_JAVA_CELL, .holder = object, .addr = object + offset, .name = cls->is_array ? NULL : cls->name};
    return true;
}

/* The number that a box was made of, an element of the array, is followed instead. */
static bool becomes_element(ses_java_chain *c, java_ref array, char element, uint32_t index)
{
    java_words words = {0};
    bool is_known = jvm_remote_array_get(c->s->machine, array, index, 1, &words, NULL) == EBB_OK && words.n == 1;
    if (is_known) {
        c->letter = element;
        c->bits = (uint64_t)words.items[0].i;
    }
    ebb_vec_fini(&words);
    return is_known;
}

/* java.lang.reflect.Array.get(array, index), and getInt and its like. */
static bool follow_array_get(ses_java_chain *c, machine_tid thread, const java_frame *frame, const java_effect *call)
{
    uint64_t array, index;
    bool is_it = is_array_method(call, "get") && strchr(call->descriptor, 'I') && read_argument(c, thread, frame, call, 0, &array) && read_argument(c, thread, frame, call, 1, &index);
    const java_class *cls = is_it ? class_of(c, array) : NULL;
    if (!cls || !cls->is_array)
        return false;
    bool is_same = is_reference(cls->element) ? is_reference(c->letter) : cls->element == c->letter;
    if (!is_same && !(c->letter == 'L' && strcmp(call->name, "get") == 0))
        return false;
    ses_java_chain_add(c, SES_ORIGIN_ARRAY_READ, "read by %s", call_words(c, call));
    if (!is_same && !becomes_element(c, array, cls->element, (uint32_t)index))
        return false;
    c->datum = (ses_java_datum){.kind = SES_JAVA_CELL, .holder = array, .addr = array + SES_JAVA_ARRAY_BASE + (uint64_t)(uint32_t)index * java_type_size(c->letter)};
    return true;
}

/* String.intern() returns the string itself, if it is the first with these characters. */
static bool follow_interned(ses_java_chain *c, machine_tid thread, const java_frame *frame, const java_effect *call)
{
    uint64_t string;
    if (!is_method(call, "java/lang/String", "intern") || !read_argument(c, thread, frame, call, 0, &string))
        return false;
    if (string != c->bits) {
        ses_java_chain_end(c, SES_ORIGIN_NATIVE, "returned by java.lang.String.intern: a string with these characters that was interned before");
        return true;
    }
    ses_java_chain_add(c, SES_ORIGIN_RETURN, "returned by java.lang.String.intern, which was given it");
    ses_java_chain_go_on(c, argument(thread, frame, call, 0));
    return true;
}

static bool makes_objects(const java_effect *call)
{
    static const char *const names[] = {"allocateInstance", "newInstance0", "newArray", "multiNewArray"};
    bool is_it = is_clone(call);
    for (size_t i = 0; i < sizeof names / sizeof *names && !is_it; i++)
        is_it = strcmp(call->name, names[i]) == 0;
    return is_it;
}

void ses_java_native_result(ses_java_chain *c, machine_tid thread, const java_frame *frame, const java_effect *call)
{
    if (follow_unsafe_read(c, thread, frame, call) || follow_array_get(c, thread, frame, call) || follow_interned(c, thread, frame, call))
        return;
    if (makes_objects(call))
        ses_java_chain_end(c, SES_ORIGIN_ALLOCATION, "made here, by %s", call_words(c, call));
    else
        ses_java_chain_end(c, SES_ORIGIN_NATIVE, "returned by the native method %s", call_words(c, call));
}

/* ---- reflection ---------------------------------------------------------------------------------- */

static bool is_accessor(ses_java_chain *c, const java_frame *native, const char *name)
{
    const java_class *cls = NULL;
    const java_method *method = ses_java_method(c->s, native->place, &cls);
    return method && cls && strcmp(method->name, name) == 0 && strstr(cls->name, "AccessorImpl");
}

bool ses_java_native_hands_back(ses_java_chain *c, const java_frame *native)
{
    return is_accessor(c, native, "invoke0");
}

bool ses_java_native_boxes(const java_effect *call)
{
    return call->kind == JAVA_EFFECT_CALL && call->holder && strstr(call->holder, "AccessorImpl") && strcmp(call->name, "invoke0") == 0;
}

/* The number of the parameter in a slot; *type is its descriptor's first letter. */
static unsigned parameter_number(const java_method *method, unsigned slot, char *type)
{
    unsigned at = method->access & ACC_STATIC ? 0 : 1, number = 0;
    for (const char *d = method->descriptor + 1; *d && *d != ')'; number++) {
        *type = *d;
        if (at >= slot)
            return number;
        at += ses_java_slots_of(*d);
        d = ses_java_next_type(d);
    }
    return number;
}

static java_ref argument_of_native(ses_java_chain *c, const ses_java_frames_of *callee, unsigned slot)
{
    java_word word;
    java_local_at at = {c->datum.thread, callee->level + 1, slot};
    return jvm_remote_local_get(c->s->machine, at, 'L', &word, NULL) == EBB_OK ? word.ref : 0;
}

/* The accessor's native method, which has a Method or Constructor in slot 0, called that, and not something of its own accord: a class loader, or
 * the constructor of an InvocationTargetException. */
static bool is_what_reflection_calls(ses_java_chain *c, const ses_java_frames_of *callee, const java_method *method, const java_class *cls)
{
    java_ref executable = argument_of_native(c, callee, 0), name = reference_in(c, executable, "name");
    java_chars text;
    if (name == 0) /* a Constructor has none */
        return strcmp(method->name, "<init>") == 0 && reference_in(c, executable, "clazz") == cls->mirror;
    return jvm_remote_string(c->s->machine, c->arena, name, UINT32_MAX, &text, NULL) == EBB_OK && strcmp(text.utf8, method->name) == 0;
}

/* One of the arguments in the array that invoke0(method, object, arguments) or newInstance0(constructor, arguments) was given. */
static bool follow_reflected(ses_java_chain *c, const ses_java_frames_of *callee, const java_method *method, unsigned array_slot)
{
    java_ref array = argument_of_native(c, callee, array_slot);
    java_words element = {0};
    char type = 'L';
    unsigned n = parameter_number(method, c->datum.slot, &type);
    ses_java_datum cell = {.kind = SES_JAVA_CELL, .holder = array, .addr = array + SES_JAVA_ARRAY_BASE + (uint64_t)n * 8};
    bool known = array && jvm_remote_array_get(c->s->machine, array, n, 1, &element, NULL) == EBB_OK && element.n == 1;
    if (known)
        known = type == 'L' || type == '[' ? ses_java_chain_is(c, element.items[0].ref) : unbox(c, element.items[0].ref, &cell);
    ebb_vec_fini(&element);
    if (!known)
        return false;
    ses_java_chain_add(c, SES_ORIGIN_PARAMETER, "passed to %s by reflection, as argument %u", ses_java_chain_method(c, callee->frame.place), n + 1);
    c->datum = cell;
    return true;
}

/* The object that invoke0 was given; its caller pushed it. */
static ebb_status follow_receiver(ses_java_chain *c, const ses_java_frames_of *callee, bool *done, ebb_error *err)
{
    ses_java_frames_of native;
    java_effect e;
    size_t which;
    *done = ses_java_chain_frame(c, c->datum.thread, callee->caller.id, &native) && native.has_caller && !native.caller.is_native && !native.frame.is_from_c;
    if (!*done)
        return EBB_OK;
    ses_java_chain_add(c, SES_ORIGIN_PARAMETER, "passed as this to %s by reflection", ses_java_chain_method(c, callee->frame.place));
    EBB_TRY(ses_java_trail_last(c->s, &(ses_java_spot){native.caller.place, c->datum.thread, native.caller.id}, 1, &which, done, err));
    if (!*done)
        return EBB_OK;
    EBB_TRY(jvm_remote_effect(c->s->machine, c->arena, native.caller.place, &e, err));
    ses_java_chain_go_on(c, argument(c->datum.thread, &native.caller, &e, 1));
    return EBB_OK;
}

ebb_status ses_java_native_parameter(ses_java_chain *c, const ses_java_frames_of *callee, ebb_error *err)
{
    const java_class *cls = NULL;
    const java_method *method = ses_java_method(c->s, callee->frame.place, &cls);
    bool is_native = callee->has_caller && callee->caller.is_native, done = false;
    bool is_this = method && !(method->access & ACC_STATIC) && c->datum.slot == 0;
    bool is_invoked = is_native && method && is_accessor(c, &callee->caller, "invoke0"), is_made = is_native && method && is_accessor(c, &callee->caller, "newInstance0");
    if ((is_invoked || is_made) && is_what_reflection_calls(c, callee, method, cls)) {
        if (!is_this)
            done = follow_reflected(c, callee, method, is_invoked ? 2 : 1);
        else if (is_invoked)
            EBB_TRY(follow_receiver(c, callee, &done, err));
    }
    if (done)
        return EBB_OK;
    const char *name = ses_java_chain_method(c, callee->frame.place);
    if ((is_invoked || is_made) && !is_this && strcmp(cls->name, "java.lang.reflect.InvocationTargetException") == 0 && c->bits) {
        ses_java_chain_add(c, SES_ORIGIN_PARAMETER, "thrown by what was called by reflection, and passed to %s", name);
        return ses_java_chain_to_birth(c, err);
    }
    if (is_native)
        ses_java_chain_end(c, SES_ORIGIN_NATIVE, "the native method %s passed it to %s", ses_java_chain_method(c, callee->caller.place), name);
    else if (method && strcmp(method->name, "main") == 0 && !callee->has_caller)
        ses_java_chain_end(c, SES_ORIGIN_INPUT, "an argument of the program, which the launcher passed to %s", name);
    else
        ses_java_chain_end(c, SES_ORIGIN_NATIVE, "the Java machine itself passed it to %s", name);
    return EBB_OK;
}
