/* symbolise.c - addresses by the name of what is there. */
#include "session/c/world.h"

#include <string.h>

static bool name_at(session *s, uint64_t addr, bool data_too, bool as_in_source, const char **name, uint64_t *offset)
{
    const sym_function *functions[64];
    size_t n = sym_functions_at(s->symbols, addr, functions, 64);
    if (n > 0 && n <= 64) {
        const sym_function_info *info = sym_function_get_info(functions[n - 1]);
        bool is_mangled = strncmp(info->linkage_name, "_Z", 2) == 0; /* main, and what is static, are not */
        bool is_full = as_in_source || (strcmp(info->language, "c++") == 0 && !is_mangled);
        *name = is_full && info->full_name != info->name ? info->full_name : info->linkage_name;
        *offset = addr - info->lo;
        if (addr >= info->lo)
            return true;
    }
    *name = sym_symbol_at(s->symbols, addr, offset);
    if (!*name)
        return false;
    uint64_t start, nbytes;
    bool is_function;
    bool is_data = sym_symbol_address(s->symbols, *name, &start, &nbytes, &is_function) &&
                   start == addr - *offset && !is_function;
    return !is_data || (data_too && nbytes > 0); /* a label in data names nothing */
}

/* gcc calls a static of a function "buf.0"; to people it is "buf". */
static int source_length(const char *name)
{
    const char *dot = strrchr(name, '.');
    bool is_numbered =
        dot && dot != name && dot[1] && strspn(dot + 1, "0123456789") == strlen(dot + 1);
    return (int)(is_numbered ? (size_t)(dot - name) : strlen(name));
}

static bool put(session *s, uint64_t addr, bool data_too, bool as_in_source, ebb_buf *out)
{
    const char *name;
    uint64_t offset;
    if (!name_at(s, addr, data_too, as_in_source, &name, &offset))
        return false;
    if (as_in_source)
        name = sym_shown_name(s->symbols, name);
    ebb_buf_addf(out, "<%.*s", as_in_source ? source_length(name) : (int)strlen(name), name);
    if (offset)
        ebb_buf_addf(out, "+%lu", (unsigned long)offset);
    ebb_buf_addc(out, '>');
    return true;
}

bool ses_symbolise(session *s, uint64_t addr, bool data_too, ebb_buf *out)
{
    return put(s, addr, data_too, false, out);
}

bool ses_symbolise_value(session *s, uint64_t addr, bool data_too, ebb_buf *out)
{
    return put(s, addr, data_too, true, out);
}
