/* origin.c - where a value of a native program comes from: backward from write to write (session/origin.h).
 *
 * The value is a datum in memory or in a register (machine/flow.h).  Who wrote it to memory last, a query tells; who set the register last, is seen
 * by going a little back and stepping forward, instruction by instruction.  What that instruction did is the machine's to say: if it copied the value
 * from elsewhere, that is the datum to look for next.
 *
 * OR1  every link but the last copies: the value at its position is that of the link before it, as far as it has as many bytes.  A link where that is
 *      not so ends the chain, and says it. */
#include "machine/flow.h"
#include "machine/native.h"
#include "session/back/back.h"
#include "session/data.h"
#include "session/language.h"
#include "session/origin.h"
#include "session/stack.h"
#include "session/travel.h"
#include "session/watch.h"
#include "time/queries.h"
#include "x86/native.h"

#include <stdio.h>
#include <string.h>

enum {
    MAX_LINKS = 64,
    MAX_STEPS = 20000,  /* looked at one by one for who set a register: some seconds */
    MAX_READS = 32,     /* visited one by one for how far a file had been read */
    MAX_PATH = 512,
};

typedef struct chain {
    session *s;
    ebb_arena *arena;
    ses_origin_links *out;
    machine_datum datum; /* what is looked for, as it was at this moment */
    uint64_t value;
    bool is_over;
} chain;

/* ---- looking ------------------------------------------------------------------------------------ */

static machine_tid thread_now(const chain *c)
{
    return ebb_timeline_get_thread(c->s->timeline);
}

static ebb_status go_to(chain *c, ebb_position to, ebb_error *err)
{
    machine_stop stop;
    EBB_TRY(ebb_timeline_seek(c->s->timeline, to, &stop, err));
    return stop.kind == MACHINE_STOP_INTERRUPTED ? ebb_fail(err, EBB_INTERRUPTED, "interrupted") : EBB_OK;
}

static ebb_status now(const chain *c, ebb_position *at, ebb_error *err)
{
    return ebb_timeline_now(c->s->timeline, 0, at, err);
}

/* One instruction of whatever thread runs; *ended: there is none any more. */
static ebb_status step(chain *c, ebb_position at, bool *ended, ebb_error *err)
{
    machine_stop stop;
    machine_request request = {.move = MACHINE_RUN, .thread = thread_now(c), .until = true, .quiet = true, .until_time = at.timestamp, .until_place = at.place + 1};
    EBB_TRY(ebb_timeline_run(c->s->timeline, &request, &stop, err));
    if (stop.kind == MACHINE_STOP_INTERRUPTED)
        return ebb_fail(err, EBB_INTERRUPTED, "interrupted");
    *ended = stop.kind != MACHINE_STOP_POSITION;
    return EBB_OK;
}

static bool read_datum(const chain *c, machine_tid thread, const machine_datum *d, uint64_t *value)
{
    uint8_t bytes[MACHINE_REG_MAX_BYTES] = {0};
    *value = 0;
    if (!d->is_register)
        return machine_read(c->s->machine, d->addr, value, d->nbytes, NULL) == EBB_OK;
    if (c->s->machine->native->reg_read(c->s->machine, thread, d->reg, bytes, NULL) != EBB_OK)
        return false;
    memcpy(value, bytes + d->offset, d->nbytes);
    return true;
}

static uint64_t reg_value(const chain *c, const char *name)
{
    uint64_t value = 0;
    int reg = machine_reg_by_name(c->s->machine, name);
    if (reg < 0 || machine_reg_get_u64(c->s->machine, thread_now(c), (unsigned)reg, &value, NULL) != EBB_OK)
        return 0;
    return value;
}

static uint64_t low_bytes(uint64_t value, unsigned nbytes)
{
    return nbytes >= 8 ? value : value & (((uint64_t)1 << 8 * nbytes) - 1);
}

/* ---- telling ------------------------------------------------------------------------------------ */

