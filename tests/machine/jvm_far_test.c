/* Two ebbs over TCP: who may, and what random bytes do to either side: an end, never more. */
#include "unit.h"

#include "jvm/remote/far.h"
#include "jvm/remote/handshake.h"
#include "jvm/remote/parcel.h"
#include "jvm/remote/relay.h"
#include "base/tcp.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define TOKEN "a token for tests"
enum { NEAR_ROUNDS = 200, RELAY_ROUNDS = 100, PATIENCE_SECONDS = 30 };

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

/* A child that must end by itself, and well. */
static void assert_ends_well(pid_t pid, uint32_t round)
{
    int status;
    while (waitpid(pid, &status, 0) < 0)
        assert_int_equal(errno, EINTR);
    if (status != 0)
        fail_msg("round %u: wait status %x", round, status);
}

/* ---- who may ---- */

/* What the near side gets from a far side that knows `known` and judges like that. */
static ebb_status shake(const char *known, jvm_verdict verdict, const char *said, ebb_error *err)
{
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        jvm_handshake h;
        close(ends[0]);
        bool proved = jvm_handshake_far(ends[1], known, &h);
        jvm_handshake_answer(ends[1], &h, proved ? verdict : JVM_VERDICT_NO);
        _exit(proved != (strcmp(known, said) == 0));
    }
    close(ends[1]);
    ebb_status status = jvm_handshake_near(ends[0], said, "there", err);
    close(ends[0]);
    assert_ends_well(pid, 0);
    return status;
}

static void both_know_the_token(void **state)
{
    ebb_error err;
    assert_int_equal(shake(TOKEN, JVM_VERDICT_YES, TOKEN, &err), EBB_OK);
    assert_int_equal(shake(TOKEN, JVM_VERDICT_BUSY, TOKEN, &err), EBB_UNAVAILABLE);
    assert_int_equal(shake(TOKEN, JVM_VERDICT_YES, TOKEN "x", &err), EBB_BAD_INPUT);
    assert_int_equal(shake(TOKEN, JVM_VERDICT_YES, "", &err), EBB_BAD_INPUT);
}

/* Says the right name and fingerprint (it heard them somewhere), but its verdict without a proof counts nothing. */
static void a_verdict_needs_a_proof(void **state)
{
    static const uint8_t verdicts[] = {JVM_VERDICT_YES, JVM_VERDICT_BUSY, 0, 255};
    for (size_t i = 0; i < sizeof verdicts; i++) {
        int ends[2];
        ebb_error err;
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
        uint8_t hello[48] = "ebb-far1", answer[33] = {verdicts[i]};
        for (size_t k = 0; k < 8; k++)
            hello[8 + k] = (uint8_t)(jvm_wire_fingerprint() >> 8 * k);
        assert_int_equal(write(ends[1], hello, sizeof hello), sizeof hello);
        assert_int_equal(write(ends[1], answer, sizeof answer), sizeof answer);
        assert_int_equal(jvm_handshake_near(ends[0], TOKEN, "there", &err), EBB_BAD_INPUT);
        assert_non_null(strstr(err.text, "does not know the token"));
        close(ends[0]);
        close(ends[1]);
    }
}

/* ---- parcels ---- */

static void a_parcel_arrives_as_it_was_sent(void **state)
{
    int ends[2];
    jvm_parcel p = {0};
    jvm_wire_message m = {0};
    uint32_t opens;
    ebb_buf payload = {0};
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    ebb_buf_adds(&payload, "what is said");
    jvm_wire_message sent = {.code = 0xfffe, .status = 9, .payload = payload};
    assert_int_equal(jvm_parcel_send_message(ends[0], 7, 0x01020304, &sent, NULL), EBB_OK);
    assert_int_equal(jvm_parcel_receive(ends[1], &p, NULL), EBB_OK);
    assert_int_equal(p.channel, 7);
    assert_true(jvm_parcel_message(&p, &opens, &m));
    assert_int_equal(opens, 0x01020304);
    assert_int_equal(m.code, 0xfffe);
    assert_int_equal(m.status, 9);
    assert_string_equal(ebb_buf_text(&m.payload), "what is said");
    /* PA2: too long for its kind, and no kind at all */
    static const uint8_t bad[][JVM_PARCEL_HEADER] = {{1, 0, 0, 0, JVM_PARCEL_kill}, {0xff, 0xff, 0xff, 0xff, JVM_PARCEL_message},
                                                     {0, 0, 0, 0, JVM_PARCEL_NKINDS}, {0, 0, 0, 0, 0}, {0, 0, 0, 0, 1, 1}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(write(ends[0], bad[i], sizeof bad[i]), sizeof bad[i]);
        assert_int_equal(jvm_parcel_receive(ends[1], &p, NULL), EBB_BAD_FILE);
    }
    close(ends[0]);
    assert_int_equal(jvm_parcel_receive(ends[1], &p, NULL), EBB_GONE);
    close(ends[1]);
    ebb_buf_fini(&payload);
    ebb_buf_fini(&p.payload);
    ebb_buf_fini(&m.payload);
}

