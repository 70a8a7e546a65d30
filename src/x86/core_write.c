/* core_write.c - writing a core file.  See core.h.
 *
 * The file is laid out first (ELF header, program headers, notes, memory from the next page on), and memory is written where it belongs,
 * without pages that nobody has touched: these stay holes. */
#include "x86/core.h"
#include "base/buf.h"
#include "base/text.h"
#include "x86/memory.h"
#include "x86/regs.h"
#include "x86/tasks.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/procfs.h>
#include <unistd.h>

enum { PAGE = 4096 };

/* A line of /proc/PID/smaps with what follows it. */
typedef struct mapping {
    uint64_t lo, hi, offset;
    char how[5]; /* rwxp */
    char *path;  /* owned; "" for none */
    uint64_t resident_kb, anonymous_kb, swapped_kb;
    bool never;       /* madvise(MADV_DONTDUMP), or of a device */
    uint64_t nbytes;  /* of it that go into the file */
} mapping;

typedef struct writer {
    x86_process *p;
    int fd, pagemap;
    EBB_VEC(mapping) maps;
    ebb_buf notes;
    const x86_core_wish *wish;
    ebb_error *err;
} writer;

/* ---- what is mapped --------------------------------------------------------------------------- */

static bool is_hidden(const x86_hidden *hidden, size_t n, uint64_t lo, uint64_t hi)
{
    for (size_t i = 0; i < n; i++)
        if (hidden[i].lo < hi && lo < hidden[i].hi)
            return true;
    return false;
}

static bool begin_mapping(const char *line, mapping *m)
{
    unsigned long long lo, hi, offset;
    int at = 0;
    *m = (mapping){0};
    if (sscanf(line, "%llx-%llx %4s %llx %*s %*s %n", &lo, &hi, m->how, &offset, &at) < 4 || at == 0)
        return false;
    m->lo = lo;
    m->hi = hi;
    m->offset = offset;
    m->path = ebb_strndup(line + at, strcspn(line + at, "\n"));
    return true;
}

static void add_fact(mapping *m, const char *line)
{
    unsigned long long kb;
    if (sscanf(line, "Rss: %llu", &kb) == 1)
        m->resident_kb = kb;
    else if (sscanf(line, "Anonymous: %llu", &kb) == 1)
        m->anonymous_kb = kb;
    else if (sscanf(line, "Swap: %llu", &kb) == 1)
        m->swapped_kb = kb;
    else if (strncmp(line, "VmFlags:", 8) == 0)
        m->never = strstr(line, " dd") || strstr(line, " io") || strstr(line, " pf");
}

static bool is_file(const mapping *m)
{
    return m->path[0] == '/';
}

/* As the kernel does by default: what is the process's own, and of a file that it only reads the page that tells which one it is. */
static uint64_t nbytes_to_write(const mapping *m)
{
    bool is_own = !is_file(m) || m->anonymous_kb || m->swapped_kb;
    if (m->never || strcmp(m->path, "[vsyscall]") == 0 || ebb_text_starts(m->path, "[vvar"))
        return 0;
    if (is_own)
        return m->resident_kb || m->swapped_kb ? m->hi - m->lo : 0;
    return m->offset == 0 && m->how[0] == 'r' ? PAGE : 0;
}

static ebb_status read_maps(writer *w)
{
    char path[64], line[PATH_MAX + 128];
    mapping m;
    bool wanted = false;
    snprintf(path, sizeof path, "/proc/%d/smaps", (int)x86_any_tid(w->p));
    FILE *file = fopen(path, "re");
    if (!file)
        return ebb_fail_errno(w->err, "can't read what is mapped in the program");
    while (fgets(line, sizeof line, file)) {
        if (begin_mapping(line, &m)) {
            wanted = !is_hidden(w->wish->hidden, w->wish->n_hidden, m.lo, m.hi);
            if (wanted)
                ebb_vec_push(&w->maps, m);
            else
                free(m.path);
        } else if (wanted) {
            add_fact(&w->maps.items[w->maps.n - 1], line);
        }
    }
    fclose(file);
    for (size_t i = 0; i < w->maps.n; i++)
        w->maps.items[i].nbytes = nbytes_to_write(&w->maps.items[i]);
    return EBB_OK;
}

/* ---- notes ------------------------------------------------------------------------------------ */

static void pad(ebb_buf *buf, size_t to)
{
    while (buf->n % to)
        ebb_buf_addc(buf, '\0');
}

static void add_note(writer *w, const char *owner, unsigned type, const void *bytes, size_t nbytes)
{
    Elf64_Nhdr head = {(Elf64_Word)strlen(owner) + 1, (Elf64_Word)nbytes, type};
    ebb_buf_add(&w->notes, &head, sizeof head);
    ebb_buf_add(&w->notes, owner, head.n_namesz);
    pad(&w->notes, 4);
    ebb_buf_add(&w->notes, bytes, nbytes);
    pad(&w->notes, 4);
}

