/* mh.h - the machine's half of java.lang.invoke: member names, linker intrinsics, call sites.
 *
 * Java code builds everything (lambda forms, adapters, bootstraps); the machine resolves MemberNames,
 * runs invokeBasic and the linkTo* intrinsics inside the interpreter, and asks MethodHandleNatives to
 * link each polymorphic or dynamic call site once.
 *
 * MemberName.vmindex (injected) is the vtable or itable index, field offset, or -1; MemberName.method
 * is a ResolvedMethodName whose injected vmtarget is the jvm_method *. */
#ifndef EBB_JVM_ENGINE_MH_H
#define EBB_JVM_ENGINE_MH_H

#include "jvm/classes/class.h"
#include "jvm/threads/thread.h"

typedef struct jvm_call_site { /* a linked invokedynamic or polymorphic call */
    jvm_method *target;        /* static method to call with the arguments plus the appendix */
    jvm_obj *appendix;         /* or NULL; kept alive by the calling class */
    struct jvm_call_site *next; /* of the same class */
} jvm_call_site;

typedef struct jvm_site_error { /* a call site that failed to link */
    const void *site;
    jvm_obj *error;            /* kept alive by the calling class */
    struct jvm_site_error *next;
} jvm_site_error;

/* GC points; NULL / false with an exception pending. */
jvm_call_site *jvm_link_indy(jvm_thread *t, jvm_class *caller, uint16_t index);
/* A call site that failed to link fails again with the same error (JVMS 5.4.3.6).  `site` names it. */
void jvm_indy_remember_error(jvm_class *caller, const void *site, jvm_obj *error);
jvm_obj *jvm_indy_error(const jvm_class *caller, const void *site); /* NULL: it didn't fail before */
jvm_call_site *jvm_link_polymorphic(jvm_thread *t, jvm_class *caller, const jvm_method *declared, const jvm_sym *sig);
jvm_obj *jvm_method_type(jvm_thread *t, jvm_class *caller, const jvm_sym *descriptor);
jvm_obj *jvm_resolve_method_handle(jvm_thread *t, jvm_class *caller, uint16_t index);
jvm_obj *jvm_resolve_dynamic(jvm_thread *t, jvm_class *caller, uint16_t index);

/* The per-descriptor method object of invokeBasic or a linkTo*; made on demand, kept for ever. */
jvm_method *jvm_intrinsic_method(enum jvm_intrinsic which, const jvm_sym *sig);
enum jvm_intrinsic jvm_intrinsic_named(const jvm_class *cls, const jvm_sym *name);

/* MemberName (natives/method_handles.c and StackWalker use these). */
jvm_method *jvm_member_method(const jvm_obj *member_name);     /* NULL if not resolved */
void jvm_member_set_method(jvm_thread *t, jvm_obj *member_name, jvm_method *m, bool do_dispatch);
void jvm_member_set_field(jvm_thread *t, jvm_obj *member_name, jvm_field *f, bool is_setter);
/* MethodHandleNatives.resolve: the same object or NULL (speculative, or exception pending). */
jvm_obj *jvm_member_resolve(jvm_thread *t, jvm_obj *member_name, jvm_class *caller, int lookup_mode, bool speculative);

#endif
