/* java_overload.c - which method a call means (JLS 15.12.2).
 *
 * Three phases: without boxing, with boxing, with a variable number of arguments; the first that has an applicable method
 * counts, and of its methods the most specific one.  If no phase has any, the arguments' own classes are tried in place of
 * their static types, which erasure may have made less than the source says. */
#include "expr/java_eval.h"

#include <string.h>

enum { MAX_HIERARCHY = 64, MAX_INTERFACES = 256, MAX_CANDIDATES = 512 };

typedef enum call_phase { STRICT, LOOSE, VARIABLE, N_PHASES } call_phase;

typedef EBB_VEC(java_choice) choices;

/* ---- candidates --------------------------------------------------------------------------------- */

static bool same_params(const char *a, const char *b)
{
    size_t n = strcspn(a, ")");
    return n == strcspn(b, ")") && strncmp(a, b, n) == 0;
}

/* Whether a method with these parameters is there already, from a class nearer to the receiver's. */
static bool is_overridden(const choices *all, const java_member *method)
{
    for (size_t i = 0; i < all->n; i++) {
        if (same_params(all->items[i].method->descriptor, method->descriptor))
            return true;
    }
    return false;
}

static void add_declared(java_ev *ev, const java_type *type, const char *name, bool with_synthetic, choices *all)
{
    const java_member *methods;
    size_t n = ev->world->methods(ev->world->self, type, &methods);
    for (size_t i = 0; i < n && all->n < MAX_CANDIDATES; i++) {
        bool is_hidden = methods[i].access & (JAVA_ACC_BRIDGE | JAVA_ACC_SYNTHETIC) && !with_synthetic;
        if (is_hidden || strcmp(methods[i].name, name) != 0 || is_overridden(all, &methods[i]))
            continue;
        java_choice choice = {.method = &methods[i]};
        choice.n_params = java_params(ev, methods[i].descriptor, &choice.params, &choice.result);
        ebb_vec_push(all, choice);
    }
}

static void add_all(java_ev *ev, const java_type *type, const char *name, bool with_synthetic, unsigned depth, choices *all)
{
    const java_world *world = ev->world;
    bool is_constructor = strcmp(name, "<init>") == 0;
    for (const java_type *at = type; at && depth < MAX_HIERARCHY; at = world->super(world->self, at), depth++) {
        add_declared(ev, at, name, with_synthetic, all);
        if (is_constructor)
            return;
    }
    /* Classes win over interfaces, which may have defaults. */
    for (const java_type *at = type; at && depth < 2 * MAX_HIERARCHY; at = world->super(world->self, at), depth++) {
        const java_type *interfaces[MAX_INTERFACES];
        size_t n = world->interfaces(world->self, at, interfaces, MAX_INTERFACES);
        for (size_t i = 0; i < n && i < MAX_INTERFACES && all->n < MAX_CANDIDATES; i++)
            add_all(ev, interfaces[i], name, with_synthetic, depth + MAX_HIERARCHY / 4, all);
    }
}

static void find_candidates(java_ev *ev, const java_type *type, const char *name, choices *all)
{
    const java_type *object = java_type_of(ev, "Ljava/lang/Object;");
    bool is_class = java_letter(ev, type) == 'L';
    for (int with_synthetic = 0; with_synthetic < 2 && all->n == 0; with_synthetic++) {
        if (is_class)
            add_all(ev, type, name, with_synthetic, 0, all);
        /* Interfaces and arrays have Object's too. */
        if (strcmp(name, "<init>") != 0)
            add_declared(ev, object, name, with_synthetic, all);
    }
}

bool java_has_method(java_ev *ev, const java_type *type, const char *name)
{
    choices all = {0};
    find_candidates(ev, type, name, &all);
    bool has = all.n > 0;
    ebb_vec_fini(&all);
    return has;
}

bool java_has_method_taking(java_ev *ev, const java_type *type, const char *name, size_t n_args, bool is_static)
{
    choices all = {0};
    bool has = false;
    find_candidates(ev, type, name, &all);
    for (size_t i = 0; i < all.n; i++) {
        const java_choice *choice = &all.items[i];
        bool takes = n_args == choice->n_params || (choice->method->access & JAVA_ACC_VARARGS && n_args + 1 >= choice->n_params);
        has |= takes && (choice->method->access & JAVA_ACC_STATIC) == (is_static ? JAVA_ACC_STATIC : 0);
    }
    ebb_vec_fini(&all);
    return has;
}

/* ---- applicability ------------------------------------------------------------------------------- */

static bool accepts(java_ev *ev, call_phase phase, const java_type *param, const java_type *arg)
{
    if (java_letter(ev, arg) == 'V')
        return false;
    if (java_is_subtype(ev, arg, param))
        return true;
    if (phase == STRICT)
        return false;
    bool is_reference = java_is_reference(java_letter(ev, arg));
    if (is_reference == java_is_reference(java_letter(ev, param)))
        return false;
    char opened = is_reference ? java_unboxed_code(ev, arg) : 0;
    return is_reference ? opened && java_widens(opened, java_letter(ev, param))
                        : java_is_subtype(ev, java_box_type(ev, java_letter(ev, arg)), param);
}

