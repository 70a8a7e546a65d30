/* Messages between ebb and the Java machine: what is put can be got, and nonsense on either side gives an error, never more. */
#include "jvm_debuggee.h"

#include "jvm/wire/wire.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned next_random(unsigned *seed)
{
    *seed = *seed * 1103515245 + 12345;
    return *seed >> 16;
}

static void put_and_get(void **state)
{
    jvm_wire_field fields[] = {{.id = 7, .name = "a", .descriptor = "I", .access = 3, .offset = 99}, {.id = 8, .name = "", .descriptor = NULL}};
    jvm_wire_class c = {.id = 5, .name = "x.Y", .source = NULL, .mirror = UINT64_MAX, .fields = {fields, 2, 2}};
    ebb_buf out = {0};
    jvm_wire_put_class(&out, &c);
    ebb_arena arena = {0};
    jvm_wire_reader r = {.at = (uint8_t *)out.data, .end = (uint8_t *)out.data + out.n, .arena = &arena};
    jvm_wire_class d;
    assert_true(jvm_wire_get_class(&r, &d));
    assert_ptr_equal(r.at, r.end);
    assert_int_equal(d.id, 5);
    assert_string_equal(d.name, "x.Y");
    assert_null(d.source);
    assert_true(d.mirror == UINT64_MAX);
    assert_int_equal(d.fields.n, 2);
    assert_string_equal(d.fields.items[1].name, "");
    assert_null(d.fields.items[1].descriptor);
    for (size_t n = 0; n < out.n; n++) { /* WE1: cut anywhere */
        jvm_wire_reader cut = {.at = (uint8_t *)out.data, .end = (uint8_t *)out.data + n, .arena = &arena};
        assert_false(jvm_wire_get_class(&cut, &d));
    }
    ebb_buf_fini(&out);
    ebb_arena_fini(&arena);
}

/* Every kind of struct from random bytes. */
static void random_payloads(void **state)
{
    unsigned seed = 1;
    for (int round = 0; round < 3000; round++) {
        uint8_t bytes[200];
        size_t n = next_random(&seed) % sizeof bytes;
        for (size_t i = 0; i < n; i++)
            bytes[i] = next_random(&seed) % 3 == 0 ? (uint8_t)next_random(&seed) : 0;
        ebb_arena arena = {0};
#define JVM_WIRE_STRUCT(name)                                                                      \
        {                                                                                          \
            jvm_wire_reader r = {.at = bytes, .end = bytes + n, .arena = &arena};                  \
            jvm_wire_##name x;                                                                     \
            bool good = jvm_wire_get_##name(&r, &x);                                               \
            assert_true(r.at <= r.end);                                                            \
            ebb_buf again = {0};                                                                   \
            if (good)                                                                              \
                jvm_wire_put_##name(&again, &x);                                                   \
            ebb_buf_fini(&again);                                                                  \
        }
#include "jvm/wire/wire.def"
        ebb_arena_fini(&arena);
    }
}

static void messages_travel(void **state)
{
    int s[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, s), 0);
    ebb_buf payload = {0};
    ebb_buf_adds(&payload, "hello");
    assert_ok(jvm_wire_send(s[0], 7, 3, &payload, 0, err));
    jvm_wire_message m = {0};
    int fd;
    assert_ok(jvm_wire_receive(s[1], &m, &fd, err));
    assert_int_equal(m.code, 7);
    assert_int_equal(m.status, 3);
    assert_string_equal(ebb_buf_text(&m.payload), "hello");
    assert_true(fd >= 0);
    close(fd);
    static const uint8_t huge[8] = {0xff, 0xff, 0xff, 0x7f, 1};
    assert_int_equal(write(s[0], huge, 8), 8);
    assert_int_equal(jvm_wire_receive(s[1], &m, NULL, NULL), EBB_BAD_FILE);
    assert_int_equal(write(s[0], "\5\0\0\0\1\0\0\0ab", 10), 10);
    close(s[0]);
    assert_int_equal(jvm_wire_receive(s[1], &m, NULL, NULL), EBB_GONE);
    close(s[1]);
    ebb_buf_fini(&payload);
    ebb_buf_fini(&m.payload);
}

/* ---- nonsense to ebb: a launcher that talks it ---- */

static machine *start_liar(const char *script)
{
    char *args[] = {"/bin/sh", "-c", (char *)script, NULL};
    jvm_remote_launch how = {.args = args};
    machine *m = NULL;
    return jvm_remote_start(&how, &m, NULL) == EBB_OK ? m : NULL;
}

