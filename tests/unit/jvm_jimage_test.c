/* The reader of lib/modules: files that are none, and one that is. */
#include "unit.h"

#include "jvm/classes/jimage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char image_path[] = "/usr/lib/jvm/java-17-openjdk-amd64/lib/modules";

static ebb_status open_bytes(const void *bytes, size_t nbytes, jvm_jimage **image, ebb_error *err)
{
    char path[] = "/tmp/jimage_test_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, nbytes), (ssize_t)nbytes);
    close(fd);
    ebb_status status = jvm_jimage_open(path, image, err);
    unlink(path);
    return status;
}

static void no_image(void **state)
{
    jvm_jimage *image;
    ebb_error err;
    assert_int_equal(jvm_jimage_open("/nonexistent/modules", &image, &err), EBB_SYSTEM);
    assert_int_equal(open_bytes("short", 5, &image, &err), EBB_BAD_FILE);
    uint32_t lying[7] = {0xCAFEDADA, 0x00010000, 0, 1, 1000000, 1000000, 1000000};
    assert_int_equal(open_bytes(lying, sizeof lying, &image, &err), EBB_BAD_FILE);
    assert_non_null(strstr(err.text, "broken"));
}

static void the_installed_one(void **state)
{
    jvm_jimage *image;
    ebb_error err;
    const uint8_t *bytes;
    size_t nbytes;
    if (access(image_path, R_OK) != 0)
        skip();
    assert_int_equal(jvm_jimage_open(image_path, &image, &err), EBB_OK);
    assert_true(jvm_jimage_find(image, "java.base", "java/lang/Object.class", &bytes, &nbytes));
    assert_memory_equal(bytes, "\xCA\xFE\xBA\xBE", 4);
    assert_false(jvm_jimage_find(image, "java.base", "java/lang/NoSuch.class", &bytes, &nbytes));
    assert_string_equal(jvm_jimage_module_of(image, "java/util/logging", 17), "java.logging");
    assert_null(jvm_jimage_module_of(image, "no/such", 7));
    jvm_jimage_close(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_image),
        cmocka_unit_test(the_installed_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
