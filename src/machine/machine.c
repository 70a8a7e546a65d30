/* machine.c - the wrappers of machine.h and native.h. */
#include "machine/native.h"
#include "base/check.h"

#include <string.h>

ebb_status machine_read(machine *m, machine_addr addr, void *bytes, size_t nbytes, ebb_error *err)
{
    return m->ops->read(m, 0, addr, bytes, nbytes, err);
}

ebb_status machine_write(machine *m, machine_addr addr, const void *bytes, size_t nbytes, ebb_error *err)
{
    if (!m->ops->write)
        return ebb_fail(err, EBB_UNSUPPORTED, "memory can't be written here");
    return m->ops->write(m, 0, addr, bytes, nbytes, err);
}

ebb_status machine_points_set(machine *m, const machine_point *points, size_t n, machine_point_id *ids, ebb_error *err)
{
    if (m->ops->points_set)
        return n == 0 ? EBB_OK : m->ops->points_set(m, points, n, ids, err);
    for (size_t i = 0; i < n; i++) {
        ebb_status status = m->ops->point_set(m, &points[i], &ids[i], err);
        if (status != EBB_OK) {
            machine_points_clear(m, ids, i);
            return status;
        }
    }
    return EBB_OK;
}

void machine_points_clear(machine *m, const machine_point_id *ids, size_t n)
{
    if (m->ops->points_clear) {
        if (n > 0)
            (void)!m->ops->points_clear(m, ids, n, NULL);
        return;
    }
    for (size_t i = 0; i < n; i++)
        (void)!m->ops->point_clear(m, ids[i], NULL);
}

bool machine_can(machine *m, machine_capability capability)
{
    return (m->ops->capabilities(m) & capability) != 0;
}

const char *machine_stop_word(machine_stop_kind kind)
{
    static const char *const words[] = {
#define X(name, word) [name] = word,
        MACHINE_STOPS(X)
#undef X
    };
    return words[kind];
}

int machine_reg_by_name(machine *m, const char *name)
{
    size_t n;
    const machine_reg *regs = m->native->registers(m, &n);
    for (size_t i = 0; i < n; i++)
        if (strcmp(regs[i].name, name) == 0)
            return (int)i;
    return -1;
}

int machine_reg_by_dwarf(machine *m, int dwarf)
{
    size_t n;
    const machine_reg *regs = m->native->registers(m, &n);
    for (size_t i = 0; i < n; i++)
        if (regs[i].dwarf == dwarf)
            return (int)i;
    return -1;
}

static bool fits_u64(machine *m, unsigned reg)
{
    size_t n;
    const machine_reg *regs = m->native->registers(m, &n);
    return reg < n && regs[reg].nbytes <= sizeof(uint64_t);
}

ebb_status machine_reg_get_u64(machine *m, machine_tid tid, unsigned reg, uint64_t *value, ebb_error *err)
{
    ebb_check(fits_u64(m, reg));
    *value = 0;
    return m->native->reg_read(m, tid, reg, value, err);
}

ebb_status machine_reg_set_u64(machine *m, machine_tid tid, unsigned reg, uint64_t value, ebb_error *err)
{
    ebb_check(fits_u64(m, reg));
    return m->native->reg_write(m, tid, reg, &value, err);
}
