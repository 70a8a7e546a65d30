/* natives/map.c - files as memory: FileChannel.map, and the class library's own image.
 *
 * Addresses of mapped memory are visible to Java, so the memory lies in a region of ours (heap/region.h).  While
 * recording, a mapping's contents are logged when it is made; replay fills plain memory with them.  What
 * others write to the file while it is mapped is not seen by the recording. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jvm/heap/jstring.h"
#include "base/sizes.h"
#include "jvm/natives/natives.h"
#include "jvm/record/outside.h"
#include "jvm/record/files.h"
#include "jvm/heap/region.h"

static jvm_region files = { .base = JVM_REGION_FILES };

enum { MAP_READ_ONLY, MAP_READ_WRITE, MAP_COPY }; /* FileChannelImpl.MAP_RO, MAP_RW, MAP_PV */

/* ---- FileChannel ---- */

static int map_over(void *at, int fd, int32_t how, int64_t position, size_t nbytes)
{
    int protection = how == MAP_READ_ONLY ? PROT_READ : PROT_READ | PROT_WRITE;
    int sharing = how == MAP_COPY ? MAP_PRIVATE : MAP_SHARED;
    return mmap(at, nbytes, protection, sharing | MAP_FIXED, fd, position) == MAP_FAILED ? errno : 0;
}

/* Read from the file, not the memory: after the file's end there is none. */
static void log_contents(int fd, int64_t position, size_t nbytes)
{
    if (jvm_history != JVM_RECORDING)
        return;
    char *step = ebb_alloc(JVM_LOG_STEP);
    for (size_t done = 0; done < nbytes; done += JVM_LOG_STEP) {
        size_t n = nbytes - done < JVM_LOG_STEP ? nbytes - done : JVM_LOG_STEP;
        memset(step, 0, n);
        ssize_t got = pread(fd, step, n, position + (off_t)done);
        (void)got; /* what is not there reads as zeros */
        jvm_outside_note_bytes(JVM_OUTSIDE_MAP, step, (int64_t)n);
    }
    free(step);
}

static void fill_from_log(char *to, size_t nbytes)
{
    for (size_t done = 0; done < nbytes; done += JVM_LOG_STEP)
        if (jvm_log_expect(EBB_EVENT_BYTES))
            jvm_outside_take_bytes(JVM_OUTSIDE_MAP, to + done, nbytes - done);
}

/* 0 or errno. */
static int64_t map_file(void *at, int fd, int32_t how, int64_t position, size_t nbytes)
{
    if (jvm_outside_is_logged(JVM_OUTSIDE_MAP)) {
        int64_t error = jvm_outside_take(JVM_OUTSIDE_MAP);
        if (error == 0)
            fill_from_log(at, nbytes);
        return error;
    }
    int64_t error = jvm_outside_note(JVM_OUTSIDE_MAP, map_over(at, fd, how, position, nbytes));
    if (error == 0)
        log_contents(fd, position, nbytes);
    return error;
}

static int descriptor_of(const jvm_obj *channel, const jvm_class *cls)
{
    const jvm_field *f = jvm_class_own_field(cls, jvm_sym_get("fd"), NULL);
    const jvm_obj *fd = f == NULL ? NULL : jvm_get_ref(channel, f->offset);
    return fd == NULL ? -1 : jvm_get_i32(fd, jvm.fields.FileDescriptor_fd);
}

/* map0(int how, long position, long length, boolean sync) */
static jvm_slot channel_map(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    enum { FOR_WRITING = 1 };
    size_t nbytes = (size_t)args[4].j;
    if (jvm_history == JVM_RECORDING && args[1].i == FOR_WRITING)
        ebb_journal_before_map(jvm_files_journal(), descriptor_of(args[0].a, m->cls), args[2].j, nbytes);
    void *at = jvm_region_take(&files, nbytes);
    if (at == NULL) {
        jvm_throw(t, JVM_OOME, "Map failed");
        return jvm_nothing();
    }
    int64_t error = map_file(at, descriptor_of(args[0].a, m->cls), args[1].i, args[2].j, nbytes);
    if (error == 0)
        return jvm_long((int64_t)(intptr_t)at);
    jvm_region_give(&files, at, nbytes);
    if (error == ENOMEM)
        jvm_throw(t, JVM_OOME, "Map failed");
    else
        jvm_throw(t, "java/io/IOException", "%s", strerror((int)error));
    return jvm_nothing();
}

/* unmap0(long address, long length) */
static jvm_slot channel_unmap(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    void *at = (void *)(intptr_t)args[0].j;
    if (jvm_region_holds(&files, at, (size_t)args[2].j))
        jvm_region_give(&files, at, (size_t)args[2].j);
    return jvm_int(0);
}

/* ---- the image ---- */

/* lib/modules as memory; it is the same in replay, which has been checked. */
static void *map_image(size_t *nbytes)
{
    char *path = ebb_asprintf("%s/lib/modules", jvm.home);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    free(path);
    struct stat st;
    void *at = NULL;
    if (fd >= 0 && fstat(fd, &st) == 0) {
        *nbytes = (size_t)st.st_size;
        at = jvm_region_take(&files, *nbytes);
        if (at != NULL && mmap(at, *nbytes, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED)
            at = NULL;
    }
    if (fd >= 0)
        close(fd);
    return at;
}

static bool is_image(const jvm_obj *path)
{
    const char *home = jvm_is_replaying() ? jvm_recipe_now.home : jvm.home;
    char *asked = jvm_string_utf8(path), *ours = ebb_asprintf("%s/lib/modules", home);
    bool same = strcmp(asked, ours) == 0;
    free(asked);
    free(ours);
    return same;
}

/* getNativeMap(String path): null sends the caller to the file itself. */
static jvm_slot image_map(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    static void *image;
    static size_t nbytes;
    if (args[0].a == NULL || !is_image(args[0].a))
        return jvm_nothing();
    if (image == NULL) {
        jvm_undo_cut("the mapping of a file");
        image = map_image(&nbytes);
    }
    if (image == NULL)
        return jvm_nothing();
    size_t mark = jvm_handles_mark(t);
    jvm_obj *buffer = jvm_deref(jvm_jni_NewDirectByteBuffer((JNIEnv *)t, image, (jlong)nbytes));
    jvm_handles_release(t, mark);
    return jvm_ref(buffer);
}

const jvm_inner_native jvm_natives_map[] = {
    { "sun/nio/ch/FileChannelImpl", "map0", "(IJJZ)J", channel_map, JVM_NATIVE_WORLD, "the mapping of a file" },
    { "sun/nio/ch/FileChannelImpl", "unmap0", "(JJ)I", channel_unmap, JVM_NATIVE_PURE, "the mapping of a file" },
    { "jdk/internal/jimage/NativeImageBuffer", "getNativeMap", NULL, image_map, JVM_NATIVE_PURE },
    { NULL },
};
