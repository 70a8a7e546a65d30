/* inside_image.c - relocates the file that ebb carries, and finds what it needs of libZydis in the system's. */
#include "x86/vm/inside_image.h"
#include "x86/page.h"
#include "base/file.h"
#include "base/mem.h"

#include <Zydis/Zydis.h>
#include <dlfcn.h>
#include <elf.h>
#include <string.h>

/* The runtime's own file, put into ebb by the build. */
extern const uint8_t x86_inside_file[], x86_inside_file_end[];

enum { MAX_PARTS = 3 };

/* One shared object of the image. */
typedef struct x86_inside_part {
    const char *name;
    uint8_t *file; /* owned; the whole file */
    size_t file_nbytes;
    size_t at;     /* where its address 0 lies in the image */
    const Elf64_Dyn *dynamic;
    const Elf64_Sym *symbols;
    size_t n_symbols;
    const char *strings;
} part;

/* ---- reading ---------------------------------------------------------------------------------- */

/* The file that holds a function of ebb's own process. */
static ebb_status add_library_of(x86_inside_image *image, const char *name, const void *function, ebb_error *err)
{
    Dl_info info;
    if (!dladdr(function, &info) || !info.dli_fname)
        return ebb_fail(err, EBB_NOT_FOUND, "can't find the file of %s", name);
    part *p = &image->parts[image->n_parts++];
    p->name = name;
    ebb_buf content = {0};
    ebb_status status = ebb_file_read(info.dli_fname, &content, err);
    p->file_nbytes = content.n;
    p->file = (uint8_t *)ebb_buf_take(&content);
    return status;
}

static void add_runtime(x86_inside_image *image)
{
    part *p = &image->parts[image->n_parts++];
    p->name = "the runtime";
    p->file_nbytes = (size_t)(x86_inside_file_end - x86_inside_file);
    p->file = ebb_alloc(p->file_nbytes);
    memcpy(p->file, x86_inside_file, p->file_nbytes);
}

static const Elf64_Ehdr *header_of(const part *p)
{
    return (const Elf64_Ehdr *)p->file;
}

static const Elf64_Phdr *segment_of(const part *p, unsigned i)
{
    return (const Elf64_Phdr *)(p->file + header_of(p)->e_phoff) + i;
}

static size_t span_of(const part *p)
{
    size_t end = 0;
    for (unsigned i = 0; i < header_of(p)->e_phnum; i++) {
        const Elf64_Phdr *ph = segment_of(p, i);
        if (ph->p_type == PT_LOAD && ph->p_vaddr + ph->p_memsz > end)
            end = ph->p_vaddr + ph->p_memsz;
    }
    return x86_page_up(end);
}

static ebb_status find_symbols(part *p, ebb_error *err)
{
    const Elf64_Ehdr *eh = header_of(p);
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(p->file + eh->e_shoff);
    for (unsigned i = 0; i < eh->e_shnum; i++) {
        if (sections[i].sh_type == SHT_DYNSYM) {
            p->symbols = (const Elf64_Sym *)(p->file + sections[i].sh_offset);
            p->n_symbols = sections[i].sh_size / sizeof *p->symbols;
            p->strings = (const char *)p->file + sections[sections[i].sh_link].sh_offset;
        } else if (sections[i].sh_type == SHT_DYNAMIC) {
            p->dynamic = (const Elf64_Dyn *)(p->file + sections[i].sh_offset);
        }
    }
    if (!p->symbols || !p->dynamic)
        return ebb_fail(err, EBB_BAD_FILE, "%s has no symbols to link with", p->name);
    return EBB_OK;
}

/* ---- linking ---------------------------------------------------------------------------------- */

static void lay_out(x86_inside_image *image)
{
    size_t end = 0;
    for (unsigned i = 0; i < image->n_parts; i++) {
        image->parts[i].at = end;
        end += span_of(&image->parts[i]);
    }
    image->nbytes = end;
    image->bytes = ebb_zalloc(end);
    for (unsigned i = 0; i < image->n_parts; i++) {
        const part *p = &image->parts[i];
        for (unsigned s = 0; s < header_of(p)->e_phnum; s++) {
            const Elf64_Phdr *ph = segment_of(p, s);
            if (ph->p_type == PT_LOAD)
                memcpy(image->bytes + p->at + ph->p_vaddr, p->file + ph->p_offset, ph->p_filesz);
        }
    }
}

static uint64_t address_in(const x86_inside_image *image, const part *p, uint64_t offset)
{
    return image->base + p->at + offset;
}

