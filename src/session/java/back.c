/* back.c - frames of Java, and which of them a person steps through: see back.h. */
#include "session/back/back.h"
#include "session/settings_impl.h"

#include <fnmatch.h>
#include <string.h>

enum { ACC_BRIDGE = 0x0040 };

bool ses_activation_at(session *s, machine_tid thread, unsigned depth, ses_activation *out)
{
    java_frames frames = {0};
    bool found = jvm_remote_frames(s->machine, thread, depth, 2, &frames, NULL) == EBB_OK && frames.n > 0;
    if (found)
        *out = (ses_activation){.thread = thread, .id = frames.items[0].id, .place = frames.items[0].place};
    if (found && frames.n > 1 && !frames.items[1].is_native) {
        out->has_caller = true;
        out->caller = frames.items[1].id;
        out->call = frames.items[1].place;
        out->back = frames.items[1].next;
    }
    ebb_vec_fini(&frames);
    return found;
}

bool ses_activation_is_innermost(session *s, const ses_activation *a)
{
    ses_activation top;
    return ses_activation_at(s, a->thread, 0, &top) && top.id == a->id &&
           java_place_method(top.place) == java_place_method(a->place);
}

/* Where the frame stands now; 0 if it isn't there. */
machine_place ses_activation_place(session *s, const ses_activation *a)
{
    enum { AT_FIRST = 4, AT_ONCE = 64 }; /* mostly it is one of the innermost */
    machine_place place = 0;
    bool more = true;
    for (unsigned depth = 0, n = AT_FIRST; more && !place; depth += n, n = AT_ONCE) {
        java_frames frames = {0};
        more = jvm_remote_frames(s->machine, a->thread, depth, n, &frames, NULL) == EBB_OK && frames.n == n;
        for (size_t i = 0; i < frames.n; i++)
            if (frames.items[i].id == a->id && java_place_method(frames.items[i].place) == java_place_method(a->place))
                place = frames.items[i].place;
        ebb_vec_fini(&frames);
    }
    return place;
}

unsigned ses_java_line_number(session *s, machine_place place)
{
    ses_java_line line;
    return place && ses_java_line_at(s, place, &line) ? line.line : 0;
}

/* As the machine's own filter decides for steps forward. */
static bool is_filtered(session *s, const java_class *cls)
{
    ebb_arena arena = {0};
    bool filtered = false;
    char *text = ebb_arena_strdup(&arena, ses_setting_text(s, "step-filter")), *rest = NULL;
    for (char *word = strtok_r(text, " ,\t", &rest); word; word = strtok_r(NULL, " ,\t", &rest))
        filtered |= strcmp(word, "library") == 0 ? cls->is_library : fnmatch(word, cls->name, 0) == 0;
    ebb_arena_fini(&arena);
    return filtered;
}

/* Whether a person steps through it: it has lines that somebody wrote, and isn't passed by the step filter. */
bool ses_java_is_shown(session *s, machine_place place)
{
    const java_class *cls;
    const java_method *method = ses_java_method(s, place, &cls);
    return method && method->has_lines && !(method->access & ACC_BRIDGE) && ses_java_line_number(s, place) && !is_filtered(s, cls);
}

ebb_status ses_java_now(session *s, ebb_position *now, ebb_error *err)
{
    return ebb_timeline_now(s->timeline, 0, now, err);
}
