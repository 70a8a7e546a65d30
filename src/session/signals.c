/* signals.c - see signals.h: one row per signal in signals.def, real-time ones besides. */
#include "session/signals.h"
#include "session/points.h"
#include "session/shell_words.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { MAX_SIGNAL = 64, FIRST_REALTIME = 32, POLICY_STOP = 1, POLICY_PRINT = 2, POLICY_PASS = 4 };

typedef struct signal_row {
    const char *name, *description;
    uint8_t policy;
} signal_row;

static const signal_row rows[MAX_SIGNAL + 1] = {
#define SES_SIGNAL(name, description, stop, print, pass)                                           \
    [name] = {#name, description,                                                                  \
              (stop ? POLICY_STOP : 0) | (print ? POLICY_PRINT : 0) | (pass ? POLICY_PASS : 0)},
#include "session/signals.def"
#undef SES_SIGNAL
};

/* Real-time signals as gdb calls them: SIG32 ... SIG64.  libc keeps the first two for threads. */
static uint8_t initial_policy(int number)
{
    if (rows[number].name)
        return rows[number].policy;
    return number <= FIRST_REALTIME + 1 ? POLICY_PASS : POLICY_STOP | POLICY_PRINT | POLICY_PASS;
}

void ses_signals_init(session *s)
{
    s->signal_policy = ebb_zalloc(MAX_SIGNAL + 1);
    for (int i = 1; i <= MAX_SIGNAL; i++)
        s->signal_policy[i] = initial_policy(i);
}

void ses_signals_fini(session *s)
{
    free(s->signal_policy);
}

const char *ses_signal_name(int number)
{
    static char realtime[MAX_SIGNAL + 1][8];
    if (number < 1 || number > MAX_SIGNAL)
        return "SIG?";
    if (rows[number].name)
        return rows[number].name;
    snprintf(realtime[number], sizeof realtime[number], "SIG%d", number);
    return realtime[number];
}

const char *ses_signal_description(int number)
{
    static char realtime[MAX_SIGNAL + 1][32];
    if (number < 1 || number > MAX_SIGNAL)
        return "Unknown signal";
    if (rows[number].name)
        return rows[number].description;
    snprintf(realtime[number], sizeof realtime[number], "Real-time event %d", number);
    return realtime[number];
}

int ses_signal_number(const char *name)
{
    uint64_t number;
    if (ebb_text_to_u64(name, &number))
        return number <= MAX_SIGNAL ? (int)number : 0;
    for (int i = 1; i <= MAX_SIGNAL; i++) {
        const char *full = ses_signal_name(i);
        if (strcasecmp(full, name) == 0 || strcasecmp(full + 3, name) == 0)
            return i;
    }
    if (strcasecmp(name, "SIGPOLL") == 0 || strcasecmp(name, "POLL") == 0)
        return SIGIO;
    return strcasecmp(name, "SIGIOT") == 0 ? SIGABRT : 0;
}

ses_signal_policy ses_signal_policy_of(const session *s, int number)
{
    uint8_t policy = number >= 1 && number <= MAX_SIGNAL ? s->signal_policy[number]
                                                         : POLICY_STOP | POLICY_PRINT | POLICY_PASS;
    return (ses_signal_policy){
        .number = number,
        .name = ses_signal_name(number),
        .description = ses_signal_description(number),
        .stop = policy & POLICY_STOP,
        .print = policy & POLICY_PRINT,
        .pass = policy & POLICY_PASS,
    };
}

size_t ses_signal_count(void)
{
    return MAX_SIGNAL;
}

ses_signal_policy ses_signal_at(const session *s, size_t i)
{
    return ses_signal_policy_of(s, (int)i + 1);
}

/* A run on the way to a position meets all signals of the first one again, and only one that may end it is worth a stop. */
static bool is_passed_over(const session *s, int signal)
{
    static const int ends[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS, SIGINT};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (ends[i] == signal)
            return false;
    return s->is_again;
}

