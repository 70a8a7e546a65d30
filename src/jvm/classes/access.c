/* May code of one class name another class or its members?  (JVMS 5.4.4) */
#include "jvm/classes/resolve.h"

#include "jvm/classes/loader.h"
#include "jvm/classes/module.h"

bool jvm_can_access_class(const jvm_class *from, const jvm_class *to)
{
    while (to->component != NULL)
        to = to->component;
    if (from == to || to->kind == JVM_KIND_PRIMITIVE || jvm_same_package(from, to) || (from->flags & JVM_CLASS_MAGIC))
        return true;
    return (to->access & JVM_ACC_PUBLIC) && jvm_module_can_access(from->module, to->module, to->package);
}

static bool are_nestmates(jvm_thread *t, jvm_class *a, jvm_class *b)
{
    return a == b || jvm_nest_host(t, a) == jvm_nest_host(t, b);
}

bool jvm_can_access_member(jvm_thread *t, jvm_class *from, const jvm_class *holder, const jvm_class *named,
                           uint16_t access)
{
    if (from == holder || (access & JVM_ACC_PUBLIC) || (from->flags & JVM_CLASS_MAGIC))
        return true;
    if (access & JVM_ACC_PRIVATE)
        return are_nestmates(t, from, (jvm_class *)holder);
    if (jvm_same_package(from, holder))
        return true;
    if (!(access & JVM_ACC_PROTECTED))
        return false;
    for (const jvm_class *c = from; c != NULL; c = c->super)
        if (c == holder)
            return (access & JVM_ACC_STATIC) || named == NULL || jvm_class_is_array(named) || jvm_is_subclass(named, from) ||
                   jvm_is_subclass(from, named);
    return false;
}
