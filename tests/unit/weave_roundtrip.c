/* Reads classes, takes all their methods apart and writes them again: they must be the same bytes.
 *
 * weave_roundtrip CLASS|JAR... ; prints what differs, and how many classes it saw.  Exit status 1 if one differs. */
#include "base/file.h"
#include "base/text.h"
#include "weave/classfile.h"
#include "weave/zip.h"

#include <stdio.h>
#include <string.h>

typedef struct tally {
    unsigned nclasses, nmethods, ndifferent, nrefused;
} tally;

static ebb_status open_all(weave_class *cls, tally *t, ebb_error *err)
{
    for (unsigned i = 0; i < cls->nmethods; i++) {
        if (!cls->methods[i].code_bytes.bytes)
            continue;
        t->nmethods++;
        EBB_TRY(weave_method_open(cls, &cls->methods[i], err));
    }
    return EBB_OK;
}

static void roundtrip(const char *name, weave_span bytes, tally *t)
{
    weave_class cls;
    ebb_error err;
    ebb_buf out = {0};
    t->nclasses++;
    if (weave_class_read(&cls, bytes, &err) != EBB_OK) {
        printf("%s: %s\n", name, err.text);
        t->nrefused++;
        return;
    }
    if (open_all(&cls, t, &err) != EBB_OK || weave_class_write(&cls, &out, &err) != EBB_OK) {
        printf("%s: %s\n", name, err.text);
        t->nrefused++;
    } else if (out.n != bytes.nbytes || memcmp(out.data, bytes.bytes, out.n) != 0) {
        printf("%s: differs\n", name);
        t->ndifferent++;
    }
    ebb_buf_fini(&out);
    weave_class_fini(&cls);
}

static bool is_class(const char *name)
{
    size_t n = strlen(name);
    return n > 6 && strcmp(name + n - 6, ".class") == 0;
}

static void roundtrip_jar(const char *path, weave_span bytes, tally *t)
{
    weave_zip zip;
    ebb_error err;
    if (weave_zip_read(&zip, bytes, &err) != EBB_OK) {
        printf("%s: %s\n", path, err.text);
        t->nrefused++;
        return;
    }
    for (size_t i = 0; i < zip.entries.n; i++) {
        ebb_buf contents = {0};
        const weave_entry *e = &zip.entries.items[i];
        if (is_class(e->name) && weave_entry_unpack(e, &contents, &err) == EBB_OK)
            roundtrip(e->name, (weave_span){(const uint8_t *)contents.data, (uint32_t)contents.n}, t);
        ebb_buf_fini(&contents);
    }
    weave_zip_fini(&zip);
}

int main(int argc, char **argv)
{
    tally t = {0};
    for (int i = 1; i < argc; i++) {
        ebb_buf bytes = {0};
        ebb_error err;
        if (ebb_file_read(argv[i], &bytes, &err) != EBB_OK) {
            printf("%s\n", err.text);
            return 1;
        }
        weave_span span = {(const uint8_t *)bytes.data, (uint32_t)bytes.n};
        if (is_class(argv[i]))
            roundtrip(argv[i], span, &t);
        else
            roundtrip_jar(argv[i], span, &t);
        ebb_buf_fini(&bytes);
    }
    printf("%u classes, %u methods, %u refused, %u differ\n", t.nclasses, t.nmethods, t.nrefused, t.ndifferent);
    return t.ndifferent || t.nrefused;
}
