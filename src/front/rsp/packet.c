/* packet.c - see packet.h. */
#include "front/rsp/packet.h"

#include <stdint.h>
#include <string.h>

enum { CTRL_C = 0x03, ESCAPE = '}', ESCAPE_BIT = 0x20, CHECK_DIGITS = 2 };

void rsp_packets_fini(rsp_packets *packets)
{
    ebb_buf_fini(&packets->bytes);
    ebb_buf_fini(&packets->contents);
    packets->at = 0;
}

void rsp_packets_add(rsp_packets *packets, const char *bytes, size_t nbytes)
{
    ebb_buf_drop(&packets->bytes, packets->at);
    packets->at = 0;
    ebb_buf_add(&packets->bytes, bytes, nbytes);
}

/* ---- digits -------------------------------------------------------------------------------------- */

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

void rsp_add_hex(ebb_buf *out, const void *bytes, size_t nbytes)
{
    static const char digits[] = "0123456789abcdef";
    const uint8_t *at = bytes;
    for (size_t i = 0; i < nbytes; i++) {
        ebb_buf_addc(out, digits[at[i] >> 4]);
        ebb_buf_addc(out, digits[at[i] & 15]);
    }
}

bool rsp_take_hex(const char *digits, size_t n, ebb_buf *out)
{
    for (size_t i = 0; i + 1 < n; i += 2) {
        int high = digit(digits[i]), low = digit(digits[i + 1]);
        if (high < 0 || low < 0)
            return false;
        ebb_buf_addc(out, (char)(high << 4 | low));
    }
    return n % 2 == 0;
}

/* ---- reading -------------------------------------------------------------------------------------- */

static rsp_heard take_packet(rsp_packets *packets, const char *begin, const char *end)
{
    unsigned sum = 0;
    ebb_buf_truncate(&packets->contents, 0);
    for (const char *at = begin; at < end; at++) {
        sum += (uint8_t)*at;
        if (*at == ESCAPE && at + 1 < end) {
            at++;
            sum += (uint8_t)*at;
            ebb_buf_addc(&packets->contents, (char)(*at ^ ESCAPE_BIT));
        } else {
            ebb_buf_addc(&packets->contents, *at);
        }
    }
    int high = digit(end[1]), low = digit(end[2]);
    return high >= 0 && low >= 0 && (sum & 0xff) == (unsigned)(high << 4 | low) ? RSP_PACKET : RSP_DAMAGED;
}

static rsp_heard next_packet(rsp_packets *packets, const char *begin, size_t rest)
{
    const char *end = memchr(begin + 1, '#', rest - 1);
    if (!end || (size_t)(begin + rest - end) < 1 + CHECK_DIGITS)
        return rest > RSP_MAX_PACKET ? RSP_REFUSED : RSP_NOTHING;
    packets->at += (size_t)(end - begin) + 1 + CHECK_DIGITS;
    return end - begin > RSP_MAX_PACKET ? RSP_REFUSED : take_packet(packets, begin + 1, end);
}

rsp_heard rsp_packets_next(rsp_packets *packets)
{
    for (; packets->at < packets->bytes.n; packets->at++) {
        const char *at = packets->bytes.data + packets->at;
        if (*at == CTRL_C) {
            packets->at++;
            return RSP_INTERRUPT;
        }
        if (*at == '$')
            return next_packet(packets, at, packets->bytes.n - packets->at);
    }
    return RSP_NOTHING;
}

/* ---- writing -------------------------------------------------------------------------------------- */

void rsp_packet_make(ebb_buf *out, const char *contents, size_t nbytes)
{
    unsigned sum = 0;
    ebb_buf_addc(out, '$');
    size_t first = out->n;
    for (size_t i = 0; i < nbytes; i++) {
        bool is_special = contents[i] && strchr("#$}*", contents[i]);
        if (is_special)
            ebb_buf_addc(out, ESCAPE);
        ebb_buf_addc(out, is_special ? (char)(contents[i] ^ ESCAPE_BIT) : contents[i]);
    }
    for (size_t i = first; i < out->n; i++)
        sum += (uint8_t)out->data[i];
    ebb_buf_addf(out, "#%02x", sum & 0xff);
}