/* The type that argument i meets. */
static const java_type *param_at(java_ev *ev, const java_choice *choice, bool is_variable, size_t i)
{
    if (!is_variable || i + 1 < choice->n_params)
        return choice->params[i];
    return ev->world->element(ev->world->self, choice->params[choice->n_params - 1]);
}

/* The i-th type of a method's descriptor, without its dimensions; *n is how long it is. */
static const char *type_in_descriptor(const char *descriptor, size_t i, size_t *n)
{
    const char *at = descriptor + 1;
    for (;; i--) {
        at += strspn(at, "[");
        *n = *at == 'L' ? strcspn(at, ";") + 1 : 1;
        if (i == 0)
            return at;
        at += *n;
    }
}

const java_type *java_param_loaded(java_ev *ev, const java_choice *choice, size_t i)
{
    size_t last = choice->n_params - 1, n;
    const java_type *type = param_at(ev, choice, choice->is_variable, i);
    const char *descriptor = type_in_descriptor(choice->method->descriptor, i < last ? i : last, &n);
    bool is_object = *descriptor != 'L' || strncmp(descriptor, "Ljava/lang/Object;", n) == 0;
    if (is_object || !java_is_class(ev, type, "Ljava/lang/Object;"))
        return type;
    char *name = ebb_arena_strndup(ev->arena, descriptor + 1, n - 2);
    for (char *at = name; (at = strchr(at, '/'));)
        *at = '.';
    const java_type *loaded = java_load_class(ev, name);
    return loaded ? loaded : type;
}

static const java_type *functional_param(java_ev *ev, const java_choice *choice, bool is_variable, size_t i)
{
    java_choice as_called = *choice;
    as_called.is_variable = is_variable;
    return java_param_loaded(ev, &as_called, i);
}

static bool accepts_closure(java_ev *ev, const java_choice *choice, bool is_variable, size_t i, const java_closure *closure)
{
    const java_type *param = functional_param(ev, choice, is_variable, i);
    /* Nothing is loaded for a look at types only: then it may be what fits. */
    return java_closure_fits(ev, closure, param) || (ev->types_only && java_is_class(ev, param, "Ljava/lang/Object;"));
}

typedef struct call_args {
    const java_type *const *types;
    const java_closure *const *closures; /* NULL: no lambda */
    size_t n;
} call_args;

static bool is_applicable(java_ev *ev, call_phase phase, const java_choice *choice, const call_args *args)
{
    bool is_variable = phase == VARIABLE;
    size_t n_args = args->n;
    if (is_variable) {
        bool takes_any = choice->method->access & JAVA_ACC_VARARGS && choice->n_params > 0 &&
                         java_letter(ev, choice->params[choice->n_params - 1]) == '[';
        if (!takes_any || n_args + 1 < choice->n_params)
            return false;
    } else if (n_args != choice->n_params) {
        return false;
    }
    for (size_t i = 0; i < n_args; i++) {
        bool fits = args->closures[i] ? accepts_closure(ev, choice, is_variable, i, args->closures[i])
                                      : accepts(ev, phase, param_at(ev, choice, is_variable, i), args->types[i]);
        if (!fits)
            return false;
    }
    return true;
}

static bool takes_closure_rather(java_ev *ev, bool is_variable, size_t i, const java_choice *a, const java_choice *b)
{
    const java_type *of_a = functional_param(ev, a, is_variable, i), *of_b = functional_param(ev, b, is_variable, i);
    return java_is_subtype(ev, of_a, of_b) || java_functional_is_more_specific(ev, of_a, of_b);
}

/* JLS 15.12.2.5 */
static bool is_more_specific(java_ev *ev, bool is_variable, const call_args *args, const java_choice *a, const java_choice *b)
{
    size_t n_args = args->n, n = n_args;
    if (is_variable) {
        n = a->n_params > b->n_params ? a->n_params : b->n_params;
        n = n > n_args ? n : n_args;
    }
    for (size_t i = 0; i < n; i++) {
        const java_type *of_a = param_at(ev, a, is_variable, i), *of_b = param_at(ev, b, is_variable, i);
        if (i < n_args && args->closures[i] ? !takes_closure_rather(ev, is_variable, i, a, b) : !java_is_subtype(ev, of_a, of_b))
            return false;
    }
    return true;
}

/* ---- the choice ------------------------------------------------------------------------------------ */

static void write_signature(java_ev *ev, const java_choice *choice, const char *name, ebb_buf *text)
{
    ebb_buf_addf(text, "%s(", name);
    for (size_t i = 0; i < choice->n_params; i++)
        ebb_buf_addf(text, "%s%s", i ? ", " : "", java_type_text(ev, choice->params[i]));
    ebb_buf_addc(text, ')');
}