static const uint8_t to_near[] = {JVM_PARCEL_message, JVM_PARCEL_message, JVM_PARCEL_close, JVM_PARCEL_output, JVM_PARCEL_taken,
    JVM_PARCEL_ended, JVM_PARCEL_started, JVM_PARCEL_failed, JVM_PARCEL_memory, JVM_PARCEL_fetch, 0};
static const uint8_t to_far[] = {JVM_PARCEL_message, JVM_PARCEL_message, JVM_PARCEL_close, JVM_PARCEL_start, JVM_PARCEL_input,
    JVM_PARCEL_kill, JVM_PARCEL_adopt, JVM_PARCEL_memory, JVM_PARCEL_fetch, 0};

/* Mostly well-formed, so that it gets far; now and then anything. */
static void send_random(int fd, const uint8_t *kinds, uint32_t *seed)
{
    uint8_t bytes[JVM_PARCEL_HEADER + 64];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)next_random(seed);
    uint32_t n = next_random(seed) % 3 == 0 ? 8 : next_random(seed) % 64;
    if (next_random(seed) % 40 != 0) {
        uint32_t kind = kinds[next_random(seed) % strlen((const char *)kinds)], channel = next_random(seed) % 4;
        bool empty = kind == JVM_PARCEL_close || kind == JVM_PARCEL_kill || kind == JVM_PARCEL_adopt || kind == JVM_PARCEL_taken;
        n = empty ? 0 : kind == JVM_PARCEL_message ? 8 + n % 56 : kind == JVM_PARCEL_ended ? 8 : kind == JVM_PARCEL_output ? n : n % 17;
        memset(bytes, 0, JVM_PARCEL_HEADER);
        bytes[0] = (uint8_t)n;
        bytes[4] = (uint8_t)kind;
        bytes[8] = (uint8_t)channel;
        if (kind == JVM_PARCEL_message) /* it opens a channel that is near, or none */
            memset(bytes + JVM_PARCEL_HEADER + (next_random(seed) % 8 == 0), 0, 3 + next_random(seed) % 2);
    }
    send(fd, bytes, JVM_PARCEL_HEADER + n, MSG_NOSIGNAL);
}

/* ---- the near side ---- */

/* Whatever is asked of it, it answers, and in the end says that the connection broke. */
_Noreturn static void be_near(const char *where, uint32_t seed)
{
    jvm_far *far;
    alarm(PATIENCE_SECONDS);
    int nothing = open("/dev/null", O_RDWR);
    dup2(nothing, STDOUT_FILENO);
    dup2(nothing, STDERR_FILENO);
    if (jvm_far_connect(where, TOKEN, false, &far, NULL) != EBB_OK)
        _exit(2);
    jvm_remote_launch how = {.records = true};
    pid_t pid;
    jvm_wire_message m = {0};
    ebb_buf none = {0};
    int along;
    ebb_status status = jvm_far_start(far, &how, &pid, NULL);
    for (int i = 0; i < 100 || !jvm_far_is_lost(far, NULL); i++) {
        int channel = 1 + (int)(next_random(&seed) % 3);
        switch (next_random(&seed) % 6) {
        case 0: status = jvm_far_receive(far, channel, false, &m, &along, NULL); break;
        case 1: status = jvm_far_send(far, channel, JVM_WIRE_CODE_frames, &none, NULL); break;
        case 2: jvm_far_close(far, channel); break;
        case 3: jvm_far_memory(far, channel); break;
        case 4: status = jvm_far_fetch(far, nothing, NULL); break;
        default: jvm_far_interrupt(far, i % 2 ? channel : -1);
        }
        if (i % 50 == 49) {
            jvm_far_adopt(far, channel);
            jvm_far_kill(far);
            jvm_far_wait(far);
        }
    }
    status = jvm_far_receive(far, JVM_PARCEL_FIRST_CHANNEL, false, &m, NULL, NULL);
    ebb_buf_fini(&m.payload);
    jvm_far_free(far);
    _exit(status != EBB_GONE);
}

