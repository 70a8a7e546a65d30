/* files.h - class files, jars and directories, woven into another directory.
 *
 * A class file goes to the path that its name asks for; a directory is copied with everything in it; a jar keeps its
 * name.  The result also has the runtime (runtime.h), so the directory, or the jar, is all that a class path needs.
 *
 * WO1  what can't be woven (a broken class, a newer version) is copied as it is and told;
 * WO2  signatures of a jar would not be true of the woven one: they are left out, and it is told. */
#ifndef EBB_WEAVE_FILES_H
#define EBB_WEAVE_FILES_H

#include "base/error.h"
#include "weave/runtime.h"

/* What is done with each class. */
typedef struct weave_transformer {
    /* Adds the class to `out`, changed or as it is. */
    ebb_status (*weave)(void *work, const char *name, weave_span bytes, ebb_buf *out, ebb_error *err);
    void *work;
    const weave_runtime_class *runtime; /* what woven code needs: written along with it */
} weave_transformer;

typedef struct weave_job {
    const char *out;      /* the directory to write to; NULL: classes are only shown to the transformer */
    weave_transformer transformer;
    void (*tell)(void *context, const char *text); /* one line about something that the user should know */
    void *context;
    uint32_t nfiles;
} weave_job;

ebb_status weave_path(weave_job *job, const char *path, ebb_error *err) EBB_MUST_CHECK;
/* Writes the runtime to the directory: after the last path. */
ebb_status weave_finish(weave_job *job, ebb_error *err) EBB_MUST_CHECK;

#endif
