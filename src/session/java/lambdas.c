/* lambdas.c - lambdas of expressions: the objects that stand for them in the scratch copy, and what happens when it calls one.
 *
 * They last as long as the copy: an evaluation (JV1). */
#include "session/java/java.h"
#include "session/data.h"

#include <string.h>

static java_lambda *find(const session *s, java_ref ref)
{
    for (size_t i = 0; i < s->java->lambdas.n; i++)
        if (s->java->lambdas.items[i].ref == ref)
            return s->java->lambdas.items[i].lambda;
    return NULL;
}

/* The arguments with the types of the method's descriptor. */
static ebb_status type_args(session *s, const java_member *method, const java_word *words, size_t n, java_value *args, ebb_error *err)
{
    const char *at = method->descriptor + 1;
    for (size_t i = 0; i < n && *at != ')'; i++) {
        const char *end = at + strspn(at, "[");
        end += *end == 'L' ? strcspn(end, ";") + 1 : 1;
        char *descriptor = ebb_strndup(at, (size_t)(end - at));
        ebb_status status = ses_java_typed(s, descriptor, words[i], &args[i], err);
        free(descriptor);
        if (status != EBB_OK)
            return status;
        at = end;
    }
    return EBB_OK;
}

static ebb_status run_it(session *s, java_lambda *lambda, const java_value *args, java_value *result, ebb_error *err)
{
    s->java->lambda_depth++;
    ebb_status status = lambda->run(lambda, args, result, err);
    s->java->lambda_depth--;
    return status;
}

static ebb_status run(void *self, java_ref ref, const java_word *words, size_t n, java_invoked *out, ebb_error *err)
{
    session *s = self;
    java_lambda *lambda = find(s, ref);
    java_value args[256] = {0}, result = {0};
    if (!lambda || n > 255)
        return ebb_fail(err, EBB_GONE, "A lambda that is no more was called.");
    s->java->thrown = 0;
    ebb_status status = type_args(s, lambda->method, words, n, args, err);
    if (status == EBB_OK)
        status = run_it(s, lambda, args, &result, err);
    const char *returns = strchr(lambda->method->descriptor, ')') + 1;
    if (status == EBB_OK && *returns != 'V')
        out->result = ses_java_word(&result, *returns);
    if (status == EBB_OK)
        return EBB_OK;
    out->thrown = s->java->thrown;
    if (!out->thrown && err && !s->java->lambda_error.status)
        s->java->lambda_error = *err;
    return status;
}

ebb_status ses_java_new_lambda(void *self, const java_type *interface, java_lambda *lambda, uint64_t *ref, ebb_error *err)
{
    session *s = self;
    EBB_TRY(ses_need_debuggee(s, err));
    if (!s->java->is_calling || !jvm_remote_in_scratch(s->machine))
        return ebb_fail(err, EBB_UNSUPPORTED, "Lambdas and method references are evaluated in a copy of the program only%s.",
                        jvm_remote_has_copies(s->machine) ? ": `set java-calls copy`" : ", which a stock JVM can't make");
    if (!interface->info)
        return ebb_fail(err, EBB_BAD_INPUT, "%s is no interface.", interface->name);
    jvm_remote_on_lambda(s->machine, run, s);
    EBB_TRY(jvm_remote_new_lambda(s->machine, interface->info->id, ref, err));
    ses_java_lambda made = {*ref, lambda};
    ebb_vec_push(&s->java->lambdas, made);
    return EBB_OK;
}

void ses_java_lambdas_forget(ses_java *java)
{
    ebb_vec_fini(&java->lambdas);
    java->lambda_error = (ebb_error){0};
}
