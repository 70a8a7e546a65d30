/* short_names.h - names of C++'s library as people write them, for whatis and ptype.
 *
 * Debug information has every argument of a template, those too that nobody writes: "std::vector<int, std::allocator<int> >".  Those that are
 * the library's own defaults are left away, and a basic_string of char is a std::string.
 *
 * SHN1  an argument that isn't the default stays, and with it all of them. */
#ifndef EBB_SYMBOLS_SHORT_NAMES_H
#define EBB_SYMBOLS_SHORT_NAMES_H

#include "base/buf.h"

/* Any text that has types in it. */
void sym_short_names(const char *text, ebb_buf *out);
/* The same without leaving anything away: arguments of templates as the demangler, and gdb, write them ("long", not "long int"). */
void sym_canonical_names(const char *text, ebb_buf *out);

#endif
