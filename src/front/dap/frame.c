/* frame.c - a header is looked at only when all of it is there. */
#include "front/dap/frame.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

void dap_frames_fini(dap_frames *frames)
{
    ebb_buf_fini(&frames->bytes);
    frames->at = 0;
}

void dap_frames_add(dap_frames *frames, const char *bytes, size_t nbytes)
{
    ebb_buf_drop(&frames->bytes, frames->at);
    frames->at = 0;
    ebb_buf_add(&frames->bytes, bytes, nbytes);
}

/* The number after "Content-Length:"; false if it is none, or too big. */
static bool parse_length(const char *at, const char *end, size_t *length)
{
    size_t n = 0;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    const char *first = at;
    for (; at < end && isdigit((unsigned char)*at) && n <= DAP_MAX_BODY; at++)
        n = 10 * n + (size_t)(*at - '0');
    *length = n;
    return at > first && at == end && n <= DAP_MAX_BODY;
}

static ebb_status parse_header(const char *at, const char *end, size_t *length, ebb_error *err)
{
    static const char wanted[] = "Content-Length:";
    bool found = false;
    while (at < end) {
        const char *line_end = memmem(at, (size_t)(end - at), "\r\n", 2);
        if (!line_end)
            line_end = end;
        if ((size_t)(line_end - at) >= sizeof wanted - 1 && strncasecmp(at, wanted, sizeof wanted - 1) == 0) {
            if (!parse_length(at + sizeof wanted - 1, line_end, length))
                return ebb_fail(err, EBB_BAD_INPUT, "a message has no length that can be: at most %d bytes", DAP_MAX_BODY);
            found = true;
        }
        at = line_end + (line_end < end ? 2 : 0);
    }
    return found ? EBB_OK : ebb_fail(err, EBB_BAD_INPUT, "a message doesn't say how long it is (Content-Length)");
}

ebb_status dap_frames_next(dap_frames *frames, const char **body, size_t *nbytes, ebb_error *err)
{
    const char *begin = ebb_buf_text(&frames->bytes) + frames->at;
    size_t rest = frames->bytes.n - frames->at, length = 0;
    const char *header_end = rest ? memmem(begin, rest < DAP_MAX_HEADER ? rest : DAP_MAX_HEADER, "\r\n\r\n", 4) : NULL;
    if (!header_end)
        return rest < DAP_MAX_HEADER ? EBB_UNAVAILABLE : ebb_fail(err, EBB_BAD_INPUT, "a message begins with %d bytes of no header", DAP_MAX_HEADER);
    EBB_TRY(parse_header(begin, header_end, &length, err));
    size_t header = (size_t)(header_end - begin) + 4;
    if (rest - header < length)
        return EBB_UNAVAILABLE;
    *body = begin + header;
    *nbytes = length;
    frames->at += header + length;
    return EBB_OK;
}
