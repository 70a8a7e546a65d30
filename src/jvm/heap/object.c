/* object.c - reading and writing by type, and the test for subclasses. */
#include "jvm/heap/object.h"

#include "base/check.h"
#include "jvm/classes/class.h"
#include "jvm/threads/monitor.h"

void (*jvm_write_hook)(jvm_obj *o, void *at, size_t nbytes);

jvm_slot jvm_get(const jvm_obj *o, size_t off, char type)
{
    jvm_slot v = {.raw = 0};
    switch (type) {
    case 'Z': v.i = JVM_AT_(uint8_t, o, off); break;
    case 'B': v.i = JVM_AT_(int8_t, o, off); break;
    case 'C': v.i = JVM_AT_(uint16_t, o, off); break;
    case 'S': v.i = JVM_AT_(int16_t, o, off); break;
    case 'I': v.i = JVM_AT_(int32_t, o, off); break;
    case 'F': v.f = JVM_AT_(float, o, off); break;
    case 'V': break;
    default: v.j = JVM_AT_(int64_t, o, off); break;
    }
    return v;
}

void jvm_put(jvm_obj *o, size_t off, char type, jvm_slot v)
{
    jvm_before_write_(o, (char *)o + off, java_type_size(type));
    switch (type) {
    case 'Z': JVM_AT_(uint8_t, o, off) = v.i & 1; break;
    case 'B': JVM_AT_(int8_t, o, off) = (int8_t)v.i; break;
    case 'C': case 'S': JVM_AT_(uint16_t, o, off) = (uint16_t)v.i; break;
    case 'I': case 'F': JVM_AT_(int32_t, o, off) = v.i; break;
    case 'V': break;
    default: JVM_AT_(int64_t, o, off) = v.j; break;
    }
}

void jvm_array_store_bytes(jvm_obj *array, size_t at_byte, const void *bytes, size_t nbytes)
{
    char *to = (char *)jvm_array_data(array) + at_byte;
    jvm_before_write_(array, to, nbytes);
    memcpy(to, bytes, nbytes);
}

static bool implements(const jvm_class *cls, const jvm_class *iface)
{
    for (uint32_t i = 0; i < cls->nitable; i++)
        if (cls->itable[i].iface == iface)
            return true;
    if (cls->state >= JVM_CLASS_LINKED && cls->nitable > 0)
        return false;
    for (; cls != NULL; cls = cls->super)
        for (uint16_t i = 0; i < cls->ninterfaces; i++)
            if (cls->interfaces[i] == iface || implements(cls->interfaces[i], iface))
                return true;
    return false;
}

static bool is_array_interface(const jvm_class *cls)
{
    return jvm_class_is_interface(cls) &&
           (jvm_sym_is(cls->name, "java/lang/Cloneable") || jvm_sym_is(cls->name, "java/io/Serializable"));
}

static bool is_subclass_slow(const jvm_class *sub, const jvm_class *super)
{
    if (sub->kind == JVM_KIND_PRIMITIVE || super->kind == JVM_KIND_PRIMITIVE)
        return false;
    if (jvm_class_is_array(sub)) {
        if (!jvm_class_is_array(super))
            return super->super == NULL || is_array_interface(super);
        return sub->kind == JVM_KIND_OBJECT_ARRAY && super->kind == JVM_KIND_OBJECT_ARRAY &&
               jvm_is_subclass(sub->component, super->component);
    }
    if (jvm_class_is_interface(super))
        return implements(sub, super);
    for (; sub != NULL; sub = sub->super)
        if (sub == super)
            return true;
    return false;
}

bool jvm_is_subclass(const jvm_class *sub, const jvm_class *super)
{
    if (sub == super || sub->last_super == super)
        return true;
    if (!jvm_class_is_interface(super) && super->kind == JVM_KIND_INSTANCE && super->depth < JVM_DISPLAY)
        return sub->supers[super->depth] == super;
    if (!is_subclass_slow(sub, super))
        return false;
    ((jvm_class *)sub)->last_super = super;
    return true;
}

bool jvm_instance_of(const jvm_obj *o, const jvm_class *cls)
{
    return o != NULL && jvm_is_subclass(o->cls, cls);
}
