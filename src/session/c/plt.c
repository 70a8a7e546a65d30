/* plt.c - see plt.h.
 *
 * A stub is `jmp *slot(%rip)`, perhaps after endbr64 and a bnd prefix.  Once bound, the slot holds
 * the function's address; before, it holds an address within the module itself, and the relocation
 * of that slot (DT_JMPREL) names the function. */
#include "session/c/plt.h"
#include "session/c/image.h"
#include "session/c/modules.h"
#include "session/c/world.h"

#include <elf.h>
#include <string.h>

static const ses_module_record *module_at(session *s, uint64_t addr)
{
    for (size_t i = 0; i < s->modules.n; i++)
        if (addr >= s->modules.items[i].lo && addr < s->modules.items[i].hi)
            return &s->modules.items[i];
    return NULL;
}

static bool read_bytes(session *s, uint64_t addr, void *bytes, size_t nbytes)
{
    return machine_read(s->machine, addr, bytes, nbytes, NULL) == EBB_OK;
}

/* Address of the slot that the stub at pc jumps through. */
static bool stub_slot(session *s, uint64_t pc, uint64_t *slot)
{
    static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
    uint8_t code[11];
    if (!read_bytes(s, pc, code, sizeof code))
        return false;
    size_t at = memcmp(code, endbr64, sizeof endbr64) == 0 ? sizeof endbr64 : 0;
    if (code[at] == 0xf2)
        at++;
    if (code[at] != 0xff || code[at + 1] != 0x25)
        return false;
    int32_t distance;
    memcpy(&distance, code + at + 2, sizeof distance);
    *slot = pc + at + 6 + (uint64_t)(int64_t)distance;
    return true;
}

bool ses_is_plt_stub(session *s, uint64_t pc)
{
    uint64_t slot;
    return stub_slot(s, pc, &slot);
}

/* ---- relocations of a module in memory ------------------------------------------------------ */

typedef struct imports {
    uint64_t relocations, nbytes, symbols, strings;
} imports;

static bool find_dynamic(session *s, const ses_module_record *module, uint64_t *addr)
{
    Elf64_Ehdr elf;
    if (!read_bytes(s, module->lo, &elf, sizeof elf) || memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0)
        return false;
    for (unsigned i = 0; i < elf.e_phnum && i < 64; i++) {
        Elf64_Phdr ph;
        if (!read_bytes(s, module->lo + elf.e_phoff + i * sizeof ph, &ph, sizeof ph))
            return false;
        if (ph.p_type == PT_DYNAMIC) {
            *addr = ph.p_vaddr + module->bias;
            return true;
        }
    }
    return false;
}

/* The loader has added the bias to these entries already, except in modules that it doesn't
 * relocate. */
static uint64_t relocated(const ses_module_record *module, uint64_t addr)
{
    return addr < module->lo ? addr + module->bias : addr;
}

static bool find_imports(session *s, const ses_module_record *module, imports *out)
{
    enum { MAX_ENTRIES = 256 };
    uint64_t dynamic;
    *out = (imports){0};
    if (!find_dynamic(s, module, &dynamic))
        return false;
    for (unsigned i = 0; i < MAX_ENTRIES; i++) {
        Elf64_Dyn entry;
        if (!read_bytes(s, dynamic + i * sizeof entry, &entry, sizeof entry) ||
            entry.d_tag == DT_NULL)
            break;
        switch (entry.d_tag) {
        case DT_JMPREL: out->relocations = relocated(module, entry.d_un.d_ptr); break;
        case DT_PLTRELSZ: out->nbytes = entry.d_un.d_val; break;
        case DT_SYMTAB: out->symbols = relocated(module, entry.d_un.d_ptr); break;
        case DT_STRTAB: out->strings = relocated(module, entry.d_un.d_ptr); break;
        default: break;
        }
    }
    return out->relocations && out->symbols && out->strings;
}

static bool import_name(session *s, const imports *in, const Elf64_Rela *relocation, char *name,
                        size_t size)
{
    Elf64_Sym symbol;
    if (!read_bytes(s, in->symbols + ELF64_R_SYM(relocation->r_info) * sizeof symbol, &symbol,
                    sizeof symbol))
        return false;
    for (size_t i = 0; i < size; i++) {
        if (!read_bytes(s, in->strings + symbol.st_name + i, name + i, 1))
            return false;
        if (name[i] == '\0')
            return i > 0;
    }
    return false;
}

static bool target_by_name(session *s, const ses_module_record *module, uint64_t slot,
                           uint64_t *target)
{
    enum { MAX_RELOCATIONS = 1 << 16 };
    imports in;
    if (!find_imports(s, module, &in))
        return false;
    for (uint64_t i = 0; i < in.nbytes / sizeof(Elf64_Rela) && i < MAX_RELOCATIONS; i++) {
        Elf64_Rela relocation;
        if (!read_bytes(s, in.relocations + i * sizeof relocation, &relocation, sizeof relocation))
            return false;
        if (relocation.r_offset + module->bias != slot)
            continue;
        char name[512];
        return import_name(s, &in, &relocation, name, sizeof name) &&
               sym_function_entry(s->symbols, name, target, NULL);
    }
    return false;
}

/* A module that calls its own chosen functions (libc's strlen) has bound slots that lead back into it. */
static bool is_in_plt(const ses_module_record *module, uint64_t pc)
{
    char section[32];
    return ses_section_name(module->file ? module->file : module->path, pc - module->bias, section, sizeof section) &&
           ebb_text_starts(section, ".plt");
}

bool ses_plt_target(session *s, uint64_t pc, uint64_t *target)
{
    uint64_t slot;
    const ses_module_record *module = module_at(s, pc);
    if (!module || !stub_slot(s, pc, &slot) || !read_bytes(s, slot, target, sizeof *target))
        return false;
    if (module_at(s, *target) != module || !is_in_plt(module, *target))
        return true;
    return target_by_name(s, module, slot, target) &&
           ses_choose_function(s, target, NULL) == EBB_OK;
}

static bool is_loader(const ses_module_record *module)
{
    const char *name = ebb_path_base(module->path);
    return ebb_text_starts(name, "ld-linux") || ebb_text_starts(name, "ld-2.") ||
           ebb_text_starts(name, "ld.so");
}

bool ses_is_binding(session *s, uint64_t pc, uint64_t *lo, uint64_t *hi)
{
    const ses_module_record *module = module_at(s, pc);
    *lo = *hi = pc;
    if (!module)
        return false;
    if (is_loader(module)) {
        *lo = module->lo;
        *hi = module->hi;
        return true;
    }
    sym_line line; /* cheap, and settles nearly all of them */
    if (sym_line_at(s->symbols, pc, &line))
        return false;
    return is_in_plt(module, pc);
}
