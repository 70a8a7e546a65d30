/* classfile.c - the file from its magic number to its attributes, in the order of JVMS 4.1. */
#include "jvm/classes/classfile.h"

#include "jvm/classes/known.h"
#include "jvm/engine/ops.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- reading ---- */

void jvm_read_fail_as(jvm_reader *r, const char *exception, const char *format, ...)
{
    if (r->failed)
        return;
    va_list args;
    va_start(args, format);
    r->error->exception = exception;
    vsnprintf(r->error->text, sizeof r->error->text, format, args);
    va_end(args);
    r->failed = true;
}

void jvm_read_fail(jvm_reader *r, const char *format, ...)
{
    if (r->failed)
        return;
    char text[300];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (r->cls->name != NULL)
        jvm_read_fail_as(r, "java/lang/ClassFormatError", "%s in class file %.90s", text, r->cls->name->text);
    else
        jvm_read_fail_as(r, "java/lang/ClassFormatError", "%s", text);
}

const uint8_t *jvm_read_bytes(jvm_reader *r, size_t nbytes)
{
    if (r->failed || nbytes > (size_t)(r->end - r->at)) {
        jvm_read_fail_as(r, "java/lang/ClassFormatError", "Truncated class file");
        return NULL;
    }
    const uint8_t *p = r->at;
    r->at += nbytes;
    return p;
}

uint8_t jvm_read_u1(jvm_reader *r)
{
    const uint8_t *p = jvm_read_bytes(r, 1);
    return p ? *p : 0;
}

uint16_t jvm_read_u2(jvm_reader *r)
{
    const uint8_t *p = jvm_read_bytes(r, 2);
    return p ? jvm_u2(p) : 0;
}

uint32_t jvm_read_u4(jvm_reader *r)
{
    const uint8_t *p = jvm_read_bytes(r, 4);
    return p ? jvm_u4(p) : 0;
}

bool jvm_cp_is(const jvm_reader *r, uint16_t index, enum jvm_cp_tag tag)
{
    return index > 0 && index < r->cls->pool.n && r->cls->pool.tags[index] == tag;
}

const jvm_sym *jvm_read_utf8_at(jvm_reader *r, uint16_t index, const char *what)
{
    if (r->failed)
        return NULL;
    if (!jvm_cp_is(r, index, JVM_CP_UTF8)) {
        jvm_read_fail(r, "Invalid constant pool index %u for %s", index, what);
        return NULL;
    }
    return r->cls->pool.values[index].sym;
}

/* ---- class ---- */

enum { PREVIEW_MINOR = 65535 };

/* Before the file has told its own. */
static const char *given_name(const jvm_reader *r) { return r->options.name == NULL ? "<Unknown>" : r->options.name->text; }

static void check_version(jvm_reader *r)
{
    uint16_t major = r->cls->major, minor = r->cls->minor;
    const char *name = given_name(r);
    if (major > 61)
        jvm_read_fail_as(r, "java/lang/UnsupportedClassVersionError",
                         "%s has been compiled by a more recent version of the Java Runtime (class file version %u.%u), this version of the Java "
                         "Runtime only recognizes class file versions up to 61.0", name, major, minor);
    else if (major < 45)
        jvm_read_fail_as(r, "java/lang/UnsupportedClassVersionError", "%s (class file version %u.%u) was compiled with an invalid major version", name,
                         major, minor);
    else if (major >= 56 && minor == PREVIEW_MINOR && major < 61)
        jvm_read_fail_as(r, "java/lang/UnsupportedClassVersionError",
                         "%s (class file version %u.%u) was compiled with preview features that are unsupported. This version of the Java Runtime "
                         "only recognizes preview features for class file version 61.65535", name, major, minor);
    else if (major >= 56 && minor == PREVIEW_MINOR)
        jvm_read_fail_as(r, "java/lang/UnsupportedClassVersionError",
                         "Preview features are not enabled for %s (class file version 61.65535). Try running with '--enable-preview'", name);
    else if (major >= 56 && minor != 0)
        jvm_read_fail_as(r, "java/lang/UnsupportedClassVersionError",
                         "%s (class file version %u.%u) was compiled with an invalid non-zero minor version", name, major, minor);
}

