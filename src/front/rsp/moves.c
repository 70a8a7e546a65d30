/* moves.c - runs and single steps, both ways, and how they end. */
#include "front/rsp/rsp.h"

#include "front/cli/signals.h"
#include "session/breakpoints.h"
#include "session/frames.h"
#include "session/time.h"

#include <signal.h>
#include <string.h>

/* ---- signals ------------------------------------------------------------------------------------- */

static const struct {
    int ours, theirs;
} signals[] = {
#define RSP_SIGNAL(ours, theirs) {ours, theirs},
#include "front/rsp/signals.def"
#undef RSP_SIGNAL
};

int rsp_signal_out(int signal)
{
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (signals[i].ours == signal)
            return signals[i].theirs;
    return signal > 32 ? 45 + signal - 33 : signal; /* GDB_SIGNAL_REALTIME_33 */
}

int rsp_signal_in(int signal)
{
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (signals[i].theirs == signal)
            return signals[i].ours;
    return signal >= 45 ? signal - 45 + 33 : signal;
}

/* ---- stops --------------------------------------------------------------------------------------- */

static const rsp_point *point_of(const rsp *r, const ses_stop *stop)
{
    for (size_t i = 0; i < r->points.n; i++)
        for (size_t k = 0; k < stop->n_breakpoints; k++)
            if (r->points.items[i].number == stop->breakpoints[k])
                return &r->points.items[i];
    return NULL;
}

/* A child that the session followed is the program now. */
static void add_birth(const rsp *r, const machine_stop *at, ebb_buf *reply)
{
    if (at->child == ses_get_pid(r->session))
        return;
    ebb_buf_adds(reply, at->vfork ? "vfork:" : "fork:");
    rsp_add_name(r, at->child, at->child, reply);
    ebb_buf_addc(reply, ';');
}

static void add_exec(const rsp *r, ebb_buf *reply)
{
    machine *m = ses_get_machine(r->session);
    const char *program = m ? m->ops->program(m) : "";
    ebb_buf_adds(reply, "exec:");
    rsp_add_hex(reply, program, strlen(program));
    ebb_buf_addc(reply, ';');
}

static void add_reason(const rsp *r, const ses_stop *stop, ebb_buf *reply)
{
    static const char *const words[] = {"swbreak", "hwbreak", "watch", "rwatch", "awatch"};
    const rsp_point *point = point_of(r, stop);
    if (stop->kind == SES_STOP_HISTORY_START || stop->kind == SES_STOP_HISTORY_END)
        ebb_buf_addf(reply, "replaylog:%s;", stop->kind == SES_STOP_HISTORY_START ? "begin" : "end");
    else if (stop->kind == SES_STOP_CATCH && stop->machine.kind == MACHINE_STOP_FORKED)
        add_birth(r, &stop->machine, reply);
    else if (stop->kind == SES_STOP_CATCH && stop->machine.kind == MACHINE_STOP_EXEC)
        add_exec(r, reply);
    else if (stop->kind == SES_STOP_CATCH && r->syscalls)
        ebb_buf_addf(reply, "syscall_%s:%lx;", stop->machine.kind == MACHINE_STOP_SYSCALL_ENTRY ? "entry" : "return", (unsigned long)stop->machine.syscall);
    else if (point && point->kind <= '1')
        ebb_buf_addf(reply, "%s:;", words[point->kind - '0']);
    else if (point)
        ebb_buf_addf(reply, "%s:%llx;", words[point->kind - '0'], (unsigned long long)point->addr);
}

/* What gdb asks for first: frame pointer, stack pointer, program counter. */
static void add_registers(rsp *r, machine_tid thread, ebb_buf *reply)
{
    static const size_t wanted[] = {6, 7, 16};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        ebb_buf bytes = {0};
        if (rsp_register_read(r, thread, wanted[i], &bytes)) {
            ebb_buf_addf(reply, "%02zx:", wanted[i]);
            rsp_add_hex(reply, bytes.data, bytes.n);
            ebb_buf_addc(reply, ';');
        }
        ebb_buf_fini(&bytes);
    }
}

static void add_place(rsp *r, machine_tid thread, ebb_buf *reply)
{
    ebb_buf_adds(reply, "thread:");
    rsp_add_thread(r, thread, reply);
    ebb_buf_addc(reply, ';');
    add_registers(r, thread, reply);
}

void rsp_stop_reply(rsp *r, const ses_stop *stop, ebb_buf *reply)
{
    int signal = stop->kind == SES_STOP_SIGNAL ? stop->machine.signal : stop->kind == SES_STOP_INTERRUPTED ? SIGINT : SIGTRAP;
    if (stop->kind == SES_STOP_EXITED || stop->kind == SES_STOP_KILLED) {
        bool exited = stop->kind == SES_STOP_EXITED;
        ebb_buf_addf(reply, "%c%02x", exited ? 'W' : 'X', exited ? (unsigned)stop->machine.exit_status & 0xff : (unsigned)rsp_signal_out(stop->machine.signal));
        if (r->names_processes)
            ebb_buf_addf(reply, ";process:%x", (unsigned)r->process);
        return;
    }
    ebb_buf_addf(reply, "T%02x", (unsigned)rsp_signal_out(signal));
    add_reason(r, stop, reply);
    add_place(r, stop->thread, reply);
}

