/* back.c - what stepping back asks of Java (language.h): activations, lines, and what a person steps through. */
#include "session/java/java.h"
#include "session/settings_impl.h"

#include <fnmatch.h>
#include <string.h>

enum { ACC_BRIDGE = 0x0040 };

/* ---- frames ------------------------------------------------------------------------------------- */

static ses_frame_id id_of(const java_frame *frame)
{
    return (ses_frame_id){.cfa = frame->id, .entry = java_place_method(frame->place)};
}

/* An initialiser is called by an instruction that then does what it is there for.  Its last instruction returns, unless it
 * can't end. */
static machine_place last_of_initialiser(session *s, machine_place place)
{
    const java_class *cls;
    const java_code *code;
    machine_insn insn;
    const java_method *method = ses_java_method(s, place, &cls);
    if (!method || strcmp(method->name, "<clinit>") != 0 || jvm_remote_code(s->machine, method->id, &code, NULL) != EBB_OK)
        return 0;
    machine_place last = method->id + code->nbytes - 1;
    bool returns = s->machine->ops->decode(s->machine, last, &insn, NULL) == EBB_OK && insn.nbytes == 1 && insn.is_return;
    return returns ? last : 0;
}

/* What a native method called, the bytecode that called the native made: that is where a person comes from. */
static ses_activation activation_of(session *s, machine_tid thread, const java_frames *frames, size_t i)
{
    const java_frame *frame = &frames->items[i], *caller = NULL;
    ses_activation a = {.thread = thread, .id = id_of(frame), .place = frame->place};
    for (size_t k = i + 1; !caller && k < frames->n; k++)
        caller = frames->items[k].is_native ? NULL : &frames->items[k];
    if (caller) {
        a.has_caller = true;
        a.caller = id_of(caller);
        a.call = caller->place;
        a.back = caller->next;
        a.leaves_at = last_of_initialiser(s, frame->place);
    }
    return a;
}

size_t ses_java_activations(session *s, machine_tid thread, unsigned first, ses_activation *out, size_t n)
{
    enum { NATIVES = 4 }; /* in a row, at most: two are rare */
    java_frames frames = {0};
    size_t there = 0;
    if (jvm_remote_frames(s->machine, thread, first, (unsigned)n + NATIVES + 1, &frames, NULL) == EBB_OK)
        for (; there < n && there < frames.n; there++)
            out[there] = activation_of(s, thread, &frames, there);
    ebb_vec_fini(&frames);
    return there;
}

/* ---- lines -------------------------------------------------------------------------------------- */

bool ses_java_row_at(session *s, machine_place place, unsigned inlined, ses_row *row)
{
    ses_java_line line;
    if (!ses_java_line_at(s, place, &line))
        return false;
    *row = (ses_row){.line = line.line, .lo = ses_java_begins_line(s, place) ? place : line.lo, .hi = line.hi};
    return line.line != 0;
}

ebb_status ses_java_line_starts(session *s, machine_place place, ses_places *out, ebb_error *err)
{
    const java_code *code;
    machine_place method = java_place_method(place);
    EBB_TRY(jvm_remote_code(s->machine, method, &code, err));
    for (size_t i = 0; i < code->n_lines; i++)
        ebb_vec_push(out, method + code->lines[i].bci);
    for (size_t i = 0; i < code->n_loops; i++)
        ebb_vec_push(out, method + code->loops[i]);
    return EBB_OK;
}

/* ---- what a person steps through ---------------------------------------------------------------- */

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

/* It has lines that somebody wrote, and isn't passed by the step filter. */
bool ses_java_is_shown(session *s, machine_place place)
{
    const java_class *cls;
    ses_row row;
    const java_method *method = ses_java_method(s, place, &cls);
    return method && method->has_lines && !(method->access & ACC_BRIDGE) && ses_java_row_at(s, place, 0, &row) && !is_filtered(s, cls);
}

static void add_entries(session *s, const java_class *cls, ses_places *out)
{
    for (size_t i = 0; i < cls->n_methods; i++)
        if (cls->methods[i].n_code > 0 && ses_java_is_shown(s, cls->methods[i].id))
            ebb_vec_push(out, cls->methods[i].id);
}

ebb_status ses_java_own_entries(session *s, ses_places *out, ebb_error *err)
{
    java_class_ids classes = {0};
    ebb_status status = jvm_remote_classes_like(s->machine, "", SIZE_MAX, &classes, err);
    for (size_t i = 0; status == EBB_OK && i < classes.n; i++) {
        const java_class *cls;
        status = jvm_remote_class(s->machine, classes.items[i], &cls, err);
        if (status == EBB_OK && !is_filtered(s, cls))
            add_entries(s, cls, out);
    }
    ebb_vec_fini(&classes);
    return status;
}

/* The machine's filter has passed what is to be passed. */
machine_place ses_java_entry_stop(session *s, machine_place place)
{
    return place;
}

ebb_status ses_java_no_call(session *s, const ses_frame *frame, ebb_error *err)
{
    return ebb_fail(err, EBB_BAD_INPUT, "\"reverse-finish\" not meaningful in the outermost frame: no code of the program called %s.", frame->name);
}
