/* registers.c - registers as gdb numbers and describes them. */
#include "front/rsp/rsp.h"

#include "expr/expr.h"
#include "machine/native.h"
#include "session/data.h"
#include "session/frames.h"

#include <string.h>

typedef struct register_row {
    const char *name, *type, *ours;
    unsigned nbits, from;
} register_row;

static const register_row rows[] = {
#define RSP_FEATURE(name)
#define RSP_REGISTER(name, bits, type, ours, from) {name, type, ours, bits, from},
#include "front/rsp/registers.def"
#undef RSP_FEATURE
#undef RSP_REGISTER
};
enum { N_ROWS = sizeof rows / sizeof *rows };

/* Those at the end that the CPU has not are none. */
size_t rsp_n_registers(rsp *r)
{
    size_t n = N_ROWS;
    machine *m = ses_get_machine(r->session);
    uint8_t bytes[MACHINE_REG_MAX_BYTES];
    for (int index; m && n > 0; n--)
        if ((index = machine_reg_by_name(m, rows[n - 1].ours)) >= 0 && m->native->reg_read(m, ses_thread_selected(r->session), (unsigned)index, bytes, NULL) == EBB_OK)
            break;
    return n ? n : N_ROWS;
}

/* ---- the target description ---------------------------------------------------------------------- */

static void add_register(ebb_buf *xml, const char *name, unsigned nbits, const char *type)
{
    ebb_buf_addf(xml, "<reg name=\"%s\" bitsize=\"%u\" type=\"%s\"/>", name, nbits, type);
}

/* Types are known within their feature only. */
#define VEC128 \
    "<vector id=\"v8bf16\" type=\"bfloat16\" count=\"8\"/><vector id=\"v8h\" type=\"ieee_half\" count=\"8\"/><vector id=\"v4f\" type=\"ieee_single\" count=\"4\"/><vector id=\"v2d\" type=\"ieee_double\" count=\"2\"/>" \
    "<vector id=\"v16i8\" type=\"int8\" count=\"16\"/><vector id=\"v8i16\" type=\"int16\" count=\"8\"/>" \
    "<vector id=\"v4i32\" type=\"int32\" count=\"4\"/><vector id=\"v2i64\" type=\"int64\" count=\"2\"/><union id=\"vec128\">" \
    "<field name=\"v8_bfloat16\" type=\"v8bf16\"/><field name=\"v8_half\" type=\"v8h\"/><field name=\"v4_float\" type=\"v4f\"/><field name=\"v2_double\" type=\"v2d\"/><field name=\"v16_int8\" type=\"v16i8\"/>" \
    "<field name=\"v8_int16\" type=\"v8i16\"/><field name=\"v4_int32\" type=\"v4i32\"/><field name=\"v2_int64\" type=\"v2i64\"/>" \
    "<field name=\"uint128\" type=\"uint128\"/></union>"

static void add_feature(ebb_buf *xml, const char *name, bool *is_open)
{
    ebb_buf_addf(xml, "%s<feature name=\"%s\">", *is_open ? "</feature>" : "", name);
    *is_open = true;
    if (strcmp(name, "org.gnu.gdb.i386.core") == 0)
        ebb_buf_adds(xml, "<flags id=\"i386_eflags\" size=\"4\"><field name=\"\" start=\"22\" end=\"31\"/><field name=\"CF\" start=\"0\" end=\"0\"/><field name=\"\" start=\"1\" end=\"1\"/>"
                          "<field name=\"PF\" start=\"2\" end=\"2\"/><field name=\"AF\" start=\"4\" end=\"4\"/><field name=\"ZF\" start=\"6\" end=\"6\"/>"
                          "<field name=\"SF\" start=\"7\" end=\"7\"/><field name=\"TF\" start=\"8\" end=\"8\"/><field name=\"IF\" start=\"9\" end=\"9\"/>"
                          "<field name=\"DF\" start=\"10\" end=\"10\"/><field name=\"OF\" start=\"11\" end=\"11\"/><field name=\"NT\" start=\"14\" end=\"14\"/>"
                          "<field name=\"RF\" start=\"16\" end=\"16\"/><field name=\"VM\" start=\"17\" end=\"17\"/><field name=\"AC\" start=\"18\" end=\"18\"/>"
                          "<field name=\"VIF\" start=\"19\" end=\"19\"/><field name=\"VIP\" start=\"20\" end=\"20\"/><field name=\"ID\" start=\"21\" end=\"21\"/></flags>");
    if (strcmp(name, "org.gnu.gdb.i386.sse") == 0)
        ebb_buf_adds(xml, VEC128 "<flags id=\"i386_mxcsr\" size=\"4\"><field name=\"IE\" start=\"0\" end=\"0\"/>"
                          "<field name=\"DE\" start=\"1\" end=\"1\"/><field name=\"ZE\" start=\"2\" end=\"2\"/><field name=\"OE\" start=\"3\" end=\"3\"/>"
                          "<field name=\"UE\" start=\"4\" end=\"4\"/><field name=\"PE\" start=\"5\" end=\"5\"/><field name=\"DAZ\" start=\"6\" end=\"6\"/>"
                          "<field name=\"IM\" start=\"7\" end=\"7\"/><field name=\"DM\" start=\"8\" end=\"8\"/><field name=\"ZM\" start=\"9\" end=\"9\"/>"
                          "<field name=\"OM\" start=\"10\" end=\"10\"/><field name=\"UM\" start=\"11\" end=\"11\"/><field name=\"PM\" start=\"12\" end=\"12\"/>"
                          "<field name=\"FZ\" start=\"15\" end=\"15\"/></flags>");
    if (strcmp(name, "org.gnu.gdb.i386.avx512") == 0)
        ebb_buf_adds(xml, VEC128 "<vector id=\"v2ui128\" type=\"uint128\" count=\"2\"/>");
}