static size_t read_proc(writer *w, const char *name, char *bytes, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)x86_any_tid(w->p), name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, bytes, size);
    if (fd >= 0)
        close(fd);
    return n > 0 ? (size_t)n : 0;
}

static void add_psinfo(writer *w)
{
    prpsinfo_t info = {.pr_sname = 't', .pr_state = 't', .pr_pid = w->p->pid};
    size_t n = read_proc(w, "cmdline", info.pr_psargs, sizeof info.pr_psargs - 1);
    for (size_t i = 0; i + 1 < n; i++)
        if (!info.pr_psargs[i])
            info.pr_psargs[i] = ' ';
    snprintf(info.pr_fname, sizeof info.pr_fname, "%.15s", ebb_path_base(w->p->program));
    add_note(w, "CORE", NT_PRPSINFO, &info, sizeof info);
}

static void add_auxv(writer *w)
{
    char entries[1024];
    size_t n = read_proc(w, "auxv", entries, sizeof entries);
    add_note(w, "CORE", NT_AUXV, entries, n);
}

static void add_files(writer *w)
{
    ebb_buf rows = {0}, names = {0};
    uint64_t head[2] = {0, PAGE};
    for (size_t i = 0; i < w->maps.n; i++) {
        const mapping *m = &w->maps.items[i];
        if (!is_file(m))
            continue;
        uint64_t row[3] = {m->lo, m->hi, m->offset / PAGE};
        ebb_buf_add(&rows, row, sizeof row);
        ebb_buf_add(&names, m->path, strlen(m->path) + 1);
        head[0]++;
    }
    ebb_buf all = {0};
    ebb_buf_add(&all, head, sizeof head);
    ebb_buf_add(&all, rows.data, rows.n);
    ebb_buf_add(&all, names.data, names.n);
    add_note(w, "CORE", NT_FILE, all.data, all.n);
    ebb_buf_fini(&rows);
    ebb_buf_fini(&names);
    ebb_buf_fini(&all);
}

static ebb_status add_thread(writer *w, x86_task *t, bool is_first)
{
    int signal = is_first ? w->wish->signal : 0;
    struct elf_prstatus status = {.pr_pid = t->tid, .pr_cursig = (short)signal, .pr_info.si_signo = signal, .pr_fpvalid = 1};
    EBB_TRY(x86_regs_fetch_all(t, w->err));
    memcpy(&status.pr_reg, &t->regs, sizeof t->regs);
    add_note(w, "CORE", NT_PRSTATUS, &status, sizeof status);
    if (is_first)
        add_psinfo(w);
    if (signal)
        add_note(w, "CORE", NT_SIGINFO, &w->wish->info, sizeof w->wish->info);
    if (is_first) {
        add_auxv(w);
        add_files(w);
    }
    add_note(w, "CORE", NT_FPREGSET, t->xstate, sizeof(struct user_fpregs_struct));
    add_note(w, "LINUX", NT_X86_XSTATE, t->xstate, x86_xstate_nbytes());
    return EBB_OK;
}

/* The thread that was told a signal comes first, as in the kernel's own. */
static ebb_status add_threads(writer *w)
{
    x86_task *leader = x86_task_get(w->p, (pid_t)w->wish->first);
    if (leader && leader->state == X86_STOPPED)
        EBB_TRY(add_thread(w, leader, true));
    for (size_t i = 0; i < w->p->tasks.n; i++) {
        x86_task *t = w->p->tasks.items[i];
        if (t != leader && t->state == X86_STOPPED)
            EBB_TRY(add_thread(w, t, w->notes.n == 0));
    }
    return EBB_OK;
}

/* ---- writing ---------------------------------------------------------------------------------- */

