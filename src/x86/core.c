/* core.c - opening a core file, and the machine that it is.  See core.h. */
#include "x86/core.h"
#include "base/text.h"
#include "x86/memory.h"
#include "x86/modules.h"
#include "x86/regs.h"
#include "x86/tasks.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/procfs.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef NT_SIGINFO
#define NT_SIGINFO 0x53494749
#endif
#ifndef NT_FILE
#define NT_FILE 0x46494c45
#endif

typedef struct bytes_of {
    const uint8_t *bytes;
    size_t n;
} bytes_of;

/* A file that was mapped. */
typedef struct mapped_file {
    uint64_t lo, hi, offset;
    const char *path; /* in the core file */
} mapped_file;

struct x86_core {
    bytes_of file; /* the whole core, mapped */
    EBB_VEC(Elf64_Phdr) segments;
    EBB_VEC(mapped_file) files;
    bytes_of auxv, siginfo;
    char command[81];
    int signal;
    char *named;     /* owned; the program as the user named it; NULL: not at all */
    const char *own; /* and as the core does; NULL: it doesn't */
    int fd;          /* of the file that was read from last; -1: none */
    const char *fd_path;
};

/* ---- memory ----------------------------------------------------------------------------------- */

static size_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? (size_t)a : (size_t)b;
}

/* The part at `addr` that the core itself has; 0 if it has none. */
static size_t read_segment(const x86_core *core, uint64_t addr, void *bytes, size_t nbytes)
{
    for (size_t i = 0; i < core->segments.n; i++) {
        const Elf64_Phdr *ph = &core->segments.items[i];
        if (addr < ph->p_vaddr || addr - ph->p_vaddr >= ph->p_filesz)
            continue;
        size_t n = smaller(nbytes, ph->p_filesz - (addr - ph->p_vaddr));
        memcpy(bytes, core->file.bytes + ph->p_offset + (addr - ph->p_vaddr), n);
        return n;
    }
    return 0;
}

static const mapped_file *file_at(const x86_core *core, uint64_t addr)
{
    for (size_t i = 0; i < core->files.n; i++)
        if (addr >= core->files.items[i].lo && addr < core->files.items[i].hi)
            return &core->files.items[i];
    return NULL;
}

/* Where the file is now: who named the program knows better than the core does. */
static const char *path_of(const x86_core *core, const mapped_file *file)
{
    return core->named && core->own && strcmp(core->own, file->path) == 0 ? core->named : file->path;
}

static int open_file(x86_core *core, const char *path)
{
    if (core->fd >= 0 && strcmp(core->fd_path, path) == 0)
        return core->fd;
    if (core->fd >= 0)
        close(core->fd);
    core->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    core->fd_path = path;
    return core->fd;
}

/* What the kernel left out since it is in the mapped file. */
static size_t read_file(const x86_core *core, uint64_t addr, void *bytes, size_t nbytes)
{
    const mapped_file *file = file_at(core, addr);
    int fd = file ? open_file((x86_core *)core, path_of(core, file)) : -1;
    if (fd < 0)
        return 0;
    ssize_t n = pread(fd, bytes, smaller(nbytes, file->hi - addr), (off_t)(file->offset + (addr - file->lo)));
    return n > 0 ? (size_t)n : 0;
}

/* A segment that the core has begins within the range: what is before it comes from a file. */
static size_t before_segment(const x86_core *core, uint64_t addr, size_t nbytes)
{
    for (size_t i = 0; i < core->segments.n; i++) {
        const Elf64_Phdr *ph = &core->segments.items[i];
        if (ph->p_filesz && ph->p_vaddr > addr && ph->p_vaddr - addr < nbytes)
            nbytes = (size_t)(ph->p_vaddr - addr);
    }
    return nbytes;
}

size_t x86_core_read(const x86_core *core, uint64_t addr, void *bytes, size_t nbytes)
{
    size_t done = 0;
    while (done < nbytes) {
        size_t n = read_segment(core, addr + done, (char *)bytes + done, nbytes - done);
        if (n == 0)
            n = read_file(core, addr + done, (char *)bytes + done, before_segment(core, addr + done, nbytes - done));
        if (n == 0)
            break;
        done += n;
    }
    return done;
}

