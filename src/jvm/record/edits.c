/* edits.c - the edits of this process's recording. */
#include "jvm/record/edits.h"

#include "jvm/record/internal.h"
#include "jvm/jvm.h"

void (*jvm_edit_hook)(void);

void jvm_edit_log(uint64_t what, uint64_t place, const void *request, size_t nbytes)
{
    ebb_error err;
    ebb_edit e = {.at = {jvm_time(), place}, .what = what, .how = request, .nbytes = nbytes};
    jvm_log_report(ebb_edit_record(jvm_log_recorder(), &e, &err), &err);
}

ebb_edits *jvm_edits(void)
{
    static ebb_edits *edits;
    if (edits == NULL)
        edits = ebb_edits_new();
    return edits;
}

ebb_status jvm_edits_read(ebb_error *err) { return ebb_edits_read(jvm_edits(), jvm_log_recording(), err); }

const ebb_edit_hint *jvm_edit_next(void)
{
    return jvm_is_replaying() ? ebb_edits_next(jvm_edits(), jvm_record_cursor().number) : NULL;
}
