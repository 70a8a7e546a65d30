/* Broken files: a bounded number here, as many as you like with fuzz/symbols_fuzz. */
#include "unit.h"
#include "symbols_interrogate.h"
#include "symbols_live.h"
#include "base/file.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N_CORRUPTIONS = 60, MAX_SECONDS = 20 };

static uint8_t *read_file(const char *path, size_t *n)
{
    ebb_buf content = {0};
    assert_ok(ebb_file_read(path, &content, err));
    *n = content.n;
    return (uint8_t *)ebb_buf_take(&content);
}

static void write_file(const char *path, const uint8_t *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    fclose(f);
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

static void interrogate_file(const char *path)
{
    sym_table *table = sym_table_new();
    alarm(MAX_SECONDS);
    assert_int_equal(sym_table_add(table, path, 0, NULL, NULL), EBB_OK);
    interrogate(table);
    alarm(0);
    sym_table_free(table);
}

/* A file that was split off is looked for below the folder of the program first, under the name that the compiler gave it. */
static void corrupted_split_files(void **state)
{
    static const char name[] = "tests/machine/fixtures/symbols/symbols_frames_O2_split-frames.dwo";
    char folder[] = "/tmp/ebb-split-XXXXXX", command[200], program[100], split[200];
    assert_non_null(mkdtemp(folder));
    snprintf(program, sizeof program, "%s/program", folder);
    snprintf(split, sizeof split, "%s/%s", folder, name);
    snprintf(command, sizeof command, "mkdir -p %s/tests/machine/fixtures/symbols", folder);
    assert_int_equal(system(command), 0);
    size_t n;
    uint8_t *bytes = read_file(live_path("symbols_frames_O2_split"), &n);
    write_file(program, bytes, n);
    free(bytes);
    uint8_t *sound = read_file(live_path("symbols_frames_O2_split-frames.dwo"), &n);
    for (uint64_t seed = 1; seed <= N_CORRUPTIONS; seed++) {
        bytes = corrupt(sound, n, seed);
        write_file(split, bytes, seed % 10 ? n : n * seed / N_CORRUPTIONS / 2);
        interrogate_file(program);
        free(bytes);
    }
    free(sound);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
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

static ebb_status add_header(sym_table *table, const char *name, const Elf64_Ehdr *header, size_t nbytes, ebb_error *err)
{
    return sym_table_add_image(table, &(sym_image){.name = name, .bytes = header, .nbytes = nbytes}, 0, NULL, err);
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
    assert_int_equal(add_header(table, "small", &header, sizeof header, &err), EBB_BAD_FILE);
    assert_non_null(strstr(err.text, "32-bit"));
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_machine = EM_AARCH64;
    header.e_ehsize = sizeof header;
    assert_int_equal(add_header(table, "arm", &header, sizeof header, &err), EBB_BAD_FILE);
    assert_non_null(strstr(err.text, "another machine"));
    header.e_machine = EM_X86_64;
    header.e_type = ET_REL;
    assert_int_equal(add_header(table, "object", &header, sizeof header, &err), EBB_BAD_FILE);
    assert_non_null(strstr(err.text, "linked"));
    assert_int_equal(add_header(table, "nothing", &header, 0, &err), EBB_BAD_FILE);
    assert_int_equal(sym_table_n_modules(table), 0);
    sym_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sound_file_answers),
        cmocka_unit_test(what_is_no_program),
        cmocka_unit_test(truncated_files),
        cmocka_unit_test(corrupted_split_files),
        cmocka_unit_test(corrupted_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
