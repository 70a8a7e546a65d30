/* dap.h - the Debug Adapter Protocol as a skin over a session: what editors speak.
 *
 * A request comes from the client (ear.h), is matched against the table (requests.def), its handler calls verbs of the session
 * and fills the body of the response.  Nothing of the debugger is kept here but what the protocol itself demands: numbers for
 * frames and variables, and which breakpoints came from which request.
 *
 * DA1  every request is answered once: with success, or with one line that says why not;
 * DA2  numbers of frames and variables are good until the program moves; one that isn't is answered by an error;
 * DA3  a move is answered when it begins; how it ends is told by exactly one `stopped`, or by `exited` and `terminated`;
 * DA4  the debuggee's output never mixes with the protocol: it becomes `output` events;
 * DA5  capabilities are those of the machine at hand: told again as soon as it is known;
 * DA6  on a port nothing is done for a client before it has told the token (`ebbToken` of initialize, launch or attach). */
#ifndef EBB_FRONT_DAP_DAP_H
#define EBB_FRONT_DAP_DAP_H

#include "base/arena.h"
#include "front/cli/cli.h"
#include "front/dap/ear.h"
#include "front/dap/messages.h"
#include "session/session.h"

#include <jansson.h>

/* What a number that the client was given stands for. */
typedef enum dap_handle_kind { DAP_FRAME, DAP_ARGUMENTS, DAP_LOCALS, DAP_REGISTERS, DAP_PARTS, DAP_INSIDES, DAP_ENTRY } dap_handle_kind;
typedef struct dap_handle {
    dap_handle_kind kind;
    unsigned thread, level; /* the frame it is of */
    char *expression;       /* PARTS, INSIDES: whose; ENTRY: the value */
    char *key;              /* ENTRY */
    uint64_t first;         /* PARTS: the indexed ones from here on, and no named ones unless it is 0 */
} dap_handle;

/* A breakpoint that a request set; the session has the rest of it. */
typedef struct dap_point {
    char *set;      /* which request it came from: a source file's path, or "functions", "instructions", "data", "exceptions" */
    char *key;      /* all that was said of it: the same again is the same breakpoint */
    int number;     /* of the session; 0: it could not be set */
    bool verified;  /* as the client was told */
    uint64_t address; /* the same; 0: none */
} dap_point;

typedef enum dap_begin { DAP_BEGIN_NOTHING, DAP_BEGIN_RUN, DAP_BEGIN_STANDING } dap_begin;

typedef struct dap {
    cli cli; /* for command lines, and with it the session */
    session *session;
    cli_sink sink;
    dap_ear *ear;

    /* the client */
    const char *token; /* that it has to know before anything else; borrowed; NULL: it does, or none is asked for */
    bool wants_invalidated, wants_progress, columns_from_0, lines_from_0;
    ebb_buf *captured; /* what command lines say, while one is carried out for an answer; NULL: it becomes output */

    /* the program */
    dap_begin begin;     /* what configurationDone does */
    bool stop_on_entry, is_recording, shows_positions;
    bool told_exit;
    enum { DAP_AT_END_AUTO, DAP_AT_END_STAY, DAP_AT_END_TERMINATE } at_end;
    unsigned last_thread; /* the number of the one that the last stop was about */
    ses_stop last_stop;   /* borrowed from the session: SE3 */

    EBB_VEC(dap_handle) handles;
    EBB_VEC(dap_point) points;
    EBB_VEC(char *) sources; /* texts that aren't files of the client's: sourceReference is the index + 1 */
    EBB_VEC(char *) targets; /* of stepInTargets and gotoTargets: the id is the index + 1 */

    int64_t busy_since_ms, progress_at_ms;
    unsigned n_progress; /* the number of the progress that is shown; 0: none is */
    unsigned last_progress;
    bool ends; /* the conversation does */
} dap;

typedef struct dap_request {
    const json_t *message;
    const json_t *args; /* an object, if maybe an empty one */
    json_t *body;       /* of the response; NULL: it has none */
    bool is_answered;
    ebb_arena arena;    /* for as long as the request is handled */
} dap_request;

typedef ebb_status dap_handler(dap *d, dap_request *r, ebb_error *err);
#define DAP_REQUEST(name, function, when, heard, capability, who) dap_handler dap_do_##function;
#define DAP_FEATURE(capability, who)
#include "front/dap/requests.def"
#undef DAP_REQUEST
#undef DAP_FEATURE

