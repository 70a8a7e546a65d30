/* scripts.h - Java programs that others start: a script, a build tool, or what such a one starts in its turn.
 *
 * The launcher of the JDK takes options from the environment (JDK_JAVA_OPTIONS), so every `java` that a script starts can be made to
 * load our machine; and the machine records into the folder that EBB_RECORD_DIR names, each process into a file of its own.  Both
 * variables are handed on to whatever is started. */
#ifndef EBB_SESSION_JAVA_SCRIPTS_H
#define EBB_SESSION_JAVA_SCRIPTS_H

#include "base/error.h"

#include <stdbool.h>

bool ses_is_script(const char *program); /* it is there, on the PATH too, and begins with "#!" */
char *ses_program_file(const char *name);  /* the file that a shell would run; caller frees; NULL: there is none */

/* Runs it to its end; every Java program that it starts is recorded in the folder, which is made.  *status: as of waitpid(2). */
ebb_status ses_record_script(char *const *args, const char *folder, bool verifies, int *status, ebb_error *err) EBB_MUST_CHECK;

/* Makes a JDK in `folder`, which isn't there yet, of the one that `java` on the PATH belongs to, but with our machine in it. */
ebb_status ses_make_jdk(const char *folder, ebb_error *err) EBB_MUST_CHECK;

#endif
