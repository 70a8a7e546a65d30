/* emit.h - machine code, written byte by byte.
 *
 * Only what translated code needs, and only instructions that leave the flags alone (see translate.h).
 * An emitter that runs out of room goes on counting without writing: `x86_emit_fits` tells at the end. */
#ifndef EBB_X86_INSIDE_EMIT_H
#define EBB_X86_INSIDE_EMIT_H

#include "x86/shared.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct x86_emit {
    uint8_t *begin, *at, *end;
} x86_emit;

static inline bool x86_emit_fits(const x86_emit *e)
{
    return e->at <= e->end;
}

static inline void emit_u8(x86_emit *e, unsigned byte)
{
    if (e->at < e->end)
        *e->at = (uint8_t)byte;
    e->at++;
}

static inline void emit_u32(x86_emit *e, uint32_t word)
{
    for (int i = 0; i < 4; i++)
        emit_u8(e, word >> 8 * i & 0xff);
}

static inline void emit_u64(x86_emit *e, uint64_t word)
{
    emit_u32(e, (uint32_t)word);
    emit_u32(e, (uint32_t)(word >> 32));
}

static inline void emit_bytes(x86_emit *e, const uint8_t *bytes, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        emit_u8(e, bytes[i]);
}

/* ModRM and SIB for an absolute 32-bit displacement, which gs-relative addressing uses. */
static inline void emit_gs_operand(x86_emit *e, unsigned reg, uint32_t offset)
{
    emit_u8(e, (reg & 7) << 3 | 4);
    emit_u8(e, 0x25);
    emit_u32(e, offset);
}

/* mov gs:[offset], reg */
static inline void emit_gs_store(x86_emit *e, uint32_t offset, unsigned reg)
{
    emit_u8(e, 0x65);
    emit_u8(e, 0x48 | (reg >= 8 ? 4 : 0));
    emit_u8(e, 0x89);
    emit_gs_operand(e, reg, offset);
}

/* mov reg, gs:[offset] */
static inline void emit_gs_load(x86_emit *e, unsigned reg, uint32_t offset)
{
    emit_u8(e, 0x65);
    emit_u8(e, 0x48 | (reg >= 8 ? 4 : 0));
    emit_u8(e, 0x8b);
    emit_gs_operand(e, reg, offset);
}

/* mov reg, gs:[rcx + offset], where rcx is 0.  Some CPUs pass on what was stored to a load with a register in its address at once, and to one without after
 * five cycles. */
static inline void emit_gs_load_by_rcx(x86_emit *e, unsigned reg, uint32_t offset)
{
    emit_u8(e, 0x65);
    emit_u8(e, 0x48 | (reg >= 8 ? 4 : 0));
    emit_u8(e, 0x8b);
    emit_u8(e, 0x81 | (reg & 7) << 3);
    emit_u32(e, offset);
}

/* mov dword gs:[offset], word */
static inline void emit_gs_store_u32(x86_emit *e, uint32_t offset, uint32_t word)
{
    emit_u8(e, 0x65);
    emit_u8(e, 0xc7);
    emit_gs_operand(e, 0, offset);
    emit_u32(e, word);
}

/* A 64-bit constant into the control block, without a register. */
static inline void emit_gs_store_u64(x86_emit *e, uint32_t offset, uint64_t word)
{
    emit_gs_store_u32(e, offset, (uint32_t)word);
    emit_gs_store_u32(e, offset + 4, (uint32_t)(word >> 32));
}

/* jmp gs:[offset] */
static inline void emit_gs_jump(x86_emit *e, uint32_t offset)
{
    emit_u8(e, 0x65);
    emit_u8(e, 0xff);
    emit_gs_operand(e, 4, offset);
}

/* A 32-bit displacement relative to the byte after it. */
static inline void emit_rel32(x86_emit *e, const uint8_t *to)
{
    emit_u32(e, (uint32_t)(to - (e->at + 4)));
}

static inline void patch_rel32(uint8_t *field, const uint8_t *to)
{
    int32_t rel = (int32_t)(to - (field + 4));
    __builtin_memcpy(field, &rel, sizeof rel);
}

static inline bool reaches_rel32(const uint8_t *field, const uint8_t *to)
{
    int64_t distance = to - (field + 4);
    return distance == (int32_t)distance;
}

#endif
