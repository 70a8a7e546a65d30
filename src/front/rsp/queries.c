/* queries.c - points, threads, what is supported, `monitor`. */
#include "front/rsp/rsp.h"

#include "expr/expr.h"
#include "front/rsp/agent.h"
#include "session/breakpoints.h"
#include "session/data.h"
#include "session/frames.h"
#include "session/time.h"

#include <string.h>

/* ---- points -------------------------------------------------------------------------------------- */

static void point_fini(rsp_point *point)
{
    for (size_t i = 0; i < point->conditions.n; i++)
        ebb_buf_fini(&point->conditions.items[i]);
    ebb_vec_fini(&point->conditions);
}

/* ";XLENGTH,BYTESXLENGTH,BYTES..." */
static bool take_conditions(const char *args, const char *end, rsp_point *point)
{
    args += *args == ';';
    while (args < end && *args == 'X') {
        uint64_t n;
        ebb_buf code = {0};
        args++;
        if (!rsp_take_number(&args, &n) || *args != ',' || n > (uint64_t)(end - args - 1) / 2 || !rsp_take_hex(args + 1, 2 * (size_t)n, &code)) {
            ebb_buf_fini(&code);
            return false;
        }
        ebb_vec_push(&point->conditions, code);
        args += 1 + 2 * n;
    }
    return true;
}

static bool take_point(const char *args, const char *end, rsp_point *point)
{
    *point = (rsp_point){.kind = *args};
    if (*args < '0' || *args > '4' || args[1] != ',')
        return false;
    args += 2;
    return rsp_take_span(&args, &point->addr, &point->nbytes) && take_conditions(args, end, point);
}

/* ---- conditions ---------------------------------------------------------------------------------- */

static bool read_for_agent(void *self, uint64_t addr, void *bytes, size_t nbytes)
{
    const expr_world *world = ses_world(((rsp *)self)->session);
    return world->read(world->self, addr, bytes, nbytes, NULL) == EBB_OK;
}

static bool register_for_agent(void *self, unsigned number, uint64_t *value)
{
    rsp *r = self;
    ebb_buf bytes = {0};
    bool found = number < rsp_n_registers(r) && rsp_register_read(r, ses_thread_selected(r->session), number, &bytes) && bytes.n <= sizeof *value;
    *value = 0;
    if (found)
        memcpy(value, bytes.data, bytes.n);
    ebb_buf_fini(&bytes);
    return found;
}

/* AE2: what can't be evaluated counts. */
static bool point_holds(rsp *r, const rsp_point *point)
{
    agent_world world = {r, read_for_agent, register_for_agent};
    bool holds = point->conditions.n == 0;
    for (size_t i = 0; i < point->conditions.n && !holds; i++) {
        const ebb_buf *code = &point->conditions.items[i];
        uint64_t value;
        holds = !agent_evaluate(&world, (const uint8_t *)ebb_buf_text(code), code->n, &value) || value != 0;
    }
    return holds;
}

bool rsp_stop_counts(rsp *r, const ses_stop *stop)
{
    bool any = false;
    for (size_t k = 0; k < stop->n_breakpoints; k++) {
        for (size_t i = 0; i < r->points.n; i++) {
            if (r->points.items[i].number != stop->breakpoints[k])
                continue;
            any = true;
            if (point_holds(r, &r->points.items[i]))
                return true;
        }
    }
    return stop->kind != SES_STOP_BREAKPOINT || !any;
}

static ebb_status set_point(rsp *r, rsp_point *point, ebb_error *err)
{
    static const ses_bp_kind kinds[] = {SES_BP_BREAK, SES_BP_BREAK, SES_BP_WATCH, SES_BP_RWATCH, SES_BP_AWATCH};
    char text[80];
    unsigned long long addr = point->addr;
    if (point->kind <= '1') {
        snprintf(text, sizeof text, "*0x%llx", addr);
        return ses_break(r->session, &(ses_break_request){.where = text}, &point->number, err);
    }
    snprintf(text, sizeof text, "*(unsigned char (*)[%llu]) 0x%llx", (unsigned long long)point->nbytes, addr);
    return ses_watch(r->session, &(ses_watch_request){.kind = kinds[point->kind - '0'], .expression = text}, &point->number, err);
}

static size_t index_of(const rsp *r, const rsp_point *point)
{
    for (size_t i = 0; i < r->points.n; i++) {
        const rsp_point *p = &r->points.items[i];
        if (p->kind == point->kind && p->addr == point->addr && p->nbytes == point->nbytes)
            return i;
    }
    return r->points.n;
}

