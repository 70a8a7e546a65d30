/* arguments.c - a member of the wrong type counts as one that isn't there. */
#include "front/dap/dap.h"

#include "base/text.h"

#include <limits.h>

const char *dap_text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

json_int_t dap_number(const json_t *object, const char *key, json_int_t otherwise)
{
    const json_t *number = json_object_get(object, key);
    return json_is_integer(number) ? json_integer_value(number) : otherwise;
}

bool dap_flag(const json_t *object, const char *key, bool otherwise)
{
    const json_t *flag = json_object_get(object, key);
    return json_is_boolean(flag) ? json_is_true(flag) : otherwise;
}

ebb_status dap_need_text(const json_t *object, const char *key, const char **text, ebb_error *err)
{
    *text = dap_text(object, key);
    return *text ? EBB_OK : ebb_fail(err, EBB_BAD_INPUT, "The argument \"%s\" is missing.", key);
}

const json_t *dap_element(const json_t *array, size_t i)
{
    return json_array_get(array, i);
}

json_t *dap_body(dap_request *r)
{
    if (!r->body)
        r->body = json_object();
    return r->body;
}

json_t *dap_list(dap_request *r, const char *key)
{
    json_t *list = json_array();
    json_object_set_new(dap_body(r), key, list);
    return list;
}

json_int_t dap_line_out(const dap *d, unsigned line)
{
    return (json_int_t)line - d->lines_from_0;
}

unsigned dap_line_in(const dap *d, json_int_t line)
{
    line += d->lines_from_0;
    return line > 0 && line <= INT_MAX ? (unsigned)line : 0;
}

ebb_status dap_address_in(const char *reference, uint64_t *address, ebb_error *err)
{
    return ebb_text_to_u64(reference, address) ? EBB_OK : ebb_fail(err, EBB_BAD_INPUT, "\"%.60s\" is no address.", reference);
}
