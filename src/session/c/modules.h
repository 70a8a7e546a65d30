/* modules.h - the files whose code is in the debuggee, and their symbols.
 *
 * Before the program runs its own file is the only module, at bias 0.  Once it runs, the machine's
 * list is the truth.  When it ends the modules stay as they were, so that symbols can still be asked
 * for.  A module that goes is retired, not forgotten: values that were printed may be of its types, and if it
 * comes back unchanged, perhaps in the next run, it is not read again. */
#ifndef EBB_SESSION_C_MODULES_H
#define EBB_SESSION_C_MODULES_H

#include "session/state.h"

ebb_status ses_modules_open_program(session *s, ebb_error *err) EBB_MUST_CHECK;
/* Makes the symbols follow the machine's list of modules; true if anything changed. */
bool ses_modules_sync(session *s);
void ses_modules_fini(session *s);
/* The machine's account of a module; NULL if the debuggee doesn't have it. */
const machine_module *ses_module_of(session *s, const sym_module *symbols);

#endif
