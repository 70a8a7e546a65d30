/* cells.h - what the interpreter does for object flow (flow.h): cells of stack slots, shadows of the heap, records.
 *
 * A cell is two words at fixed distances from its slot:
 *     time   when the value was made there
 *     from   upper half 0: the alias with the number in the lower half;
 *            else the instruction that made it, by (address >> 4) mod 2^32, and in the lower half the alias of what it read
 * and that of a frame, beside its first word, tells when it was entered and its context (jvm_context), or 0 as long as nobody needed one.
 * A call leaves the cells of its arguments as they are, those of the caller: what is older than its frame is an argument, and gets a record of that when somebody
 * asks (jvm_cell_arrive).
 * A value of 8 bytes has the cell of its first slot; the other is nobody's.
 *
 * An alias number is the distance of its record from the first, divided by 4.  Values of 1 or 2 bytes share a shadow with their neighbours: in the number that a
 * read of one leaves in its cell the two bits below tell which byte of the 4 it began at, and the record that is meant is found, by who looks, among the
 * predecessors (jvm_alias_among).  The record of such a write tells its own in its value (JVM_SMALL_VALUE).
 *
 * The writes of a loop, one after the other in the same invocation, are *brief*: half a record each (jvm_brief), in a block whose head tells when and in which invocation it
 * was begun.  What does not fit there has a whole record.  Who looks need not know (brief.c: flow_read).
 *
 * CE1  instructions lie at addresses that are multiples of 16;
 * CE2  a cell is looked at only if its slot holds a value; what else lies in cells leads at worst to aliases that are kept a little longer. */
#ifndef EBB_JVM_FLOW_CELLS_H
#define EBB_JVM_FLOW_CELLS_H

#include "jvm/engine/interp.h"
#include "jvm/flow/flow.h"
#include "jvm/heap/region.h"
#include "jvm/jvm.h"

/* Distances.  Not round: processors take addresses whose bits 12 to 27 are the same for one another when they look into their first cache. */
#define JVM_CELLS ((size_t)0x2005b000)           /* a Java stack is no larger */
#define JVM_SHADOW ((uintptr_t)0x20000016b000)   /* from the heap to its shadow; heap/region.h */
#define JVM_ALIASES ((uintptr_t)0x580000000000)  /* the records */

#define JVM_CELL_TIME(slot) (*(uint64_t *)((char *)(slot) + JVM_CELLS))
#define JVM_CELL_FROM(slot) (*(uint64_t *)((char *)(slot) + 2 * JVM_CELLS))

typedef struct jvm_alias {
    uint64_t when;            /* time << 20 | kind << 16 | instruction, as in a cell, mod 2^16 */
    uint64_t value;
    uint32_t origin;
    uint32_t predecessor;     /* PARAMETER: the slot */
    uint32_t context;
    uint16_t source;          /* the instruction that made the value in the same invocation, */
    uint16_t age;             /* so many ticks before; then `origin` is that one's */
} jvm_alias;

enum {
    JVM_AGE_NONE = 0xffff,    /* no source */
    JVM_AGE_WHOLE = 0xfffe,   /* no source, no value; it is of all bytes of the word */
    JVM_AGE_END = 0xfff0,
};

enum {
    JVM_ALIAS_STEP = sizeof(jvm_alias) / 4, /* from a number to the next */
    JVM_ALIAS_UNKNOWN = JVM_ALIAS_STEP, JVM_ALIAS_DROPPED = 2 * JVM_ALIAS_STEP, /* numbers; these two are always there */
    JVM_ALIAS_FIRST = 3 * JVM_ALIAS_STEP, /* from here on young ones, */
    JVM_ALIAS_OLD = 1 << 26,  /* from here on old ones (young.c) */
};

typedef struct jvm_flow_space {
    uint32_t next, end;       /* numbers that are free; equal also if each record has to be considered */
} jvm_flow_space;
extern jvm_flow_space jvm_flow_young_, jvm_flow_old_;

