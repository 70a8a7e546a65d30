/* capabilities.c - who has what; the names are in requests.def. */
#include "front/dap/dap.h"

#include "session/breakpoints.h"
#include "session/data.h"
#include "session/settings.h"
#include "session/time.h"

#include <string.h>

bool dap_has_addresses(const dap *d)
{
    return ses_has_trait(d->session, SES_HAS_ADDRESSES);
}

static bool throws_objects(const dap *d)
{
    return ses_has_trait(d->session, SES_THROWS_OBJECTS);
}

static bool is_unknown(const dap *d)
{
    return ses_get_state(d->session) == SES_NO_PROGRAM;
}

static bool everybody(dap *d)
{
    (void)d;
    return true;
}

static bool who_has_addresses(dap *d)
{
    return is_unknown(d) || dap_has_addresses(d);
}

static bool who_restarts(dap *d)
{
    return is_unknown(d) || (!d->is_recording && !ses_was_attached(d->session));
}

/* Before it begins: whether it will. */
static bool who_goes_back(dap *d)
{
    ses_history_info info;
    if (is_unknown(d))
        return true;
    if (ses_get_machine(d->session))
        return ses_history_info_get(d->session, &info, NULL) == EBB_OK && info.is_kept;
    return ses_will_keep_history(d->session);
}

typedef struct filter_row {
    const char *filter, *label, *description;
    bool (*who)(dap *d), (*names_class)(dap *d);
    bool is_default;
} filter_row;

static bool nobody(dap *d)
{
    (void)d;
    return false;
}

static bool who_runs_natively(dap *d)
{
    return who_has_addresses(d) && !d->is_recording;
}

static bool who_throws_objects(dap *d)
{
    return is_unknown(d) || throws_objects(d);
}

static const filter_row filters[] = {
#define DAP_FILTER(filter, command, label, description, who, names_class, is_default) {filter, label, description, who, names_class, is_default},
#include "front/dap/filters.def"
#undef DAP_FILTER
};

static json_t *exception_filters(dap *d)
{
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
        const filter_row *row = &filters[i];
        if (!row->who(d))
            continue;
        json_t *object = json_pack("{s:s, s:s, s:s, s:b, s:b}", "filter", row->filter, "label", row->label, "description", row->description,
                                   "default", row->is_default, "supportsCondition", row->names_class(d));
        if (row->names_class(d))
            cli_json_text(object, "conditionDescription", is_unknown(d) ? "A class of exceptions" : throws_objects(d) ? "A class of exceptions; its subclasses count" : "A regular expression for the name of the exception's type");
        json_array_append_new(list, object);
    }
    return list;
}

json_t *dap_capabilities(dap *d)
{
    static const struct {
        const char *name;
        bool (*who)(dap *d);
    } rows[] = {
#define DAP_REQUEST(name, function, when, heard, capability, who) {capability, who},
#define DAP_FEATURE(capability, who) {capability, who},
#include "front/dap/requests.def"
#undef DAP_REQUEST
#undef DAP_FEATURE
    };
    json_t *all = json_object();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].name)
            json_object_set_new(all, rows[i].name, json_boolean(rows[i].who(d)));
    json_object_set_new(all, "exceptionBreakpointFilters", exception_filters(d));
    json_object_set_new(all, "completionTriggerCharacters", json_pack("[s, s]", ".", ">"));
    return all;
}

void dap_say_capabilities(dap *d)
{
    dap_say_event(d, "capabilities", json_pack("{s:o}", "capabilities", dap_capabilities(d)));
}
