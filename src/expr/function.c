/* function.c - see functions.def: what they answer is computed here, nothing runs in the debuggee. */
#include "base/text.h"
#include "expr/eval.h"
#include "expr/library.h"

#include <regex.h>
#include <string.h>

enum { MAX_ARGS = 3, MAX_TEXT = 1 << 20, MAX_MEMORY = 1 << 24, PAGE = 4096 };

typedef ebb_status function_fn(expr_ev *ev, expr_value *args, expr_value *out);

static expr_value int_value(expr_ev *ev, uint64_t number)
{
    return expr_value_of_u64(ev->arena, expr_ev_basic(ev, "int"), number);
}

/* ---- strings ------------------------------------------------------------------------------------ */

static ebb_status fail_no_string(expr_ev *ev, sym_type *type)
{
    ebb_buf name = {0};
    sym_type_print(type, &name);
    ebb_status status = ebb_fail(ev->err, EBB_BAD_INPUT, "Trying to read string with inappropriate type `%.100s'.", ebb_buf_text(&name));
    ebb_buf_fini(&name);
    return status;
}

static bool is_text(sym_type *type)
{
    type = sym_type_strip(type);
    bool points = type->kind == SYM_TYPE_POINTER || type->kind == SYM_TYPE_ARRAY;
    return points && type->target && sym_type_is_integral(type->target) && sym_type_size(type->target) == 1;
}

/* Up to its NUL, a page at a time: what lies after may not be there. */
static ebb_status read_text_at(expr_ev *ev, uint64_t addr, ebb_buf *text)
{
    char part[PAGE];
    for (;;) {
        size_t n = PAGE - addr % PAGE;
        EBB_TRY(ev->world->read(ev->world->self, addr, part, n, ev->err));
        size_t used = strnlen(part, n);
        ebb_buf_add(text, part, used);
        if (used < n)
            return EBB_OK;
        if (text->n > MAX_TEXT)
            return ebb_fail(ev->err, EBB_UNSUPPORTED, "A string of more than %d bytes.", MAX_TEXT);
        addr += n;
    }
}

static ebb_status read_text(expr_ev *ev, expr_value *value, ebb_buf *text)
{
    uint64_t addr;
    if (!is_text(value->type))
        return fail_no_string(ev, value->type);
    if (sym_type_strip(value->type)->kind == SYM_TYPE_ARRAY) {
        EBB_TRY(expr_ev_fetch(ev, value));
        ebb_buf_add(text, value->bytes, strnlen((const char *)value->bytes, sym_type_size(value->type)));
        return EBB_OK;
    }
    EBB_TRY(expr_ev_to_u64(ev, value, &addr));
    return read_text_at(ev, addr, text);
}

static ebb_status function_strlen(expr_ev *ev, expr_value *args, expr_value *out)
{
    ebb_buf text = {0};
    ebb_status status = read_text(ev, &args[0], &text);
    if (!status)
        *out = int_value(ev, text.n);
    ebb_buf_fini(&text);
    return status;
}

static ebb_status read_two(expr_ev *ev, expr_value *args, ebb_buf texts[2])
{
    ebb_status status = read_text(ev, &args[0], &texts[0]);
    return status ? status : read_text(ev, &args[1], &texts[1]);
}

static ebb_status function_streq(expr_ev *ev, expr_value *args, expr_value *out)
{
    ebb_buf texts[2] = {{0}, {0}};
    ebb_status status = read_two(ev, args, texts);
    if (!status)
        *out = expr_ev_truth(ev, strcmp(ebb_buf_text(&texts[0]), ebb_buf_text(&texts[1])) == 0);
    ebb_buf_fini(&texts[0]);
    ebb_buf_fini(&texts[1]);
    return status;
}

static ebb_status matches(expr_ev *ev, const char *text, const char *pattern, bool *out)
{
    regex_t compiled;
    regmatch_t match;
    if (regcomp(&compiled, pattern, REG_EXTENDED) != 0)
        return ebb_fail(ev->err, EBB_BAD_INPUT, "Not a regular expression: \"%.100s\".", pattern);
    *out = regexec(&compiled, text, 1, &match, 0) == 0 && match.rm_so == 0;
    regfree(&compiled);
    return EBB_OK;
}

static ebb_status function_regex(expr_ev *ev, expr_value *args, expr_value *out)
{
    ebb_buf texts[2] = {{0}, {0}};
    bool found = false;
    ebb_status status = read_two(ev, args, texts);
    if (!status)
        status = matches(ev, ebb_buf_text(&texts[0]), ebb_buf_text(&texts[1]), &found);
    if (!status)
        *out = expr_ev_truth(ev, found);
    ebb_buf_fini(&texts[0]);
    ebb_buf_fini(&texts[1]);
    return status;
}

