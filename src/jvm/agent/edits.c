/* edits.c - what ebb has the live program do at a stop goes into its recording; a replay that comes by does it again
 * (record/edits.h). */
#include "jvm/agent/internal.h"

#include "jvm/record/record.h"
#include "jvm/record/edits.h"
#include "jvm/jvm.h"

static const struct {
    uint64_t number;
    uint16_t code;
} edits[] = {
#define JVM_EDIT(number, name) {number, JVM_WIRE_CODE_##name},
#include "jvm/record/edits.def"
};
enum { N_EDITS = sizeof edits / sizeof *edits };

static uint64_t number_of(uint16_t code)
{
    for (size_t i = 0; i < N_EDITS; i++)
        if (edits[i].code == code)
            return edits[i].number;
    return 0;
}

bool agent_is_edit(uint16_t code) { return number_of(code) != 0; }

ebb_status agent_log_edit(const jvm_wire_message *m, ebb_error *err)
{
    uint64_t what = number_of(m->code);
    if (what != 0 && agent.is_replay && !agent.is_scratch)
        return ebb_fail(err, EBB_UNSUPPORTED, "This is the past, which can't be changed (`branch` goes on live from here).");
    if (what != 0 && jvm_history == JVM_RECORDING)
        jvm_edit_log(what, jvm_self == NULL ? 0 : agent_thread_place(jvm_self), m->payload.data, m->payload.n);
    return EBB_OK;
}

/* RJ4: what is no request of these is nonsense; what it asks for is checked as if ebb had asked. */
static void do_again(uint64_t what, const ebb_buf *request)
{
    jvm_wire_message m = {.payload = *request};
    for (size_t i = 0; i < N_EDITS; i++)
        if (edits[i].number == what)
            m.code = edits[i].code;
    if (m.code == JVM_WIRE_NO_CODE)
        jvm_diverged("the recording is damaged: nobody can do edit %llu", (unsigned long long)what);
    ebb_arena arena = {0};
    ebb_buf out = {0};
    (void)agent_do(&m, &arena, &out, NULL); /* one that failed fails again */
    ebb_buf_fini(&out);
    ebb_arena_fini(&arena);
}

static void do_all(void)
{
    ebb_buf request = {0};
    uint64_t what;
    bool any = false;
    for (; jvm_edit_take(&what, &request); any = true)
        do_again(what, &request);
    ebb_buf_fini(&request);
    if (!any)
        return;
    agent_release_kept();
    agent_choose_trace();
}

static bool has_come(const jvm_edit_hint *h, const jvm_frame *f, uint64_t time)
{
    return time > h->time || (time == h->time && jvm_frame_place(f) >= h->place);
}

void agent_do_edits(const jvm_frame *f, uint64_t time)
{
    const jvm_edit_hint *h = jvm_edit_next();
    if (h == NULL || !has_come(h, f, time))
        return;
    do_all();
    if (time > h->time && jvm_edit_next() == h) /* RE2 */
        jvm_edit_pass();
}

void jvm_agent_replays(void)
{
    jvm_edit_hook = do_all;
    agent_choose_trace();
}
