/* internal.h - what the files of object flow share. */
#ifndef EBB_JVM_FLOW_INTERNAL_H
#define EBB_JVM_FLOW_INTERNAL_H

#include "jvm/flow/cells.h"

typedef struct flow_state {
    uint8_t mode;
    bool considers;           /* each record: not every link is kept */
    bool no_origins, no_predecessors;
    uint32_t kinds;
    uint64_t limit;           /* records */
    uint64_t since;
    bool checks;              /* FO2, at each collection */
} flow_state;
extern flow_state flow;

/* ---- aliases.c: the space of records ---- */

bool flow_space_make(void);   /* all of it free; false: there is no room */
void flow_space_drop(void);
uint32_t flow_take(void);     /* a free number */
bool flow_has(uint32_t number); /* a record that is not free has it */
uint64_t flow_made(void);
uint64_t flow_alive(void);
void flow_each(void (*visit)(uint32_t number, const jvm_alias *a, void *arg), void *arg);

typedef struct flow_counts {
    uint64_t n_collections;
    bool dropped;
} flow_counts;
extern flow_counts flow_counted;

/* ---- look.c ---- */

unsigned flow_kind_of(const jvm_method *m, uint16_t insn); /* of what the instruction leaves in a cell */

void flow_check_object(const jvm_obj *o); /* FO2; ends the process if it is broken */

/* ---- flow.c, choose.c ---- */

bool flow_follows(const jvm_method *m); /* code of a class that was chosen */
uint32_t flow_record(const jvm_alias *a); /* a new one */
uint32_t flow_method_context(jvm_method *m); /* of all its calls, where single ones are not told apart */

#endif
