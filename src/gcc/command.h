/* command.h - from the arguments of `ebb cc` to a command of GCC.
 *
 * It is GCC with the plugin that compiles timestamps in (plugin.cc) and, where it links, with the counters (runtime.c); everything else
 * is passed on as it is, so `CC="ebb cc"` serves every build.  Two options are ebb's own, and become arguments of the plugin:
 * --ebb-only=GLOB and --ebb-not=GLOB, over functions and source files.
 *
 * GC1  a command without an input file (`--version`, `-print-file-name=`) is GCC's own, unchanged. */
#ifndef EBB_GCC_COMMAND_H
#define EBB_GCC_COMMAND_H

#include "base/error.h"

/* What to execute, NULL-terminated; the caller frees it by gcc_command_free.  EBB_NOT_FOUND: the plugin was not built. */
ebb_status gcc_command(bool is_cxx, char *const *arguments, char ***command, ebb_error *err) EBB_MUST_CHECK;
void gcc_command_free(char **command);

#endif