static void put_datum(const chain *c, const machine_datum *d, ebb_buf *text)
{
    size_t n;
    if (d->is_register)
        ebb_buf_addf(text, "$%s", c->s->machine->native->registers(c->s->machine, &n)[d->reg].name);
    else
        ebb_buf_addf(text, "%u byte%s at 0x%llx", d->nbytes, d->nbytes == 1 ? "" : "s", (unsigned long long)d->addr);
}

/* The debuggee stands at the link.  Takes the words. */
static void add_link(chain *c, ses_origin_kind kind, ebb_buf *words)
{
    ses_origin_link link = {.kind = kind, .value = low_bytes(c->value, c->datum.nbytes), .nbytes = c->datum.nbytes};
    link.what = ebb_arena_strdup(c->arena, ebb_buf_text(words));
    ebb_buf_fini(words);
    ses_origin_add(c->s, c->arena, &link, c->out);
}

static void end_with(chain *c, ses_origin_kind kind, const char *sentence)
{
    ebb_buf words = {0};
    ebb_buf_addf(&words, "%s", sentence);
    add_link(c, kind, &words);
    c->is_over = true;
}

static void put_insn(const chain *c, ebb_buf *words)
{
    machine_insn insn;
    if (c->s->machine->ops->decode(c->s->machine, reg_value(c, "rip"), &insn, NULL) == EBB_OK)
        ebb_buf_addf(words, " (%s)", insn.text);
}

/* ---- what came from outside --------------------------------------------------------------------- */

typedef struct descriptor {
    chain *c;
    uint64_t fd;
    bool is_opened;
    machine_call open;
    EBB_VEC(machine_call) reads; /* since then, of any descriptor */
} descriptor;

static bool is_call(const machine_call *call, const char *name)
{
    const char *its = x86_syscall_name((long)call->number);
    return its && strcmp(its, name) == 0;
}

static void note_call(void *self, const machine_call *call)
{
    descriptor *d = self;
    if ((is_call(call, "openat") || is_call(call, "open")) && call->result == (int64_t)d->fd) {
        d->is_opened = true;
        d->open = *call;
        d->reads.n = 0;
    } else if (is_call(call, "read") || is_call(call, "lseek")) {
        ebb_vec_push(&d->reads, *call);
    }
}

/* To the system call; *there false: it was not found where it should be. */
static ebb_status go_to_call(chain *c, const machine_call *call, bool *there, ebb_error *err)
{
    ebb_position at;
    machine_datum nothing = {.nbytes = 1};
    machine_flow flow;
    bool ended = false;
    EBB_TRY(go_to(c, (ebb_position){.timestamp = call->time}, err));
    for (*there = false; !ended;) {
        EBB_TRY(now(c, &at, err));
        if (at.timestamp != call->time)
            return EBB_OK;
        EBB_TRY(c->s->machine->native->flow(c->s->machine, thread_now(c), &nothing, &flow, err));
        *there = flow.kind == MACHINE_FLOW_KERNEL && reg_value(c, "rax") == call->number;
        if (*there)
            return EBB_OK;
        EBB_TRY(step(c, at, &ended, err));
    }
    return EBB_OK;
}

static ebb_status read_path(descriptor *d, char path[MAX_PATH], ebb_error *err)
{
    bool there;
    size_t n = 0;
    *path = '\0';
    EBB_TRY(go_to_call(d->c, &d->open, &there, err));
    uint64_t addr = reg_value(d->c, is_call(&d->open, "openat") ? "rsi" : "rdi");
    while (there && n + 1 < MAX_PATH && machine_read(d->c->s->machine, addr + n, &path[n], 1, NULL) == EBB_OK && path[n])
        n++;
    path[n] = '\0';
    return EBB_OK;
}

