/* trace.c - where a trace changes its thread, an event: the procedure of the paper's appendix C, over a finished trace. */
#include "schedule/trace.h"

#include "base/map.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

typedef enum step_kind { STEP_EXECUTED, STEP_BLOCKED, STEP_DIED, STEP_NEXT, STEP_ACTION, STEP_DEADLOCK } step_kind;

typedef struct step {
    step_kind kind;
    uint32_t line, thread;
    sched_place place;
    sched_kind action;
    size_t following;    /* index + 1 of the thread's next step with a place; 0: there is none */
} step;

typedef struct importer {
    sched_schedule *out;
    sched_schedule read;     /* owns the texts; lines are read by the parser of schedules */
    sched_complaints *all;
    EBB_VEC(step) steps;
    size_t turn;             /* the first step since the last event */
} importer;

/* ---- reading ---- */

/* Words of a schedule are read by its parser, with the line's own number; NULL: it has complained. */
static const sched_command *parse_words(importer *m, uint32_t line, const char *words)
{
    sched_complaints own = {0};
    size_t n = m->read.commands.n;
    ebb_status status = sched_parse_text(&m->read, words, strlen(words), &own);
    for (size_t i = 0; i < own.list.n; i++)
        sched_complain(m->all, line, "%s", own.list.items[i].text);
    sched_complaints_fini(&own);
    return status == EBB_OK && m->read.commands.n > n ? &m->read.commands.items[n] : NULL;
}

static bool to_thread(importer *m, uint32_t line, const char *word, uint32_t *out)
{
    char words[80];
    snprintf(words, sizeof words, "notify %.60s", word);
    const sched_command *c = parse_words(m, line, words);
    *out = c ? c->thread : 0;
    return c != NULL;
}

/* `THREAD CLASS METHOD OFFSET` from the words on. */
static bool take_place(importer *m, step *s, char **words, int n)
{
    if (n < 4) {
        sched_complain(m->all, s->line, "a bytecode is a thread, a class, a method and an offset");
        return false;
    }
    char *place = ebb_asprintf("before %s %s %s 1", words[1], words[2], words[3]);
    bool good = to_thread(m, s->line, words[0], &s->thread);
    const sched_command *c = good ? parse_words(m, s->line, place) : NULL;
    if (c)
        s->place = c->place;
    free(place);
    return c != NULL;
}

static bool take_flag(importer *m, step *s, char **words, int n)
{
    s->kind = n < 5 ? STEP_EXECUTED : strcmp(words[4], "blocks") == 0 ? STEP_BLOCKED : STEP_DIED;
    if (n <= 5 && (s->kind != STEP_DIED || strcmp(words[4], "dies") == 0))
        return true;
    sched_complain(m->all, s->line, "after the offset there is nothing, blocks or dies");
    return false;
}

static bool take_action(importer *m, step *s, const char *line)
{
    const sched_command *c = parse_words(m, s->line, line);
    s->kind = STEP_ACTION;
    s->action = c ? c->kind : SCHED_NOTIFY;
    s->thread = c ? c->thread : 0;
    return c != NULL;
}

static void read_line(importer *m, char *line, uint32_t number)
{
    enum { MAX_WORDS = 6 };
    char *copy = ebb_strdup(line), *words[MAX_WORDS], *rest = NULL;
    int n = 0;
    step s = {.line = number};
    copy[strcspn(copy, "#")] = '\0';
    for (char *w = strtok_r(copy, " \t\r", &rest); w && n < MAX_WORDS; w = strtok_r(NULL, " \t\r", &rest))
        words[n++] = w;
    bool good = n > 0;
    if (good && strcmp(words[0], "thread") == 0) {
        const sched_command *c = parse_words(m, number, line);
        if (c)
            sched_add_thread(m->out, c->thread, c->text);
        good = false;
    } else if (good && strcmp(words[0], "deadlock") == 0) {
        s.kind = STEP_DEADLOCK;
    } else if (good && (strcmp(words[0], "notify") == 0 || strcmp(words[0], "timeout") == 0)) {
        good = take_action(m, &s, line);
    } else if (good && strcmp(words[0], "next") == 0) {
        s.kind = STEP_NEXT;
        good = take_place(m, &s, words + 1, n - 1);
    } else if (good) {
        good = take_place(m, &s, words, n) && take_flag(m, &s, words, n);
    }
    if (good)
        ebb_vec_push(&m->steps, s);
    free(copy);
}

