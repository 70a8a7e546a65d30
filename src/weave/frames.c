/* frames.c - the StackMapTable, read into whole frames and written as it was or in full. */
#include "weave/frames.h"

#include "jvm/classes/class.h"

#include <stdlib.h>
#include <string.h>

enum { /* JVMS 4.7.4: frames by the number they begin with, and types by their tag */
    SAME = 0, SAME_MAX = 63, ONE = 64, ONE_MAX = 127, ONE_WIDE = 247, CHOP_FIRST = 248, SAME_WIDE = 251, APPEND_FIRST = 252, FULL = 255,
    TYPE_TOP = 0, TYPE_INTEGER = 1, TYPE_FLOAT = 2, TYPE_DOUBLE = 3, TYPE_LONG = 4, TYPE_NULL = 5, TYPE_THIS = 6, TYPE_OBJECT = 7,
    TYPE_MADE = 8,
};

static ebb_status fail_frames(const weave_code *code, ebb_error *err)
{
    return ebb_fail(err, EBB_BAD_FILE, "the StackMapTable of %.*s.%.*s is broken", (int)code->cls->name.nbytes,
                    (const char *)code->cls->name.bytes, (int)code->method->name.nbytes, (const char *)code->method->name.bytes);
}

/* ---- types ---- */

static void read_type(const weave_code *code, weave_in *in, weave_type *type)
{
    *type = (weave_type){.tag = weave_u1(in)};
    if (type->tag == TYPE_OBJECT)
        type->index = weave_u2(in);
    if (type->tag == TYPE_MADE)
        type->made = weave_code_at(code, weave_u2(in));
    if (type->tag > TYPE_MADE || (type->tag == TYPE_MADE && !type->made))
        in->failed = true;
}

static weave_type *read_types(weave_code *code, weave_in *in, uint32_t n)
{
    weave_type *types = EBB_ARENA_ARRAY(&code->cls->arena, weave_type, n + 1u);
    for (uint32_t i = 0; i < n && !in->failed; i++)
        read_type(code, in, &types[i]);
    return types;
}

static void put_types(weave_code *code, const weave_type *types, uint32_t n, ebb_buf *out)
{
    for (uint32_t i = 0; i < n; i++) {
        weave_put_u1(out, types[i].tag);
        if (types[i].tag == TYPE_OBJECT)
            weave_put_u2(out, types[i].index ? types[i].index : weave_pool_add_class(&code->cls->pool, types[i].name));
        if (types[i].tag == TYPE_MADE)
            weave_put_u2(out, types[i].made->at); /* WF1 */
    }
}

/* ---- the frame that a method begins with ---- */

/* The type of a local by its descriptor, which is `nbytes` long. */
static weave_type type_of(weave_code *code, const char *descriptor, size_t nbytes)
{
    switch (descriptor[0]) {
    case 'J': return (weave_type){.tag = TYPE_LONG};
    case 'D': return (weave_type){.tag = TYPE_DOUBLE};
    case 'F': return (weave_type){.tag = TYPE_FLOAT};
    case 'L': case '[': {
        bool is_class = descriptor[0] == 'L';
        char *name = ebb_arena_strndup(&code->cls->arena, descriptor + is_class, nbytes - (is_class ? 2 : 0));
        return (weave_type){.tag = TYPE_OBJECT, .name = name};
    }
    default: return (weave_type){.tag = TYPE_INTEGER};
    }
}

static size_t descriptor_length(const char *text, const char *end)
{
    const char *p = text;
    while (p < end && *p == '[')
        p++;
    if (p < end && *p == 'L')
        while (p < end && *p != ';')
            p++;
    return p < end ? (size_t)(p - text) + 1 : 0;
}

/* Classes are named by their names here: the pool need not have them unless a frame is written in full. */
static uint16_t first_locals(weave_code *code, weave_type *types, bool counting)
{
    const weave_method *m = code->method;
    const char *p = (const char *)m->type.bytes, *end = p + m->type.nbytes;
    uint16_t n = 0;
    if (!(m->access & JVM_ACC_STATIC))
        n++;
    for (p++; p < end && *p != ')'; n++) {
        size_t length = descriptor_length(p, end);
        if (length == 0)
            break;
        if (!counting)
            types[n] = type_of(code, p, length);
        p += length;
    }
    return n;
}

static bool is_constructor(const weave_method *m)
{
    return m->name.nbytes == 6 && memcmp(m->name.bytes, "<init>", 6) == 0;
}

