/* Every form of every instruction that the decoder knows does the same on the CPU and in translated code: registers, flags,
 * memory, vector registers, and the signals that it raises.
 *
 *   EBB_FORMS_SEED=n      repeats a run
 *   EBB_FORMS_SECONDS=n   runs longer (20): all forms again, with other operands and contents
 *
 * Forms that the CPU lacks must raise SIGILL both ways. */
#include "x86_forms_make.h"
#include "x86_test.h"

#include <fcntl.h>
#include <sys/mman.h>

static double now_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static uint64_t from_environment(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

static char path[64];
static forms_file *file;

static void open_file(void)
{
    int fd = memfd_create("forms", 0);
    assert_true(fd >= 0 && ftruncate(fd, sizeof *file) == 0);
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)getpid(), fd);
    file = mmap(NULL, sizeof *file, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_true(file != MAP_FAILED);
    file->components = __builtin_cpu_supports("avx512vl") ? 0xe7 : __builtin_cpu_supports("avx") ? 7 : 3;
}

/* Every store is looked at then, or every load, too, and most of them find something watched near them. */
static void watch_shadow(machine *m, machine_point_kind kind)
{
    machine_point_id ready = break_at(m, "ready");
    assert_stop(run_on(m, 0, 0), "point");
    assert_ok(m->ops->point_clear(m, ready, err));
    point_at(m, kind, FORMS_SHADOW, FORMS_MEMORY_BYTES);
}

/* EXEC: nothing is watched. */
static void execute_all(bool translated, machine_point_kind watched)
{
    char program[512], text[256];
    fixture_path("x86_forms", program, sizeof program);
    char *args[] = {program, path, NULL};
    x86_launch launch = {.program = program, .args = args};
    machine *m = NULL;
    assert_ok(x86_native_launch(&launch, &m, err));
    if (translated)
        m = x86_vm_new(m);
    m->ops->signal_policy(m, 0, UINT64_MAX);
    if (watched != MACHINE_POINT_EXEC)
        watch_shadow(m, watched);
    ebb_error err = {0};
    machine_stop stop = {0};
    machine_request run = {.move = MACHINE_RUN};
    ebb_status status;
    do
        status = m->ops->resume(m, &run, &stop, &err);
    while (status == EBB_OK && stop.kind == MACHINE_STOP_MODULES);
    if (status != EBB_OK || stop.kind != MACHINE_STOP_EXITED || stop.exit_status != 0) {
        forms_spell(&file->cases[file->now], file->now, text, sizeof text);
        fail_msg("%s: %s at %s", translated ? "VM" : "native", status == EBB_OK ? machine_stop_word(stop.kind) : err.text, text);
    }
    m->ops->free(m);
}

/* What differs first, by name. */
static const char *difference(const form_result *a, const form_result *b)
{
    static char text[128];
    static const char *const words[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11",
                                        "r12", "r13", "r14", "r15", "flags", "signal", "signal code", "signal address", "rip",
                                        "fell through", "memory", "x87", "vectors", "high vectors", "masks"};
    const uint64_t *x = (const uint64_t *)a, *y = (const uint64_t *)b;
    for (size_t i = 0; i < sizeof *a / sizeof *x; i++)
        if (x[i] != y[i]) {
            snprintf(text, sizeof text, "%s is 0x%lx, natively 0x%lx", words[i], (unsigned long)y[i], (unsigned long)x[i]);
            return text;
        }
    return NULL;
}

/* Sets of instructions of which something was executed, so that one can see what this CPU has tried. */
enum { MAX_SETS = 400 };
static const char *executed[MAX_SETS];
static unsigned n_executed;

static void note_set(const char *name)
{
    for (unsigned i = 0; i < n_executed; i++)
        if (strcmp(executed[i], name) == 0)
            return;
    if (n_executed < MAX_SETS)
        executed[n_executed++] = name;
}

static void print_sets(void)
{
    print_message("executed:");
    for (unsigned i = 0; i < n_executed; i++)
        print_message(" %s", executed[i]);
    print_message("\n");
}

static unsigned n_different;

static void compare(const form_result *natively)
{
    for (uint64_t i = 0; i < file->n; i++) {
        if (natively[i].signal != SIGILL)
            note_set(forms_set_of(&file->cases[i]));
        const char *what = difference(&natively[i], &file->results[i]);
        if (!what)
            continue;
        char text[256];
        forms_spell(&file->cases[i], i, text, sizeof text);
        if (n_different++ < 40)
            print_message("%s: %s\n", text, what);
    }
}

static void run_chunk(const forms *all, const size_t *order, size_t from, size_t to, uint64_t *seed)
{
    static form_result natively[FORMS_MAX_CASES];
    file->n = 0;
    for (size_t i = from; i < to; i++)
        if (forms_make_case(&all->items[order[i]], file->n, seed, &file->cases[file->n]))
            file->n++;
    file->writable = forms_random(seed) % 4 == 0;
    static const machine_point_kind kinds[8] = {MACHINE_POINT_WRITE, MACHINE_POINT_READ, MACHINE_POINT_WRITE, MACHINE_POINT_ACCESS};
    machine_point_kind watched = kinds[forms_random(seed) % 8]; /* mostly none */
    execute_all(false, MACHINE_POINT_EXEC);
    memcpy(natively, file->results, sizeof natively);
    memset(file->results, 0, sizeof file->results);
    execute_all(true, watched);
    compare(natively);
}

/* A random order, so that a short run has something of everything. */
static size_t *shuffled(size_t n, uint64_t *seed)
{
    size_t *order = malloc(n * sizeof *order);
    for (size_t i = 0; i < n; i++)
        order[i] = i;
    for (size_t i = n; i-- > 1;) {
        size_t k = forms_random(seed) % (i + 1), other = order[k];
        order[k] = order[i];
        order[i] = other;
    }
    return order;
}

static void all_forms_agree(void **state)
{
    /* Always the same unless asked otherwise: what fails is then the change's fault, not the day's. */
    uint64_t seed = from_environment("EBB_FORMS_SEED", 1794756151), first_seed = seed;
    double seconds = (double)from_environment("EBB_FORMS_SECONDS", 20), end = now_seconds() + seconds;
    forms all;
    forms_enumerate(&all);
    size_t *order = shuffled(all.n, &seed), n_done = 0, at = 0;
    alarm((unsigned)seconds + 100);
    open_file();
    do {
        at = at >= all.n ? 0 : at;
        size_t to = at + FORMS_MAX_CASES < all.n ? at + FORMS_MAX_CASES : all.n;
        run_chunk(&all, order, at, to, &seed);
        n_done += to - at;
        at = to;
    } while (now_seconds() < end);
    print_message("%zu forms, %zu cases, seed %lu\n", all.n, n_done, (unsigned long)first_seed);
    print_sets();
    if (n_different)
        fail_msg("%u of %zu cases differ (EBB_FORMS_SEED=%lu)", n_different, n_done, (unsigned long)first_seed);
    free(order);
    free(all.items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(all_forms_agree, x86_test_setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
