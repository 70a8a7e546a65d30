/* search.h - many hits of points in one request: a machine that records looks for them by itself.
 *
 * `resume` stops at every hit and waits for its caller.  A question about the past ("the last hit before that moment") has
 * millions of hits and wants one of them, so `search` runs to a moment and *notes* the hits on the way.  Which points it
 * may judge alone the caller lists: every hit of such a point is one, as far as the point's own thread, frame and condition go.
 *
 * Groups.  A step back looks for the last moment at which a line began in a frame that was on another line before.  The
 * points at the beginnings of a line share a *group*, and a hit counts only if the grouped hit before it had another one.
 * So the iterations of a loop that is written on one line cost a machine next to nothing: it may take the points of a group out until
 * another group is hit.
 *
 * SR1  a search executes what `resume` to the same moment would, and ends for the same reasons;
 * SR2  hits are those of the instructions that it executes: an EXEC point is hit by the instruction that it stands at, so one at the
 *      first moment is noted and one at the last isn't; what the last instruction touched is noted.  So searches over
 *      neighbouring spans see every hit once;
 * SR3  the first grouped hit of a search has none before it: it is told by itself (`first`) and does not count.  A hit of
 *      MACHINE_GROUP_FRESH counts always;
 * SR4  a point that is not listed ends the search where it is reached (POINT), as `resume` would; the stop lists those points only;
 * SR5  what is noted aside never counts, and what is noted as nothing is passed over; neither says anything of the groups. */
#ifndef EBB_MACHINE_SEARCH_H
#define EBB_MACHINE_SEARCH_H

#include "machine/stop.h"

enum { MACHINE_UNGROUPED = 0 };
#define MACHINE_GROUP_FRESH UINT32_MAX

typedef enum machine_note {
    MACHINE_NOTE_HIT,     /* counts, if its group says so */
    MACHINE_NOTE_ASIDE,   /* the last such hit is told by itself: somebody wants to know of it, but looks for something else */
    MACHINE_NOTE_NOTHING, /* of no interest to this search */
} machine_note;

typedef struct machine_noted {
    machine_point_id id;
    uint32_t group; /* MACHINE_UNGROUPED: every hit counts, and says nothing of the groups */
    machine_note as;
} machine_noted;

typedef struct machine_search {
    uint64_t until_time; /* as in machine_request */
    machine_place until_place;
    bool forgets;
    const machine_noted *noted; /* points that are set; others that are set stop it (SR4), */
    size_t n_noted;
    bool only_noted; /* or are passed over */
    size_t n_listed; /* so many of the hits that count are listed at most; when they are, the search ends (POSITION) */
    unsigned depth;  /* a listed value that is a reference is told with what it leads to, so many steps far; 0: alone */
    size_t patience; /* after about so many hits, whatever they are noted as, the search ends (POSITION); 0: never */
} machine_search;

/* One hit that counts, in short. */
typedef struct machine_listed {
    uint64_t time;
    machine_place place;      /* where the thread stands */
    machine_tid thread;
    machine_place touched_by; /* as in machine_stop, like the others */
    uint64_t object;
    uint64_t was;
    bool is_new;
    bool has_is;              /* what the data of the point is now fits in here: */
    uint64_t is;
    const void *picture;      /* what `is` led to then (machine_search.depth), which only the machine can read; NULL: nothing */
} machine_listed;

typedef struct machine_found {
    machine_stop end;      /* why it ended, and where: POSITION, or what `resume` would say */
    uint64_t n_hits;       /* that count */
    bool has_lost_patience;
    uint64_t last_time;    /* n_hits > 0: the last of them, */
    machine_stop last;     /* with all points that were reached there, but for grouped ones that don't count */
    bool has_aside;        /* SR5 */
    uint64_t aside_time;
    machine_stop aside;    /* with the points that are noted aside, and none else */
    bool has_first;        /* SR3 */
    uint64_t first_time;
    machine_stop first;    /* with all points */
    uint32_t first_group;
    uint32_t last_group;   /* of the last grouped hit; MACHINE_UNGROUPED: there was none */
    const machine_listed *listed; /* borrowed until the next search */
    size_t n_listed;
} machine_found;

#endif