/* How many bytes of the file were before those that the read got; *known false: nobody counted. */
static ebb_status find_offset(descriptor *d, uint64_t *offset, bool *known, ebb_error *err)
{
    *offset = 0;
    *known = d->reads.n <= MAX_READS;
    for (size_t i = 0; i < d->reads.n && *known; i++) {
        const machine_call *call = &d->reads.items[i];
        EBB_TRY(go_to_call(d->c, call, known, err));
        if (!*known || reg_value(d->c, "rdi") != d->fd || call->result < 0)
            continue;
        *offset = is_call(call, "lseek") ? (uint64_t)call->result : *offset + (uint64_t)call->result;
    }
    return EBB_OK;
}

/* Which file, and where in it, a read got the datum from.  Comes back to the call. */
static ebb_status put_file(chain *c, uint64_t fd, uint64_t in_buffer, ebb_position at, ebb_buf *words, ebb_error *err)
{
    descriptor d = {.c = c, .fd = fd};
    char path[MAX_PATH] = "";
    uint64_t offset = 0;
    bool known = false;
    ebb_status status = c->s->machine->native->calls(c->s->machine, at.timestamp, note_call, &d, err);
    if (status == EBB_OK && d.is_opened)
        status = read_path(&d, path, err);
    if (status == EBB_OK && d.is_opened)
        status = find_offset(&d, &offset, &known, err);
    if (status == EBB_OK)
        status = go_to(c, at, err);
    if (status == EBB_OK && *path)
        ebb_buf_addf(words, " of %s", path);
    else if (status == EBB_OK && fd == 0)
        ebb_buf_adds(words, " of the standard input");
    if (status == EBB_OK && known)
        ebb_buf_addf(words, ", from byte %llu of the file on", (unsigned long long)(offset + in_buffer));
    ebb_vec_fini(&d.reads);
    return status;
}

/* The thread stands at a system call. */
static ebb_status tell_kernel(chain *c, ebb_error *err)
{
    ebb_position at;
    ebb_buf words = {0};
    uint64_t number = reg_value(c, "rax"), fd = reg_value(c, "rdi"), buffer = reg_value(c, "rsi");
    const char *name = x86_syscall_name((long)number);
    bool is_read = name && strcmp(name, "read") == 0 && !c->datum.is_register;
    EBB_TRY(now(c, &at, err));
    if (c->datum.is_register)
        ebb_buf_addf(&words, "is the result of the system call %s", name ? name : "?");
    else if (is_read)
        ebb_buf_addf(&words, "was read from descriptor %llu", (unsigned long long)fd);
    else
        ebb_buf_addf(&words, "was written by the system call %s", name ? name : "?");
    ebb_status status = is_read ? put_file(c, fd, c->datum.addr - buffer, at, &words, err) : EBB_OK;
    if (status != EBB_OK) {
        ebb_buf_fini(&words);
        return status;
    }
    add_link(c, SES_ORIGIN_INPUT, &words);
    c->is_over = true;
    return EBB_OK;
}

/* ---- one link ----------------------------------------------------------------------------------- */

/* MF2: the value of the part that was written. */
static void narrow_to(chain *c, const machine_datum *part)
{
    uint64_t skipped = part->is_register ? part->offset - c->datum.offset : part->addr - c->datum.addr;
    c->value = low_bytes(c->value >> 8 * skipped, part->nbytes);
    c->datum = *part;
}

/* OR1 */
static void follow_copy(chain *c, const machine_flow *flow)
{
    uint64_t value;
    ebb_buf words = {0};
    if (!read_datum(c, thread_now(c), &flow->from, &value)) {
        end_with(c, SES_ORIGIN_END, "what it was copied from can't be read");
        return;
    }
    if (value != low_bytes(c->value, flow->from.nbytes)) {
        end_with(c, SES_ORIGIN_END, "this instruction wrote something else there, so the value can't be followed further");
        return;
    }
    ebb_buf_adds(&words, c->datum.is_register ? (flow->from.is_register ? "copied from " : "loaded from ") : "stored from ");
    put_datum(c, &flow->from, &words);
    put_insn(c, &words);
    add_link(c, c->datum.is_register ? (flow->from.is_register ? SES_ORIGIN_COPY : SES_ORIGIN_LOAD) : SES_ORIGIN_STORE, &words);
    c->datum = flow->from;
    c->value = value;
}

