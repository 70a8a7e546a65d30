/* A native execution is recorded: the recording holds what the program was told, no more and no less. */
#include "x86_test.h"

#include "base/mem.h"
#include "time/recording.h"
#include "time/recording_about.h"
#include "x86/recorded.h"
#include "x86/shared.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>

enum { PAGE = 4096, MARK = 0x1234 };

/* ---- memory as the recording has it ------------------------------------------------------------- */

typedef struct page {
    uint64_t at;
    uint8_t bytes[PAGE];
} page;

typedef struct call {
    uint64_t number;
    int64_t result;
} call;

typedef struct handler {
    struct user_regs_struct regs; /* with which it begins */
    uint64_t frame_at;
    size_t frame_nbytes;
    uint8_t *frame; /* owned */
} handler;

typedef struct read_back {
    EBB_VEC(page *) pages;
    EBB_VEC(call) calls;     /* all of them */
    EBB_VEC(uint64_t) words; /* of ASKs: how many each has depends on its kind */
    EBB_VEC(handler) handlers;
    size_t n_mappings, n_threads, n_beginnings, n_switches, n_events;
    int64_t exit_status;
    size_t n_exits;
    uint64_t last_time;
} read_back;

static page *page_of(read_back *r, uint64_t at)
{
    for (size_t i = r->pages.n; i-- > 0;)
        if (r->pages.items[i]->at == at)
            return r->pages.items[i];
    page *p = EBB_NEW(page);
    p->at = at;
    ebb_vec_push(&r->pages, p);
    return p;
}

static void put(read_back *r, uint64_t at, const uint8_t *bytes, size_t nbytes)
{
    for (size_t piece; nbytes; at += piece, bytes += piece, nbytes -= piece) {
        piece = PAGE - at % PAGE < nbytes ? PAGE - at % PAGE : nbytes;
        memcpy(page_of(r, at - at % PAGE)->bytes + at % PAGE, bytes, piece);
    }
}

static void take_ask(read_back *r, ebb_values *v)
{
    uint64_t words[5];
    for (int i = 0; i < 5; i++)
        words[i] = ebb_values_u64(v);
    if (words[0] == X86_ASK_RDTSC)
        ebb_vec_push(&r->words, words[2] << 32 | words[1]);
    for (int i = 1; words[0] == X86_ASK_CPUID && i < 5; i++)
        ebb_vec_push(&r->words, words[i]);
}

static void take_call(read_back *r, ebb_values *v)
{
    call c = {.number = ebb_values_u64(v)};
    c.result = ebb_values_i64(v);
    if (c.number == SYS_lseek && c.result == -9 && r->calls.n == 0)
        return;
    ebb_vec_push(&r->calls, c);
}

static void take_signal(read_back *r, ebb_values *v)
{
    size_t n;
    ebb_values_u64(v);
    ebb_values_u64(v);
    ebb_values_u64(v);
    const uint8_t *regs = ebb_values_bytes(v, &n);
    assert_int_equal(n, sizeof(struct user_regs_struct));
    handler h = {0};
    memcpy(&h.regs, regs, n);
    h.frame_at = ebb_values_u64(v);
    const uint8_t *frame = ebb_values_bytes(v, &h.frame_nbytes);
    h.frame = ebb_alloc(h.frame_nbytes);
    memcpy(h.frame, frame, h.frame_nbytes);
    put(r, h.frame_at, frame, h.frame_nbytes);
    assert_int_equal(h.regs.rsp, h.frame_at);
    ebb_vec_push(&r->handlers, h);
}

/* What was there before is gone. */
static void take_fresh(read_back *r, ebb_values *v)
{
    uint64_t lo = ebb_values_u64(v), hi = ebb_values_u64(v);
    (void)ebb_values_u64(v);
    for (size_t i = 0; i < r->pages.n; i++)
        if (r->pages.items[i]->at >= lo && r->pages.items[i]->at < hi)
            memset(r->pages.items[i]->bytes, 0, PAGE);
}