static void be_false_far(int fd, uint32_t seed)
{
    jvm_handshake h;
    ebb_buf args = {0};
    jvm_wire_name name = {.text = "java"};
    assert_true(jvm_handshake_far(fd, TOKEN, &h));
    assert_true(jvm_handshake_answer(fd, &h, JVM_VERDICT_YES));
    jvm_wire_put_names(&args, &(jvm_wire_names){.list = {&name, 1, 1}});
    assert_int_equal(jvm_parcel_send(fd, JVM_PARCEL_welcome, 0, args.data, args.n, NULL), EBB_OK);
    assert_int_equal(jvm_parcel_send_number(fd, JVM_PARCEL_started, 1, 1, NULL), EBB_OK);
    for (uint32_t n = next_random(&seed) % 100; n > 0; n--)
        send_random(fd, to_near, &seed);
    ebb_buf_fini(&args);
}

static void nonsense_ends_the_near_side(void **state)
{
    int listening;
    char *where;
    bool is_loopback;
    ebb_error err;
    assert_int_equal(ebb_tcp_listen("0", &listening, &where, &is_loopback, &err), EBB_OK);
    assert_true(is_loopback);
    for (uint32_t round = 0; round < NEAR_ROUNDS; round++) {
        pid_t pid = fork();
        if (pid == 0)
            be_near(where, round);
        int fd = accept(listening, NULL, NULL);
        be_false_far(fd, round * 7919 + 1);
        close(fd);
        assert_ends_well(pid, round);
    }
    close(listening);
    free(where);
}

/* ---- the far side ---- */

_Noreturn static void be_relay(int fd, int lifeline)
{
    char *args[] = {"sh", "-c", "sleep 100 & cat; sleep 100", NULL};
    alarm(PATIENCE_SECONDS);
    jvm_relay_serve(fd, lifeline, &(jvm_remote_launch){.args = args});
    _exit(waitpid(-1, NULL, WNOHANG | __WALL) != -1 || errno != ECHILD); /* RL2 */
}

static void serve_once(uint32_t round, bool by_lifeline)
{
    int ends[2], lifeline[2];
    uint32_t seed = round * 104729 + 3;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    assert_int_equal(pipe2(lifeline, O_CLOEXEC), 0);
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        close(lifeline[1]);
        be_relay(ends[1], lifeline[0]);
    }
    close(ends[1]);
    close(lifeline[0]);
    if (round % 4 != 0)
        assert_int_equal(jvm_parcel_send_number(ends[0], JVM_PARCEL_start, 0, 0, NULL), EBB_OK);
    for (uint32_t n = by_lifeline ? 0 : next_random(&seed) % 60; n > 0; n--)
        send_random(ends[0], to_far, &seed);
    close(by_lifeline ? lifeline[1] : ends[0]);
    assert_ends_well(pid, round);
    close(by_lifeline ? ends[0] : lifeline[1]);
}

static void nonsense_ends_the_far_side_and_all_it_began(void **state)
{
    for (uint32_t round = 0; round < RELAY_ROUNDS; round++)
        serve_once(round, round % 10 == 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_know_the_token),
        cmocka_unit_test(a_verdict_needs_a_proof),
        cmocka_unit_test(a_parcel_arrives_as_it_was_sent),
        cmocka_unit_test(nonsense_ends_the_near_side),
        cmocka_unit_test(nonsense_ends_the_far_side_and_all_it_began),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
