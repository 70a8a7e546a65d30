/* libjvm.h - Java programs: the JDK's own launcher, made to load our Java machine.
 *
 * `java -XXaltjvm=DIR` loads DIR/libjvm.so instead of HotSpot; everything else about the launcher stays as it is.
 * So a Java program is run by putting that one option in front of the user's. */
#ifndef EBB_SESSION_JAVA_LIBJVM_H
#define EBB_SESSION_JAVA_LIBJVM_H

#include "base/error.h"

#include <stdbool.h>

bool ses_is_java(const char *program); /* its file name is `java` */

/* "-XXaltjvm=..." for the machine that belongs to this ebb: the folder that EBB_JVM_DIR names, else the one beside
 * the program ebb in its build, else ../lib/ebb.  Caller frees. */
ebb_status ses_java_option(char **option, ebb_error *err) EBB_MUST_CHECK;

/* "-agentpath:...", which makes a stock JVM weave what it loads (weave/agent.c).  Caller frees. */
ebb_status ses_java_weave_option(char **option, ebb_error *err) EBB_MUST_CHECK;

#endif
