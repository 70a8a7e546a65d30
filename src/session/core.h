/* core.h - core files of native programs: looking into one, and writing one of what stands still. */
#ifndef EBB_SESSION_CORE_H
#define EBB_SESSION_CORE_H

#include "session/session.h"

typedef struct ses_core {
    const char *command; /* as it was called; borrowed until the session moves on */
    int signal;          /* that ended it; 0: none */
    bool other_program;  /* it is not of the program that was named */
} ses_core;

/* The core becomes the debuggee; *stop is where it died.  The program is the session's, if it has one, else the one that the core names. */
ebb_status ses_core_open(session *s, const char *path, ses_core *core, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK;
bool ses_is_core(const session *s);
/* EBB_GONE unless there is a process that can move. */
ebb_status ses_need_process(session *s, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_core_write(session *s, const char *path, ebb_error *err) EBB_MUST_CHECK;

#endif
