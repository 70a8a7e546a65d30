/* catch.c - exceptions. */
#include "session/java/java.h"

#include <string.h>

bool ses_java_is_exception_of(session *s, const char *class_name, uint64_t object)
{
    java_class_id id;
    const java_class *cls;
    if (jvm_remote_class_of(s->machine, object, &id, NULL) != EBB_OK)
        return false;
    for (; id && jvm_remote_class(s->machine, id, &cls, NULL) == EBB_OK; id = cls->super) {
        const char *simple = ses_java_simple_name(cls->name), *inner = strrchr(simple, '$');
        if (strcmp(cls->name, class_name) == 0 || strcmp(simple, class_name) == 0 ||
            (inner && strcmp(inner + 1, class_name) == 0))
            return true;
    }
    return false;
}

/* The message that Throwable keeps; NULL if there is none. */
static const char *message_of(session *s, ebb_arena *arena, uint64_t object)
{
    enum { MOST = 300 };
    java_class_id id;
    const java_class *cls;
    if (jvm_remote_class_of(s->machine, object, &id, NULL) != EBB_OK)
        return NULL;
    for (; id && jvm_remote_class(s->machine, id, &cls, NULL) == EBB_OK; id = cls->super)
        for (size_t i = 0; i < cls->n_fields; i++) {
            java_word word;
            java_chars text;
            if (strcmp(cls->fields[i].name, "detailMessage") != 0 || strcmp(cls->name, "java.lang.Throwable") != 0)
                continue;
            if (jvm_remote_field_get(s->machine, object, cls->fields[i].id, &word, NULL) != EBB_OK || !word.ref ||
                jvm_remote_string(s->machine, arena, word.ref, MOST, &text, NULL) != EBB_OK)
                return NULL;
            return text.utf8;
        }
    return NULL;
}

void ses_java_exception_words(session *s, uint64_t object, ebb_buf *text)
{
    ebb_arena arena = {0};
    java_class_id id;
    const java_class *cls;
    bool known = jvm_remote_class_of(s->machine, object, &id, NULL) == EBB_OK &&
                 jvm_remote_class(s->machine, id, &cls, NULL) == EBB_OK;
    const char *message = message_of(s, &arena, object);
    ebb_buf_adds(text, known ? cls->name : "an exception");
    if (message)
        ebb_buf_addf(text, ": %.*s", (int)strcspn(message, "\n"), message);
    ebb_arena_fini(&arena);
}

void *ses_java_exception_value(session *s, uint64_t object)
{
    java_value value = {.type = ses_java_type_of_object(s, object, NULL), .ref = object};
    return value.type ? ses_java_keep(s, &value, NULL) : NULL;
}

bool ses_java_exception_here(session *s, char **type, char **message)
{
    (void)s, (void)type, (void)message;
    return false;
}
