/* recording_fuzz COUNT [FIRST_SEED] - makes a recording, breaks it in COUNT ways and reads all of each.  Checksums would hide
 * nearly all of the reader, so most of the time they are made right again after breaking.  It prints the seed of a crash or
 * hang; to look at one again: recording_fuzz 1 SEED.  Build with the sanitizers: meson setup -Db_sanitize=address,undefined. */
#include "base/check.h"
#include "base/mem.h"
#include "time/bookmarks.h"
#include "time/edits.h"
#include "time/journal_private.h"
#include "time/recording_about.h"
#include "time/recording_format.h"
#include "time/replay.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_SECONDS = 20 };

static unsigned long seed; /* what is being tried, for the signal handler */
static uint64_t random_state;

static void say_seed(void)
{
    char text[80];
    int n = snprintf(text, sizeof text, "recording_fuzz: seed %lu\n", seed);
    if (write(2, text, (size_t)n) < 0)
        _exit(3);
}

static void dies(int number)
{
    say_seed();
    signal(number, SIG_DFL);
    raise(number);
}

/* The address sanitizer calls this before it ends the program. */
void __asan_on_error(void);
void __asan_on_error(void)
{
    say_seed();
}

static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static size_t below(size_t n)
{
    return n ? (size_t)(next_random() % n) : 0;
}

/* ---- the recording that is broken ----------------------------------------------------------------- */

static void must(ebb_status status)
{
    ebb_check(status == EBB_OK);
}

static void put_events(ebb_recorder *rec, unsigned n, uint64_t from)
{
    for (unsigned i = 0; i < n; i++) {
        ebb_recorder_begin(rec, i % (EBB_N_EVENTS + 1), from + i / 3);
        ebb_recorder_u64(rec, i % 10);
        ebb_recorder_bytes(rec, "/x", 3); /* a path, for who takes it as an entry of the journal */
        ebb_recorder_i64(rec, -(int64_t)i);
        uint64_t noise[3] = {next_random(), next_random(), next_random()}; /* stays unpacked: broken bytes reach the events */
        ebb_recorder_bytes(rec, noise, from ? 0 : sizeof noise);
        must(ebb_recorder_end(rec, NULL));
        if (i % 11 == 10)
            must(ebb_recorder_flush(rec, NULL));
    }
}

static uint8_t *make_recording(size_t *nbytes)
{
    ebb_recorder *rec;
    must(ebb_recorder_create_fd(memfd_create("sound", MFD_CLOEXEC), &rec, NULL));
    ebb_about about = {0};
    ebb_texts_push(&about.args, "program");
    ebb_texts_push(&about.environment, "A=b");
    must(ebb_about_write(&about, rec, NULL));
    put_events(rec, 60, 0);
    must(ebb_recorder_section(rec, EBB_SECTION_EDIT, "\3\5\7", 3, NULL));
    must(ebb_recorder_cut(rec, 40, 14, NULL));
    put_events(rec, 60, 14);
    must(ebb_recorder_section(rec, EBB_SECTION_BOOKMARK, "\1\1a\0\5\5", 6, NULL));
    must(ebb_recorder_flush(rec, NULL));
    *nbytes = (size_t)ebb_recorder_get_nbytes(rec);
    uint8_t *bytes = ebb_alloc(*nbytes);
    ebb_check(rec_read_at(ebb_recorder_get_fd(rec), bytes, *nbytes, 0) == (int64_t)*nbytes);
    ebb_recorder_free(rec);
    ebb_about_fini(&about);
    return bytes;
}

/* ---- breaking it ---------------------------------------------------------------------------------- */

static void break_byte(uint8_t *bytes, size_t nbytes)
{
    static const uint8_t telling[] = {0, 1, 2, 3, 0x7f, 0x80, 0xff};
    uint8_t *at = bytes + below(nbytes);
    *at = below(2) ? telling[below(sizeof telling)] : (uint8_t)next_random();
}

/* Most heads are right again, as far as the lengths in the sound file tell where they are. */
static void repair(uint8_t *bytes, const uint8_t *sound, size_t nbytes)
{
    rec_prologue prologue;
    memcpy(&prologue, bytes, sizeof prologue);
    prologue.checksum = rec_prologue_checksum(&prologue);
    memcpy(bytes, &prologue, sizeof prologue);
    rec_head head;
    for (size_t at = sizeof prologue; at + sizeof head <= nbytes;) {
        memcpy(&head, sound + at, sizeof head);
        size_t n = head.stored_nbytes;
        memcpy(&head, bytes + at, sizeof head);
        if (at + sizeof head + n <= nbytes && head.stored_nbytes <= nbytes - at - sizeof head)
            head.checksum = rec_checksum(bytes + at + sizeof head, head.stored_nbytes);
        head.head_checksum = rec_head_checksum(&head);
        memcpy(bytes + at, &head, sizeof head);
        at += sizeof head + n;
    }
}