/* Old ones that lead to a young one are noted (YO2). */
typedef struct jvm_flow_notes {
    uint32_t *next, *end;
} jvm_flow_notes;
extern jvm_flow_notes jvm_flow_notes_;
void jvm_flow_more_notes(void);
static inline void jvm_alias_note(uint32_t number, uint32_t origin)
{
    if (origin - JVM_ALIAS_FIRST >= JVM_ALIAS_OLD - JVM_ALIAS_FIRST)
        return;
    if (__builtin_expect(jvm_flow_notes_.next == jvm_flow_notes_.end, 0))
        jvm_flow_more_notes();
    *jvm_flow_notes_.next++ = number;
}

static inline jvm_alias *jvm_alias_at(uint32_t number) { return (jvm_alias *)(JVM_ALIASES + (uintptr_t)(number & ~3u) * 4); }
static inline uint32_t *jvm_shadow_of(const void *at) { return (uint32_t *)(((uintptr_t)at & ~(uintptr_t)3) + JVM_SHADOW); }

/* Last writes: time << 20 | low bits of the value << 4 | flags, and the byte of the 4 at which a value of less than 4 began. */
#define JVM_LAST_TIMES ((uintptr_t)0x0c00000b7000)
#define JVM_LAST_NATIVE ((uint64_t)8)
#define JVM_LAST_SMALL ((uint64_t)4)
static inline uint64_t *jvm_last_time_of(const void *at) { return (uint64_t *)(((uintptr_t)at & ~(uintptr_t)3) * 2 + JVM_LAST_TIMES); }

static inline uint64_t jvm_flow_now(void) { return jvm.time - (uint64_t)jvm_ticks; }
static inline uint64_t jvm_cell_insn(const jvm_insn *in) { return (uint64_t)(uintptr_t)in << 28; }
static inline uint64_t jvm_alias_when(uint64_t time, unsigned kind, const jvm_insn *in)
{
    return time << 20 | kind << 16 | (uint16_t)((uintptr_t)in >> 4);
}

static inline void jvm_cell_move(jvm_slot *to, const jvm_slot *from)
{
    JVM_CELL_TIME(to) = JVM_CELL_TIME(from);
    JVM_CELL_FROM(to) = JVM_CELL_FROM(from);
}

static inline void jvm_cell_set(jvm_slot *slot, uint32_t number)
{
    JVM_CELL_TIME(slot) = jvm_flow_now();
    JVM_CELL_FROM(slot) = number;
}

static inline void jvm_cell_made(jvm_slot *slot, const jvm_insn *in)
{
    JVM_CELL_TIME(slot) = jvm_flow_now();
    JVM_CELL_FROM(slot) = jvm_cell_insn(in);
}

#define JVM_SMALL_VALUE ((uint64_t)0x5ab1e0c4 << 32)
#define JVM_SMALL_BITS(value, at) ((uint16_t)(value) | JVM_SMALL_VALUE | ((uint64_t)(uintptr_t)(at) & 3) << 32)
static inline bool jvm_is_small_value(uint64_t value) { return (value & ~(uint64_t)0x3ffffffff) == JVM_SMALL_VALUE; }

/* The record that the bits below mean, or 0: none, or JVM_ALIAS_UNKNOWN. */
uint32_t jvm_alias_among(uint32_t number);

/* Of what lies at `at`, in o: where nothing was written, the object's allocation. */
static inline uint32_t jvm_alias_read(const jvm_obj *o, const void *at, size_t nbytes)
{
    uint32_t number = *jvm_shadow_of(at);
    return __builtin_expect(number == 0, 0) ? *jvm_shadow_of(o) : nbytes < 4 ? number | ((uint32_t)(uintptr_t)at & 3) : number;
}

static inline void jvm_cell_read(jvm_slot *slot, const jvm_insn *in, uint32_t number)
{
    JVM_CELL_TIME(slot) = jvm_flow_now();
    JVM_CELL_FROM(slot) = jvm_cell_insn(in) | number;
}

/* The context of what happens in a frame at a time: the number of a record that stands for the call; or, during its first ticks, which is as long as most last, JVM_CONTEXT_CALL with
 * the number that the method has for it and how many of them have passed, so that nothing has to be made.  The frame's cell has the one or the other, without ticks. */
