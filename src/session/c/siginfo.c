/* siginfo.c - $_siginfo: what the kernel tells of the signal that the selected thread stopped for.
 *
 * The layout is the kernel's, the names are gdb's.  Types are made of the table below, once. */
#include "session/c/siginfo.h"
#include "session/convenience.h"

#include <signal.h>
#include <string.h>

typedef struct member_row {
    const char *of, *name, *type; /* a type that is a row's `of` is that aggregate; "T[n]" is an array */
} member_row;

/* Inner aggregates first. */
static const member_row rows[] = {
    {"union sigval", "sival_int", "int"}, {"union sigval", "sival_ptr", "void *"},
    {"kill", "si_pid", "__pid_t"}, {"kill", "si_uid", "__uid_t"},
    {"timer", "si_tid", "int"}, {"timer", "si_overrun", "int"}, {"timer", "si_sigval", "sigval_t"},
    {"rt", "si_pid", "__pid_t"}, {"rt", "si_uid", "__uid_t"}, {"rt", "si_sigval", "sigval_t"},
    {"chld", "si_pid", "__pid_t"}, {"chld", "si_uid", "__uid_t"}, {"chld", "si_status", "int"}, {"chld", "si_utime", "__clock_t"}, {"chld", "si_stime", "__clock_t"},
    {"bound", "_lower", "void *"}, {"bound", "_upper", "void *"},
    {"fault", "si_addr", "void *"}, {"fault", "_addr_lsb", "short"}, {"fault", "_addr_bnd", "bound"},
    {"poll", "si_band", "long"}, {"poll", "si_fd", "int"},
    {"sys", "_call_addr", "void *"}, {"sys", "_syscall", "int"}, {"sys", "_arch", "unsigned int"},
    {"union fields", "_pad", "int[28]"}, {"union fields", "_kill", "kill"}, {"union fields", "_timer", "timer"}, {"union fields", "_rt", "rt"},
    {"union fields", "_sigchld", "chld"}, {"union fields", "_sigfault", "fault"}, {"union fields", "_sigpoll", "poll"}, {"union fields", "_sigsys", "sys"},
    {"siginfo", "si_signo", "int"}, {"siginfo", "si_errno", "int"}, {"siginfo", "si_code", "int"}, {"siginfo", "_sifields", "union fields"},
};
enum { N_ROWS = sizeof rows / sizeof *rows };

static const struct { const char *name, *target; } typedefs[] = {
    {"__pid_t", "int"}, {"__uid_t", "unsigned int"}, {"__clock_t", "long"}, {"sigval_t", "union sigval"}};

typedef struct maker {
    session *s;
    sym_types *pool;
    const char *names[N_ROWS]; /* of the aggregates that are made */
    sym_type *made[N_ROWS];
    size_t n;
} maker;

static sym_type *type_named(maker *k, const char *name);

/* gdb has it so, whatever the header says. */
static sym_type *vector_of_int(maker *k, uint64_t n)
{
    sym_type *type = sym_types_add(k->pool, SYM_TYPE_ARRAY);
    type->target = sym_types_basic(k->pool, "int");
    type->count = n;
    type->nbytes = 4 * n;
    type->count_known = type->is_vector = true;
    return type;
}

static sym_type *typedef_named(maker *k, const char *name)
{
    for (size_t i = 0; i < sizeof typedefs / sizeof *typedefs; i++) {
        if (strcmp(typedefs[i].name, name) != 0)
            continue;
        sym_type *type = sym_types_add(k->pool, SYM_TYPE_TYPEDEF);
        type->name = sym_types_name(k->pool, name);
        type->target = type_named(k, typedefs[i].target);
        return type;
    }
    return NULL;
}

static sym_type *type_named(maker *k, const char *name)
{
    for (size_t i = 0; i < k->n; i++)
        if (strcmp(k->names[i], name) == 0)
            return k->made[i];
    if (strcmp(name, "void *") == 0)
        return sym_type_pointer_to(k->pool, sym_types_basic(k->pool, "void"));
    if (strcmp(name, "int[28]") == 0)
        return vector_of_int(k, 28);
    sym_type *type = typedef_named(k, name);
    return type ? type : sym_types_basic(k->pool, name);
}

/* The members of these types are at most as wide as a pointer, or aggregates that need its alignment. */
static uint64_t alignment(sym_type *type)
{
    sym_type *bare = sym_type_strip(type);
    if (bare->kind == SYM_TYPE_ARRAY)
        return alignment(bare->target);
    uint64_t most = bare->n_members ? 1 : bare->nbytes;
    for (size_t i = 0; i < bare->n_members; i++) {
        uint64_t of = alignment(bare->members[i].type);
        most = of > most ? of : most;
    }
    return most;
}

/* The aggregate of the rows from `first` on; answers how many these are. */
static size_t make_aggregate(maker *k, size_t first)
{
    const char *name = rows[first].of;
    size_t n = 0;
    bool is_union = strncmp(name, "union ", 6) == 0;
    while (first + n < N_ROWS && strcmp(rows[first + n].of, name) == 0)
        n++;
    sym_type *type = sym_types_add(k->pool, is_union ? SYM_TYPE_UNION : SYM_TYPE_STRUCT);
    sym_member *members = sym_types_alloc(k->pool, n * sizeof *members);
    uint64_t at = 0, most = 1;
    for (size_t i = 0; i < n; i++) {
        sym_type *of = type_named(k, rows[first + i].type);
        uint64_t align = alignment(of), nbytes = sym_type_size(of);
        most = align > most ? align : most;
        uint64_t offset = is_union ? 0 : (at + align - 1) / align * align;
        members[i] = (sym_member){.name = rows[first + i].name, .type = of, .offset = offset};
        at = offset + nbytes > at ? offset + nbytes : at;
    }
    if (strcmp(name, "siginfo") == 0 || strcmp(name, "union sigval") == 0)
        type->name = strcmp(name, "siginfo") == 0 ? name : "sigval";
    type->members = members;
    type->n_members = n;
    type->nbytes = (at + most - 1) / most * most;
    k->names[k->n] = name;
    k->made[k->n++] = type;
    return n;
}

static sym_type *siginfo_type(session *s)
{
    sym_type *type = ebb_map_get(s->register_types, "$_siginfo");
    if (type)
        return type;
    maker k = {.s = s, .pool = sym_table_types(s->symbols)};
    for (size_t i = 0; i < N_ROWS;)
        i += make_aggregate(&k, i);
    type = k.made[k.n - 1];
    ebb_map_set(s->register_types, "$_siginfo", type);
    return type;
}

/* Where VM mode stopped the thread by itself, natively there would have been a trap. */
static bool read_siginfo(session *s, siginfo_t *info)
{
    bool by_signal = s->last_stop.kind == SES_STOP_SIGNAL || s->last_stop.kind == SES_STOP_CORE;
    if (machine_can(s->machine, MACHINE_COUNTS_TIME) && !by_signal) {
        *info = (siginfo_t){.si_signo = SIGTRAP, .si_code = SI_KERNEL};
        return true;
    }
    return s->machine->native->siginfo && s->machine->native->siginfo(s->machine, s->thread, info);
}

bool ses_siginfo_value(session *s, ebb_arena *arena, expr_value *value)
{
    siginfo_t info;
    memset(&info, 0, sizeof info);
    if (!s->machine || ses_get_state(s) != SES_STOPPED || !read_siginfo(s, &info))
        return false;
    *value = expr_value_of_bytes(arena, siginfo_type(s), &info);
    return true;
}
