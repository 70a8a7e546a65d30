/* memory.c - bytes of the program, and documents about it. */
#include "front/rsp/rsp.h"

#include "base/file.h"
#include "expr/expr.h"
#include "machine/native.h"
#include "session/data.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { PAGE_SIZE = 4096 };

/* Page by page, as far as it goes: a part is an answer, too. */
static size_t read_some(rsp *r, uint64_t addr, uint8_t *bytes, size_t wanted)
{
    const expr_world *world = ses_world(r->session);
    size_t n = 0;
    while (n < wanted) {
        size_t piece = PAGE_SIZE - (size_t)((addr + n) % PAGE_SIZE);
        if (piece > wanted - n)
            piece = wanted - n;
        if (world->read(world->self, addr + n, bytes + n, piece, NULL) != EBB_OK)
            break;
        n += piece;
    }
    return n;
}

void rsp_do_read_memory(rsp *r, const char *args, size_t n, ebb_buf *reply)
{
    (void)n;
    uint64_t addr, nbytes;
    static uint8_t bytes[RSP_MAX_PACKET / 2];
    if (!rsp_take_span(&args, &addr, &nbytes)) {
        ebb_buf_adds(reply, "E01");
        return;
    }
    size_t got = read_some(r, addr, bytes, nbytes < sizeof bytes ? (size_t)nbytes : sizeof bytes - 16);
    rsp_add_hex(reply, bytes, got);
    if (got == 0 && nbytes)
        ebb_buf_adds(reply, "E14"); /* EFAULT */
}

static void write_bytes(rsp *r, uint64_t addr, const void *bytes, size_t n, ebb_buf *reply)
{
    ebb_error err;
    const expr_world *world = ses_world(r->session);
    if (n == 0 || world->write(world->self, addr, bytes, n, &err) == EBB_OK)
        ebb_buf_adds(reply, "OK");
    else
        rsp_fail(reply, &err);
}

void rsp_do_write_memory(rsp *r, const char *args, size_t n, ebb_buf *reply)
{
    const char *end = args + n;
    uint64_t addr, nbytes;
    ebb_buf bytes = {0};
    if (rsp_take_span(&args, &addr, &nbytes) && *args == ':' && rsp_take_hex(args + 1, (size_t)(end - args) - 1, &bytes) && bytes.n == nbytes)
        write_bytes(r, addr, bytes.data, bytes.n, reply);
    else
        ebb_buf_adds(reply, "E01");
    ebb_buf_fini(&bytes);
}

void rsp_do_write_bytes(rsp *r, const char *args, size_t n, ebb_buf *reply)
{
    const char *end = args + n;
    uint64_t addr, nbytes;
    if (rsp_take_span(&args, &addr, &nbytes) && *args == ':' && (uint64_t)(end - args) - 1 == nbytes)
        write_bytes(r, addr, args + 1, (size_t)nbytes, reply);
    else
        ebb_buf_adds(reply, "E01");
}

/* ---- documents ----------------------------------------------------------------------------------- */

void rsp_do_auxv(rsp *r, const char *args, size_t n, ebb_buf *reply)
{
    (void)n;
    enum { MOST = 4096 };
    uint8_t bytes[MOST];
    ebb_buf document = {0};
    machine *m = ses_get_machine(r->session);
    if (m)
        ebb_buf_add(&document, bytes, m->native->auxv(m, bytes, sizeof bytes));
    rsp_add_part(args, &document, reply);
    ebb_buf_fini(&document);
}

void rsp_do_exec_file(rsp *r, const char *args, size_t n, ebb_buf *reply)
{
    (void)n;
    ebb_buf document = {0};
    machine *m = ses_get_machine(r->session);
    const char *program = m ? m->ops->program(m) : ses_get_program(r->session);
    args = strchr(args, ':'); /* after the process, of which there is one */
    ebb_buf_adds(&document, program ? program : "");
    rsp_add_part(args ? args + 1 : "", &document, reply);
    ebb_buf_fini(&document);
}

