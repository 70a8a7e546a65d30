/* frame.h - messages of the Debug Adapter Protocol in a stream of bytes: "Content-Length: N", an empty line, N bytes of JSON.
 *
 * DF1  whatever the bytes are, memory stays bounded: a header of more than DAP_MAX_HEADER bytes and a message of more than
 *      DAP_MAX_BODY are refused;
 * DF2  after a refusal nothing more is understood: where the next message begins is not known. */
#ifndef EBB_FRONT_DAP_FRAME_H
#define EBB_FRONT_DAP_FRAME_H

#include "base/buf.h"
#include "base/error.h"

enum { DAP_MAX_HEADER = 4096, DAP_MAX_BODY = 16 << 20 };

typedef struct dap_frames {
    ebb_buf bytes;
    size_t at; /* what lies before has been understood */
} dap_frames;  /* zero-initialised is empty */

void dap_frames_fini(dap_frames *frames);
void dap_frames_add(dap_frames *frames, const char *bytes, size_t nbytes);
/* The next message, borrowed until more is added.  EBB_UNAVAILABLE: it isn't there yet; EBB_BAD_INPUT: DF2. */
ebb_status dap_frames_next(dap_frames *frames, const char **body, size_t *nbytes, ebb_error *err) EBB_MUST_CHECK;

#endif
