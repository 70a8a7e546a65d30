/* threads.c - commands about threads, their groups and their frames. */
#include "front/jdwp/jdwp.h"

#include <string.h>

/* ---- threads ---- */

/* Those of Java; the machine's own are among them, as a JVM's are. */
static ebb_status threads_of(jd *d, ebb_arena *arena, java_threads *out)
{
    return jvm_remote_threads(jd_machine(d), arena, out, NULL);
}

jdwp_error jd_do_all_threads(jd *d, jdwp_in *in, ebb_buf *out)
{
    (void)in;
    ebb_arena arena = {0};
    java_threads threads = {0};
    ebb_buf ids = {0};
    uint32_t n = 0;
    if (!jd_machine(d))
        return JDWP_VM_DEAD;
    jdwp_error error = jd_error(threads_of(d, &arena, &threads));
    for (size_t i = 0; i < threads.n; i++) {
        if (!threads.items[i].object)
            continue;
        jdwp_put(&ids, threads.items[i].object, 8);
        n++;
    }
    jdwp_put(out, n, 4);
    ebb_buf_add(out, ebb_buf_text(&ids), ids.n);
    ebb_buf_fini(&ids);
    ebb_vec_fini(&threads);
    ebb_arena_fini(&arena);
    return error;
}

jdwp_error jd_do_thread_name(jd *d, jdwp_in *in, ebb_buf *out)
{
    ebb_arena arena = {0};
    java_thread thread;
    jdwp_error error = jd_thread(d, &arena, jdwp_object(in), &thread);
    if (error == JDWP_FINE)
        jdwp_put_text(out, thread.name);
    ebb_arena_fini(&arena);
    return error;
}

/* java.lang.Thread's threadStatus as the protocol has it: bits of JVMTI. */
static unsigned status_of(const java_thread *thread)
{
    enum { ALIVE = 0x1, TERMINATED = 0x2, SLEEPING = 0x40, WAITING = 0x80, BLOCKED = 0x400 };
    enum { IS_ZOMBIE = 0, IS_RUNNING = 1, IS_SLEEPING = 2, IS_MONITOR = 3, IS_WAIT = 4 };
    if (thread->status & TERMINATED || !(thread->status & ALIVE))
        return IS_ZOMBIE;
    return thread->status & SLEEPING ? IS_SLEEPING : thread->status & BLOCKED ? IS_MONITOR : thread->status & WAITING ? IS_WAIT : IS_RUNNING;
}

jdwp_error jd_do_thread_status(jd *d, jdwp_in *in, ebb_buf *out)
{
    ebb_arena arena = {0};
    java_thread thread;
    java_class_id cls;
    java_ref object = jdwp_object(in);
    jdwp_error error = jd_thread(d, &arena, object, &thread);
    bool is_gone = error == JDWP_INVALID_THREAD && object && jvm_remote_class_of(jd_machine(d), object, &cls, NULL) == EBB_OK;
    if (error == JDWP_FINE || is_gone) {
        jdwp_put(out, is_gone ? 0 : status_of(&thread), 4);
        jdwp_put(out, !is_gone && jd_suspend_count(d, thread.tid) > 0, 4);
        error = JDWP_FINE;
    }
    ebb_arena_fini(&arena);
    return error;
}

jdwp_error jd_do_thread_group(jd *d, jdwp_in *in, ebb_buf *out)
{
    ebb_arena arena = {0};
    java_thread thread;
    jdwp_error error = jd_thread(d, &arena, jdwp_object(in), &thread);
    if (error == JDWP_FINE)
        jdwp_put(out, jd_named_reference(d, thread.object, "group"), 8);
    ebb_arena_fini(&arena);
    return error;
}

jdwp_error jd_do_held(jd *d, jdwp_in *in, ebb_buf *out)
{
    ebb_arena arena = {0};
    java_thread thread;
    jdwp_error error = jd_suspended_thread(d, &arena, jdwp_object(in), &thread);
    if (error == JDWP_FINE)
        jdwp_put(out, thread.n_held, 4);
    for (size_t i = 0; error == JDWP_FINE && i < thread.n_held; i++)
        jd_put_object(d, out, thread.held[i]);
    ebb_arena_fini(&arena);
    return error;
}

jdwp_error jd_do_held_with_depth(jd *d, jdwp_in *in, ebb_buf *out)
{
    ebb_arena arena = {0};
    java_thread thread;
    java_frame_locks locks = {0};
    jdwp_error error = jd_suspended_thread(d, &arena, jdwp_object(in), &thread);
    if (error == JDWP_FINE)
        error = jd_error(jvm_remote_frame_locks(jd_machine(d), thread.tid, &locks, NULL));
    jdwp_put(out, locks.n, 4);
    for (size_t i = 0; i < locks.n; i++) {
        jd_put_object(d, out, locks.items[i].object);
        jdwp_put(out, (uint32_t)locks.items[i].level, 4);
    }
    ebb_vec_fini(&locks);
    ebb_arena_fini(&arena);
    return error;
}