uint16_t jvm_check_class_access(jvm_reader *r, uint16_t a)
{
    if (r->cls->major < 53)
        a &= (uint16_t)~JVM_ACC_MODULE; /* meant nothing then */
    if ((a & JVM_ACC_INTERFACE) && r->cls->major < 50)
        a |= JVM_ACC_ABSTRACT; /* older compilers left it out */
    bool is_interface = (a & JVM_ACC_INTERFACE) != 0, is_abstract = (a & JVM_ACC_ABSTRACT) != 0;
    bool bad = (is_abstract && (a & JVM_ACC_FINAL)) || (is_interface && !is_abstract);
    if (r->cls->major >= 49)
        bad = bad || (is_interface ? a & (JVM_ACC_SUPER | JVM_ACC_ENUM) : a & JVM_ACC_ANNOTATION) != 0;
    if (a & JVM_ACC_MODULE)
        jvm_read_fail_as(r, "java/lang/NoClassDefFoundError", "%s is not a class because access_flag ACC_MODULE is set",
                         r->cls->name->text);
    else if (bad && !r->options.trusted)
        jvm_read_fail_as(r, "java/lang/ClassFormatError", "Illegal class modifiers in class %.200s: 0x%X", r->cls->name->text, a);
    return a;
}

static void read_access(jvm_reader *r)
{
    const uint16_t known = JVM_ACC_PUBLIC | JVM_ACC_FINAL | JVM_ACC_SUPER | JVM_ACC_INTERFACE | JVM_ACC_ABSTRACT | JVM_ACC_SYNTHETIC |
                           JVM_ACC_ANNOTATION | JVM_ACC_ENUM | JVM_ACC_MODULE;
    r->cls->access = jvm_check_class_access(r, r->cls->access & known);
    if (r->module_tag != 0)
        jvm_read_fail(r, "Unknown constant tag %u", r->module_tag);
}

static void read_names(jvm_reader *r)
{
    jvm_class *cls = r->cls;
    cls->this_index = jvm_read_u2(r);
    if (!r->failed && !jvm_cp_is(r, cls->this_index, JVM_CP_CLASS)) {
        jvm_read_fail(r, "Invalid this class index %u in constant pool", cls->this_index);
        return;
    }
    if (r->failed)
        return;
    cls->name = jvm_cp_class_name(cls, cls->this_index);
    if (cls->name->text[0] == '[')
        jvm_read_fail(r, "Bad class name");
    read_access(r);
    cls->super_index = jvm_read_u2(r);
    if (r->failed)
        return;
    bool is_object = jvm_sym_is(cls->name, "java/lang/Object");
    bool none = cls->super_index == 0;
    if (none ? !is_object : !jvm_cp_is(r, cls->super_index, JVM_CP_CLASS))
        jvm_read_fail(r, "Invalid superclass index %u", cls->super_index);
    else if (!none && jvm_cp_class_name(cls, cls->super_index)->text[0] == '[')
        jvm_read_fail(r, "Bad superclass name");
}

static void check_super_of_interface(jvm_reader *r)
{
    const jvm_class *cls = r->cls;
    if (cls->super_index != 0 && jvm_class_is_interface(cls) &&
        !jvm_sym_is(jvm_cp_class_name(cls, cls->super_index), "java/lang/Object"))
        jvm_read_fail(r, "Interfaces must have java.lang.Object as superclass");
}

/* Interface names stay as constant pool indexes in `interfaces` (cast) until the loader loads them. */
static void read_interfaces(jvm_reader *r)
{
    jvm_class *cls = r->cls;
    uint16_t n = jvm_read_u2(r);
    const uint8_t *rows = jvm_read_bytes(r, 2 * (size_t)n);
    if (rows == NULL)
        return;
    cls->ninterfaces = n;
    cls->interfaces = EBB_ARENA_ARRAY(&cls->arena, jvm_class *, n + 1u);
    for (uint16_t i = 0; i < n; i++) {
        uint16_t index = jvm_u2(rows + 2 * i);
        if (!jvm_cp_is(r, index, JVM_CP_CLASS)) {
            jvm_read_fail(r, "Interface name has bad constant pool index %u", index);
            return;
        }
        if (jvm_cp_class_name(cls, index)->text[0] == '[')
            jvm_read_fail(r, "Bad interface name");
        for (uint16_t k = 0; k < i; k++)
            if (jvm_cp_class_name(cls, index) == jvm_cp_class_name(cls, (uint16_t)(uintptr_t)cls->interfaces[k]))
                jvm_read_fail(r, "Duplicate interface name \"%s\"", jvm_cp_class_name(cls, index)->text);
        cls->interfaces[i] = (jvm_class *)(uintptr_t)index;
    }
}

/* ---- fields and methods ---- */

