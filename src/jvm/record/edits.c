#include "jvm/record/edits.h"

#include "base/mem.h"
#include "jvm/record/internal.h"
#include "jvm/jvm.h"
#include "time/recording_format.h"

enum { SECTION_EDIT = 1 }; /* of those that are the machine's own */

void (*jvm_edit_hook)(void);

static struct {
    EBB_VEC(jvm_edit_hint) all; /* numbers go up */
    size_t next;                /* those before it have happened */
} hints;

/* ---- writing ---- */

static void add_hint(const jvm_edit_hint *h)
{
    ebb_buf section = {0};
    rec_add_varint(&section, SECTION_EDIT);
    rec_add_varint(&section, h->number);
    rec_add_varint(&section, h->time);
    rec_add_varint(&section, h->place);
    jvm_log_section(&section);
    ebb_buf_fini(&section);
}

void jvm_edit_log(uint64_t what, uint64_t place, const void *request, size_t nbytes)
{
    jvm_edit_hint hint = {jvm_record_cursor().number, jvm_time(), place};
    jvm_log_event(EBB_EVENT_EDIT);
    jvm_log_u(place);
    jvm_log_u(what);
    jvm_log_bytes(request, nbytes);
    jvm_log_end();
    add_hint(&hint);
}

/* ---- reading ---- */

static void take_hint(const ebb_buf *section)
{
    ebb_values v = {(const uint8_t *)section->data, (const uint8_t *)section->data + section->n, false};
    if (ebb_values_u64(&v) != SECTION_EDIT)
        return;
    jvm_edit_hint h = {.number = ebb_values_u64(&v)};
    h.time = ebb_values_u64(&v);
    h.place = ebb_values_u64(&v);
    while (hints.all.n > 0 && hints.all.items[hints.all.n - 1].number >= h.number)
        hints.all.n--; /* void by a cut */
    if (ebb_values_done(&v))
        ebb_vec_push(&hints.all, h);
}

ebb_status jvm_edits_read(ebb_error *err)
{
    ebb_recording *in = jvm_log_recording();
    ebb_buf section = {0};
    ebb_status status = ebb_recording_refresh(in, err);
    hints.all.n = hints.next = 0;
    for (size_t i = 0; status == EBB_OK && i < ebb_recording_count_sections(in); i++) {
        if (ebb_recording_section_kind(in, i) != EBB_SECTION_MACHINE)
            continue;
        status = ebb_recording_read_section(in, i, &section, err);
        if (status == EBB_OK)
            take_hint(&section);
    }
    ebb_buf_fini(&section);
    return status;
}

const jvm_edit_hint *jvm_edit_next(void)
{
    if (!jvm_is_replaying())
        return NULL;
    uint64_t here = jvm_record_cursor().number;
    while (hints.next > 0 && hints.all.items[hints.next - 1].number >= here)
        hints.next--; /* the log was gone back in */
    while (hints.next < hints.all.n && hints.all.items[hints.next].number < here)
        hints.next++;
    return hints.next < hints.all.n ? &hints.all.items[hints.next] : NULL;
}

void jvm_edit_pass(void)
{
    ebb_vec_remove(&hints.all, hints.next);
}

bool jvm_edit_take(uint64_t *what, ebb_buf *request)
{
    uint64_t time;
    size_t nbytes;
    if (jvm_log_peek(&time) != EBB_EVENT_EDIT || time != jvm_time())
        return false;
    (void)jvm_log_expect(EBB_EVENT_EDIT);
    (void)jvm_log_take_u();
    *what = jvm_log_take_u();
    const void *bytes = jvm_log_take_bytes(&nbytes);
    ebb_buf_truncate(request, 0);
    ebb_buf_add(request, bytes, nbytes);
    return true;
}

bool jvm_edit_is_at(uint64_t time, uint64_t place)
{
    for (size_t i = 0; i < hints.all.n; i++)
        if (hints.all.items[i].time == time && hints.all.items[i].place == place)
            return true;
    return false;
}
