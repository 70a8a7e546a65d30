/* image.h - memory of a program that doesn't run: the bytes its file would put there. */
#ifndef EBB_SESSION_C_IMAGE_H
#define EBB_SESSION_C_IMAGE_H

#include "session/state.h"

ses_image *ses_image_open(const char *path, uint64_t bias); /* NULL if it can't be read */
void ses_image_free(ses_image *image);                      /* NULL is fine */
ebb_status ses_image_read(const ses_image *image, uint64_t addr, void *bytes, size_t nbytes, ebb_error *err) EBB_MUST_CHECK;
/* EBB_NO_MEMORY_AT, in the words that every reader of memory uses. */
ebb_status ses_fail_memory(uint64_t addr, ebb_error *err);

/* The name of the section of an ELF file that covers the address; false if there is none. */
bool ses_section_name(const char *path, uint64_t addr, char *name, size_t size);

/* Reads the debuggee, or, if there is none, what the program's file says. */
ebb_status ses_memory_read(session *s, uint64_t addr, void *bytes, size_t nbytes, ebb_error *err) EBB_MUST_CHECK;

#endif
