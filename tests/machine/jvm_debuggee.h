/* jvm_debuggee.h - a Java program under the debugger, for tests. */
#ifndef JVM_DEBUGGEE_H
#define JVM_DEBUGGEE_H

#include "unit.h"
#include "jvm/remote/remote.h"
#include "time/copies.h"

static inline ebb_copies *copies_of(machine *m) { return m->history->copies(m); }

/* A main class of the fixtures; `kind` "g" or "none"; its standard output goes to a file that dbg_output reads. */
machine *dbg_start(const char *main_class, const char *kind, const char *argument);
machine *dbg_start_with(const char *main_class, const char *kind, const char *argument, bool records, const char *recording,
                        const char *replay); /* files, or NULL */
machine *dbg_start_recorded(const char *main_class, const char *kind, const char *argument);
char *dbg_output(void); /* caller frees */

machine_stop dbg_resume(machine *m, machine_request request);
machine_stop dbg_run(machine *m);
void dbg_interrupt_after(machine *m, unsigned ms); /* as a user does */
machine_stop dbg_step(machine *m, machine_tid tid, machine_place lo, machine_place hi, bool over_calls);
machine_stop dbg_run_to_class(machine *m, const char *name); /* until it is linked */

unsigned dbg_line_of(const char *main_class, const char *mark); /* of "// @mark" in the source */
java_class_id dbg_class(machine *m, const char *name);
const java_method *dbg_method(machine *m, const char *cls, const char *name);
machine_place dbg_line_place(machine *m, const char *cls, unsigned line); /* the first bytecode of it */
unsigned dbg_line(machine *m, machine_place place); /* 0: unknown */
const char *dbg_method_name(machine *m, machine_place place);
machine_point_id dbg_break(machine *m, machine_place place);
machine_point_id dbg_break_mark(machine *m, const char *cls, const char *mark);
java_field_id dbg_field(machine *m, const char *cls, const char *name);
int64_t dbg_int_local(machine *m, machine_tid tid, unsigned level, unsigned slot);

#endif
