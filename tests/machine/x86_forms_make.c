/* x86_forms_make.c - instructions are enumerated with Zydis' own tables, and encoded with random operands. */
#include "x86_forms_make.h"
#include "base/mem.h"

#include <Zydis/Zydis.h>
#include <stdio.h>
#include <string.h>

typedef enum form_encoding { LEGACY, VEX, XOP, EVEX } form_encoding;

static ZydisDecoder decoder;

typedef struct decoded {
    ZydisDecodedInstruction z;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
} decoded;

static bool decode(const uint8_t *bytes, decoded *d)
{
    return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, 15, &d->z, d->operands));
}

/* ---- encoding ---------------------------------------------------------------------------------- */

static const uint8_t prefix_bytes[4] = {0, 0x66, 0xf3, 0xf2};

/* Which of the free choices chance makes. */
typedef struct choices {
    bool any_reg, any_rm;
    bool extras; /* lock, repeat, segments, 32-bit addresses */
} choices;

static uint8_t *put_extras(uint8_t *at, const form *f, uint64_t r)
{
    if (r % 8 == 0 && f->in_memory)
        *at++ = 0x65; /* gs */
    if (r >> 8 & 1 && r >> 9 & 1 && r >> 10 & 1)
        *at++ = 0x67;
    if (f->encoding == LEGACY && (r >> 16) % 8 == 0)
        *at++ = (r >> 20 & 1) ? 0xf0 : (r >> 21 & 1) ? 0xf2 : 0xf3;
    return at;
}

/* ModRM and what follows; immediates are whatever bytes there are. */
static uint8_t *put_operands(uint8_t *at, const form *f, const choices *c, uint64_t *seed)
{
    uint64_t r = forms_random(seed);
    unsigned reg = c->any_reg ? r & 7 : f->reg, rm = c->any_rm ? r >> 3 & 7 : f->rm;
    if (!f->in_memory) {
        *at++ = (uint8_t)(0xc0 | reg << 3 | rm);
    } else {
        unsigned mod = r >> 6 & 3;
        mod = mod == 3 ? 0 : mod;
        *at++ = (uint8_t)(mod << 6 | reg << 3 | rm);
        if (rm == 4)
            *at++ = (uint8_t)(r >> 8); /* SIB */
    }
    for (int i = 0; i < 15; i++)
        at[i] = (uint8_t)forms_random(seed);
    return at;
}

/* The short kind, where it will do, by chance. */
static uint8_t *put_vex(uint8_t *at, const form *f, uint64_t r)
{
    unsigned vvvv = f->no_vvvv ? 15 : r >> 4 & 15;
    if (f->encoding == VEX && f->map == 1 && !f->wide && r >> 9 & 1) {
        at[0] = 0xc5;
        at[1] = (uint8_t)((r >> 2 & 1) << 7 | vvvv << 3 | f->length << 2 | f->prefix);
        at[2] = f->opcode;
        return at + 3;
    }
    at[0] = f->encoding == XOP ? 0x8f : 0xc4;
    at[1] = (uint8_t)((r & 7) << 5 | f->map);
    at[2] = (uint8_t)(f->wide << 7 | vvvv << 3 | f->length << 2 | f->prefix);
    at[3] = f->opcode;
    return at + 4;
}

static void put_evex(uint8_t *at, const form *f, uint64_t r)
{
    unsigned vvvv = f->no_vvvv ? 15 : r >> 4 & 15, mask = f->masked ? 1 + (r >> 9) % 7 : 0;
    at[0] = 0x62;
    at[1] = (uint8_t)((r & 15) << 4 | f->map);
    at[2] = (uint8_t)(f->wide << 7 | vvvv << 3 | 4 | f->prefix);
    at[3] = (uint8_t)(f->zeroing << 7 | f->length << 5 | f->broadcast << 4 | (f->no_vvvv ? 1 : r >> 8 & 1) << 3 | mask);
    at[4] = f->opcode;
}