static void a_lying_machine(void **state)
{
    static const char *const starts[] = {
        "printf 'nonsense that is no message at all' >&$EBB_JVM_FD",
        "printf '\\377\\377\\377\\377\\1\\0\\0\\0' >&$EBB_JVM_FD; sleep 5",
        "printf '\\0\\0\\0\\0\\200\\0\\0\\0' >&$EBB_JVM_FD; sleep 5",
        "head -c 5000 /dev/urandom >&$EBB_JVM_FD; sleep 5",
    };
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        machine *m = start_liar(starts[i]);
        if (m != NULL) {
            machine_request run = {0};
            machine_stop stop;
            (void)m->ops->resume(m, &run, &stop, NULL);
            m->ops->free(m);
        }
    }
}

/* A right first stop, then random bytes for every answer. */
static void a_machine_that_turns_liar(void **state)
{
    ebb_buf stop = {0}, script = {0};
    jvm_wire_put_stop(&stop, &(jvm_wire_stop){.kind = MACHINE_STOP_STEP, .thread = 1});
    ebb_buf_addf(&script, "printf '\\%o\\0\\0\\0\\%o\\0\\0\\0", (unsigned)stop.n, (unsigned)JVM_WIRE_CODE_resume);
    for (size_t i = 0; i < stop.n; i++)
        ebb_buf_addf(&script, "\\%o", (uint8_t)stop.data[i]);
    ebb_buf_adds(&script, "' >&$EBB_JVM_FD; head -c 100000 /dev/urandom >&$EBB_JVM_FD; sleep 5");
    for (int i = 0; i < 10; i++) {
        machine *m = start_liar(ebb_buf_text(&script));
        assert_non_null(m);
        const java_class *c;
        assert_int_not_equal(jvm_remote_class(m, 1, &c, NULL), EBB_OK);
        java_frames frames = {0};
        assert_int_not_equal(jvm_remote_frames(m, 1, 0, 10, &frames, NULL), EBB_OK);
        machine_request run = {0};
        machine_stop ended;
        if (m->ops->resume(m, &run, &ended, NULL) == EBB_OK) /* by chance its bytes began a message of a length that could be: it ended within */
            assert_int_equal(ended.kind, MACHINE_STOP_EXITED);
        m->ops->free(m);
    }
    ebb_buf_fini(&stop);
    ebb_buf_fini(&script);
}

/* ---- nonsense to the machine ---- */

static pid_t start_java(int fd)
{
    char altjvm[512], number[32], classes[512];
    snprintf(altjvm, sizeof altjvm, "-XXaltjvm=%s", getenv("EBB_JVM_DIR"));
    snprintf(number, sizeof number, "%d", fd);
    snprintf(classes, sizeof classes, "%s/g", getenv("JAVA_FIXTURES"));
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    setenv("EBB_JVM_FD", number, 1);
    execlp("java", "java", altjvm, "-cp", classes, "Walk", NULL);
    _exit(127);
}

/* Requests with random contents; it answers each, or ends when the stream makes no sense any more.  It never crashes. */
static void a_lying_debugger(void **state)
{
    for (unsigned seed = 1; seed <= 4; seed++) {
        int s[2];
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, s), 0);
        pid_t pid = start_java(s[1]);
        close(s[1]);
        jvm_wire_message m = {0};
        assert_ok(jvm_wire_receive(s[0], &m, NULL, err));
        unsigned random = seed;
        for (int i = 0; i < 400; i++) {
            uint16_t code = (uint16_t)(next_random(&random) % (JVM_WIRE_NCODES + 3));
            if (code == JVM_WIRE_CODE_resume || code == JVM_WIRE_CODE_interrupt || code == JVM_WIRE_CODE_scratch ||
                code == JVM_WIRE_CODE_invoke || code == JVM_WIRE_CODE_local_set || code == JVM_WIRE_CODE_field_set ||
                code == JVM_WIRE_CODE_array_set)
                continue; /* those may well do what they are told */
            ebb_buf payload = {0};
            for (unsigned n = next_random(&random) % 60; n > 0; n--) {
                uint8_t byte = next_random(&random) % 2 == 0 ? 0 : (uint8_t)(next_random(&random) % (seed == 1 ? 256 : 8));
                ebb_buf_add(&payload, &byte, 1);
            }
            assert_ok(jvm_wire_send(s[0], code, 0, &payload, -1, err));
            assert_ok(jvm_wire_receive(s[0], &m, NULL, err));
            assert_int_equal(m.code, code);
            ebb_buf_fini(&payload);
        }
        static const uint8_t nonsense[32] = {0xff, 0xff, 0xff, 0xff};
        assert_int_equal(write(s[0], nonsense, sizeof nonsense), sizeof nonsense);
        int status;
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFEXITED(status));
        close(s[0]);
        ebb_buf_fini(&m.payload);
    }
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(put_and_get),
        cmocka_unit_test(random_payloads),
        cmocka_unit_test(messages_travel),
        cmocka_unit_test(a_lying_machine),
        cmocka_unit_test(a_machine_that_turns_liar),
        cmocka_unit_test(a_lying_debugger),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
