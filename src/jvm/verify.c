#include "jvm/verify.h"

bool jvm_verify_class(jvm_thread *t, jvm_class *cls)
{
    return true;
}
