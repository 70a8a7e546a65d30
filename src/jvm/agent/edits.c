/* edits.c - what ebb has the live program do at a stop goes into its recording; a replay that comes by does it again
 * (time/edits.h). */
#include "jvm/agent/internal.h"

#include "jvm/record/record.h"
#include "jvm/record/edits.h"
#include "jvm/record/log.h"
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
        return ebb_fail(err, EBB_UNSUPPORTED, agent.is_opened ? "This is a recording, which can't be changed: that takes the program itself (`ebb run`)."
                                              : "This is the past, which can't be changed (`branch` goes on live from here).");
    if (what != 0 && jvm_history == JVM_RECORDING)
        jvm_edit_log(what, jvm_self == NULL ? 0 : agent_thread_place(jvm_self), m->payload.data, m->payload.n);
    return EBB_OK;
}

/* RJ4: what is no request of these is nonsense; what it asks for is checked as if ebb had asked. */
static ebb_status do_again(uint64_t what, const ebb_buf *request, ebb_error *err)
{
    jvm_wire_message m = {.payload = *request};
    for (size_t i = 0; i < N_EDITS; i++)
        if (edits[i].number == what)
            m.code = edits[i].code;
    if (m.code == JVM_WIRE_NO_CODE)
        return ebb_fail(err, EBB_BAD_FILE, "the recording is damaged: nobody can do edit %llu", (unsigned long long)what);
    ebb_arena arena = {0};
    ebb_buf out = {0};
    (void)agent_do(&m, &arena, &out, NULL); /* one that failed fails again */
    ebb_buf_fini(&out);
    ebb_arena_fini(&arena);
    return jvm_is_replaying() ? EBB_OK : ebb_fail(err, EBB_NO_HISTORY, "it went live in what an edit called");
}

static const ebb_edit_hooks hooks = {jvm_time, do_again};

static void did(ebb_status status, size_t n, const ebb_error *err)
{
    if (status != EBB_OK && jvm_is_replaying())
        jvm_diverged("%s", err->text);
    if (n == 0)
        return;
    agent_release_kept();
    agent_choose_trace();
    agent_reenter();
}

static void do_all(void)
{
    ebb_error err;
    size_t n;
    ebb_status status = ebb_edits_redo(jvm_log_replay(), &hooks, &n, &err);
    did(status, n, &err);
}

void agent_do_edits(const jvm_frame *f, uint64_t time)
{
    ebb_error err;
    size_t n;
    const ebb_edit_hint *next = jvm_edit_next();
    if (next == NULL || time < next->at.timestamp)
        return; /* its place is not worth finding out */
    ebb_status status = ebb_edits_come_by(jvm_edits(), jvm_log_replay(), (ebb_position){time, jvm_frame_place(f)}, &hooks, &n, &err);
    did(status, n, &err);
}

void jvm_agent_replays(void)
{
    jvm_edit_hook = do_all;
    agent_choose_trace();
}
