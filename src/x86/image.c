/* image.c - reads program headers, and finds in them what is asked for. */
#include "x86/image.h"
#include "x86/memory.h"
#include "x86/page.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_ours(const Elf64_Ehdr *eh)
{
    return memcmp(eh->e_ident, ELFMAG, SELFMAG) == 0 && eh->e_ident[EI_CLASS] == ELFCLASS64 &&
           eh->e_phentsize == sizeof(Elf64_Phdr) && eh->e_phnum > 0 && eh->e_phnum <= X86_IMAGE_MAX_HEADERS;
}

bool x86_image_from_table(x86_process *p, uint64_t addr, size_t n, x86_image *image)
{
    if (n == 0 || n > X86_IMAGE_MAX_HEADERS)
        return false;
    image->n = n;
    return x86_read_raw(p, addr, image->headers, n * sizeof(Elf64_Phdr)) == n * sizeof(Elf64_Phdr);
}

bool x86_image_from_memory(x86_process *p, uint64_t addr, x86_image *image)
{
    Elf64_Ehdr eh;
    return x86_read_raw(p, addr, &eh, sizeof eh) == sizeof eh && is_ours(&eh) &&
           x86_image_from_table(p, addr + eh.e_phoff, eh.e_phnum, image);
}

bool x86_image_from_file(const char *path, x86_image *image)
{
    Elf64_Ehdr eh;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false;
    bool fine = pread(fd, &eh, sizeof eh, 0) == sizeof eh && is_ours(&eh);
    if (fine) {
        size_t nbytes = eh.e_phnum * sizeof(Elf64_Phdr);
        image->n = eh.e_phnum;
        fine = pread(fd, image->headers, nbytes, (off_t)eh.e_phoff) == (ssize_t)nbytes;
    }
    close(fd);
    return fine;
}

const Elf64_Phdr *x86_image_find(const x86_image *image, uint32_t type)
{
    for (size_t i = 0; i < image->n; i++)
        if (image->headers[i].p_type == type)
            return &image->headers[i];
    return NULL;
}

bool x86_image_span(const x86_image *image, uint64_t *lo, uint64_t *hi)
{
    *lo = UINT64_MAX;
    *hi = 0;
    for (size_t i = 0; i < image->n; i++) {
        const Elf64_Phdr *ph = &image->headers[i];
        if (ph->p_type != PT_LOAD)
            continue;
        uint64_t start = ph->p_vaddr & ~0xfffull, end = x86_page_up(ph->p_vaddr + ph->p_memsz);
        *lo = start < *lo ? start : *lo;
        *hi = end > *hi ? end : *hi;
    }
    return *lo < *hi;
}

/* --- symbols, straight from the section headers of the mapped file --- */

typedef struct mapped {
    const uint8_t *bytes;
    size_t n;
} mapped;

static const void *slice(mapped file, uint64_t offset, uint64_t nbytes)
{
    return offset <= file.n && nbytes <= file.n - offset ? file.bytes + offset : NULL;
}

/* Copied out: in a broken file it may lie anywhere. */
static bool section(mapped file, const Elf64_Ehdr *eh, size_t i, Elf64_Shdr *out)
{
    if (i >= eh->e_shnum || eh->e_shentsize != sizeof *out)
        return false;
    const void *at = slice(file, eh->e_shoff + i * sizeof *out, sizeof *out);
    if (at)
        memcpy(out, at, sizeof *out);
    return at != NULL;
}

static bool search_table(mapped file, const Elf64_Ehdr *eh, const Elf64_Shdr *table, const char *name, uint64_t *value)
{
    Elf64_Shdr strings;
    if (!section(file, eh, table->sh_link, &strings))
        return false;
    const char *text = slice(file, strings.sh_offset, strings.sh_size);
    const uint8_t *symbols = slice(file, table->sh_offset, table->sh_size);
    size_t name_size = strlen(name) + 1;
    for (uint64_t at = 0; text && symbols && at + sizeof(Elf64_Sym) <= table->sh_size; at += sizeof(Elf64_Sym)) {
        Elf64_Sym sym;
        memcpy(&sym, symbols + at, sizeof sym);
        if (sym.st_shndx == SHN_UNDEF || sym.st_name >= strings.sh_size || strings.sh_size - sym.st_name < name_size)
            continue;
        if (memcmp(text + sym.st_name, name, name_size) == 0) {
            *value = sym.st_value;
            return true;
        }
    }
    return false;
}

static bool search_file(mapped file, const char *name, uint64_t *value)
{
    const Elf64_Ehdr *eh = slice(file, 0, sizeof *eh);
    if (!eh || !is_ours(eh))
        return false;
    for (size_t i = 0; i < eh->e_shnum; i++) {
        Elf64_Shdr sh;
        bool is_table = section(file, eh, i, &sh) && (sh.sh_type == SHT_DYNSYM || sh.sh_type == SHT_SYMTAB);
        if (is_table && search_table(file, eh, &sh, name, value))
            return true;
    }
    return false;
}

bool x86_image_symbol(const char *path, const char *name, uint64_t *value)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;
    bool found = false;
    if (fd < 0)
        return false;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
        void *bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes != MAP_FAILED) {
            found = search_file((mapped){bytes, (size_t)st.st_size}, name, value);
            munmap(bytes, (size_t)st.st_size);
        }
    }
    close(fd);
    return found;
}
