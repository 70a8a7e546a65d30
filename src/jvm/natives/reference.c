/* natives/reference.c - java.lang.ref: what the collector found, and referents. */
#include "jvm/natives/natives.h"

static jvm_slot take_pending(jvm_thread *t, jvm_method *m, jvm_slot *args) { return jvm_ref(jvm_refs_take_pending()); }

static jvm_slot has_pending(jvm_thread *t, jvm_method *m, jvm_slot *args) { return jvm_int(jvm_refs_has_pending()); }

static jvm_slot wait_pending(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    jvm_refs_wait_pending(t);
    return jvm_nothing();
}

static jvm_slot refers_to(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    return jvm_int(jvm_get_ref(args[0].a, jvm.fields.Reference_referent) == args[1].a);
}

static jvm_slot clear(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    jvm_put_ref(args[0].a, jvm.fields.Reference_referent, NULL);
    return jvm_nothing();
}

const jvm_inner_native jvm_natives_reference[] = {
    { "java/lang/ref/Reference", "getAndClearReferencePendingList", NULL, take_pending, JVM_NATIVE_PURE },
    { "java/lang/ref/Reference", "hasReferencePendingList", NULL, has_pending, JVM_NATIVE_PURE },
    { "java/lang/ref/Reference", "waitForReferencePendingList", NULL, wait_pending, JVM_NATIVE_BLOCKS },
    { "java/lang/ref/Reference", "refersTo0", NULL, refers_to, JVM_NATIVE_PURE },
    { "java/lang/ref/PhantomReference", "refersTo0", NULL, refers_to, JVM_NATIVE_PURE },
    { "java/lang/ref/Reference", "clear0", NULL, clear, JVM_NATIVE_PURE },
    { NULL },
};