void ses_signals_apply(session *s)
{
    if (!s->machine || !s->machine->ops->signal_policy)
        return;
    uint64_t told = 0, passed = 0;
    for (int i = 1; i <= MAX_SIGNAL; i++) {
        uint64_t bit = (uint64_t)1 << (i - 1);
        if (!is_passed_over(s, i) && (s->signal_policy[i] & (POLICY_STOP | POLICY_PRINT) || ses_catches_signal(s, i)))
            told |= bit;
        if (s->signal_policy[i] & POLICY_PASS)
            passed |= bit;
    }
    s->machine->ops->signal_policy(s->machine, told, passed);
}

/* ---- handle --------------------------------------------------------------------------------- */

typedef struct policy_word {
    const char *word;
    uint8_t set, clear;
} policy_word;

/* As in gdb: stop implies print, noprint implies nostop. */
static const policy_word policy_words[] = {
    {"stop", POLICY_STOP | POLICY_PRINT, 0},
    {"nostop", 0, POLICY_STOP},
    {"print", POLICY_PRINT, 0},
    {"noprint", 0, POLICY_PRINT | POLICY_STOP},
    {"pass", POLICY_PASS, 0},
    {"nopass", 0, POLICY_PASS},
    {"ignore", 0, POLICY_PASS},
    {"noignore", POLICY_PASS, 0},
};

static const policy_word *find_policy_word(const char *word)
{
    for (size_t i = 0; i < sizeof policy_words / sizeof *policy_words; i++)
        if (strcmp(policy_words[i].word, word) == 0)
            return &policy_words[i];
    return NULL;
}

/* SIGINT and SIGTRAP are the debugger's own; "all" leaves them alone. */
static uint64_t all_signals(void)
{
    return ~(uint64_t)0 & ~((uint64_t)1 << (SIGINT - 1)) & ~((uint64_t)1 << (SIGTRAP - 1));
}

static ebb_status parse_signals(const char *word, uint64_t *set, ebb_error *err)
{
    unsigned lo, hi;
    int end = 0;
    if (strcmp(word, "all") == 0) {
        *set |= all_signals();
        return EBB_OK;
    }
    if (sscanf(word, "%u-%u%n", &lo, &hi, &end) == 2 && word[end] == '\0' && lo >= 1 && lo <= hi &&
        hi <= MAX_SIGNAL) {
        for (unsigned i = lo; i <= hi; i++)
            *set |= (uint64_t)1 << (i - 1);
        return EBB_OK;
    }
    int number = ses_signal_number(word);
    if (number == 0)
        return ebb_fail(err, EBB_BAD_INPUT, "Unrecognized or ambiguous flag word: \"%.60s\".",
                        word);
    *set |= (uint64_t)1 << (number - 1);
    return EBB_OK;
}

static ebb_status handle_words(session *s, const ses_strings *words, ebb_error *err)
{
    uint64_t signals = 0;
    uint8_t set = 0, clear = 0;
    for (size_t i = 0; i < words->n; i++) {
        const policy_word *p = find_policy_word(words->items[i]);
        if (p) {
            set = (uint8_t)((set | p->set) & ~p->clear);
            clear = (uint8_t)((clear | p->clear) & ~p->set);
        } else
            EBB_TRY(parse_signals(words->items[i], &signals, err));
    }
    if (signals == 0)
        return ebb_fail(err, EBB_BAD_INPUT, "Argument required (signal to handle).");
    for (int i = 1; i <= MAX_SIGNAL; i++)
        if (signals >> (i - 1) & 1)
            s->signal_policy[i] = (uint8_t)((s->signal_policy[i] | set) & ~clear);
    ses_signals_apply(s);
    return EBB_OK;
}

ebb_status ses_handle(session *s, const char *arguments, ebb_error *err)
{
    ses_strings words = {0};
    ebb_status status = ses_words_split(arguments, &words, err);
    if (status == EBB_OK)
        status = handle_words(s, &words, err);
    ses_strings_clear(&words);
    return status;
}