static void take_event(read_back *r, ebb_event *e)
{
    ebb_values *v = &e->values;
    size_t n;
    uint64_t at;
    assert_true(e->timestamp >= r->last_time);
    r->last_time = e->timestamp;
    r->n_events++;
    switch (e->kind) {
    case X86_RECORDED_MEMORY:
        at = ebb_values_u64(v);
        const uint8_t *bytes = ebb_values_bytes(v, &n);
        put(r, at, bytes, n);
        break;
    case X86_RECORDED_FRESH: take_fresh(r, v); break;
    case X86_RECORDED_DOUBT: ebb_values_u64(v); break;
    case X86_RECORDED_MODULE: ebb_values_u64(v), ebb_values_u64(v), ebb_values_bytes(v, &n); break;
    case X86_RECORDED_CALL: take_call(r, v); break;
    case X86_RECORDED_ASK: take_ask(r, v); break;
    case X86_RECORDED_SWITCH: ebb_values_u64(v), ebb_values_u64(v), r->n_switches++; break;
    case X86_RECORDED_SIGNAL: take_signal(r, v); break;
    case X86_RECORDED_BEGINNING: r->n_beginnings++; return;
    case X86_RECORDED_MAPPING: r->n_mappings++; return;
    case X86_RECORDED_THREAD: r->n_threads++; return;
    case X86_RECORDED_KEPT: /* for `branch` */
    case EBB_EVENT_FILE: return;
    case EBB_EVENT_MARK: break;
    case EBB_EVENT_EXIT: r->exit_status = ebb_values_i64(v), r->n_exits++; break;
    default: fail_msg("event of kind %u", e->kind);
    }
    assert_true(ebb_values_done(v));
}

static read_back *read_recording(const char *path)
{
    read_back *r = EBB_NEW(read_back);
    ebb_recording *in = NULL;
    ebb_event e;
    assert_ok(ebb_recording_open(path, &in, err));
    while (ebb_recording_next(in, &e, NULL) == EBB_OK)
        take_event(r, &e);
    ebb_recording_extent extent;
    ebb_recording_get_extent(in, &extent);
    assert_int_equal(extent.n_events, r->n_events);
    assert_null(extent.damage);
    ebb_recording_free(in);
    return r;
}

static void read_back_free(read_back *r)
{
    for (size_t i = 0; i < r->pages.n; i++)
        free(r->pages.items[i]);
    ebb_vec_fini(&r->pages);
    ebb_vec_fini(&r->calls);
    ebb_vec_fini(&r->words);
    for (size_t i = 0; i < r->handlers.n; i++)
        free(r->handlers.items[i].frame);
    ebb_vec_fini(&r->handlers);
    free(r);
}

/* ---- a recorded program ------------------------------------------------------------------------- */

static machine *start(const char *mode, const char *path)
{
    char program[512];
    fixture_path("x86_recorded", program, sizeof program);
    char *args[] = {program, (char *)mode, NULL};
    x86_launch launch = {.program = program, .args = args};
    machine *native = NULL;
    assert_ok(x86_native_launch(&launch, &native, err));
    machine *m = x86_vm_new(native);
    m->ops->signal_policy(m, 0, UINT64_MAX);
    assert_ok(x86_vm_record(m, path, err));
    return m;
}

static uint64_t number_at(machine *m, const char *name, size_t index)
{
    return read_number(m, symbol(m, name) + 8 * index, 8);
}

/* The calls that the program kept are the last ones that were recorded before the first call that it did not keep. */
static void compare_calls(machine *m, const read_back *r)
{
    size_t n = number_at(m, "n_calls", 0), first = r->calls.n;
    if (!n)
        return;
    for (size_t i = 0; i < r->calls.n; i++)
        if (r->calls.items[i].number == SYS_lseek && r->calls.items[i].result == -9)
            first = i + 1;
    assert_true(first < r->calls.n);
    for (size_t i = 0, k = first; i < n; i++, k++) {
        call expected = {number_at(m, "calls", 2 * i), (int64_t)number_at(m, "calls", 2 * i + 1)};
        while (k < r->calls.n && (r->calls.items[k].number == SYS_getpid || r->calls.items[k].number == SYS_setitimer) &&
               r->calls.items[k].number != expected.number)
            k++;
        if (k >= r->calls.n)
            fail_msg("call %zu of %zu (number %lu) is not in the recording", i, n, expected.number);
        if (r->calls.items[k].number != expected.number || r->calls.items[k].result != expected.result)
            fail_msg("call %zu: number %lu gave %ld, but %lu is recorded, which gave %ld", i, expected.number, expected.result,
                     r->calls.items[k].number, r->calls.items[k].result);
    }
}

