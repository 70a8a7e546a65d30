/* flow_pieces.h - which byte of an operand a byte of the result is, for instructions that only move bytes.
 *
 * Vector instructions put elements together from two operands in many ways; each is a row of flow_pieces.def and a rule in
 * flow_pieces.c.
 *
 * FP1  the answer is about the first operand, before which byte `at` is counted from its beginning, and about vector registers up
 *      to the 32 bytes that a ymm register has;
 * FP2  what is not among the rows is UNKNOWN. */
#ifndef EBB_X86_FLOW_PIECES_H
#define EBB_X86_FLOW_PIECES_H

#include "x86/spell.h"

enum { X86_FLOW_VECTOR_NBYTES = 32, X86_FLOW_XMM_NBYTES = 16 };

typedef enum x86_piece_kind {
    X86_PIECE_UNKNOWN,
    X86_PIECE_SAME, /* the instruction leaves it as it is */
    X86_PIECE_ZERO,
    X86_PIECE_FROM, /* it is byte `at` of `operand`, and so many after it come along */
} x86_piece_kind;

typedef struct x86_piece {
    x86_piece_kind kind;
    unsigned operand, at, nbytes;
} x86_piece;

x86_piece x86_piece_of(const x86_insn *insn, unsigned at);

#endif
