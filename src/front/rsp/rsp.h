/* rsp.h - gdb's remote protocol as a skin over a session: a stock gdb debugs the program, forward and back.
 *
 * gdb unwinds, reads symbols and steps by itself; what it asks for are registers, memory, single steps, runs, and points in
 * memory.  Going back is `bs` and `bc`; where history ends, the stop says `replaylog`.  Native programs only: those of Java have neither
 * registers nor addresses.
 *
 * GS1  a packet that isn't understood is answered by an empty one, as the protocol asks for;
 * GS2  nothing is kept here but which events and points gdb wants to be told of, which files it reads, and which threads it means; all of that goes with that gdb. */
#ifndef EBB_FRONT_RSP_RSP_H
#define EBB_FRONT_RSP_RSP_H

#include "front/cli/cli.h"
#include "front/rsp/packet.h"
#include "front/serve/watch.h"
#include "session/session.h"

typedef struct rsp_point {
    char kind;       /* '0' to '4' */
    uint64_t addr, nbytes;
    int number;      /* the session's */
    EBB_VEC(ebb_buf) conditions; /* one of them must hold, if there are any: agent.h */
} rsp_point;

typedef struct rsp {
    cli cli; /* for `monitor`, and with it the session */
    session *session;
    cli_sink sink;
    ebb_buf *said; /* where what a command says goes; NULL: nowhere */
    int in, out;
    front_watch *watch;
    rsp_packets packets;
    bool acks;
    bool is_gone; /* this gdb; another may come */
    bool ends;    /* the program is over, let go of, or killed */
    bool is_recording;
    machine_tid general; /* the thread that registers are asked of; 0: the one that stopped */
    EBB_VEC(rsp_point) points;
    int syscalls;        /* the session's catchpoint for those that gdb wants to hear of; 0: none */
    int births[3];       /* the same for forks, vforks and execs */
    bool names_processes; /* threads are "pPROCESS.THREAD" in both directions: gdb asked for it */
    pid_t process;       /* the program's, also when it has ended */
    pid_t child;         /* that gdb was told of last: it lets go of it; 0: none */
    bool means_child;    /* what gdb sets and clears now is meant for that one, which has gone its way */
    bool owes_vfork_done; /* gdb waits for being told so */
    EBB_VEC(int) files;  /* that gdb has open: descriptors by its numbers; -1: a number in no use */
    ses_stop last;       /* borrowed from the session: SE3 */
    ebb_buf last_reply;  /* what `?` answers */
    uint64_t libraries;  /* those that gdb knows of: rsp_libraries_signature */
    bool owes_stop;      /* gdb was told of libraries in place of the stop, and will ask to go on */
} rsp;

/* One packet: what follows its beginning, and what is answered. */
typedef void rsp_handler(rsp *r, const char *args, size_t n, ebb_buf *reply);
#define RSP_ROW(beginning, function) rsp_handler rsp_do_##function;
#include "front/rsp/packets.def"
#undef RSP_ROW

/* Until gdb is gone or lets go; the session stands at a stop already. */
void rsp_converse(rsp *r);
/* A gdb is gone: the next one knows nothing of what it set.  GS2 */
void rsp_forget_client(rsp *r);
void rsp_carry_out(rsp *r, const char *packet, size_t n, ebb_buf *reply);

/* ---- shared by the handlers ---------------------------------------------------------------------- */

/* Takes a hexadecimal number off *at; false: there is none. */
bool rsp_take_number(const char **at, uint64_t *number);
/* Takes a thread's name, "THREAD" or "pPROCESS.THREAD"; -1 stands for all, and is 0 here, as a process that isn't named is. */
typedef struct rsp_name {
    uint64_t process, thread;
} rsp_name;
bool rsp_take_name(const char **at, rsp_name *name);
void rsp_add_name(const rsp *r, pid_t process, machine_tid thread, ebb_buf *reply);
void rsp_add_thread(const rsp *r, machine_tid thread, ebb_buf *reply); /* the program's */
/* Takes "ADDR,LENGTH". */
bool rsp_take_span(const char **at, uint64_t *addr, uint64_t *nbytes);
void rsp_fail(ebb_buf *reply, const ebb_error *err); /* "E.why" */
machine_tid rsp_thread(const rsp *r); /* that is asked about */
/* A part of a document: "OFFSET,LENGTH". */
void rsp_add_part(const char *args, const ebb_buf *document, ebb_buf *reply);
void rsp_add_escaped(ebb_buf *xml, const char *text);

void rsp_points_clear(rsp *r); /* those of gdb, in the session, too, and events that it is told of */
void rsp_points_forget(rsp *r); /* the points alone */
void rsp_files_fini(rsp *r);
/* Whether gdb wants to hear of the stop: a breakpoint whose conditions all fail is passed by. */
bool rsp_stop_counts(rsp *r, const ses_stop *stop);

uint64_t rsp_libraries_signature(rsp *r); /* another one when other libraries are there */

size_t rsp_n_registers(rsp *r);
bool rsp_register_read(rsp *r, machine_tid thread, size_t i, ebb_buf *out); /* its bytes; false: it has none now */
void rsp_stop_reply(rsp *r, const ses_stop *stop, ebb_buf *reply);
int rsp_signal_out(int signal); /* gdb's number for ours */
int rsp_signal_in(int signal);

#endif