static void compare_memory(machine *m, read_back *r)
{
    for (size_t i = 0, n = number_at(m, "n_things", 0); i < n; i++) {
        uint64_t at = number_at(m, "things", 2 * i), nbytes = number_at(m, "things", 2 * i + 1);
        uint8_t *there = ebb_alloc(nbytes);
        assert_ok(machine_read(m, at, there, nbytes, err));
        for (uint64_t k = 0; k < nbytes; k++)
            if (there[k] != page_of(r, (at + k) & ~(uint64_t)(PAGE - 1))->bytes[(at + k) % PAGE])
                fail_msg("thing %zu: byte %lu of %lu at 0x%lx is not as recorded", i, k, nbytes, at);
        free(there);
    }
}

static void compare_asks(machine *m, const read_back *r)
{
    size_t n = number_at(m, "n_asks", 0);
    assert_true(r->words.n >= n); /* the loader asks, too */
    for (size_t i = 0; i < n; i++)
        assert_int_equal(number_at(m, "asks", i), r->words.items[r->words.n - n + i]);
}

static read_back *run_and_compare(machine *m)
{
    break_at(m, "finished");
    assert_stop(run_on(m, 0, 0), "point");
    assert_null(x86_vm_recording_ended(m));
    read_back *r = read_recording(x86_vm_recording(m));
    assert_int_equal(r->n_beginnings, 1);
    assert_int_equal(r->n_threads, 1);
    assert_int_equal(r->last_time, m->ops->timestamp(m));
    compare_calls(m, r);
    compare_memory(m, r);
    compare_asks(m, r);
    return r;
}

static void end(machine *m, read_back *r)
{
    read_back_free(r);
    machine_stop stop = run_on(m, 0, 0);
    r = read_recording(x86_vm_recording(m));
    assert_int_equal(r->n_exits, 1);
    assert_int_equal(r->exit_status, 0);
    assert_int_equal(r->calls.items[r->calls.n - 1].number, SYS_exit_group);
    read_back_free(r);
    assert_exits(m, stop, 0);
}

static void test_mode(const char *mode)
{
    machine *m = start(mode, NULL);
    end(m, run_and_compare(m));
}

static void test_files(void **state) { test_mode("files"); }
static void test_clocks(void **state) { test_mode("clocks"); }
static void test_stepped(void **state) { test_mode("stepped"); }
static void test_pipes(void **state) { test_mode("pipes"); }
static void test_maps(void **state) { test_mode("maps"); }
static void test_children(void **state) { test_mode("children"); }

static void test_threads(void **state)
{
    machine *m = start("threads", NULL);
    read_back *r = run_and_compare(m);
    assert_true(r->n_switches > 3);
    end(m, r);
}

/* What the handler found where its third argument pointed to. */
static void compare_frame(machine *m, const handler *h, size_t i)
{
    enum { SEEN = 296, KEPT = 8 + 968 }; /* up to the mask, in x86_recorded.c's copy of a ucontext_t */
    uint8_t seen[SEEN];
    uint64_t kept = symbol(m, "frames") + i * KEPT;
    assert_int_equal(read_number(m, kept, 8), h->regs.rdx);
    assert_ok(machine_read(m, kept + 8, seen, sizeof seen, err));
    assert_true(h->regs.rdx >= h->frame_at && h->regs.rdx + SEEN <= h->frame_at + h->frame_nbytes);
    assert_memory_equal(seen, h->frame + (h->regs.rdx - h->frame_at), SEEN);
}

static void test_signals(void **state)
{
    machine *m = start("signals", NULL);
    read_back *r = run_and_compare(m);
    assert_int_equal(r->handlers.n, 4);
    for (size_t i = 0; i < r->handlers.n; i++)
        compare_frame(m, &r->handlers.items[i], i);
    end(m, r);
}

static void test_many(void **state)
{
    machine *m = start("many", NULL);
    read_back *r = run_and_compare(m);
    size_t n = 0;
    for (size_t i = 0; i < r->calls.n; i++)
        n += r->calls.items[i].number == SYS_read && r->calls.items[i].result == 1;
    assert_int_equal(n, 200000);
    end(m, r);
}

static void test_wrong(void **state) { test_mode("wrong"); }
static void test_large(void **state) { test_mode("large"); }