void rsp_do_why(rsp *r, const char *args, size_t n, ebb_buf *reply)
{
    (void)args, (void)n;
    ebb_buf_add(reply, ebb_buf_text(&r->last_reply), r->last_reply.n);
}

/* ---- moving -------------------------------------------------------------------------------------- */

typedef struct move {
    enum { MOVE_RUN, MOVE_STEP } how;
    bool is_back;
    int signal;         /* to be delivered; 0: none; -1: not said */
    machine_tid thread; /* STEP; 0: the one that stopped */
    uint64_t lo, hi;    /* STEP: goes on as long as the thread is in [lo, hi) */
} move;

static ebb_status carry_out(rsp *r, const move *m, ses_stop *stop, ebb_error *err)
{
    session *s = r->session;
    machine_tid thread = m->thread ? m->thread : rsp_thread(r);
    unsigned number = ses_thread_number(s, thread);
    if (number && thread != ses_thread_selected(s))
        EBB_TRY(ses_thread_select(s, number, err));
    if (m->how == MOVE_STEP)
        return m->is_back ? ses_step_back(s, SES_STEP_INSN, 1, stop, err) : ses_step(s, SES_STEP_INSN, 1, stop, err);
    if (m->is_back)
        return ses_continue_back(s, stop, err);
    return r->last.kind == SES_STOP_SIGNAL || m->signal > 0 ? ses_signal(s, m->signal > 0 ? m->signal : 0, stop, err) : ses_continue(s, 0, stop, err);
}

/* At the end of a program whose past is there, one stands before its last instruction: so that there is a way back. */
static void stay_before_end(rsp *r, ses_stop *stop)
{
    ses_history_info info;
    ses_stop back = {0};
    bool has_ended = stop->kind == SES_STOP_EXITED || stop->kind == SES_STOP_KILLED;
    if (!has_ended || !ses_get_machine(r->session) || ses_history_info_get(r->session, &info, NULL) != EBB_OK || !info.is_kept)
        return;
    fprintf(stderr, stop->kind == SES_STOP_EXITED ? "ebb: the program has exited with status %d; its past is there.\n" : "ebb: the program was ended by signal %d; its past is there.\n",
            stop->kind == SES_STOP_EXITED ? stop->machine.exit_status : stop->machine.signal);
    if (ses_step_back(r->session, SES_STEP_INSN, 1, &back, NULL) != EBB_OK)
        return;
    *stop = back;
    stop->kind = SES_STOP_HISTORY_END;
}

/* Libraries that came or went are told first; gdb looks at them and goes on, and hears of the stop then. */
static bool tells_libraries(rsp *r, const ses_stop *stop, ebb_buf *reply)
{
    uint64_t now = ses_get_state(r->session) == SES_STOPPED ? rsp_libraries_signature(r) : r->libraries;
    bool has_become_another = stop->kind == SES_STOP_CATCH && stop->machine.kind == MACHINE_STOP_EXEC; /* gdb looks at everything then */
    if (now == r->libraries || has_become_another) {
        r->libraries = now;
        return false;
    }
    r->libraries = now;
    r->owes_stop = true;
    ebb_buf_adds(reply, "T05library:;");
    add_place(r, stop->thread, reply);
    return true;
}

/* A step through a range that isn't through it yet. */
static bool is_in_range(rsp *r, const move *m, const ses_stop *stop)
{
    machine_place pc;
    struct machine *of = ses_get_machine(r->session);
    return m->how == MOVE_STEP && m->lo < m->hi && stop->kind == SES_STOP_STEP && ses_get_state(r->session) == SES_STOPPED &&
           of->ops->place(of, stop->thread, &pc, NULL) == EBB_OK && pc >= m->lo && pc < m->hi;
}

/* gdb keeps its breakpoints out of the way while parent and child share their memory, and waits for this; ours are no bytes there, so that
 * the wait may be over when gdb wants to go on. */
static bool tells_vfork_done(rsp *r, ebb_buf *reply)
{
    if (!r->owes_vfork_done)
        return false;
    r->owes_vfork_done = false;
    ebb_buf_adds(reply, "T05vforkdone:;");
    add_place(r, r->last.thread, reply);
    return true;
}

/* What gdb will do about it. */
static void note_birth(rsp *r, const ses_stop *stop)
{
    bool is_birth = stop->kind == SES_STOP_CATCH && stop->machine.kind == MACHINE_STOP_FORKED && stop->machine.child != ses_get_pid(r->session);
    if (is_birth)
        r->child = stop->machine.child;
    r->owes_vfork_done = is_birth && stop->machine.vfork && r->births[1];
    if (stop->kind == SES_STOP_CATCH && stop->machine.kind == MACHINE_STOP_EXEC)
        rsp_points_forget(r);
}

