/* type_print.h - how types are spelled, one file a language. */
#ifndef EBB_SYMBOLS_TYPE_PRINT_H
#define EBB_SYMBOLS_TYPE_PRINT_H

#include "symbols/type.h"

/* type_print_rust.c: "name: type", or the type alone where the name is empty; with `opens` what has a body is opened. */
void sym_rust_declare(sym_type *type, const char *name, bool opens, ebb_buf *out);

#endif