/* ---- dap.c: the conversation ------------------------------------------------------------------- */

/* Until the client is gone or has said goodbye; the exit status.  token: DA6; NULL: none. */
int dap_converse(const dap_ear_ends *ends, const char *token);
/* Carries out one request, and answers it. */
void dap_handle_message(dap *d, const json_t *message);
/* The response, now: what follows takes its time. */
void dap_answer(dap *d, dap_request *r);
void dap_say_event(dap *d, const char *name, json_t *taken_body);
/* A line for the person, on the client's console. */
void dap_say_line(dap *d, const char *category, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* ---- arguments.c: what requests say ------------------------------------------------------------- */

const char *dap_text(const json_t *object, const char *key); /* NULL if it isn't there */
json_int_t dap_number(const json_t *object, const char *key, json_int_t otherwise);
bool dap_flag(const json_t *object, const char *key, bool otherwise);
ebb_status dap_need_text(const json_t *object, const char *key, const char **text, ebb_error *err) EBB_MUST_CHECK;
/* The i-th element of an array as an object; never NULL. */
const json_t *dap_element(const json_t *array, size_t i);
json_t *dap_body(dap_request *r); /* made when it is first asked for */
json_t *dap_list(dap_request *r, const char *key); /* an empty array in the body */
/* Lines and columns as the client counts them, and as ebb does. */
json_int_t dap_line_out(const dap *d, unsigned line);
unsigned dap_line_in(const dap *d, json_int_t line);
ebb_status dap_address_in(const char *reference, uint64_t *address, ebb_error *err) EBB_MUST_CHECK; /* "0x..." */

/* ---- capabilities.c ------------------------------------------------------------------------------ */

json_t *dap_capabilities(dap *d); /* of the machine at hand; before there is one, of all of them together */
void dap_say_capabilities(dap *d); /* DA5 */
bool dap_has_addresses(const dap *d);

/* ---- handles.c ------------------------------------------------------------------------------------ */

json_int_t dap_handle_new(dap *d, dap_handle_kind kind, unsigned thread, unsigned level, const char *expression);
void dap_handles_clear(dap *d);
ebb_status dap_handle_get(dap *d, json_int_t id, dap_handle *handle, ebb_error *err) EBB_MUST_CHECK;
/* Makes the frame of "frameId", if it is said, the one that questions are about. */
ebb_status dap_select_frame(dap *d, dap_request *r, ebb_error *err) EBB_MUST_CHECK;
ebb_status dap_select(dap *d, unsigned thread, unsigned level, ebb_error *err) EBB_MUST_CHECK;

/* ---- moves.c -------------------------------------------------------------------------------------- */

typedef ebb_status dap_mover(dap *d, const void *how, ses_stop *stop, ebb_error *err);
/* Answers, moves, and tells how that ended: DA3.  resumable: it may be stopped on the way for a request that enters. */
void dap_move(dap *d, dap_request *r, dap_mover *mover, const void *how, bool resumable);
const char *dap_cplus_event(dap *d, const ses_stop *stop); /* "exception thrown": what a catchpoint of C++ stopped for; NULL: none did */
void dap_tell_stop(dap *d, const ses_stop *stop);
/* Something may have moved the program on the client's behalf without its knowing. */
void dap_tell_moved(dap *d, const char *why);
void dap_invalidate(dap *d);
ebb_status dap_need_past(dap *d, ebb_error *err) EBB_MUST_CHECK;

/* ---- points.c ------------------------------------------------------------------------------------- */

void dap_points_fini(dap *d);
void dap_points_refresh(dap *d); /* tells what has become of pending ones */

/* ---- sources.c ------------------------------------------------------------------------------------ */

json_t *dap_source(dap *d, const char *file, const char *name); /* as the protocol describes it */
void dap_sources_fini(dap *d);

/* ---- variables.c ---------------------------------------------------------------------------------- */

struct ses_look;
/* Adds value, type, parts and address of a look to a variable, result or body. */
void dap_put_look(dap *d, json_t *object, const char *value_key, const char *expression, const struct ses_look *look);

/* ---- progress.c ----------------------------------------------------------------------------------- */

void dap_progress(void *self, uint64_t done, uint64_t total); /* an ebb_progress */
void dap_progress_begin(dap *d);
void dap_progress_end(dap *d);

#endif