static void tell_operation(chain *c, const machine_flow *flow)
{
    ebb_buf words = {0};
    ebb_buf_adds(&words, "computed");
    put_insn(c, &words);
    for (size_t i = 0; i < flow->n_operands; i++) {
        uint64_t value;
        if (!read_datum(c, thread_now(c), &flow->operands[i], &value))
            continue;
        ebb_buf_adds(&words, i == 0 ? " of " : " and ");
        put_datum(c, &flow->operands[i], &words);
        ebb_buf_addf(&words, " = 0x%llx", (unsigned long long)value);
    }
    add_link(c, SES_ORIGIN_OPERATION, &words);
    c->is_over = true;
}

static void tell_constant(chain *c)
{
    ebb_buf words = {0};
    ebb_buf_adds(&words, "a constant of the program");
    put_insn(c, &words);
    add_link(c, SES_ORIGIN_CONSTANT, &words);
    c->is_over = true;
}

/* The debuggee stands before the instruction that wrote the datum. */
static ebb_status follow(chain *c, const machine_flow *flow, ebb_error *err)
{
    narrow_to(c, &flow->wanted);
    switch (flow->kind) {
    case MACHINE_FLOW_COPY: follow_copy(c, flow); return EBB_OK;
    case MACHINE_FLOW_CONSTANT: tell_constant(c); return EBB_OK;
    case MACHINE_FLOW_OPERATION: tell_operation(c, flow); return EBB_OK;
    case MACHINE_FLOW_KERNEL: return tell_kernel(c, err);
    case MACHINE_FLOW_CALL: end_with(c, SES_ORIGIN_CONSTANT, "the return address of a call"); return EBB_OK;
    default: end_with(c, SES_ORIGIN_END, "it is not known what this instruction does to it"); return EBB_OK;
    }
}

/* ---- who wrote memory --------------------------------------------------------------------------- */

static ebb_status follow_memory(chain *c, ebb_error *err)
{
    machine_stop stop;
    ebb_error why;
    machine_flow flow;
    ebb_data data = {.addr = c->datum.addr, .nbytes = c->datum.nbytes};
    ebb_status status = ebb_query_last_write(c->s->timeline, &data, NULL, &stop, &why);
    if (status == EBB_NOT_FOUND) {
        end_with(c, SES_ORIGIN_END, "it has been there, unchanged, since history begins");
        return EBB_OK;
    }
    if (status != EBB_OK)
        return ebb_fail(err, status, "%s", why.text);
    EBB_TRY(c->s->machine->native->flow(c->s->machine, thread_now(c), &c->datum, &flow, err));
    if (flow.kind == MACHINE_FLOW_NONE)
        flow.kind = MACHINE_FLOW_UNKNOWN;
    return follow(c, &flow, err);
}

/* ---- who set a register ------------------------------------------------------------------------- */

typedef struct trace {
    machine_tid thread;
    bool found;
    ebb_position at;
    machine_flow flow;
    size_t n_steps;
} trace;

/* From here forward to `to`: the last instruction that sets the datum. */
static ebb_status trace_to(chain *c, trace *t, ebb_position to, ebb_error *err)
{
    ebb_position at;
    bool ended = false;
    EBB_TRY(now(c, &at, err));
    while (!ended && ebb_position_compare(at, to) < 0 && t->n_steps++ < MAX_STEPS) {
        machine_flow flow = {0};
        if (thread_now(c) == t->thread)
            EBB_TRY(c->s->machine->native->flow(c->s->machine, t->thread, &c->datum, &flow, err));
        if (flow.kind != MACHINE_FLOW_NONE) {
            t->found = true;
            t->at = at;
            t->flow = flow;
        }
        EBB_TRY(step(c, at, &ended, err));
        EBB_TRY(now(c, &at, err));
    }
    return EBB_OK;
}

