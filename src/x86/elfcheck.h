/* elfcheck.h - whether a file is a program that the native machine can run. */
#ifndef EBB_X86_ELFCHECK_H
#define EBB_X86_ELFCHECK_H

#include "base/error.h"

/* `name` is what the message calls the file. */
ebb_status x86_elf_check(const char *path, const char *name, ebb_error *err) EBB_MUST_CHECK;

#endif