static weave_type this_type(weave_code *code)
{
    if (is_constructor(code->method))
        return (weave_type){.tag = TYPE_THIS};
    const weave_span name = code->cls->name;
    return (weave_type){.tag = TYPE_OBJECT,
                        .name = ebb_arena_strndup(&code->cls->arena, (const char *)name.bytes, name.nbytes)};
}

static void make_first(weave_code *code, weave_frame *frame)
{
    frame->nlocals = first_locals(code, NULL, true);
    weave_type *types = EBB_ARENA_ARRAY(&code->cls->arena, weave_type, frame->nlocals + 1u);
    if (!(code->method->access & JVM_ACC_STATIC))
        types[0] = this_type(code);
    first_locals(code, types, false);
    frame->locals = types;
}

/* ---- reading ---- */

static void append_locals(weave_code *code, weave_in *in, weave_frame *frame, uint32_t more)
{
    weave_type *types = EBB_ARENA_ARRAY(&code->cls->arena, weave_type, frame->nlocals + more);
    memcpy(types, frame->locals, frame->nlocals * sizeof *types);
    weave_type *added = read_types(code, in, more);
    memcpy(types + frame->nlocals, added, more * sizeof *types);
    frame->locals = types;
    frame->nlocals = (uint16_t)(frame->nlocals + more);
}

static void read_full(weave_code *code, weave_in *in, weave_frame *frame)
{
    frame->nlocals = weave_u2(in);
    frame->locals = read_types(code, in, frame->nlocals);
    frame->nstack = weave_u2(in);
    frame->stack = read_types(code, in, frame->nstack);
}

/* Reads one frame into `frame`, which has the locals of the one before; gives its offset. */
static uint32_t read_frame(weave_code *code, weave_in *in, weave_frame *frame)
{
    uint8_t number = weave_u1(in);
    uint32_t delta = number <= SAME_MAX ? number : number <= ONE_MAX ? (uint32_t)(number - ONE) : 0;
    frame->is_wide = number > ONE_MAX;
    if (frame->is_wide)
        delta = weave_u2(in);
    frame->form = number <= SAME_MAX || number == SAME_WIDE ? SAME : number <= ONE_MAX || number == ONE_WIDE ? ONE : number;
    frame->nstack = 0;
    if (frame->form == ONE) {
        frame->nstack = 1;
        frame->stack = read_types(code, in, 1);
    } else if (frame->form == FULL) {
        read_full(code, in, frame);
    } else if (frame->form >= APPEND_FIRST) {
        append_locals(code, in, frame, frame->form - SAME_WIDE);
    } else if (frame->form >= CHOP_FIRST) {
        uint32_t fewer = SAME_WIDE - frame->form;
        in->failed = in->failed || fewer > frame->nlocals;
        frame->nlocals = (uint16_t)(frame->nlocals - (in->failed ? 0 : fewer));
    } else if (frame->form != SAME) {
        in->failed = true;
    }
    return delta;
}

ebb_status weave_frames_read(weave_code *code, weave_span table, ebb_error *err)
{
    weave_in in = weave_in_of(table);
    uint16_t n = weave_u2(&in);
    weave_frame first = {0}, *last = NULL, **link = &code->frames;
    uint32_t pc = 0;
    if (n)
        make_first(code, &first);
    for (uint32_t i = 0; i < n && !in.failed; i++) {
        weave_frame *frame = EBB_ARENA_NEW(&code->cls->arena, weave_frame);
        *frame = last ? *last : first;
        frame->before = last;
        frame->next = NULL;
        pc += read_frame(code, &in, frame) + (last ? 1 : 0);
        frame->at = weave_code_at(code, pc);
        in.failed = in.failed || !frame->at || frame->at == code->end;
        *link = last = frame;
        link = &frame->next;
    }
    code->has_frames = true;
    return in.failed || in.at != in.end ? fail_frames(code, err) : EBB_OK;
}

/* ---- changes ---- */

static weave_frame *frame_of(const weave_code *code, const weave_insn *insn)
{
    for (weave_frame *f = code->frames; f; f = f->next)
        if (f->at == insn)
            return f;
    return NULL;
}

static void add_frame(weave_code *code, weave_frame *frame)
{
    frame->before = frame;
    frame->next = code->frames; /* its place among the others is found when they are written */
    code->frames = frame;
}

