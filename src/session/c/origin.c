/* origin.c - where a value of a native program comes from: backward from write to write (origin_chain.h). */
#include "session/c/origin_chain.h"
#include "session/language.h"
#include "session/travel.h"
#include "time/queries.h"

#include <string.h>

enum { MAX_LINKS = 64 };

/* ---- looking ------------------------------------------------------------------------------------ */

machine_tid ses_chain_thread(const ses_chain *c)
{
    return ebb_timeline_get_thread(c->s->timeline);
}

ebb_status ses_chain_go(ses_chain *c, ebb_position to, ebb_error *err)
{
    machine_stop stop;
    EBB_TRY(ebb_timeline_seek(c->s->timeline, to, &stop, err));
    return stop.kind == MACHINE_STOP_INTERRUPTED ? ebb_fail(err, EBB_INTERRUPTED, "interrupted") : EBB_OK;
}

ebb_status ses_chain_now(const ses_chain *c, ebb_position *at, ebb_error *err)
{
    return ebb_timeline_now(c->s->timeline, 0, at, err);
}

ebb_status ses_chain_step(ses_chain *c, ebb_position at, bool *ended, ebb_error *err)
{
    machine_stop stop;
    machine_request request = {.move = MACHINE_RUN, .thread = ses_chain_thread(c), .until = true, .quiet = true, .until_time = at.timestamp, .until_place = at.place + 1};
    EBB_TRY(ebb_timeline_run(c->s->timeline, &request, &stop, err));
    if (stop.kind == MACHINE_STOP_INTERRUPTED)
        return ebb_fail(err, EBB_INTERRUPTED, "interrupted");
    *ended = stop.kind != MACHINE_STOP_POSITION;
    return EBB_OK;
}

bool ses_chain_read(const ses_chain *c, machine_tid thread, const machine_datum *d, ses_wide *value)
{
    uint8_t bytes[MACHINE_REG_MAX_BYTES] = {0};
    *value = 0;
    if (!d->is_register)
        return machine_read(c->s->machine, d->addr, value, d->nbytes, NULL) == EBB_OK;
    if (d->offset + d->nbytes > sizeof bytes || c->s->machine->native->reg_read(c->s->machine, thread, d->reg, bytes, NULL) != EBB_OK)
        return false;
    memcpy(value, bytes + d->offset, d->nbytes);
    return true;
}

uint64_t ses_chain_register(const ses_chain *c, const char *name)
{
    uint64_t value = 0;
    int reg = machine_reg_by_name(c->s->machine, name);
    if (reg < 0 || machine_reg_get_u64(c->s->machine, ses_chain_thread(c), (unsigned)reg, &value, NULL) != EBB_OK)
        return 0;
    return value;
}

void ses_chain_text(const ses_chain *c, uint64_t addr, char *text, size_t size)
{
    size_t n = 0;
    while (n + 1 < size && machine_read(c->s->machine, addr + n, &text[n], 1, NULL) == EBB_OK && text[n])
        n++;
    text[n] = '\0';
}

ebb_status ses_chain_flow(const ses_chain *c, machine_tid thread, const machine_datum *d, machine_flow *flow, ebb_error *err)
{
    return c->s->machine->native->flow(c->s->machine, thread, d, flow, err);
}

static ses_wide low_bytes(ses_wide value, unsigned nbytes)
{
    return nbytes >= sizeof value ? value : value & (((ses_wide)1 << 8 * nbytes) - 1);
}

/* ---- telling ------------------------------------------------------------------------------------ */

/* Half of a vector register has a name of its own. */
static const char *register_name(const ses_chain *c, const machine_datum *d)
{
    size_t n;
    const machine_reg *all = c->s->machine->native->registers(c->s->machine, &n);
    const char *name = all[d->reg].name;
    for (size_t i = 0; i < n && name[0] == 'y' && d->offset + d->nbytes <= 16; i++)
        if (all[i].name[0] == 'x' && strcmp(all[i].name + 1, name + 1) == 0)
            return all[i].name;
    return name;
}