static void test_unknown(void **state)
{
    machine *m = start("unknown", NULL);
    read_back *r = run_and_compare(m);
    ebb_error news = {0};
    if (x86_vm_recording_news(m, &news))
        print_message("%s\n", news.text); /* a kernel before 6.7 */
    end(m, r);
}

static void assert_news(machine *m, const char *words)
{
    ebb_error news;
    assert_true(x86_vm_recording_news(m, &news));
    if (!strstr(news.text, words))
        fail_msg("\"%s\" does not say \"%s\"", news.text, words);
    assert_false(x86_vm_recording_news(m, &news)); /* once */
}

static void test_shared(void **state)
{
    machine *m = start("shared", NULL);
    read_back *r = run_and_compare(m);
    assert_news(m, "shared memory");
    end(m, r);
}

static void test_old_way(void **state)
{
    machine *m = start("old", NULL);
    break_at(m, "finished");
    assert_stop(run_on(m, 0, 0), "point");
    assert_news(m, "32-bit");
    assert_exits(m, run_on(m, 0, 0), 0);
}

/* ---- what goes wrong ---------------------------------------------------------------------------- */

static size_t count_lseeks(const read_back *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->calls.n; i++)
        n += r->calls.items[i].number == SYS_lseek;
    return n;
}

/* A directory of the test's own. */
typedef struct place {
    char directory[64], count[128], recording[128];
} place;

static place new_place(void)
{
    place p = {.directory = "/tmp/x86_record.XXXXXX"};
    assert_non_null(mkdtemp(p.directory));
    snprintf(p.count, sizeof p.count, "%s/count", p.directory);
    snprintf(p.recording, sizeof p.recording, "%s/recording", p.directory);
    setenv("X86_RECORDED_COUNT", p.count, 1);
    return p;
}

static void remove_place(const place *p)
{
    unlink(p->count);
    unlink(p->recording);
    rmdir(p->directory);
}

static uint64_t read_count(const place *p)
{
    uint64_t n = 0;
    FILE *file = fopen(p->count, "re");
    if (file && fread(&n, sizeof n, 1, file) != 1)
        n = 0;
    if (file)
        fclose(file);
    return n;
}

/* Of whole blocks in the file; 0: there is none yet. */
static size_t count_recorded(const place *p)
{
    ebb_recording *in;
    ebb_recording_extent extent;
    if (ebb_recording_open(p->recording, &in, NULL) != EBB_OK)
        return 0;
    ebb_recording_get_extent(in, &extent);
    ebb_recording_free(in);
    return extent.n_events;
}