size_t x86_core_auxv(const x86_core *core, void *entries, size_t nbytes)
{
    size_t n = smaller(nbytes, core->auxv.n);
    if (n)
        memcpy(entries, core->auxv.bytes, n);
    return n;
}

bool x86_core_file_at(const x86_core *core, uint64_t addr, char *path, size_t size)
{
    const mapped_file *file = file_at(core, addr);
    if (file)
        snprintf(path, size, "%s", path_of(core, file));
    return file != NULL;
}

bool x86_core_siginfo(const x86_core *core, siginfo_t *info)
{
    if (core->siginfo.n < sizeof *info)
        return false;
    memcpy(info, core->siginfo.bytes, sizeof *info);
    return true;
}

/* ---- notes ------------------------------------------------------------------------------------ */

/* NT_FILE: how many, the unit of offsets, then {begin, end, offset} for each, then their names. */
static void take_files(x86_core *core, bytes_of note)
{
    uint64_t head[2];
    if (note.n < sizeof head)
        return;
    memcpy(head, note.bytes, sizeof head);
    if (head[0] > note.n / 24 || note.n - sizeof head < head[0] * 24)
        return;
    const char *name = (const char *)note.bytes + sizeof head + head[0] * 24, *end = (const char *)note.bytes + note.n;
    for (uint64_t i = 0; i < head[0]; i++) {
        uint64_t row[3];
        const char *stop = name < end ? memchr(name, '\0', (size_t)(end - name)) : NULL;
        if (!stop)
            return;
        memcpy(row, note.bytes + sizeof head + i * 24, sizeof row);
        ebb_vec_push(&core->files, ((mapped_file){row[0], row[1], row[2] * head[1], name}));
        name = stop + 1;
    }
}

static void take_command(x86_core *core, bytes_of note)
{
    prpsinfo_t info;
    if (note.n < sizeof info)
        return;
    memcpy(&info, note.bytes, sizeof info);
    memcpy(core->command, info.pr_psargs, sizeof info.pr_psargs);
    ebb_text_rtrim(core->command);
}

static x86_task *take_thread(x86_process *p, bytes_of note)
{
    struct elf_prstatus status;
    if (note.n < sizeof status)
        return NULL;
    memcpy(&status, note.bytes, sizeof status);
    if (x86_task_get(p, status.pr_pid))
        return NULL;
    if (p->tasks.n == 0) {
        p->pid = status.pr_pid;
        p->core->signal = status.pr_cursig;
    }
    x86_task *t = x86_task_add(p, status.pr_pid);
    t->state = X86_STOPPED;
    t->starting = false;
    memcpy(&t->regs, &status.pr_reg, sizeof t->regs);
    t->regs_valid = t->xstate_valid = true;
    t->xstate = ebb_alloc(X86_XSTATE_MAX);
    memset(t->xstate, 0, X86_XSTATE_MAX);
    return t;
}

/* Notes of a thread follow its NT_PRSTATUS. */
static void take_note(x86_process *p, unsigned type, bytes_of note, x86_task **thread)
{
    switch (type) {
    case NT_PRSTATUS: *thread = take_thread(p, note); break;
    case NT_PRPSINFO: take_command(p->core, note); break;
    case NT_FILE: take_files(p->core, note); break;
    case NT_AUXV: p->core->auxv = note; break;
    case NT_SIGINFO:
        if (!p->core->siginfo.n)
            p->core->siginfo = note;
        break;
    case NT_FPREGSET:
    case NT_X86_XSTATE:
        if (*thread)
            memcpy((*thread)->xstate, note.bytes, smaller(note.n, X86_XSTATE_MAX));
        break;
    default: break;
    }
}

static void take_notes(x86_process *p, bytes_of notes)
{
    Elf64_Nhdr head;
    x86_task *thread = NULL;
    for (size_t at = 0; notes.n - at >= sizeof head;) {
        memcpy(&head, notes.bytes + at, sizeof head);
        size_t name = ((size_t)head.n_namesz + 3) & ~(size_t)3, body = ((size_t)head.n_descsz + 3) & ~(size_t)3;
        at += sizeof head;
        if (name > notes.n - at || head.n_descsz > notes.n - at - name)
            return;
        take_note(p, head.n_type, (bytes_of){notes.bytes + at + name, head.n_descsz}, &thread);
        at += smaller(name + body, notes.n - at);
    }
}

