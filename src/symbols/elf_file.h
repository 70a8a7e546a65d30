/* elf_file.h - one ELF file of a module: the file itself, or the separate file with its debug
 * information.
 *
 * EF1  an open file is a little-endian 64-bit x86-64 ELF file with readable headers;
 * EF2  section contents are handed out uncompressed and stay valid until sym_elf_close. */
#ifndef EBB_SYMBOLS_ELF_FILE_H
#define EBB_SYMBOLS_ELF_FILE_H

#include "base/error.h"

#include <gelf.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sym_bytes {
    const uint8_t *data; /* NULL if there is no such section */
    size_t n;
} sym_bytes;

typedef struct sym_elf {
    char *path;
    int fd;        /* -1 for an image in memory */
    Elf *elf;
    char *image;   /* the copy of an image in memory */
    GElf_Ehdr header;
} sym_elf;

ebb_status sym_elf_open(sym_elf *file, const char *path, ebb_error *err) EBB_MUST_CHECK;
/* Its bytes are at `path`, which nobody is told: it is called `name`. */
ebb_status sym_elf_open_as(sym_elf *file, const char *name, const char *path, ebb_error *err) EBB_MUST_CHECK;
ebb_status sym_elf_open_image(sym_elf *file, const char *name, const void *image, size_t nbytes, ebb_error *err) EBB_MUST_CHECK;
void sym_elf_close(sym_elf *file); /* zeroed is fine */

Elf_Scn *sym_elf_section(const sym_elf *file, const char *name, GElf_Shdr *header);
sym_bytes sym_elf_section_bytes(const sym_elf *file, const char *name);

/* Makes compressed debug sections plain, so that libdw and our own scanner see the same bytes. */
void sym_elf_decompress(sym_elf *file);

bool sym_elf_build_id(const sym_elf *file, sym_bytes *id);

/* Looks for the file with the debug information of `file` by build id and by debug link.  False if
 * there is none; `debug` is then zeroed. */
bool sym_elf_find_debug(const sym_elf *file, sym_elf *debug);

#endif
