/* settings.c - see settings.h. */
#include "session/settings_impl.h"
#include "session/language.h"
#include "session/stack.h"
#include "session/snapshots.h"
#include "session/undo.h"

#include <ctype.h>
#include <string.h>

static const ses_setting table[] = {
#define SES_SETTING(name, kind, choices, initial, help)                                            \
    {name, SES_SETTING_##kind, choices, initial, help},
#include "session/settings.def"
#undef SES_SETTING
};
enum { N_SETTINGS = sizeof table / sizeof *table };

size_t ses_setting_count(void)
{
    return N_SETTINGS;
}

const ses_setting *ses_setting_at(size_t i)
{
    return i < N_SETTINGS ? &table[i] : NULL;
}

void ses_settings_init(session *s)
{
    s->settings = ebb_zalloc(N_SETTINGS * sizeof *s->settings);
    for (size_t i = 0; i < N_SETTINGS; i++)
        s->settings[i] = ebb_strdup(table[i].initial);
}

void ses_settings_fini(session *s)
{
    for (size_t i = 0; i < N_SETTINGS; i++)
        free(s->settings[i]);
    free(s->settings);
}

/* ---- names ---------------------------------------------------------------------------------- */

/* Whether each word of `typed` begins the same word of `name`; *exact if they are all of it. */
static bool words_match(const char *typed, const char *name, bool *exact)
{
    *exact = true;
    for (;;) {
        typed = ebb_text_skip_space(typed);
        name = ebb_text_skip_space(name);
        if (*typed == '\0' || *name == '\0')
            break;
        while (*typed && !isspace((unsigned char)*typed) && *typed == *name)
            typed++, name++;
        if (*typed && !isspace((unsigned char)*typed))
            return false;
        for (; *name && !isspace((unsigned char)*name); name++)
            *exact = false;
    }
    return *typed == '\0' && *name == '\0';
}

const ses_setting *ses_setting_find(const char *name)
{
    const ses_setting *found = NULL;
    for (size_t i = 0; i < N_SETTINGS; i++) {
        bool exact;
        if (!words_match(name, table[i].name, &exact))
            continue;
        if (exact)
            return &table[i];
        if (found)
            return NULL;
        found = &table[i];
    }
    return found;
}

/* ---- values --------------------------------------------------------------------------------- */

static bool is_one_of(const char *word, size_t n, const char *const *words)
{
    for (; *words; words++)
        if (strncmp(*words, word, n) == 0 && (*words)[n] == '\0')
            return true;
    return false;
}

static ebb_status normal_bool(const char *value, char **out, ebb_error *err)
{
    static const char *const on[] = {"on", "1", "yes", "enable", "", NULL}, *const off[] = {
                                                                                "off", "0", "no",
                                                                                "disable", NULL};
    size_t n = strlen(value);
    bool is_on = is_one_of(value, n, on);
    if (!is_on && !is_one_of(value, n, off))
        return ebb_fail(err, EBB_BAD_INPUT, "\"on\" or \"off\" expected.");
    *out = ebb_strdup(is_on ? "on" : "off");
    return EBB_OK;
}

static ebb_status normal_count(const char *value, char **out, ebb_error *err)
{
    uint64_t number;
    if (strcmp(value, "unlimited") == 0 || strcmp(value, "-1") == 0)
        number = 0;
    else if (!ebb_text_to_u64(value, &number) || number > UINT32_MAX)
        return ebb_fail(err, EBB_BAD_INPUT, "A number or \"unlimited\" is expected.");
    *out = number ? ebb_asprintf("%lu", (unsigned long)number) : ebb_strdup("unlimited");
    return EBB_OK;
}

static ebb_status normal_choice(const ses_setting *setting, const char *value, char **out,
                                ebb_error *err)
{
    size_t n = strlen(value);
    char *found = NULL;
    for (const char *at = setting->choices; n > 0 && *at;) {
        size_t length = strcspn(at, "|");
        bool exact = length == n && strncmp(at, value, n) == 0;
        if (exact || (!found && length > n && strncmp(at, value, n) == 0)) {
            free(found);
            found = ebb_strndup(at, length);
        }
        if (exact)
            break;
        at += length + (at[length] == '|');
    }
    if (!found && !strchr(setting->choices, '|'))
        return ebb_fail(err, EBB_BAD_INPUT, "\"%s\" is always %s here. %s.", setting->name, setting->choices, setting->help);
    if (!found)
        return ebb_fail(err, EBB_BAD_INPUT, "Undefined item: \"%.60s\"; one of %s is expected.",
                        value, setting->choices);
    *out = found;
    return EBB_OK;
}

static ebb_status normal_size(const ses_setting *setting, const char *value, char **out, ebb_error *err)
{
    uint64_t nbytes;
    if (setting->choices && normal_choice(setting, value, out, NULL) == EBB_OK)
        return EBB_OK;
    if (!ebb_text_to_size(value, &nbytes))
        return ebb_fail(err, EBB_BAD_INPUT, "A size such as 65536, 512k or 64M%s%s is expected.", setting->choices ? ", or one of " : "",
                        setting->choices ? setting->choices : "");
    *out = ebb_strdup(value);
    return EBB_OK;
}

static ebb_status normal_patterns(const char *value, char **out, ebb_error *err)
{
    for (const char *at = value + strspn(value, " ,\t"); *at; at += strspn(at, " ,\t")) {
        size_t n = strcspn(at, " ,\t");
        if (n < 2 || (*at != '+' && *at != '-'))
            return ebb_fail(err, EBB_BAD_INPUT, "\"%.*s\": patterns such as +com.example.* or -java.* are expected.", (int)n, at);
        at += n;
    }
    *out = ebb_strdup(value);
    return EBB_OK;
}

static ebb_status normalise(const ses_setting *setting, const char *value, char **out,
                            ebb_error *err)
{
    switch (setting->kind) {
    case SES_SETTING_BOOL: return normal_bool(value, out, err);
    case SES_SETTING_COUNT: return normal_count(value, out, err);
    case SES_SETTING_CHOICE: return normal_choice(setting, value, out, err);
    case SES_SETTING_SIZE: return normal_size(setting, value, out, err);
    case SES_SETTING_PATTERNS: return normal_patterns(value, out, err);
    case SES_SETTING_TEXT: *out = ebb_strdup(value); return EBB_OK;
    }
    ebb_unreachable();
}

static ebb_status find(const char *name, const ses_setting **setting, ebb_error *err)
{
    *setting = ses_setting_find(name);
    return *setting ? EBB_OK
                    : ebb_fail(err, EBB_NOT_FOUND,
                               "There is no setting \"%.80s\"; `help set` lists them.", name);
}

/* Changing a setting may mean that something else has to follow at once. */
static void follow_change(session *s)
{
    if (s->machine)
        s->language->apply_settings(s);
    if (s->machine)
        ses_apply_undo(s);
    ses_apply_snapshots(s);
    if (s->machine)
        ses_stack_forget(s);
}

ebb_status ses_setting_set(session *s, const char *name, const char *value, ebb_error *err)
{
    const ses_setting *setting;
    char *normal = NULL, *trimmed;
    EBB_TRY(find(name, &setting, err));
    if (strcmp(setting->name, "args") == 0)
        return ses_set_args(s, value ? value : "", err);
    trimmed = ebb_strdup(value ? value : "");
    ebb_status status =
        normalise(setting, setting->kind == SES_SETTING_TEXT ? trimmed : ebb_text_rtrim(trimmed),
                  &normal, err);
    free(trimmed);
    EBB_TRY(status);
    free(s->settings[setting - table]);
    s->settings[setting - table] = normal;
    follow_change(s);
    return EBB_OK;
}

ebb_status ses_setting_show(session *s, const char *name, ebb_buf *text, ebb_error *err)
{
    const ses_setting *setting;
    EBB_TRY(find(name, &setting, err));
    if (strcmp(setting->name, "args") == 0) {
        char *args = ses_args_text(s);
        ebb_buf_adds(text, args);
        free(args);
        return EBB_OK;
    }
    ebb_buf_adds(text, s->settings[setting - table]);
    return EBB_OK;
}

/* ---- for those who know the name ------------------------------------------------------------ */

/* Each value that is printed asks for a dozen of them, mostly by the same literals: where that one's was found last. */
static size_t index_of(const char *name)
{
    static uint16_t found[256];
    uint16_t *hint = &found[((uintptr_t)name ^ (uintptr_t)name >> 8) & 255];
    size_t i = *hint;
    if (strcmp(table[i].name, name) == 0)
        return i;
    for (i = 0; i < N_SETTINGS && strcmp(table[i].name, name) != 0;)
        i++;
    ebb_check(i < N_SETTINGS);
    *hint = (uint16_t)i;
    return i;
}

const char *ses_setting_text(const session *s, const char *name)
{
    return s->settings[index_of(name)];
}

bool ses_setting_is(const session *s, const char *name, const char *value)
{
    return strcmp(ses_setting_text(s, name), value) == 0;
}

bool ses_setting_flag(const session *s, const char *name)
{
    return ses_setting_is(s, name, "on");
}

uint64_t ses_setting_number(const session *s, const char *name)
{
    uint64_t number;
    return ebb_text_to_size(ses_setting_text(s, name), &number) ? number : 0;
}
