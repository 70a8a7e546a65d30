/* flow_settings.c - the settings by which a Java program keeps aliases (jvm/flow/flow.h). */
#include "session/java/java.h"

#include "base/buf.h"
#include "jvm/remote/remote.h"
#include "session/settings.h"
#include "session/time.h"

#include <string.h>

#define X(name, text) text,
static const char *const kind_names[] = {JAVA_ALIAS_KINDS(X)};
#undef X

static uint32_t kind_named(const char *word)
{
    for (unsigned kind = 0; kind < JAVA_N_ALIAS_KINDS; kind++)
        if (strcmp(word, kind_names[kind]) == 0)
            return (uint32_t)1 << kind;
    return 0;
}

static void say_no_kind(session *s, const char *word)
{
    ebb_buf names = {0};
    for (unsigned kind = JAVA_ALIAS_ALLOCATION; kind <= JAVA_ALIAS_COPY; kind++)
        ebb_buf_addf(&names, " %s", kind_names[kind]);
    ses_say(s, SES_NOTICE_WARNING, 0, "flow-kinds: \"%.40s\" is no kind of link; there are:%s.", word, ebb_buf_text(&names));
    ebb_buf_fini(&names);
}

/* A word that names no kind keeps none; all are left out then, which is what the user wrote. */
static uint32_t kinds_named(session *s, const ses_name_list *words)
{
    uint32_t kinds = 0;
    for (size_t i = 0; i < words->n; i++) {
        uint32_t kind = kind_named(words->items[i]);
        if (!kind)
            say_no_kind(s, words->items[i]);
        kinds |= kind;
    }
    return words->n > 0 ? kinds | 1 : 0;
}

static enum java_flow_mode flow_mode(session *s)
{
    return ses_setting_is(s, "flow", "on") ? JAVA_FLOW_ALL : ses_setting_is(s, "flow", "writes") ? JAVA_FLOW_WRITES
           : ses_setting_is(s, "flow", "null") ? JAVA_FLOW_NULLS : JAVA_FLOW_OFF;
}

/* Telling the machine again what it was told would make it forget what it knows. */
static bool is_flow_told(session *s)
{
    static const char *const settings[] = {"flow", "flow-classes", "flow-kinds", "flow-limit", "flow-origins", "flow-predecessors"};
    ebb_buf words = {0};
    for (size_t i = 0; i < sizeof settings / sizeof *settings && flow_mode(s) != JAVA_FLOW_OFF; i++)
        ebb_buf_addf(&words, "%s\n", ses_setting_text(s, settings[i]));
    ebb_buf_addf(&words, "%lld", flow_mode(s) == JAVA_FLOW_OFF ? 0 : (long long)s->machine->ops->pid(s->machine));
    const char *now = ebb_buf_text(&words), *told = s->java->flow_told;
    bool same = told == NULL ? flow_mode(s) == JAVA_FLOW_OFF : strcmp(now, told) == 0;
    free(s->java->flow_told);
    s->java->flow_told = ebb_strdup(now);
    ebb_buf_fini(&words);
    return same;
}

void ses_java_apply_flow(session *s)
{
    ebb_arena arena = {0};
    ses_name_list patterns = ses_java_words_of(s, &arena, "flow-classes"), kinds = ses_java_words_of(s, &arena, "flow-kinds");
    java_flow_choice choice = {.mode = flow_mode(s), .no_origins = !ses_setting_is(s, "flow-origins", "on"),
                               .no_predecessors = !ses_setting_is(s, "flow-predecessors", "on"),
                               .limit = ses_setting_number(s, "flow-limit"), .patterns = patterns.items, .n_patterns = patterns.n};
    ebb_error err = {0};
    if (!is_flow_told(s)) {
        choice.kinds = kinds_named(s, &kinds);
        if (jvm_remote_flow_set(s->machine, &choice, &err) != EBB_OK)
            ses_say(s, SES_NOTICE_WARNING, 0, "No aliases are kept: %s", err.text);
    }
    ebb_vec_fini(&patterns);
    ebb_vec_fini(&kinds);
    ebb_arena_fini(&arena);
}

ebb_status ses_java_aliases_info(session *s, ses_aliases_info *out, ebb_error *err)
{
    static const char *const words[] = {[JAVA_FLOW_OFF] = "off", [JAVA_FLOW_ALL] = "on", [JAVA_FLOW_WRITES] = "writes", [JAVA_FLOW_NULLS] = "null"};
    java_flow_extent extent;
    EBB_TRY(jvm_remote_flow_extent(s->machine, &extent, err));
    *out = (ses_aliases_info){.is_on = extent.mode != JAVA_FLOW_OFF, .kept = words[extent.mode], .since = extent.since, .made = extent.made, .alive = extent.alive,
                              .nbytes = extent.nbytes, .is_cut = extent.dropped};
    return EBB_OK;
}
