/* x86_regs_test.c - every register is read and written; what the program sees of it is checked in the program. */
#include "x86_test.h"

static void read_wide(machine *m, machine_tid t, const char *name, uint8_t *bytes)
{
    int i = machine_reg_by_name(m, name);
    assert_true(i >= 0);
    assert_ok(m->native->reg_read(m, t, (unsigned)i, bytes, err));
}

static void write_wide(machine *m, machine_tid t, const char *name, const uint8_t *bytes)
{
    assert_ok(m->native->reg_write(m, t, (unsigned)machine_reg_by_name(m, name), bytes, err));
}

static machine *at_add(machine_tid *t)
{
    machine *m = fixture_start("x86_basic", "plain");
    break_at(m, "add");
    *t = run_on(m, 0, 0).thread;
    return m;
}

static void the_table_is_sane(void **state)
{
    machine_tid t;
    machine *m = at_add(&t);
    size_t n;
    const machine_reg *regs = m->native->registers(m, &n);
    assert_true(n > 60);
    for (size_t i = 0; i < n; i++) {
        uint8_t bytes[MACHINE_REG_MAX_BYTES];
        assert_true(regs[i].nbytes <= sizeof bytes);
        assert_int_equal(machine_reg_by_name(m, regs[i].name), i);
        if (regs[i].dwarf >= 0)
            assert_int_equal(machine_reg_by_dwarf(m, regs[i].dwarf), i);
        assert_ok(m->native->reg_read(m, t, (unsigned)i, bytes, err));
        assert_ok(m->native->reg_write(m, t, (unsigned)i, bytes, err));
    }
    static const struct {
        const char *name;
        int dwarf;
    } numbers[] = {{"rax", 0}, {"rdx", 1}, {"rcx", 2}, {"rbx", 3}, {"rsi", 4}, {"rdi", 5}, {"rbp", 6}, {"rsp", 7}, {"r8", 8}, {"r15", 15}, {"rip", 16}, {"xmm0", 17}, {"xmm15", 32}, {"st0", 33}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        assert_int_equal(machine_reg_by_dwarf(m, numbers[i].dwarf), machine_reg_by_name(m, numbers[i].name));
    assert_exits(m, run_on(m, t, 0), 50);
}

/* What is written stays written while the program moves. */
static void vectors_are_one_register_in_pieces(void **state)
{
    machine_tid t;
    machine *m = at_add(&t);
    uint8_t pattern[64], bytes[64];
    for (size_t i = 0; i < sizeof pattern; i++)
        pattern[i] = (uint8_t)(i * 3 + 1);
    bool wide = machine_reg_by_name(m, "zmm9") >= 0, avx = machine_reg_by_name(m, "ymm9") >= 0;
    write_wide(m, t, wide ? "zmm9" : avx ? "ymm9" : "xmm9", pattern);
    for (int i = 0; i < 3; i++)
        step(m, t);
    read_wide(m, t, "xmm9", bytes);
    assert_memory_equal(bytes, pattern, 16);
    if (avx) {
        read_wide(m, t, "ymm9", bytes);
        assert_memory_equal(bytes, pattern, 32);
    }
    if (wide) {
        read_wide(m, t, "zmm9", bytes);
        assert_memory_equal(bytes, pattern, 64);
        write_wide(m, t, "zmm20", pattern);
        write_wide(m, t, "k3", pattern);
        step(m, t);
        read_wide(m, t, "zmm20", bytes);
        assert_memory_equal(bytes, pattern, 64);
        read_wide(m, t, "k3", bytes);
        assert_memory_equal(bytes, pattern, 8);
    }
    m->ops->free(m);
}

/* What gdb shows in a fresh process. */
static void control_words(void **state)
{
    machine_tid t;
    machine *m = at_add(&t);
    assert_int_equal(reg(m, t, "fctrl"), 0x37f);
    assert_int_equal(reg(m, t, "mxcsr"), 0x1f80);
    assert_int_equal(reg(m, t, "cs"), 0x33);
    assert_int_equal(reg(m, t, "ss"), 0x2b);
    assert_true(reg(m, t, "fs_base") != 0);
    assert_int_equal(reg(m, t, "eflags") & 0x100, 0);
    m->ops->free(m);
}

static void refuses_impossible_values(void **state)
{
    machine_tid t;
    machine *m = at_add(&t);
    ebb_error err;
    uint64_t before = reg(m, t, "fs_base");
    unsigned fs = (unsigned)machine_reg_by_name(m, "fs_base");
    assert_int_equal(machine_reg_set_u64(m, t, fs, UINT64_MAX, &err), EBB_SYSTEM);
    assert_int_equal(reg(m, t, "fs_base"), before);
    assert_int_equal(machine_reg_set_u64(m, 1, fs, 0, &err), EBB_NOT_FOUND);
    assert_exits(m, run_on(m, t, 0), 50);
}

/* A call of a function in the debuggee, as the session does it, out of an interrupted system call. */
static void a_call_out_of_a_system_call(void **state)
{
    machine *m = fixture_start("x86_basic", "nap");
    machine_point_id id = break_at(m, "main");
    machine_tid t = run_on(m, 0, 0).thread;
    assert_ok(m->ops->point_clear(m, id, err));
    assert_ok(m->ops->event_set(m, MACHINE_EVENT_SYSCALL, true, err));
    assert_stop(run_on(m, t, 0), "syscall-entry");
    assert_ok(m->ops->event_set(m, MACHINE_EVENT_SYSCALL, false, err));
    m->ops->interrupt(m);
    machine_stop stop = run_on(m, t, 0);
    assert_stop(stop, "interrupted");

    size_t n;
    m->native->registers(m, &n);
    static uint8_t saved[256][MACHINE_REG_MAX_BYTES];
    for (size_t i = 0; i < n; i++)
        assert_ok(m->native->reg_read(m, t, (unsigned)i, saved[i], err));
    uint64_t sp = ((reg(m, t, "rsp") - 256) & ~15ull) - 8, back = m->native->entry(m);
    assert_ok(machine_write(m, sp, &back, sizeof back, err));
    set_reg(m, t, "rsp", sp);
    set_reg(m, t, "rdi", 20);
    set_reg(m, t, "rsi", 22);
    set_reg(m, t, "rip", symbol(m, "add"));
    id = point_at(m, MACHINE_POINT_EXEC, back, 0);
    stop = run_on(m, t, 0);
    assert_stop(stop, "point");
    assert_int_equal(stop.place, back);
    assert_int_equal(reg(m, t, "rax"), 42);
    assert_ok(m->ops->point_clear(m, id, err));
    for (size_t i = 0; i < n; i++)
        assert_ok(m->native->reg_write(m, t, (unsigned)i, saved[i], err));
    assert_exits(m, run_on(m, t, 0), 0); /* the nap went on */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_table_is_sane, x86_test_setup),
        cmocka_unit_test_setup(vectors_are_one_register_in_pieces, x86_test_setup),
        cmocka_unit_test_setup(control_words, x86_test_setup),
        cmocka_unit_test_setup(refuses_impossible_values, x86_test_setup),
        cmocka_unit_test_setup(a_call_out_of_a_system_call, x86_test_setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
