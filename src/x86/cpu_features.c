/* cpu_features.c - asks CPUID. */
#include "x86/cpu_features.h"

#include <cpuid.h>
#include <string.h>

typedef struct feature {
    const char *name;
    unsigned leaf;
    char reg;
    unsigned bit;
    bool is_hidden;
} feature;

static const feature features[] = {
#define X86_FEATURE(name, leaf, reg, bit, is_hidden) {#name, leaf, #reg[0], bit, is_hidden},
#include "x86/cpu_features.def"
#undef X86_FEATURE
};

enum { N = sizeof features / sizeof *features };

static bool is_there(const feature *f)
{
    unsigned a, b = 0, c = 0, d = 0;
    if (!__get_cpuid_count(f->leaf, 0, &a, &b, &c, &d))
        return false;
    return (f->reg == 'b' ? b : f->reg == 'c' ? c : d) >> f->bit & 1;
}

static void add(ebb_buf *out, const char *name, size_t nbytes)
{
    if (out->n)
        ebb_buf_addc(out, ' ');
    ebb_buf_add(out, name, nbytes);
}

void x86_features_list(bool hides, ebb_buf *out)
{
    for (size_t i = 0; i < N; i++)
        if (is_there(&features[i]) && !(hides && features[i].is_hidden))
            add(out, features[i].name, strlen(features[i].name));
}

static const feature *find(const char *name, size_t nbytes)
{
    for (size_t i = 0; i < N; i++)
        if (strlen(features[i].name) == nbytes && memcmp(features[i].name, name, nbytes) == 0)
            return &features[i];
    return NULL;
}

void x86_features_missing(const char *list, ebb_buf *out)
{
    for (size_t n; *list; list += n) {
        list += strspn(list, " ");
        n = strcspn(list, " ");
        const feature *f = find(list, n);
        if (n && !(f && is_there(f)))
            add(out, list, n);
    }
}