/* The call as it was written, as far as types tell. */
static void write_wanted(java_ev *ev, const call_args *args, const char *name, ebb_buf *text)
{
    ebb_buf_addf(text, "%s(", name);
    for (size_t i = 0; i < args->n; i++)
        ebb_buf_addf(text, "%s%s", i ? ", " : "", args->closures[i] ? "a lambda" : java_type_text(ev, args->types[i]));
    ebb_buf_addc(text, ')');
}

static ebb_status fail_none(java_ev *ev, const java_type *type, const char *name, const choices *all, const call_args *args)
{
    bool is_constructor = strcmp(name, "<init>") == 0;
    const char *shown = is_constructor ? java_type_text(ev, type) : name;
    ebb_buf text = {0};
    ebb_buf_addf(&text, "no %s ", is_constructor ? "constructor" : "method");
    write_wanted(ev, args, shown, &text);
    ebb_buf_addf(&text, " in %s; there %s ", java_type_text(ev, type), all->n == 1 ? "is" : "are");
    for (size_t i = 0; i < all->n && text.n < 300; i++) {
        ebb_buf_adds(&text, i ? ", " : "");
        write_signature(ev, &all->items[i], shown, &text);
    }
    ebb_status status = ebb_fail(ev->err, EBB_BAD_INPUT, "%s", ebb_buf_text(&text));
    ebb_buf_fini(&text);
    return status;
}

/* Whether another one says the same, and more. */
static bool is_outdone(java_ev *ev, const choices *applicable, bool is_variable, const call_args *args, size_t i)
{
    for (size_t k = 0; k < applicable->n; k++)
        if (k != i && is_more_specific(ev, is_variable, args, &applicable->items[k], &applicable->items[i]) &&
            !is_more_specific(ev, is_variable, args, &applicable->items[i], &applicable->items[k]))
            return true;
    return false;
}

/* The first two of those between which nothing decides. */
static ebb_status fail_ambiguous(java_ev *ev, const char *name, const choices *applicable, bool is_variable, const call_args *args)
{
    ebb_buf text = {0};
    unsigned n = 0;
    for (size_t i = 0; i < applicable->n && n < 2; i++) {
        if (is_outdone(ev, applicable, is_variable, args, i))
            continue;
        ebb_buf_adds(&text, n++ ? " and " : "");
        write_signature(ev, &applicable->items[i], name, &text);
    }
    ebb_status status = ebb_fail(ev->err, EBB_BAD_INPUT, "reference to %.100s is ambiguous: %.300s match", name, ebb_buf_text(&text));
    ebb_buf_fini(&text);
    return status;
}

static ebb_status pick(java_ev *ev, const char *name, const choices *applicable, bool is_variable, const call_args *args, java_choice *out)
{
    for (size_t i = 0; i < applicable->n; i++) {
        bool is_best = true;
        for (size_t k = 0; is_best && k < applicable->n; k++)
            is_best = k == i || is_more_specific(ev, is_variable, args, &applicable->items[i], &applicable->items[k]);
        if (is_best) {
            *out = applicable->items[i];
            out->is_variable = is_variable;
            return EBB_OK;
        }
    }
    return fail_ambiguous(ev, name, applicable, is_variable, args);
}

/* EBB_NOT_FOUND, silently: none is applicable. */
static ebb_status choose_among(java_ev *ev, const char *name, const choices *all, const call_args *args, java_choice *out)
{
    for (call_phase phase = STRICT; phase < N_PHASES; phase++) {
        choices applicable = {0};
        for (size_t i = 0; i < all->n; i++) {
            if (is_applicable(ev, phase, &all->items[i], args))
                ebb_vec_push(&applicable, all->items[i]);
        }
        ebb_status status = applicable.n ? pick(ev, name, &applicable, phase == VARIABLE, args, out) : EBB_NOT_FOUND;
        ebb_vec_fini(&applicable);
        if (status != EBB_NOT_FOUND)
            return status;
    }
    return EBB_NOT_FOUND;
}

ebb_status java_choose(java_ev *ev, const java_type *type, const char *name, const java_value *args, size_t n_args, java_choice *choice)
{
    choices all = {0};
    find_candidates(ev, type, name, &all);
    if (all.n == 0)
        return EBB_NOT_FOUND;
    const java_type **types = EBB_ARENA_ARRAY(ev->arena, const java_type *, 2 * n_args);
    const java_closure **closures = EBB_ARENA_ARRAY(ev->arena, const java_closure *, n_args);
    for (size_t i = 0; i < n_args; i++) {
        types[i] = args[i].type;
        types[n_args + i] = java_dynamic_type(ev, &args[i]);
        closures[i] = args[i].closure;
    }
    call_args as_typed = {types, closures, n_args}, as_found = {types + n_args, closures, n_args};
    ebb_status status = choose_among(ev, name, &all, &as_typed, choice);
    if (status == EBB_NOT_FOUND)
        status = choose_among(ev, name, &all, &as_found, choice);
    if (status == EBB_NOT_FOUND)
        status = fail_none(ev, type, name, &all, &as_typed);
    ebb_vec_fini(&all);
    return status;
}