/* ---- opening ---------------------------------------------------------------------------------- */

static ebb_status map_file(x86_core *core, const char *path, ebb_error *err)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return ebb_fail_errno(err, "%s", path);
    bool fine = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
    void *bytes = fine ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    close(fd);
    if (bytes == MAP_FAILED)
        return ebb_fail(err, EBB_BAD_FILE, "\"%s\" is not a core dump: file format not recognized", path);
    core->file = (bytes_of){bytes, (size_t)st.st_size};
    return EBB_OK;
}

static bool is_core(const Elf64_Ehdr *eh)
{
    return memcmp(eh->e_ident, ELFMAG, SELFMAG) == 0 && eh->e_ident[EI_CLASS] == ELFCLASS64 && eh->e_type == ET_CORE &&
           eh->e_machine == EM_X86_64 && eh->e_phentsize == sizeof(Elf64_Phdr);
}

/* More than 65534 segments are counted in the first section header. */
static size_t count_segments(const x86_core *core, const Elf64_Ehdr *eh)
{
    Elf64_Shdr sh;
    if (eh->e_phnum != PN_XNUM || eh->e_shoff > core->file.n || core->file.n - eh->e_shoff < sizeof sh)
        return eh->e_phnum;
    memcpy(&sh, core->file.bytes + eh->e_shoff, sizeof sh);
    return sh.sh_info;
}

static ebb_status read_headers(x86_process *p, const char *path, ebb_error *err)
{
    x86_core *core = p->core;
    Elf64_Ehdr eh;
    if (core->file.n < sizeof eh || (memcpy(&eh, core->file.bytes, sizeof eh), !is_core(&eh)))
        return ebb_fail(err, EBB_BAD_FILE, "\"%s\" is not a core dump: file format not recognized", path);
    for (size_t i = 0, n = count_segments(core, &eh); i < n; i++) {
        Elf64_Phdr ph;
        uint64_t at = eh.e_phoff + i * sizeof ph;
        if (at > core->file.n || core->file.n - at < sizeof ph)
            break;
        memcpy(&ph, core->file.bytes + at, sizeof ph);
        uint64_t left = ph.p_offset < core->file.n ? core->file.n - ph.p_offset : 0; /* a core may be cut off */
        ph.p_filesz = smaller(ph.p_filesz, left);
        if (ph.p_type == PT_LOAD)
            ebb_vec_push(&core->segments, ph);
        if (ph.p_type == PT_NOTE && ph.p_filesz)
            take_notes(p, (bytes_of){core->file.bytes + ph.p_offset, ph.p_filesz});
    }
    return p->tasks.n ? EBB_OK : ebb_fail(err, EBB_BAD_FILE, "%s has no threads in it", path);
}

/* The file in which the executable's headers are. */
static const char *find_program(const x86_core *core)
{
    for (size_t at = 0; core->auxv.n - at >= 16; at += 16) {
        uint64_t entry[2];
        memcpy(entry, core->auxv.bytes + at, sizeof entry);
        const mapped_file *file = entry[0] == AT_PHDR ? file_at(core, entry[1]) : NULL;
        if (file)
            return file->path;
    }
    return NULL;
}

/* ---- the machine ------------------------------------------------------------------------------ */

static ebb_status fail_dead(ebb_error *err)
{
    return ebb_fail(err, EBB_GONE, "The program is not being run.");
}

static unsigned capabilities(machine *m)
{
    (void)m;
    return 0;
}

static ebb_status resume(machine *m, const machine_request *request, machine_stop *stop, ebb_error *err)
{
    (void)m, (void)request, (void)stop;
    return fail_dead(err);
}

static void interrupt(machine *m)
{
    (void)m;
}

/* They wait for a program that runs. */
static ebb_status point_set(machine *m, const machine_point *point, machine_point_id *id, ebb_error *err)
{
    (void)point, (void)err;
    *id = ++x86_of(m)->last_point_id;
    return EBB_OK;
}

static ebb_status point_clear(machine *m, machine_point_id id, ebb_error *err)
{
    (void)m, (void)id, (void)err;
    return EBB_OK;
}

