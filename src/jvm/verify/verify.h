/* verify.h - is the code of a class safe to run?  (JVMS 4.10)
 *
 * Class files of version 50 and up are checked against their StackMapTable in one pass; older ones by
 * inferring the types.  Boot classes are trusted. */
#ifndef EBB_JVM_VERIFY_VERIFY_H
#define EBB_JVM_VERIFY_VERIFY_H

#include "jvm/classes/class.h"

/* False with VerifyError (or what loading a class threw) pending.  Runs before the class is LINKED. */
bool jvm_verify_class(jvm_thread *t, jvm_class *cls);

#endif