void weave_frame_copy(weave_code *code, weave_insn *copy, const weave_insn *of)
{
    const weave_frame *model = frame_of(code, of);
    if (!model)
        return;
    weave_frame *frame = EBB_ARENA_NEW(&code->cls->arena, weave_frame);
    *frame = *model;
    frame->at = copy;
    add_frame(code, frame);
}

static uint32_t slots_of(const weave_type *types, uint32_t n)
{
    uint32_t slots = 0;
    for (uint32_t i = 0; i < n; i++)
        slots += types[i].tag == TYPE_LONG || types[i].tag == TYPE_DOUBLE ? 2 : 1;
    return slots;
}

/* The locals of the frame, nothing up to `local`, and the long. */
static void append_long(weave_code *code, weave_frame *frame, uint16_t local)
{
    uint32_t n = frame->nlocals, ntops = local - slots_of(frame->locals, n);
    weave_type *types = EBB_ARENA_ARRAY(&code->cls->arena, weave_type, n + ntops + 1u); /* zeroed: TYPE_TOP */
    if (n)
        memcpy(types, frame->locals, n * sizeof *types);
    types[n + ntops].tag = TYPE_LONG;
    frame->locals = types;
    frame->nlocals = (uint16_t)(n + ntops + 1);
}

void weave_frames_add_long(weave_code *code, uint16_t local)
{
    for (weave_frame *f = code->frames; f; f = f->next) {
        append_long(code, f, local);
        f->before = f;
    }
}

void weave_frame_of_handler(weave_code *code, weave_insn *handler, uint16_t local)
{
    weave_type *stack = EBB_ARENA_NEW(&code->cls->arena, weave_type);
    *stack = (weave_type){.tag = TYPE_OBJECT, .name = "java/lang/Throwable"};
    weave_frame *frame = EBB_ARENA_NEW(&code->cls->arena, weave_frame);
    *frame = (weave_frame){.at = handler, .form = FULL, .nstack = 1, .stack = stack};
    append_long(code, frame, local);
    add_frame(code, frame);
}

bool weave_frame_has_raw_this(const weave_code *code)
{
    for (const weave_frame *f = code->frames; f; f = f->next)
        for (uint32_t i = 0; i < f->nlocals; i++)
            if (f->locals[i].tag == TYPE_THIS)
                return true;
    return false;
}

/* ---- writing ---- */

static int by_place(const void *a, const void *b)
{
    uint32_t x = weave_jump_pc((*(weave_frame *const *)a)->at), y = weave_jump_pc((*(weave_frame *const *)b)->at);
    return (x > y) - (x < y);
}

static void put_frame(weave_code *code, const weave_frame *f, uint32_t delta, bool as_read, ebb_buf *out)
{
    uint8_t form = as_read ? f->form : FULL;
    bool is_wide = form > ONE || f->is_wide || delta > SAME_MAX;
    if (!is_wide) {
        weave_put_u1(out, form + delta);
    } else {
        weave_put_u1(out, form == SAME ? SAME_WIDE : form == ONE ? ONE_WIDE : form);
        weave_put_u2(out, delta);
    }
    if (form == FULL) {
        weave_put_u2(out, f->nlocals);
        put_types(code, f->locals, f->nlocals, out);
        weave_put_u2(out, f->nstack);
    }
    if (form == FULL || form == ONE)
        put_types(code, f->stack, f->nstack, out);
    if (form >= APPEND_FIRST && form < FULL)
        put_types(code, f->locals + f->nlocals - (form - SAME_WIDE), form - SAME_WIDE, out);
}

void weave_frames_write(weave_code *code, ebb_buf *out)
{
    uint32_t n = 0, i = 0;
    for (const weave_frame *f = code->frames; f; f = f->next)
        n++;
    const weave_frame **sorted = EBB_ARENA_ARRAY(&code->cls->arena, const weave_frame *, n + 1u);
    for (const weave_frame *f = code->frames; f; f = f->next)
        sorted[i++] = f;
    qsort(sorted, n, sizeof *sorted, by_place);
    weave_put_u2(out, n);
    for (i = 0; i < n; i++) {
        uint32_t pc = weave_jump_pc(sorted[i]->at);
        uint32_t delta = i ? pc - weave_jump_pc(sorted[i - 1]->at) - 1 : pc;
        put_frame(code, sorted[i], delta, sorted[i]->before == (i ? sorted[i - 1] : NULL), out);
    }
}
