/* cpu_features.h - what this CPU has (cpu_features.def), by the kernel's names: a recording says what the program was told, and another CPU may lack it.
 *
 * The program asked, and was answered, on the CPU on which it was recorded: it executes what that one has. */
#ifndef EBB_X86_CPU_FEATURES_H
#define EBB_X86_CPU_FEATURES_H

#include "base/buf.h"

#include <stdbool.h>

/* Names, with a space between each two.  `hides`: without those that a program in VM mode is not told of. */
void x86_features_list(bool hides, ebb_buf *out);
/* Those of such a list that this CPU lacks, or that nobody here has heard of. */
void x86_features_missing(const char *list, ebb_buf *out);

#endif
