/* undo.c - what is put into the undo log of a copy that replays, and the way back. */
#include "x86/inside/undo.h"
#include "x86/inside/own.h"
#include "x86/inside/runtime.h"
#include "x86/inside/touch.h"

/* ---- keeping ---------------------------------------------------------------------------------- */

/* As many of so few bytes as can be read: straight into the ring, since programs that write all over their memory come here all the time. */
static size_t keep_piece(ebb_undo_ring *ring, uint64_t address, size_t nbytes)
{
    ebb_undo_claim room;
    uint64_t before = ebb_undo_ring_position(ring);
    if (!nbytes || !ebb_undo_claim_room(ring, x86_undo_where(X86_SAVED_BYTES, address), nbytes, &room))
        return 0;
    size_t got = x86_inside_copy(room.at, address, nbytes);
    if (got < nbytes) {
        ebb_undo_ring_go_to(ring, before);
        return keep_piece(ring, address, got);
    }
    if (room.filling)
        *room.filling = room.fills;
    room.at[room.n - 1] = room.last;
    return got;
}

/* What is not there can't be overwritten: whoever tries will fault. */
static void keep_all(x86_undo *u, uint64_t address, uint64_t nbytes)
{
    enum { PIECE = 8 * X86_UNDO_PIECE_WORDS };
    for (uint64_t done = 0; done < nbytes; done += PIECE) {
        size_t wanted = nbytes - done < PIECE ? nbytes - done : PIECE;
        if (keep_piece(&u->ring, address + done, wanted) < wanted)
            return;
    }
}

void x86_undo_cut(x86_tcb *tcb)
{
    x86_runtime *runtime = (x86_runtime *)tcb->runtime;
    x86_turn *turn = &runtime->turn;
    uint64_t soon = x86_count_get(tcb) + 1;
    runtime->undo.n_cuts++;
    if (!runtime->options.undoing || turn->limit <= soon)
        return;
    turn->limit = soon;
    x86_turn_set_event(turn, tcb, turn->event);
}

void x86_undo_keep(x86_tcb *tcb, uint64_t address, uint64_t nbytes)
{
    x86_runtime *runtime = (x86_runtime *)tcb->runtime;
    x86_undo *u = &runtime->undo;
    if (!runtime->options.undoing || !x86_undo_can_name(address))
        return;
    if (nbytes > ebb_undo_ring_nbytes(&u->ring) / 4)
        x86_undo_cut(tcb);
    else
        keep_all(u, address, nbytes);
}

/* ---- lines ------------------------------------------------------------------------------------ */

enum { N_PLACES = 1 << X86_UNDO_PLACE_BITS };

static uint32_t *place_of(const x86_runtime *runtime, uint64_t line)
{
    return &runtime->cache.undo_lines[line % N_PLACES];
}

/* What the place of a line says if that line is kept (UE2). */
static uint32_t mark_of(uint64_t line)
{
    return ~(uint32_t)(line >> X86_UNDO_PLACE_BITS);
}

static bool is_marked(const x86_runtime *runtime, uint64_t line)
{
    return *place_of(runtime, line) == mark_of(line);
}

static void mark(x86_runtime *runtime, uint64_t line)
{
    x86_undo_marks *marks = &runtime->undo_marks;
    *place_of(runtime, line) = mark_of(line);
    if (marks->n < X86_MAX_MARKS)
        marks->places[marks->n] = (uint16_t)(line % N_PLACES);
    marks->n += marks->n <= X86_MAX_MARKS;
}

void x86_undo_begin(x86_runtime *runtime)
{
    x86_undo_marks *marks = &runtime->undo_marks;
    if (marks->n > X86_MAX_MARKS)
        __builtin_memset(runtime->cache.undo_lines, 0, X86_UNDO_LINES_BYTES);
    for (uint64_t i = 0; i < marks->n && marks->n <= X86_MAX_MARKS; i++)
        runtime->cache.undo_lines[marks->places[i]] = 0;
    marks->n = marks->page = 0;
    runtime->undo.begins = 0;
}

static bool is_guests(x86_undo_marks *marks, uint64_t address)
{
    enum { PAGE = 4096 };
    uint64_t page = address / PAGE;
    if (page == marks->page)
        return true;
    if (x86_own_hit(page * PAGE, (page + 1) * PAGE))
        return false;
    marks->page = page;
    return true;
}

static void keep_line(x86_runtime *runtime, uint64_t line)
{
    uint64_t address = line << X86_UNDO_LINE_BITS;
    if (x86_is_canonical(address) && x86_undo_can_name(address) && is_guests(&runtime->undo_marks, address))
        keep_all(&runtime->undo, address, X86_UNDO_LINE_BYTES);
}

