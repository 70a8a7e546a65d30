/* exceptions.c - exceptions of C++: which one it is where the program stands at the entry of a function of C++'s library that throws or catches one.
 *
 * What throws gets the object and its std::type_info; what begins to catch gets what the unwinder carries, which lies behind the library's own words
 * about the exception: the ABI of C++ (Itanium's) says where.  What throws again gets nothing: it is about the exception that the thread caught last,
 * which the library keeps among the thread's own variables. */
#include "session/c/c.h"
#include "session/c/unwind.h"
#include "session/c/world.h"
#include "symbols/demangle.h"

#include <string.h>

enum {
    DWARF_RSI = 4, DWARF_RDI = 5,
    PROLOGUE_NBYTES = 8,   /* endbr64, push %rbp, mov %rsp,%rbp: arguments are where they were */
    HEADER_TO_TYPE = 80,   /* bytes before what the unwinder carries, in __cxa_exception */
    UNWINDER_NBYTES = 32,  /* of what it carries; the object is after that */
    LIBRARY_TLS_NBYTES = 64, /* of each thread; 32 in those that were looked at */
    MAX_TEXT = 4096,
};

typedef struct thrown {
    uint64_t object, type_info;
} thrown;

static bool read_word(session *s, uint64_t addr, uint64_t *word)
{
    return s->world.read(s->world.self, addr, word, sizeof *word, NULL) == EBB_OK;
}

static bool read_argument(session *s, int reg, uint64_t *value)
{
    bool known = true;
    return ses_register_read(s, (ses_frame_register){reg, 0}, value, sizeof *value, &known, NULL) == EBB_OK && known;
}

static bool throws(session *s, thrown *t)
{
    return read_argument(s, DWARF_RDI, &t->object) && read_argument(s, DWARF_RSI, &t->type_info);
}

/* What the unwinder carries.  An exception that another thread handed over refers to the first one. */
static bool is_carried(session *s, uint64_t carried, thrown *t)
{
    uint64_t class_name, first;
    const uint64_t own = 0x474e5543432b2b00; /* "GNUCC++\0"; \1 at the end: one that refers to another */
    if (!read_word(s, carried, &class_name) || (class_name | 1) != (own | 1) || !read_word(s, carried - HEADER_TO_TYPE, &first))
        return false;
    t->object = class_name == own ? carried + UNWINDER_NBYTES : first;
    t->type_info = first;
    return class_name == own || read_word(s, first - UNWINDER_NBYTES - HEADER_TO_TYPE, &t->type_info);
}

static bool catches(session *s, thrown *t)
{
    uint64_t carried;
    return read_argument(s, DWARF_RDI, &carried) && is_carried(s, carried, t);
}

/* Where among the library's few variables it is, has no name; what it points to says of itself what it is. */
static bool throws_again(session *s, thrown *t)
{
    const ses_frame *frame;
    uint64_t block, caught;
    sym_target target = ses_sym_target(s);
    sym_module *library = ses_frame_get(s, 0, &frame, NULL) == EBB_OK ? sym_module_at(s->symbols, frame->pc) : NULL;
    if (!library || target.tls_block(target.self, library, &block, NULL) != EBB_OK)
        return false;
    for (uint64_t at = 0; at < LIBRARY_TLS_NBYTES; at += sizeof caught)
        if (read_word(s, block + at, &caught) && caught && is_carried(s, caught + HEADER_TO_TYPE, t))
            return true;
    return false;
}

/* The function at whose entry the innermost frame stands. */
static bool find_thrown(session *s, thrown *t)
{
    static const struct {
        const char *function;
        bool (*find)(session *s, thrown *t);
    } rows[] = {{"<__cxa_throw", throws}, {"<__cxa_begin_catch", catches}, {"<__cxa_rethrow", throws_again}};
    const ses_frame *frame;
    ebb_buf name = {0};
    bool found = false;
    if (ses_frame_get(s, 0, &frame, NULL) == EBB_OK && ses_symbolise(s, frame->pc, false, &name))
        for (size_t i = 0; !found && i < sizeof rows / sizeof *rows; i++) {
            size_t n = strlen(rows[i].function);
            const char *after = strncmp(ebb_buf_text(&name), rows[i].function, n) == 0 ? ebb_buf_text(&name) + n : "";
            bool at_entry = *after == '>' || *after == '@' || (*after == '+' && atoi(after + 1) <= PROLOGUE_NBYTES);
            found = at_entry && rows[i].find(s, t);
        }
    ebb_buf_fini(&name);
    return found;
}