#define JVM_CONTEXT_CALL ((uint32_t)1 << 31)
enum { JVM_CONTEXT_TICKS = 15 }; /* bits */
uint32_t jvm_flow_context(jvm_frame *f, uint64_t time);
static inline __attribute__((always_inline)) uint32_t jvm_context(jvm_frame *f, uint64_t time)
{
    uint32_t context = (uint32_t)JVM_CELL_FROM(f);
    uint64_t ticks = time - JVM_CELL_TIME(f);
    if ((int32_t)context > 0)
        return context;
    if (__builtin_expect(context == 0 || ticks >> JVM_CONTEXT_TICKS != 0, 0))
        return jvm_flow_context(f, time);
    return context | (uint32_t)ticks;
}

/* A value leaves the cell of its slot at the instruction in: a call, a return, a write, a throw. */
typedef struct jvm_passage {
    unsigned kind;
    const jvm_insn *in;
    jvm_frame *frame;
    jvm_slot *slot;
    uint64_t value;
} jvm_passage;

/* The cell of the slot, which holds a value in this frame, tells of it as the frame's own. */
void jvm_cell_arrive(jvm_frame *f, jvm_slot *slot);

uint32_t jvm_alias_pass_slow(jvm_passage p, uint32_t predecessor);

/* Where predecessors are not kept, a write that nothing leads to is gone with the next one: its record is young, and has the place instead of a predecessor (young.c). */
extern bool jvm_flow_forgets;
enum { JVM_PLACES = JVM_ALIAS_FIRST }; /* from this number on */
static inline bool jvm_is_forgotten_at(const void *at) { return __builtin_expect(jvm_flow_forgets, 0) && ((uintptr_t)at - JVM_REGION_FIRST) >> 33 == 0; }
static inline void *jvm_place_numbered(uint32_t number) { return (void *)(JVM_REGION_FIRST + (uintptr_t)(number - JVM_PLACES) * 4); }
static inline jvm_flow_space *jvm_space_of_write(const void *at) { return jvm_is_forgotten_at(at) ? &jvm_flow_young_ : &jvm_flow_old_; }
static inline uint32_t jvm_alias_before(const void *at)
{
    if (jvm_is_forgotten_at(at))
        return (uint32_t)(((uintptr_t)at - JVM_REGION_FIRST) / 4) + JVM_PLACES;
    return __builtin_expect(jvm_flow_forgets, 0) ? JVM_ALIAS_UNKNOWN : *jvm_shadow_of(at);
}

static inline __attribute__((always_inline)) uint32_t jvm_alias_pass_from(jvm_flow_space *space, jvm_passage p, uint32_t predecessor)
{
    uint32_t number = space->next;
    uint64_t now = jvm_flow_now(), from = JVM_CELL_FROM(p.slot), age = now - JVM_CELL_TIME(p.slot);
    if (__builtin_expect(number == space->end || JVM_CELL_TIME(p.slot) < JVM_CELL_TIME(p.frame) || (age >= JVM_AGE_END && from >> 32 != 0), 0))
        return jvm_alias_pass_slow(p, predecessor);
    uint32_t context = jvm_context(p.frame, now);
    space->next = number + JVM_ALIAS_STEP;
    jvm_alias *a = jvm_alias_at(number);
    a->when = jvm_alias_when(now, p.kind, p.in);
    a->value = p.value;
    a->origin = (uint32_t)from;
    a->predecessor = predecessor;
    a->context = context;
    a->source = (uint16_t)(from >> 32);
    a->age = from >> 32 == 0 ? JVM_AGE_NONE : (uint16_t)age;
    if (number >= JVM_ALIAS_OLD)
        jvm_alias_note(number, (uint32_t)from);
    return number;
}

static inline __attribute__((always_inline)) uint32_t jvm_alias_pass(jvm_passage p, uint32_t predecessor)
{
    return jvm_alias_pass_from(&jvm_flow_young_, p, predecessor);
}

/* ---- brief ones ---- */

/* Half a record, of a write: what tells the instruction (16 bits, as in a record), how many before it the one stands that made the value in the same tick (4; 0: none), the form (2),
 * whether a field was written (1), and how many ticks after its block was begun (9). */
typedef struct jvm_brief {
    uint32_t what;
    uint32_t predecessor;
    union {
        uint64_t wide;        /* a value of 8 bytes that was computed: there is no origin */
        struct {
            uint32_t value;
            uint32_t origin;
        };
    };
} jvm_brief;

