/* QK1: what the quick decoder accepts, it describes as the full one does. */
#include "unit.h"
#include "x86_forms.h"
#include "x86/inside/quick.h"

#include <stdio.h>

enum { TRIES = 4000000, GUEST = 0x401000 };

/* Prefixes come before opcodes more often than chance would have it. */
static void random_bytes(uint64_t *seed, uint8_t bytes[16])
{
    static const uint8_t starts[] = {0x66, 0xf2, 0xf3, 0x48, 0x41, 0x4c, 0x64, 0x0f, 0xc5, 0xc4, 0x3e, 0x2e, 0x65, 0xf0};
    uint64_t r = forms_random(seed);
    for (int i = 0; i < 16; i++)
        bytes[i] = (uint8_t)forms_random(seed);
    for (unsigned i = 0; i < (r & 3); i++)
        bytes[i] = starts[(r >> (8 + 8 * i)) % sizeof starts];
}

static bool describes_the_same(const x86_insn *a, const x86_insn *b)
{
    bool indirect = a->kind == X86_KIND_CALL_INDIRECT || a->kind == X86_KIND_JMP_INDIRECT;
    return a->nbytes == b->nbytes && a->kind == b->kind && a->is_rip_relative == b->is_rip_relative && a->uses_gs == b->uses_gs &&
           a->target == b->target && a->pop_nbytes == b->pop_nbytes && (!a->is_rip_relative || a->disp_at == b->disp_at) &&
           (!indirect || a->modrm_at == b->modrm_at) && (a->kind != X86_KIND_JCC || a->condition == b->condition);
}

static void compare(const uint8_t bytes[16], size_t nbytes, unsigned *n_accepted)
{
    x86_insn quick, full;
    if (!x86_quick_decode(bytes, nbytes, GUEST, &quick))
        return;
    ++*n_accepted;
    bool known = x86_full_decode(bytes, nbytes, GUEST, &full);
    if (known ? describes_the_same(&quick, &full) : quick.kind == X86_KIND_PLAIN)
        return; /* what only the CPU can tell to be no instruction is copied */
    char text[64] = "";
    for (int i = 0; i < 16; i++)
        sprintf(text + 3 * i, "%02x ", bytes[i]);
    fail_msg("%s: quick %u bytes, kind %d; full %u bytes, kind %d", text, quick.nbytes, quick.kind, full.nbytes, full.kind);
}

static void both_decoders_agree(void **state)
{
    uint64_t seed = 20261115;
    unsigned n_accepted = 0;
    for (int i = 0; i < TRIES; i++) {
        uint8_t bytes[16];
        random_bytes(&seed, bytes);
        compare(bytes, i % 16 ? 16 : 1 + forms_random(&seed) % 15, &n_accepted);
    }
    assert_true(n_accepted > TRIES / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_decoders_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