static uint8_t *put_legacy(uint8_t *at, const form *f, uint64_t r)
{
    static const uint8_t second[4] = {0, 0, 0x38, 0x3a};
    if (f->prefix)
        *at++ = prefix_bytes[f->prefix];
    if (f->wide || r & 1)
        *at++ = (uint8_t)(0x40 | f->wide << 3 | (r >> 1 & 7));
    if (f->map)
        *at++ = 0x0f;
    if (f->map >= 2 && f->map <= 3)
        *at++ = second[f->map];
    if (f->map == 4)
        *at++ = 0x0f; /* 3DNow!: the opcode comes last */
    else
        *at++ = f->opcode;
    return at;
}

static void encode(const form *f, const choices *c, uint64_t *seed, uint8_t bytes[32])
{
    uint64_t r = forms_random(seed);
    uint8_t *at = bytes;
    if (c->extras)
        at = put_extras(at, f, r >> 16);
    switch ((form_encoding)f->encoding) {
    case LEGACY: at = put_legacy(at, f, r); break;
    case VEX:
    case XOP: at = put_vex(at, f, r); break;
    case EVEX: put_evex(at, f, r); at += 5; break;
    }
    at = put_operands(at, f, c, seed);
}

/* ---- forms ------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t h, uint64_t value)
{
    h = (h ^ value) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 31;
}

static uint64_t key_of(const decoded *d)
{
    uint64_t h = mix(mix(1, d->z.mnemonic), d->z.encoding);
    h = mix(h, d->z.operand_width);
    h = mix(h, d->z.avx.mask.mode);
    h = mix(h, d->z.avx.broadcast.mode);
    for (unsigned i = 0; i < d->z.operand_count; i++) {
        const ZydisDecodedOperand *o = &d->operands[i];
        h = mix(h, (uint64_t)o->type << 32 | o->size);
        h = mix(h, o->type == ZYDIS_OPERAND_TYPE_REGISTER ? (uint64_t)ZydisRegisterGetClass(o->reg.value) : 0);
        h = mix(h, o->visibility);
    }
    return h;
}

/* Instructions that end the process, wait, leave it in another state, or have no two results alike.  The tests of
 * odd instructions have some of them. */