static void put_datum(const ses_chain *c, const machine_datum *d, ebb_buf *text)
{
    if (!d->is_register)
        ebb_buf_addf(text, "%u byte%s at 0x%llx", d->nbytes, d->nbytes == 1 ? "" : "s", (unsigned long long)d->addr);
    else if (d->offset)
        ebb_buf_addf(text, "$%s, from byte %u on", register_name(c, d), d->offset);
    else
        ebb_buf_addf(text, "$%s", register_name(c, d));
}

void ses_chain_add(ses_chain *c, ses_origin_kind kind, ebb_buf *words)
{
    ses_wide value = low_bytes(c->value, c->datum.nbytes);
    ses_origin_link link = {.kind = kind, .value = (uint64_t)value, .value_high = (uint64_t)(value >> 64), .nbytes = c->datum.nbytes};
    ebb_buf all = {0};
    ebb_buf_addf(&all, "%s%s", c->part ? c->part : "", ebb_buf_text(words));
    link.what = ebb_arena_strdup(c->arena, ebb_buf_text(&all));
    c->part = NULL;
    ebb_buf_fini(&all);
    ebb_buf_fini(words);
    ses_origin_add(c->s, c->arena, &link, c->out);
}

void ses_chain_end(ses_chain *c, ses_origin_kind kind, const char *sentence)
{
    ebb_buf words = {0};
    ebb_buf_adds(&words, sentence);
    ses_chain_add(c, kind, &words);
    c->is_over = true;
}

static void put_insn(const ses_chain *c, ebb_buf *words)
{
    machine_insn insn;
    if (c->s->machine->ops->decode(c->s->machine, ses_chain_register(c, "rip"), &insn, NULL) == EBB_OK)
        ebb_buf_addf(words, " (%s)", insn.text);
}

/* ---- one link ----------------------------------------------------------------------------------- */

/* MF2: the value of the part that was written. */
static void narrow_to(ses_chain *c, const machine_datum *part)
{
    unsigned skipped = part->is_register ? part->offset - c->datum.offset : (unsigned)(part->addr - c->datum.addr);
    ses_wide rest = skipped + part->nbytes < sizeof rest ? low_bytes(c->value, c->datum.nbytes) >> 8 * (skipped + part->nbytes) : 0;
    if (skipped || rest) { /* else there are only zeros before it */
        ebb_buf words = {0};
        ebb_buf_addf(&words, part->nbytes == 1 ? "of its bytes, number %u: " : "of its bytes, %u to %u: ", skipped, skipped + part->nbytes - 1);
        c->part = ebb_arena_strdup(c->arena, ebb_buf_text(&words));
        ebb_buf_fini(&words);
    }
    c->value = low_bytes(c->value >> 8 * skipped, part->nbytes);
    c->datum = *part;
}

/* OR1 */
static void follow_copy(ses_chain *c, const machine_flow *flow)
{
    ses_wide value;
    ebb_buf words = {0};
    if (!ses_chain_read(c, ses_chain_thread(c), &flow->from, &value)) {
        ses_chain_end(c, SES_ORIGIN_END, "what it was copied from can't be read");
        return;
    }
    if (value != low_bytes(c->value, flow->from.nbytes)) {
        ses_chain_end(c, SES_ORIGIN_END, "this instruction wrote something else there, so the value can't be followed further");
        return;
    }
    ebb_buf_adds(&words, c->datum.is_register ? (flow->from.is_register ? "copied from " : "loaded from ") : "stored from ");
    put_datum(c, &flow->from, &words);
    put_insn(c, &words);
    ses_chain_add(c, c->datum.is_register ? (flow->from.is_register ? SES_ORIGIN_COPY : SES_ORIGIN_LOAD) : SES_ORIGIN_STORE, &words);
    c->datum = flow->from;
    c->value = value;
}

static void put_number(ses_wide value, ebb_buf *words)
{
    if (value >> 64)
        ebb_buf_addf(words, " = 0x%llx%016llx", (unsigned long long)(value >> 64), (unsigned long long)value);
    else
        ebb_buf_addf(words, " = 0x%llx", (unsigned long long)value);
}

static void tell_operation(ses_chain *c, const machine_flow *flow)
{
    ebb_buf words = {0};
    ebb_buf_adds(&words, "computed");
    put_insn(c, &words);
    for (size_t i = 0; i < flow->n_operands; i++) {
        ses_wide value;
        if (!ses_chain_read(c, ses_chain_thread(c), &flow->operands[i], &value))
            continue;
        ebb_buf_adds(&words, i == 0 ? " of " : " and ");
        put_datum(c, &flow->operands[i], &words);
        put_number(value, &words);
    }
    ses_chain_add(c, SES_ORIGIN_OPERATION, &words);
    c->is_over = true;
}

