/* values.c - Java values that outlive their evaluation (JV2). */
#include "session/java/java.h"

#include <string.h>

typedef struct kept_value {
    unsigned run;     /* of which debuggee */
    java_value value; /* its type is good only during that run */
    char *descriptor; /* of its type */
    char *text;       /* value.text's own copy; NULL if it has none */
    char *shown;      /* all that is left of an object that is gone; NULL: it isn't */
} kept_value;

static char *copy(const char *text)
{
    return text ? ebb_strdup(text) : NULL;
}

void *ses_java_keep(session *s, const java_value *value, const char *shown)
{
    kept_value *kept = EBB_NEW(kept_value);
    kept->run = s->java->run;
    kept->value = *value;
    kept->descriptor = ebb_strdup(value->type->descriptor);
    kept->text = copy(value->text);
    kept->value.text = kept->text;
    kept->shown = copy(shown);
    return kept;
}

void ses_java_value_drop(void *value)
{
    kept_value *kept = value;
    if (!kept)
        return;
    free(kept->descriptor);
    free(kept->text);
    free(kept->shown);
    free(kept);
}

static bool is_object(const kept_value *kept)
{
    return !kept->text && kept->value.ref && (kept->descriptor[0] == 'L' || kept->descriptor[0] == '[');
}

ebb_status ses_java_kept_value(session *s, const void *value, java_value *out, ebb_error *err)
{
    const kept_value *kept = value;
    if (kept->shown)
        return ebb_fail(err, EBB_UNAVAILABLE,
                        "That object was made by a call in a copy of the program, and is gone with it.");
    *out = kept->value;
    if (kept->run == s->java->run && s->machine)
        return EBB_OK;
    if (is_object(kept))
        return ebb_fail(err, EBB_UNAVAILABLE, "That object was of a program that has ended.");
    out->type = ses_java_type_named(s, kept->descriptor);
    if (!out->type)
        return ebb_fail(err, EBB_UNAVAILABLE, "There is no class for that value before the program runs.");
    return EBB_OK;
}

bool ses_java_value_same(const void *a, const void *b)
{
    const kept_value *old = a, *new = b;
    if (old->shown || new->shown)
        return false;
    if (old->text || new->text)
        return old->text && new->text && strcmp(old->text, new->text) == 0;
    return memcmp(&old->value.i, &new->value.i, sizeof old->value.i) == 0;
}

char *ses_java_value_text(session *s, const void *value)
{
    const kept_value *kept = value;
    if (kept->shown)
        return ebb_strdup(kept->shown);
    ebb_arena arena = {0};
    ebb_buf text = {0};
    ebb_error why;
    java_value current;
    expr_format format = ses_default_format(s);
    if (ses_java_kept_value(s, value, &current, &why) != EBB_OK ||
        expr_java_print(&arena, &s->java->world, &format, &current, &text, &why) != EBB_OK)
        ebb_buf_addf(&text, "<error: %s>", why.text);
    ebb_arena_fini(&arena);
    return text.data ? ebb_buf_take(&text) : ebb_strdup("");
}

void *ses_java_value_of_int(session *s, int64_t number)
{
    java_value value = {.type = ses_java_type_named(s, "I"), .i = number};
    return ses_java_keep(s, &value, NULL);
}