jdwp_error jd_do_awaited(jd *d, jdwp_in *in, ebb_buf *out)
{
    enum { IN_MONITOR = 0x400, IN_WAIT = 0x100 };
    ebb_arena arena = {0};
    java_thread thread;
    jdwp_error error = jd_suspended_thread(d, &arena, jdwp_object(in), &thread);
    if (error == JDWP_FINE)
        jd_put_object(d, out, thread.status & (IN_MONITOR | IN_WAIT) ? thread.blocked_on : 0);
    ebb_arena_fini(&arena);
    return error;
}

/* ---- groups ---- */

static java_ref group_above(jd *d, java_ref group)
{
    return jd_named_reference(d, group, "parent");
}

jdwp_error jd_do_top_groups(jd *d, jdwp_in *in, ebb_buf *out)
{
    (void)in;
    ebb_arena arena = {0};
    java_threads threads = {0};
    java_ref top = 0;
    if (!jd_machine(d))
        return JDWP_VM_DEAD;
    jdwp_error error = jd_error(threads_of(d, &arena, &threads));
    for (size_t i = 0; i < threads.n && !top; i++)
        top = jd_named_reference(d, threads.items[i].object, "group");
    for (java_ref above; top && (above = group_above(d, top)) != 0;)
        top = above;
    jdwp_put(out, top ? 1 : 0, 4);
    if (top)
        jdwp_put(out, top, 8);
    ebb_vec_fini(&threads);
    ebb_arena_fini(&arena);
    return error;
}

static bool is_group(jd *d, java_ref group)
{
    return group && jd_machine(d) && jd_tag_of_object(d, group) == 'g';
}

jdwp_error jd_do_group_name(jd *d, jdwp_in *in, ebb_buf *out)
{
    java_ref group = jdwp_object(in);
    ebb_arena arena = {0};
    java_chars name = {.utf8 = ""};
    if (!is_group(d, group))
        return JDWP_INVALID_GROUP;
    java_ref string = jd_named_reference(d, group, "name");
    if (string && jvm_remote_string(jd_machine(d), &arena, string, 4096, &name, NULL) != EBB_OK)
        name.utf8 = "";
    jdwp_put_text(out, name.utf8);
    ebb_arena_fini(&arena);
    return JDWP_FINE;
}

jdwp_error jd_do_group_parent(jd *d, jdwp_in *in, ebb_buf *out)
{
    java_ref group = jdwp_object(in);
    if (!is_group(d, group))
        return JDWP_INVALID_GROUP;
    jdwp_put(out, group_above(d, group), 8);
    return JDWP_FINE;
}

static void put_groups_below(jd *d, java_ref group, ebb_buf *out)
{
    java_ref array = jd_named_reference(d, group, "groups");
    java_words words = {0};
    uint32_t length, n = 0;
    ebb_buf ids = {0};
    if (array && jvm_remote_array_length(jd_machine(d), array, &length, NULL) == EBB_OK &&
        jvm_remote_array_get(jd_machine(d), array, 0, length, &words, NULL) == EBB_OK)
        for (size_t i = 0; i < words.n; i++)
            if (words.items[i].ref) {
                jdwp_put(&ids, words.items[i].ref, 8);
                n++;
            }
    jdwp_put(out, n, 4);
    ebb_buf_add(out, ebb_buf_text(&ids), ids.n);
    ebb_buf_fini(&ids);
    ebb_vec_fini(&words);
}

jdwp_error jd_do_group_children(jd *d, jdwp_in *in, ebb_buf *out)
{
    java_ref group = jdwp_object(in);
    ebb_arena arena = {0};
    java_threads threads = {0};
    ebb_buf ids = {0};
    uint32_t n = 0;
    if (!is_group(d, group))
        return JDWP_INVALID_GROUP;
    jdwp_error error = jd_error(threads_of(d, &arena, &threads));
    for (size_t i = 0; i < threads.n; i++) {
        if (jd_named_reference(d, threads.items[i].object, "group") != group)
            continue;
        jdwp_put(&ids, threads.items[i].object, 8);
        n++;
    }
    jdwp_put(out, n, 4);
    ebb_buf_add(out, ebb_buf_text(&ids), ids.n);
    put_groups_below(d, group, out);
    ebb_buf_fini(&ids);
    ebb_vec_fini(&threads);
    ebb_arena_fini(&arena);
    return error;
}

/* ---- frames ---- */

static uint64_t frame_id(const jd *d, unsigned level)
{
    return (uint64_t)d->n_stops << 20 | level;
}

static bool level_of(const jd *d, uint64_t id, unsigned *level)
{
    *level = (unsigned)(id & 0xfffff);
    return id >> 20 == d->n_stops;
}

/* All frames of the thread, as far as there are no more than frame ids. */
static jdwp_error frames_of(jd *d, jdwp_in *in, java_frames *frames)
{
    ebb_arena arena = {0};
    java_thread thread;
    jdwp_error error = jd_suspended_thread(d, &arena, jdwp_object(in), &thread);
    if (error == JDWP_FINE)
        error = jd_error(jvm_remote_frames(jd_machine(d), thread.tid, 0, 0xfffff, frames, NULL));
    ebb_arena_fini(&arena);
    return error;
}