/* UE2; a neighbour's mark may say it of a half already. */
static void keep_lines_at(x86_runtime *runtime, uint64_t line)
{
    if (is_marked(runtime, line))
        return;
    if (!is_marked(runtime, line - 1))
        keep_line(runtime, line);
    if (!is_marked(runtime, line + 1))
        keep_line(runtime, line + 1);
    mark(runtime, line);
}

/* What is long is not asked for line by line. */
static void keep_store(x86_tcb *tcb, uint64_t address, uint64_t nbytes)
{
    enum { LONG = 1 << 16 };
    if (nbytes > LONG || address + nbytes < address) {
        x86_undo_keep(tcb, address, nbytes);
        return;
    }
    for (uint64_t line = address >> X86_UNDO_LINE_BITS; nbytes && line <= (address + nbytes - 1) >> X86_UNDO_LINE_BITS; line++)
        keep_lines_at((x86_runtime *)tcb->runtime, line);
}

/* ---- what stores ask for ---------------------------------------------------------------------- */

/* How many bytes each repetition of movs or stos writes, with a repeat prefix and plain operands; 0: it is another instruction. */
static unsigned string_nbytes(const uint8_t *code, size_t n)
{
    enum { REPEATS = 0xf3, SHORT = 0x66, REX = 0x40, WIDE = 8, MOVS = 0xa4, STOS = 0xaa };
    bool repeats = false, is_short = false, is_wide = false;
    for (; n && (*code == REPEATS || *code == SHORT); code++, n--) {
        repeats |= *code == REPEATS;
        is_short |= *code == SHORT;
    }
    if (n && (*code & 0xf0) == REX) {
        is_wide = *code & WIDE;
        code++, n--;
    }
    if (!n || !repeats || ((*code & 0xfe) != MOVS && (*code & 0xfe) != STOS))
        return 0;
    return !(*code & 1) ? 1 : is_wide ? 8 : is_short ? 2 : 4;
}

/* Most of those that come here are such, and can do without the decoder. */
static bool keep_string(x86_tcb *tcb)
{
    enum { DIRECTION = 0x400, FEW = 4 };
    bool writable;
    uint8_t code[FEW];
    size_t n = x86_code_read(&((x86_runtime *)tcb->runtime)->code, code, tcb->target, sizeof code, &writable);
    uint64_t nbytes = string_nbytes(code, n), count = tcb->regs[X86_RCX];
    if (!nbytes || (tcb->rflags & DIRECTION) || count > UINT32_MAX)
        return false;
    keep_store(tcb, tcb->regs[X86_RDI], count * nbytes);
    return true;
}

static void keep_ahead(x86_tcb *tcb)
{
    x86_touch touches[X86_MAX_TOUCHES];
    size_t n = x86_touches_ahead(tcb, touches);
    for (size_t i = 0; i < n; i++)
        if (touches[i].writes)
            keep_store(tcb, touches[i].addr, touches[i].nbytes);
}

/* As x86_note_here.  If it was a cut, the next tick is looked at (TU8). */
uint64_t x86_undo_before(x86_tcb *tcb)
{
    const x86_turn *turn = &((x86_runtime *)tcb->runtime)->turn;
    bool was_timed = x86_turn_is_timed(turn);
    if (tcb->watch_nbytes == X86_UNDO_LINE)
        keep_store(tcb, tcb->undo_address, 1);
    else if (!keep_string(tcb))
        keep_ahead(tcb);
    if (!tcb->stop_wanted && x86_turn_is_timed(turn) == was_timed)
        return tcb->watch_address;
    tcb->skip_at = tcb->target;
    tcb->link = 0;
    return x86_dispatch(tcb);
}

/* ---- going back ------------------------------------------------------------------------------- */

/* What is the same is not written: a store that failed has changed nothing, and its page may not be writable (UE1). */
static void put_back(const ebb_undo_record *r)
{
    enum { WORD = 8 };
    char *there = r->address;
    for (uint64_t i = 0; i < r->what; i += WORD) {
        size_t n = r->what - i < WORD ? r->what - i : WORD;
        if (__builtin_memcmp(there + i, r->bytes + i, n) != 0)
            __builtin_memcpy(there + i, r->bytes + i, n);
    }
}

uint64_t x86_undo_back(x86_runtime *runtime, uint64_t position)
{
    ebb_undo_ring *ring = &runtime->undo.ring;
    ebb_undo_walk walk = {.ring = ring, .at = ebb_undo_ring_position(ring), .until = position};
    for (ebb_undo_record r; ebb_undo_walk_back(&walk, &r);)
        if (r.kind == X86_SAVED_BYTES)
            put_back(&r);
        else
            x86_undo_map_back(runtime, &r);
    ebb_undo_ring_go_to(ring, position);
    x86_undo_begin(runtime);
    return 0;
}
