/* symbols_live.c - a small ptrace debugger, so that the symbol reader is tested without the machine. */
#include "unit.h"
#include "symbols_live.h"
#include "base/text.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

const char *live_path(const char *fixture)
{
    static char path[4096];
    const char *folder = getenv("SYMBOLS_FIXTURES");
    assert_non_null(folder);
    snprintf(path, sizeof path, "%s/%s", folder, fixture);
    return path;
}

/* ---- variants --------------------------------------------------------------------------------- */

const char *live_fixture;
bool live_is_optimised;

int live_run_variants(const char *program, bool split, const struct CMUnitTest *tests, size_t n)
{
    static const char *const variants[] = {"O0", "O2", "O2_dwarf4", "O0_nopie", "O0_split", "O2_split", "O2_split_dwarf4"};
    int failures = 0;
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        char fixture[128];
        if (strstr(variants[i], "split") && !split)
            continue;
        snprintf(fixture, sizeof fixture, "symbols_%s_%s", program, variants[i]);
        live_fixture = fixture;
        live_is_optimised = strstr(fixture, "O2") != NULL;
        failures += _cmocka_run_group_tests(fixture, tests, n, NULL, NULL);
    }
    return failures;
}

/* ---- reading the process ---------------------------------------------------------------------- */

static ebb_status read_bytes(void *self, uint64_t addr, void *bytes, size_t n, ebb_error *err)
{
    live *l = self;
    struct iovec ours = {bytes, n}, theirs = {(void *)(uintptr_t)addr, n};
    if (process_vm_readv(l->pid, &ours, 1, &theirs, 1, 0) != (ssize_t)n)
        return ebb_fail(err, EBB_NO_MEMORY_AT, "no memory");
    return EBB_OK;
}

static ebb_status no_reg(void *self, int dwarf, void *bytes, size_t n, ebb_error *err)
{
    return ebb_fail(err, EBB_UNAVAILABLE, "no register %d", dwarf);
}

/* The program's own block is the first below the thread pointer. */
static ebb_status tls_block(void *self, sym_module *module, uint64_t *block, ebb_error *err)
{
    live *l = self;
    struct user_regs_struct regs;
    assert_ptr_equal(module, l->program);
    assert_int_equal(ptrace(PTRACE_GETREGS, l->pid, NULL, &regs), 0);
    *block = regs.fs_base - 4; /* per_thread is the only variable there */
    return EBB_OK;
}

static void read_registers(live *l)
{
    struct user_regs_struct r;
    assert_int_equal(ptrace(PTRACE_GETREGS, l->pid, NULL, &r), 0);
    const uint64_t values[SYM_N_REGS] = {r.rax, r.rdx, r.rcx, r.rbx, r.rsi, r.rdi,
                                         r.rbp, r.rsp, r.r8,  r.r9,  r.r10, r.r11,
                                         r.r12, r.r13, r.r14, r.r15, r.rip};
    l->frame = (sym_frame){.pc_is_exact = true};
    for (int i = 0; i < SYM_N_REGS; i++)
        l->frame.regs[i] = (sym_reg){.kind = SYM_REG_LIVE, .value = values[i]};
}

/* ---- modules ---------------------------------------------------------------------------------- */

static bool is_known(live *l, const char *path)
{
    for (size_t i = 0; i < sym_table_n_modules(l->table); i++)
        if (strcmp(sym_module_path(sym_table_module(l->table, i)), path) == 0)
            return true;
    return false;
}

static void add_vdso(live *l, uint64_t lo, uint64_t hi)
{
    char *image = ebb_alloc(hi - lo);
    assert_int_equal(read_bytes(l, lo, image, hi - lo, NULL), EBB_OK);
    sym_image vdso = {.name = "[vdso]", .bytes = image, .nbytes = hi - lo};
    assert_int_equal(sym_table_add_image(l->table, &vdso, lo, NULL, NULL), EBB_OK);
    free(image);
}

/* The first mapping of a file is that of its headers, so it tells the bias. */
static void read_modules(live *l, const char *program)
{
    char maps[64], line[4096];
    snprintf(maps, sizeof maps, "/proc/%d/maps", l->pid);
    FILE *f = fopen(maps, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        uint64_t lo, hi, offset;
        char path[4096] = "";
        if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %4095s", &lo, &hi, &offset, path) < 3 ||
            is_known(l, path))
            continue;
        if (strcmp(path, "[vdso]") == 0)
            add_vdso(l, lo, hi);
        sym_module *module = NULL;
        if (path[0] != '/' || offset != 0 ||
            sym_table_add(l->table, path, 0, &module, NULL) != EBB_OK)
            continue;
        uint64_t first, end;
        sym_module_span(module, &first, &end);
        sym_module_rebase(module, lo - (first & ~(uint64_t)0xfff));
        if (strcmp(ebb_path_base(path), ebb_path_base(program)) == 0)
            l->program = module;
    }
    fclose(f);
    assert_non_null(l->program);
}

/* ---- running ---------------------------------------------------------------------------------- */

static void run_to_trap(live *l)
{
    int status, signal_number = 0;
    do {
        assert_int_equal(ptrace(PTRACE_CONT, l->pid, NULL, signal_number), 0);
        assert_int_equal(waitpid(l->pid, &status, 0), l->pid);
        assert_true(WIFSTOPPED(status));
        signal_number = WSTOPSIG(status);
    } while (signal_number != SIGTRAP);
    read_registers(l);
}

