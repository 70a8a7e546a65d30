/* elf_file.c - headers are checked before libelf is let near them; separate debug files are found by build id and link. */
#include "symbols/elf_file.h"
#include "base/mem.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a person sees first when the file isn't what they meant, so say what it is instead. */
static ebb_status check_header(const sym_elf *file, ebb_error *err)
{
    const GElf_Ehdr *h = &file->header;
    if (h->e_ident[EI_CLASS] != ELFCLASS64)
        return ebb_fail(err, EBB_BAD_FILE, "%s: a 32-bit program; ebb debugs x86-64 programs",
                        file->path);
    if (h->e_ident[EI_DATA] != ELFDATA2LSB || h->e_machine != EM_X86_64)
        return ebb_fail(err, EBB_BAD_FILE, "%s: an ELF file for another machine than x86-64",
                        file->path);
    if (h->e_type != ET_EXEC && h->e_type != ET_DYN)
        return ebb_fail(err, EBB_BAD_FILE, "%s: %s, not a program or shared library", file->path,
                        h->e_type == ET_REL    ? "an object file that isn't linked yet"
                        : h->e_type == ET_CORE ? "a core dump"
                                               : "an unknown kind of ELF file");
    return EBB_OK;
}

static ebb_status check_file(sym_elf *file, ebb_error *err)
{
    if (!file->elf || elf_kind(file->elf) != ELF_K_ELF)
        return ebb_fail(err, EBB_BAD_FILE, "%s: not an ELF file", file->path);
    if (!gelf_getehdr(file->elf, &file->header))
        return ebb_fail(err, EBB_BAD_FILE, "%s: broken ELF header", file->path);
    return check_header(file, err);
}

static ebb_status open_regular(sym_elf *file, const char *path, ebb_error *err)
{
    struct stat st;
    file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file->fd < 0)
        return ebb_fail_errno(err, "%s", file->path);
    if (fstat(file->fd, &st) < 0)
        return ebb_fail_errno(err, "%s", file->path);
    if (!S_ISREG(st.st_mode))
        return ebb_fail(err, EBB_BAD_FILE, "%s: %s", file->path,
                        S_ISDIR(st.st_mode) ? "a directory" : "not a regular file");
    file->elf = elf_begin(file->fd, ELF_C_READ_MMAP, NULL);
    return check_file(file, err);
}

ebb_status sym_elf_open_as(sym_elf *file, const char *name, const char *path, ebb_error *err)
{
    elf_version(EV_CURRENT);
    *file = (sym_elf){.path = ebb_strdup(name), .fd = -1};
    ebb_status status = open_regular(file, path, err);
    if (status != EBB_OK)
        sym_elf_close(file);
    return status;
}

ebb_status sym_elf_open(sym_elf *file, const char *path, ebb_error *err)
{
    return sym_elf_open_as(file, path, path, err);
}

ebb_status sym_elf_open_image(sym_elf *file, const char *name, const void *image, size_t nbytes,
                              ebb_error *err)
{
    elf_version(EV_CURRENT);
    *file = (sym_elf){.path = ebb_strdup(name), .fd = -1};
    file->image = ebb_alloc(nbytes + 1);
    memcpy(file->image, image, nbytes);
    file->elf = elf_memory(file->image, nbytes);
    ebb_status status = check_file(file, err);
    if (status != EBB_OK)
        sym_elf_close(file);
    return status;
}

void sym_elf_close(sym_elf *file)
{
    if (!file->path)
        return;
    elf_end(file->elf);
    if (file->fd >= 0)
        close(file->fd);
    free(file->image);
    free(file->path);
    *file = (sym_elf){.fd = -1};
}

/* ---- sections --------------------------------------------------------------------------------- */

Elf_Scn *sym_elf_section(const sym_elf *file, const char *name, GElf_Shdr *header)
{
    size_t names;
    if (elf_getshdrstrndx(file->elf, &names) != 0)
        return NULL;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(file->elf, scn));) {
        if (!gelf_getshdr(scn, header))
            continue;
        const char *found = elf_strptr(file->elf, names, header->sh_name);
        if (found && strcmp(found, name) == 0)
            return scn;
    }
    return NULL;
}

sym_bytes sym_elf_section_bytes(const sym_elf *file, const char *name)
{
    GElf_Shdr header;
    Elf_Scn *scn = file->elf ? sym_elf_section(file, name, &header) : NULL;
    if (!scn || header.sh_type == SHT_NOBITS || (header.sh_flags & SHF_COMPRESSED))
        return (sym_bytes){0};
    Elf_Data *data = elf_rawdata(scn, NULL);
    if (!data || !data->d_buf)
        return (sym_bytes){0};
    return (sym_bytes){data->d_buf, data->d_size};
}

