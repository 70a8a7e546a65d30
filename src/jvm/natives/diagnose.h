/* natives/diagnose.h - questions about the machine itself, answered as text for people.
 *
 * Tools ask them from outside (attach.c: jcmd, jstack, jmap, jinfo), programs by the bean
 * com.sun.management:type=DiagnosticCommand (diagnose.c).  What there is to ask is diagnose.def.
 *
 * DG1  an answer depends on the Java state and on what outside.h logged: replay computes it again, and tells it to nobody. */
#ifndef EBB_JVM_NATIVES_DIAGNOSE_H
#define EBB_JVM_NATIVES_DIAGNOSE_H

#include "base/buf.h"
#include "jvm/threads/thread.h"

/* `line` is a question's name and its arguments: "Thread.print -l".  False: the text says why there is no answer.  A GC point. */
bool jvm_diagnose(jvm_thread *t, const char *line, ebb_buf *out);

/* One -XX flag as it would be given; false: there is none of that name. */
bool jvm_diagnose_flag(const char *name, ebb_buf *out);
/* What jdk.internal.vm.VMSupport has to say of tools that attach. */
bool jvm_diagnose_agent_properties(jvm_thread *t, ebb_buf *out);

/* ---- histogram.c ---- */

/* Objects and bytes of each class, the largest first. */
void jvm_class_histogram(ebb_buf *out);

/* ---- attach.c: the door for tools from outside ---- */

/* A SIGQUIT came: did a tool send it, that waits for the door to open? */
bool jvm_attach_is_asked(void);
/* Opens it: a socket, which `arrivals` is watched together with from now on. */
void jvm_attach_open(int arrivals);
/* What to wait for instead of `arrivals`. */
int jvm_attach_waits_for(int arrivals);
/* Answers a tool that has come, if one has.  A GC point. */
void jvm_attach_serve(jvm_thread *t);
/* The program ends. */
void jvm_attach_close(void);
/* The door was that of another process: tools have to ask again. */
void jvm_attach_forget(void);

#endif
