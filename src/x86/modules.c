/* modules.c - follows the dynamic loader's own list, and asks the kernel where that says nothing. */
#include "x86/mappings.h"
#include "x86/modules.h"
#include "x86/core.h"
#include "x86/recorded_files.h"
#include "x86/image.h"
#include "x86/memory.h"
#include "x86/points.h"
#include "x86/tasks.h"
#include "base/log.h"
#include "base/text.h"
#include "time/recording_files.h"

#include <fcntl.h>
#include <link.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_MODULES = 4096 /* a list that is longer is a broken one */ };

/* --- the auxiliary vector --- */

typedef struct auxv {
    uint64_t phdr, phnum, base, entry, vdso;
} auxv;

/* As many bytes of it as there are, and fit. */
static size_t auxv_bytes(x86_process *p, void *bytes, size_t most)
{
    char path[64];
    if (p->core)
        return x86_core_auxv(p->core, bytes, most);
    if (p->told.auxv) {
        size_t told = p->told.n_auxv < most ? p->told.n_auxv : most;
        memcpy(bytes, p->told.auxv, told);
        return told;
    }
    snprintf(path, sizeof path, "/proc/%d/auxv", (int)x86_any_tid(p));
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    ssize_t n = read(fd, bytes, most);
    close(fd);
    return n > 0 ? (size_t)n : 0;
}

size_t x86_auxv(machine *m, void *bytes, size_t most)
{
    return auxv_bytes(x86_of(m), bytes, most);
}

static bool read_auxv(x86_process *p, auxv *out)
{
    Elf64_auxv_t entries[64];
    size_t n = auxv_bytes(p, entries, sizeof entries);
    *out = (auxv){0};
    for (size_t i = 0; i < n / sizeof *entries; i++) {
        uint64_t value = entries[i].a_un.a_val;
        switch (entries[i].a_type) {
        case AT_PHDR: out->phdr = value; break;
        case AT_PHNUM: out->phnum = value; break;
        case AT_BASE: out->base = value; break;
        case AT_ENTRY: out->entry = value; break;
        case AT_SYSINFO_EHDR: out->vdso = value; break;
        default: break;
        }
    }
    return out->phdr != 0;
}

/* --- the list --- */

/* Where the bytes of a recorded program's file are whose first ones are at `addr`; NULL: they were not recorded. */
static const char *file_at(x86_process *p, uint64_t addr, const char *path)
{
    uint8_t first[EBB_RECORDED_FIRST_BYTES];
    const char *recorded = NULL;
    if (p->told.files)
        recorded = x86_recorded_files_find(p->told.files, path, first, x86_read_raw(p, addr, first, sizeof first));
    return recorded;
}

static void add_module(x86_process *p, const char *path, uint64_t bias, const x86_image *image, uint64_t link_map)
{
    machine_module module = {.path = ebb_strdup(path), .bias = bias, .link_map = link_map};
    uint64_t lo, hi;
    if (x86_image_span(image, &lo, &hi)) {
        module.lo = bias + lo;
        module.hi = bias + hi;
    }
    module.file = file_at(p, module.lo, module.path);
    ebb_vec_push(&p->modules, module);
}

static void clear_modules(x86_process *p)
{
    for (size_t i = 0; i < p->modules.n; i++)
        free((char *)p->modules.items[i].path);
    p->modules.n = 0;
}

