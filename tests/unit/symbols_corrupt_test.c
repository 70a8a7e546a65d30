/* Broken files: a bounded number here, as many as you like with fuzz/symbols_fuzz. */
#include "unit.h"
#include "symbols_interrogate.h"
#include "symbols_live.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { N_CORRUPTIONS = 60, MAX_SECONDS = 20 };

static uint8_t *read_file(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    *n = (size_t)ftell(f);
    rewind(f);
    uint8_t *bytes = ebb_alloc(*n);
    assert_int_equal(fread(bytes, 1, *n, f), *n);
    fclose(f);
    return bytes;
}

static void corrupted_bytes(void **state)
{
    const char *fixtures[] = {"symbols_frames_O0", "symbols_frames_O2", "symbols_frames_O2_dwarf4"};
    for (size_t i = 0; i < sizeof fixtures / sizeof *fixtures; i++) {
        size_t n;
        uint8_t *file = read_file(live_path(fixtures[i]), &n);
        for (uint64_t seed = 1; seed <= N_CORRUPTIONS; seed++) {
            uint8_t *bytes = corrupt(file, n, seed);
            alarm(MAX_SECONDS);
            interrogate_bytes(bytes, n);
            alarm(0);
            free(bytes);
        }
        free(file);
    }
}

static void truncated_files(void **state)
{
    size_t n;
    uint8_t *file = read_file(live_path("symbols_frames_O2"), &n);
    for (size_t i = 0; i < 40; i++) {
        alarm(MAX_SECONDS);
        interrogate_bytes(file, n * i / 40);
        alarm(0);
    }
    free(file);
}

/* The same questions about a sound file have many answers, so the above does look at something. */
static void a_sound_file_answers(void **state)
{
    sym_table *table = sym_table_new();
    assert_int_equal(sym_table_add(table, live_path("symbols_frames_O2"), 0, NULL, NULL), EBB_OK);
    assert_true(interrogate(table) != 0);
    assert_null(sym_module_warning(sym_table_module(table, 0)));
    sym_table_free(table);
}

static void check_refused(const char *path, ebb_status wanted, const char *says)
{
    sym_table *table = sym_table_new();
    ebb_error err = {0};
    assert_int_equal(sym_table_add(table, path, 0, NULL, &err), wanted);
    if (!strstr(err.text, says))
        fail_msg("'%s' doesn't say '%s'", err.text, says);
    sym_table_free(table);
}

static void what_is_no_program(void **state)
{
    check_refused("/no/such/file", EBB_SYSTEM, "No such file");
    check_refused("/", EBB_BAD_FILE, "a directory");
    check_refused("/dev/null", EBB_BAD_FILE, "not a regular file");
    check_refused("/etc/passwd", EBB_BAD_FILE, "not an ELF file");

    Elf64_Ehdr header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS32, ELFDATA2LSB, EV_CURRENT}};
    sym_table *table = sym_table_new();
    ebb_error err = {0};
    header.e_machine = EM_386;
    header.e_type = ET_EXEC;
    assert_int_equal(sym_table_add_image(table, "small", &header, sizeof header, 0, NULL, &err),
                     EBB_BAD_FILE);
    assert_non_null(strstr(err.text, "32-bit"));
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_machine = EM_AARCH64;
    header.e_ehsize = sizeof header;
    assert_int_equal(sym_table_add_image(table, "arm", &header, sizeof header, 0, NULL, &err),
                     EBB_BAD_FILE);
    assert_non_null(strstr(err.text, "another machine"));
    header.e_machine = EM_X86_64;
    header.e_type = ET_REL;
    assert_int_equal(sym_table_add_image(table, "object", &header, sizeof header, 0, NULL, &err),
                     EBB_BAD_FILE);
    assert_non_null(strstr(err.text, "linked"));
    assert_int_equal(sym_table_add_image(table, "nothing", &header, 0, 0, NULL, &err),
                     EBB_BAD_FILE);
    assert_int_equal(sym_table_n_modules(table), 0);
    sym_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sound_file_answers),
        cmocka_unit_test(what_is_no_program),
        cmocka_unit_test(truncated_files),
        cmocka_unit_test(corrupted_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
