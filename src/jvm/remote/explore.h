/* explore.h - the explorer's end of wire/explore.h: a launcher whose machine stands at the call of main, and makes a run of each request.
 *
 * Runs are independent processes: several may be asked for before the first answer comes, which come in any order. */
#ifndef EBB_JVM_REMOTE_EXPLORE_H
#define EBB_JVM_REMOTE_EXPLORE_H

#include "base/error.h"
#include "jvm/wire/explore.h"

#include <stdbool.h>

typedef struct jvm_explorer jvm_explorer;

typedef struct jvm_explorer_launch {
    char *const *args;     /* args[0] is the launcher, -XXaltjvm is among the others */
    const char *recording; /* where the machine records to; NULL: it does not */
    bool inside;           /* code of the class library has switch points, too */
    const char *from;      /* CLASS.METHOD: nothing is chosen before it is executed; or NULL */
    const char *check;     /* CLASS.METHOD: static, without parameters; called where a run ends well, and false or an exception is a failure; or NULL */
} jvm_explorer_launch;
ebb_status jvm_explorer_start(const jvm_explorer_launch *how, jvm_explorer **out, ebb_error *err) EBB_MUST_CHECK;
void jvm_explorer_free(jvm_explorer *x); /* and ends all of it; NULL is fine */

ebb_status jvm_explorer_ask(jvm_explorer *x, const jvm_explore_request *how, const jvm_turn *turns, ebb_error *err) EBB_MUST_CHECK;

/* An answer with its arrays, in memory of its own. */
typedef struct jvm_run {
    jvm_explore_answer head;
    jvm_turn *turns;
    uint32_t *sites, *trace;
    char *text;
} jvm_run;
void jvm_run_fini(jvm_run *run);

/* EBB_UNAVAILABLE: none within that time.  EBB_GONE: the machine is. */
ebb_status jvm_explorer_answer(jvm_explorer *x, int timeout_ms, jvm_run *out, ebb_error *err) EBB_MUST_CHECK;

const char *jvm_strategy_word(enum jvm_strategy s);
const char *jvm_outcome_word(enum jvm_outcome o);
int jvm_outcome_fails(enum jvm_outcome o);

#endif
