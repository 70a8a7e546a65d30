/* demangle.h - names of C++ and Rust: as linkers have them, as people write them.
 *
 * A linker knows `_ZNK4shop4Item4costEi`; people say `shop::Item::cost(int) const`, and most of the time only `shop::Item::cost`, `Item::cost` or
 * `cost`.  What a person wrote names every function whose full name ends in it, part by part:
 *
 * DM1  parts are what "::" separates outside of brackets; a part without template arguments stands for all of them;
 * DM2  parameters count only where they were written, by whatever names ("const std::string &", typedefs of the program); blanks never do;
 * DM3  "::f" begins at the global scope. */
#ifndef EBB_SYMBOLS_DEMANGLE_H
#define EBB_SYMBOLS_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

bool sym_is_mangled(const char *name);
/* "shop::Item::cost(int) const", or without parameters "shop::Item::cost"; NULL if it isn't mangled.  free() */
char *sym_demangle(const char *name, bool with_parameters);

/* DM1 to DM3. */
bool sym_name_means(const char *wanted, const char *full);
/* The last part of what a person wrote, without template arguments and parameters: by which it is looked for.  free() */
char *sym_name_base(const char *wanted);
/* The last part of a name, with its template arguments: "Box<a::b>" of "shop::Box<a::b>". */
const char *sym_name_last_part(const char *name);
/* A demangled template function begins with its result: "int shop::twice<int>(int const&)".  The rest. */
const char *sym_name_after_result(const char *full);
/* How much of a name is in front of its template arguments: "twice" of "twice<int>"; all of "operator<". */
size_t sym_name_bare_length(const char *part);

#endif
