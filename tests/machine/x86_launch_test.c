/* x86_launch_test.c - starting programs of all kinds, and refusing files that are none. */
#include "x86_test.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

static char scratch[] = "/tmp/x86_launch_XXXXXX";

static const char *write_file(const char *name, const void *bytes, size_t nbytes, mode_t mode)
{
    static char path[64];
    snprintf(path, sizeof path, "%s/%s", scratch, name);
    unlink(path);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, mode);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, nbytes), (ssize_t)nbytes);
    close(fd);
    return path;
}

static void assert_refused(const char *program, ebb_status status, const char *why)
{
    char *path = NULL;
    ebb_error err = {0};
    assert_int_equal(x86_native_check(program, &path, &err), status);
    assert_null(path);
    if (!strstr(err.text, why))
        fail_msg("\"%s\" does not say \"%s\"", err.text, why);
    assert_null(strchr(err.text, '\n'));
}

static void refuses_what_is_no_program(void **state)
{
    assert_refused("/nowhere/at/all", EBB_NOT_FOUND, "no such file");
    assert_refused("no-such-program-at-all", EBB_NOT_FOUND, "PATH");
    assert_refused("", EBB_BAD_INPUT, "empty");
    assert_refused("/tmp", EBB_BAD_FILE, "directory");
    assert_refused("/dev/null", EBB_BAD_FILE, "regular");
    assert_refused("/etc/passwd/x", EBB_NOT_FOUND, "no such file");
    assert_refused(write_file("empty", "", 0, 0755), EBB_BAD_FILE, "empty");
    assert_refused(write_file("text", "hello\n", 6, 0755), EBB_BAD_FILE, "no ELF file");
    assert_refused(write_file("short", "\177ELF", 4, 0755), EBB_BAD_FILE, "cut off");
    const char script[] = "#!/usr/bin/env python3 -u\nprint(1)\n";
    assert_refused(write_file("script", script, sizeof script - 1, 0755), EBB_BAD_FILE, "ebb run python3 /tmp/");
    const char sh[] = "#! /bin/sh\n";
    assert_refused(write_file("sh", sh, sizeof sh - 1, 0755), EBB_BAD_FILE, "ebb run /bin/sh /tmp/");
    assert_refused(write_file("none", "#!", 2, 0755), EBB_BAD_FILE, "no interpreter");
    char library[512];
    fixture_path("libx86_library.so", library, sizeof library);
    assert_refused(library, EBB_BAD_FILE, "shared library");
}

/* Our own executable, spoilt in one place. */
static void refuses_spoilt_programs(void **state)
{
    char path[512];
    fixture_path("x86_basic", path, sizeof path);
    static char bytes[1 << 20];
    int fd = open(path, O_RDONLY);
    ssize_t n = read(fd, bytes, sizeof bytes);
    close(fd);
    assert_true(n > 4096);
    Elf64_Ehdr *eh = (Elf64_Ehdr *)bytes, good = *eh;
#define SPOILT(change, status, why)                                                                \
    do {                                                                                           \
        *eh = good;                                                                                \
        change;                                                                                    \
        assert_refused(write_file("spoilt", bytes, (size_t)n, 0755), status, why);                 \
    } while (0)
    SPOILT(eh->e_ident[EI_CLASS] = ELFCLASS32, EBB_UNSUPPORTED, "32-bit");
    SPOILT(eh->e_ident[EI_CLASS] = 77, EBB_BAD_FILE, "identification");
    SPOILT(eh->e_machine = EM_AARCH64, EBB_UNSUPPORTED, "64-bit ARM");
    SPOILT(eh->e_ident[EI_DATA] = ELFDATA2MSB; eh->e_machine = __builtin_bswap16(EM_S390), EBB_UNSUPPORTED, "S/390");
    SPOILT(eh->e_type = ET_CORE, EBB_UNSUPPORTED, "core dump");
    SPOILT(eh->e_type = ET_REL, EBB_BAD_FILE, "linked");
    SPOILT(eh->e_type = 99, EBB_BAD_FILE, "neither");
    SPOILT(eh->e_phoff = UINT64_MAX - 8, EBB_BAD_FILE, "program headers");
    SPOILT(eh->e_phnum = 60000, EBB_BAD_FILE, "program headers");
    SPOILT(eh->e_phnum = 0, EBB_BAD_FILE, "program headers");
    SPOILT(eh->e_entry = 0, EBB_BAD_FILE, "entry point");
    SPOILT(eh->e_entry = 0x70000000, EBB_BAD_FILE, "entry point");
    *eh = good;
    assert_refused(write_file("cut", bytes, 5000, 0755), EBB_BAD_FILE, "shorter");
    assert_refused(write_file("plain", bytes, (size_t)n, 0644), EBB_BAD_FILE, "executable");
    /* The kernel refuses this one at exec: no such loader. */
    Elf64_Phdr *ph = (Elf64_Phdr *)(bytes + eh->e_phoff);
    for (int i = 0; i < eh->e_phnum; i++)
        if (ph[i].p_type == PT_INTERP)
            memcpy(bytes + ph[i].p_offset, "/nix", 4);
    const char *file = write_file("loader", bytes, (size_t)n, 0755);
    char *args[] = {(char *)file, NULL};
    machine *m = NULL;
    ebb_error err;
    assert_int_equal(x86_native_launch(&(x86_launch){.program = file, .args = args}, &m, &err), EBB_SYSTEM);
    assert_non_null(strstr(err.text, "No such file"));
    assert_int_equal(waitpid(-1, NULL, 0), -1); /* nothing left behind */
    assert_int_equal(errno, ECHILD);
}

