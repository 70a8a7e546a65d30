/* internal.h - what the files of object flow share. */
#ifndef EBB_JVM_FLOW_INTERNAL_H
#define EBB_JVM_FLOW_INTERNAL_H

#include "jvm/flow/cells.h"

enum { ALL_KINDS = (1 << JAVA_N_ALIAS_KINDS) - 1 };

typedef struct flow_state {
    uint8_t mode;
    bool considers;           /* each record: not every link is kept */
    bool has_cells;           /* what lies on stacks is followed: origins are kept */
    bool no_origins, no_predecessors;
    uint32_t kinds;
    uint64_t limit;           /* halves of records */
    uint64_t since;
    bool checks;              /* FO2, at each collection */
} flow_state;
extern flow_state flow;

/* ---- aliases.c: the space of records ---- */

bool flow_space_make(void);   /* all of it free; false: there is no room */
void flow_space_drop(void);
uint32_t flow_take_old(void); /* a free number among the old */
uint32_t flow_take_block(void); /* FLOW_BLOCK free brief ones: the number of the first, which is for the head */
void flow_give_back_block(uint32_t next, uint32_t end); /* of one that was taken, these numbers */
bool flow_is_brief(uint32_t number);
bool flow_has(uint32_t number); /* a record that is not free has it */
void *flow_map(uintptr_t wish, size_t nbytes); /* wish 0: anywhere; NULL: there is no room */
uint64_t flow_made(void);       /* ever */
uint64_t flow_alive(void);
uint64_t flow_nbytes(void);     /* of these */
uint64_t flow_most_units(void); /* that a limit may be */
void flow_each(void (*visit)(uint32_t number, const jvm_alias *a, void *arg), void *arg);

/* ---- brief.c: half records ---- */

enum { FLOW_BLOCK = 32 };     /* brief ones, the head among them */
void flow_brief_end(void);    /* no writes go to the block any more */
jvm_alias flow_read(uint32_t number);            /* a record, or a brief one as if it were one */
uint32_t *flow_origin_at(uint32_t number);       /* where it is told; NULL: there is none */
uint32_t *flow_predecessor_at(uint32_t number);  /* the same */
const jvm_brief_head *flow_head_of(uint32_t number);

/* ---- young.c: records that were just made ---- */

bool flow_young_make(void);
void flow_young_drop(void);
uint32_t flow_take_young(void); /* a free number */
bool flow_is_young(uint32_t number);
uint32_t flow_n_young(void);
uint64_t flow_young_made(void); /* ever */
uint64_t flow_young_moved(void);
void flow_evacuate_if_full(void); /* where no C code up the stack has the number of an alias in a variable */

/* Every cell that a value may lie beside, and what else leads to aliases outside of the heap. */
void flow_each_root(void (*visit)(uint32_t *number));

typedef struct flow_counts {
    uint64_t n_collections;
    bool dropped;
} flow_counts;
extern flow_counts flow_counted;

/* ---- last.c ---- */

void flow_last_native(void *first, size_t nbytes, uint32_t context);
uint64_t flow_last_of_address(const void *at, size_t nbytes);
bool flow_last_get(uint64_t number, jvm_alias_told *out);
bool flow_last_is_stale(const void *at, size_t nbytes);
uint64_t flow_last_count(void);

/* ---- look.c ---- */

unsigned flow_kind_of(const jvm_method *m, uint16_t insn); /* of what the instruction leaves in a cell */

void flow_check_object(const jvm_obj *o); /* FO2; ends the process if it is broken */

/* ---- flow.c, choose.c ---- */

bool flow_follows(const jvm_method *m); /* code of a class that was chosen */
static inline bool flow_is_write(unsigned kind) { return kind == JAVA_ALIAS_FIELD_WRITE || kind == JAVA_ALIAS_ARRAY_WRITE; }
uint32_t flow_record(const jvm_alias *a);     /* a new one, for a cell */
uint32_t flow_record_put(const jvm_alias *a); /* for a shadow */
uint32_t flow_context_record(jvm_frame *f);   /* the call has one from now on */
uint64_t flow_called(uint32_t context);       /* the place of the method that a context with JVM_CONTEXT_CALL is in; 0: there is none such */
void flow_forget_called(void);
uint32_t flow_predecessor(const jvm_alias *a); /* of what is no PARAMETER */
uint32_t flow_method_context(jvm_method *m); /* of all its calls, where single ones are not told apart */

#endif
