/* cell.h - one entry of the stack of a DWARF expression: an untyped address-sized number, or, since
 * DWARF 5, a value of a base type. */
#ifndef EBB_SYMBOLS_CELL_H
#define EBB_SYMBOLS_CELL_H

#include <stdbool.h>
#include <stdint.h>

typedef struct sym_cell_type {
    uint8_t nbytes;   /* 0: the generic type, 8 bytes unsigned */
    uint8_t encoding; /* DW_ATE_* */
} sym_cell_type;

typedef struct sym_cell {
    uint8_t bytes[16]; /* little-endian; zero after the value */
    sym_cell_type type;
} sym_cell;

sym_cell sym_cell_of(uint64_t value);
uint64_t sym_cell_u64(sym_cell cell); /* its bits, sign-extended where the type is signed */
sym_cell sym_cell_convert(sym_cell cell, sym_cell_type type);
sym_cell sym_cell_reinterpret(sym_cell cell, sym_cell_type type);
sym_cell sym_cell_unary(uint8_t atom, sym_cell a);
/* False for a division by zero. */
bool sym_cell_binary(uint8_t atom, sym_cell a, sym_cell b, sym_cell *out);

#endif