/* Hostile files: any answer is right that comes without a crash and with one line of text. */
static void survives_corrupted_programs(void **state)
{
    char path[512];
    fixture_path("x86_basic", path, sizeof path);
    static uint8_t good[1 << 20], bytes[1 << 20];
    int fd = open(path, O_RDONLY);
    ssize_t n = read(fd, good, sizeof good);
    close(fd);
    Elf64_Ehdr eh;
    memcpy(&eh, good, sizeof eh);
    srand(7);
    for (int i = 0; i < 400; i++) {
        memcpy(bytes, good, (size_t)n);
        size_t at = i % 2 ? 0 : (size_t)eh.e_shoff, length = i % 2 ? 1024 : (size_t)n - at;
        for (int k = 0; k <= i % 8; k++)
            bytes[at + (size_t)rand() % length] = (uint8_t)(rand() % 3 ? rand() : 0xff);
        size_t kept = i % 5 ? (size_t)n : (size_t)rand() % (size_t)n;
        const char *file = write_file("corrupt", bytes, kept, 0755);
        char *found = NULL;
        ebb_error err = {0};
        uint64_t value;
        if (x86_native_check(file, &found, &err) != EBB_OK)
            assert_true(err.text[0] != '\0' && !strchr(err.text, '\n'));
        free(found);
        (void)x86_image_symbol(file, "main", &value);
    }
}

static void every_kind_of_executable(void **state)
{
    static const char *const kinds[] = {"x86_basic", "x86_basic_static", "x86_basic_static_pie", "x86_basic_fixed"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        machine *m = fixture_start(kinds[i], "plain");
        break_at(m, "add");
        machine_stop stop = run_on(m, 0, 0);
        assert_stop(stop, "point");
        assert_int_equal(stop.place, symbol(m, "add"));
        assert_int_equal(reg(m, stop.thread, "rsi"), 3);
        size_t n;
        const machine_module *modules = m->native->modules(m, &n);
        assert_int_equal(n, i == 1 || i == 2 ? 2 : 4);
        uint64_t block, offset;
        assert_ok(m->native->tls_block(m, stop.thread, &modules[0], &block, err));
        assert_true(x86_image_symbol(modules[0].path, "per_thread", &offset));
        assert_int_equal(read_number(m, block + offset, 4), 77);
        assert_exits(m, run_on(m, 0, 0), 50);
    }
}

static void libraries_come_and_go(void **state)
{
    char library[512];
    fixture_path("libx86_library.so", library, sizeof library);
    machine *m = fixture_start("x86_loads", library);
    break_at(m, "between");
    bool loaded = false;
    int seen = 0;
    machine_stop stop = resume(m, (machine_request){.move = MACHINE_RUN});
    for (; stop.kind != MACHINE_STOP_EXITED; stop = resume(m, (machine_request){.move = MACHINE_RUN})) {
        size_t n;
        const machine_module *modules = m->native->modules(m, &n);
        bool now = false;
        for (size_t i = 0; i < n; i++) {
            if (strcmp(modules[i].path, library) != 0)
                continue;
            uint64_t value, block, offset;
            now = true;
            assert_true(x86_image_symbol(library, "answer", &value));
            assert_true(modules[i].bias + value > modules[i].lo && modules[i].bias + value < modules[i].hi);
            if (stop.kind == MACHINE_STOP_POINT) {
                assert_ok(m->native->tls_block(m, stop.thread, &modules[i], &block, err));
                assert_true(x86_image_symbol(library, "library_local", &offset));
                assert_int_equal(read_number(m, block + offset, 4), 14);
            }
        }
        if (stop.kind == MACHINE_STOP_MODULES)
            seen += now != loaded;
        else
            assert_true(now);
        loaded = now;
    }
    assert_int_equal(seen, 6);
    assert_exits(m, stop, 42);
}

