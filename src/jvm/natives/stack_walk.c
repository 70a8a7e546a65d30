/* natives/stack_walk.c - java.lang.StackWalker: frames handed to Java in batches.
 *
 * callStackWalk fills the first batch and calls AbstractStackWalker.doStackWalk; while that runs, the
 * walk is open and fetchStackFrames continues it.  An open walk is known to Java by a number (its
 * anchor), never by an address, and belongs to the thread that opened it. */
#include "jvm/engine/frame.h"
#include "jvm/engine/invoke.h"
#include "jvm/engine/mh.h"
#include "jvm/natives/natives.h"

enum { CLASS_REFS_ONLY = 0x2, GET_CALLER_CLASS = 0x4, SHOW_HIDDEN = 0x20, LIVE_FRAMES = 0x100 };

typedef struct jvm_walk {
    int64_t anchor;
    jvm_frame *last;       /* innermost frame not yet handed out is its caller */
    struct jvm_walk *next; /* opened before */
} jvm_walk;

static bool is_walker_frame(const jvm_frame *f)
{
    const jvm_class *cls = f->method->cls;
    return cls == jvm.classes.StackWalker || jvm_is_subclass(cls, jvm.classes.AbstractStackWalker);
}

static bool is_skipped(const jvm_frame *f, int64_t mode)
{
    bool show = (mode & SHOW_HIDDEN) && !(mode & GET_CALLER_CLASS);
    return !show && jvm_frame_is_hidden(f);
}

/* frames[index] is a StackFrameInfo to fill, or takes the class itself. */
static bool fill_frame(jvm_thread *t, jvm_obj *frames, int32_t index, const jvm_frame *f, int64_t mode)
{
    if (mode & CLASS_REFS_ONLY) {
        jvm_elem_put_ref(frames, index, f->method->cls->mirror);
        return true;
    }
    jvm_obj *info = jvm_elem_ref(frames, index);
    if (!jvm_check_not_null(t, info))
        return false;
    jvm_member_set_method(t, jvm_get_ref(info, jvm.fields.StackFrameInfo_memberName), f->method, false);
    jvm_put_i32(info, jvm.fields.StackFrameInfo_bci, jvm_frame_bci(f));
    return !jvm_pending(t);
}

static bool refuse_sensitive_caller(jvm_thread *t, const jvm_frame *f)
{
    char *method = jvm_method_text(f->method);
    jvm_throw(t, "java/lang/UnsupportedOperationException",
              "StackWalker::getCallerClass called from @CallerSensitive '%s' method", method);
    free(method);
    return false;
}

/* What a walk wants next: up to `count` frames in frames[start...]. */
typedef struct frame_batch {
    int64_t mode;
    int32_t count, start;
    jvm_obj *frames;
    int32_t end; /* after the last that was handed out */
} frame_batch;

/* Hands them out from `f` outwards.  walk->last is left at the last frame looked at.  False: exception pending. */
static bool fill_frames(jvm_thread *t, jvm_walk *walk, jvm_frame *f, frame_batch *b)
{
    enum { ONLY_CALLER = GET_CALLER_CLASS | CLASS_REFS_ONLY };
    b->end = b->start;
    for (; f != NULL && b->end - b->start < b->count && b->end < b->frames->length; f = jvm_caller_frame(f)) {
        walk->last = f;
        if (is_skipped(f, b->mode))
            continue;
        if ((b->mode & ONLY_CALLER) == ONLY_CALLER && b->end == b->start && (f->method->flags & JVM_METHOD_CALLER_SENSITIVE))
            return refuse_sensitive_caller(t, f);
        if (!fill_frame(t, b->frames, b->end++, f, b->mode))
            return false;
    }
    return true;
}

static jvm_frame *first_walked_frame(const jvm_thread *t, int32_t skip)
{
    jvm_frame *f = jvm_top_frame(t);
    while (f != NULL && is_walker_frame(f))
        f = jvm_caller_frame(f);
    while (f != NULL && skip-- > 0)
        f = jvm_caller_frame(f);
    return f;
}

