/* open_recording.c - what is recorded, and opening a recording; see time.h. */
#include "session/language.h"
#include "session/launch.h"
#include "session/settings.h"
#include "session/travel.h"
#include "session/time.h"
#include "time/recording_about.h"

#include <string.h>

void ses_set_recording(session *s, bool records, const char *path)
{
    s->never_records = !records;
    free(s->recording);
    s->recording = path ? ebb_strdup(path) : NULL;
}

void ses_set_recording_folder(session *s, const char *folder)
{
    free(s->recording_folder);
    s->recording_folder = folder ? ebb_strdup(folder) : NULL;
}

ebb_status ses_set_recording_bound(session *s, uint64_t nbytes, ebb_error *err)
{
    if (nbytes && !s->language->bounds_recordings)
        return ebb_fail(err, EBB_UNSUPPORTED, "--max-size is for native programs: of a Java program everything is kept");
    s->recording_bound = nbytes;
    return EBB_OK;
}

void ses_set_verify(session *s, bool verifies)
{
    s->verifies = verifies;
}

ebb_status ses_verify(session *s, uint64_t *n_states, ebb_error *err)
{
    machine_stop stop;
    ebb_timeline_history history;
    EBB_TRY(ses_need_debuggee(s, err));
    EBB_TRY(ebb_timeline_replay_all(s->timeline, &stop, err));
    EBB_TRY(ebb_timeline_get_history(s->timeline, &history, err));
    *n_states = history.machine.n_verified;
    EBB_TRY(ebb_timeline_seek_start(s->timeline, &stop, err));
    ses_stop ignored;
    ses_settle_at(s, &stop, SES_STOP_POSITION, &ignored);
    return EBB_OK;
}

bool ses_will_keep_history(const session *s)
{
    return !s->never_records && (s->language->counts_time || (s->mode == SES_MODE_VM && ses_setting_flag(s, "record-native")));
}

ebb_status ses_can_verify(session *s, ebb_error *err)
{
    bool will_be_recorded = s->recording || ses_will_keep_history(s);
    return will_be_recorded ? EBB_OK : ebb_fail(err, EBB_UNSUPPORTED, "nothing of the program is recorded, so its states can't be compared");
}

/* The language whose machine has to replay it; NULL: none that this build knows. */
static const ses_language *language_of(const ebb_about *about)
{
    for (size_t i = 0; i < SES_N_LANGUAGES; i++)
        if (strcmp(about->machine, ses_languages[i]->recorded_by) == 0)
            return ses_languages[i];
    return NULL;
}

static ebb_status adopt(session *s, const char *path, const ebb_about *about, ebb_error *err)
{
    const ses_language *language = language_of(about);
    char *program;
    if (!language)
        return ebb_fail(err, EBB_UNSUPPORTED, "%s was recorded by the machine \"%.40s\", which this build can't replay", path,
                        about->machine);
    EBB_TRY(language->open_recording(s, about, &program, err));
    ses_launch_speak(s, language);
    free(s->program);
    s->program = program;
    ses_strings_clear(&s->args);
    for (size_t i = 0; i < about->args.n; i++)
        ebb_vec_push(&s->args, ebb_strdup(about->args.items[i]));
    if (s->args.n == 0)
        ebb_vec_push(&s->args, ebb_strdup(program));
    free(s->replay);
    s->replay = ebb_strdup(path);
    return EBB_OK;
}

static void warn_of_damage(session *s, ebb_recording *r)
{
    ebb_recording_extent extent;
    ebb_recording_get_extent(r, &extent);
    if (extent.damage)
        ses_say(s, SES_NOTICE_WARNING, 0, "The recording ends early: %s.", extent.damage);
}

ebb_status ses_replay(session *s, const char *path, ses_stop *stop, ebb_error *err)
{
    ebb_recording *r;
    ebb_about about;
    EBB_TRY(ebb_recording_open(path, &r, err));
    ebb_status status = ebb_about_read(r, &about, err);
    if (status == EBB_OK)
        status = adopt(s, path, &about, err);
    if (status == EBB_OK)
        warn_of_damage(s, r);
    ebb_about_fini(&about);
    ebb_recording_free(r);
    EBB_TRY(status);
    EBB_TRY(ses_launch(s, err));
    ses_standing_stop(s, SES_STOP_STARTED, stop);
    return EBB_OK;
}
