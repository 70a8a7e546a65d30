/* natives/io.c - java.io.FileInputStream and FileOutputStream: the streams that programs read and print
 * with, standard input and output among them. */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "jvm/natives/blocking.h"
#include "jvm/natives/natives.h"
#include "jvm/record/outside.h"

static int descriptor_number(const jvm_obj *stream, size_t fd_field)
{
    const jvm_obj *fd = jvm_get_ref(stream, fd_field);
    return fd == NULL ? -1 : jvm_get_i32(fd, jvm.fields.FileDescriptor_fd);
}

static bool check_open(jvm_thread *t, int fd)
{
    if (fd >= 0)
        return true;
    jvm_throw(t, "java/io/IOException", "Stream Closed");
    return false;
}

static bool check_bounds(jvm_thread *t, const jvm_obj *bytes, int32_t start, int32_t count)
{
    if (!jvm_check_not_null(t, bytes))
        return false;
    if (start >= 0 && count >= 0 && start <= bytes->length - count)
        return true;
    jvm_throw(t, "java/lang/IndexOutOfBoundsException", NULL);
    return false;
}

static void throw_errno(jvm_thread *t, int64_t error) { jvm_throw(t, "java/io/IOException", "%s", strerror((int)error)); }

/* ---- reading ---- */

/* Bytes read, 0 at the end of the file, -1 with IOException pending.  `owner`: the array that the buffer
 * is part of, or NULL; its change is announced when it happens, after the wait. */
static ssize_t read_some(jvm_thread *t, int fd, jvm_obj *owner, void *buffer, size_t nbytes)
{
    if (!check_open(t, fd))
        return -1;
    int64_t n;
    do {
        if (!jvm_wait_ready(t, fd, POLLIN))
            return -1;
        if (owner != NULL)
            jvm_before_write_(owner, buffer, nbytes);
        n = jvm_outside_read(fd, buffer, nbytes);
    } while (n == -EINTR);
    if (n < 0)
        throw_errno(t, -n);
    return n < 0 ? -1 : n;
}

static jvm_slot input_read(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    unsigned char byte;
    ssize_t n = read_some(t, descriptor_number(args[0].a, jvm.fields.FileInputStream_fd), NULL, &byte, 1);
    return jvm_int(n == 1 ? byte : -1);
}

/* readBytes(byte[] bytes, int start, int count) */
static jvm_slot input_read_bytes(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    jvm_obj *bytes = args[1].a;
    int32_t start = args[2].i, count = args[3].i;
    if (!check_bounds(t, bytes, start, count) || count == 0)
        return jvm_int(0);
    char *to = (char *)jvm_array_data(bytes) + start;
    ssize_t n = read_some(t, descriptor_number(args[0].a, jvm.fields.FileInputStream_fd), bytes, to, (size_t)count);
    return jvm_int(n > 0 ? (int32_t)n : -1);
}

/* ---- writing ---- */

/* A ready pipe takes PIPE_BUF bytes without blocking; more could stop the machine in the middle. */
static bool write_all(jvm_thread *t, int fd, const char *bytes, size_t nbytes)
{
    if (!check_open(t, fd))
        return false;
    size_t step = jvm_fd_may_block(fd) ? PIPE_BUF : nbytes;
    while (nbytes > 0) {
        if (!jvm_wait_ready(t, fd, POLLOUT))
            return false;
        int64_t n = jvm_outside_write(fd, bytes, nbytes < step ? nbytes : step);
        if (n < 0 && n != -EINTR && n != -EAGAIN) {
            throw_errno(t, -n);
            return false;
        }
        bytes += n < 0 ? 0 : n;
        nbytes -= n < 0 ? 0 : (size_t)n;
    }
    return true;
}

/* write(int byte, boolean append): a file opened for appending is so in the kernel. */
static jvm_slot output_write(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    char byte = (char)args[1].i;
    (void)write_all(t, descriptor_number(args[0].a, jvm.fields.FileOutputStream_fd), &byte, 1);
    return jvm_nothing();
}

/* writeBytes(byte[] bytes, int start, int count, boolean append) */
static jvm_slot output_write_bytes(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    jvm_obj *bytes = args[1].a;
    int32_t start = args[2].i, count = args[3].i;
    if (check_bounds(t, bytes, start, count) && count > 0)
        (void)write_all(t, descriptor_number(args[0].a, jvm.fields.FileOutputStream_fd),
                        (const char *)jvm_array_data(bytes) + start, (size_t)count);
    return jvm_nothing();
}

const jvm_inner_native jvm_natives_io[] = {
    { "java/io/FileInputStream", "read0", "()I", input_read, JVM_NATIVE_BLOCKS },
    { "java/io/FileInputStream", "readBytes", "([BII)I", input_read_bytes, JVM_NATIVE_BLOCKS },
    { "java/io/FileOutputStream", "write", "(IZ)V", output_write, JVM_NATIVE_BLOCKS },
    { "java/io/FileOutputStream", "writeBytes", "([BIIZ)V", output_write_bytes, JVM_NATIVE_BLOCKS },
    { NULL },
};
