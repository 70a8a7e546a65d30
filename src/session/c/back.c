/* back.c - what stepping back asks of C (language.h): activations by unwinding, calls by decoding, lines by DWARF.
 *
 * They say the same of a moment as the stepper that goes forward (step.h), since a step back has to stop where that one did:
 *   - a line begins where a row does that is a statement, or the body of an inlined call, but not in the prologue: a step into a
 *     function stops after it;
 *     (Where an optimiser has scattered an inlined body, a step forward may also stop in the middle of it: a step back does not);
 *   - code without lines is passed as a whole, with all that it calls;
 *   - the handler of a signal is passed, too.  The kernel's frame between it and the code that was interrupted is no
 *     activation: the handler counts as called by what it interrupted, before the instruction that goes on afterwards. */
#include "session/c/c.h"
#include "session/c/plt.h"
#include "session/c/step.h"
#include "session/c/unwind.h"
#include "session/settings_impl.h"

enum { MAX_FUNCTIONS = 64 };

static size_t functions_at(session *s, machine_place place, const sym_function **functions)
{
    size_t n = sym_functions_at(s->symbols, place, functions, MAX_FUNCTIONS);
    return n < MAX_FUNCTIONS ? n : MAX_FUNCTIONS;
}

/* ---- calls -------------------------------------------------------------------------------------- */

/* Instructions can't be decoded backward, but rows of lines, functions, and rules of unwinding, which a stripped program has too,
 * begin at one.  Each may be missing or lead astray (data among code): then the next is tried, and last none. */
enum { N_STARTS = 3 };

static machine_place known_start(session *s, machine_place place, unsigned i)
{
    sym_line line;
    switch (i) {
    case 0: return sym_line_at(s->symbols, place, &line) ? line.lo : 0;
    case 1: return ses_function_entry_at(s, place);
    default: return sym_unwind_rules_begin(s->symbols, place);
    }
}

static machine_place call_before(session *s, machine_place back)
{
    machine *m = s->machine;
    for (unsigned i = 0; i < N_STARTS; i++) {
        machine_place start = known_start(s, back - 1, i), call = start ? m->native->call_before(m, start, back) : 0;
        if (call)
            return call;
    }
    return m->native->call_before(m, 0, back);
}

/* ---- activations -------------------------------------------------------------------------------- */

static void set_caller(ses_activation *a, ses_frame_id caller, machine_place call, machine_place back)
{
    a->has_caller = caller.cfa && call;
    a->caller = caller;
    a->call = call;
    a->back = back;
}

/* Who called the n-th physical frame, which is at that level, or was interrupted by it. */
static void find_caller(session *s, unsigned n, unsigned level, ses_activation *a)
{
    sym_frame caller;
    ses_frame_id id;
    unsigned outer;
    const ses_frame *interrupted;
    if (!ses_calling_frame(s, level, &caller, &id))
        return;
    machine_place back = caller.regs[SYM_REG_RIP].value;
    a->is_interrupt = caller.is_signal_frame;
    if (!a->is_interrupt)
        set_caller(a, id, call_before(s, back), back);
    else if (ses_physical_level(s, n + 2, &outer) && ses_frame_get(s, outer, &interrupted, NULL) == EBB_OK)
        set_caller(a, ses_physical_id(s, n + 2), interrupted->pc, interrupted->pc);
}

/* Of the n-th physical frame, which is at that level; false if it is none, or nearer than `first`. */
static bool activation_of(session *s, unsigned n, unsigned level, unsigned first, ses_activation *a)
{
    const ses_frame *frame;
    if (ses_frame_get(s, level, &frame, NULL) != EBB_OK || frame->is_signal_frame || frame->depth < first)
        return false;
    ses_frame_id id = ses_frame_id_at(s, level);
    *a = (ses_activation){
        .thread = s->thread,
        .id = ses_frame_physical_id(id),
        .inlined = id.inlined,
        .place = frame->regs.pc_is_exact ? frame->pc : call_before(s, frame->pc),
    };
    find_caller(s, n, level, a);
    return true;
}

size_t ses_c_activations(session *s, machine_tid thread, unsigned first, ses_activation *out, size_t n)
{
    machine_tid selected = s->thread;
    unsigned selected_level = s->level, level;
    size_t there = 0;
    ses_select(s, thread, 0);
    for (unsigned i = first; there < n && ses_physical_level(s, i, &level); i++)
        there += activation_of(s, i, level, first, &out[there]);
    ses_select(s, selected, selected_level);
    return there;
}

