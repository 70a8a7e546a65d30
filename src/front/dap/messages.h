/* messages.h - what messages of the protocol are made of. */
#ifndef EBB_FRONT_DAP_MESSAGES_H
#define EBB_FRONT_DAP_MESSAGES_H

#include "front/dap/ear.h"

/* Each takes the body, which may be NULL. */
json_t *dap_event(const char *name, json_t *taken_body);
json_t *dap_response(const json_t *request, bool success, const char *message, json_t *taken_body);

dap_heard dap_request_heard(const char *command); /* requests.def; NULL and unknown ones wait */

#endif
