/* messages.c - see messages.h. */
#include "front/dap/messages.h"

#include "front/cli/reply.h"

#include <string.h>

json_t *dap_event(const char *name, json_t *taken_body)
{
    json_t *event = json_pack("{s:s, s:s}", "type", "event", "event", name);
    if (taken_body)
        json_object_set_new(event, "body", taken_body);
    return event;
}

json_t *dap_response(const json_t *request, bool success, const char *message, json_t *taken_body)
{
    const char *command = json_string_value(json_object_get(request, "command"));
    json_t *response = json_pack("{s:s, s:I, s:b}", "type", "response", "request_seq", json_integer_value(json_object_get(request, "seq")),
                                 "success", success);
    cli_json_text(response, "command", command ? command : "");
    cli_json_text(response, "message", message);
    if (taken_body)
        json_object_set_new(response, "body", taken_body);
    return response;
}

dap_heard dap_request_heard(const char *command)
{
    static const struct {
        const char *name;
        dap_heard heard;
    } rows[] = {
#define DAP_REQUEST(name, function, when, heard, capability, who) {name, DAP_HEARD_##heard},
#define DAP_FEATURE(capability, who)
#include "front/dap/requests.def"
#undef DAP_REQUEST
#undef DAP_FEATURE
    };
    for (size_t i = 0; command && i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, command) == 0)
            return rows[i].heard;
    return DAP_HEARD_WAIT;
}
