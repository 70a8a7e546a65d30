/* natives/zip.c - java.util.zip.Inflater and Deflater: the library's own functions, run again in replay.
 *
 * Java keeps the state of a stream as a number; the library means the address of its memory, which would differ from
 * run to run.  Here the number is an index into a table of those addresses. */
#include "jvm/natives/natives.h"

#include "base/check.h"

static EBB_VEC(int64_t) streams;  /* addresses; 0: ended */
static EBB_VEC(uint32_t) unused;  /* their indexes */

static int64_t stream_new(int64_t address)
{
    if (address == 0)
        return 0;
    if (unused.n > 0) {
        uint32_t index = unused.items[--unused.n];
        streams.items[index] = address;
        return index + 1;
    }
    ebb_vec_push(&streams, address);
    return (int64_t)streams.n;
}

static bool stream_find(int64_t number, int64_t *address)
{
    if (number <= 0 || number > (int64_t)streams.n)
        return false;
    *address = streams.items[number - 1];
    return *address != 0;
}

static void stream_forget(int64_t number)
{
    streams.items[number - 1] = 0;
    ebb_vec_push(&unused, (uint32_t)(number - 1));
}

static jvm_slot stream_init(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    jvm_slot address = jvm_native_call_library(t, m, args, "zip");
    return jvm_pending(t) ? jvm_nothing() : jvm_long(stream_new(address.j));
}

/* All others have the number as their first parameter. */
static jvm_slot stream_call(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    enum { MAX_SLOTS = 16 };
    jvm_slot with_address[MAX_SLOTS];
    int at = jvm_method_is_static(m) ? 0 : 1;
    ebb_check(m->nargs <= MAX_SLOTS);
    memcpy(with_address, args, m->nargs * sizeof *args);
    if (!stream_find(args[at].j, &with_address[at].j)) {
        jvm_throw(t, JVM_NPE, "%s has been closed", m->cls->name->text);
        return jvm_nothing();
    }
    return jvm_native_call_library(t, m, with_address, "zip");
}

static jvm_slot stream_end(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    int64_t number = args[0].j;
    jvm_slot result = stream_call(t, m, args);
    if (!jvm_pending(t))
        stream_forget(number);
    return result;
}

const jvm_inner_native jvm_natives_zip[] = {
#define STREAM "a step of a compressed stream" /* whose state is the library's */
#define BOTH(name, fn)                                                                             \
    { "java/util/zip/Inflater", name, NULL, fn, JVM_NATIVE_PURE, STREAM },                         \
    { "java/util/zip/Deflater", name, NULL, fn, JVM_NATIVE_PURE, STREAM },
    BOTH("init", stream_init)
    BOTH("setDictionary", stream_call)
    BOTH("setDictionaryBuffer", stream_call)
    BOTH("getAdler", stream_call)
    BOTH("reset", stream_call)
    BOTH("end", stream_end)
#define TRANSFERS(cls, verb)                                                                       \
    { cls, verb "BytesBytes", NULL, stream_call, JVM_NATIVE_PURE, STREAM },                        \
    { cls, verb "BytesBuffer", NULL, stream_call, JVM_NATIVE_PURE, STREAM },                       \
    { cls, verb "BufferBytes", NULL, stream_call, JVM_NATIVE_PURE, STREAM },                       \
    { cls, verb "BufferBuffer", NULL, stream_call, JVM_NATIVE_PURE, STREAM },
    TRANSFERS("java/util/zip/Inflater", "inflate")
    TRANSFERS("java/util/zip/Deflater", "deflate")
    { NULL },
};