void jvm_check_field_name(jvm_reader *r, const jvm_sym *name)
{
    bool ok = r->cls->major < 49 ? jvm_is_identifier(name->text, name->nbytes, false)
                                 : jvm_is_member_name(name->text, name->nbytes, false);
    if (!ok)
        jvm_read_fail(r, "Illegal field name \"%s\"", name->text);
}

void jvm_check_field_type(jvm_reader *r, const jvm_sym *name, const jvm_sym *sig)
{
    if (!jvm_is_field_descriptor(sig->text, sig->nbytes))
        jvm_read_fail(r, "Field \"%s\" has illegal signature \"%s\"", name->text, sig->text);
}

void jvm_check_method_name(jvm_reader *r, const jvm_sym *name)
{
    bool old = r->cls->major < 49 && name->text[0] != '<';
    if (old ? !jvm_is_identifier(name->text, name->nbytes, false) : !jvm_is_member_name(name->text, name->nbytes, true))
        jvm_read_fail(r, "Illegal method name \"%s\"", name->text);
}

void jvm_check_method_type(jvm_reader *r, const jvm_sym *name, const jvm_sym *sig)
{
    bool returns_void = sig->nbytes > 0 && sig->text[sig->nbytes - 1] == 'V';
    bool bad_clinit = r->cls->major >= 51 && jvm_sym_is(name, "<clinit>") && !jvm_sym_is(sig, "()V");
    if (!jvm_is_method_descriptor(sig->text, sig->nbytes) || (name->text[0] == '<' && !returns_void) || bad_clinit)
        jvm_read_fail(r, "Method \"%s\" has illegal signature \"%s\"", name->text, sig->text);
}

static bool at_most_one(uint16_t bits)
{
    return (bits & (bits - 1)) == 0;
}

static void check_field_access(jvm_reader *r, const jvm_field *f)
{
    uint16_t visibility = f->access & (JVM_ACC_PUBLIC | JVM_ACC_PRIVATE | JVM_ACC_PROTECTED);
    uint16_t must = JVM_ACC_PUBLIC | JVM_ACC_STATIC | JVM_ACC_FINAL;
    bool bad;
    if (jvm_class_is_interface(r->cls))
        bad = (f->access & 0xdf) != must;
    else
        bad = !at_most_one(visibility) || ((f->access & JVM_ACC_FINAL) && (f->access & JVM_ACC_VOLATILE));
    if (bad)
        jvm_read_fail(r, "Illegal field modifiers 0x%X", f->access);
}

static void read_field(jvm_reader *r, jvm_field *f)
{
    f->cls = r->cls;
    f->access = jvm_read_u2(r);
    f->name = jvm_read_utf8_at(r, jvm_read_u2(r), "field name");
    f->sig = jvm_read_utf8_at(r, jvm_read_u2(r), "field signature");
    if (r->failed)
        return;
    if (!r->options.trusted) {
        check_field_access(r, f);
        jvm_check_field_name(r, f->name);
        jvm_check_field_type(r, f->name, f->sig);
    }
    f->type = f->sig->text[0];
    jvm_parse_field_attributes(r, f);
}

static void check_no_duplicate_field(jvm_reader *r, uint16_t n)
{
    const jvm_field *f = r->cls->fields;
    for (uint16_t k = 0; k < n; k++)
        if (f[k].name == f[n].name && f[k].sig == f[n].sig)
            jvm_read_fail(r, "Duplicate field name \"%s\" with signature \"%s\"", f[n].name->text, f[n].sig->text);
}

static void add_injected_fields(jvm_class *cls, const jvm_injected *rows, int n)
{
    for (int i = 0; i < n; i++) {
        jvm_field *f = &cls->fields[cls->nfields];
        f->cls = cls;
        f->name = jvm_sym_get(rows[i].name);
        f->sig = jvm_sym_get(rows[i].sig);
        f->type = rows[i].sig[0];
        f->flags = JVM_FIELD_INJECTED;
        f->slot = cls->nfields++;
    }
}

static void read_fields(jvm_reader *r)
{
    jvm_class *cls = r->cls;
    jvm_injected injected[8];
    int ninjected = r->options.trusted ? jvm_injected_fields(cls->name->text, injected, 8) : 0;
    uint16_t n = jvm_read_u2(r);
    if (r->failed || (size_t)n * 8 > (size_t)(r->end - r->at)) {
        jvm_read_fail(r, "Truncated class file");
        return;
    }
    cls->fields = EBB_ARENA_ARRAY(&cls->arena, jvm_field, (size_t)n + (size_t)ninjected + 1);
    for (uint16_t i = 0; i < n && !r->failed; i++) {
        cls->fields[i].slot = i;
        read_field(r, &cls->fields[i]);
        if (!r->options.trusted && !r->failed)
            check_no_duplicate_field(r, i);
        cls->nfields++;
    }
    if (!r->failed)
        add_injected_fields(cls, injected, ninjected);
}

