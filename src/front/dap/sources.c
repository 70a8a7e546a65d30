/* sources.c - source files and modules.  A source that is no file here (it lies in an archive, or in a recording) is given a number, by
 * which the client asks for its text. */
#include "front/dap/dap.h"

#include "base/text.h"
#include "session/data.h"

#include <string.h>
#include <unistd.h>

static json_int_t number_of(dap *d, const char *file)
{
    for (size_t i = 0; i < d->sources.n; i++)
        if (strcmp(d->sources.items[i], file) == 0)
            return (json_int_t)i + 1;
    ebb_vec_push(&d->sources, ebb_strdup(file));
    return (json_int_t)d->sources.n;
}

void dap_sources_fini(dap *d)
{
    for (size_t i = 0; i < d->sources.n; i++)
        free(d->sources.items[i]);
    ebb_vec_fini(&d->sources);
    for (size_t i = 0; i < d->targets.n; i++)
        free(d->targets.items[i]);
    ebb_vec_fini(&d->targets);
}

json_t *dap_source(dap *d, const char *file, const char *name)
{
    json_t *source = json_object();
    cli_json_text(source, "name", ebb_path_base(name ? name : file));
    cli_json_text(source, "path", file);
    if (access(file, R_OK) == 0 && ses_source_is_as_on_disk(d->session, file))
        return source;
    if (ses_source_text(d->session, file, 1))
        json_object_set_new(source, "sourceReference", json_integer(number_of(d, file)));
    else /* there is nothing to be shown: clients pass over it to a frame that has a text */
        json_object_set_new(source, "presentationHint", json_string("deemphasize"));
    return source;
}

ebb_status dap_do_source(dap *d, dap_request *r, ebb_error *err)
{
    const json_t *source = json_object_get(r->args, "source");
    json_int_t number = dap_number(r->args, "sourceReference", dap_number(source, "sourceReference", 0));
    const char *file = number > 0 && (uint64_t)number <= d->sources.n ? d->sources.items[number - 1] : dap_text(source, "path");
    const char *line;
    if (!file || !ses_source_text(d->session, file, 1))
        return ebb_fail(err, EBB_NOT_FOUND, "There is no text of that source.");
    ebb_buf text = {0};
    for (unsigned i = 1; (line = ses_source_text(d->session, file, i)); i++)
        ebb_buf_addf(&text, "%s\n", line);
    cli_json_text(dap_body(r), "content", ebb_buf_text(&text));
    ebb_buf_fini(&text);
    return EBB_OK;
}

ebb_status dap_do_loaded_sources(dap *d, dap_request *r, ebb_error *err)
{
    json_t *list = dap_list(r, "sources");
    sym_names paths = {0};
    ebb_status status = ses_source_list(d->session, &paths, err);
    for (size_t i = 0; status == EBB_OK && i < paths.n; i++)
        json_array_append_new(list, dap_source(d, paths.items[i], NULL));
    ebb_vec_fini(&paths);
    return status;
}

ebb_status dap_do_modules(dap *d, dap_request *r, ebb_error *err)
{
    (void)err;
    ses_modules modules = {0};
    ses_module_list(d->session, &modules);
    json_int_t first = dap_number(r->args, "startModule", 0), count = dap_number(r->args, "moduleCount", 0);
    json_t *list = dap_list(r, "modules");
    for (size_t i = first > 0 ? (size_t)first : 0; i < modules.n && (count <= 0 || json_array_size(list) < (uint64_t)count); i++) {
        const ses_module *module = &modules.items[i];
        json_t *object = json_object();
        cli_json_text(object, "id", module->path);
        cli_json_text(object, "name", ebb_path_base(module->path));
        cli_json_text(object, "path", module->path);
        cli_json_text(object, "symbolStatus", module->has_debug_info ? "has debug information" : "no debug information");
        cli_json_text(object, "symbolFilePath", module->debug_path);
        cli_json_text(object, "addressRange", ebb_arena_printf(&r->arena, "0x%llx-0x%llx", (unsigned long long)module->lo, (unsigned long long)module->hi));
        json_array_append_new(list, object);
    }
    json_object_set_new(r->body, "totalModules", json_integer((json_int_t)modules.n));
    ebb_vec_fini(&modules);
    return EBB_OK;
}