static bool is_excluded(const decoded *d)
{
    switch (d->z.mnemonic) {
    case ZYDIS_MNEMONIC_SYSCALL:
    case ZYDIS_MNEMONIC_SYSENTER:
    case ZYDIS_MNEMONIC_INT:
    case ZYDIS_MNEMONIC_RDTSC:
    case ZYDIS_MNEMONIC_RDTSCP:
    case ZYDIS_MNEMONIC_RDRAND:
    case ZYDIS_MNEMONIC_RDSEED:
    case ZYDIS_MNEMONIC_RDPID:
    case ZYDIS_MNEMONIC_RDPRU:
    case ZYDIS_MNEMONIC_CPUID:
    case ZYDIS_MNEMONIC_XGETBV:
    case ZYDIS_MNEMONIC_WRPKRU:
    case ZYDIS_MNEMONIC_WRFSBASE:
    case ZYDIS_MNEMONIC_RDFSBASE:
    case ZYDIS_MNEMONIC_WRGSBASE:
    case ZYDIS_MNEMONIC_LFS:
    case ZYDIS_MNEMONIC_LGS:
    case ZYDIS_MNEMONIC_LSS:
    case ZYDIS_MNEMONIC_LSL:
    case ZYDIS_MNEMONIC_SGDT:
    case ZYDIS_MNEMONIC_SIDT:
    case ZYDIS_MNEMONIC_SLDT:
    case ZYDIS_MNEMONIC_STR:
    case ZYDIS_MNEMONIC_SMSW:
    case ZYDIS_MNEMONIC_UMWAIT:
    case ZYDIS_MNEMONIC_TPAUSE:
    case ZYDIS_MNEMONIC_UMONITOR:
    case ZYDIS_MNEMONIC_MONITOR:
    case ZYDIS_MNEMONIC_MONITORX:
    case ZYDIS_MNEMONIC_MWAIT:
    case ZYDIS_MNEMONIC_MWAITX:
    case ZYDIS_MNEMONIC_VMCALL:
    case ZYDIS_MNEMONIC_VMMCALL:
    case ZYDIS_MNEMONIC_XBEGIN:
    case ZYDIS_MNEMONIC_XEND:
    case ZYDIS_MNEMONIC_XABORT:
    case ZYDIS_MNEMONIC_CLZERO:
    case ZYDIS_MNEMONIC_ENCLS:
    case ZYDIS_MNEMONIC_ENCLU:
    case ZYDIS_MNEMONIC_ENCLV: return true;
    default: break;
    }
    const char *name = ZydisMnemonicGetString(d->z.mnemonic);
    bool saves = strncmp(name, "xsaveopt", 8) == 0 || strncmp(name, "xrstor", 6) == 0;
    for (unsigned i = 0; i < d->z.operand_count; i++) {
        const ZydisDecodedOperand *o = &d->operands[i];
        bool segment = o->type == ZYDIS_OPERAND_TYPE_REGISTER && ZydisRegisterGetClass(o->reg.value) == ZYDIS_REGCLASS_SEGMENT;
        if (segment && (o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
            return true;
    }
    return saves;
}

enum { SEEN_SIZE = 1 << 17 };
static uint64_t seen[SEEN_SIZE];

static bool is_new(uint64_t key)
{
    size_t i = key % SEEN_SIZE;
    while (seen[i] && seen[i] != key)
        i = (i + 1) % SEEN_SIZE;
    bool fresh = !seen[i];
    seen[i] = key;
    return fresh;
}

static void consider(forms *all, form f)
{
    uint8_t bytes[32];
    uint64_t seed = 1;
    decoded d;
    choices none = {0};
    encode(&f, &none, &seed, bytes);
    if (!decode(bytes, &d) || is_excluded(&d))
        return;
    f.key = key_of(&d);
    if (!is_new(f.key))
        return;
    if (all->n == all->room) {
        all->room = all->room ? 2 * all->room : 4096;
        all->items = ebb_realloc(all->items, all->room * sizeof *all->items);
    }
    all->items[all->n++] = f;
}

/* Whether ModRM.reg may be a part of the opcode. */
static bool is_group(const form *f)
{
    switch (f->opcode) {
    case 0x71:
    case 0x72:
    case 0x73:
    case 0xae:
    case 0xc6:
    case 0xc7:
    case 0xf3: return true;
    default: return f->encoding == LEGACY || f->encoding == XOP;
    }
}

static void consider_all_modrm(forms *all, form f)
{
    for (unsigned reg = 0; reg < 8; reg += is_group(&f) ? 1 : 5) { /* the second one, as not all may be the same register */
        f.reg = (uint8_t)reg;
        f.in_memory = 1;
        f.rm = 3;
        consider(all, f);
        f.rm = 4; /* with an index, perhaps a vector */
        consider(all, f);
        f.in_memory = 0;
        bool many = f.encoding == LEGACY && f.map <= 1;
        for (unsigned rm = many ? 0 : 1; rm < (many ? 8 : 2); rm++) {
            f.rm = (uint8_t)rm;
            consider(all, f);
        }
    }
}

static void enumerate_map(forms *all, form f, unsigned n_lengths)
{
    for (unsigned i = 0; i < 256 * 4 * 2 * n_lengths; i++) {
        f.opcode = (uint8_t)i;
        f.prefix = i >> 8 & 3;
        f.wide = i >> 10 & 1;
        f.length = (uint8_t)(i >> 11);
        consider_all_modrm(all, f);
    }
}

void forms_enumerate(forms *all)
{
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    *all = (forms){0};
    for (unsigned map = 0; map <= 4; map++)
        enumerate_map(all, (form){.encoding = LEGACY, .map = (uint8_t)map}, 1);
    for (unsigned no_vvvv = 0; no_vvvv < 2; no_vvvv++) {
        for (unsigned map = 1; map <= 3; map++)
            enumerate_map(all, (form){.encoding = VEX, .map = (uint8_t)map, .no_vvvv = (uint8_t)no_vvvv}, 2);
        for (unsigned map = 8; map <= 10; map++)
            enumerate_map(all, (form){.encoding = XOP, .map = (uint8_t)map, .no_vvvv = (uint8_t)no_vvvv}, 2);
        for (unsigned map = 1; map <= 6; map++)
            for (unsigned i = 0; i < 8 && map != 4; i++)
                enumerate_map(all, (form){.encoding = EVEX, .map = (uint8_t)map, .no_vvvv = (uint8_t)no_vvvv,
                                          .broadcast = i & 1, .masked = i >> 1 & 1, .zeroing = i >> 2 & 1}, 4);
    }
}

/* ---- cases ------------------------------------------------------------------------------------- */

static int general_reg(ZydisRegister reg)
{
    ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
    return whole >= ZYDIS_REGISTER_RAX && whole <= ZYDIS_REGISTER_R15 ? (int)(whole - ZYDIS_REGISTER_RAX) : -1;
}

static void set_displacement(form_case *c, const ZydisDecodedInstruction *z, int64_t value)
{
    memcpy(c->code + z->raw.disp.offset, &value, z->raw.disp.size / 8);
}

/* Makes a memory operand point to `address`, as well as it can be done. */
static void aim(form_case *c, const decoded *d, const ZydisDecodedOperand *o, uint64_t index, uint64_t address, uint64_t *seed)
{
    const ZydisDecodedOperandMem *m = &o->mem;
    int base = general_reg(m->base), scaled = general_reg(m->index);
    if (m->segment == ZYDIS_REGISTER_GS)
        address -= FORMS_GS_BASE;
    if (m->type == ZYDIS_MEMOP_TYPE_VSIB) {
        c->vsib_reg = (uint8_t)((m->index - ZYDIS_REGISTER_XMM0) % 32);
        c->vsib_qword = d->z.raw.sib.offset && strchr(ZydisMnemonicGetString(d->z.mnemonic) + 2, 'q') != NULL;
    }
    bool full_disp = d->z.raw.disp.size >= 32 && o->visibility == ZYDIS_OPERAND_VISIBILITY_EXPLICIT;
    int64_t disp = m->disp.has_displacement ? m->disp.value : 0;
    if (m->base == ZYDIS_REGISTER_RIP || m->base == ZYDIS_REGISTER_EIP) {
        set_displacement(c, &d->z, (int64_t)(address - (forms_slot(index) + d->z.length)));
        return;
    }
    if (scaled >= 0 && scaled != 4 && m->type != ZYDIS_MEMOP_TYPE_VSIB)
        c->regs[scaled] = forms_random(seed) % 16;
    uint64_t offset = scaled >= 0 && scaled != 4 ? c->regs[scaled] * m->scale : 0;
    if (full_disp) { /* small, or all that there is */
        disp = base < 0 ? (int64_t)(address - offset) : (int64_t)(forms_random(seed) % 128) - 64;
        set_displacement(c, &d->z, disp);
    }
    if (base >= 0 && base != 4)
        c->regs[base] = base == scaled ? (address - (uint64_t)disp) / (1 + m->scale) : address - offset - (uint64_t)disp;
}

static bool is_bit_test(ZydisMnemonic mnemonic)
{
    return mnemonic == ZYDIS_MNEMONIC_BT || mnemonic == ZYDIS_MNEMONIC_BTS || mnemonic == ZYDIS_MNEMONIC_BTR ||
           mnemonic == ZYDIS_MNEMONIC_BTC;
}

static void aim_all(form_case *c, const decoded *d, uint64_t index, uint64_t *seed)
{
    if (d->z.mnemonic == ZYDIS_MNEMONIC_ENTER) /* frames of outer functions: no operand tells */
        c->regs[5] = FORMS_MIDDLE + forms_random(seed) % 512;
    for (unsigned i = 0; i < d->z.operand_count; i++) {
        const ZydisDecodedOperand *o = &d->operands[i];
        int reg = o->type == ZYDIS_OPERAND_TYPE_REGISTER ? general_reg(o->reg.value) : -1;
        if (reg >= 0 && reg != 4 && is_bit_test(d->z.mnemonic))
            c->regs[reg] = forms_random(seed) % 1024;
        if (o->type != ZYDIS_OPERAND_TYPE_MEMORY)
            continue;
        uint64_t r = forms_random(seed), address = FORMS_MIDDLE + (r % 4 ? 64 * (r >> 8 & 7) : (r >> 8) % 512);
        aim(c, d, o, index, address, seed);
    }
}

/* Some of them can't be an address at all, others are the kernel's. */
static uint64_t wild_target(uint64_t *seed)
{
    uint64_t r = forms_random(seed), address = forms_random(seed) & 0x7fffffffffff;
    switch (r % 4) {
    case 0: return address | (uint64_t)1 << (47 + (r >> 8) % 17);
    case 1: return address | forms_random(seed) << 47;
    case 2: return address | 0xffff800000000000;
    default: return forms_random(seed);
    }
}

/* A transfer that is taken goes to where the case goes on, mostly. */
static void aim_transfer(form_case *c, const decoded *d, uint64_t index, uint64_t *seed)
{
    uint64_t taken = forms_taken(index, d->z.length);
    if (forms_random(seed) % 4 == 0 && !d->z.raw.imm[0].is_relative)
        taken = wild_target(seed);
    if (d->z.raw.imm[0].is_relative) {
        int64_t relative = FORMS_MARK_BYTES;
        memcpy(c->code + d->z.raw.imm[0].offset, &relative, d->z.raw.imm[0].size / 8);
        return;
    }
    if (d->z.mnemonic == ZYDIS_MNEMONIC_RET)
        c->poke_at = FORMS_STACK, c->poke = taken;
    if (d->z.mnemonic != ZYDIS_MNEMONIC_JMP && d->z.mnemonic != ZYDIS_MNEMONIC_CALL)
        return;
    const ZydisDecodedOperand *o = &d->operands[0];
    if (o->type == ZYDIS_OPERAND_TYPE_REGISTER && general_reg(o->reg.value) >= 0)
        c->regs[general_reg(o->reg.value)] = taken;
    if (o->type != ZYDIS_OPERAND_TYPE_MEMORY)
        return;
    int base = general_reg(o->mem.base);
    c->poke = taken;
    c->poke_at = FORMS_MIDDLE;
    if (base != 4)
        aim(c, d, o, index, FORMS_MIDDLE, seed);
}

static void fill_case(form_case *c, const decoded *d, uint64_t index, uint64_t *seed)
{
    static const uint64_t status_and_direction = 0xcd5, alignment_check = 0x40000;
    for (int i = 0; i < 16; i++) {
        uint64_t r = forms_random(seed);
        c->regs[i] = r % 4 == 0 ? r >> 60 : r % 4 == 1 ? r >> 32 : forms_random(seed);
    }
    c->regs[4] = FORMS_STACK;
    c->flags = 0x202 | (forms_random(seed) & status_and_direction);
    if (forms_random(seed) % 8 == 0)
        c->flags |= alignment_check;
    c->vsib_reg = FORMS_NO_VSIB;
    c->seed = forms_random(seed);
    bool repeats = d->z.attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE);
    if (repeats || forms_random(seed) % 4 == 0)
        c->regs[1] = forms_random(seed) % 9;
    aim_all(c, d, index, seed);
    aim_transfer(c, d, index, seed);
}

bool forms_make_case(const form *f, uint64_t index, uint64_t *seed, form_case *c)
{
    for (unsigned attempt = 0; attempt < 12; attempt++) {
        choices choice = {.any_reg = attempt < 4, .any_rm = attempt < 8, .extras = attempt % 2 == 0};
        uint8_t bytes[32];
        decoded d;
        encode(f, &choice, seed, bytes);
        if (!decode(bytes, &d) || is_excluded(&d) || (attempt >= 2 && attempt < 10 && key_of(&d) != f->key))
            continue;
        if (attempt < 2 && key_of(&d) != f->key)
            continue;
        *c = (form_case){.nbytes = d.z.length};
        memcpy(c->code, bytes, d.z.length);
        fill_case(c, &d, index, seed);
        return true;
    }
    return false;
}

void forms_spell(const form_case *c, uint64_t index, char *text, size_t size)
{
    ZydisFormatter formatter;
    decoded d;
    char bytes[64] = "", spelt[128] = "?";
    for (unsigned i = 0; i < c->nbytes; i++)
        sprintf(bytes + 3 * i, "%02x ", c->code[i]);
    ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_INTEL);
    if (decode(c->code, &d))
        ZydisFormatterFormatInstruction(&formatter, &d.z, d.operands, d.z.operand_count_visible, spelt, sizeof spelt, forms_slot(index), NULL);
    snprintf(text, size, "%s (%s)", spelt, bytes);
}

const char *forms_set_of(const form_case *c)
{
    decoded d;
    return decode(c->code, &d) ? ZydisISASetGetString(d.z.meta.isa_set) : "?";
}
