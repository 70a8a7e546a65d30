/* base_file_test.c - whole files: those with a size, those without, and none. */
#include "unit.h"
#include "base/file.h"

#include <stdlib.h>
#include <unistd.h>

/* Longer than one block, with every byte in it. */
static void reads_all_of_a_file(void **state)
{
    enum { N = 20001 };
    char path[] = "/tmp/ebb-file-XXXXXX", bytes[N];
    for (int i = 0; i < N; i++)
        bytes[i] = (char)i;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, N), N);
    close(fd);
    ebb_buf out = {0};
    ebb_buf_adds(&out, "before");
    assert_int_equal(ebb_file_read(path, &out, NULL), EBB_OK);
    unlink(path);
    assert_int_equal(out.n, 6 + N);
    assert_memory_equal(out.data, "before", 6);
    assert_memory_equal(out.data + 6, bytes, N);
    ebb_buf_fini(&out);
}

static void reads_what_has_no_size(void **state)
{
    ebb_buf out = {0};
    assert_int_equal(ebb_file_read("/proc/self/comm", &out, NULL), EBB_OK);
    assert_string_equal(out.data, "base_file_test\n");
    ebb_buf_fini(&out);
}

static void leaves_the_buffer_when_it_cannot(void **state)
{
    ebb_buf out = {0};
    ebb_error err;
    ebb_buf_adds(&out, "before");
    assert_int_equal(ebb_file_read("/nonexistent/file", &out, &err), EBB_SYSTEM);
    assert_string_equal(err.text, "/nonexistent/file: No such file or directory");
    assert_int_equal(ebb_file_read("/", &out, &err), EBB_SYSTEM);
    assert_string_equal(err.text, "/: Is a directory");
    assert_string_equal(out.data, "before");
    ebb_buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_all_of_a_file),
        cmocka_unit_test(reads_what_has_no_size),
        cmocka_unit_test(leaves_the_buffer_when_it_cannot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
