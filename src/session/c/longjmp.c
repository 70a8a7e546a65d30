/* longjmp.c - calls that never return to where they were made from.
 *
 * A step over a call waits at the call's return; a longjmp out of it never gets there.  So the
 * entries of libc's longjmp are watched meanwhile, and the jump is followed to its target.  glibc
 * keeps the target mangled in the jump buffer: rotated left by 17 after xor with a secret in the
 * thread block. */
#include "session/c/step.h"

#include <string.h>

enum {
    BUFFER_PC = 7 * 8,    /* offset of the program counter in glibc's jmp_buf */
    POINTER_GUARD = 0x30, /* offset of the secret from the thread pointer */
    ROTATION = 17,
};

static bool has_point_at(const ses_move *move, uint64_t addr)
{
    for (size_t i = 0; i < move->n_points; i++)
        if (move->points[i].role == SES_POINT_LONGJMP && move->points[i].addr == addr)
            return true;
    return false;
}

ebb_status ses_longjmp_watch(session *s, ses_move *move, ebb_error *err)
{
    static const char *const names[] = {"longjmp", "_longjmp", "siglongjmp", "__longjmp_chk"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        uint64_t entry;
        if (!sym_function_entry(s->symbols, names[i], &entry, NULL) || has_point_at(move, entry))
            continue;
        EBB_TRY(ses_move_point(s, move, SES_POINT_LONGJMP, entry, (ses_frame_id){0}, err));
    }
    return EBB_OK;
}

static bool read_u64(session *s, uint64_t addr, uint64_t *value)
{
    return machine_read(s->machine, addr, value, sizeof *value, NULL) == EBB_OK;
}

static bool register_u64(session *s, const char *name, uint64_t *value)
{
    int reg = machine_reg_by_name(s->machine, name);
    return reg >= 0 &&
           machine_reg_get_u64(s->machine, s->thread, (unsigned)reg, value, NULL) == EBB_OK;
}

static bool jump_target(session *s, uint64_t *target)
{
    uint64_t buffer, thread_block, mangled, guard;
    if (!register_u64(s, "rdi", &buffer) || !register_u64(s, "fs_base", &thread_block))
        return false;
    if (!read_u64(s, buffer + BUFFER_PC, &mangled) ||
        !read_u64(s, thread_block + POINTER_GUARD, &guard))
        return false;
    *target = (mangled >> ROTATION | mangled << (64 - ROTATION)) ^ guard;
    return true;
}

ebb_status ses_longjmp_follow(session *s, ses_move *move, ebb_error *err)
{
    uint64_t target;
    ses_move_clear_role(s, move, SES_POINT_LONGJMP_END);
    if (!jump_target(s, &target))
        return EBB_OK;
    return ses_move_point(s, move, SES_POINT_LONGJMP_END, target, (ses_frame_id){0}, err);
}

bool ses_longjmp_ends(session *s, ses_frame_id initiating)
{
    unsigned level;
    if (!ses_frame_find(s, initiating, &level))
        return true;
    return ses_frame_id_same(ses_physical_id(s, 0), ses_frame_physical_id(initiating));
}
