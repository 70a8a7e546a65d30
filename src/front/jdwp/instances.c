/* instances.c - commands about objects that are alive: of a class, how many, and what refers to one. */
#include "front/jdwp/jdwp.h"

static jdwp_error put_found(jd *d, jdwp_error error, java_refs *found, ebb_buf *out)
{
    jdwp_put(out, found->n, 4);
    for (size_t i = 0; i < found->n; i++)
        jd_put_object(d, out, found->items[i]);
    ebb_vec_fini(found);
    return error;
}

/* How many are wanted at most; 0: all. */
static bool take_limit(jdwp_in *in, uint32_t *at_most)
{
    *at_most = jdwp_u32(in);
    return !in->bad && *at_most <= INT32_MAX;
}

jdwp_error jd_do_instances(jd *d, jdwp_in *in, ebb_buf *out)
{
    const java_class *cls;
    java_refs found = {0};
    uint32_t at_most;
    jdwp_error error = jd_class(d, jdwp_type(in), &cls);
    if (!take_limit(in, &at_most) && error == JDWP_FINE)
        error = JDWP_ILLEGAL_ARGUMENT;
    if (error == JDWP_FINE)
        error = jd_error(jvm_remote_instances(jd_machine(d), cls->id, at_most, &found, NULL));
    return put_found(d, error, &found, out);
}

jdwp_error jd_do_referrers(jd *d, jdwp_in *in, ebb_buf *out)
{
    java_refs found = {0};
    java_ref object = jdwp_object(in);
    uint32_t at_most;
    if (!jd_machine(d))
        return JDWP_VM_DEAD;
    if (!take_limit(in, &at_most))
        return JDWP_ILLEGAL_ARGUMENT;
    jdwp_error error = jd_error(jvm_remote_referrers(jd_machine(d), object, at_most, &found, NULL));
    return put_found(d, error, &found, out);
}

jdwp_error jd_do_instance_counts(jd *d, jdwp_in *in, ebb_buf *out)
{
    java_class_ids classes = {0};
    java_counts counts = {0};
    const java_class *cls;
    jdwp_error error = jd_machine(d) ? JDWP_FINE : JDWP_VM_DEAD;
    for (uint32_t n = jdwp_count(in, 8); n > 0 && error == JDWP_FINE; n--) {
        error = jd_class(d, jdwp_type(in), &cls);
        if (error == JDWP_FINE)
            ebb_vec_push(&classes, cls->id);
    }
    if (error == JDWP_FINE)
        error = jd_error(jvm_remote_instance_counts(jd_machine(d), &classes, &counts, NULL));
    jdwp_put(out, counts.n, 4);
    for (size_t i = 0; i < counts.n; i++)
        jdwp_put(out, counts.items[i], 8);
    ebb_vec_fini(&counts);
    ebb_vec_fini(&classes);
    return error;
}