static ebb_status put(writer *w, const void *bytes, size_t nbytes, uint64_t at)
{
    for (size_t done = 0; done < nbytes;) {
        ssize_t n = pwrite(w->fd, (const char *)bytes + done, nbytes - done, (off_t)(at + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return ebb_fail_errno(w->err, "can't write the core file");
        done += (size_t)n;
    }
    return EBB_OK;
}

static ebb_status put_headers(writer *w, uint64_t *memory_at)
{
    size_t n = w->maps.n + 1;
    Elf64_Ehdr eh = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_CORE, .e_machine = EM_X86_64, .e_version = EV_CURRENT, .e_phoff = sizeof eh, .e_ehsize = sizeof eh,
        .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = (Elf64_Half)n,
    };
    if (n >= PN_XNUM)
        return ebb_fail(w->err, EBB_UNSUPPORTED, "the program has too many mappings for a core file");
    ebb_buf heads = {0};
    uint64_t at = sizeof eh + n * sizeof(Elf64_Phdr);
    ebb_buf_add(&heads, &eh, sizeof eh);
    Elf64_Phdr note = {.p_type = PT_NOTE, .p_offset = at, .p_filesz = w->notes.n, .p_align = 4};
    ebb_buf_add(&heads, &note, sizeof note);
    at = *memory_at = (at + w->notes.n + PAGE - 1) / PAGE * PAGE;
    for (size_t i = 0; i < w->maps.n; i++) {
        const mapping *m = &w->maps.items[i];
        uint32_t flags = (m->how[0] == 'r' ? PF_R : 0u) | (m->how[1] == 'w' ? PF_W : 0u) | (m->how[2] == 'x' ? PF_X : 0u);
        Elf64_Phdr ph = {.p_type = PT_LOAD, .p_flags = flags, .p_offset = at, .p_vaddr = m->lo, .p_filesz = m->nbytes,
                         .p_memsz = m->hi - m->lo, .p_align = PAGE};
        ebb_buf_add(&heads, &ph, sizeof ph);
        at += m->nbytes;
    }
    ebb_status status = put(w, heads.data, heads.n, 0);
    if (status == EBB_OK)
        status = put(w, w->notes.data, w->notes.n, heads.n);
    ebb_buf_fini(&heads);
    if (status == EBB_OK && ftruncate(w->fd, (off_t)at) != 0)
        status = ebb_fail_errno(w->err, "can't write the core file");
    return status;
}

enum { CHUNK_PAGES = 256 };

/* Which pages of a run are in memory or swapped out; where the kernel doesn't tell, all. */
static void look_up_pages(writer *w, uint64_t addr, size_t n, bool there[CHUNK_PAGES])
{
    uint64_t bits[CHUNK_PAGES];
    bool known = w->pagemap >= 0 && pread(w->pagemap, bits, n * 8, (off_t)(addr / PAGE * 8)) == (ssize_t)(n * 8);
    for (size_t i = 0; i < n; i++)
        there[i] = !known || bits[i] >> 62;
}

static ebb_status put_chunk(writer *w, uint64_t addr, size_t n_pages, uint64_t at)
{
    static uint8_t page[PAGE];
    bool there[CHUNK_PAGES];
    look_up_pages(w, addr, n_pages, there);
    for (size_t i = 0; i < n_pages; i++)
        if (there[i] && x86_read(&w->p->base, 0, addr + i * PAGE, page, PAGE, NULL) == EBB_OK)
            EBB_TRY(put(w, page, PAGE, at + i * PAGE));
    return EBB_OK;
}

static ebb_status put_memory(writer *w, uint64_t at)
{
    for (size_t i = 0; i < w->maps.n; i++) {
        const mapping *m = &w->maps.items[i];
        for (uint64_t done = 0; done < m->nbytes;) {
            uint64_t left = (m->nbytes - done) / PAGE;
            size_t n = left < CHUNK_PAGES ? (size_t)left : CHUNK_PAGES;
            EBB_TRY(put_chunk(w, m->lo + done, n, at + done));
            done += n * PAGE;
        }
        at += m->nbytes;
    }
    return EBB_OK;
}

static ebb_status write_all(writer *w)
{
    uint64_t memory_at = 0;
    EBB_TRY(add_threads(w));
    EBB_TRY(put_headers(w, &memory_at));
    return put_memory(w, memory_at);
}

static void fini(writer *w)
{
    for (size_t i = 0; i < w->maps.n; i++)
        free(w->maps.items[i].path);
    ebb_vec_fini(&w->maps);
    ebb_buf_fini(&w->notes);
    if (w->pagemap >= 0)
        close(w->pagemap);
    if (w->fd >= 0)
        close(w->fd);
}

ebb_status x86_core_write(machine *native, const char *path, const x86_core_wish *wish, ebb_error *err)
{
    writer w = {.p = x86_of(native), .fd = -1, .pagemap = -1, .wish = wish, .err = err};
    char pagemap[64];
    EBB_TRY(x86_check_alive(w.p, err));
    if (w.p->core)
        return ebb_fail(err, EBB_GONE, "You can't do that without a process to debug.");
    snprintf(pagemap, sizeof pagemap, "/proc/%d/pagemap", (int)x86_any_tid(w.p));
    w.pagemap = open(pagemap, O_RDONLY | O_CLOEXEC);
    ebb_status status = read_maps(&w);
    if (status == EBB_OK && (w.fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)) < 0)
        status = ebb_fail_errno(err, "Failed to open '%s' for output", path);
    if (status == EBB_OK)
        status = write_all(&w);
    bool is_open = w.fd >= 0;
    fini(&w);
    if (status != EBB_OK && is_open)
        unlink(path);
    return status;
}