/* ---- memory, and the rest ----------------------------------------------------------------------- */

static ebb_status function_memeq(expr_ev *ev, expr_value *args, expr_value *out)
{
    uint64_t addr[2], n, done = 0;
    char parts[2][PAGE];
    EBB_TRY(expr_ev_decay(ev, &args[0]));
    EBB_TRY(expr_ev_decay(ev, &args[1]));
    EBB_TRY(expr_ev_to_u64(ev, &args[0], &addr[0]));
    EBB_TRY(expr_ev_to_u64(ev, &args[1], &addr[1]));
    EBB_TRY(expr_ev_to_u64(ev, &args[2], &n));
    if (n > MAX_MEMORY)
        return ebb_fail(ev->err, EBB_BAD_INPUT, "Invalid length: %llu", (unsigned long long)n);
    bool same = true;
    for (size_t part; same && done < n; done += part) {
        part = n - done < PAGE ? n - done : PAGE;
        for (int i = 0; i < 2; i++)
            EBB_TRY(ev->world->read(ev->world->self, addr[i] + done, parts[i], part, ev->err));
        same = memcmp(parts[0], parts[1], part) == 0;
    }
    *out = expr_ev_truth(ev, same);
    return EBB_OK;
}

static ebb_status function_isvoid(expr_ev *ev, expr_value *args, expr_value *out)
{
    *out = int_value(ev, sym_type_strip(args[0].type)->kind == SYM_TYPE_VOID);
    return EBB_OK;
}

static ebb_status take_part(expr_ev *ev, const expr_value *value, bool imaginary, expr_value *out)
{
    if (!expr_type_is_complex(value->type))
        return ebb_fail(ev->err, EBB_BAD_INPUT, "expected a complex number");
    *out = expr_complex_part(ev, value, imaginary);
    return EBB_OK;
}

static ebb_status function_creal(expr_ev *ev, expr_value *args, expr_value *out)
{
    return take_part(ev, &args[0], false, out);
}

static ebb_status function_cimag(expr_ev *ev, expr_value *args, expr_value *out)
{
    return take_part(ev, &args[0], true, out);
}

static ebb_status function_element(expr_ev *ev, expr_value *args, expr_value *out)
{
    uint64_t i;
    if (!sym_type_is_integral(args[1].type))
        return ebb_fail(ev->err, EBB_BAD_INPUT, "An element is named by its number.");
    EBB_TRY(expr_ev_to_u64(ev, &args[1], &i));
    return expr_library_piece(ev, &args[0], i, out);
}

/* ---- the debugger itself ------------------------------------------------------------------------ */

static expr_value text_value(expr_ev *ev, const char *text)
{
    sym_type *type = sym_type_array_of(ev->world->types, expr_ev_basic(ev, "char"), strlen(text) + 1);
    return expr_value_of_bytes(ev->arena, type, text);
}

/* Gives the text as a value, if it was made, and takes it away. */
static ebb_status hand_over(expr_ev *ev, ebb_status status, ebb_buf *text, expr_value *out)
{
    if (!status)
        *out = text_value(ev, ebb_buf_text(text));
    ebb_buf_fini(text);
    return status;
}

static ebb_status function_as_string(expr_ev *ev, expr_value *args, expr_value *out)
{
    ebb_buf text = {0};
    expr_format format = {.elements_limit = 200};
    return hand_over(ev, expr_print(ev->arena, ev->world, &format, &args[0], &text, ev->err), &text, out);
}

static ebb_status read_setting(expr_ev *ev, expr_value *name, ebb_buf *text)
{
    ebb_buf words = {0};
    ebb_status status = read_text(ev, name, &words);
    if (!status && (!ev->world->setting || ev->world->setting(ev->world->self, ebb_buf_text(&words), text) != EBB_OK))
        status = ebb_fail(ev->err, EBB_NOT_FOUND, "First argument of $_gdb_setting must be a valid setting of the 'show' command.");
    ebb_buf_fini(&words);
    return status;
}

static ebb_status function_setting_str(expr_ev *ev, expr_value *args, expr_value *out)
{
    ebb_buf text = {0};
    return hand_over(ev, read_setting(ev, &args[0], &text), &text, out);
}

static bool is_number(const char *text, uint64_t *number)
{
    bool is_flag = strcmp(text, "on") == 0 || strcmp(text, "off") == 0;
    *number = strcmp(text, "on") == 0;
    return is_flag || strcmp(text, "unlimited") == 0 || ebb_text_to_u64(text, number);
}

