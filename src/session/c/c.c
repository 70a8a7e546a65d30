/* c.c - C's table (language.h). */
#include "session/c/c.h"
#include "session/c/modules.h"
#include "session/c/step.h"
#include "session/origin.h"
#include "x86/native.h"

static bool is_helper_thread(session *s, machine_tid tid)
{
    (void)s, (void)tid;
    return false;
}

static void thread_words(session *s, machine_tid tid, ebb_buf *text)
{
    (void)s;
    ebb_buf_addf(text, "LWP %ld", (long)tid);
}

static void place_words(session *s, machine_place place, bool to_instruction, ebb_buf *text)
{
    sym_line line;
    if (!to_instruction && sym_line_at(s->symbols, place, &line))
        ebb_buf_addf(text, "%s:%u", ebb_path_base(line.name), line.line);
    else
        ebb_buf_addf(text, "0x%lx", (unsigned long)place);
}

static const char *spot_name(session *s, const sym_spot *spot)
{
    (void)s, (void)spot;
    return NULL;
}

static void await_code(session *s)
{
    (void)s; /* every module that comes is looked at */
}

static bool goes_alone(session *s)
{
    (void)s; /* the setting is for Java programs */
    return false;
}

static ebb_status back_alone(session *s, ses_move_back *move, const void *how, ses_stop *stop, ebb_error *err)
{
    (void)s, (void)move, (void)how, (void)stop;
    return ebb_fail(err, EBB_UNSUPPORTED, "Only a thread of a Java program can go back alone.");
}

static ebb_status save_schedule(session *s, const char *path, ebb_error *err)
{
    (void)s, (void)path;
    return ebb_fail(err, EBB_UNSUPPORTED, "Schedules are those of Java programs: of a native one there is none to save.");
}

/* By where it is declared: overloads, and other files, have functions of that name, too. */
static char *function_words(session *s, const ses_frame *frame)
{
    (void)s;
    const sym_function_info *info = frame->function ? sym_function_get_info(frame->function) : NULL;
    if (info)
        return ebb_asprintf("%s:%u:%s", info->decl_file ? info->decl_file : "", info->decl_line, info->name);
    return frame->name ? ebb_strdup(frame->name) : NULL;
}

static char *watch_before(session *s, const void *target)
{
    (void)s, (void)target;
    return NULL;
}

static bool watch_is_static(const void *target)
{
    (void)target;
    return false;
}

static bool watch_is_of_all(const void *target)
{
    (void)target;
    return false;
}

static bool watch_survives(const void *target)
{
    (void)target; /* an expression */
    return true;
}

static bool is_exception_of(session *s, const char *class_name, uint64_t object)
{
    (void)s, (void)class_name, (void)object;
    return false;
}

static void exception_words(session *s, uint64_t object, ebb_buf *text)
{
    (void)s, (void)object, (void)text;
}

static void *exception_value(session *s, uint64_t object)
{
    (void)s, (void)object;
    return NULL;
}

ebb_status ses_c_operands_get(session *s, ebb_arena *arena, ses_operands *out, ebb_error *err)
{
    (void)s, (void)arena, (void)out;
    return ebb_fail(err, EBB_UNSUPPORTED, "Only Java programs have an operand stack.");
}

ebb_status ses_c_class_list(session *s, ebb_arena *arena, ses_classes *out, ebb_error *err)
{
    (void)s, (void)arena, (void)out;
    return ebb_fail(err, EBB_UNSUPPORTED, "Only Java programs have classes; `info sharedlibrary` lists what is loaded.");
}

ebb_status ses_c_source_list(session *s, sym_names *paths, ebb_error *err)
{
    (void)err;
    if (s->symbols)
        sym_source_files(s->symbols, NULL, paths);
    return EBB_OK;
}

ebb_status ses_c_thread_details_get(session *s, ebb_arena *arena, ses_thread_details *out, ebb_error *err)
{
    (void)s, (void)arena, (void)out, (void)err;
    return EBB_OK;
}