/* The flags an interface's method may have changed with versions 49 (no other visibility, no strictfp) and 52 (bodies). */
static bool is_bad_interface_method(const jvm_class *cls, uint16_t a)
{
    uint16_t never = JVM_ACC_FINAL | JVM_ACC_NATIVE;
    uint16_t strict = cls->major < 61 ? JVM_ACC_STRICT : 0;
    bool is_public = (a & JVM_ACC_PUBLIC) != 0, is_abstract = (a & JVM_ACC_ABSTRACT) != 0;
    if (cls->major >= 52)
        return is_public == ((a & JVM_ACC_PRIVATE) != 0) || (a & (never | JVM_ACC_PROTECTED | JVM_ACC_SYNCHRONIZED)) != 0 ||
               (is_abstract && (a & (JVM_ACC_PRIVATE | JVM_ACC_STATIC | strict)) != 0);
    never |= JVM_ACC_STATIC;
    if (cls->major >= 49)
        never |= JVM_ACC_PRIVATE | JVM_ACC_PROTECTED | JVM_ACC_SYNCHRONIZED | JVM_ACC_STRICT;
    return !is_public || !is_abstract || (a & never) != 0;
}

static bool is_bad_class_method(const jvm_class *cls, const jvm_method *m)
{
    uint16_t a = m->access, strict = cls->major < 61 ? JVM_ACC_STRICT : 0;
    if (!at_most_one(a & (JVM_ACC_PUBLIC | JVM_ACC_PRIVATE | JVM_ACC_PROTECTED)))
        return true;
    uint16_t never = JVM_ACC_STATIC | JVM_ACC_FINAL | JVM_ACC_NATIVE;
    if (jvm_method_is_init(m))
        return (a & (never | JVM_ACC_SYNCHRONIZED | JVM_ACC_ABSTRACT | (cls->major >= 49 ? JVM_ACC_BRIDGE : 0))) != 0;
    never |= JVM_ACC_PRIVATE | (cls->major >= 49 ? JVM_ACC_SYNCHRONIZED | strict : 0);
    return (a & JVM_ACC_ABSTRACT) && (a & never) != 0;
}

/* Of a class initialiser, only static counts. */
static void check_method_access(jvm_reader *r, jvm_method *m)
{
    if (jvm_method_is_clinit(m)) {
        if (r->cls->major < 51)
            m->access = JVM_ACC_STATIC;
        else if (!jvm_method_is_static(m))
            jvm_read_fail(r, "Method <clinit> is not static");
        else
            m->access &= JVM_ACC_STATIC | (r->cls->major < 61 ? JVM_ACC_STRICT : 0);
        return;
    }
    if (jvm_class_is_interface(r->cls) ? is_bad_interface_method(r->cls, m->access) : is_bad_class_method(r->cls, m))
        jvm_read_fail_as(r, "java/lang/ClassFormatError", "Method %.100s in class %.200s has illegal modifiers: 0x%X", m->name->text,
                         r->cls->name->text, m->access);
}

static void check_method(jvm_reader *r, jvm_method *m)
{
    const char *name = m->name->text;
    bool special = name[0] == '<';
    jvm_check_method_name(r, m->name);
    jvm_check_method_type(r, m->name, m->sig);
    if (r->failed)
        return;
    if (special && jvm_class_is_interface(r->cls) && !jvm_method_is_clinit(m))
        jvm_read_fail(r, "Interface cannot have a method named <init>");
    if (!r->failed)
        check_method_access(r, m);
}

static void measure_signature(jvm_method *m)
{
    const char *p = m->sig->text + 1;
    uint32_t slots = jvm_method_is_static(m) ? 0 : 1;
    while (*p != ')') {
        slots += *p == 'J' || *p == 'D' ? 2 : 1;
        while (*p == '[')
            p++;
        if (*p == 'L')
            p = strchr(p, ';');
        p++;
    }
    m->nargs = (uint16_t)slots;
    m->ret = p[1];
}