void sym_elf_decompress(sym_elf *file)
{
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(file->elf, scn));) {
        GElf_Shdr header;
        if (gelf_getshdr(scn, &header) && header.sh_type != SHT_NOBITS &&
            (header.sh_flags & SHF_COMPRESSED))
            elf_compress(scn, 0, 0);
    }
}

bool sym_elf_build_id(const sym_elf *file, sym_bytes *id)
{
    sym_bytes note = sym_elf_section_bytes(file, ".note.gnu.build-id");
    const size_t head = 16; /* three words and "GNU\0" */
    uint32_t words[3];
    if (note.n < head)
        return false;
    memcpy(words, note.data, sizeof words);
    if (words[0] != 4 || words[2] != NT_GNU_BUILD_ID || memcmp(note.data + 12, "GNU", 4) != 0 ||
        words[1] > note.n - head || words[1] < 2)
        return false;
    *id = (sym_bytes){note.data + head, words[1]};
    return true;
}

/* ---- separate debug files --------------------------------------------------------------------- */

static const char DEBUG_ROOT[] = "/usr/lib/debug";

static bool same_build_id(const sym_elf *a, const sym_elf *b)
{
    sym_bytes x, y;
    return sym_elf_build_id(a, &x) && sym_elf_build_id(b, &y) && x.n == y.n &&
           memcmp(x.data, y.data, x.n) == 0;
}

static bool find_by_build_id(const sym_elf *file, sym_elf *debug)
{
    sym_bytes id;
    if (!sym_elf_build_id(file, &id) || id.n > 64)
        return false;
    char hex[2 * 64 + 1];
    for (size_t i = 0; i < id.n; i++)
        sprintf(hex + 2 * i, "%02x", id.data[i]);
    char *path = ebb_asprintf("%s/.build-id/%.2s/%s.debug", DEBUG_ROOT, hex, hex + 2);
    bool found = sym_elf_open(debug, path, NULL) == EBB_OK;
    free(path);
    if (found && !same_build_id(file, debug)) {
        sym_elf_close(debug);
        found = false;
    }
    return found;
}

/* The CRC-32 of .gnu_debuglink (the polynomial of zlib and Ethernet). */
static uint32_t crc32_of(const uint8_t *bytes, size_t n)
{
    static uint32_t table[256];
    if (!table[1])
        for (uint32_t i = 0; i < 256; i++) {
            uint32_t c = i;
            for (int bit = 0; bit < 8; bit++)
                c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
            table[i] = c;
        }
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < n; i++)
        crc = table[(crc ^ bytes[i]) & 0xff] ^ crc >> 8;
    return ~crc;
}

static bool try_debug_link(const sym_elf *file, char *path, uint32_t crc, sym_elf *debug)
{
    bool found = strcmp(path, file->path) != 0 && sym_elf_open(debug, path, NULL) == EBB_OK;
    free(path);
    if (!found)
        return false;
    size_t n;
    char *bytes = elf_rawfile(debug->elf, &n);
    if (same_build_id(file, debug) || (bytes && crc32_of((const uint8_t *)bytes, n) == crc))
        return true;
    sym_elf_close(debug);
    return false;
}

static bool find_by_debug_link(const sym_elf *file, sym_elf *debug)
{
    sym_bytes link = sym_elf_section_bytes(file, ".gnu_debuglink");
    size_t name_n = link.data ? strnlen((const char *)link.data, link.n) : 0;
    size_t crc_at = (name_n + 4) & ~(size_t)3;
    if (name_n == 0 || crc_at + 4 > link.n || memchr(link.data, '/', name_n))
        return false;
    uint32_t crc;
    memcpy(&crc, link.data + crc_at, sizeof crc);
    const char *name = (const char *)link.data;
    char *real = realpath(file->path, NULL);
    if (!real)
        return false;
    int dir_n = (int)(ebb_path_base(real) - real); /* with the slash */
    bool found =
        try_debug_link(file, ebb_asprintf("%.*s%s", dir_n, real, name), crc, debug) ||
        try_debug_link(file, ebb_asprintf("%.*s.debug/%s", dir_n, real, name), crc, debug) ||
        try_debug_link(file, ebb_asprintf("%s%.*s%s", DEBUG_ROOT, dir_n, real, name), crc, debug);
    free(real);
    return found;
}

bool sym_elf_find_debug(const sym_elf *file, sym_elf *debug)
{
    *debug = (sym_elf){.fd = -1};
    if (find_by_build_id(file, debug) || find_by_debug_link(file, debug))
        return true;
    *debug = (sym_elf){.fd = -1};
    return false;
}