static bool point_is_cheap(machine *m, machine_point_id id)
{
    (void)m, (void)id;
    return true;
}

static ebb_status event_set(machine *m, machine_event event, bool wanted, ebb_error *err)
{
    (void)m, (void)event, (void)wanted, (void)err;
    return EBB_OK;
}

static void signal_policy(machine *m, uint64_t stop, uint64_t pass)
{
    (void)m, (void)stop, (void)pass;
}

static ebb_status refuse_write(machine *m, uint32_t space, machine_addr addr, const void *bytes, size_t nbytes, ebb_error *err)
{
    (void)m, (void)space, (void)bytes, (void)nbytes;
    return ebb_fail(err, EBB_NO_MEMORY_AT, "cannot access memory at address 0x%llx", (unsigned long long)addr);
}

static ebb_status reg_write(machine *m, machine_tid tid, unsigned reg, const void *bytes, ebb_error *err)
{
    (void)m, (void)tid, (void)reg, (void)bytes;
    return ebb_fail(err, EBB_UNSUPPORTED, "You can't do that without a process to debug.");
}

static pid_t get_pid(machine *m)
{
    return x86_of(m)->pid;
}

static bool siginfo(machine *m, machine_tid tid, siginfo_t *info)
{
    return (pid_t)tid == x86_of(m)->tasks.items[0]->tid && x86_core_siginfo(x86_of(m)->core, info);
}

static ebb_status kill_it(machine *m, ebb_error *err)
{
    (void)m;
    return fail_dead(err);
}

static ebb_status detach(machine *m, int signal, ebb_error *err)
{
    (void)m, (void)signal, (void)err;
    return EBB_OK;
}

void x86_core_free(x86_core *core)
{
    if (!core)
        return;
    if (core->file.n)
        munmap((void *)core->file.bytes, core->file.n);
    if (core->fd >= 0)
        close(core->fd);
    ebb_vec_fini(&core->segments);
    ebb_vec_fini(&core->files);
    free(core->named);
    free(core);
}

static void free_machine(machine *m)
{
    x86_process *p = x86_of(m);
    p->gone = true;
    x86_process_free(p);
}

static const machine_ops ops = {
    .name = "x86-core",
    .capabilities = capabilities,
    .resume = resume,
    .interrupt = interrupt,
    .point_set = point_set,
    .point_clear = point_clear,
    .point_is_cheap = point_is_cheap,
    .event_set = event_set,
    .signal_policy = signal_policy,
    .read = x86_read,
    .write = refuse_write,
    .place = x86_place,
    .threads = x86_threads,
    .decode = x86_native_decode,
    .pid = get_pid,
    .program = x86_program,
    .kill = kill_it,
    .detach = detach,
    .free = free_machine,
};

static const machine_native_ops native_ops = {
    .registers = x86_registers,
    .reg_read = x86_reg_read,
    .reg_write = reg_write,
    .modules = x86_modules,
    .tls_block = x86_tls_block,
    .siginfo = siginfo,
    .entry = x86_entry,
    .auxv = x86_auxv,
    .call_before = x86_call_before,
};

static ebb_status open_into(x86_process *p, const char *path, const char *program, ebb_error *err)
{
    x86_core *core = p->core;
    EBB_TRY(map_file(core, path, err));
    EBB_TRY(read_headers(p, path, err));
    core->own = find_program(core);
    core->named = program ? ebb_strdup(program) : NULL;
    return x86_modules_begin(p, err);
}

ebb_status x86_core_open(const char *path, const char *program, machine **m, ebb_error *err)
{
    x86_process *p = x86_process_new(0, false);
    p->base = (machine){.ops = &ops, .native = &native_ops};
    p->core = EBB_NEW(x86_core);
    p->core->fd = -1;
    ebb_status status = open_into(p, path, program, err);
    if (status == EBB_OK)
        *m = &p->base;
    else
        free_machine(&p->base);
    return status;
}

bool x86_core_get_about(machine *m, x86_core_about *about)
{
    const x86_core *core = x86_of(m)->core;
    if (!core)
        return false;
    bool other = core->named && core->own && strcmp(ebb_path_base(core->named), ebb_path_base(core->own)) != 0;
    *about = (x86_core_about){.command = core->command, .signal = core->signal, .other_program = other};
    return true;
}
