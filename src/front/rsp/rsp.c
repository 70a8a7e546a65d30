/* rsp.c - packets in, replies out. */
#include "front/rsp/rsp.h"

#include "front/cli/signals.h"
#include "session/data.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *beginning;
    rsp_handler *handler;
} rows[] = {
#define RSP_ROW(beginning, function) {beginning, rsp_do_##function},
#include "front/rsp/packets.def"
#undef RSP_ROW
};

/* ---- parts of packets ---------------------------------------------------------------------------- */

bool rsp_take_number(const char **at, uint64_t *number)
{
    char *end;
    *number = strtoull(*at, &end, 16);
    bool found = end > *at && **at != '-' && **at != '+' && **at != ' ';
    *at = end;
    return found;
}

bool rsp_take_span(const char **at, uint64_t *addr, uint64_t *nbytes)
{
    if (!rsp_take_number(at, addr) || **at != ',')
        return false;
    ++*at;
    return rsp_take_number(at, nbytes);
}

void rsp_fail(ebb_buf *reply, const ebb_error *err)
{
    ebb_buf_truncate(reply, 0);
    ebb_buf_addf(reply, "E.%s", err->text);
}

void rsp_add_part(const char *args, const ebb_buf *document, ebb_buf *reply)
{
    uint64_t offset, nbytes;
    if (!rsp_take_span(&args, &offset, &nbytes)) {
        ebb_buf_adds(reply, "E01");
        return;
    }
    uint64_t rest = offset < document->n ? document->n - offset : 0;
    if (nbytes > RSP_MAX_PACKET / 2)
        nbytes = RSP_MAX_PACKET / 2;
    ebb_buf_addc(reply, rest > nbytes ? 'm' : 'l');
    ebb_buf_add(reply, ebb_buf_text(document) + (rest ? offset : 0), (size_t)(rest < nbytes ? rest : nbytes));
}

machine_tid rsp_thread(const rsp *r)
{
    return r->general ? r->general : r->last.thread;
}

static uint64_t take_id(const char **at)
{
    uint64_t id;
    if (**at == '-') {
        *at += 1;
        (void)rsp_take_number(at, &id);
        return 0;
    }
    return rsp_take_number(at, &id) ? id : 0;
}

bool rsp_take_name(const char **at, rsp_name *name)
{
    const char *begin = *at;
    *name = (rsp_name){0};
    if (**at == 'p') {
        *at += 1;
        name->process = take_id(at);
        if (**at != '.')
            return true;
        *at += 1;
    }
    name->thread = take_id(at);
    return *at != begin;
}

void rsp_add_name(const rsp *r, pid_t process, machine_tid thread, ebb_buf *reply)
{
    if (r->names_processes)
        ebb_buf_addf(reply, "p%x.", (unsigned)process);
    ebb_buf_addf(reply, "%llx", (unsigned long long)thread);
}

void rsp_add_thread(const rsp *r, machine_tid thread, ebb_buf *reply)
{
    rsp_add_name(r, ses_get_pid(r->session), thread, reply);
}

/* ---- one packet ---------------------------------------------------------------------------------- */

void rsp_carry_out(rsp *r, const char *packet, size_t n, ebb_buf *reply)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t length = strlen(rows[i].beginning);
        if (n < length || memcmp(packet, rows[i].beginning, length) != 0)
            continue;
        rows[i].handler(r, packet + length, n - length, reply);
        return;
    }
}

void rsp_do_fine(rsp *r, const char *args, size_t n, ebb_buf *reply)
{
    (void)r, (void)args, (void)n;
    ebb_buf_adds(reply, "OK");
}

void rsp_do_no_ack(rsp *r, const char *args, size_t n, ebb_buf *reply)
{
    (void)args, (void)n;
    r->acks = false;
    ebb_buf_adds(reply, "OK");
}

/* ---- the conversation ---------------------------------------------------------------------------- */

static void write_all(rsp *r, const char *bytes, size_t n)
{
    while (n && !r->is_gone) {
        ssize_t written = write(r->out, bytes, n);
        if (written < 0 && errno != EINTR)
            r->is_gone = true;
        bytes += written > 0 ? written : 0;
        n -= written > 0 ? (size_t)written : 0;
    }
}

static void say(rsp *r, const ebb_buf *reply)
{
    ebb_buf packet = {0};
    rsp_packet_make(&packet, ebb_buf_text(reply), reply->n);
    write_all(r, packet.data, packet.n);
    ebb_buf_fini(&packet);
}

static void answer(rsp *r)
{
    ebb_buf reply = {0};
    if (r->acks)
        write_all(r, "+", 1);
    cli_signal_take_int();
    rsp_carry_out(r, ebb_buf_text(&r->packets.contents), r->packets.contents.n, &reply);
    if (!r->ends || reply.n)
        say(r, &reply);
    ebb_buf_fini(&reply);
}

/* False: gdb is gone. */
static bool hear(rsp *r)
{
    char bytes[4096];
    ssize_t n = read(r->in, bytes, sizeof bytes);
    if (n > 0)
        rsp_packets_add(&r->packets, bytes, (size_t)n);
    return n > 0 || (n < 0 && errno == EINTR && !cli_signal_ending());
}

void rsp_forget_client(rsp *r)
{
    rsp_points_clear(r);
    rsp_files_fini(r);
    rsp_packets_fini(&r->packets);
    r->packets = (rsp_packets){0};
    r->acks = true;
    r->is_gone = r->owes_stop = r->names_processes = r->means_child = r->owes_vfork_done = false;
    r->child = 0;
    r->general = 0;
}

void rsp_converse(rsp *r)
{
    while (!r->ends && !r->is_gone && !cli_signal_ending()) {
        switch (rsp_packets_next(&r->packets)) {
        case RSP_PACKET: answer(r); break;
        case RSP_DAMAGED: write_all(r, "-", 1); break;
        case RSP_INTERRUPT: break; /* it stands still already, or that is why */
        case RSP_REFUSED:
            fprintf(stderr, "ebb: gdb sent a packet of more than %d bytes.\n", RSP_MAX_PACKET);
            r->is_gone = true;
            break;
        case RSP_NOTHING: r->is_gone = !hear(r); break;
        }
    }
}
