/* brief.c - half records: writes of one invocation in a row, in blocks (cells.h: jvm_brief).
 *
 * A loop that writes makes most of the aliases there are.  They have their invocation in common, and their times are near each other: so these are told once, by the head of a block.
 *
 * BF1  a block is of one invocation; it lies where all blocks do, at a multiple of its size (aliases.c), so the head of a brief record is found by its number;
 * BF2  a head is there as long as one of its block is. */
#include "jvm/flow/internal.h"

enum { PATIENCE = 8 }; /* whole records of one invocation, twice in a row, are enough to begin a block */

jvm_brief_block jvm_flow_brief_;
static struct {
    const jvm_frame *frame;
    uint64_t entered;
} last_seen;

/* ---- making ---- */

static bool is_of_use(void) { return flow.has_cells && !flow.considers && !flow.no_predecessors; }

void flow_brief_end(void)
{
    jvm_brief_block *b = &jvm_flow_brief_;
    if (b->frame != NULL)
        flow_give_back_block(b->next, b->end);
    *b = (jvm_brief_block){.n_others = is_of_use() ? PATIENCE : UINT32_MAX};
    last_seen.frame = NULL;
}

/* What the context of a frame is, also in the last tick of a block that begins now. */
static uint32_t context_of_block(jvm_frame *f, uint64_t now)
{
    uint32_t context = jvm_flow_context(f, now + JVM_BRIEF_TICKS);
    return context & JVM_CONTEXT_CALL ? context - JVM_BRIEF_TICKS : context;
}

bool jvm_brief_more(jvm_frame *f)
{
    uint64_t now = jvm_flow_now();
    flow_brief_end();
    uint32_t context = context_of_block(f, now), head = flow_take_block();
    *(jvm_brief_head *)jvm_alias_at(head) = (jvm_brief_head){.time = now, .context = context};
    jvm_flow_brief_ = (jvm_brief_block){f, JVM_CELL_TIME(f), now, head + JVM_BRIEF_STEP, head + FLOW_BLOCK * JVM_BRIEF_STEP, PATIENCE};
    return true;
}

void jvm_brief_consider(jvm_frame *f)
{
    bool is_again = last_seen.frame == f && last_seen.entered == JVM_CELL_TIME(f);
    jvm_flow_brief_.n_others = is_of_use() ? PATIENCE : UINT32_MAX;
    if (!is_of_use())
        return;
    if (is_again && (jvm_flow_brief_.frame != f || jvm_flow_brief_.entered != JVM_CELL_TIME(f)))
        (void)jvm_brief_more(f);
    last_seen.frame = f;
    last_seen.entered = JVM_CELL_TIME(f);
}

/* ---- reading ---- */

static uint64_t whole_value(const jvm_brief *b)
{
    switch ((jvm_brief_form)(b->what >> 20 & 3)) {
    case JVM_BRIEF_WIDE:
        return b->wide;
    case JVM_BRIEF_SMALL:
        return JVM_SMALL_BITS(b->value, b->value >> 16);
    case JVM_BRIEF_REFERENCE:
        return b->value == 0 ? 0 : JVM_REGION_FIRST + (uint64_t)(b->value - 1) * 8;
    case JVM_BRIEF_INT:
        break;
    }
    return b->value;
}

static jvm_alias read_brief(uint32_t number)
{
    const jvm_brief *b = (const jvm_brief *)jvm_alias_at(number);
    const jvm_brief_head *head = flow_head_of(number);
    const uint32_t *origin = flow_origin_at(number);
    uint32_t ticks = b->what >> 23, distance = b->what >> 16 & 15;
    uint64_t kind = b->what >> 22 & 1 ? JAVA_ALIAS_FIELD_WRITE : JAVA_ALIAS_ARRAY_WRITE;
    return (jvm_alias){.when = (head->time + ticks) << 20 | kind << 16 | (uint16_t)b->what, .value = whole_value(b), .origin = origin == NULL ? 0 : *origin,
                       .predecessor = b->predecessor, .context = head->context & JVM_CONTEXT_CALL ? head->context + ticks : head->context,
                       .source = distance == 0 ? 0 : (uint16_t)(b->what - distance), .age = distance == 0 ? JVM_AGE_NONE : 0};
}

jvm_alias flow_read(uint32_t number) { return flow_is_brief(number) ? read_brief(number) : *jvm_alias_at(number); }

const jvm_brief_head *flow_head_of(uint32_t number)
{
    return (const jvm_brief_head *)jvm_alias_at(number & ~(uint32_t)(FLOW_BLOCK * JVM_BRIEF_STEP - 1));
}

uint32_t *flow_origin_at(uint32_t number)
{
    if (!flow_is_brief(number))
        return &jvm_alias_at(number)->origin;
    jvm_brief *b = (jvm_brief *)jvm_alias_at(number);
    return (b->what >> 20 & 3) == JVM_BRIEF_WIDE ? NULL : &b->origin;
}

uint32_t *flow_predecessor_at(uint32_t number)
{
    if (flow_is_brief(number))
        return &((jvm_brief *)jvm_alias_at(number))->predecessor;
    jvm_alias *a = jvm_alias_at(number);
    return (a->when >> 16 & 15) == JAVA_ALIAS_PARAMETER ? NULL : &a->predecessor;
}
