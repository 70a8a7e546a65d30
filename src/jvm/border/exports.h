/* exports.h - the visible border of libjvm.so: what every file of JVM_* functions includes.
 *
 * The functions are those that the JDK's own libraries import (libjava, libnet, libzip, libverify,
 * libmanagement).  Some are installed by libjava as the native method itself, so they are called with
 * (env, class or this, arguments...).  J1 and J2 of jni_impl.h hold for them too. */
#ifndef EBB_JVM_BORDER_EXPORTS_H
#define EBB_JVM_BORDER_EXPORTS_H

#include "jvm/heap/handles.h"
#include "jvm/heap/heap.h"
#include "jvm/border/jni_impl.h"
#include "jvm/classes/loader.h"
#include "jvm/engine/throw.h"
#include "jvm/jvm.h"

JNIEXPORT jobjectArray JNICALL JVM_GetVmArguments(JNIEnv *env); /* what the user gave, not what the launcher added */
JNIEXPORT void JNICALL JVM_DumpAllStacks(JNIEnv *env, jclass unused);
bool jvm_is_platform_loader(const jvm_loader *loader); /* the one between the boot and the application's loader */

/* The launcher passes it on its own account (exports_vm.c). */
bool jvm_is_launchers_argument(const char *arg);

#endif
