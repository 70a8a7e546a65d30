/* dap_fuzz.c - hostile bytes for the framing of the Debug Adapter Protocol (DF1, DF2) and for base64.
 * driver.h says how it is run. */
#include "../driver.h"
#include "base/check.h"
#include "base/mem.h"
#include "front/dap/frame.h"
#include "front/serve/base64.h"

#include <string.h>

/* The same bytes in pieces of that size; how many messages there were, and how many bytes in them. */
static size_t messages_in(const char *bytes, size_t nbytes, size_t piece, size_t *total)
{
    dap_frames frames = {0};
    size_t n = 0;
    *total = 0;
    for (size_t at = 0; at < nbytes; at += piece) {
        const char *body;
        size_t length;
        ebb_error err;
        ebb_status status;
        dap_frames_add(&frames, bytes + at, nbytes - at < piece ? nbytes - at : piece);
        while ((status = dap_frames_next(&frames, &body, &length, &err)) == EBB_OK) {
            n++;
            *total += length;
            ebb_check(length <= DAP_MAX_BODY);
        }
        ebb_check(frames.bytes.n - frames.at <= nbytes);
        if (status == EBB_BAD_INPUT)
            break; /* DF2 */
    }
    dap_frames_fini(&frames);
    return n;
}

static void try_base64(const char *bytes, size_t nbytes)
{
    size_t n;
    char *text = front_base64((const uint8_t *)bytes, nbytes);
    uint8_t *back = front_base64_decode(text, &n);
    ebb_check(back && n == nbytes && memcmp(back, bytes, n) == 0);
    free(back);
    free(text);
    text = ebb_strndup(bytes, nbytes);
    free(front_base64_decode(text, &n));
    free(text);
}

static void try_input(const char *bytes, size_t nbytes)
{
    size_t whole, piecewise;
    size_t n = messages_in(bytes, nbytes, nbytes ? nbytes : 1, &whole);
    ebb_check(messages_in(bytes, nbytes, 1, &piecewise) == n && whole == piecewise);
    try_base64(bytes, nbytes);
}

#ifndef EBB_LIBFUZZER
static const char *const pieces[] = {"Content-Length: ", "content-length:", "\r\n", "\r\n\r\n", "\n", "0", "1", "7", "16777217", "99999999999999999999",
                                     "-1", " ", "\t", "{}", "{\"a\":1}", "X: y", ":", "Content-Length: 2\r\n\r\n{}", "\xff", "AAA=", "===="};

static void add_random(uint64_t *state, ebb_buf *input)
{
    for (uint64_t n = next_random(state) % 24; n; n--)
        ebb_buf_adds(input, pieces[next_random(state) % (sizeof pieces / sizeof *pieces)]);
}
#endif
