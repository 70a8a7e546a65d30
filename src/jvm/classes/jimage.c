/* Layout of the file: seven u4 of header; redirect s4[n]; offsets u4[n]; location attributes; strings;
 * then the resources.  A name is found by a perfect hash: redirect[hash % n] is either the index
 * itself (negative) or the seed of a second hash. */
#include "jvm/classes/jimage.h"

#include "base/mem.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAGIC = (int)0xCAFEDADA, HASH_SEED = 0x01000193 };

enum attribute { ATTR_END, ATTR_MODULE, ATTR_PARENT, ATTR_BASE, ATTR_EXTENSION, ATTR_OFFSET, ATTR_COMPRESSED, ATTR_SIZE, NATTRS };

struct jvm_jimage {
    const uint8_t *map;
    size_t nbytes;
    uint32_t table_length, locations_size, strings_size;
    const int32_t *redirect;
    const uint32_t *offsets;
    const uint8_t *locations;
    const char *strings;
    size_t index_size; /* resources start here */
};

typedef struct location {
    uint64_t attr[NATTRS];
} location;

static uint32_t u4_at(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, 4);
    return v;
}

static ebb_status read_header(jvm_jimage *im, const char *path, ebb_error *err)
{
    if (im->nbytes < 28 || u4_at(im->map) != (uint32_t)MAGIC || u4_at(im->map + 4) != 0x00010000)
        return ebb_fail(err, EBB_BAD_FILE, "%s is not a JDK image of version 1.0", path);
    im->table_length = u4_at(im->map + 16);
    im->locations_size = u4_at(im->map + 20);
    im->strings_size = u4_at(im->map + 24);
    im->index_size = 28 + 8 * (size_t)im->table_length + im->locations_size + im->strings_size;
    if (im->table_length == 0 || im->strings_size == 0 || im->index_size > im->nbytes)
        return ebb_fail(err, EBB_BAD_FILE, "%s is cut off or broken", path);
    im->redirect = (const int32_t *)(im->map + 28);
    im->offsets = (const uint32_t *)(im->redirect + im->table_length);
    im->locations = (const uint8_t *)(im->offsets + im->table_length);
    im->strings = (const char *)(im->locations + im->locations_size);
    if (im->strings[im->strings_size - 1] != '\0')
        return ebb_fail(err, EBB_BAD_FILE, "%s has an open-ended string table", path);
    return EBB_OK;
}

ebb_status jvm_jimage_open(const char *path, jvm_jimage **image, ebb_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return ebb_fail_errno(err, "cannot open %s", path);
    struct stat st;
    if (fstat(fd, &st) != 0) {
        close(fd);
        return ebb_fail_errno(err, "cannot read %s", path);
    }
    void *map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (map == MAP_FAILED)
        return ebb_fail_errno(err, "cannot map %s", path);
    jvm_jimage *im = EBB_NEW(jvm_jimage);
    im->map = map;
    im->nbytes = (size_t)st.st_size;
    ebb_status status = read_header(im, path, err);
    if (status != EBB_OK)
        jvm_jimage_close(im);
    else
        *image = im;
    return status;
}

void jvm_jimage_close(jvm_jimage *image)
{
    munmap((void *)image->map, image->nbytes);
    free(image);
}

static uint32_t hash_with(const char *text, uint32_t seed)
{
    uint32_t h = seed;
    for (; *text != '\0'; text++)
        h = (h * HASH_SEED) ^ (uint8_t)*text;
    return h & 0x7FFFFFFF;
}

static bool read_location(const jvm_jimage *im, uint32_t offset, location *loc)
{
    memset(loc, 0, sizeof *loc);
    for (uint32_t at = offset; at < im->locations_size;) {
        uint8_t head = im->locations[at++];
        uint32_t kind = head >> 3, n = (head & 7) + 1;
        if (kind == ATTR_END)
            return true;
        if (kind >= NATTRS || n > im->locations_size - at)
            return false;
        uint64_t value = 0;
        for (uint32_t i = 0; i < n; i++)
            value = value << 8 | im->locations[at++];
        loc->attr[kind] = value;
    }
    return false;
}

static const char *string_at(const jvm_jimage *im, uint64_t offset)
{
    return offset < im->strings_size ? im->strings + offset : "";
}

static bool eat(const char **at, const char *text)
{
    size_t n = strlen(text);
    if (strncmp(*at, text, n) != 0)
        return false;
    *at += n;
    return true;
}

/* "/module/parent/base.extension", each part with its separator left out when empty. */
static bool location_has_name(const jvm_jimage *im, const location *loc, const char *path)
{
    const char *module = string_at(im, loc->attr[ATTR_MODULE]), *parent = string_at(im, loc->attr[ATTR_PARENT]);
    const char *extension = string_at(im, loc->attr[ATTR_EXTENSION]);
    if (*module && !(eat(&path, "/") && eat(&path, module) && eat(&path, "/")))
        return false;
    if (*parent && !(eat(&path, parent) && eat(&path, "/")))
        return false;
    if (!eat(&path, string_at(im, loc->attr[ATTR_BASE])))
        return false;
    if (*extension && !(eat(&path, ".") && eat(&path, extension)))
        return false;
    return *path == '\0';
}

static bool find_path(const jvm_jimage *im, const char *path, const uint8_t **bytes, size_t *nbytes)
{
    uint32_t n = im->table_length;
    int32_t redirect = im->redirect[hash_with(path, HASH_SEED) % n];
    uint32_t index;
    if (redirect == 0)
        return false;
    if (redirect > 0)
        index = hash_with(path, (uint32_t)redirect) % n;
    else
        index = (uint32_t)(-1 - redirect);
    location loc;
    if (index >= n || !read_location(im, im->offsets[index], &loc) || !location_has_name(im, &loc, path))
        return false;
    uint64_t at = im->index_size + loc.attr[ATTR_OFFSET], size = loc.attr[ATTR_SIZE];
    if (loc.attr[ATTR_COMPRESSED] != 0 || at > im->nbytes || size > im->nbytes - at)
        return false;
    *bytes = im->map + at;
    *nbytes = size;
    return true;
}

bool jvm_jimage_find(const jvm_jimage *image, const char *module, const char *name, const uint8_t **bytes,
                     size_t *nbytes)
{
    char small[512];
    size_t need = strlen(module) + strlen(name) + 3;
    char *path = need <= sizeof small ? small : ebb_alloc(need);
    stpcpy(stpcpy(stpcpy(stpcpy(path, "/"), module), "/"), name);
    bool found = find_path(image, path, bytes, nbytes);
    if (path != small)
        free(path);
    return found;
}

const char *jvm_jimage_module_of(const jvm_jimage *image, const char *package, size_t npackage)
{
    char path[512] = "/packages/";
    size_t prefix = strlen(path), nbytes;
    if (npackage + prefix >= sizeof path)
        return NULL;
    for (size_t i = 0; i < npackage; i++)
        path[prefix + i] = package[i] == '/' ? '.' : package[i];
    path[prefix + npackage] = '\0';
    const uint8_t *rows;
    if (!find_path(image, path, &rows, &nbytes))
        return NULL;
    for (size_t at = 0; at + 8 <= nbytes; at += 8)
        if (u4_at(rows + at) == 0)
            return string_at(image, u4_at(rows + at + 4));
    return NULL;
}
