/* line.c - a line is a socket here, or a number at the far end: each operation goes to one or the other. */
#include "jvm/remote/line.h"

#include "jvm/remote/far.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

ebb_status jvm_line_send(jvm_remote *r, int line, uint16_t code, const ebb_buf *payload, ebb_error *err)
{
    if (r->far != NULL)
        return jvm_far_send(r->far, line, code, payload, err);
    return jvm_wire_send(line, code, 0, payload, -1, err);
}

ebb_status jvm_line_receive(jvm_remote *r, int line, jvm_wire_message *m, int *along, ebb_error *err)
{
    if (r->far != NULL)
        return jvm_far_receive(r->far, line, r->running, m, along, err);
    return jvm_wire_receive(line, m, along, err);
}

void jvm_line_close(jvm_remote *r, int line)
{
    if (line >= 0 && r->far != NULL)
        jvm_far_close(r->far, line);
    else if (line >= 0)
        close(line);
}

void jvm_line_interrupt(const jvm_remote *r)
{
    static const uint8_t header[8] = {0, 0, 0, 0, JVM_WIRE_CODE_interrupt, 0, 0, 0};
    _Static_assert(JVM_WIRE_CODE_interrupt < 256, "the code fits one byte");
    if (r->far != NULL)
        jvm_far_interrupt(r->far, r->running ? r->fd : -1);
    else if (r->fd >= 0 && r->running)
        send(r->fd, header, sizeof header, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* ---- processes ---- */

void jvm_process_end_copy(jvm_remote *r, pid_t pid, int line)
{
    if (r->far == NULL)
        kill(pid, SIGKILL);
    jvm_line_close(r, line);
}

void jvm_process_kill(jvm_remote *r)
{
    if (r->far != NULL)
        jvm_far_kill(r->far);
    else
        kill(r->pid, SIGKILL);
    if (r->script > 0)
        kill(r->script, SIGKILL);
}

int jvm_process_wait(jvm_remote *r)
{
    int status = 0;
    if (r->far != NULL)
        return jvm_far_wait(r->far);
    while (waitpid(r->script > 0 ? r->script : r->pid, &status, __WALL) < 0 && errno == EINTR)
        ;
    return status;
}

void jvm_process_wait_agent(jvm_remote *r)
{
    while (r->agent > 0 && waitpid(r->agent, NULL, 0) < 0 && errno == EINTR)
        ;
    r->agent = 0;
}

void jvm_process_adopt(jvm_remote *r, pid_t pid, int line)
{
    if (r->far != NULL)
        jvm_far_adopt(r->far, line);
    r->pid = pid;
    r->script = 0;
    r->live_fd = line;
}

uint64_t jvm_process_memory(jvm_remote *r, pid_t pid, int line)
{
    return r->far != NULL ? jvm_far_memory(r->far, line) : jvm_process_own_memory(pid);
}

bool jvm_process_is_lost(jvm_remote *r, ebb_error *err)
{
    return r->far != NULL && jvm_far_is_lost(r->far, err);
}

/* Memory of a process that is of no file: all of it, and its share of it. */
typedef struct anonymous_memory {
    unsigned long long all_kb, share_kb;
} anonymous_memory;

static anonymous_memory read_memory(pid_t pid)
{
    char path[64], text[128];
    anonymous_memory m = {0};
    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", (int)pid);
    FILE *f = fopen(path, "re");
    while (f != NULL && fgets(text, sizeof text, f) != NULL) {
        (void)!sscanf(text, "Anonymous: %llu kB", &m.all_kb);
        (void)!sscanf(text, "Pss_Anon: %llu kB", &m.share_kb);
    }
    if (f != NULL)
        fclose(f);
    return m;
}

uint64_t jvm_process_own_memory(pid_t pid) { return read_memory(pid).share_kb * 1024; }

uint64_t jvm_process_shared_memory(const jvm_remote *r)
{
    anonymous_memory m = r->far != NULL ? (anonymous_memory){0} : read_memory(r->pid);
    return m.all_kb > m.share_kb ? (m.all_kb - m.share_kb) * 1024 : 0;
}
