/* x86_decode_test.c - what an instruction does to control, and its spelling. */
#include "unit.h"
#include "x86/native.h"

#include <stdio.h>
#include <string.h>

typedef struct decode_case {
    const char *code; /* hexadecimal */
    const char *att, *intel;
} decode_case;

/* As objdump 2.40 and gdb 13 spell them, at address 0x401000. */
static const decode_case cases[] = {
    {"55", "push   %rbp", "push   rbp"},
    {"4889e5", "mov    %rsp,%rbp", "mov    rbp,rsp"},
    {"c3", "ret", "ret"},
    {"f3c3", "repz ret", "repz ret"},
    {"c9", "leave", "leave"},
    {"f30f1efa", "endbr64", "endbr64"},
    {"4883ec10", "sub    $0x10,%rsp", "sub    rsp,0x10"},
    {"4883e4f0", "and    $0xfffffffffffffff0,%rsp", "and    rsp,0xfffffffffffffff0"},
    {"83e4f0", "and    $0xfffffff0,%esp", "and    esp,0xfffffff0"},
    {"6aff", "push   $0xffffffffffffffff", "push   0xffffffffffffffff"},
    {"c745fc00000000", "movl   $0x0,-0x4(%rbp)", "mov    DWORD PTR [rbp-0x4],0x0"},
    {"48c745f0ffffffff", "movq   $0xffffffffffffffff,-0x10(%rbp)", "mov    QWORD PTR [rbp-0x10],0xffffffffffffffff"},
    {"48b8efcdab8967452301", "movabs $0x123456789abcdef,%rax", "movabs rax,0x123456789abcdef"},
    {"488b05c52f0000", "mov    0x2fc5(%rip),%rax        # 0x403fcc", "mov    rax,QWORD PTR [rip+0x2fc5]        # 0x403fcc"},
    {"488d0592feffff", "lea    -0x16e(%rip),%rax        # 0x400e99", "lea    rax,[rip+0xfffffffffffffe92]        # 0x400e99"},
    {"64488b042528000000", "mov    %fs:0x28,%rax", "mov    rax,QWORD PTR fs:0x28"},
    {"e8fbffffff", "call   0x401000", "call   0x401000"},
    {"ff15cc2f0000", "call   *0x2fcc(%rip)        # 0x403fd2", "call   QWORD PTR [rip+0x2fcc]        # 0x403fd2"},
    {"ffd0", "call   *%rax", "call   rax"},
    {"3effe0", "notrack jmp *%rax", "notrack jmp rax"},
    {"74fe", "je     0x401000", "je     0x401000"},
    {"0f8f00000000", "jg     0x401006", "jg     0x401006"},
    {"0f97c0", "seta   %al", "seta   al"},
    {"480f45c2", "cmovne %rdx,%rax", "cmovne rax,rdx"},
    {"0fb6c0", "movzbl %al,%eax", "movzx  eax,al"},
    {"480fbe07", "movsbq (%rdi),%rax", "movsx  rax,BYTE PTR [rdi]"},
    {"4863c8", "movslq %eax,%rcx", "movsxd rcx,eax"},
    {"4898", "cltq", "cdqe"},
    {"99", "cltd", "cdq"},
    {"d1e8", "shr    %eax", "shr    eax,1"},
    {"48c1e03f", "shl    $0x3f,%rax", "shl    rax,0x3f"},
    {"d32c24", "shrl   %cl,(%rsp)", "shr    DWORD PTR [rsp],cl"},
    {"0f1f440000", "nopl   0x0(%rax,%rax,1)", "nop    DWORD PTR [rax+rax*1+0x0]"},
    {"662e0f1f840000000000", "cs nopw 0x0(%rax,%rax,1)", "cs nop WORD PTR [rax+rax*1+0x0]"},
    {"6690", "xchg   %ax,%ax", "xchg   ax,ax"},
    {"90", "nop", "nop"},
    {"f3a4", "rep movsb %ds:(%rsi),%es:(%rdi)", "rep movs BYTE PTR es:[rdi],BYTE PTR ds:[rsi]"},
    {"f348ab", "rep stos %rax,%es:(%rdi)", "rep stos QWORD PTR es:[rdi],rax"},
    {"f2ae", "repnz scas %es:(%rdi),%al", "repnz scas al,BYTE PTR es:[rdi]"},
    {"f00fb11d00000000", "lock cmpxchg %ebx,0x0(%rip)        # 0x401008", "lock cmpxchg DWORD PTR [rip+0x0],ebx        # 0x401008"},
    {"0f05", "syscall", "syscall"},
    {"cc", "int3", "int3"},
    {"9c", "pushf", "pushf"},
    {"f20f2a45fc", "cvtsi2sdl -0x4(%rbp),%xmm0", "cvtsi2sd xmm0,DWORD PTR [rbp-0x4]"},
    {"660fefc0", "pxor   %xmm0,%xmm0", "pxor   xmm0,xmm0"},
    {"f20fc2c101", "cmpltsd %xmm1,%xmm0", "cmpltsd xmm0,xmm1"},
    {"db6c2410", "fldt   0x10(%rsp)", "fld    TBYTE PTR [rsp+0x10]"},
    {"dee9", "fsubrp %st,%st(1)", "fsubp  st(1),st"},
    {"d8c8", "fmul   %st(0),%st", "fmul   st,st(0)"},
    {"c5fe6f06", "vmovdqu (%rsi),%ymm0", "vmovdqu ymm0,YMMWORD PTR [rsi]"},
    {"62f37d493feb00", "vpcmpeqb %zmm3,%zmm0,%k5{%k1}", "vpcmpeqb k5{k1},zmm0,zmm3"},
    {"8b04cd00104000", "mov    0x401000(,%rcx,8),%eax", "mov    eax,DWORD PTR [rcx*8+0x401000]"},
};