void live_continue(live *l)
{
    run_to_trap(l);
}

bool live_step(live *l)
{
    int status;
    uint8_t next = 0;
    assert_int_equal(ptrace(PTRACE_SINGLESTEP, l->pid, NULL, 0), 0);
    assert_int_equal(waitpid(l->pid, &status, 0), l->pid);
    assert_true(WIFSTOPPED(status));
    read_registers(l);
    read_bytes(l, l->frame.regs[SYM_REG_RIP].value, &next, 1, NULL);
    return next != 0xcc;
}

void live_start(live *l, const char *fixture, int stop)
{
    const char *path = live_path(fixture);
    int status;
    *l = (live){.target = {l, read_bytes, no_reg, tls_block}};
    l->pid = fork();
    if (l->pid == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        execl(path, path, (char *)NULL);
        _exit(127);
    }
    assert_true(l->pid > 0);
    assert_int_equal(waitpid(l->pid, &status, 0), l->pid);
    assert_true(WIFSTOPPED(status));
    ptrace(PTRACE_SETOPTIONS, l->pid, NULL, PTRACE_O_EXITKILL);
    while (stop-- > 0)
        run_to_trap(l);
    l->table = sym_table_new();
    read_modules(l, path);
}

void live_finish(live *l)
{
    int status;
    kill(l->pid, SIGKILL);
    waitpid(l->pid, &status, 0);
    sym_table_free(l->table);
}

/* ---- frames ----------------------------------------------------------------------------------- */

static uint64_t lookup_pc(const sym_frame *frame)
{
    return frame->regs[SYM_REG_RIP].value - (frame->pc_is_exact ? 0 : 1);
}

static void name_frame(live *l, const sym_frame *frame, ebb_buf *text)
{
    const sym_function *functions[16];
    uint64_t pc = lookup_pc(frame);
    size_t n = frame->is_signal_frame ? 0 : sym_functions_at(l->table, pc, functions, 16);
    const char *symbol = sym_symbol_at(l->table, pc, NULL);
    for (size_t i = 0; i < n; i++)
        ebb_buf_addf(text, i + 1 < n ? " (%s)" : " %s", sym_function_get_info(functions[i])->name);
    if (n == 0)
        ebb_buf_addf(text, " %s", frame->is_signal_frame ? "<signal>" : symbol ? symbol : "??");
}

char *live_backtrace(live *l, sym_frame *frames, size_t max, size_t *n)
{
    ebb_buf text = {0};
    sym_frame frame = l->frame, caller;
    for (size_t i = 0; i < 64; i++) {
        name_frame(l, &frame, &text);
        ebb_error err;
        ebb_status status = sym_unwind(l->table, &l->target, &frame, &caller, &err);
        if (frames && i < max)
            frames[ *n = i, i] = frame;
        if (status != EBB_OK) {
            ebb_buf_addf(&text, " [%s]", err.text);
            break;
        }
        frame = caller;
    }
    char *result = ebb_strdup(ebb_buf_text(&text) + 1);
    ebb_buf_fini(&text);
    return result;
}

/* ---- variables -------------------------------------------------------------------------------- */

const sym_variable *live_variable(live *l, sym_frame *frame, const char *name)
{
    const sym_function *functions[16];
    uint64_t pc = lookup_pc(frame);
    size_t n = sym_functions_at(l->table, pc, functions, 16);
    const sym_variable *found = NULL;
    for (size_t f = 0; f < n && !found; f++)
        found = sym_block_find(sym_block_at(functions[f], pc), name);
    return found ? found : sym_variable_find(l->table, NULL, name, pc);
}

sym_location live_location(live *l, sym_frame *frame, const char *name)
{
    sym_location location = {0};
    ebb_error err = {0};
    const sym_variable *variable = live_variable(l, frame, name);
    if (!variable)
        fail_msg("no variable %s", name);
    if (sym_variable_locate(variable, &l->target, frame, &location, &err) != EBB_OK)
        fail_msg("%s: %s", name, err.text);
    assert_true(location.n_pieces >= 1);
    return location;
}

long live_value(live *l, sym_frame *frame, const char *name)
{
    sym_location location = live_location(l, frame, name);
    const sym_piece *piece = &location.pieces[0];
    sym_type *type = sym_type_strip(sym_variable_get_info(live_variable(l, frame, name))->type);
    uint64_t value = 0;
    size_t n = type->nbytes;
    assert_true(n > 0 && n <= 8);
    assert_int_equal(location.n_pieces, 1);
    switch (piece->kind) {
    case SYM_PIECE_MEMORY:
        assert_int_equal(read_bytes(l, piece->addr, &value, n, NULL), EBB_OK);
        break;
    case SYM_PIECE_REGISTER:
        assert_in_range(piece->reg, 0, SYM_N_REGS - 1);
        assert_int_not_equal(frame->regs[piece->reg].kind, SYM_REG_UNKNOWN);
        memcpy(&value, &frame->regs[piece->reg].value, n);
        break;
    case SYM_PIECE_VALUE: memcpy(&value, piece->bytes, n); break;
    default: fail_msg("%s is optimised out", name);
    }
    unsigned unused_bits = 64 - 8 * (unsigned)n;
    return type->is_signed ? (long)(value << unused_bits) >> unused_bits : (long)value;
}