/* Up to its end, or as much of it as there is room for; the caller's. */
static char *read_text(session *s, uint64_t at)
{
    ebb_buf text = {0};
    char c = 0;
    while (text.n < MAX_TEXT && s->world.read(s->world.self, at + text.n, &c, 1, NULL) == EBB_OK && c)
        ebb_buf_addc(&text, c);
    if (c == 0)
        return ebb_buf_take(&text);
    ebb_buf_fini(&text);
    return NULL;
}

/* As linkers write it: the second word points there.  A '*' in front says that only the address counts. */
static char *linkers_name(session *s, uint64_t type_info)
{
    uint64_t at;
    char *name = read_word(s, type_info + 8, &at) ? read_text(s, at) : NULL;
    if (name && *name == '*')
        memmove(name, name + 1, strlen(name));
    return name;
}

static char *name_of(session *s, uint64_t type_info)
{
    static const char title[] = "typeinfo for ";
    char *name = linkers_name(s, type_info), *symbol = name ? ebb_asprintf("_ZTI%s", name) : NULL;
    char *shown = symbol ? sym_demangle(symbol, true) : NULL;
    free(name);
    free(symbol);
    if (shown && strncmp(shown, title, sizeof title - 1) == 0) {
        memmove(shown, shown + sizeof title - 1, strlen(shown) - (sizeof title - 1) + 1);
        return shown;
    }
    free(shown);
    return NULL;
}

/* The type_info of a class with one base has that of the base for its third word, and a table of its own kind. */
static bool go_to_base(session *s, uint64_t *type_info)
{
    uint64_t table;
    ebb_buf name = {0};
    bool has_base = read_word(s, *type_info, &table) && ses_symbolise(s, table, true, &name) && strstr(ebb_buf_text(&name), "__si_class_type_info") &&
                    read_word(s, *type_info + 16, type_info);
    ebb_buf_fini(&name);
    return has_base;
}

/* The library's own exceptions, and those made of them, have the address of their words after that of their table. */
static char *message_of(session *s, const thrown *t)
{
    enum { MAX_BASES = 16 };
    uint64_t type_info = t->type_info, at;
    for (int i = 0; i < MAX_BASES; i++) {
        char *name = linkers_name(s, type_info);
        bool has_words = name && (strcmp(name, "St13runtime_error") == 0 || strcmp(name, "St11logic_error") == 0);
        free(name);
        if (has_words)
            return read_word(s, t->object + 8, &at) ? read_text(s, at) : NULL;
        if (!go_to_base(s, &type_info))
            return NULL;
    }
    return NULL;
}

bool ses_c_exception_here(session *s, char **type, char **message)
{
    thrown t;
    bool is_known = find_thrown(s, &t);
    *type = is_known ? name_of(s, t.type_info) : NULL;
    *message = *type ? message_of(s, &t) : NULL;
    return *type != NULL;
}

bool ses_c_exception_value(session *s, ebb_arena *arena, expr_value *value)
{
    thrown t;
    sym_type *type;
    char *name = find_thrown(s, &t) ? name_of(s, t.type_info) : NULL;
    bool is_known = name && expr_parse_type(arena, &s->world, name, &type, NULL) == EBB_OK;
    free(name);
    if (is_known)
        *value = (expr_value){.type = type, .place = {.kind = EXPR_PLACE_MEMORY, .addr = t.object}, .is_lazy = true};
    return is_known && expr_value_fetch(arena, &s->world, value, NULL) == EBB_OK && value->bytes;
}
