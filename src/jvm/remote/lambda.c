/* lambda.c - lambdas that the debuggee calls in the middle of a call that it was asked for (agent/lambda.c). */
#include "jvm/remote/line.h"

/* Each takes some of ebb's stack, and of the debuggee's. */
enum { MAX_DEPTH = 100 };

void jvm_remote_on_lambda(machine *m, jvm_remote_lambda_fn *fn, void *self)
{
    jvm_remote_of(m)->lambda = fn;
    jvm_remote_of(m)->lambda_self = self;
}

static ebb_status run(jvm_remote *r, const jvm_wire_lambda_call *call, java_invoked *out, ebb_error *err)
{
    if (r->lambda_depth == MAX_DEPTH)
        return ebb_fail(err, EBB_UNSUPPORTED, "Lambdas called each other %d levels deep.", MAX_DEPTH);
    java_words args = {0};
    for (size_t i = 0; i < call->args.n; i++)
        ebb_vec_push(&args, jvm_remote_to_word(call->args.items[i].type, call->args.items[i].bits));
    r->lambda_depth++;
    ebb_status status = r->lambda(r->lambda_self, call->lambda, args.items, args.n, out, err);
    r->lambda_depth--;
    ebb_vec_fini(&args);
    return status;
}

/* What it gave, to the debuggee; and what that says next. */
static ebb_status send_result(jvm_remote *r, ebb_status ran, const java_invoked *gave, const ebb_error *why, jvm_wire_message *m, ebb_error *err)
{
    jvm_wire_lambda_result result = {.type = jvm_remote_to_type(gave->result), .bits = jvm_remote_to_bits(gave->result), .thrown = gave->thrown,
        .failed = ran == EBB_OK || gave->thrown ? NULL : why->text, .is_interrupted = ran == EBB_INTERRUPTED};
    ebb_buf out = {0};
    jvm_wire_put_lambda_result(&out, &result);
    jvm_remote_forget_answers(r); /* it goes on, and changes things */
    ebb_status status = jvm_line_send(r, r->fd, JVM_WIRE_CODE_lambda_return, &out, err);
    ebb_buf_fini(&out);
    return status == EBB_OK ? jvm_line_receive(r, r->fd, m, NULL, err) : status;
}

static ebb_status answer(jvm_remote *r, jvm_wire_message *m, ebb_error *err)
{
    ebb_arena arena = {0};
    jvm_wire_lambda_call call;
    java_invoked gave = {.result = {.type = 'V'}};
    ebb_error why = {0};
    jvm_wire_reader reader = {.at = (const uint8_t *)m->payload.data, .arena = &arena};
    reader.end = reader.at + m->payload.n;
    ebb_status status = EBB_OK;
    if (!r->scratch.open || r->lambda == NULL || !jvm_wire_get_lambda_call(&reader, &call))
        status = jvm_remote_nonsense(err);
    if (status == EBB_OK) {
        jvm_remote_forget_answers(r);
        ebb_status ran = run(r, &call, &gave, &why);
        status = r->fd < 0 ? ebb_fail(err, EBB_GONE, "%s", why.text) : send_result(r, ran, &gave, &why, m, err);
    }
    ebb_arena_fini(&arena);
    return status;
}

ebb_status jvm_remote_answer_lambdas(jvm_remote *r, jvm_wire_message *m, ebb_error *err)
{
    ebb_status status = EBB_OK;
    while (status == EBB_OK && m->code == JVM_WIRE_CODE_lambda_called)
        status = answer(r, m, err);
    return status;
}
