/* settings.h - what `set` and `show` know: one table (settings.def), many readers. */
#ifndef EBB_SESSION_SETTINGS_H
#define EBB_SESSION_SETTINGS_H

#include "session/session.h"

typedef enum ses_setting_kind {
    SES_SETTING_BOOL,   /* on, off, 1, 0, yes, no, enable, disable */
    SES_SETTING_COUNT,  /* a number; 0 or "unlimited" is no limit */
    SES_SETTING_CHOICE, /* one of `choices`, "a|b|c" */
    SES_SETTING_TEXT,
    SES_SETTING_SIZE,   /* bytes, with k, M, G; or one of `choices`, if there are any */
    SES_SETTING_PATTERNS, /* each with a `+` or `-` in front */
} ses_setting_kind;

typedef struct ses_setting {
    const char *name; /* "print elements" */
    ses_setting_kind kind;
    const char *choices;
    const char *initial;
    const char *help; /* one sentence */
} ses_setting;

size_t ses_setting_count(void);
const ses_setting *ses_setting_at(size_t i);
const ses_setting *ses_setting_find(const char *name); /* words may be abbreviated if unambiguous */

/* One clear line if there is no such setting, or the value doesn't fit it. */
ebb_status ses_setting_set(session *s, const char *name, const char *value, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_setting_show(session *s, const char *name, ebb_buf *text, ebb_error *err) EBB_MUST_CHECK; /* the bare value */

/* For those who know the setting: a name that isn't in the table is a bug. */
const char *ses_setting_text(const session *s, const char *name);
bool ses_setting_is(const session *s, const char *name, const char *value);
bool ses_setting_flag(const session *s, const char *name);
uint64_t ses_setting_number(const session *s, const char *name); /* 0 is no limit */

#endif