static void go(rsp *r, const move *m, ebb_buf *reply)
{
    ses_stop stop = {0};
    ebb_error err;
    if (r->owes_stop) {
        r->owes_stop = false;
        rsp_stop_reply(r, &r->last, reply);
        return;
    }
    if (tells_vfork_done(r, reply))
        return;
    r->process = ses_get_pid(r->session);
    cli_signals_busy(true);
    front_watch_begin(r->watch, r->packets.at < r->packets.bytes.n);
    ebb_status status = carry_out(r, m, &stop, &err);
    while (status == EBB_OK && m->how == MOVE_RUN && !rsp_stop_counts(r, &stop)) {
        r->last = stop;
        status = carry_out(r, &(move){.how = MOVE_RUN, .is_back = m->is_back}, &stop, &err);
    }
    while (status == EBB_OK && is_in_range(r, m, &stop) && !cli_signal_interrupted())
        status = carry_out(r, m, &stop, &err);
    cli_signals_busy(false);
    front_watch_end(r->watch);
    if (status != EBB_OK) {
        rsp_fail(reply, &err);
        return;
    }
    stay_before_end(r, &stop);
    note_birth(r, &stop);
    r->last = stop;
    r->general = 0;
    if (!tells_libraries(r, &stop, reply))
        rsp_stop_reply(r, &stop, reply);
    ebb_buf_truncate(&r->last_reply, 0);
    ebb_buf_add(&r->last_reply, reply->data, reply->n);
    r->ends = reply->data[0] == 'W' || reply->data[0] == 'X';
}

void rsp_do_continue(rsp *r, const char *args, size_t n, ebb_buf *reply)
{
    (void)args, (void)n;
    go(r, &(move){.how = MOVE_RUN}, reply);
}

void rsp_do_step(rsp *r, const char *args, size_t n, ebb_buf *reply)
{
    (void)args, (void)n;
    go(r, &(move){.how = MOVE_STEP}, reply);
}

static void with_signal(rsp *r, move m, const char *args, ebb_buf *reply)
{
    uint64_t signal;
    m.signal = rsp_take_number(&args, &signal) && signal < 200 ? rsp_signal_in((int)signal) : 0;
    go(r, &m, reply);
}

void rsp_do_continue_signal(rsp *r, const char *args, size_t n, ebb_buf *reply)
{
    (void)n;
    with_signal(r, (move){.how = MOVE_RUN}, args, reply);
}

void rsp_do_step_signal(rsp *r, const char *args, size_t n, ebb_buf *reply)
{
    (void)n;
    with_signal(r, (move){.how = MOVE_STEP}, args, reply);
}

void rsp_do_step_back(rsp *r, const char *args, size_t n, ebb_buf *reply)
{
    (void)args, (void)n;
    go(r, &(move){.how = MOVE_STEP, .is_back = true}, reply);
}

void rsp_do_continue_back(rsp *r, const char *args, size_t n, ebb_buf *reply)
{
    (void)args, (void)n;
    go(r, &(move){.how = MOVE_RUN, .is_back = true}, reply);
}

void rsp_do_vcont_known(rsp *r, const char *args, size_t n, ebb_buf *reply)
{
    (void)r, (void)args, (void)n;
    ebb_buf_adds(reply, "vCont;c;C;s;S;r");
}

/* "s:5b1;c": the thread that steps decides what the move is; the others go along. */
void rsp_do_vcont(rsp *r, const char *args, size_t n, ebb_buf *reply)
{
    (void)n;
    move m = {.how = MOVE_RUN};
    while (*args && m.how == MOVE_RUN) {
        char action = *args++;
        uint64_t number;
        rsp_name name;
        if ((action == 'C' || action == 'S') && rsp_take_number(&args, &number) && number < 200)
            m.signal = rsp_signal_in((int)number);
        if (action == 's' || action == 'S' || (action == 'r' && rsp_take_span(&args, &m.lo, &m.hi)))
            m.how = MOVE_STEP;
        if (*args == ':' && (args++, rsp_take_name(&args, &name)) && (m.how == MOVE_STEP || m.signal))
            m.thread = (machine_tid)name.thread;
        args += strcspn(args, ";");
        args += *args == ';';
    }
    go(r, &m, reply);
}

/* ---- ending -------------------------------------------------------------------------------------- */

void rsp_do_detach(rsp *r, const char *args, size_t n, ebb_buf *reply)
{
    (void)n;
    ebb_error err;
    uint64_t process;
    if (*args == ';' && (args++, rsp_take_number(&args, &process)) && r->child && process == (uint64_t)r->child) {
        r->child = 0; /* it went its way long ago */
        ebb_buf_adds(reply, "OK");
        return;
    }
    rsp_points_clear(r);
    if (ses_get_state(r->session) == SES_STOPPED && !r->is_recording && ses_detach(r->session, &err) != EBB_OK) {
        rsp_fail(reply, &err);
        return;
    }
    r->ends = true;
    ebb_buf_adds(reply, "OK");
}

void rsp_do_kill(rsp *r, const char *args, size_t n, ebb_buf *reply)
{
    (void)args, (void)n;
    if (ses_get_state(r->session) == SES_STOPPED && ses_kill(r->session, NULL) != EBB_OK)
        return;
    r->ends = true;
    ebb_buf_adds(reply, "OK");
}