jdwp_error jd_do_frames(jd *d, jdwp_in *in, ebb_buf *out)
{
    java_frames frames = {0};
    jdwp_error error = frames_of(d, in, &frames);
    uint32_t first = jdwp_u32(in), count = jdwp_u32(in);
    if (error == JDWP_FINE && (first > frames.n || in->bad))
        error = JDWP_INVALID_INDEX;
    if (error == JDWP_FINE && count == UINT32_MAX)
        count = (uint32_t)frames.n - first;
    if (error == JDWP_FINE && count > frames.n - first)
        error = JDWP_INVALID_LENGTH;
    if (error == JDWP_FINE)
        jdwp_put(out, count, 4);
    for (uint32_t i = first; error == JDWP_FINE && i < first + count; i++) {
        jdwp_put(out, frame_id(d, i), 8);
        jd_put_place(d, out, frames.items[i].place);
    }
    ebb_vec_fini(&frames);
    return error;
}

jdwp_error jd_do_frame_count(jd *d, jdwp_in *in, ebb_buf *out)
{
    java_frames frames = {0};
    jdwp_error error = frames_of(d, in, &frames);
    if (error == JDWP_FINE)
        jdwp_put(out, frames.n, 4);
    ebb_vec_fini(&frames);
    return error;
}

/* ---- what is in a frame ---- */

jdwp_error jd_take_frame(jd *d, jdwp_in *in, jd_frame *at)
{
    ebb_arena arena = {0};
    java_thread thread;
    jdwp_error error = jd_suspended_thread(d, &arena, jdwp_object(in), &thread);
    if (!level_of(d, jdwp_frame(in), &at->level) && error == JDWP_FINE)
        error = JDWP_INVALID_FRAME;
    if (error == JDWP_FINE)
        at->tid = thread.tid;
    ebb_arena_fini(&arena);
    return error;
}

jdwp_error jd_do_local_values(jd *d, jdwp_in *in, ebb_buf *out)
{
    jd_frame at;
    jdwp_error error = jd_take_frame(d, in, &at);
    uint32_t n = jdwp_count(in, 5);
    if (error == JDWP_FINE)
        jdwp_put(out, n, 4);
    for (uint32_t i = 0; error == JDWP_FINE && i < n; i++) {
        uint32_t slot = jdwp_u32(in);
        char tag = (char)jdwp_u8(in);
        java_word word;
        if (jvm_remote_local_get(jd_machine(d), (java_local_at){at.tid, at.level, slot}, tag && strchr("ZBCSIJFD", tag) ? tag : 'L', &word, NULL) != EBB_OK)
            return JDWP_INVALID_SLOT;
        jd_put_word(d, out, word);
    }
    return error;
}

jdwp_error jd_do_set_local_values(jd *d, jdwp_in *in, ebb_buf *out)
{
    (void)out;
    jd_frame at;
    jdwp_error error = jd_take_frame(d, in, &at);
    uint32_t n = jdwp_count(in, 6);
    if (error == JDWP_FINE)
        error = jd_begin_change(d);
    for (uint32_t i = 0; error == JDWP_FINE && i < n; i++) {
        uint32_t slot = jdwp_u32(in);
        java_word word;
        if (!jd_take_value(in, &word))
            return JDWP_ILLEGAL_ARGUMENT;
        if (jvm_remote_local_set(jd_machine(d), (java_local_at){at.tid, at.level, slot}, word, NULL) != EBB_OK)
            return JDWP_INVALID_SLOT;
    }
    return error;
}

jdwp_error jd_do_this(jd *d, jdwp_in *in, ebb_buf *out)
{
    enum { ACC_STATIC = 0x0008, ACC_NATIVE = 0x0100 };
    jd_frame at;
    java_frames frames = {0};
    const java_class *cls;
    java_word word = {.type = 'L'};
    jdwp_error error = jd_take_frame(d, in, &at);
    if (error != JDWP_FINE)
        return error;
    if (jvm_remote_frames(jd_machine(d), at.tid, at.level, 1, &frames, NULL) != EBB_OK || frames.n == 0)
        error = JDWP_INVALID_FRAME;
    if (error == JDWP_FINE)
        error = jd_class(d, java_place_class(frames.items[0].place), &cls);
    const java_method *method = error == JDWP_FINE ? jd_method(cls, java_place_method(frames.items[0].place)) : NULL;
    if (method && !(method->access & (ACC_STATIC | ACC_NATIVE)) && jvm_remote_local_get(jd_machine(d), (java_local_at){at.tid, at.level, 0}, 'L', &word, NULL) != EBB_OK)
        word.ref = 0;
    if (error == JDWP_FINE)
        jd_put_word(d, out, word);
    ebb_vec_fini(&frames);
    return error;
}
