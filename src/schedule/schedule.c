/* schedule.c - a schedule in memory: what it is made of, and simple questions about it. */
#include "schedule/schedule.h"

#include <stdio.h>
#include <string.h>

const sched_row sched_rows[SCHED_NKINDS] = {
#define SCHED_COMMAND(name, word, operands, role, help) [SCHED_##name] = {word, SCHED_TAKES_##operands, SCHED_IS_##role, help},
#include "schedule/commands.def"
#undef SCHED_COMMAND
};

void sched_fini(sched_schedule *s)
{
    ebb_vec_fini(&s->commands);
    ebb_arena_fini(&s->arena);
    *s = (sched_schedule){0};
}

static const char *copied(sched_schedule *s, const char *text)
{
    return text ? ebb_arena_strdup(&s->arena, text) : NULL;
}

void sched_add(sched_schedule *s, const sched_command *c)
{
    sched_command own = *c;
    own.place.cls = copied(s, c->place.cls);
    own.place.method = copied(s, c->place.method);
    own.text = copied(s, c->text);
    s->is_messages = s->is_messages || c->kind == SCHED_SEND || c->kind == SCHED_RECEIVE || c->kind == SCHED_MESSAGES;
    ebb_vec_push(&s->commands, own);
}

void sched_add_event(sched_schedule *s, sched_kind kind, const sched_place *place, uint64_t count)
{
    sched_add(s, &(sched_command){.kind = kind, .place = *place, .count = count});
}

void sched_add_action(sched_schedule *s, sched_kind kind, uint32_t thread)
{
    sched_add(s, &(sched_command){.kind = kind, .thread = thread});
}

void sched_add_thread(sched_schedule *s, uint32_t thread, const char *name)
{
    sched_add(s, &(sched_command){.kind = SCHED_THREAD, .thread = thread, .text = name});
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

bool sched_place_same(const sched_place *a, const sched_place *b)
{
    return same_text(a->cls, b->cls) && same_text(a->method, b->method) && a->method_index == b->method_index &&
           a->offset == b->offset && a->is_line == b->is_line;
}

static bool names_thread(const sched_command *c)
{
    sched_operands takes = sched_rows[c->kind].operands;
    return (takes == SCHED_TAKES_WHOM || takes == SCHED_TAKES_WHOM_OR_NONE || takes == SCHED_TAKES_MESSAGE || takes == SCHED_TAKES_NAME) &&
           c->thread != SCHED_NONE;
}

uint32_t sched_nthreads(const sched_schedule *s)
{
    uint32_t n = 1;
    for (size_t i = 0; i < s->commands.n; i++)
        if (names_thread(&s->commands.items[i]) && s->commands.items[i].thread >= n)
            n = s->commands.items[i].thread + 1;
    return n;
}

const char *sched_name_of(const sched_schedule *s, uint32_t thread)
{
    for (size_t i = 0; i < s->commands.n; i++)
        if (s->commands.items[i].kind == SCHED_THREAD && s->commands.items[i].thread == thread && s->commands.items[i].text)
            return s->commands.items[i].text;
    return NULL;
}

/* ---- complaints ---- */

/* Words of a file stand in it: what is in them must not move the reader's cursor. */
static char *without_controls(const char *text)
{
    ebb_buf out = {0};
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            ebb_buf_addf(&out, "\\x%02x", (unsigned)(unsigned char)*text);
        else
            ebb_buf_add(&out, text, 1);
    return ebb_buf_take(&out);
}

static void complain(sched_complaints *all, const char *file, uint32_t line, const char *format, va_list args)
{
    if (all->list.n >= SCHED_MAX_COMPLAINTS)
        return;
    ebb_buf text = {0};
    ebb_buf_vaddf(&text, format, args);
    ebb_vec_push(&all->list, ((sched_complaint){line, file, without_controls(ebb_buf_text(&text))}));
    ebb_buf_fini(&text);
}

void sched_complain(sched_complaints *all, uint32_t line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    complain(all, NULL, line, format, args);
    va_end(args);
}

void sched_complain_of(sched_complaints *all, const sched_command *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    complain(all, c->file, c->line, format, args);
    va_end(args);
}

sched_words sched_line_of(const sched_command *other, const sched_command *c)
{
    sched_words words;
    bool is_same = !other->file || !c->file || strcmp(other->file, c->file) == 0;
    snprintf(words.text, sizeof words.text, "line %u%s%.150s", other->line, is_same ? "" : " of ", is_same ? "" : other->file);
    return words;
}

void sched_complaints_fini(sched_complaints *all)
{
    for (size_t i = 0; i < all->list.n; i++)
        free(all->list.items[i].text);
    ebb_vec_fini(&all->list);
}