static size_t bytes_of(const char *hex, uint8_t *bytes)
{
    size_t n = strlen(hex) / 2;
    for (size_t i = 0; i < n; i++) {
        unsigned byte;
        assert_int_equal(sscanf(hex + 2 * i, "%2x", &byte), 1);
        bytes[i] = (uint8_t)byte;
    }
    return n;
}

static void spells_as_binutils_does(void **state)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t code[16];
        size_t n = bytes_of(cases[i].code, code);
        machine_insn insn;
        assert_int_equal(x86_decode(code, n, 0x401000, X86_ATT, &insn, NULL), EBB_OK);
        assert_string_equal(insn.text, cases[i].att);
        assert_int_equal(insn.nbytes, n);
        assert_int_equal(x86_decode(code, n, 0x401000, X86_INTEL, &insn, NULL), EBB_OK);
        assert_string_equal(insn.text, cases[i].intel);
    }
}

static machine_insn decode(const char *hex)
{
    uint8_t code[16];
    size_t n = bytes_of(hex, code);
    machine_insn insn;
    assert_int_equal(x86_decode(code, n, 0x401000, X86_ATT, &insn, NULL), EBB_OK);
    return insn;
}

static void tells_where_control_goes(void **state)
{
    machine_insn insn = decode("e8fbffffff");
    assert_true(insn.is_call && insn.has_target && insn.target == 0x401000);
    insn = decode("ffd0");
    assert_true(insn.is_call && !insn.has_target);
    insn = decode("74fe");
    assert_true(insn.is_branch && insn.has_target && insn.target == 0x401000 && !insn.is_call);
    insn = decode("c3");
    assert_true(insn.is_return && !insn.is_branch);
    insn = decode("488b05c52f0000");
    assert_true(insn.has_target && insn.target == 0x403fcc && !insn.is_branch);
    insn = decode("55");
    assert_false(insn.is_call || insn.is_return || insn.is_branch || insn.has_target);
}

static void refuses_what_is_no_instruction(void **state)
{
    static const uint8_t bad[] = {0x06}, cut[] = {0xe8, 0x00};
    machine_insn insn;
    ebb_error err;
    assert_int_equal(x86_decode(bad, sizeof bad, 0x1000, X86_ATT, &insn, &err), EBB_BAD_INPUT);
    assert_string_equal(err.text, "no instruction at 0x1000");
    assert_int_equal(x86_decode(cut, sizeof cut, 0x1000, X86_ATT, &insn, &err), EBB_BAD_INPUT);
    assert_int_equal(x86_decode(cut, 0, 0x1000, X86_ATT, &insn, &err), EBB_BAD_INPUT);
}

static void system_calls_have_names(void **state)
{
    assert_string_equal(x86_syscall_name(0), "read");
    assert_string_equal(x86_syscall_name(59), "execve");
    assert_string_equal(x86_syscall_name(435), "clone3");
    assert_null(x86_syscall_name(-1));
    assert_null(x86_syscall_name(400)); /* a hole */
    assert_null(x86_syscall_name(100000));
    assert_int_equal(x86_syscall_number("openat"), 257);
    assert_int_equal(x86_syscall_number("no_such_call"), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spells_as_binutils_does),
        cmocka_unit_test(tells_where_control_goes),
        cmocka_unit_test(refuses_what_is_no_instruction),
        cmocka_unit_test(system_calls_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