void rsp_do_set_point(rsp *r, const char *args, size_t n, ebb_buf *reply)
{
    rsp_point point;
    ebb_error err;
    size_t i;
    if (r->means_child) {
        ebb_buf_adds(reply, "OK"); /* it has none of ours in it */
        return;
    }
    if (!take_point(args, args + n, &point)) {
        ebb_buf_adds(reply, "E01");
        point_fini(&point);
    } else if ((i = index_of(r, &point)) < r->points.n) {
        point.number = r->points.items[i].number; /* again, with other conditions */
        point_fini(&r->points.items[i]);
        r->points.items[i] = point;
        ebb_buf_adds(reply, "OK");
    } else if (set_point(r, &point, &err) != EBB_OK) {
        rsp_fail(reply, &err);
        point_fini(&point);
    } else {
        ebb_vec_push(&r->points, point);
        ebb_buf_adds(reply, "OK");
    }
}

static ebb_status delete_if_there(rsp *r, int number, ebb_error *err)
{
    return ses_bp_get(r->session, number) ? ses_bp_delete(r->session, number, err) : EBB_OK;
}

void rsp_do_clear_point(rsp *r, const char *args, size_t n, ebb_buf *reply)
{
    rsp_point point;
    ebb_error err;
    size_t i = take_point(args, args + n, &point) && !r->means_child ? index_of(r, &point) : r->points.n;
    point_fini(&point);
    if (i < r->points.n) {
        int number = r->points.items[i].number;
        point_fini(&r->points.items[i]);
        ebb_vec_remove(&r->points, i);
        if (delete_if_there(r, number, &err) != EBB_OK) {
            rsp_fail(reply, &err);
            return;
        }
    }
    ebb_buf_adds(reply, "OK");
}

/* "1;SYSCALL;SYSCALL...": these, or all if none is named; "0": none. */
void rsp_do_catch_syscalls(rsp *r, const char *args, size_t n, ebb_buf *reply)
{
    (void)n;
    ebb_error err = {0};
    ebb_buf what = {0};
    uint64_t number;
    bool wants = *args++ == '1';
    ebb_buf_adds(&what, "syscall");
    while (*args == ';' && (args++, rsp_take_number(&args, &number)))
        ebb_buf_addf(&what, " %llu", (unsigned long long)number);
    ebb_status status = delete_if_there(r, r->syscalls, &err);
    r->syscalls = 0;
    if (status == EBB_OK && wants)
        status = ses_catch(r->session, ebb_buf_text(&what), false, &r->syscalls, &err);
    ebb_buf_fini(&what);
    if (status != EBB_OK)
        rsp_fail(reply, &err);
    else
        ebb_buf_adds(reply, "OK");
}

static void forget_catchpoint(rsp *r, int *number)
{
    ebb_error err;
    if (delete_if_there(r, *number, &err) != EBB_OK)
        fprintf(stderr, "ebb: %s\n", err.text);
    *number = 0;
}

void rsp_points_forget(rsp *r)
{
    ebb_error err;
    for (size_t i = 0; i < r->points.n; i++) {
        if (delete_if_there(r, r->points.items[i].number, &err) != EBB_OK)
            fprintf(stderr, "ebb: %s\n", err.text);
        point_fini(&r->points.items[i]);
    }
    ebb_vec_fini(&r->points);
}

void rsp_points_clear(rsp *r)
{
    rsp_points_forget(r);
    forget_catchpoint(r, &r->syscalls);
    for (size_t i = 0; i < sizeof r->births / sizeof *r->births; i++)
        forget_catchpoint(r, &r->births[i]);
}

/* ---- threads ------------------------------------------------------------------------------------- */

void rsp_do_select(rsp *r, const char *args, size_t n, ebb_buf *reply)
{
    rsp_name name = {0};
    const char *digits = args + 1;
    bool is_general = n > 1 && args[0] == 'g' && rsp_take_name(&digits, &name);
    bool is_child = r->child && name.process == (uint64_t)r->child;
    bool is_known = is_child || !name.thread || ses_thread_number(r->session, (machine_tid)name.thread);
    if (is_general)
        r->means_child = is_child;
    if (is_general && is_known && !is_child)
        r->general = (machine_tid)name.thread;
    ebb_buf_adds(reply, is_known ? "OK" : "E01");
}

void rsp_do_is_alive(rsp *r, const char *args, size_t n, ebb_buf *reply)
{
    (void)n;
    rsp_name name;
    ebb_buf_adds(reply, rsp_take_name(&args, &name) && ses_thread_number(r->session, (machine_tid)name.thread) ? "OK" : "E01");
}

void rsp_do_threads(rsp *r, const char *args, size_t n, ebb_buf *reply)
{
    (void)args, (void)n;
    ses_threads threads = {0};
    if (ses_get_state(r->session) == SES_STOPPED)
        ses_thread_list(r->session, &threads);
    for (size_t i = 0; i < threads.n; i++) {
        ebb_buf_addc(reply, i ? ',' : 'm');
        rsp_add_thread(r, threads.items[i].tid, reply);
    }
    if (threads.n == 0)
        ebb_buf_addc(reply, 'l');
    ebb_vec_fini(&threads);
}

void rsp_do_no_more_threads(rsp *r, const char *args, size_t n, ebb_buf *reply)
{
    (void)r, (void)args, (void)n;
    ebb_buf_addc(reply, 'l');
}

