/* jdwp_fuzz.c - hostile bytes for the Java Debug Wire Protocol: packets of any length, and every command with any contents (JD1, JW1).
 * No program runs: what needs one is refused, after its arguments were read.  driver.h says how it is run. */
#include "../driver.h"
#include "base/check.h"
#include "base/mem.h"
#include "front/jdwp/jdwp.h"

/* How many packets are taken, the bytes coming in pieces of that size. */
static size_t packets_in(session *s, const char *bytes, size_t nbytes, size_t piece)
{
    jd d;
    size_t n = 0;
    jd_init(&d, s, -1);
    jd_add_bytes(&d, JDWP_HANDSHAKE, sizeof JDWP_HANDSHAKE - 1);
    for (size_t at = 0; at < nbytes && !d.ends; at += piece) {
        jd_add_bytes(&d, bytes + at, nbytes - at < piece ? nbytes - at : piece);
        while (jd_answer_next(&d))
            n++;
    }
    jd_fini(&d);
    return n;
}

static void try_input(const char *bytes, size_t nbytes)
{
    static session *s;
    if (!s) {
        s = ses_new(&(ses_listener){0});
        fclose(stderr); /* each refusal is a line */
        stderr = fopen("/dev/null", "w");
    }
    ebb_check(packets_in(s, bytes, nbytes, nbytes ? nbytes : 1) == packets_in(s, bytes, nbytes, 1));
}

#ifndef EBB_LIBFUZZER
static const uint16_t commands[] = {
#define JDWP_COMMAND(set, number, name) (set) << 8 | (number),
#include "jvm/jdwp/jdwp.def"
};

/* Packets whose lengths are mostly right, of commands that mostly exist, with contents of small numbers. */
static void add_random(uint64_t *state, ebb_buf *input)
{
    for (uint64_t n = next_random(state) % 6; n; n--) {
        uint64_t nbytes = next_random(state) % 40, lie = next_random(state) % 16;
        uint16_t command = next_random(state) % 8 ? commands[next_random(state) % (sizeof commands / sizeof *commands)] : (uint16_t)next_random(state);
        size_t said = lie == 0 ? (size_t)next_random(state) : lie == 1 ? nbytes / 2 : nbytes;
        jdwp_put_header(input, said, (uint32_t)n, next_random(state) % 8 ? 0 : (uint8_t)next_random(state), command);
        for (uint64_t i = 0; i < nbytes; i++)
            ebb_buf_addc(input, next_random(state) % 3 ? 0 : (char)next_random(state));
    }
}
#endif
