/* objects.c - values, objects, and what is done with them, asked of the agent. */
#include "jvm/remote/line.h"

#include "base/check.h"

#include <string.h>

/* ---- values ---- */

java_word jvm_remote_to_word(uint8_t type, uint64_t bits)
{
    java_word w = {.type = (char)type};
    if (type == 'F' || type == 'D')
        memcpy(&w.d, &bits, sizeof w.d);
    else
        w.i = (int64_t)bits;
    return w;
}

uint64_t jvm_remote_to_bits(java_word w)
{
    uint64_t bits = (uint64_t)w.i;
    if (w.type == 'F' || w.type == 'D')
        memcpy(&bits, &w.d, sizeof bits);
    return bits;
}

uint8_t jvm_remote_to_type(java_word w)
{
    return w.type == '[' ? 'L' : (uint8_t)w.type;
}

ebb_status jvm_remote_slots(machine *m, machine_tid tid, unsigned level, java_words *locals, java_words *stack, ebb_error *err)
{
    ebb_arena arena = {0};
    jvm_wire_frame_span q = {.tid = (uint64_t)tid, .first = level};
    jvm_wire_slots a = {0};
    ebb_status status = jvm_remote_ask_slots(jvm_remote_of(m), &arena, &q, &a, err);
    for (size_t i = 0; status == EBB_OK && i < a.locals.n; i++)
        ebb_vec_push(locals, jvm_remote_to_word(a.locals.items[i].type, a.locals.items[i].bits));
    for (size_t i = 0; status == EBB_OK && i < a.stack.n; i++)
        ebb_vec_push(stack, jvm_remote_to_word(a.stack.items[i].type, a.stack.items[i].bits));
    ebb_arena_fini(&arena);
    return status;
}

ebb_status jvm_remote_local_get(machine *m, java_local_at at, char type, java_word *out, ebb_error *err)
{
    ebb_arena arena = {0};
    jvm_wire_local_at q = {.tid = (uint64_t)at.tid, .level = at.level, .slot = at.slot, .type = (uint8_t)type};
    jvm_wire_word a = {0};
    ebb_status status = jvm_remote_ask_local_get(jvm_remote_of(m), &arena, &q, &a, err);
    if (status == EBB_OK)
        *out = jvm_remote_to_word(a.type, a.bits);
    ebb_arena_fini(&arena);
    return status;
}

ebb_status jvm_remote_local_set(machine *m, java_local_at at, java_word value, ebb_error *err)
{
    ebb_arena arena = {0};
    jvm_wire_local_at q = {
        .tid = (uint64_t)at.tid, .level = at.level, .slot = at.slot, .type = jvm_remote_to_type(value), .bits = jvm_remote_to_bits(value)};
    jvm_wire_nothing a;
    ebb_status status = jvm_remote_ask_local_set(jvm_remote_of(m), &arena, &q, &a, err);
    ebb_arena_fini(&arena);
    return status;
}

/* ---- objects ---- */

/* What objects look like is answered from a picture. */
static bool is_pictured(machine *m)
{
    return jvm_remote_of(m)->picture.is_shown;
}

typedef ebb_status number_fn(jvm_remote *r, ebb_arena *arena, const jvm_wire_number *q, jvm_wire_number *a, ebb_error *err);

static ebb_status ask_number(machine *m, number_fn *ask, uint64_t of, uint64_t *out, ebb_error *err)
{
    ebb_arena arena = {0};
    jvm_wire_number q = {.value = of}, a = {0};
    ebb_status status = ask(jvm_remote_of(m), &arena, &q, &a, err);
    if (status == EBB_OK)
        *out = a.value;
    ebb_arena_fini(&arena);
    return status;
}

/* Of what has 32 bits; 0 if it fails. */
static ebb_status ask_small_number(machine *m, number_fn *ask, uint64_t of, uint32_t *out, ebb_error *err)
{
    uint64_t number = 0;
    ebb_status status = ask_number(m, ask, of, &number, err);
    *out = (uint32_t)number;
    return status;
}

ebb_status jvm_remote_class_of(machine *m, java_ref object, java_class_id *out, ebb_error *err)
{
    return is_pictured(m) ? jvm_picture_class_of(jvm_remote_of(m), object, out, err) : ask_small_number(m, jvm_remote_ask_class_of, object, out, err);
}

ebb_status jvm_remote_class_mirrored(machine *m, java_ref mirror, java_class_id *out, ebb_error *err)
{
    return is_pictured(m) ? jvm_picture_lacks(jvm_remote_of(m), err) : ask_small_number(m, jvm_remote_ask_class_mirrored, mirror, out, err);
}

