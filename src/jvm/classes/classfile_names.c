/* Names and descriptors: the grammar of JVMS 4.2 and 4.3, and modified UTF-8 (4.4.7). */
#include "jvm/classes/classfile.h"

#include <string.h>

static bool is_shortest_form(const uint8_t *p, size_t n)
{
    if (n == 2)
        return p[0] >= 0xc2 || (p[0] == 0xc0 && p[1] == 0x80);
    return n != 3 || p[0] != 0xe0 || p[1] >= 0xa0;
}

bool jvm_is_modified_utf8(const uint8_t *p, size_t nbytes, bool any_form)
{
    for (size_t i = 0; i < nbytes;) {
        if (p[i] == 0 || p[i] >= 0xf0)
            return false;
        size_t n = p[i] < 0x80 ? 1 : (p[i] & 0xe0) == 0xc0 ? 2 : (p[i] & 0xf0) == 0xe0 ? 3 : 0;
        if (n == 0 || i + n > nbytes)
            return false;
        for (size_t k = 1; k < n; k++)
            if ((p[i + k] & 0xc0) != 0x80)
                return false;
        if (!any_form && !is_shortest_form(p + i, n))
            return false;
        i += n;
    }
    return true;
}

/* An unqualified name: no . ; [ /, and for methods no < >. */
static bool is_unqualified(const char *name, size_t nbytes, bool is_method)
{
    for (size_t i = 0; i < nbytes; i++) {
        char c = name[i];
        if (c == '.' || c == ';' || c == '[' || c == '/' || (is_method && (c == '<' || c == '>')))
            return false;
    }
    return nbytes > 0;
}

/* Letters beyond ASCII are let through, but for NUL at the start: Java alone knows which of them are letters. */
bool jvm_is_identifier(const char *name, size_t nbytes, bool qualified)
{
    for (size_t i = 0; i < nbytes; i++) {
        unsigned char c = (unsigned char)name[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || (c >= 0x80 && (i > 0 || c != 0xc0));
        bool digit = i > 0 && c >= '0' && c <= '9'; /* after a slash too */
        bool slash = qualified && c == '/' && i > 0 && name[i - 1] != '/' && i + 1 < nbytes;
        if (!letter && !digit && !slash)
            return false;
    }
    return nbytes > 0;
}

bool jvm_is_member_name(const char *name, size_t nbytes, bool is_method)
{
    if (is_method && ((nbytes == 6 && memcmp(name, "<init>", 6) == 0) || (nbytes == 8 && memcmp(name, "<clinit>", 8) == 0)))
        return true;
    return is_unqualified(name, nbytes, is_method);
}

bool jvm_is_class_name(const char *name, size_t nbytes)
{
    if (nbytes > 0 && *name == '[')
        return jvm_is_field_descriptor(name, nbytes);
    const char *end = name + nbytes;
    for (;;) {
        const char *slash = memchr(name, '/', (size_t)(end - name));
        const char *stop = slash ? slash : end;
        if (!is_unqualified(name, (size_t)(stop - name), false))
            return false;
        if (slash == NULL)
            return true;
        name = slash + 1;
    }
}

/* Bytes of the field type at the start of text, or 0. */
static size_t type_length(const char *text, size_t nbytes)
{
    size_t dims = 0;
    while (dims < nbytes && text[dims] == '[')
        dims++;
    if (dims > 255 || dims == nbytes)
        return 0;
    if (strchr("ZBCSIJFD", text[dims]) != NULL)
        return dims + 1;
    if (text[dims] != 'L')
        return 0;
    const char *name = text + dims + 1;
    const char *semicolon = memchr(name, ';', nbytes - dims - 1);
    if (semicolon == NULL || *name == '[' || !jvm_is_class_name(name, (size_t)(semicolon - name)))
        return 0;
    return (size_t)(semicolon - text) + 1;
}

bool jvm_is_field_descriptor(const char *text, size_t nbytes)
{
    return nbytes > 0 && type_length(text, nbytes) == nbytes;
}

bool jvm_is_method_descriptor(const char *text, size_t nbytes)
{
    size_t at = 1;
    if (nbytes < 3 || text[0] != '(')
        return false;
    int slots = 0;
    while (at < nbytes && text[at] != ')') {
        size_t n = type_length(text + at, nbytes - at);
        if (n == 0)
            return false;
        slots += text[at] == 'J' || text[at] == 'D' ? 2 : 1;
        at += n;
    }
    if (at >= nbytes || slots > 255)
        return false;
    at++;
    return (nbytes - at == 1 && text[at] == 'V') || jvm_is_field_descriptor(text + at, nbytes - at);
}
