/* info.c - info line, source, frame of a Java program; and, in one clear line each, what Java has no notion of. */
#include "session/java/java.h"
#include "session/source.h"
#include "session/stack.h"

#include <string.h>

ebb_status ses_java_info_line(session *s, const char *where_text, ebb_buf *text, ebb_error *err)
{
    ebb_arena arena = {0};
    sym_spots spots = {0};
    ses_where where;
    EBB_TRY(ses_need_debuggee(s, err));
    ebb_status status = ses_where_parse(s, &arena, where_text ? where_text : "", &where, err);
    if (status == EBB_OK)
        status = ses_where_spots(s, &where, &spots, err);
    for (size_t i = 0; status == EBB_OK && i < spots.n; i++) {
        ses_java_line line;
        const char *name = ses_java_method_name(s, &arena, spots.items[i].addr, false);
        if (!ses_java_line_at(s, spots.items[i].addr, &line))
            ebb_buf_addf(text, "%s has no line numbers.\n", name);
        else
            ebb_buf_addf(text, "Line %u of \"%s\" is bytecode %u to %u of %s.\n", line.line,
                         spots.items[i].file_name ? spots.items[i].file_name : "?", java_place_bci(line.lo),
                         java_place_bci(line.hi - 1), name);
    }
    ebb_vec_fini(&spots);
    ebb_arena_fini(&arena);
    return status;
}

ebb_status ses_java_info_source(session *s, ebb_buf *text, ebb_error *err)
{
    const char *file;
    unsigned line, n;
    if (!ses_where_default(s, &file, &line))
        return ebb_fail(err, EBB_NOT_FOUND, "No current source file.");
    ebb_buf_addf(text, "Current source file is %s\n", ebb_path_base(file));
    if (ses_source_count(s, file, &n))
        ebb_buf_addf(text, "Located in %s\nContains %u line%s.\n", file, n, n == 1 ? "" : "s");
    else
        ebb_buf_addf(text, "It was not found; `directory DIR` says where %s is.\n", file);
    ebb_buf_adds(text, "Source language is java.\n");
    return EBB_OK;
}

static void put_class(session *s, const ses_frame *frame, ebb_buf *text)
{
    const java_class *cls;
    const java_method *method = ses_java_method(s, frame->pc, &cls);
    if (!method)
        return;
    ebb_buf_addf(text, " class %s%s, method %s%s\n", cls->name, cls->is_library ? " (of the JDK)" : "", method->name,
                 method->descriptor);
    ebb_buf_addf(text, " %u slots of local variables, %u bytes of bytecode\n", method->max_locals, method->n_code);
}

ebb_status ses_java_info_frame(session *s, ebb_buf *text, ebb_error *err)
{
    const ses_frame *frame, *outer;
    EBB_TRY(ses_frame_selected(s, &frame, err));
    ebb_buf_addf(text, "Stack level %u, activation 0x%lx:\n at %s", frame->level, (unsigned long)frame->regs.cfa,
                 frame->place);
    if (frame->has_line)
        ebb_buf_addf(text, " (%s:%u)", frame->line.name, frame->line.line);
    ebb_buf_adds(text, frame->is_native ? ", a native method\n" : "\n");
    put_class(s, frame, text);
    if (ses_frame_get(s, frame->level + 1, &outer, NULL) == EBB_OK)
        ebb_buf_addf(text, " called by %s\n", outer->place);
    ebb_arena arena = {0};
    ses_named_values args = {0};
    if (ses_frame_args(s, &arena, frame->level, true, &args, NULL) == EBB_OK && args.n) {
        ebb_buf_adds(text, " args: ");
        for (size_t i = 0; i < args.n; i++)
            ebb_buf_addf(text, "%s%s=%s", i ? ", " : "", args.items[i].name, args.items[i].value);
        ebb_buf_addc(text, '\n');
    }
    ebb_vec_fini(&args);
    ebb_arena_fini(&arena);
    return EBB_OK;
}

/* ---- what Java has not ---------------------------------------------------------------------- */

ebb_status ses_java_examine(session *s, const char *arguments, ebb_buf *text, ebb_error *err)
{
    (void)s, (void)arguments, (void)text;
    return ebb_fail(err, EBB_UNSUPPORTED,
                    "Java objects have no addresses to examine; `print`, `info stack` and `disassemble` show what there is.");
}

ebb_status ses_java_symbol_at(session *s, const char *expression, ebb_buf *text, ebb_error *err)
{
    (void)s, (void)expression, (void)text;
    return ebb_fail(err, EBB_UNSUPPORTED, "A Java program has no symbols at addresses; `info line` and `ptype` tell of its code.");
}

ebb_status ses_java_info_vtbl(session *s, const char *expression, ebb_buf *text, ebb_error *err)
{
    (void)s, (void)expression, (void)text;
    return ebb_fail(err, EBB_UNSUPPORTED, "Java's classes show no tables of functions; `ptype` tells of their methods.");
}

ebb_status ses_java_address_of(session *s, const char *name, ebb_buf *text, ebb_error *err)
{
    (void)s, (void)name, (void)text;
    return ebb_fail(err, EBB_UNSUPPORTED, "Nothing in a Java program has an address; `info stack` shows which slot a variable is in.");
}

ebb_status ses_java_registers_get(session *s, ebb_arena *arena, const char *names, ses_registers *out, ebb_error *err)
{
    (void)s, (void)arena, (void)names, (void)out;
    return ebb_fail(err, EBB_UNSUPPORTED, "Bytecode has no registers; `info stack` shows the operand stack and the local variables.");
}

ebb_status ses_java_jump(session *s, const char *where, ses_stop *stop, ebb_error *err)
{
    (void)s, (void)where, (void)stop;
    return ebb_fail(err, EBB_UNSUPPORTED, "A Java method can't be entered in the middle: what its operand stack must hold there is not known.");
}

ebb_status ses_java_return_from(session *s, const char *expression, ebb_error *err)
{
    (void)s, (void)expression;
    return ebb_fail(err, EBB_UNSUPPORTED, "Frames of a Java program can't be popped yet; `finish` runs to the return.");
}

ebb_status ses_java_printed_by_now(session *s, ebb_buf *newest, uint64_t *total, ebb_error *err)
{
    return jvm_remote_printed(s->machine, newest, total, err);
}
