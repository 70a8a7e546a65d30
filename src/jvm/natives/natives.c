/* natives/natives.c - the list of the tables of inner natives. */
#include "jvm/natives/natives.h"

#define JVM_NATIVE_TABLES(X)                                                                       \
    X(object) X(class) X(thread) X(unsafe) X(method_handles) X(reference) X(misc) X(stack_walk) \
    X(signal) X(io) X(management) X(diagnose) X(flags) X(math) X(resolver) X(zip) X(map) X(mirror)

#define DECLARE(name) extern const jvm_inner_native jvm_natives_##name[];
JVM_NATIVE_TABLES(DECLARE)

void jvm_natives_init(void)
{
#define ADD(name) jvm_native_add_table(jvm_natives_##name);
    JVM_NATIVE_TABLES(ADD)
    jvm_uptime_begin();
    jvm_natives_add_blocking();
    jvm_signals_init();
}

jvm_slot jvm_native_nothing(jvm_thread *t, jvm_method *m, jvm_slot *args) { return jvm_nothing(); }
