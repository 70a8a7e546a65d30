/* record_output.c - what the program writes to its standard output and error is recorded for who looks back (`info output`): replay writes nothing.
 *
 * A descriptor counts as long as it is open on what it was open on when recording began: a shell sends its own for others' sake elsewhere. */
#include "x86/inside/record.h"
#include "x86/inside/sys.h"
#include "x86/ring.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>

enum { STDOUT = 1, STDERR = 2 };

/* What a descriptor is open on. */
typedef struct place {
    uint64_t device, file, is_there;
} place;

static struct {
    place first;    /* when recording began */
    bool is_known;
    bool is_first;  /* it still is, */
    bool is_looked; /* ... as was found since somebody may have changed it */
} outputs[STDERR + 1];

static place place_of(long fd)
{
    struct stat st;
    if (x86_sys6(SYS_fstat, fd, (long)&st, 0, 0, 0, 0) != 0)
        return (place){0};
    return (place){st.st_dev, st.st_ino, 1};
}

void x86_note_outputs(void)
{
    for (long fd = STDOUT; fd <= STDERR; fd++)
        if (!outputs[fd].is_known) {
            outputs[fd].first = place_of(fd);
            outputs[fd].is_known = outputs[fd].is_first = outputs[fd].is_looked = true;
        }
}

static bool is_output(uint64_t fd)
{
    if ((uint32_t)fd != STDOUT && (uint32_t)fd != STDERR)
        return false;
    if (!outputs[fd].is_looked) {
        place now = place_of((long)fd);
        const place *first = &outputs[fd].first;
        outputs[fd].is_first = now.is_there && now.device == first->device && now.file == first->file;
        outputs[fd].is_looked = true;
    }
    return outputs[fd].is_first;
}

/* ---- bytes ------------------------------------------------------------------------------------ */

static void note_bytes(const x86_note *note, uint64_t fd, uint64_t at, uint64_t nbytes)
{
    for (size_t piece; nbytes; at += piece, nbytes -= piece) {
        ebb_event_writer w;
        piece = nbytes < X86_RECORDED_MAX_PIECE ? nbytes : X86_RECORDED_MAX_PIECE;
        if (!x86_ring_begin(note->ring, EBB_EVENT_PAIR_MAX_BYTES + piece, &w))
            return;
        uint8_t *to = ebb_event_with_bytes(&w, EBB_EVENT_OUTPUT, note->time, fd, piece);
        if (x86_inside_copy(to, at, piece) != piece)
            return;
        x86_ring_end(note->ring, &w);
    }
}

static void note_vector(const x86_note *note, uint64_t fd, uint64_t vector, uint64_t n, uint64_t nbytes)
{
    struct iovec one;
    for (uint64_t i = 0; i < n && nbytes && x86_sys_peek(&one, vector + i * sizeof one, sizeof one) == sizeof one; i++) {
        uint64_t piece = one.iov_len < nbytes ? one.iov_len : nbytes;
        note_bytes(note, fd, (uint64_t)one.iov_base, piece);
        nbytes -= piece;
    }
}

static void note_message(const x86_note *note, uint64_t fd, uint64_t at, uint64_t nbytes)
{
    struct msghdr message;
    if (x86_sys_peek(&message, at, sizeof message) == sizeof message)
        note_vector(note, fd, (uint64_t)message.msg_iov, message.msg_iovlen, nbytes);
}

void x86_note_output(const x86_note *note, const x86_called *call, long result)
{
    const uint64_t *a = call->arguments;
    const x86_call_row *row = x86_call_row_of(call->number);
    if (row && (row->fds == X86_FDS_CLOSES || row->fds == X86_FDS_COPIES))
        outputs[STDOUT].is_looked = outputs[STDERR].is_looked = false;
    const x86_pointer *source = result > 0 && (uint32_t)a[0] <= STDERR ? x86_call_source(row) : NULL;
    if (!source || !is_output(a[0]))
        return;
    switch (source->size) {
    case X86_SIZE_VECTOR: note_vector(note, a[0], a[1], a[source->of - 1], (uint64_t)result); return;
    case X86_SIZE_MESSAGE: note_message(note, a[0], a[1], (uint64_t)result); return;
    default: note_bytes(note, a[0], a[1], (uint64_t)result); return;
    }
}
