/* eval.c - how values are shown, and values that are shown without being kept. */
#include "session/state.h"

expr_format ses_default_format(session *s)
{
    expr_format f = expr_format_default();
    f.elements_limit = (unsigned)ses_setting_number(s, "print elements");
    f.repeats_limit = (unsigned)ses_setting_number(s, "print repeats");
    f.depth_limit = (unsigned)ses_setting_number(s, "print max-depth");
    f.pretty = ses_setting_flag(s, "print pretty");
    f.address = ses_setting_flag(s, "print address");
    f.symbol = ses_setting_flag(s, "print symbol");
    f.null_stop = ses_setting_flag(s, "print null-stop");
    f.array_lines = ses_setting_flag(s, "print array");
    f.array_indexes = ses_setting_flag(s, "print array-indexes");
    f.object = ses_setting_flag(s, "print object");
    f.union_members = ses_setting_flag(s, "print union");
    return f;
}

ebb_status ses_output(session *s, const char *expression, const expr_format *format, ebb_buf *text,
                      ebb_error *err)
{
    ses_print_request request = {.expression = expression, .format = format, .keeps_void = true};
    return ses_print(s, &request, NULL, text, err);
}