static bool find_definition(const x86_inside_image *image, const char *name, uint64_t *address)
{
    for (unsigned i = 0; i < image->n_parts; i++) {
        const part *p = &image->parts[i];
        for (size_t s = 1; s < p->n_symbols; s++) {
            const Elf64_Sym *symbol = &p->symbols[s];
            if (symbol->st_shndx != SHN_UNDEF && strcmp(p->strings + symbol->st_name, name) == 0) {
                *address = address_in(image, p, symbol->st_value);
                return true;
            }
        }
    }
    return false;
}

static ebb_status resolve(const x86_inside_image *image, const part *p, const Elf64_Sym *symbol, uint64_t *address, ebb_error *err)
{
    const char *name = p->strings + symbol->st_name;
    if (symbol->st_shndx != SHN_UNDEF) {
        *address = address_in(image, p, symbol->st_value);
        return EBB_OK;
    }
    if (find_definition(image, name, address))
        return EBB_OK;
    *address = 0;
    if (ELF64_ST_BIND(symbol->st_info) == STB_WEAK)
        return EBB_OK;
    if (find_definition(image, "x86_inside_missing", address)) /* II1 */
        return EBB_OK;
    return ebb_fail(err, EBB_BAD_FILE, "%s wants %s, which nothing has", p->name, name);
}

static ebb_status relocate_one(x86_inside_image *image, const part *p, const Elf64_Rela *r, ebb_error *err)
{
    uint64_t value = 0;
    switch (ELF64_R_TYPE(r->r_info)) {
    case R_X86_64_RELATIVE: value = address_in(image, p, (uint64_t)r->r_addend); break;
    case R_X86_64_64:
    case R_X86_64_GLOB_DAT:
    case R_X86_64_JUMP_SLOT: {
        ebb_status status = resolve(image, p, &p->symbols[ELF64_R_SYM(r->r_info)], &value, err);
        if (status != EBB_OK)
            return status;
        if (ELF64_R_TYPE(r->r_info) == R_X86_64_64)
            value += (uint64_t)r->r_addend;
        break;
    }
    default:
        return ebb_fail(err, EBB_UNSUPPORTED, "%s has a relocation of kind %u", p->name,
                        (unsigned)ELF64_R_TYPE(r->r_info));
    }
    memcpy(image->bytes + p->at + r->r_offset, &value, sizeof value);
    return EBB_OK;
}

static uint64_t dynamic_value(const part *p, Elf64_Sxword tag)
{
    for (const Elf64_Dyn *d = p->dynamic; d->d_tag != DT_NULL; d++)
        if (d->d_tag == tag)
            return d->d_un.d_val;
    return 0;
}

static ebb_status relocate_list(x86_inside_image *image, const part *p, Elf64_Sxword at_tag, Elf64_Sxword size_tag, ebb_error *err)
{
    const uint8_t *list = image->bytes + p->at + dynamic_value(p, at_tag);
    size_t n = dynamic_value(p, size_tag) / sizeof(Elf64_Rela);
    for (size_t i = 0; i < n; i++) {
        Elf64_Rela r;
        memcpy(&r, list + i * sizeof r, sizeof r);
        ebb_status status = relocate_one(image, p, &r, err);
        if (status != EBB_OK)
            return status;
    }
    return EBB_OK;
}

ebb_status x86_inside_image_load(x86_inside_image *image, ebb_error *err)
{
    *image = (x86_inside_image){.parts = ebb_zalloc(MAX_PARTS * sizeof(part))};
    add_runtime(image);
    ebb_status status = add_library_of(image, "libZydis", (const void *)ZydisDecoderInit, err);
    for (unsigned i = 0; i < image->n_parts && status == EBB_OK; i++)
        status = find_symbols(&image->parts[i], err);
    if (status == EBB_OK)
        lay_out(image);
    else
        x86_inside_image_fini(image);
    return status;
}

ebb_status x86_inside_image_link(x86_inside_image *image, uint64_t base, ebb_error *err)
{
    image->base = base;
    for (unsigned i = 0; i < image->n_parts; i++) {
        EBB_TRY(relocate_list(image, &image->parts[i], DT_RELA, DT_RELASZ, err));
        EBB_TRY(relocate_list(image, &image->parts[i], DT_JMPREL, DT_PLTRELSZ, err));
    }
    if (!find_definition(image, "x86_inside_table", &image->table))
        return ebb_fail(err, EBB_BAD_FILE, "the runtime has no table of its functions");
    return EBB_OK;
}

void x86_inside_image_fini(x86_inside_image *image)
{
    for (unsigned i = 0; i < image->n_parts; i++)
        free(image->parts[i].file);
    free(image->parts);
    free(image->bytes);
    *image = (x86_inside_image){0};
}