typedef enum jvm_brief_form {
    JVM_BRIEF_INT, JVM_BRIEF_WIDE,
    JVM_BRIEF_SMALL,          /* of 1 or 2 bytes; at bit 16 which byte of the 4 it began at */
    JVM_BRIEF_REFERENCE,      /* 0: null; else 1 + its distance from JVM_REGION_FIRST, divided by 8 */
} jvm_brief_form;

enum { JVM_BRIEF_STEP = sizeof(jvm_brief) / 4, JVM_BRIEF_FAR = 16, JVM_BRIEF_TICKS = 512 };

/* The first of a block. */
typedef struct jvm_brief_head {
    uint64_t time;
    uint32_t context;         /* then */
    uint32_t unused;
} jvm_brief_head;

/* The block that writes of an invocation go to. */
typedef struct jvm_brief_block {
    const jvm_frame *frame;   /* NULL: there is none */
    uint64_t entered;
    uint64_t time;            /* the head's */
    uint32_t next, end;       /* numbers */
    uint32_t n_others;        /* whole records of writes that may still be made before somebody looks whether they are of one invocation */
} jvm_brief_block;
extern jvm_brief_block jvm_flow_brief_;
bool jvm_brief_more(jvm_frame *f);   /* the block is full, or too old */
void jvm_brief_consider(jvm_frame *f); /* n_others is 0 */

/* Of value32 and origin, where the value has room there. */
static inline __attribute__((always_inline)) bool jvm_brief_fits(jvm_brief_form form, uint64_t value, uint64_t from)
{
    return form == JVM_BRIEF_WIDE ? (uint32_t)from == 0 : form != JVM_BRIEF_REFERENCE || value == 0 || (value - JVM_REGION_FIRST) >> 34 == 0;
}

static inline __attribute__((always_inline)) uint64_t jvm_brief_value(jvm_brief_form form, jvm_passage p, const void *at)
{
    uint64_t origin = JVM_CELL_FROM(p.slot) << 32;
    return form == JVM_BRIEF_WIDE        ? p.value
           : form == JVM_BRIEF_SMALL     ? origin | ((uint64_t)(uintptr_t)at & 3) << 16 | (uint16_t)p.value
           : form == JVM_BRIEF_REFERENCE ? origin | (p.value == 0 ? 0 : (uint32_t)((p.value - JVM_REGION_FIRST) / 8 + 1))
                                         : origin | (uint32_t)p.value;
}

/* How many instructions before the write the value was made, in the same tick; 0: it came from elsewhere; -1: neither can be told here. */
static inline __attribute__((always_inline)) uint32_t jvm_brief_distance(jvm_passage p, uint64_t now)
{
    uint64_t source = JVM_CELL_FROM(p.slot) >> 32, time = JVM_CELL_TIME(p.slot);
    uint32_t distance = (uint32_t)((uintptr_t)p.in >> 4) - (uint32_t)source;
    if (time == now && distance - 1 < JVM_BRIEF_FAR - 1)
        return distance;
    return source == 0 && time >= jvm_flow_brief_.entered ? 0 : UINT32_MAX;
}

/* 0: it has to be a whole one. */
static inline __attribute__((always_inline)) uint32_t jvm_alias_write_brief(jvm_passage p, const void *at, jvm_brief_form form)
{
    uint64_t now = jvm_flow_now();
    jvm_brief_block *block = &jvm_flow_brief_;
    if (block->frame != p.frame || block->entered != JVM_CELL_TIME(p.frame))
        return 0;
    uint32_t distance = jvm_brief_distance(p, now);
    if (distance == UINT32_MAX || !jvm_brief_fits(form, p.value, JVM_CELL_FROM(p.slot)))
        return 0;
    if (__builtin_expect(block->next == block->end || now - block->time >= JVM_BRIEF_TICKS, 0) && !jvm_brief_more(p.frame))
        return 0;
    uint32_t number = block->next;
    block->next = number + JVM_BRIEF_STEP;
    jvm_brief *b = (jvm_brief *)jvm_alias_at(number);
    b->what = (uint16_t)((uintptr_t)p.in >> 4) | distance << 16 | (uint32_t)form << 20 | (p.kind == JAVA_ALIAS_FIELD_WRITE) << 22 | (uint32_t)(now - block->time) << 23;
    b->predecessor = *jvm_shadow_of(at);
    b->wide = jvm_brief_value(form, p, at);
    if (form != JVM_BRIEF_WIDE)
        jvm_alias_note(number, (uint32_t)JVM_CELL_FROM(p.slot));
    return number;
}

