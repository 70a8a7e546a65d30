/* bookmarks.h - positions with a name and a note.
 *
 * BM1  names are unique: setting one again moves it;
 * BM2  they are listed in the order of time. */
#ifndef EBB_TIME_BOOKMARKS_H
#define EBB_TIME_BOOKMARKS_H

#include "time/position.h"
#include "time/recording.h"

typedef struct ebb_bookmark {
    char *name;
    char *note; /* "" if there is none */
    ebb_position at;
} ebb_bookmark;

typedef struct ebb_bookmarks ebb_bookmarks;
ebb_bookmarks *ebb_bookmarks_new(void);
void ebb_bookmarks_free(ebb_bookmarks *marks); /* NULL is fine */

size_t ebb_bookmarks_count(const ebb_bookmarks *marks);
const ebb_bookmark *ebb_bookmarks_get(const ebb_bookmarks *marks, size_t i); /* borrowed until one is set or deleted */
const ebb_bookmark *ebb_bookmarks_find(const ebb_bookmarks *marks, const char *name); /* NULL: none */

/* NULL as a name: the first of "b1", "b2", ... that is free.  A name begins with a letter, a digit or '_', isn't a word that `goto`
 * knows, a number alone or a position (with '@').  Returns what was set, borrowed. */
ebb_status ebb_bookmarks_set(ebb_bookmarks *marks, const char *name, const char *note, ebb_position at, const ebb_bookmark **out,
                             ebb_error *err) EBB_MUST_CHECK;
ebb_status ebb_bookmarks_delete(ebb_bookmarks *marks, const char *name, ebb_error *err) EBB_MUST_CHECK;
/* Those after a position are gone with the future that they were in (`branch`). */
void ebb_bookmarks_cut(ebb_bookmarks *marks, ebb_position at);

/* Makes those of the recording be these. */
ebb_status ebb_bookmarks_save(const ebb_bookmarks *marks, ebb_recorder *rec, ebb_error *err) EBB_MUST_CHECK;
ebb_status ebb_bookmarks_load(ebb_bookmarks *marks, ebb_recording *r, ebb_error *err) EBB_MUST_CHECK;

#endif