void rsp_add_escaped(ebb_buf *xml, const char *text)
{
    for (; *text; text++) {
        if (strchr("&<>\"'", *text))
            ebb_buf_addf(xml, "&#%d;", *text);
        else
            ebb_buf_addc(xml, *text);
    }
}

/* The loader's record of a module: where its dynamic section is. */
static uint64_t dynamic_of(rsp *r, uint64_t link_map)
{
    enum { AT_L_LD = 16 };
    uint64_t at = 0;
    const expr_world *world = ses_world(r->session);
    return world->read(world->self, link_map + AT_L_LD, &at, sizeof at, NULL) == EBB_OK ? at : 0;
}

/* Whether the loader has it on its list at this moment: modules are known for longer than that, since the program may go back. */
static bool is_loaded(rsp *r, const machine_module *module, uint64_t *dynamic)
{
    *dynamic = module->link_map ? dynamic_of(r, module->link_map) : 0;
    return *dynamic != 0;
}

uint64_t rsp_libraries_signature(rsp *r)
{
    machine *m = ses_get_machine(r->session);
    size_t n = 0;
    const machine_module *modules = m ? m->native->modules(m, &n) : NULL;
    uint64_t signature = 0, dynamic;
    for (size_t i = 0; i < n; i++)
        if (is_loaded(r, &modules[i], &dynamic))
            signature = signature * 31 + modules[i].link_map;
    return signature;
}

void rsp_do_libraries(rsp *r, const char *args, size_t n, ebb_buf *reply)
{
    (void)n;
    machine *m = ses_get_machine(r->session);
    size_t n_modules = 0;
    const machine_module *modules = m ? m->native->modules(m, &n_modules) : NULL;
    ebb_buf xml = {0};
    args = strrchr(args, ':');
    ebb_buf_adds(&xml, "<library-list-svr4 version=\"1.0\"");
    uint64_t dynamic;
    if (n_modules && is_loaded(r, &modules[0], &dynamic))
        ebb_buf_addf(&xml, " main-lm=\"0x%llx\"", (unsigned long long)modules[0].link_map);
    ebb_buf_adds(&xml, ">");
    for (size_t i = 1; i < n_modules; i++) {
        if (!is_loaded(r, &modules[i], &dynamic))
            continue;
        ebb_buf_adds(&xml, "<library name=\"");
        rsp_add_escaped(&xml, modules[i].path);
        ebb_buf_addf(&xml, "\" lm=\"0x%llx\" l_addr=\"0x%llx\" l_ld=\"0x%llx\" lmid=\"0x0\"/>", (unsigned long long)modules[i].link_map,
                     (unsigned long long)modules[i].bias, (unsigned long long)dynamic);
    }
    ebb_buf_adds(&xml, "</library-list-svr4>");
    rsp_add_part(args ? args + 1 : "", &xml, reply);
    ebb_buf_fini(&xml);
}

/* Of a stop that is no signal's, what ptrace would say: gdb has one for every stop. */
static void siginfo_of(rsp *r, siginfo_t *info)
{
    machine *m = ses_get_machine(r->session);
    const machine_stop *stop = &r->last.machine;
    *info = (siginfo_t){.si_signo = r->last.kind == SES_STOP_INTERRUPTED ? SIGINT : SIGTRAP, .si_code = SI_KERNEL};
    if (r->last.kind != SES_STOP_SIGNAL || (m && m->native->siginfo(m, r->last.thread, info) && info->si_signo == stop->signal))
        return;
    *info = (siginfo_t){.si_signo = stop->signal, .si_code = stop->signal_code};
    info->si_addr = (void *)(uintptr_t)stop->signal_addr;
}

void rsp_do_siginfo(rsp *r, const char *args, size_t n, ebb_buf *reply)
{
    (void)n;
    siginfo_t info;
    ebb_buf document = {0};
    siginfo_of(r, &info);
    ebb_buf_add(&document, &info, sizeof info);
    rsp_add_part(args, &document, reply);
    ebb_buf_fini(&document);
}