/* The value of the slot was just written to `at`. */
static inline __attribute__((always_inline)) void jvm_alias_write(jvm_passage p, void *at, size_t nbytes)
{
    uint32_t *shadow = jvm_shadow_of(at);
    if (nbytes < 4)
        p.value = JVM_SMALL_BITS(p.value, at);
    *shadow = jvm_alias_pass_from(jvm_space_of_write(at), p, jvm_alias_before(at));
}

/* The same where its form is known. */
static inline __attribute__((always_inline)) void jvm_alias_write_as(jvm_brief_form form, jvm_passage p, void *at, size_t nbytes)
{
    uint32_t number = jvm_alias_write_brief(p, at, form);
    if (number != 0) {
        *jvm_shadow_of(at) = number;
        return;
    }
    jvm_alias_write(p, at, nbytes);
    if (__builtin_expect(--jvm_flow_brief_.n_others == 0, 0))
        jvm_brief_consider(p.frame);
}

/* The same where origins are not kept: no cells, and calls are not told apart. */
uint32_t jvm_alias_put_slow(jvm_passage p, uint32_t predecessor);
static inline __attribute__((always_inline)) void jvm_alias_put(jvm_passage p, void *at, size_t nbytes)
{
    uint32_t *shadow = jvm_shadow_of(at), context = p.frame->method->flow_context, predecessor = jvm_alias_before(at);
    jvm_flow_space *space = jvm_space_of_write(at);
    uint32_t number = space->next;
    if (nbytes < 4)
        p.value = JVM_SMALL_BITS(p.value, at);
    if (__builtin_expect(number == space->end || context == 0, 0)) {
        *shadow = jvm_alias_put_slow(p, predecessor);
        return;
    }
    space->next = number + JVM_ALIAS_STEP;
    *jvm_alias_at(number) = (jvm_alias){.when = jvm_alias_when(jvm_flow_now(), p.kind, p.in), .value = p.value, .origin = JVM_ALIAS_UNKNOWN, .predecessor = predecessor,
                                        .context = context, .age = JVM_AGE_NONE};
    *shadow = number;
}

extern bool jvm_flow_last_only;

/* The same where only last writes are kept (last.c). */
static inline __attribute__((always_inline)) void jvm_alias_last(const jvm_insn *in, const void *at, size_t nbytes, uint64_t value)
{
    uint64_t flags = nbytes < 4 ? JVM_LAST_SMALL | ((uintptr_t)at & 3) : 0;
    *jvm_shadow_of(at) = (uint32_t)((uintptr_t)in >> 4);
    *jvm_last_time_of(at) = jvm_flow_now() << 20 | (uint64_t)(uint16_t)value << 4 | flags;
}

/* A frame is entered. */
static inline void jvm_cell_enter(jvm_frame *f)
{
    JVM_CELL_TIME(f) = jvm_flow_now();
    JVM_CELL_FROM(f) = f->method == NULL ? 0 : f->method->flow_context;
}

/* The arguments, on the caller's stack, are passed by the call at in.  Where another method is called instead, a record of each is made at once. */
void jvm_cells_pass_slow(const jvm_insn *in, jvm_frame *caller, jvm_slot *args, const jvm_method *m);
static inline void jvm_cells_pass(const jvm_insn *in, jvm_frame *caller, jvm_slot *args, const jvm_method *m)
{
    if (__builtin_expect(m->entry == JVM_ENTRY_INTRINSIC, 0))
        jvm_cells_pass_slow(in, caller, args, m);
}

/* The result in the slot goes to a call that nobody asks about (engine/bare.h). */
static inline bool jvm_result_is_bare(const jvm_frame *f, const jvm_slot *slot)
{
    return f->prev->kind == JVM_FRAME_JAVA && f->prev->pc->bare && (slot->raw != 0 || (f->method->ret != 'L' && f->method->ret != '['));
}

uint32_t jvm_alias_native_result(jvm_thread *t, jvm_frame *native, jvm_slot result); /* while t->frame is the native's still */
uint32_t jvm_alias_caught(const jvm_thread *t, const jvm_obj *exception);

#endif
