/* rsp_fuzz.c - hostile bytes for the packets of gdb's protocol (GP1) and for agent expressions (AE1).
 * driver.h says how it is run. */
#include "../driver.h"
#include "base/check.h"
#include "base/mem.h"
#include "front/rsp/agent.h"
#include "front/rsp/packet.h"

#include <string.h>

/* How many whole packets there are, the bytes coming in pieces of that size. */
static size_t packets_in(const char *bytes, size_t nbytes, size_t piece)
{
    rsp_packets packets = {0};
    size_t n = 0;
    bool goes_on = true;
    for (size_t at = 0; at < nbytes && goes_on; at += piece) {
        rsp_heard heard;
        rsp_packets_add(&packets, bytes + at, nbytes - at < piece ? nbytes - at : piece);
        while ((heard = rsp_packets_next(&packets)) != RSP_NOTHING && heard != RSP_REFUSED)
            n += heard == RSP_PACKET;
        goes_on = heard != RSP_REFUSED;
        ebb_check(packets.contents.n <= RSP_MAX_PACKET);
    }
    rsp_packets_fini(&packets);
    return n;
}

/* What is made is understood again, and is the same. */
static void try_round(const char *bytes, size_t nbytes)
{
    ebb_buf packet = {0};
    rsp_packets packets = {0};
    rsp_packet_make(&packet, bytes, nbytes);
    rsp_packets_add(&packets, packet.data, packet.n);
    if (nbytes < RSP_MAX_PACKET / 2)
        ebb_check(rsp_packets_next(&packets) == RSP_PACKET && packets.contents.n == nbytes && memcmp(ebb_buf_text(&packets.contents), bytes, nbytes) == 0);
    rsp_packets_fini(&packets);
    ebb_buf_fini(&packet);
}

static bool read_any(void *self, uint64_t addr, void *bytes, size_t nbytes)
{
    (void)self;
    memset(bytes, (int)addr & 0xff, nbytes);
    return addr % 7 != 0;
}

static bool any_register(void *self, unsigned number, uint64_t *value)
{
    (void)self;
    *value = number * 0x0101010101010101u;
    return number < 80;
}

static void try_input(const char *bytes, size_t nbytes)
{
    uint64_t value;
    ebb_check(packets_in(bytes, nbytes, nbytes ? nbytes : 1) == packets_in(bytes, nbytes, 1));
    try_round(bytes, nbytes);
    agent_world world = {NULL, read_any, any_register};
    bool ignored = agent_evaluate(&world, (const uint8_t *)bytes, nbytes, &value);
    (void)ignored;
}

#ifndef EBB_LIBFUZZER
static const char *const pieces[] = {"$", "#", "$g#67", "$m0,4#fd", "}", "}\x03", "\x03", "+", "-", "00", "$#00", "*", "#zz", "vCont;s:1;c"};

/* Half of them are made of the protocol's own pieces, the others of bytes that are instructions. */
static void add_random(uint64_t *state, ebb_buf *input)
{
    bool is_code = next_random(state) % 2;
    for (uint64_t n = next_random(state) % 24; n; n--) {
        if (is_code)
            ebb_buf_addc(input, (char)(next_random(state) % 0x36));
        else
            ebb_buf_adds(input, pieces[next_random(state) % (sizeof pieces / sizeof *pieces)]);
    }
    if (is_code)
        ebb_buf_addc(input, 0x27);
}
#endif