/* The name may mean another file here, or none: the program is in memory only, or sees other mounts. */
static bool is_same_file(const char *path, const char *other)
{
    struct stat a, b;
    return stat(path, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static char *read_program_path(x86_process *p)
{
    char link[64], path[PATH_MAX];
    auxv aux;
    if (p->told.program)
        return ebb_strdup(p->told.program);
    if (p->core)
        return ebb_strdup(read_auxv(p, &aux) && x86_core_file_at(p->core, aux.phdr, path, sizeof path) ? path : "");
    snprintf(link, sizeof link, "/proc/%d/exe", (int)x86_any_tid(p));
    ssize_t n = readlink(link, path, sizeof path - 1);
    if (n <= 0)
        return ebb_strdup("");
    path[n] = '\0';
    return ebb_strdup(is_same_file(path, link) ? path : link);
}

/* The executable's headers are in memory; where they think they are tells the bias. */
static uint64_t program_bias(const auxv *aux, const x86_image *image)
{
    const Elf64_Phdr *self = x86_image_find(image, PT_PHDR);
    if (self)
        return aux->phdr - self->p_vaddr;
    for (size_t i = 0; i < image->n; i++) {
        const Elf64_Phdr *ph = &image->headers[i];
        if (ph->p_type == PT_LOAD && ph->p_offset == 0) /* the table follows the ELF header */
            return (aux->phdr & ~0xfffull) - (ph->p_vaddr & ~0xfffull);
    }
    return 0;
}

static void add_program(x86_process *p, const auxv *aux, const x86_image *image)
{
    add_module(p, p->program, program_bias(aux, image), image, 0);
}

static void add_vdso(x86_process *p)
{
    x86_image image;
    uint64_t lo, hi;
    if (p->vdso && x86_image_from_memory(p, p->vdso, &image) && x86_image_span(&image, &lo, &hi))
        add_module(p, "[vdso]", p->vdso - lo, &image, 0);
}

/* --- the dynamic loader's own list --- */

/* A relative name means nothing outside the debuggee: take the one that the kernel knows. */
static bool path_from_maps(x86_process *p, uint64_t addr, char *path, size_t size)
{
    if (p->core)
        return x86_core_file_at(p->core, addr, path, size);
    x86_mappings all = x86_mappings_open(x86_any_tid(p));
    x86_mapping m;
    const char *name;
    bool found = false;
    while (!found && x86_mappings_next(&all, &m, &name)) {
        found = addr >= m.lo && addr < m.hi && name[0] == '/';
        if (found)
            snprintf(path, size, "%s", name);
    }
    x86_mappings_close(&all);
    return found;
}

/* The kernel can't tell where a recorded program found it; it is taken to be where the program began. */
static bool complete_path(x86_process *p, uint64_t addr, char *path, size_t size)
{
    char name[PATH_MAX];
    if (!p->told.directory)
        return path_from_maps(p, addr, path, size);
    snprintf(name, sizeof name, "%s", strncmp(path, "./", 2) == 0 ? path + 2 : path);
    return (size_t)snprintf(path, size, "%s/%s", p->told.directory, name) < size;
}

/* A library of a program that sees other mounts: where it is from here. */
static void see_through_mounts(x86_process *p, char *path, size_t size)
{
    char seen[PATH_MAX], link[64];
    struct stat ours, theirs;
    if (p->core || strlen(path) >= PATH_MAX - 64)
        return;
    snprintf(link, sizeof link, "/proc/%d/root", (int)x86_any_tid(p));
    if (is_same_file("/", link) && stat(path, &ours) == 0)
        return;
    snprintf(seen, sizeof seen, "%s%s", link, path);
    if (stat(seen, &theirs) == 0 && (stat(path, &ours) != 0 || ours.st_ino != theirs.st_ino || ours.st_dev != theirs.st_dev))
        snprintf(path, size, "%s", seen);
}

static void add_library(x86_process *p, uint64_t link_map, const struct link_map *lm)
{
    char path[PATH_MAX];
    x86_image image = {.n = 0};
    if (!x86_read_text(p, (uint64_t)lm->l_name, path, sizeof path))
        return;
    if (path[0] != '/' && !complete_path(p, (uint64_t)lm->l_ld, path, sizeof path))
        return;
    see_through_mounts(p, path, sizeof path);
    if (x86_image_from_memory(p, lm->l_addr, &image) || x86_image_from_file(path, &image))
        add_module(p, path, lm->l_addr, &image, link_map);
}

static bool is_vdso(const x86_process *p, const struct link_map *lm)
{
    return p->vdso != 0 && (uint64_t)lm->l_ld - p->vdso < 0x10000;
}

static bool read_list(x86_process *p, uint64_t first)
{
    uint64_t at = first;
    for (size_t n = 0; at != 0 && n < MAX_MODULES; n++) {
        struct link_map lm;
        if (x86_read_raw(p, at, &lm, sizeof lm) != sizeof lm)
            return false;
        bool is_program = (uint64_t)lm.l_addr == p->modules.items[0].bias && p->modules.items[0].link_map == 0 && n == 0;
        if (is_program)
            p->modules.items[0].link_map = at;
        else if (!is_vdso(p, &lm))
            add_library(p, at, &lm);
        at = (uint64_t)lm.l_next;
    }
    return true;
}

/* glibc keeps further lists for dlmopen (r_version 2). */
typedef struct r_debug_extended_view {
    struct r_debug base;
    uint64_t next;
} r_debug_extended_view;

static bool is_consistent(x86_process *p)
{
    struct r_debug debug;
    return p->r_debug != 0 && x86_read_raw(p, p->r_debug, &debug, sizeof debug) == sizeof debug &&
           debug.r_version >= 1 && debug.r_state == RT_CONSISTENT && debug.r_map != NULL;
}

static void read_libraries(x86_process *p)
{
    uint64_t at = p->r_debug;
    for (int n = 0; at != 0 && n < 16; n++) {
        r_debug_extended_view debug = {0};
        size_t want = n == 0 ? sizeof debug.base : sizeof debug;
        if (x86_read_raw(p, at, &debug, want) != want)
            return;
        read_list(p, (uint64_t)debug.base.r_map);
        if (debug.base.r_version < 2 || x86_read_raw(p, at, &debug, sizeof debug) != sizeof debug)
            return;
        at = debug.next;
    }
}

/* --- finding the list, and hearing of its changes --- */

static uint64_t find_dt_debug(x86_process *p, const x86_image *image, uint64_t bias)
{
    const Elf64_Phdr *dynamic = x86_image_find(image, PT_DYNAMIC);
    Elf64_Dyn entry;
    for (uint64_t at = 0; dynamic && at + sizeof entry <= dynamic->p_memsz; at += sizeof entry) {
        if (x86_read_raw(p, bias + dynamic->p_vaddr + at, &entry, sizeof entry) != sizeof entry || entry.d_tag == DT_NULL)
            break;
        if (entry.d_tag == DT_DEBUG)
            return entry.d_un.d_ptr;
    }
    return 0;
}

static void watch_loader(x86_process *p, uint64_t notifier)
{
    if (notifier != 0 && p->loader_point == 0 && !p->core &&
        x86_point_set_internal(p, notifier, &p->loader_point, NULL) != EBB_OK)
        p->loader_point = 0;
}

/* Once the loader has run, the executable points to r_debug. */
static bool use_dt_debug(x86_process *p, const x86_image *image)
{
    struct r_debug debug;
    uint64_t at = find_dt_debug(p, image, p->modules.items[0].bias);
    if (at == 0 || x86_read_raw(p, at, &debug, sizeof debug) != sizeof debug || debug.r_version < 1)
        return false;
    p->r_debug = at;
    watch_loader(p, debug.r_brk);
    return true;
}

/* Before that, its own symbols tell where both will be. */
static bool use_loader_symbols(x86_process *p, const char *interpreter, uint64_t bias)
{
    uint64_t debug, notifier;
    if (!x86_image_symbol(interpreter, "_r_debug", &debug) || !x86_image_symbol(interpreter, "_dl_debug_state", &notifier))
        return false;
    p->r_debug = bias + debug;
    watch_loader(p, bias + notifier);
    return true;
}

static void find_loader(x86_process *p, const auxv *aux, const x86_image *image)
{
    char interpreter[PATH_MAX];
    x86_image loader;
    const Elf64_Phdr *interp = x86_image_find(image, PT_INTERP);
    if (use_dt_debug(p, image))
        return;
    uint64_t bias = p->modules.items[0].bias;
    if (!interp || aux->base == 0 || !x86_read_text(p, bias + interp->p_vaddr, interpreter, sizeof interpreter))
        return;
    if (x86_image_from_memory(p, aux->base, &loader))
        add_module(p, interpreter, aux->base, &loader, 0);
    const char *recorded = file_at(p, aux->base, interpreter);
    if (!use_loader_symbols(p, recorded ? recorded : interpreter, aux->base) && !p->core &&
        x86_point_set_internal(p, aux->entry, &p->entry_point, NULL) != EBB_OK)
        p->entry_point = 0;
}

static bool read_program(x86_process *p, auxv *aux, x86_image *image)
{
    return read_auxv(p, aux) && x86_image_from_table(p, aux->phdr, aux->phnum, image);
}

ebb_status x86_modules_begin(x86_process *p, ebb_error *err)
{
    auxv aux;
    x86_image image;
    free(p->program);
    p->program = read_program_path(p);
    p->r_debug = p->vdso = p->entry = 0;
    clear_modules(p);
    if (!read_program(p, &aux, &image))
        return ebb_fail(err, EBB_SYSTEM, "can't find the executable in the memory of process %d", (int)p->pid);
    p->entry = aux.entry;
    p->vdso = aux.vdso;
    add_program(p, &aux, &image);
    find_loader(p, &aux, &image);
    if (is_consistent(p)) {
        while (p->modules.n > 1) /* the loader lists itself, too */
            free((char *)p->modules.items[--p->modules.n].path);
        read_libraries(p);
    }
    add_vdso(p);
    return EBB_OK;
}

static bool same_modules(const machine_module *a, size_t n_a, const machine_module *b, size_t n_b)
{
    if (n_a != n_b)
        return false;
    for (size_t i = 0; i < n_a; i++)
        if (a[i].bias != b[i].bias || a[i].link_map != b[i].link_map || strcmp(a[i].path, b[i].path) != 0)
            return false;
    return true;
}

bool x86_modules_update(x86_process *p, machine_point_id reached)
{
    auxv aux;
    x86_image image;
    if (!read_program(p, &aux, &image))
        return false;
    if (reached && reached == p->entry_point) {
        machine_point_id done = p->entry_point;
        p->entry_point = 0;
        if (!use_dt_debug(p, &image) || x86_point_clear(&p->base, done, NULL) != EBB_OK)
            return false;
    }
    if (!is_consistent(p))
        return false;
    machine_module *before = p->modules.items;
    size_t n_before = p->modules.n;
    p->modules.items = NULL;
    p->modules.n = p->modules.cap = 0;
    add_program(p, &aux, &image);
    read_libraries(p);
    add_vdso(p);
    bool changed = !same_modules(before, n_before, p->modules.items, p->modules.n);
    for (size_t i = 0; i < n_before; i++)
        free((char *)before[i].path);
    free(before);
    ebb_log("%zu modules, %s", p->modules.n, changed ? "changed" : "the same");
    return changed;
}

void x86_modules_look_again(x86_process *p)
{
    x86_modules_update(p, 0);
}

void x86_modules_fini(x86_process *p)
{
    clear_modules(p);
    ebb_vec_fini(&p->modules);
    free(p->program);
    p->program = NULL;
    free(p->told.program);
    free(p->told.directory);
    free(p->told.auxv);
    x86_recorded_files_free(p->told.files);
    p->told = (x86_told){0};
}

const machine_module *x86_modules(machine *m, size_t *n)
{
    *n = x86_of(m)->modules.n;
    return x86_of(m)->modules.items;
}

const char *x86_program(machine *m)
{
    return x86_of(m)->program;
}

machine_place x86_entry(machine *m)
{
    return x86_of(m)->entry;
}
