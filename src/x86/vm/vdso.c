/* vdso.c - the vdso reads the clock and the CPU's number without a system call.
 *
 * A program that has not begun yet gets functions there that make the call instead, each where the kernel's own was.  The
 * program finds everything else as it would natively, so that its loader maps and allocates the same. */
#include "base/mem.h"
#include "x86/vm/private.h"

#include <elf.h>
#include <string.h>
#include <sys/syscall.h>

enum { STUB_BYTES = 8 };

#define REFUSED UINT32_MAX /* no call does the same: the caller falls back to another one */

typedef struct vdso {
    uint64_t base;
    const uint8_t *bytes;
    size_t nbytes;
    uint64_t symbols, strings, n_symbols; /* offsets, and how many */
} vdso;

static const struct {
    const char *name;
    uint32_t number;
} calls[] = {
    {"__vdso_clock_gettime", SYS_clock_gettime}, {"__vdso_clock_getres", SYS_clock_getres}, {"__vdso_gettimeofday", SYS_gettimeofday},
    {"__vdso_time", SYS_time}, {"__vdso_getcpu", SYS_getcpu}, {"__vdso_getrandom", REFUSED},
};

static bool copy(const vdso *v, uint64_t at, void *to, size_t nbytes)
{
    if (at > v->nbytes || nbytes > v->nbytes - at)
        return false;
    memcpy(to, v->bytes + at, nbytes);
    return true;
}

/* In the section headers, which the kernel's image has. */
static bool find_symbols(vdso *v)
{
    Elf64_Ehdr header;
    if (!copy(v, 0, &header, sizeof header) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_shentsize != sizeof(Elf64_Shdr))
        return false;
    for (unsigned i = 0; i < header.e_shnum; i++) {
        Elf64_Shdr section, strings;
        if (!copy(v, header.e_shoff + i * sizeof section, &section, sizeof section))
            return false;
        if (section.sh_type != SHT_DYNSYM || !copy(v, header.e_shoff + section.sh_link * sizeof strings, &strings, sizeof strings))
            continue;
        v->symbols = section.sh_offset;
        v->n_symbols = section.sh_size / sizeof(Elf64_Sym);
        v->strings = strings.sh_offset;
        return true;
    }
    return false;
}

static bool is_named(const vdso *v, uint64_t at, const char *name)
{
    size_t nbytes = strlen(name) + 1;
    return at <= v->nbytes && nbytes <= v->nbytes - at && memcmp(v->bytes + at, name, nbytes) == 0;
}

static ebb_status put_stub(x86_vm *vm, uint64_t address, uint32_t number, ebb_error *err)
{
    static const uint8_t refuse[STUB_BYTES] = {0x48, 0xc7, 0xc0, 0xda, 0xff, 0xff, 0xff, 0xc3}; /* mov $-ENOSYS, %rax; ret */
    uint8_t call[STUB_BYTES] = {0xb8, 0, 0, 0, 0, 0x0f, 0x05, 0xc3}; /* mov $number, %eax; syscall; ret */
    memcpy(call + 1, &number, sizeof number);
    return machine_write(vm->native, address, number == REFUSED ? refuse : call, STUB_BYTES, err);
}

static ebb_status put_stubs(x86_vm *vm, const vdso *v, ebb_error *err)
{
    for (uint64_t i = 0; i < v->n_symbols; i++) {
        Elf64_Sym symbol;
        if (!copy(v, v->symbols + i * sizeof symbol, &symbol, sizeof symbol) || symbol.st_size < STUB_BYTES)
            continue;
        for (size_t k = 0; k < sizeof calls / sizeof calls[0]; k++)
            if (is_named(v, v->strings + symbol.st_name, calls[k].name))
                EBB_TRY(put_stub(vm, v->base + symbol.st_value, calls[k].number, err));
    }
    return EBB_OK;
}

ebb_status vm_tame_vdso(x86_vm *vm, uint64_t base, bool *tamed, ebb_error *err)
{
    uint8_t *bytes = ebb_alloc(VM_VDSO_MAX);
    vdso v = {.base = base, .bytes = bytes};
    while (v.nbytes < VM_VDSO_MAX && machine_read(vm->native, base + v.nbytes, bytes + v.nbytes, 4096, NULL) == EBB_OK)
        v.nbytes += 4096;
    *tamed = find_symbols(&v);
    ebb_status status = *tamed ? put_stubs(vm, &v, err) : EBB_OK;
    free(bytes);
    return status;
}