static bool check_batch(jvm_thread *t, const frame_batch *b)
{
    if (!jvm_check_not_null(t, b->frames))
        return false;
    if (b->start < 0 || b->start > b->frames->length) {
        jvm_throw(t, JVM_IAE, "not enough space in buffers");
        return false;
    }
    if (b->mode & LIVE_FRAMES) {
        jvm_throw(t, "java/lang/UnsupportedOperationException", "LiveStackFrame");
        return false;
    }
    return true;
}

/* callStackWalk(long mode, int skip, int batch, int start, T[] frames) */
static jvm_slot call_stack_walk(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    static int64_t last_anchor;
    frame_batch b = {.mode = args[1].j, .count = args[4].i, .start = args[5].i, .frames = args[6].a};
    int32_t skip = args[3].i;
    jvm_obj *walker = args[0].a;
    if (!check_batch(t, &b))
        return jvm_nothing();
    jvm_undo_keep(&last_anchor, sizeof last_anchor);
    jvm_walk walk = { ++last_anchor, NULL, t->walks };
    if (!fill_frames(t, &walk, first_walked_frame(t, skip), &b))
        return jvm_nothing();
    if (b.count > 0 && b.end == b.start) {
        jvm_throw(t, JVM_INTERNAL_ERROR, "stack walk: decode failed");
        return jvm_nothing();
    }
    t->walks = &walk;
    jvm_slot result = jvm_callv(t, jvm.methods.AbstractStackWalker_doStackWalk, walker, walk.anchor, skip, b.count, b.start, b.end);
    t->walks = walk.next;
    return result;
}

/* fetchStackFrames(long mode, long anchor, int batch, int start, T[] frames) */
static jvm_slot fetch_stack_frames(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    int64_t anchor = args[3].j;
    frame_batch b = {.mode = args[1].j, .count = args[5].i, .start = args[6].i, .frames = args[7].a, .end = args[6].i};
    jvm_walk *walk = t->walks;
    while (walk != NULL && walk->anchor != anchor)
        walk = walk->next;
    if (walk == NULL) {
        jvm_throw(t, JVM_INTERNAL_ERROR, "doStackWalk: this walk is over");
        return jvm_nothing();
    }
    jvm_undo_keep(walk, sizeof *walk); /* on the C stack, below all that can be gone back to without leaving it */
    jvm_frame *from = walk->last == NULL ? NULL : jvm_caller_frame(walk->last);
    if (check_batch(t, &b))
        (void)fill_frames(t, walk, from, &b);
    return jvm_int(b.end);
}

const jvm_inner_native jvm_natives_stack_walk[] = {
    { "java/lang/StackStreamFactory$AbstractStackWalker", "callStackWalk", NULL, call_stack_walk, JVM_NATIVE_PURE },
    { "java/lang/StackStreamFactory$AbstractStackWalker", "fetchStackFrames", NULL, fetch_stack_frames, JVM_NATIVE_PURE },
    { NULL },
};

/* libjava imports these two; the natives they serve are bound to the functions above. */
static void unreachable_export(JNIEnv *env, const char *name)
{
    jvm_throw(jvm_env_thread(env), JVM_INTERNAL_ERROR, "%s is bound inside the machine", name);
}

JVM_EXPORT(jobject, JVM_CallStackWalk, JNIEnv *env, jobject walker, jlong mode, jint skip, jint batch, jint start,
           jobjectArray frames)
{
    unreachable_export(env, "JVM_CallStackWalk");
    return NULL;
}

JVM_EXPORT(jint, JVM_MoreStackWalk, JNIEnv *env, jobject walker, jlong mode, jlong anchor, jint batch, jint start,
           jobjectArray frames)
{
    unreachable_export(env, "JVM_MoreStackWalk");
    return 0;
}
