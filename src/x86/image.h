/* image.h - the ELF image of a module, read from the debuggee's memory or from its file. */
#ifndef EBB_X86_IMAGE_H
#define EBB_X86_IMAGE_H

#include "x86/process.h"

#include <elf.h>

enum { X86_IMAGE_MAX_HEADERS = 128 };

typedef struct x86_image {
    Elf64_Phdr headers[X86_IMAGE_MAX_HEADERS];
    size_t n;
} x86_image;

/* The program headers at an address; false if they can't be read. */
bool x86_image_from_table(x86_process *p, uint64_t addr, size_t n, x86_image *image);
/* The image whose ELF header is at `addr`. */
bool x86_image_from_memory(x86_process *p, uint64_t addr, x86_image *image);
bool x86_image_from_file(const char *path, x86_image *image);

const Elf64_Phdr *x86_image_find(const x86_image *image, uint32_t type); /* NULL if it has none */
/* Addresses in the file's terms that its segments cover. */
bool x86_image_span(const x86_image *image, uint64_t *lo, uint64_t *hi);

/* The value of a symbol in the file's dynamic (or full) symbol table; false if it has none. */
bool x86_image_symbol(const char *path, const char *name, uint64_t *value);

#endif