static void addresses_are_the_same_each_time(void **state)
{
    uint64_t entries[2];
    for (int i = 0; i < 2; i++) {
        machine *m = fixture_start("x86_basic", "plain");
        entries[i] = m->native->entry(m);
        m->ops->free(m);
    }
    assert_int_equal(entries[0], entries[1]);
}

static void environment_and_directory(void **state)
{
    char *args[] = {"sh", "-c", "test \"$(pwd)\" = /usr && test \"$EBB_TEST\" = yes && exit 12", NULL};
    char *environment[] = {"EBB_TEST=yes", "PATH=/usr/bin:/bin", NULL};
    x86_launch launch = {.program = "sh", .args = args, .environment = environment, .directory = "/usr"};
    machine *m;
    assert_ok(x86_native_launch(&launch, &m, err));
    m->ops->signal_policy(m, ~(1ull << (SIGCHLD - 1)), UINT64_MAX);
    assert_exits(m, run_on(m, 0, 0), 12);
    ebb_error err;
    launch.directory = "/nowhere";
    assert_int_equal(x86_native_launch(&launch, &m, &err), EBB_SYSTEM);
    assert_non_null(strstr(err.text, "No such file"));
}

/* The debuggee gets the descriptors that we got, and none of ours. */
static void no_descriptors_leak(void **state)
{
    machine *other = fixture_start("x86_basic", "sleep");
    int inherited = 0;
    for (int fd = 0; fd < 64; fd++) {
        int flags = fcntl(fd, F_GETFD);
        inherited += flags >= 0 && !(flags & FD_CLOEXEC);
    }
    machine *m = fixture_start("x86_basic", "descriptors");
    assert_exits(m, run_on(m, 0, 0), inherited);
    other->ops->free(other);
}

/* MA5: however ebb ends, what it started ends with it. */
static void a_killed_debugger_leaves_nothing(void **state)
{
    for (int i = 0; i < 20; i++) {
        int fds[2];
        assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
        pid_t tracer = fork_with_us();
        if (tracer == 0) {
            machine *m = fixture_start(i % 2 ? "x86_threads" : "x86_basic", i % 3 ? "spin" : "sleep");
            pid_t pid = m->ops->pid(m);
            if (write(fds[1], &pid, sizeof pid) != sizeof pid)
                _exit(1);
            run_on(m, 0, 0);
            _exit(0);
        }
        pid_t debuggee;
        assert_int_equal(read(fds[0], &debuggee, sizeof debuggee), sizeof debuggee);
        close(fds[0]);
        close(fds[1]);
        usleep((useconds_t)i * 500);
        kill(tracer, SIGKILL);
        waitpid(tracer, NULL, 0);
        for (int k = 0; k < 200 && kill(debuggee, 0) == 0; k++) {
            waitpid(debuggee, NULL, WNOHANG); /* we are a subreaper here */
            usleep(5000);
        }
        assert_int_equal(kill(debuggee, 0), -1);
    }
}

/* The same in the middle of starting: whatever has our name afterwards is a leak. */
static void killed_while_starting(void **state)
{
    for (int i = 0; i < 60; i++) {
        pid_t tracer = fork_with_us();
        if (tracer == 0) {
            for (;;) {
                machine *m = fixture_start("x86_basic", "sleep");
                m->ops->free(m);
            }
        }
        usleep((useconds_t)(500 + i * 137));
        kill(tracer, SIGKILL);
        waitpid(tracer, NULL, 0);
        int status;
        pid_t orphan;
        int patience = 200;
        while ((orphan = waitpid(-1, &status, WNOHANG | __WALL)) >= 0 && patience-- > 0)
            if (orphan == 0)
                usleep(5000);
        assert_int_equal(orphan, -1); /* no children are left to us, their reaper */
    }
}

static int setup_group(void **state)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    return mkdtemp(scratch) ? 0 : -1;
}

static int teardown_group(void **state)
{
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", scratch);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(refuses_what_is_no_program, x86_test_setup),
        cmocka_unit_test_setup(refuses_spoilt_programs, x86_test_setup),
        cmocka_unit_test_setup(survives_corrupted_programs, x86_test_setup),
        cmocka_unit_test_setup(every_kind_of_executable, x86_test_setup),
        cmocka_unit_test_setup(libraries_come_and_go, x86_test_setup),
        cmocka_unit_test_setup(addresses_are_the_same_each_time, x86_test_setup),
        cmocka_unit_test_setup(environment_and_directory, x86_test_setup),
        cmocka_unit_test_setup(no_descriptors_leak, x86_test_setup),
        cmocka_unit_test_setup(a_killed_debugger_leaves_nothing, x86_test_setup),
        cmocka_unit_test_setup(killed_while_starting, x86_test_setup),
    };
    return cmocka_run_group_tests(tests, setup_group, teardown_group);
}
