/* image.c - see image.h.  Foreign bytes: every offset is checked against the file's length. */
#include "session/c/image.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct ses_image {
    const uint8_t *file;
    size_t nbytes;
    uint64_t bias;
    const Elf64_Phdr *headers; /* within the file */
    size_t n_headers;
};

static bool find_headers(ses_image *image)
{
    const Elf64_Ehdr *elf = (const Elf64_Ehdr *)image->file;
    if (image->nbytes < sizeof *elf || memcmp(elf->e_ident, ELFMAG, SELFMAG) != 0 ||
        elf->e_ident[EI_CLASS] != ELFCLASS64 || elf->e_phentsize != sizeof(Elf64_Phdr))
        return false;
    if (elf->e_phoff % 8 || elf->e_phoff > image->nbytes ||
        (image->nbytes - elf->e_phoff) / sizeof(Elf64_Phdr) < elf->e_phnum)
        return false;
    image->headers = (const Elf64_Phdr *)(image->file + elf->e_phoff);
    image->n_headers = elf->e_phnum;
    return true;
}

ses_image *ses_image_open(const char *path, uint64_t bias)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    struct stat st;
    void *file = MAP_FAILED;
    if (fstat(fd, &st) == 0 && st.st_size > 0)
        file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (file == MAP_FAILED)
        return NULL;
    ses_image *image = EBB_NEW(ses_image);
    *image = (ses_image){.file = file, .nbytes = (size_t)st.st_size, .bias = bias};
    if (find_headers(image))
        return image;
    ses_image_free(image);
    return NULL;
}

void ses_image_free(ses_image *image)
{
    if (!image)
        return;
    munmap((void *)image->file, image->nbytes);
    free(image);
}

static const Elf64_Phdr *segment_at(const ses_image *image, uint64_t addr)
{
    for (size_t i = 0; i < image->n_headers; i++) {
        const Elf64_Phdr *ph = &image->headers[i];
        if (ph->p_type == PT_LOAD && addr - ph->p_vaddr < ph->p_memsz)
            return ph;
    }
    return NULL;
}

/* Copies what one segment has; what is not in the file (.bss) is zero. */
static size_t copy_from_segment(const ses_image *image, const Elf64_Phdr *ph, uint64_t addr,
                                uint8_t *bytes, size_t nbytes)
{
    uint64_t at = addr - ph->p_vaddr;
    size_t n = nbytes < ph->p_memsz - at ? nbytes : (size_t)(ph->p_memsz - at);
    memset(bytes, 0, n);
    if (at < ph->p_filesz && ph->p_offset < image->nbytes && at < image->nbytes - ph->p_offset) {
        uint64_t in_file = ph->p_filesz - at;
        uint64_t there = image->nbytes - ph->p_offset - at;
        uint64_t n_file = in_file < there ? in_file : there;
        memcpy(bytes, image->file + ph->p_offset + at, n < n_file ? n : (size_t)n_file);
    }
    return n;
}

ebb_status ses_fail_memory(uint64_t addr, ebb_error *err)
{
    return ebb_fail(err, EBB_NO_MEMORY_AT, "Cannot access memory at address 0x%lx",
                    (unsigned long)addr);
}

ebb_status ses_image_read(const ses_image *image, uint64_t addr, void *bytes, size_t nbytes,
                          ebb_error *err)
{
    uint8_t *out = bytes;
    while (nbytes > 0) {
        const Elf64_Phdr *ph = segment_at(image, addr - image->bias);
        if (!ph)
            return ses_fail_memory(addr, err);
        size_t n = copy_from_segment(image, ph, addr - image->bias, out, nbytes);
        out += n, addr += n, nbytes -= n;
    }
    return EBB_OK;
}

/* ---- sections ------------------------------------------------------------------------------- */

static const Elf64_Shdr *sections(const ses_image *image, size_t *n, const char **names,
                                  size_t *names_nbytes)
{
    const Elf64_Ehdr *elf = (const Elf64_Ehdr *)image->file;
    *n = 0;
    if (elf->e_shentsize != sizeof(Elf64_Shdr) || elf->e_shoff % 8 ||
        elf->e_shoff > image->nbytes ||
        (image->nbytes - elf->e_shoff) / sizeof(Elf64_Shdr) < elf->e_shnum ||
        elf->e_shstrndx >= elf->e_shnum)
        return NULL;
    const Elf64_Shdr *headers = (const Elf64_Shdr *)(image->file + elf->e_shoff);
    const Elf64_Shdr *strings = &headers[elf->e_shstrndx];
    if (strings->sh_offset > image->nbytes || image->nbytes - strings->sh_offset < strings->sh_size)
        return NULL;
    *n = elf->e_shnum;
    *names = (const char *)image->file + strings->sh_offset;
    *names_nbytes = strings->sh_size;
    return headers;
}

bool ses_section_name(const char *path, uint64_t addr, char *name, size_t size)
{
    ses_image *image = ses_image_open(path, 0);
    size_t n = 0, names_nbytes;
    const char *names;
    bool found = false;
    const Elf64_Shdr *headers = image ? sections(image, &n, &names, &names_nbytes) : NULL;
    for (size_t i = 0; i < n && !found; i++) {
        const Elf64_Shdr *h = &headers[i];
        if (!(h->sh_flags & SHF_ALLOC) || addr - h->sh_addr >= h->sh_size ||
            h->sh_name >= names_nbytes)
            continue;
        size_t length = strnlen(names + h->sh_name, names_nbytes - h->sh_name);
        length = length < size ? length : size - 1;
        memcpy(name, names + h->sh_name, length);
        name[length] = '\0';
        found = true;
    }
    ses_image_free(image);
    return found;
}

ebb_status ses_memory_read(session *s, uint64_t addr, void *bytes, size_t nbytes, ebb_error *err)
{
    if (ses_has_debuggee(s))
        return machine_read(s->machine, addr, bytes, nbytes, err);
    if (s->image)
        return ses_image_read(s->image, addr, bytes, nbytes, err);
    return ses_fail_memory(addr, err);
}
