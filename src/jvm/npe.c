#include "jvm/throw.h"

jvm_obj *jvm_npe_message(jvm_thread *t, jvm_obj *npe)
{
    return NULL;
}