const ses_language ses_language_c = {
    .name = "C",
    .recorded_by = "x86",
    .traits = 1u << SES_HAS_ADDRESSES,
    .frames_grow_down = true,
    .bounds_recordings = true,
    .records_modules = true,
    .code_is_of_its_moment = true,
    .catches = 1u << SES_BP_CATCH_FORK | 1u << SES_BP_CATCH_VFORK | 1u << SES_BP_CATCH_EXEC |
               1u << SES_BP_CATCH_SYSCALL | 1u << SES_BP_CATCH_SIGNAL | 1u << SES_BP_CATCH_THREAD,
    .catches_live_only = 1u << SES_BP_CATCH_EXEC,

#define SES_OWN(name, parameters, arguments) .name = ses_c_##name,
#include "session/language.def"
#undef SES_OWN

    .open_program = ses_c_open_program,
    .open_recording = ses_c_open_recording,
    .launch = ses_c_launch,
    .start = ses_c_start,
    .apply_settings = ses_c_apply_settings,
    .mode_changed = ses_c_mode_changed,
    .sync_code = ses_modules_sync,
    .await_code = await_code,
    .ended = ses_c_ended,
    .after_end = ses_c_after_end,

    .stack_begin = ses_c_stack_begin,
    .stack_extend = ses_c_stack_extend,
    .frame_entry = ses_c_frame_entry,
    .caller_of = ses_c_caller_of,

    .activations = ses_c_activations,
    .row_at = ses_c_row_at,
    .line_starts = ses_c_line_starts,
    .is_shown = ses_c_is_shown,
    .entry_stop = ses_c_entry_stop,
    .own_entries = ses_c_own_entries,
    .frame_code = ses_c_frame_code,
    .no_call = ses_c_no_call,
    .goes_alone = goes_alone,
    .back_alone = back_alone,

    .counting = &ses_c_counting,

    .is_helper_thread = is_helper_thread,
    .thread_words = thread_words,
    .place_words = place_words,

    .where_here = ses_c_where_here,
    .where_parse = ses_c_where_parse,
    .where_spots = ses_c_where_spots,
    .spot_name = spot_name,
    .where_line = ses_c_where_line,
    .function_of = ses_function_entry_at,
    .function_words = function_words,
    .main_line = ses_c_main_line,
    .is_before_main = ses_c_is_before_main,
    .source_file = ses_c_source_file,
    .source_name = ses_c_source_name,

    .check_expression = ses_c_check_expression,
    .check_condition = ses_c_check_condition,
    .condition_code = ses_c_condition_code,
    .parse = ses_c_parse,
    .parse_prefix = ses_c_parse_prefix,
    .truth = ses_c_truth,
    .argument = ses_c_argument,
    .watch_aim = ses_c_watch_aim,
    .watch_value = ses_c_watch_value,
    .watch_before = watch_before,
    .watch_is_told = ses_c_watch_is_told,
    .watch_text = ses_c_watch_text,
    .watch_is_static = watch_is_static,
    .watch_is_of_all = watch_is_of_all,
    .watch_survives = watch_survives,
    .watch_drop = ses_c_watch_drop,
    .value_same = ses_c_value_same,
    .value_is_at = ses_c_value_is_at,
    .value_bits = ses_c_value_bits,
    .value_text = ses_c_value_text,
    .value_of_int = ses_c_value_of_int,
    .value_drop = ses_c_value_drop,

    .origin_follow = ses_c_origin_follow,
    .origin_remembered = ses_c_origin_remembered,
    .values_remembered = ses_c_values_remembered,
    .flow_remembered = ses_c_origin_remembered,
    .aliases_info = ses_c_aliases_info,
    .flow_follow = ses_c_flow_follow,
    .why_follow = ses_c_why_follow,
    .printed_by_now = ses_c_printed_by_now,
    .save_schedule = save_schedule,

    .syscall_number = x86_syscall_number,
    .syscall_name = x86_syscall_name,

    .is_exception_of = is_exception_of,
    .exception_words = exception_words,
    .exception_value = exception_value,
    .exception_here = ses_c_exception_here,
};