static void note_special_method(jvm_method *m)
{
    jvm_class *cls = m->cls;
    if (jvm_method_is_clinit(m) && (jvm_method_is_static(m) || cls->major < 51) && jvm_sym_is(m->sig, "()V")) {
        m->access |= JVM_ACC_STATIC;
        cls->clinit = m;
    }
    if (jvm_sym_is(m->name, "finalize") && jvm_sym_is(m->sig, "()V") && !jvm_method_is_static(m) && m->nbytes > 1)
        m->flags |= JVM_METHOD_FINALIZER;
    bool poly_class = jvm_sym_is(cls->name, "java/lang/invoke/MethodHandle") || jvm_sym_is(cls->name, "java/lang/invoke/VarHandle");
    uint16_t want = JVM_ACC_NATIVE | JVM_ACC_VARARGS;
    if (poly_class && (m->access & want) == want && strncmp(m->sig->text, "([Ljava/lang/Object;)", 21) == 0)
        m->flags |= JVM_METHOD_SIG_POLY;
}

static void read_method(jvm_reader *r, jvm_method *m)
{
    m->cls = r->cls;
    m->vtable_index = JVM_NOT_VIRTUAL;
    m->itable_index = -1;
    m->access = jvm_read_u2(r);
    m->name = jvm_read_utf8_at(r, jvm_read_u2(r), "method name");
    m->sig = jvm_read_utf8_at(r, jvm_read_u2(r), "method signature");
    if (r->failed)
        return;
    if (!r->options.trusted)
        check_method(r, m);
    if (r->failed)
        return;
    measure_signature(m);
    if (m->nargs > 255)
        jvm_read_fail(r, "Too many arguments in method signature");
    jvm_parse_method_attributes(r, m);
    if (r->failed)
        return;
    bool has_code = m->bytes != NULL, no_code = (m->access & (JVM_ACC_NATIVE | JVM_ACC_ABSTRACT)) != 0;
    if (has_code == no_code)
        jvm_read_fail(r, has_code ? "Code attribute in native or abstract methods" : "Absent Code attribute in method that is not native or abstract");
    if (has_code && m->max_locals < m->nargs)
        jvm_read_fail(r, "Arguments can't fit into locals");
    note_special_method(m);
}

static void check_no_duplicate_method(jvm_reader *r, uint16_t n)
{
    const jvm_method *m = r->cls->methods;
    for (uint16_t k = 0; k < n; k++)
        if (m[k].name == m[n].name && m[k].sig == m[n].sig)
            jvm_read_fail(r, "Duplicate method name \"%s\" with signature \"%s\"", m[n].name->text, m[n].sig->text);
}

static void read_methods(jvm_reader *r)
{
    jvm_class *cls = r->cls;
    uint16_t n = jvm_read_u2(r);
    if (r->failed || (size_t)n * 8 > (size_t)(r->end - r->at)) {
        jvm_read_fail(r, "Truncated class file");
        return;
    }
    cls->methods = EBB_ARENA_ARRAY(&cls->arena, jvm_method, n + 1u);
    for (uint16_t i = 0; i < n && !r->failed; i++) {
        cls->methods[i].slot = i;
        read_method(r, &cls->methods[i]);
        if (!r->options.trusted && !r->failed)
            check_no_duplicate_method(r, i);
        cls->nmethods++;
    }
}

bool jvm_classfile_parse_head(jvm_reader *r, jvm_class *cls, const uint8_t *bytes, size_t nbytes, jvm_parse_options options,
                              jvm_parse_error *error)
{
    *r = (jvm_reader){bytes, bytes + nbytes, cls, options, error, false, 0};
    cls->bytes = bytes;
    cls->nbytes = nbytes;
    if (jvm_read_u4(r) != 0xCAFEBABE)
        jvm_read_fail_as(r, "java/lang/ClassFormatError", "Incompatible magic value %u in class file %s",
                         nbytes >= 4 ? jvm_u4(bytes) : 0, given_name(r));
    cls->minor = jvm_read_u2(r);
    cls->major = jvm_read_u2(r);
    if (!r->failed)
        check_version(r);
    if (!r->failed)
        jvm_parse_pool(r);
    cls->access = jvm_read_u2(r);
    if (!r->failed)
        read_names(r);
    if (!r->failed)
        read_interfaces(r);
    return !r->failed;
}

bool jvm_classfile_parse_body(jvm_reader *r)
{
    read_fields(r);
    if (!r->failed)
        read_methods(r);
    if (!r->failed)
        jvm_parse_class_attributes(r);
    if (!r->failed && r->at != r->end)
        jvm_read_fail_as(r, "java/lang/ClassFormatError", "Extra bytes at the end of class file %s", r->cls->name->text);
    if (!r->failed)
        check_super_of_interface(r);
    return !r->failed;
}
