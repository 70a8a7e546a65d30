/* modules.c - see modules.h. */
#include "session/c/modules.h"
#include "session/c/image.h"
#include "session/stack.h"

#include <string.h>
#include <sys/stat.h>

static int64_t file_mtime_ns(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return 0;
    return (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
}

static bool is_vdso(const char *path)
{
    return path[0] == '[';
}

/* The kernel's own code has no file: its ELF image is read from the debuggee. */
static ebb_status add_vdso(session *s, const machine_module *m, sym_module **symbols,
                           ebb_error *err)
{
    enum { MAX_VDSO = 1 << 20 };
    uint64_t nbytes = m->hi - m->lo;
    if (nbytes > MAX_VDSO)
        return ebb_fail(err, EBB_BAD_FILE, "%s is too big", m->path);
    void *image = ebb_alloc(nbytes ? nbytes : 1);
    ebb_status status = machine_read(s->machine, m->lo, image, nbytes, err);
    if (status == EBB_OK)
        status = sym_table_add_image(s->symbols, &(sym_image){.name = m->path, .bytes = image, .nbytes = nbytes}, m->bias, symbols, err);
    free(image);
    return status;
}

/* Whether it is the first time.  A program is a module before and while it runs, under two names of one file. */
static bool note_warning(session *s, const char *path)
{
    char *real = realpath(path, NULL);
    const char *key = real ? real : path;
    if (!s->warned_about)
        s->warned_about = ebb_map_new();
    bool is_first = !ebb_map_get(s->warned_about, key);
    if (is_first)
        ebb_map_set(s->warned_about, key, s);
    free(real);
    return is_first;
}

void ses_module_warnings(session *s)
{
    for (size_t i = 0; i < s->modules.n; i++) {
        const ses_module_record *record = &s->modules.items[i];
        const char *warning = record->symbols ? sym_module_warning(record->symbols) : NULL;
        if (warning && note_warning(s, record->path))
            ses_say(s, SES_NOTICE_MODULE, 0, "%s", warning);
    }
}

static bool is_same_file(const ses_module_record *record)
{
    return is_vdso(record->path) || record->mtime_ns == file_mtime_ns(record->file);
}

static void see(ses_module_record *r, const machine_module *m)
{
    r->seen = true;
    r->bias = m->bias;
    r->lo = m->lo;
    r->hi = m->hi;
}

/* It was here before: true if its symbols are in use again. */
static bool revive_module(session *s, const machine_module *m)
{
    for (size_t i = 0; i < s->retired.n; i++) {
        ses_module_record record = s->retired.items[i];
        if (strcmp(record.path, m->path) != 0 || !is_same_file(&record))
            continue;
        ebb_vec_remove(&s->retired, i);
        sym_table_revive(s->symbols, record.symbols, m->bias);
        see(&record, m);
        ebb_vec_push(&s->modules, record);
        return true;
    }
    return false;
}

static const char *file_of(const machine_module *m)
{
    return m->file ? m->file : m->path;
}

static void add_module(session *s, const machine_module *m)
{
    if (revive_module(s, m))
        return;
    ses_module_record record = {
        .path = ebb_strdup(m->path),
        .file = ebb_strdup(file_of(m)),
        .bias = m->bias,
        .lo = m->lo,
        .hi = m->hi,
        .seen = true,
        .mtime_ns = file_mtime_ns(file_of(m)),
    };
    ebb_error why;
    ebb_status status = is_vdso(m->path)
                            ? add_vdso(s, m, &record.symbols, &why)
                            : sym_table_add_as(s->symbols, m->path, file_of(m), m->bias, &record.symbols, &why);
    if (status != EBB_OK) {
        record.symbols = NULL;
        if (!is_vdso(m->path))
            ses_say(s, SES_NOTICE_MODULE, 0, "%s", why.text);
    }
    ebb_vec_push(&s->modules, record);
    ses_module_warnings(s);
}

static void free_names(const ses_module_record *record)
{
    free(record->path);
    free(record->file);
}

static void retire_module(session *s, size_t i)
{
    ses_module_record record = s->modules.items[i];
    ebb_vec_remove(&s->modules, i);
    if (record.symbols && !is_vdso(record.path)) {
        sym_table_retire(s->symbols, record.symbols);
        ebb_vec_push(&s->retired, record);
        return;
    }
    if (record.symbols)
        sym_table_remove(s->symbols, record.symbols);
    free_names(&record);
}

static ses_module_record *find_record(session *s, const machine_module *m)
{
    for (size_t i = 0; i < s->modules.n; i++) {
        ses_module_record *r = &s->modules.items[i];
        if (r->bias == m->bias && strcmp(r->path, m->path) == 0)
            return r;
    }
    return NULL;
}

/* The record of the same file at another address: the program's own, before it first ran. */
static ses_module_record *find_elsewhere(session *s, const machine_module *m)
{
    for (size_t i = 0; i < s->modules.n; i++) {
        ses_module_record *r = &s->modules.items[i];
        if (!r->seen && r->symbols && !is_vdso(r->path) && strcmp(r->path, m->path) == 0 &&
            is_same_file(r))
            return r;
    }
    return NULL;
}

/* Marks the modules that stay, and moves those that moved; true if any did. */
static bool mark_seen(session *s, const machine_module *modules, size_t n)
{
    bool moved = false;
    for (size_t i = 0; i < s->modules.n; i++)
        s->modules.items[i].seen = false;
    for (size_t i = 0; i < n; i++) {
        ses_module_record *r = find_record(s, &modules[i]);
        if (r && is_same_file(r))
            see(r, &modules[i]);
    }
    for (size_t i = 0; i < n; i++) {
        ses_module_record *r = find_record(s, &modules[i]) ? NULL : find_elsewhere(s, &modules[i]);
        if (!r)
            continue;
        ses_stack_forget(s);
        sym_module_rebase(r->symbols, modules[i].bias);
        see(r, &modules[i]);
        moved = true;
    }
    return moved;
}

static bool remove_unseen(session *s)
{
    bool changed = false;
    for (size_t i = s->modules.n; i-- > 0;)
        if (!s->modules.items[i].seen) {
            ses_stack_forget(s);
            retire_module(s, i);
            changed = true;
        }
    return changed;
}

bool ses_modules_sync(session *s)
{
    size_t n;
    const machine_module *modules = s->machine->native->modules(s->machine, &n);
    bool changed = mark_seen(s, modules, n);
    changed |= remove_unseen(s);
    for (size_t i = 0; i < n; i++)
        if (!find_record(s, &modules[i])) {
            add_module(s, &modules[i]);
            changed = true;
        }
    if (changed)
        ses_stack_forget(s);
    return changed;
}

ebb_status ses_modules_open_program(session *s, ebb_error *err)
{
    sym_module *symbols;
    EBB_TRY(sym_table_add(s->symbols, s->program, 0, &symbols, err));
    while (s->modules.n > 0)
        retire_module(s, s->modules.n - 1);
    ses_image_free(s->image);
    ses_module_record record = {
        .path = ebb_strdup(s->program),
        .file = ebb_strdup(s->program),
        .symbols = symbols,
        .mtime_ns = file_mtime_ns(s->program),
    };
    sym_module_span(symbols, &record.lo, &record.hi);
    ebb_vec_push(&s->modules, record);
    s->image = ses_image_open(s->program, 0);
    ses_module_warnings(s);
    return EBB_OK;
}

void ses_modules_fini(session *s)
{
    for (size_t i = 0; i < s->modules.n; i++)
        free_names(&s->modules.items[i]);
    for (size_t i = 0; i < s->retired.n; i++)
        free_names(&s->retired.items[i]);
    ebb_vec_fini(&s->modules);
    ebb_vec_fini(&s->retired);
    ebb_map_free(s->warned_about);
    ses_image_free(s->image);
}

const machine_module *ses_module_of(session *s, const sym_module *symbols)
{
    if (!ses_has_debuggee(s))
        return NULL;
    size_t n;
    const machine_module *modules = s->machine->native->modules(s->machine, &n);
    for (size_t i = 0; i < n; i++) {
        const ses_module_record *r = find_record(s, &modules[i]);
        if (r && r->symbols == symbols)
            return &modules[i];
    }
    return NULL;
}

void ses_module_list(session *s, ses_modules *out)
{
    for (size_t i = 0; i < s->modules.n; i++) {
        const ses_module_record *r = &s->modules.items[i];
        ses_module module = {
            .path = r->path,
            .lo = r->lo,
            .hi = r->hi,
            .has_debug_info = r->symbols && sym_module_has_debug_info(r->symbols),
            .debug_path = r->symbols ? sym_module_debug_path(r->symbols) : NULL,
        };
        if (!r->symbols || !sym_module_text(r->symbols, &module.text_lo, &module.text_hi))
            module.text_lo = r->lo, module.text_hi = r->hi;
        ebb_vec_push(out, module);
    }
}