void rsp_do_thread_names(rsp *r, const char *args, size_t n, ebb_buf *reply)
{
    (void)n;
    ebb_buf xml = {0};
    ses_threads threads = {0};
    if (ses_get_state(r->session) == SES_STOPPED)
        ses_thread_list(r->session, &threads);
    ebb_buf_adds(&xml, "<threads>");
    for (size_t i = 0; i < threads.n; i++) {
        ebb_buf_adds(&xml, "<thread id=\"");
        rsp_add_thread(r, threads.items[i].tid, &xml);
        ebb_buf_adds(&xml, "\" name=\"");
        rsp_add_escaped(&xml, threads.items[i].name ? threads.items[i].name : "");
        ebb_buf_adds(&xml, "\"/>");
    }
    ebb_buf_adds(&xml, "</threads>");
    rsp_add_part(args, &xml, reply);
    ebb_buf_fini(&xml);
    ebb_vec_fini(&threads);
}

void rsp_do_thread_words(rsp *r, const char *args, size_t n, ebb_buf *reply)
{
    (void)n;
    rsp_name name;
    ses_threads threads = {0};
    bool is_number = rsp_take_name(&args, &name);
    ses_thread_list(r->session, &threads);
    for (size_t i = 0; is_number && i < threads.n; i++)
        if (threads.items[i].tid == (machine_tid)name.thread && threads.items[i].name)
            rsp_add_hex(reply, threads.items[i].name, strlen(threads.items[i].name));
    ebb_vec_fini(&threads);
}

void rsp_do_current(rsp *r, const char *args, size_t n, ebb_buf *reply)
{
    (void)args;
    if (n)
        return;
    ebb_buf_adds(reply, "QC");
    rsp_add_thread(r, rsp_thread(r), reply);
}

void rsp_do_attached(rsp *r, const char *args, size_t n, ebb_buf *reply)
{
    (void)args, (void)n;
    ebb_buf_addc(reply, ses_was_attached(r->session) ? '1' : '0');
}

/* ---- the rest ------------------------------------------------------------------------------------ */

static bool is_offered(const char *args, const char *feature)
{
    const char *at = strstr(args, feature);
    return at && at > args && (at[-1] == ';' || at[-1] == ':') && at[strlen(feature)] == '+';
}

/* "fork-events+" and the like: gdb hears of each from now on. */
static void want_births(rsp *r, const char *args, ebb_buf *reply)
{
    static const char *const words[] = {"fork", "vfork", "exec"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char feature[20];
        snprintf(feature, sizeof feature, "%s-events", words[i]);
        if (!r->names_processes || !is_offered(args, feature))
            continue;
        if (!r->births[i] && ses_catch(r->session, words[i], false, &r->births[i], NULL) != EBB_OK)
            continue;
        ses_bp_imply(r->session, r->births[i]);
        ebb_buf_addf(reply, ";%s+", feature);
    }
}

void rsp_do_supported(rsp *r, const char *args, size_t n, ebb_buf *reply)
{
    (void)n;
    ses_history_info info;
    bool goes_back = ses_history_info_get(r->session, &info, NULL) == EBB_OK && info.is_kept;
    ebb_buf_addf(reply, "PacketSize=%x;QStartNoAckMode+;qXfer:features:read+;qXfer:auxv:read+;qXfer:libraries-svr4:read+;qXfer:exec-file:read+;"
                        "qXfer:siginfo:read+;qXfer:threads:read+;vContSupported+;swbreak+;hwbreak+;ConditionalBreakpoints+",
                 RSP_MAX_PACKET);
    r->names_processes = is_offered(args, "multiprocess");
    if (r->names_processes)
        ebb_buf_adds(reply, ";multiprocess+");
    ebb_buf_adds(reply, ";QCatchSyscalls+");
    want_births(r, args, reply);
    if (goes_back)
        ebb_buf_adds(reply, ";ReverseStep+;ReverseContinue+");
}

/* What it says is what gdb shows; a move makes gdb's picture old until it looks again. */
void rsp_do_monitor(rsp *r, const char *args, size_t n, ebb_buf *reply)
{
    ebb_buf line = {0}, said = {0};
    ebb_error err;
    if (!rsp_take_hex(args, n, &line)) {
        ebb_buf_adds(reply, "E01");
        ebb_buf_fini(&line);
        return;
    }
    r->said = &said;
    ebb_status status = cli_execute_text(&r->cli, NULL, ebb_buf_text(&line), &err);
    r->said = NULL;
    if (status != EBB_OK)
        ebb_buf_addf(&said, "%s\n", err.text);
    if (ses_get_state(r->session) == SES_STOPPED)
        r->last.thread = ses_thread_selected(r->session);
    if (said.n)
        rsp_add_hex(reply, said.data, said.n);
    else
        ebb_buf_adds(reply, "OK");
    ebb_buf_fini(&line);
    ebb_buf_fini(&said);
}