ebb_status jvm_remote_class_is_initialised(machine *m, java_class_id id, bool *out, ebb_error *err)
{
    uint64_t answer = 0;
    ebb_status status = ask_number(m, jvm_remote_ask_class_is_initialised, id, &answer, err);
    *out = answer != 0;
    return status;
}

ebb_status jvm_remote_field_get(machine *m, java_ref object, java_field_id field, java_word *out, ebb_error *err)
{
    ebb_arena arena = {0};
    jvm_wire_field_at q = {.object = object, .field = field};
    jvm_wire_word a = {0};
    ebb_status status = is_pictured(m) && object ? jvm_picture_field_get(jvm_remote_of(m), object, field, &a, err)
                                                 : jvm_remote_ask_field_get(jvm_remote_of(m), &arena, &q, &a, err);
    if (status == EBB_OK)
        *out = jvm_remote_to_word(a.type, a.bits);
    ebb_arena_fini(&arena);
    return status;
}

ebb_status jvm_remote_field_set(machine *m, java_ref object, java_field_id field, java_word value, ebb_error *err)
{
    ebb_arena arena = {0};
    jvm_wire_field_at q = {.object = object, .field = field, .type = jvm_remote_to_type(value), .bits = jvm_remote_to_bits(value)};
    jvm_wire_nothing a;
    ebb_status status = jvm_remote_ask_field_set(jvm_remote_of(m), &arena, &q, &a, err);
    ebb_arena_fini(&arena);
    return status;
}

ebb_status jvm_remote_array_length(machine *m, java_ref array, uint32_t *out, ebb_error *err)
{
    return is_pictured(m) ? jvm_picture_array_length(jvm_remote_of(m), array, out, err) : ask_small_number(m, jvm_remote_ask_array_length, array, out, err);
}

ebb_status jvm_remote_array_get(machine *m, java_ref array, uint32_t from, uint32_t count, java_words *out, ebb_error *err)
{
    ebb_arena arena = {0};
    jvm_wire_elements q = {.array = array, .from = from, .count = count};
    jvm_wire_words a = {0};
    ebb_status status = is_pictured(m) ? jvm_picture_array_get(jvm_remote_of(m), &q, &a, err)
                                       : jvm_remote_ask_array_get(jvm_remote_of(m), &arena, &q, &a, err);
    for (size_t i = 0; status == EBB_OK && i < a.list.n; i++)
        ebb_vec_push(out, jvm_remote_to_word(a.list.items[i].type, a.list.items[i].bits));
    ebb_arena_fini(&arena);
    return status;
}

ebb_status jvm_remote_array_set(machine *m, java_ref array, uint32_t index, java_word value, ebb_error *err)
{
    ebb_arena arena = {0};
    jvm_wire_elements q = {.array = array, .from = index, .type = jvm_remote_to_type(value), .bits = jvm_remote_to_bits(value)};
    jvm_wire_nothing a;
    ebb_status status = jvm_remote_ask_array_set(jvm_remote_of(m), &arena, &q, &a, err);
    ebb_arena_fini(&arena);
    return status;
}

ebb_status jvm_remote_string(machine *m, ebb_arena *arena, java_ref string, uint32_t at_most, java_chars *out, ebb_error *err)
{
    jvm_wire_string_at q = {.string = string, .at_most = at_most};
    jvm_wire_string a = {0};
    ebb_status status = is_pictured(m) ? jvm_picture_string(jvm_remote_of(m), &q, &a, err) : jvm_remote_ask_string(jvm_remote_of(m), arena, &q, &a, err);
    if (status != EBB_OK)
        return status;
    *out = (java_chars){a.utf8.data == NULL ? "" : ebb_arena_strndup(arena, (const char *)a.utf8.data, a.utf8.n), a.length};
    return EBB_OK;
}

ebb_status jvm_remote_identity_hash(machine *m, java_ref object, int32_t *out, ebb_error *err)
{
    uint64_t hash = 0;
    if (is_pictured(m))
        return jvm_picture_identity_hash(jvm_remote_of(m), object, out, err);
    ebb_status status = ask_number(m, jvm_remote_ask_identity_hash, object, &hash, err);
    *out = (int32_t)hash;
    return status;
}

ebb_status jvm_remote_lock_of(machine *m, java_ref object, machine_tid *owner, unsigned *count, ebb_error *err)
{
    ebb_arena arena = {0};
    jvm_wire_number q = {.value = object};
    jvm_wire_lock a = {0};
    ebb_status status = jvm_remote_ask_lock_of(jvm_remote_of(m), &arena, &q, &a, err);
    if (status == EBB_OK) {
        *owner = (machine_tid)a.owner;
        *count = a.count;
    }
    ebb_arena_fini(&arena);
    return status;
}

/* ---- doing things ---- */

