/* packet.c - bytes of the Java Debug Wire Protocol. */
#include "jvm/jdwp/packet.h"

#include <string.h>

void jdwp_put(ebb_buf *out, uint64_t number, unsigned nbytes)
{
    for (unsigned i = nbytes; i-- > 0;)
        ebb_buf_addc(out, (char)(number >> 8 * i));
}

void jdwp_put_text(ebb_buf *out, const char *text)
{
    jdwp_put(out, strlen(text), 4);
    ebb_buf_adds(out, text);
}

void jdwp_put_header(ebb_buf *out, size_t nbytes, uint32_t id, uint8_t flags, uint16_t code)
{
    jdwp_put(out, JDWP_HEADER + nbytes, 4);
    jdwp_put(out, id, 4);
    jdwp_put(out, flags, 1);
    jdwp_put(out, code, 2);
}

uint64_t jdwp_number(jdwp_in *in, unsigned nbytes)
{
    uint64_t number = 0;
    in->bad = in->bad || (size_t)(in->end - in->at) < nbytes;
    for (unsigned i = 0; i < nbytes && !in->bad; i++)
        number = number << 8 | *in->at++;
    return number;
}

const char *jdwp_text(jdwp_in *in, ebb_arena *arena)
{
    uint32_t n = jdwp_count(in, 1);
    const char *text = ebb_arena_strndup(arena, in->bad ? "" : (const char *)in->at, n);
    in->at += n;
    return text;
}

uint32_t jdwp_count(jdwp_in *in, unsigned nbytes_each)
{
    uint32_t n = jdwp_u32(in);
    in->bad = in->bad || n > (size_t)(in->end - in->at) / nbytes_each;
    return in->bad ? 0 : n;
}

jdwp_header jdwp_read_header(const uint8_t bytes[JDWP_HEADER])
{
    jdwp_in in = {.at = bytes, .end = bytes + JDWP_HEADER};
    jdwp_header h = {0};
    h.nbytes = jdwp_u32(&in);
    h.id = jdwp_u32(&in);
    h.flags = jdwp_u8(&in);
    h.code = (uint16_t)jdwp_number(&in, 2);
    return h;
}