static void wait_ms(long ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

/* Whoever debugs is killed: all that was in the file is good, and it had nearly everything. */
static void test_ebb_is_killed(void **state)
{
    place p = new_place();
    pid_t ebb = fork_with_us();
    if (ebb == 0) {
        machine *m = start("endless", p.recording);
        run_on(m, 0, 0);
        _exit(1);
    }
    while (read_count(&p) < 1000)
        wait_ms(1);
    size_t enough = read_count(&p);
    while (count_recorded(&p) < enough) /* within 100 ms, if nobody else is busy */
        wait_ms(1);
    kill(ebb, SIGKILL);
    waitpid(ebb, NULL, 0);
    size_t before = count_recorded(&p);
    read_back *r = read_recording(p.recording);
    assert_true(r->n_events >= before && count_lseeks(r) >= enough);
    read_back_free(r);
    remove_place(&p);
}

/* The debuggee is killed: nothing is lost, not even what no file had yet. */
static void test_debuggee_is_killed(void **state)
{
    place p = new_place();
    machine *m = start("endless", p.recording);
    pid_t killer = fork_with_us(), victim = m->ops->pid(m);
    if (killer == 0) {
        while (read_count(&p) < 1000)
            wait_ms(1);
        kill(victim, SIGKILL);
        _exit(0);
    }
    assert_stop(run_on(m, 0, 0), "killed");
    waitpid(killer, NULL, 0);
    read_back *r = read_recording(x86_vm_recording(m));
    size_t n = count_lseeks(r), counted = read_count(&p);
    assert_true(n == counted || n == counted + 1);
    assert_int_equal(r->n_exits, 1);
    assert_int_equal(r->exit_status, -SIGKILL);
    read_back_free(r);
    m->ops->free(m);
    remove_place(&p);
}

/* No room for the file: recording ends and says so, the program does not. */
static void test_disk_is_full(void **state)
{
    place p = new_place();
    struct rlimit before, little = {3 << 20, 3 << 20};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    machine *m = start("disk", p.recording);
    little.rlim_max = before.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
    break_at(m, "finished");
    assert_stop(run_on(m, 0, 0), "point");
    const char *path = x86_vm_recording(m), *why = x86_vm_recording_ended(m);
    assert_non_null(why);
    assert_non_null(strstr(why, "File too large"));
    ebb_error news;
    assert_true(x86_vm_recording_news(m, &news));
    assert_non_null(strstr(news.text, "ended early"));
    assert_false(x86_vm_recording_news(m, &news));
    read_back *r = read_recording(path);
    assert_true(r->n_events > 10);
    read_back_free(r);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_exits(m, run_on(m, 0, 0), 0);
    remove_place(&p);
}

/* A program may write anywhere: nobody believes what it wrote into the ring. */
static void test_ring_is_written_over(void **state)
{
    machine *m = start("files", NULL);
    break_at(m, "main");
    assert_stop(run_on(m, 0, 0), "point");
    uint64_t junk[512];
    memset(junk, 0xee, sizeof junk);
    char path[64], line[512];
    uint64_t ring = 0;
    snprintf(path, sizeof path, "/proc/%d/maps", (int)m->ops->pid(m));
    FILE *maps = fopen(path, "re");
    while (!ring && fgets(line, sizeof line, maps))
        if (strstr(line, "ebb-ring"))
            ring = strtoull(line, NULL, 16);
    fclose(maps);
    assert_true(ring != 0);
    x86_vm_recording(m); /* all of it is taken */
    assert_ok(machine_write(m, ring, junk, 8, err)); /* so much was never written */
    break_at(m, "finished");
    assert_stop(run_on(m, 0, 0), "point");
    x86_vm_recording(m);
    assert_non_null(strstr(x86_vm_recording_ended(m), "wrote over"));
    assert_exits(m, run_on(m, 0, 0), 0);
}

/* What it says of itself. */
static void test_about(void **state)
{
    machine *m = start("clocks", NULL);
    ebb_recording *in;
    ebb_about about;
    char program[512];
    fixture_path("x86_recorded", program, sizeof program);
    assert_ok(ebb_recording_open(x86_vm_recording(m), &in, err));
    assert_ok(ebb_about_read(in, &about, err));
    assert_string_equal(about.machine, "x86");
    assert_int_equal(about.machine_version, X86_RECORDED_VERSION);
    assert_int_equal(about.args.n, 2);
    assert_string_equal(about.args.items[1], "clocks");
    assert_non_null(strstr(about.program, "x86_recorded"));
    ebb_about_fini(&about);
    ebb_recording_free(in);
    assert_exits(m, run_on(m, 0, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_files, x86_test_setup),
        cmocka_unit_test_setup(test_clocks, x86_test_setup),
        cmocka_unit_test_setup(test_stepped, x86_test_setup),
        cmocka_unit_test_setup(test_pipes, x86_test_setup),
        cmocka_unit_test_setup(test_maps, x86_test_setup),
        cmocka_unit_test_setup(test_children, x86_test_setup),
        cmocka_unit_test_setup(test_threads, x86_test_setup),
        cmocka_unit_test_setup(test_signals, x86_test_setup),
        cmocka_unit_test_setup(test_many, x86_test_setup),
        cmocka_unit_test_setup(test_wrong, x86_test_setup),
        cmocka_unit_test_setup(test_large, x86_test_setup),
        cmocka_unit_test_setup(test_unknown, x86_test_setup),
        cmocka_unit_test_setup(test_shared, x86_test_setup),
        cmocka_unit_test_setup(test_old_way, x86_test_setup),
        cmocka_unit_test_setup(test_ebb_is_killed, x86_test_setup),
        cmocka_unit_test_setup(test_debuggee_is_killed, x86_test_setup),
        cmocka_unit_test_setup(test_disk_is_full, x86_test_setup),
        cmocka_unit_test_setup(test_ring_is_written_over, x86_test_setup),
        cmocka_unit_test_setup(test_about, x86_test_setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
