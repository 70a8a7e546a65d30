/* java.c - Java's table (language.h). */
#include "session/java/java.h"
#include "session/origin.h"

static uint64_t function_of(session *s, machine_place place)
{
    (void)s;
    return java_place_method(place);
}

static char *function_words(session *s, const ses_frame *frame)
{
    ebb_arena arena = {0};
    char *words = ebb_strdup(ses_java_method_name(s, &arena, frame->pc, true));
    ebb_arena_fini(&arena);
    return words;
}

static const char *spot_name(session *s, const sym_spot *spot)
{
    ebb_buf words = {0};
    ses_java_place_words(s, spot->addr, true, &words);
    const char *name = ses_intern(s, ebb_buf_text(&words));
    ebb_buf_fini(&words);
    return name;
}

static void mode_changed(session *s, ses_mode before)
{
    (void)s, (void)before; /* it is executed in one way only */
}

static long syscall_number(const char *name)
{
    (void)name;
    return -1; /* what Java calls is methods */
}

static const char *syscall_name(long number)
{
    (void)number;
    return NULL;
}

static void after_end(session *s)
{
    (void)s; /* what is asked then is answered by the recording */
}

static size_t frame_code(session *s, uint64_t frame, machine_place place, machine_code code[SES_FRAME_CODE])
{
    (void)s, (void)frame, (void)place, (void)code;
    return 0; /* the machine knows frames */
}

static bool value_is_at(const void *value, uint32_t space, uint64_t addr, size_t nbytes)
{
    (void)value, (void)space, (void)addr, (void)nbytes;
    return true; /* a field, an element or a variable is all that can be watched */
}

static uint64_t value_bits(const void *value, uint64_t addr, size_t nbytes)
{
    (void)value, (void)addr, (void)nbytes;
    return 0; /* there are no bit-fields */
}

const ses_language ses_language_java = {
    .name = "Java",
    .recorded_by = "jvm",
    .code_comes_later = true,
    .counts_time = true,
    .has_launcher = true,
    .traits = 1u << SES_THROWS_OBJECTS | 1u << SES_NAMES_BY_FILE | 1u << SES_SPEAKS_JDWP,
    .catches = 1u << SES_BP_CATCH_THREAD | 1u << SES_BP_CATCH_THROW | 1u << SES_BP_CATCH_CATCH,

#define SES_OWN(name, parameters, arguments) .name = ses_java_##name,
#include "session/language.def"
#undef SES_OWN

    .open_program = ses_java_open_program,
    .open_recording = ses_java_open_recording,
    .launch = ses_java_launch,
    .start = ses_java_start,
    .apply_settings = ses_java_apply_settings,
    .mode_changed = mode_changed,
    .sync_code = ses_java_sync_code,
    .await_code = ses_java_await_code,
    .ended = ses_java_ended,
    .after_end = after_end,

    .stack_begin = ses_java_stack_begin,
    .stack_extend = ses_java_stack_extend,
    .frame_entry = ses_java_frame_entry,
    .caller_of = ses_java_caller_of,

    .steps_find_callbacks = true,
    .activations = ses_java_activations,
    .row_at = ses_java_row_at,
    .line_starts = ses_java_line_starts,
    .is_shown = ses_java_is_shown,
    .entry_stop = ses_java_entry_stop,
    .own_entries = ses_java_own_entries,
    .frame_code = frame_code,
    .no_call = ses_java_no_call,
    .goes_alone = ses_java_is_independent,
    .back_alone = ses_java_back_alone,

    .counting = &ses_java_counting,

    .is_helper_thread = ses_java_is_helper_thread,
    .thread_words = ses_java_thread_words,
    .place_words = ses_java_place_words,

    .where_here = ses_java_where_here,
    .where_parse = ses_java_where_parse,
    .where_spots = ses_java_where_spots,
    .spot_name = spot_name,
    .where_line = ses_java_where_line,
    .function_of = function_of,
    .function_words = function_words,
    .main_line = ses_java_main_line,
    .is_before_main = ses_java_is_before_main,
    .source_file = ses_java_source_file,
    .source_name = ses_java_source_name,

    .check_expression = ses_java_check_expression,
    .check_condition = ses_java_check_condition,
    .condition_code = ses_java_condition_code,
    .parse = ses_java_parse,
    .parse_prefix = ses_java_parse_prefix,
    .truth = ses_java_truth,
    .argument = ses_java_argument,
    .watch_aim = ses_java_watch_aim,
    .watch_value = ses_java_watch_value,
    .watch_before = ses_java_watch_before,
    .watch_is_told = ses_java_watch_is_told,
    .watch_text = ses_java_watch_text,
    .watch_is_static = ses_java_watch_is_static,
    .watch_is_of_all = ses_java_watch_is_of_all,
    .watch_survives = ses_java_watch_survives,
    .watch_drop = ses_java_watch_drop,
    .value_same = ses_java_value_same,
    .value_is_at = value_is_at,
    .value_bits = value_bits,
    .value_text = ses_java_value_text,
    .value_of_int = ses_java_value_of_int,
    .value_drop = ses_java_value_drop,

    .origin_follow = ses_java_origin_follow,
    .origin_remembered = ses_java_origin_remembered,
    .values_remembered = ses_java_values_remembered,
    .flow_remembered = ses_java_flow_remembered,
    .flow_follow = ses_java_flow_follow,
    .why_follow = ses_java_why_follow,
    .aliases_info = ses_java_aliases_info,
    .printed_by_now = ses_java_printed_by_now,
    .save_schedule = ses_java_save_schedule,
    .syscall_number = syscall_number,
    .syscall_name = syscall_name,
    .is_exception_of = ses_java_is_exception_of,
    .exception_words = ses_java_exception_words,
    .exception_value = ses_java_exception_value,
    .exception_here = ses_java_exception_here,
};