static void read_all(importer *m, const char *text, size_t nbytes)
{
    uint32_t number = 0;
    for (const char *end = text + nbytes; text < end;) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        char *line = ebb_strndup(text, (size_t)((newline ? newline : end) - text));
        read_line(m, line, ++number);
        free(line);
        text = newline ? newline + 1 : end;
    }
}

static bool has_place(const step *s)
{
    return s->kind <= STEP_NEXT;
}

static void link_following(importer *m)
{
    ebb_map *later = ebb_map_new();
    for (size_t i = m->steps.n; i-- > 0;) {
        step *s = &m->steps.items[i];
        if (!has_place(s))
            continue;
        s->following = (size_t)(uintptr_t)ebb_map_get_u64(later, (uint64_t)s->thread + 1);
        ebb_map_set_u64(later, (uint64_t)s->thread + 1, (void *)(i + 1));
    }
    ebb_map_free(later);
}

/* ---- events ---- */

/* How often the thread executed the place since the last event, up to and including step `last`. */
static uint64_t count_of(const importer *m, const sched_place *place, uint32_t thread, size_t last)
{
    uint64_t n = 0;
    for (size_t i = m->turn; i <= last; i++) {
        const step *s = &m->steps.items[i];
        n += has_place(s) && s->kind != STEP_NEXT && s->thread == thread && sched_place_same(&s->place, place);
    }
    return n;
}

/* The event after step i, which its thread executed. */
static void add_event(importer *m, size_t i)
{
    const step *s = &m->steps.items[i];
    if (s->kind == STEP_BLOCKED)
        sched_add_event(m->out, SCHED_IN, &s->place, count_of(m, &s->place, s->thread, i));
    else if (s->kind == STEP_DIED)
        sched_add_event(m->out, SCHED_BEFORE, &s->place, count_of(m, &s->place, s->thread, i));
    else if (s->following) {
        const sched_place *next = &m->steps.items[s->following - 1].place;
        sched_add_event(m->out, SCHED_BEFORE, next, count_of(m, next, s->thread, i) + 1);
    } else
        sched_complain(m->all, s->line, "what thread %u would execute after this is not known: say blocks or dies, or add a line `next %u CLASS METHOD OFFSET`",
                       s->thread, s->thread);
    m->turn = i + 1;
}

static bool is_executed(const step *s)
{
    return s->kind <= STEP_DIED;
}

static void change_thread(importer *m, size_t last, uint32_t to, bool has_event)
{
    if (!has_event)
        add_event(m, last);
    sched_add_action(m->out, m->steps.items[last].kind == STEP_DIED ? SCHED_DIE : SCHED_SWITCH, to);
}

/* The thread that executes first, if it isn't the main thread, is switched to at once. */
static void begin(importer *m, const step *first)
{
    if (first->thread != 0)
        sched_add_action(m->out, SCHED_SWITCH, first->thread);
}

static void add_all(importer *m)
{
    size_t last = SIZE_MAX;   /* the last step that was executed */
    bool has_event = false;   /* an event has been added after it */
    for (size_t i = 0; i < m->steps.n; i++) {
        const step *s = &m->steps.items[i];
        if (s->kind == STEP_NEXT)
            continue;
        if (last == SIZE_MAX && is_executed(s))
            begin(m, s);
        if (last != SIZE_MAX && s->kind == STEP_ACTION && !has_event)
            add_event(m, last);
        if (s->kind == STEP_ACTION)
            sched_add_action(m->out, s->action, s->thread);
        if (last != SIZE_MAX && (s->kind == STEP_DEADLOCK || (is_executed(s) && s->thread != m->steps.items[last].thread)))
            change_thread(m, last, s->kind == STEP_DEADLOCK ? SCHED_NONE : s->thread, has_event);
        has_event = s->kind == STEP_ACTION && last != SIZE_MAX;
        if (is_executed(s))
            last = i;
        if (s->kind == STEP_DEADLOCK)
            return;
    }
}

ebb_status sched_import_trace(sched_schedule *out, const char *text, size_t nbytes, sched_complaints *all)
{
    size_t before = all->list.n;
    importer m = {.out = out, .all = all};
    read_all(&m, text, nbytes);
    if (all->list.n == before) {
        link_following(&m);
        add_all(&m);
    }
    ebb_vec_fini(&m.steps);
    sched_fini(&m.read);
    return all->list.n > before ? EBB_BAD_FILE : EBB_OK;
}