ebb_status ses_c_no_call(session *s, const ses_frame *frame, ebb_error *err)
{
    const ses_frame *outer;
    if (ses_frame_get(s, s->level + 1, &outer, NULL) != EBB_OK)
        return ebb_fail(err, EBB_BAD_INPUT, "\"reverse-finish\" not meaningful in the outermost frame.");
    return ebb_fail(err, EBB_BAD_INPUT, "The call that made the frame of %s can't be found.", frame->name ? frame->name : "this code");
}

/* ---- lines -------------------------------------------------------------------------------------- */

/* The line on which the function `inlined` inlined calls deep calls the next one; false if there is none at this place. */
static bool inlined_call(session *s, machine_place place, unsigned inlined, ses_row *row)
{
    const sym_function *functions[MAX_FUNCTIONS];
    size_t n = functions_at(s, place, functions);
    if (n < 2 || inlined > n - 2)
        return false;
    const sym_function_info *callee = sym_function_get_info(functions[n - 2 - inlined]);
    if (!callee->call_file || !callee->call_line)
        return false;
    row->file = ses_intern(s, callee->call_file);
    row->line = callee->call_line;
    return true;
}

bool ses_c_row_at(session *s, machine_place place, unsigned inlined, ses_row *row)
{
    sym_line line;
    if (!sym_line_at(s->symbols, place, &line))
        return false;
    *row = (ses_row){.lo = line.lo, .hi = line.hi};
    if (!inlined_call(s, place, inlined, row)) {
        row->file = ses_intern(s, line.file);
        row->line = line.line;
    }
    return true;
}

/* A step stops where a statement begins, and before an inlined call whether its row is one or not. */
static bool is_start(session *s, const sym_line *row)
{
    return row->is_stmt || ses_inlined_begins(s, row->lo);
}

/* Those of a range; what lies in [entry, body) is the prologue. */
static void add_starts(session *s, uint64_t lo, uint64_t hi, uint64_t entry, uint64_t body, ses_places *out)
{
    sym_line row;
    for (uint64_t at = lo; at < hi && sym_line_at(s->symbols, at, &row) && row.hi > at; at = row.hi) {
        bool in_prologue = row.lo >= entry && row.lo < body;
        if (row.lo == at && !in_prologue && is_start(s, &row))
            ebb_vec_push(out, at);
    }
}

/* Code without debug information may have lines (assembler). */
bool ses_c_symbol_range(session *s, machine_place place, uint64_t *lo, uint64_t *hi)
{
    uint64_t offset, addr, nbytes;
    bool is_function;
    const char *name = sym_symbol_at(s->symbols, place, &offset);
    *lo = place - offset;
    bool found = name && sym_symbol_address(s->symbols, name, &addr, &nbytes, &is_function) && addr == *lo;
    *hi = found ? addr + nbytes : 0;
    return found;
}

ebb_status ses_c_line_starts(session *s, machine_place place, ses_places *out, ebb_error *err)
{
    const sym_function *functions[MAX_FUNCTIONS];
    size_t n = functions_at(s, place, functions);
    uint64_t lo, hi, entry = ses_function_entry_at(s, place), body = ses_function_body(s, place);
    (void)err;
    for (size_t i = 0; n > 0 && sym_function_code(functions[n - 1], i, &lo, &hi); i++)
        add_starts(s, lo, hi, entry, body, out);
    if (n == 0 && ses_c_symbol_range(s, place, &lo, &hi))
        add_starts(s, lo, hi, entry, body, out);
    return EBB_OK;
}

/* ---- what a person steps through ---------------------------------------------------------------- */

bool ses_c_is_shown(session *s, machine_place place)
{
    sym_line line;
    return sym_line_at(s->symbols, place, &line) || ses_setting_flag(s, "step-mode");
}

machine_place ses_c_entry_stop(session *s, machine_place place)
{
    uint64_t callee = place;
    sym_line line;
    if (ses_is_plt_stub(s, place) && !ses_plt_target(s, place, &callee))
        return 0;
    if (!sym_line_at(s->symbols, callee, &line))
        return ses_setting_flag(s, "step-mode") ? place : 0;
    if (ses_c_is_skipped(s, callee))
        return 0;
    uint64_t entry = ses_function_entry_at(s, callee), body = ses_function_body(s, callee);
    return callee >= entry && callee < body ? body : callee;
}

/* `main` stands for all: whatever else of the program's own was under way at its end was called from there. */
ebb_status ses_c_own_entries(session *s, ses_places *out, ebb_error *err)
{
    uint64_t entry;
    if (sym_function_entry(s->symbols, "main", &entry, NULL))
        ebb_vec_push(out, entry);
    return EBB_OK;
}