static size_t break_it(const uint8_t *sound, size_t nbytes, uint8_t *out)
{
    memcpy(out, sound, nbytes);
    for (size_t i = below(6); i < 6; i++)
        break_byte(out, nbytes);
    if (below(4))
        repair(out, sound, nbytes);
    return below(8) ? nbytes : below(nbytes);
}

/* ---- reading all of it ---------------------------------------------------------------------------- */

static void read_events(ebb_recording *r)
{
    ebb_event e;
    ebb_error err;
    while (ebb_recording_next(r, &e, &err) == EBB_OK) {
        ebb_values_u64(&e.values);
        ebb_values_i64(&e.values);
        free(ebb_values_text(&e.values));
        ebb_values_done(&e.values);
    }
    ebb_check(err.text[0] && !strchr(err.text, '\n'));
}

static void read_sections(ebb_recording *r)
{
    ebb_about about;
    if (ebb_about_read(r, &about, NULL) == EBB_OK)
        ebb_about_fact(&about, "jdk");
    ebb_about_fini(&about);
    ebb_bookmarks *marks = ebb_bookmarks_new();
    if (ebb_bookmarks_load(marks, r, NULL) == EBB_OK)
        ebb_bookmarks_find(marks, "a");
    ebb_bookmarks_free(marks);
    ebb_buf bytes = {0};
    for (size_t i = 0; i < ebb_recording_count_sections(r); i++)
        if (ebb_recording_read_section(r, i, &bytes, NULL) == EBB_OK)
            (void)ebb_recording_section_kind(r, i);
    ebb_buf_fini(&bytes);
}

/* What would be put back, but for doing so. */
static void read_journal(ebb_recording *r)
{
    ebb_journal *j = ebb_journal_new(NULL, (ebb_journal_program){0});
    for (uint64_t from = 0; from < 80; from += 20) {
        journal_entries entries = {0};
        if (journal_read(j, r, 0, from, &entries, NULL) == EBB_OK)
            for (size_t i = 0; i < entries.all.n; i++)
                ebb_check(entries.all.items[i].path != NULL);
        journal_entries_fini(&entries);
    }
    ebb_journal_free(j);
}

static void read_edits(ebb_recording *r)
{
    ebb_edits *edits = ebb_edits_new();
    if (ebb_edits_read(edits, r, NULL) == EBB_OK)
        for (uint64_t number = 0; number < 10; number++)
            (void)ebb_edits_next(edits, number);
    ebb_edits_free(edits);
}

static const char *some_kinds_text(unsigned kind) { return kind % 2 ? "an odd one" : NULL; }
static const ebb_kinds some_kinds = {.text = some_kinds_text};

/* Takes whatever is next. */
static void replay_all(int fd)
{
    ebb_replay *r;
    ebb_error err;
    uint64_t now = 0;
    if (ebb_replay_open_fd(fd, &some_kinds, &r, NULL) != EBB_OK)
        return;
    while (ebb_replay_peek(r, now, &err) == EBB_OK) {
        ebb_event *e = ebb_replay_get_event(r);
        now = e->timestamp;
        must(ebb_replay_expect(r, e->kind, now, NULL));
        ebb_values_u64(&e->values);
        if (ebb_replay_check_values(r, &err) != EBB_OK)
            ebb_check(err.status == EBB_BAD_FILE);
    }
    ebb_check(err.text[0] && !strchr(err.text, '\n'));
    ebb_replay_free(r);
}

static void interrogate(const uint8_t *bytes, size_t nbytes)
{
    int fd = memfd_create("broken", MFD_CLOEXEC);
    ebb_check(write(fd, bytes, nbytes) == (ssize_t)nbytes);
    ebb_recording *r;
    ebb_error err;
    if (ebb_recording_open_fd(fd, &r, &err) == EBB_OK) {
        read_events(r);
        read_sections(r);
        read_journal(r);
        read_edits(r);
        for (uint64_t number = 0; number < 120; number += 9)
            if (ebb_recording_seek(r, number, NULL) == EBB_OK)
                read_events(r);
        ebb_recording_free(r);
    } else {
        ebb_check(err.status == EBB_BAD_FILE && err.text[0] && !strchr(err.text, '\n'));
    }
    replay_all(fd);
    close(fd);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: recording_fuzz COUNT [FIRST_SEED]\n");
        return 64;
    }
    signal(SIGALRM, dies);
    signal(SIGABRT, dies);
    signal(SIGSEGV, dies);
    unsigned long count = strtoul(argv[1], NULL, 0), first = argc > 2 ? strtoul(argv[2], NULL, 0) : 1;
    size_t nbytes;
    random_state = 1;
    uint8_t *sound = make_recording(&nbytes), *broken = ebb_alloc(nbytes);
    for (seed = first; seed < first + count; seed++) {
        random_state = seed * 0x9e3779b97f4a7c15u + 1;
        size_t n = break_it(sound, nbytes, broken);
        alarm(MAX_SECONDS);
        interrogate(broken, n);
        alarm(0);
    }
    free(sound);
    free(broken);
    printf("%lu broken recordings, no crash, no hang\n", count);
    return 0;
}
