/* far.c - see session/far.h. */
#include "session/far.h"
#include "session/java/java.h"
#include "session/launch.h"
#include "session/points.h"

#include <string.h>

struct ses_java_far {
    char *where, *token;
    bool forwards_input;
    jvm_far *ready; /* connected, and no program begun; NULL: the next one connects */
};

void ses_java_far_free(ses_java *java)
{
    ses_java_far *far = java->far;
    java->far = NULL;
    if (!far)
        return;
    jvm_far_free(far->ready);
    explicit_bzero(far->token, strlen(far->token));
    free(far->token);
    free(far->where);
    free(far);
}

ebb_status ses_java_far_take(ses_java *java, jvm_far **out, ebb_error *err)
{
    ses_java_far *far = java->far;
    *out = far->ready;
    far->ready = NULL;
    return *out ? EBB_OK : jvm_far_connect(far->where, far->token, far->forwards_input, out, err);
}

ebb_status ses_connect(session *s, const char *where, const char *token, bool forwards_input, ebb_error *err)
{
    jvm_far *ready;
    EBB_TRY(jvm_far_connect(where, token, forwards_input, &ready, err));
    if (!s->java)
        ses_java_new(s);
    ses_launch_speak(s, &ses_language_java);
    ses_java_far_free(s->java);
    ses_java_far *far = s->java->far = EBB_NEW(ses_java_far);
    *far = (ses_java_far){ebb_strdup(where), ebb_strdup(token), forwards_input, ready};
    free(s->program);
    s->program = ebb_strdup(jvm_far_args(ready)[0]);
    ses_strings_clear(&s->args);
    for (char *const *arg = jvm_far_args(ready); *arg; arg++)
        ebb_vec_push(&s->args, ebb_strdup(*arg));
    ses_points_resolve(s);
    return EBB_OK;
}

bool ses_is_far(const session *s)
{
    return s->java && s->java->far;
}

ebb_status ses_listen(session *s, const char *where, const char *token,
                      void (*ready)(void *self, const char *address, bool is_loopback), void *self, ebb_error *err)
{
    ses_java_command command;
    if (s->language != &ses_language_java)
        return ebb_fail(err, EBB_UNSUPPORTED, "Only Java programs can be debugged from another computer: ebb run --listen PORT java ...");
    EBB_TRY(ses_java_command_init(s, &command, err));
    ebb_status status = jvm_listen(where, token, &command.how, ready, self, err);
    ses_java_command_fini(&command);
    return status;
}