static ebb_status function_setting(expr_ev *ev, expr_value *args, expr_value *out)
{
    ebb_buf text = {0};
    uint64_t number;
    ebb_status status = read_setting(ev, &args[0], &text);
    if (!status)
        *out = is_number(ebb_buf_text(&text), &number) ? int_value(ev, number) : text_value(ev, ebb_buf_text(&text));
    ebb_buf_fini(&text);
    return status;
}

/* ---- callers */

typedef struct callers {
    bool by_pattern, any; /* any: of those from the selected frame on */
} callers;

static ebb_status has_name(expr_ev *ev, const char *function, const char *wanted, bool by_pattern, bool *out)
{
    if (by_pattern)
        return matches(ev, function, wanted, out);
    *out = strcmp(function, wanted) == 0;
    return EBB_OK;
}

static ebb_status look_at_callers(expr_ev *ev, const char *wanted, uint64_t n, callers how, bool *found)
{
    *found = false;
    for (uint64_t level = how.any ? 0 : n; level <= n && !*found; level++) {
        const char *function = ev->world->function_of ? ev->world->function_of(ev->world->self, level) : NULL;
        if (!function)
            return EBB_OK;
        EBB_TRY(has_name(ev, function, wanted, how.by_pattern, found));
    }
    return EBB_OK;
}

/* Of what the second argument says, or of the caller. */
static ebb_status ask_callers(expr_ev *ev, expr_value *args, callers how, expr_value *out)
{
    uint64_t n = 1;
    bool found;
    ebb_buf wanted = {0};
    if (args[1].type)
        EBB_TRY(expr_ev_to_u64(ev, &args[1], &n));
    ebb_status status = read_text(ev, &args[0], &wanted);
    if (!status)
        status = look_at_callers(ev, ebb_buf_text(&wanted), n, how, &found);
    if (!status)
        *out = expr_ev_truth(ev, found);
    ebb_buf_fini(&wanted);
    return status;
}

static ebb_status function_caller_is(expr_ev *ev, expr_value *args, expr_value *out)
{
    return ask_callers(ev, args, (callers){0}, out);
}

static ebb_status function_caller_matches(expr_ev *ev, expr_value *args, expr_value *out)
{
    return ask_callers(ev, args, (callers){.by_pattern = true}, out);
}

static ebb_status function_any_caller_is(expr_ev *ev, expr_value *args, expr_value *out)
{
    return ask_callers(ev, args, (callers){.any = true}, out);
}

static ebb_status function_any_caller_matches(expr_ev *ev, expr_value *args, expr_value *out)
{
    return ask_callers(ev, args, (callers){.by_pattern = true, .any = true}, out);
}

/* ---- the table ---------------------------------------------------------------------------------- */

static const struct function {
    const char *name;
    size_t least, most; /* arguments */
    function_fn *compute;
} functions[] = {
#define EXPR_FUNCTION(name, least, most, compute, meaning) {#name, least, most, function_##compute},
#include "expr/functions.def"
#undef EXPR_FUNCTION
};

static const struct function *find(const expr_node *callee)
{
    for (size_t i = 0; callee->kind == EXPR_NODE_DOLLAR && i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].name, callee->name) == 0)
            return &functions[i];
    return NULL;
}

bool expr_is_function(const expr_node *callee)
{
    return find(callee) != NULL;
}

static ebb_status wrong_count(expr_ev *ev, const struct function *function)
{
    if (function->least < function->most)
        return ebb_fail(ev->err, EBB_BAD_INPUT, "$%s takes %zu to %zu arguments.", function->name, function->least, function->most);
    return ebb_fail(ev->err, EBB_BAD_INPUT, "$%s takes %zu argument%s.", function->name, function->least, function->least == 1 ? "" : "s");
}

ebb_status expr_ev_function(expr_ev *ev, const expr_node *node, expr_value *out)
{
    const struct function *function = find(node->left);
    expr_value args[MAX_ARGS] = {0};
    if (node->n_args < function->least || node->n_args > function->most)
        return wrong_count(ev, function);
    for (size_t i = 0; i < node->n_args; i++)
        EBB_TRY(expr_ev_node(ev, node->args[i], &args[i]));
    bool gives_part = function->compute == function_creal || function->compute == function_cimag || function->compute == function_element;
    if (ev->types_only && !gives_part) { /* EV1 */
        *out = int_value(ev, 0);
        return EBB_OK;
    }
    return function->compute(ev, args, out);
}
