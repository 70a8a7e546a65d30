/* plt.h - the stubs through which code calls functions of other modules. */
#ifndef EBB_SESSION_C_PLT_H
#define EBB_SESSION_C_PLT_H

#include "session/state.h"

/* The function that the import stub at pc leads to, also where the loader hasn't bound it yet.
 * False if pc isn't at such a stub or the function can't be told. */
bool ses_plt_target(session *s, uint64_t pc, uint64_t *target);
bool ses_is_plt_stub(session *s, uint64_t pc);
/* Whether pc is on the way to a function that is being bound: in a stub, or in the dynamic loader.  *lo, *hi
 * are then the range to get out of. */
bool ses_is_binding(session *s, uint64_t pc, uint64_t *lo, uint64_t *hi);

#endif