void rsp_do_features(rsp *r, const char *args, size_t n, ebb_buf *reply)
{
    (void)n;
    bool is_open = false;
    size_t i = 0, n_told = rsp_n_registers(r);
    ebb_buf xml = {0};
    ebb_buf_adds(&xml, "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\"><target><architecture>i386:x86-64</architecture><osabi>GNU/Linux</osabi>");
#define RSP_FEATURE(name) \
    if (i < n_told) \
        add_feature(&xml, name, &is_open);
#define RSP_REGISTER(name, bits, type, ours, from) \
    if (i++ < n_told) \
        add_register(&xml, name, bits, type);
#include "front/rsp/registers.def"
#undef RSP_FEATURE
#undef RSP_REGISTER
    ebb_buf_adds(&xml, "</feature></target>");
    rsp_add_part(args, &xml, reply);
    ebb_buf_fini(&xml);
}

/* ---- reading ------------------------------------------------------------------------------------- */

bool rsp_register_read(rsp *r, machine_tid thread, size_t i, ebb_buf *out)
{
    machine *m = ses_get_machine(r->session);
    uint8_t bytes[MACHINE_REG_MAX_BYTES + 16] = {0};
    int index = m ? machine_reg_by_name(m, rows[i].ours) : -1;
    if (index < 0 || m->native->reg_read(m, thread, (unsigned)index, bytes, NULL) != EBB_OK)
        return false;
    ebb_buf_add(out, bytes + rows[i].from, rows[i].nbits / 8);
    return true;
}

static void add_register_hex(rsp *r, size_t i, ebb_buf *reply)
{
    ebb_buf bytes = {0};
    if (rsp_register_read(r, rsp_thread(r), i, &bytes))
        rsp_add_hex(reply, bytes.data, bytes.n);
    else
        for (size_t k = 0; k < rows[i].nbits / 8; k++)
            ebb_buf_adds(reply, "xx");
    ebb_buf_fini(&bytes);
}

void rsp_do_read_all(rsp *r, const char *args, size_t n, ebb_buf *reply)
{
    (void)args, (void)n;
    for (size_t i = 0, n_told = rsp_n_registers(r); i < n_told; i++)
        add_register_hex(r, i, reply);
}

void rsp_do_read_register(rsp *r, const char *args, size_t n, ebb_buf *reply)
{
    (void)n;
    uint64_t i;
    if (rsp_take_number(&args, &i) && i < N_ROWS)
        add_register_hex(r, (size_t)i, reply);
    else
        ebb_buf_adds(reply, "E01");
}

/* ---- writing: by the session, which knows whether this moment may be changed ---------------------- */

/* The bytes of the part within the whole register that it belongs to. */
static ebb_status write_register(rsp *r, size_t i, const uint8_t *bytes, ebb_error *err)
{
    ebb_arena arena = {0};
    expr_value value;
    const expr_world *world = ses_world(r->session);
    ebb_status status = ses_thread_select(r->session, ses_thread_number(r->session, rsp_thread(r)), err);
    if (status == EBB_OK)
        status = world->find_register(world->self, &arena, rows[i].ours, &value, err);
    if (status == EBB_OK)
        status = expr_value_fetch(&arena, world, &value, err);
    if (status == EBB_OK) {
        uint64_t size = sym_type_size(value.type), n = rows[i].nbits / 8;
        uint64_t room = size > rows[i].from ? size - rows[i].from : 0;
        memcpy(value.bytes + rows[i].from, bytes, (size_t)(n < room ? n : room));
        status = world->write_place(world->self, &value.place, value.type, value.bytes, err);
    }
    ebb_arena_fini(&arena);
    return status;
}

void rsp_do_write_register(rsp *r, const char *args, size_t n, ebb_buf *reply)
{
    const char *end = args + n;
    uint64_t i;
    ebb_buf bytes = {0};
    ebb_error err;
    bool fine = rsp_take_number(&args, &i) && *args == '=' && i < N_ROWS && rsp_take_hex(args + 1, (size_t)(end - args) - 1, &bytes) &&
                bytes.n == rows[i].nbits / 8;
    if (!fine)
        ebb_buf_adds(reply, "E01");
    else if (write_register(r, (size_t)i, (const uint8_t *)bytes.data, &err) != EBB_OK)
        rsp_fail(reply, &err);
    else
        ebb_buf_adds(reply, "OK");
    ebb_buf_fini(&bytes);
}

/* Those that changed: some can't be set at all. */
void rsp_do_write_all(rsp *r, const char *args, size_t n, ebb_buf *reply)
{
    ebb_buf bytes = {0};
    ebb_error err;
    size_t at = 0;
    ebb_status status = rsp_take_hex(args, n, &bytes) ? EBB_OK : ebb_fail(&err, EBB_BAD_INPUT, "no bytes");
    for (size_t i = 0; status == EBB_OK && i < N_ROWS && at + rows[i].nbits / 8 <= bytes.n; i++) {
        ebb_buf now = {0};
        if (rsp_register_read(r, rsp_thread(r), i, &now) && memcmp(now.data, bytes.data + at, now.n) != 0)
            status = write_register(r, i, (const uint8_t *)bytes.data + at, &err);
        ebb_buf_fini(&now);
        at += rows[i].nbits / 8;
    }
    if (status == EBB_OK)
        ebb_buf_adds(reply, "OK");
    else
        rsp_fail(reply, &err);
    ebb_buf_fini(&bytes);
}
