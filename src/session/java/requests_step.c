/* requests_step.c - steps as the JVM's own debug agent makes them.
 *
 * A step of a line ends in its frame at another line, in a method with lines that it called, or where its frame was left: at the instruction
 * after the call, in the middle of a line or not. */
#include "session/java/java.h"
#include "session/java/requests.h"

static int line_at(session *s, machine_place place)
{
    ses_java_line line;
    return java_place_bci(place) != 0xffff && ses_java_line_at(s, place, &line) ? (int)line.line : -1;
}

static bool innermost(session *s, machine_tid thread, java_frame *frame)
{
    java_frames frames = {0};
    bool found = jvm_remote_frames(s->machine, thread, 0, 1, &frames, NULL) == EBB_OK && frames.n == 1;
    if (found)
        *frame = frames.items[0];
    ebb_vec_fini(&frames);
    return found;
}

static bool is_on_stack(session *s, machine_tid thread, uint64_t id)
{
    enum { AT_ONCE = 64 };
    bool found = false, more = true;
    for (unsigned first = 0; more && !found; first += AT_ONCE) {
        java_frames frames = {0};
        more = jvm_remote_frames(s->machine, thread, first, AT_ONCE, &frames, NULL) == EBB_OK && frames.n == AT_ONCE;
        for (size_t i = 0; i < frames.n && !found; i++)
            found = frames.items[i].id == id;
        ebb_vec_fini(&frames);
    }
    return found;
}

/* What is passed within the frame: the rest of the line's row, or all of the method. */
static void set_range(session *s, ses_java_request *r, machine_place place)
{
    ses_java_line line;
    r->step.lo = r->step.hi = 0;
    if (r->step_depth == JDWP_DEPTH_OUT) {
        r->step.lo = java_place_method(place);
        r->step.hi = r->step.lo | 0xffff;
    } else if (r->step_size == JDWP_SIZE_LINE && java_place_bci(place) != 0xffff && ses_java_line_at(s, place, &line)) {
        r->step.lo = line.lo;
        r->step.hi = line.hi;
    }
}

void ses_java_step_begin(session *s, ses_java_request *r)
{
    java_frame frame;
    r->step.is_on = innermost(s, r->thread, &frame);
    if (!r->step.is_on)
        return;
    r->step.frame = frame.id;
    r->step.line = line_at(s, frame.place);
    set_range(s, r, frame.place);
}

void ses_java_step_request(const ses_java_request *r, machine_request *out)
{
    out->move = MACHINE_STEP;
    out->lo = r->step.lo;
    out->hi = r->step.hi;
    out->frame = r->step.frame;
    out->over_calls = r->step_depth != JDWP_DEPTH_INTO;
    out->keep_filter = true;
}

/* In the frame where it began. */
static bool ends_in_frame(session *s, ses_java_request *r, machine_place place)
{
    if (r->step_depth != JDWP_DEPTH_OUT && (r->step_size == JDWP_SIZE_INSN || line_at(s, place) != r->step.line))
        return true;
    set_range(s, r, place);
    return false;
}

bool ses_java_step_ends(session *s, ses_java_request *r)
{
    java_frame frame;
    if (!innermost(s, r->thread, &frame))
        return false;
    if (frame.id == r->step.frame)
        return ends_in_frame(s, r, frame.place);
    if (is_on_stack(s, r->thread, r->step.frame))
        return r->step_depth == JDWP_DEPTH_INTO && line_at(s, frame.place) >= 0;
    return true; /* it was left */
}
