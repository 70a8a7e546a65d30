/* boot_path.c - jars are read with the JDK's own libzip, which is loaded on first use. */
#include "jvm/classes/boot_path.h"

#include "base/file.h"
#include "base/map.h"
#include "base/mem.h"
#include "jvm/border/native.h"
#include "jvm/record/outside.h"

#include <dlfcn.h>
#include <jni.h>
#include <string.h>
#include <sys/stat.h>

typedef struct place {
    char *path;
    void *zip; /* libzip's jzfile, once opened */
    bool is_jar, tried;
} place;

typedef struct path_list {
    EBB_VEC(place) places;
} path_list;

static path_list appended;

typedef struct patch {
    char *module;
    path_list list;
} patch;
static EBB_VEC(patch) patches;

/* What libzip.so offers to the machine. */
static struct {
    void *(*open)(const char *path, char **message);
    void *(*find)(void *zip, const char *name, jint *nbytes, jint *name_length);
    jboolean (*read)(void *zip, void *entry, unsigned char *to, char *name); /* frees the entry */
} libzip;

static bool load_libzip(void)
{
    void *library = jvm_boot_library("zip");
    if (library == NULL)
        return false;
    libzip.open = (void *(*)(const char *, char **))dlsym(library, "ZIP_Open");
    libzip.find = (void *(*)(void *, const char *, jint *, jint *))dlsym(library, "ZIP_FindEntry");
    libzip.read = (jboolean(*)(void *, void *, unsigned char *, char *))dlsym(library, "ZIP_ReadEntry");
    return libzip.open != NULL && libzip.find != NULL && libzip.read != NULL;
}

static void add_places(path_list *list, const char *path)
{
    while (path != NULL && *path != '\0') {
        const char *end = strchrnul(path, ':');
        place p = {.path = ebb_strndup(path, (size_t)(end - path))};
        struct stat st;
        p.is_jar = stat(p.path, &st) == 0 && S_ISREG(st.st_mode);
        ebb_vec_push(&list->places, p);
        path = *end ? end + 1 : end;
    }
}

void jvm_boot_path_init(const char *path) { add_places(&appended, path); }

void jvm_boot_patch_add(const char *text)
{
    const char *equals = strchr(text, '=');
    if (equals == NULL)
        return; /* the class library complains */
    patch p = {.module = ebb_strndup(text, (size_t)(equals - text))};
    add_places(&p.list, equals + 1);
    ebb_vec_push(&patches, p);
}

static bool read_file(const char *path, uint8_t **bytes, size_t *nbytes)
{
    ebb_buf content = {0};
    bool ok = ebb_file_read(path, &content, NULL) == EBB_OK;
    *nbytes = content.n;
    if (ok)
        *bytes = (uint8_t *)ebb_buf_take(&content);
    ebb_buf_fini(&content);
    return ok;
}

static bool open_jar(place *p)
{
    char *message = NULL;
    if (!p->tried && (libzip.open != NULL || load_libzip()))
        p->zip = libzip.open(p->path, &message);
    p->tried = true;
    return p->zip != NULL;
}

static bool read_entry(place *p, const char *name, uint8_t **bytes, size_t *nbytes)
{
    jint size, name_length;
    void *entry = open_jar(p) ? libzip.find(p->zip, name, &size, &name_length) : NULL;
    if (entry == NULL)
        return false;
    char *found = ebb_alloc((size_t)name_length + 1);
    *bytes = ebb_alloc((size_t)size + 1);
    *nbytes = (size_t)size;
    bool ok = libzip.read(p->zip, entry, *bytes, found);
    free(found);
    if (!ok)
        free(*bytes);
    return ok;
}

/* ---- packages ---- */

static ebb_map *found_in; /* package -> path, owned */

static void note_package(const char *class_name, const char *path)
{
    const char *slash = strrchr(class_name, '/');
    char *package = ebb_strndup(class_name, slash ? (size_t)(slash - class_name) : 0);
    if (found_in == NULL)
        found_in = ebb_map_new();
    if (ebb_map_get(found_in, package) == NULL)
        ebb_map_set(found_in, package, ebb_strdup(path));
    free(package);
}

const char *jvm_boot_path_of_package(const char *package)
{
    return found_in == NULL ? NULL : ebb_map_get(found_in, package);
}

/* ---- classes ---- */

static const place *find(path_list *list, const char *class_name, uint8_t **bytes, size_t *nbytes)
{
    for (size_t i = 0; i < list->places.n; i++) {
        place *p = &list->places.items[i];
        char *file = ebb_asprintf("%s%s%s.class", p->is_jar ? "" : p->path, p->is_jar ? "" : "/", class_name);
        bool found = p->is_jar ? read_entry(p, file, bytes, nbytes) : read_file(file, bytes, nbytes);
        free(file);
        if (found)
            return p;
    }
    return NULL;
}

static bool find_in_recording(const char *class_name, uint8_t **bytes, size_t *nbytes)
{
    size_t path_nbytes;
    *bytes = jvm_outside_take_copy(JVM_OUTSIDE_FILE, nbytes);
    if (*bytes == NULL)
        return false;
    char *path = jvm_log_expect(EBB_EVENT_BYTES) ? jvm_outside_take_copy(JVM_OUTSIDE_FILE, &path_nbytes) : NULL;
    if (path != NULL)
        note_package(class_name, path);
    free(path);
    return true;
}

static bool find_in(path_list *list, const char *class_name, uint8_t **bytes, size_t *nbytes)
{
    if (list->places.n == 0)
        return false;
    if (jvm_is_replaying() && jvm_log_expect(EBB_EVENT_BYTES))
        return find_in_recording(class_name, bytes, nbytes);
    const place *p = find(list, class_name, bytes, nbytes);
    jvm_outside_note_bytes(JVM_OUTSIDE_FILE, p != NULL ? *bytes : NULL, p != NULL ? (int64_t)*nbytes : -1);
    if (p == NULL)
        return false;
    jvm_outside_note_bytes(JVM_OUTSIDE_FILE, (const uint8_t *)p->path, (int64_t)strlen(p->path) + 1);
    note_package(class_name, p->path);
    return true;
}

bool jvm_boot_path_find(const char *class_name, uint8_t **bytes, size_t *nbytes) { return find_in(&appended, class_name, bytes, nbytes); }

/* ---- the machine's own ---- */

static path_list own;

static void find_own_jar(void)
{
    Dl_info here;
    if (own.places.n > 0 || dladdr(find_own_jar, &here) == 0 || here.dli_fname == NULL)
        return;
    const char *slash = strrchr(here.dli_fname, '/');
    char *path = ebb_asprintf("%.*s/ebb-mirror.jar", slash == NULL ? 1 : (int)(slash - here.dli_fname), slash == NULL ? "." : here.dli_fname);
    add_places(&own, path);
    free(path);
}

bool jvm_boot_own_find(const char *class_name, uint8_t **bytes, size_t *nbytes)
{
    static const char name[] = "ebb/Mirror";
    bool is_own = strncmp(class_name, name, sizeof name - 1) == 0 && strchr("$", class_name[sizeof name - 1]) != NULL;
    if (is_own)
        find_own_jar();
    return is_own && find_in(&own, class_name, bytes, nbytes);
}

bool jvm_boot_patch_find(const char *module, const char *class_name, uint8_t **bytes, size_t *nbytes)
{
    for (size_t i = 0; i < patches.n; i++)
        if (strcmp(patches.items[i].module, module) == 0)
            return find_in(&patches.items[i].list, class_name, bytes, nbytes);
    return false;
}
