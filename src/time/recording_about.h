/* recording_about.h - what a recording is of: enough to run it again, and to refuse what can't be.
 *
 * The first section of a file.  `facts` are the machine's own, "name=value": the JDK's version, the checksum of a library. */
#ifndef EBB_TIME_RECORDING_ABOUT_H
#define EBB_TIME_RECORDING_ABOUT_H

#include "base/mem.h"
#include "time/recording.h"

typedef EBB_VEC(char *) ebb_texts;
void ebb_texts_push(ebb_texts *texts, const char *text); /* copies */
void ebb_texts_read(ebb_texts *texts, const char *path); /* those of a file in which each ends with a zero (/proc/PID/cmdline) */
void ebb_texts_fini(ebb_texts *texts);

typedef struct ebb_about {
    char *machine;            /* who has to replay it: "jvm" */
    uint64_t machine_version; /* of the meaning of its events */
    char *program;            /* path of the executable */
    char *directory;          /* in which it ran */
    int64_t began;            /* seconds since 1970 */
    ebb_texts args;           /* args[0] is the program as it was called */
    ebb_texts environment;    /* "NAME=value" */
    ebb_texts facts;
} ebb_about; /* zero-initialised is empty; texts are owned */

void ebb_about_fini(ebb_about *about);
const char *ebb_about_fact(const ebb_about *about, const char *name); /* borrowed; NULL: not there */

ebb_status ebb_about_write(const ebb_about *about, ebb_recorder *rec, ebb_error *err) EBB_MUST_CHECK;
/* EBB_BAD_FILE if there is none or it is broken.  *out is to be fini'd in either case. */
ebb_status ebb_about_read(ebb_recording *r, ebb_about *out, ebb_error *err) EBB_MUST_CHECK;

#endif
