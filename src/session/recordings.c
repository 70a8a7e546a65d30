/* recordings.c - see recordings.h. */
#include "session/recordings.h"

#include "base/buf.h"
#include "time/recording_about.h"

#include <string.h>
#include <sys/stat.h>

/* The launcher of Java tells its machine what it runs, without options. */
static const char *java_command(const ebb_about *about)
{
    static const char prefix[] = "option=-Dsun.java.command=";
    for (size_t i = 0; i < about->facts.n; i++)
        if (strncmp(about->facts.items[i], prefix, sizeof prefix - 1) == 0)
            return about->facts.items[i] + sizeof prefix - 1;
    return NULL;
}

static char *command_of(const ebb_about *about)
{
    const char *java = java_command(about);
    if (java)
        return ebb_strdup(java);
    ebb_buf text = {0};
    for (size_t i = 0; i < about->args.n; i++)
        ebb_buf_addf(&text, "%s%s", i ? " " : "", about->args.items[i]);
    char *command = ebb_strdup(ebb_buf_text(&text));
    ebb_buf_fini(&text);
    return command;
}

ebb_status ses_recording_describe(const char *path, ses_recording *out, ebb_error *err)
{
    ebb_recording *r;
    ebb_about about;
    ebb_recording_extent extent;
    struct stat st;
    EBB_TRY(ebb_recording_open(path, &r, err));
    ebb_recording_get_extent(r, &extent);
    ebb_status status = ebb_about_read(r, &about, err);
    if (status == EBB_OK)
        *out = (ses_recording){.command = command_of(&about), .began = about.began, .nbytes = stat(path, &st) == 0 ? (uint64_t)st.st_size : 0,
                               .end = extent.last_timestamp, .is_damaged = extent.damage != NULL};
    ebb_about_fini(&about);
    ebb_recording_free(r);
    return status;
}

void ses_recording_fini(ses_recording *r)
{
    free(r->command);
}