/* The instruction alone says it. */
static void tell_instruction(ses_chain *c, ses_origin_kind kind, const char *what)
{
    ebb_buf words = {0};
    ebb_buf_adds(&words, what);
    put_insn(c, &words);
    ses_chain_add(c, kind, &words);
    c->is_over = true;
}

/* OR2.  The debuggee stands where it stood. */
static ebb_status check_written(ses_chain *c, const machine_flow *flow, bool *is_so, ebb_error *err)
{
    ebb_position at;
    ses_wide value;
    bool ended = false;
    machine_tid thread = ses_chain_thread(c);
    EBB_TRY(ses_chain_now(c, &at, err));
    EBB_TRY(ses_chain_step(c, at, &ended, err));
    *is_so = ended || (ses_chain_read(c, thread, &flow->wanted, &value) && value == low_bytes(c->value, flow->wanted.nbytes));
    return ses_chain_go(c, at, err);
}

ebb_status ses_chain_follow(ses_chain *c, const machine_flow *flow, ebb_error *err)
{
    bool is_so;
    narrow_to(c, &flow->wanted);
    EBB_TRY(check_written(c, flow, &is_so, err));
    if (!is_so) {
        ses_chain_end(c, SES_ORIGIN_END, "this is the last instruction that is known to have set it, but to something else: the value can't be followed further");
        return EBB_OK;
    }
    switch (flow->kind) {
    case MACHINE_FLOW_COPY: follow_copy(c, flow); return EBB_OK;
    case MACHINE_FLOW_CONSTANT: tell_instruction(c, SES_ORIGIN_CONSTANT, "a constant of the program"); return EBB_OK;
    case MACHINE_FLOW_OPERATION: tell_operation(c, flow); return EBB_OK;
    case MACHINE_FLOW_KERNEL: return ses_chain_tell_kernel(c, err);
    case MACHINE_FLOW_CPU: tell_instruction(c, SES_ORIGIN_INPUT, "told by the CPU"); return EBB_OK;
    case MACHINE_FLOW_CALL: ses_chain_end(c, SES_ORIGIN_CONSTANT, "the return address of a call"); return EBB_OK;
    default: ses_chain_end(c, SES_ORIGIN_END, "it is not known what this instruction does to it"); return EBB_OK;
    }
}

/* ---- who wrote memory --------------------------------------------------------------------------- */

/* The last of several repetitions of a string instruction wrote the end of the datum.  If the ones before it wrote the rest, goes to the first of
 * them: *flow is about all of the datum then. */
static ebb_status join_repetitions(ses_chain *c, machine_flow *flow, ebb_error *err)
{
    ebb_position last, first;
    machine_flow begin = {0};
    uint64_t skipped = flow->wanted.addr - c->datum.addr;
    EBB_TRY(ses_chain_now(c, &last, err));
    uint64_t n = skipped / flow->wanted.nbytes;
    if (skipped + flow->wanted.nbytes != c->datum.nbytes || skipped % flow->wanted.nbytes || last.timestamp < n)
        return EBB_OK;
    EBB_TRY(ses_chain_go(c, (ebb_position){last.timestamp - n, last.place}, err));
    EBB_TRY(ses_chain_now(c, &first, err));
    if (first.timestamp == last.timestamp - n && first.place == last.place)
        EBB_TRY(ses_chain_flow(c, ses_chain_thread(c), &c->datum, &begin, err));
    bool is_one = begin.kind == MACHINE_FLOW_COPY && begin.repeats && begin.wanted.addr == c->datum.addr && begin.from.addr + skipped == flow->from.addr;
    if (!is_one)
        return ses_chain_go(c, last, err);
    flow->wanted = c->datum;
    flow->from = begin.from;
    flow->from.nbytes = c->datum.nbytes;
    return EBB_OK;
}

/* A string instruction copied it from memory, in one of its repetitions. */
static bool is_repeated_copy(const machine_flow *flow)
{
    return flow->kind == MACHINE_FLOW_COPY && flow->repeats && !flow->from.is_register;
}

