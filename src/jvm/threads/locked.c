/* locked.c - which monitors and locks a thread holds, and in which of its frames.
 *
 * A frame has no list of the monitors that its synchronized blocks entered.  But every compiler protects such a block by a handler
 * for any exception which begins with "astore X; aload N; monitorexit": so the blocks around an instruction, and the local
 * variables that keep their objects, are in the method's table of handlers. */
#include "jvm/engine/prepare.h"
#include "jvm/heap/heap.h"
#include "jvm/jvm.h"
#include "jvm/threads/monitor.h"
#include "jvm/threads/thread_dump.h"

enum { OP_ALOAD = 0x19, OP_ALOAD_0 = 0x2a, OP_ASTORE = 0x3a, OP_ASTORE_0 = 0x4b, OP_MONITOREXIT = 0xc3, OP_WIDE = 0xc4, SHORT_FORMS = 4 };

typedef struct code_reader {
    const uint8_t *at, *end;
} code_reader;

static int next_byte(code_reader *r) { return r->at < r->end ? *r->at++ : -1; }

/* The variable of an instruction that is `op` or one of its four short forms; -1: it is another one. */
static int variable_of(code_reader *r, int op, int short_op)
{
    int first = next_byte(r);
    if (first >= short_op && first < short_op + SHORT_FORMS)
        return first - short_op;
    if (first == op)
        return next_byte(r);
    if (first != OP_WIDE || next_byte(r) != op)
        return -1;
    int high = next_byte(r), low = next_byte(r);
    return low < 0 ? -1 : high << 8 | low;
}

/* The variable that keeps the object of the block which the handler leaves; -1: it leaves none. */
static int monitor_variable(const jvm_method *m, uint32_t handler_bci)
{
    if (handler_bci >= m->nbytes)
        return -1;
    code_reader r = {m->bytes + handler_bci, m->bytes + m->nbytes};
    if (variable_of(&r, OP_ASTORE, OP_ASTORE_0) < 0)
        return -1;
    int variable = variable_of(&r, OP_ALOAD, OP_ALOAD_0);
    return next_byte(&r) == OP_MONITOREXIT ? variable : -1;
}

static bool protects(const jvm_code_handler *h, uint32_t at) { return h->type == 0 && at >= h->start && at < h->end; }

static void add_held(const jvm_thread *x, jvm_obj *o, jvm_obj_list *found)
{
    if (o != NULL && jvm_monitor_holds(x, o))
        ebb_vec_push(found, o);
}

void jvm_frame_monitors(const jvm_thread *x, const jvm_frame *f, jvm_obj_list *found)
{
    const jvm_code *code = f->pc == NULL ? NULL : f->method->code;
    for (uint16_t i = 0; code != NULL && i < code->nhandlers; i++) {
        const jvm_code_handler *h = &code->handlers[i];
        int variable = protects(h, (uint32_t)(f->pc - code->insns)) ? monitor_variable(f->method, code->bci[h->target]) : -1;
        if (variable >= 0)
            add_held(x, f->locals[variable].a, found);
    }
    add_held(x, f->lock, found);
}

typedef struct owner_search {
    const jvm_obj *thread;
    jvm_obj_list *found;
} owner_search;

static void add_if_owned(jvm_obj *o, void *arg)
{
    const owner_search *search = arg;
    if (jvm_instance_of(o, jvm.classes.AbstractOwnableSynchronizer) &&
        jvm_get_ref(o, jvm.fields.AbstractOwnableSynchronizer_exclusiveOwnerThread) == search->thread)
        ebb_vec_push(search->found, o);
}

void jvm_thread_synchronizers(const jvm_thread *x, jvm_obj_list *found)
{
    owner_search search = {x->object, found};
    jvm_heap_each(add_if_owned, &search);
}