ebb_status jvm_remote_scratch_begin(machine *m, ebb_error *err)
{
    jvm_remote *r = jvm_remote_of(m);
    ebb_check(!r->scratch.open);
    if (r->is_stock)
        return EBB_OK;
    pid_t pid;
    int fd;
    ebb_status status = jvm_remote_ask_copy(r, JVM_WIRE_CODE_scratch, &pid, &fd, err);
    if (status != EBB_OK)
        return status;
    r->scratch.fd = r->fd;
    r->scratch.answers = r->answers;
    r->scratch.pid = pid;
    r->scratch.open = true;
    r->fd = fd;
    r->answers = ebb_map_new();
    return EBB_OK;
}

void jvm_remote_scratch_end(machine *m)
{
    jvm_remote *r = jvm_remote_of(m);
    if (!r->scratch.open)
        return;
    jvm_line_close(r, r->fd);
    jvm_remote_forget_answers(r);
    ebb_map_free(r->answers);
    r->fd = r->scratch.fd;
    r->answers = r->scratch.answers;
    r->scratch.open = false;
    jvm_wire_number q = {.value = (uint64_t)r->scratch.pid};
    jvm_wire_nothing a;
    if (jvm_remote_ask_reap(r, &r->for_now, &q, &a, NULL) != EBB_OK)
        return; /* the debuggee is gone, and so is its copy */
}

bool jvm_remote_has_copies(machine *m)
{
    return !jvm_remote_of(m)->is_stock;
}

bool jvm_remote_in_scratch(machine *m)
{
    return jvm_remote_of(m)->scratch.open;
}

ebb_status jvm_remote_invoke(machine *m, const java_invoke *call, java_invoked *out, ebb_error *err)
{
    ebb_arena arena = {0};
    jvm_wire_call q = {.tid = (uint64_t)call->tid, .object = call->object, .method = call->method, .is_virtual = call->is_virtual};
    jvm_wire_called a = {0};
    q.args.items = EBB_ARENA_ARRAY(&arena, jvm_wire_word, call->n_args + 1);
    for (; q.args.n < call->n_args; q.args.n++)
        q.args.items[q.args.n] = (jvm_wire_word){.type = jvm_remote_to_type(call->args[q.args.n]), .bits = jvm_remote_to_bits(call->args[q.args.n])};
    jvm_remote *r = jvm_remote_of(m);
    int was_running = r->running; /* a lambda calls */
    r->running = 1; /* an interrupt reaches it */
    ebb_status status = jvm_remote_ask_invoke(r, &arena, &q, &a, err);
    r->running = was_running;
    if (!was_running)
        r->interrupt_wanted = 0;
    if (status == EBB_OK)
        *out = (java_invoked){.result = jvm_remote_to_word(a.type, a.bits), .thrown = a.thrown};
    ebb_arena_fini(&arena);
    return status;
}

ebb_status jvm_remote_new_string(machine *m, const char *utf8, java_ref *out, ebb_error *err)
{
    ebb_arena arena = {0};
    jvm_wire_name q = {.text = utf8};
    jvm_wire_number a = {0};
    ebb_status status = jvm_remote_ask_new_string(jvm_remote_of(m), &arena, &q, &a, err);
    *out = a.value;
    ebb_arena_fini(&arena);
    return status;
}

ebb_status jvm_remote_load_class(machine *m, java_class_id near, const char *name, bool initialise, java_class_id *out, ebb_error *err)
{
    ebb_arena arena = {0};
    jvm_wire_load q = {.near = near, .name = name, .initialise = initialise};
    jvm_wire_number a = {0};
    ebb_status status = jvm_remote_ask_load_class(jvm_remote_of(m), &arena, &q, &a, err);
    *out = (java_class_id)a.value;
    ebb_arena_fini(&arena);
    return status;
}

ebb_status jvm_remote_new_object(machine *m, java_class_id cls, java_ref *out, ebb_error *err)
{
    return ask_number(m, jvm_remote_ask_new_object, cls, out, err);
}

ebb_status jvm_remote_new_lambda(machine *m, java_class_id interface, java_ref *out, ebb_error *err)
{
    return ask_number(m, jvm_remote_ask_new_lambda, interface, out, err);
}

ebb_status jvm_remote_new_array(machine *m, const char *descriptor, uint32_t length, java_ref *out, ebb_error *err)
{
    ebb_arena arena = {0};
    jvm_wire_new_array q = {.descriptor = descriptor, .length = length};
    jvm_wire_number a = {0};
    ebb_status status = jvm_remote_ask_new_array(jvm_remote_of(m), &arena, &q, &a, err);
    *out = a.value;
    ebb_arena_fini(&arena);
    return status;
}