/* To before the last write of the datum, and what that does.  EBB_NOT_FOUND: there is none. */
static ebb_status find_write(ses_chain *c, machine_flow *flow, ebb_error *err)
{
    machine_stop stop;
    ebb_data data = {.addr = c->datum.addr, .nbytes = c->datum.nbytes};
    EBB_TRY(ebb_query_last_write(c->s->timeline, &data, NULL, &stop, err));
    EBB_TRY(ses_chain_flow(c, ses_chain_thread(c), &c->datum, flow, err));
    return is_repeated_copy(flow) ? join_repetitions(c, flow, err) : EBB_OK;
}

/* Copying routines store some bytes twice, the same ones.  Such a write of a part is not where the value comes from. */
static bool repeats_part(const ses_chain *c, const machine_flow *flow)
{
    ses_wide before;
    return flow->kind == MACHINE_FLOW_COPY && flow->wanted.nbytes < c->datum.nbytes && ses_chain_read(c, ses_chain_thread(c), &c->datum, &before) &&
           before == c->value;
}

static ebb_status follow_memory(ses_chain *c, ebb_error *err)
{
    enum { MOST_PARTS = 64 }; /* a search each */
    ebb_error why;
    machine_flow flow;
    ebb_status status = find_write(c, &flow, &why);
    for (int n = 0; status == EBB_OK && n < MOST_PARTS && repeats_part(c, &flow); n++)
        status = find_write(c, &flow, &why);
    if (status == EBB_NOT_FOUND)
        return ses_chain_tell_begin(c, err);
    if (status != EBB_OK)
        return ebb_fail(err, status, "%s", why.text);
    if (is_repeated_copy(&flow) && flow.wanted.nbytes == c->datum.nbytes) {
        follow_copy(c, &flow);
        return EBB_OK;
    }
    if (flow.kind == MACHINE_FLOW_NONE)
        flow.kind = MACHINE_FLOW_UNKNOWN;
    return ses_chain_follow(c, &flow, err);
}

/* ---- all of it ---------------------------------------------------------------------------------- */

static ebb_status follow_all(ses_chain *c, ebb_error *err)
{
    while (!c->is_over) {
        machine_tid thread = ses_chain_thread(c);
        if (c->out->n >= MAX_LINKS) {
            ses_chain_end(c, SES_ORIGIN_END, "the chain is too long to be followed further");
            return EBB_OK;
        }
        EBB_TRY(c->datum.is_register ? ses_chain_follow_register(c, thread, err) : follow_memory(c, err));
    }
    return EBB_OK;
}

ebb_status ses_c_origin_follow(session *s, ebb_arena *arena, const char *expression, ses_origin_links *out, ebb_error *err)
{
    ses_chain c = {.s = s, .arena = arena, .out = out};
    if (!s->machine->native || !s->machine->native->calls)
        return ebb_fail(err, EBB_UNSUPPORTED, "This program keeps no history in which a value could be followed.");
    if (!*ebb_text_skip_space(expression))
        return ebb_fail(err, EBB_BAD_INPUT, "origin EXPR: of what? A variable, a register, or anything of at most %d bytes in memory.", MACHINE_DATUM_MAX);
    EBB_TRY(ses_chain_aim(&c, ebb_text_skip_space(expression), err));
    if (c.datum.is_register) /* of the thread that is selected, whoever runs */
        EBB_TRY(ses_chain_follow_register(&c, s->thread, err));
    return follow_all(&c, err);
}

/* Native programs remember nothing of their values. */
ebb_status ses_c_origin_remembered(session *s, ebb_arena *arena, const char *expression, ses_origin_links *out, ebb_error *err)
{
    (void)s, (void)arena, (void)expression, (void)out, (void)err;
    return EBB_OK;
}

ebb_status ses_c_values_remembered(session *s, ebb_arena *arena, const char *expression, ses_remembered_values *out, ebb_error *err)
{
    (void)s, (void)arena, (void)expression, (void)out, (void)err;
    return EBB_OK;
}

ebb_status ses_c_aliases_info(session *s, ses_aliases_info *out, ebb_error *err)
{
    (void)s, (void)err;
    *out = (ses_aliases_info){0};
    return EBB_OK;
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