static ebb_status follow_register(chain *c, machine_tid thread, ebb_error *err)
{
    trace t = {.thread = thread};
    ebb_position to, from;
    EBB_TRY(now(c, &to, err));
    for (uint64_t back = 0; !t.found && t.n_steps < MAX_STEPS; back = back ? 8 * back : 1) {
        EBB_TRY(go_to(c, (ebb_position){.timestamp = to.timestamp > back ? to.timestamp - back : 0}, err));
        EBB_TRY(now(c, &from, err));
        EBB_TRY(trace_to(c, &t, to, err));
        if (to.timestamp <= back)
            break;
    }
    EBB_TRY(go_to(c, t.found ? t.at : to, err));
    if (t.found)
        return follow(c, &t.flow, err);
    end_with(c, SES_ORIGIN_END, t.n_steps < MAX_STEPS ? "the register had that value when history begins" : "the register was set too many instructions before this");
    return EBB_OK;
}

/* ---- all of it ---------------------------------------------------------------------------------- */

static ebb_status follow_all(chain *c, ebb_error *err)
{
    while (!c->is_over) {
        machine_tid thread = thread_now(c);
        if (c->out->n >= MAX_LINKS) {
            end_with(c, SES_ORIGIN_END, "the chain is too long to be followed further");
            return EBB_OK;
        }
        EBB_TRY(c->datum.is_register ? follow_register(c, thread, err) : follow_memory(c, err));
    }
    return EBB_OK;
}

static ebb_status aim(chain *c, const char *expression, ebb_error *err)
{
    session *s = c->s;
    void *target = NULL;
    ebb_data data = {0};
    bool is_local;
    ebb_status status = ses_watch_data(s, expression, &target, &data, &is_local, err);
    if (target)
        s->language->watch_drop(target);
    if (status != EBB_OK)
        return status;
    if (data.bits)
        return ebb_fail(err, EBB_UNSUPPORTED, "\"%.80s\" is a bit-field, which is copied together with its neighbours: `last-write` goes to what changed it.", expression);
    if (data.nbytes > MACHINE_DATUM_MAX)
        return ebb_fail(err, EBB_UNSUPPORTED, "\"%.80s\" has %llu bytes: ask for a part of it, of at most %d.", expression, (unsigned long long)data.nbytes, MACHINE_DATUM_MAX);
    c->datum = (machine_datum){.addr = data.addr, .nbytes = (unsigned)data.nbytes};
    return read_datum(c, s->thread, &c->datum, &c->value) ? EBB_OK : ebb_fail(err, EBB_BAD_INPUT, "Its memory can't be read.");
}

ebb_status ses_c_origin_follow(session *s, ebb_arena *arena, const char *expression, ses_origin_links *out, ebb_error *err)
{
    chain c = {.s = s, .arena = arena, .out = out};
    if (!s->machine->native || !s->machine->native->calls)
        return ebb_fail(err, EBB_UNSUPPORTED, "This program keeps no history in which a value could be followed.");
    if (!*ebb_text_skip_space(expression))
        return ebb_fail(err, EBB_BAD_INPUT, "origin EXPR: of what? A variable, or anything of at most %d bytes in memory.", MACHINE_DATUM_MAX);
    EBB_TRY(aim(&c, ebb_text_skip_space(expression), err));
    return follow_all(&c, err);
}

ebb_status ses_c_why_follow(session *s, ebb_arena *arena, const ses_question *question, ses_origin_links *out, ebb_error *err)
{
    (void)s, (void)arena, (void)question, (void)out;
    return ebb_fail(err, EBB_UNSUPPORTED, "`why` is for Java programs; of native ones `origin EXPR` tells where a value comes from, and `last-write EXPR` goes to its last write.");
}

ebb_status ses_c_flow_follow(session *s, ebb_arena *arena, const char *expression, ses_origin_links *out, ebb_error *err)
{
    (void)s, (void)arena, (void)expression, (void)out;
    return ebb_fail(err, EBB_UNSUPPORTED, "`flow` follows objects of Java programs; of native ones `origin EXPR` tells where a value comes from, and `values EXPR` what a place has held.");
}
