/* origin_begin.c - a value that nobody wrote: it was there when the program began.
 *
 * Before its first instruction the kernel lays on the stack, from the stack pointer up: the number of arguments, their addresses, 0, the
 * addresses of the environment's variables, 0, and the auxiliary vector.
 *
 * OBG1  these are believed only if that vector is, byte for byte, the one that the machine knows of: where a history begins later, the stack
 *      pointer points to something else. */
#include "session/c/origin_chain.h"

#include <elf.h>
#include <string.h>

enum {
    WORD = 8,
    MOST_WORDS = 4096,
    MOST_VECTOR_BYTES = 1024,
    MOST_TEXT_BYTES = 4096,
    RANDOM_BYTES = 16,
};

typedef struct beginning {
    uint64_t arguments, environment; /* where the addresses of the texts are; the number of arguments is in the word before them */
    uint64_t vector, vector_end;
    Elf64_auxv_t pairs[MOST_VECTOR_BYTES / sizeof(Elf64_auxv_t)];
} beginning;

/* ---- what the kernel laid there --------------------------------------------------------------- */

static bool read_word(const ses_chain *c, uint64_t addr, uint64_t *word)
{
    return machine_read(c->s->machine, addr, word, sizeof *word, NULL) == EBB_OK;
}

/* To after the 0 that ends a list of addresses; 0: there is none. */
static uint64_t after_list(const ses_chain *c, uint64_t list)
{
    uint64_t word;
    for (size_t i = 0; i < MOST_WORDS && read_word(c, list + i * WORD, &word); i++)
        if (!word)
            return list + (i + 1) * WORD;
    return 0;
}

/* The debuggee stands where its history begins. */
static bool find_beginning(const ses_chain *c, beginning *b)
{
    uint8_t there[sizeof b->pairs];
    uint64_t n_arguments, sp = ses_chain_register(c, "rsp");
    *b = (beginning){.arguments = sp + WORD};
    b->environment = after_list(c, b->arguments);
    b->vector = b->environment ? after_list(c, b->environment) : 0;
    if (!b->vector || !read_word(c, sp, &n_arguments) || b->environment != b->arguments + (n_arguments + 1) * WORD)
        return false;
    size_t nbytes = c->s->machine->native->auxv(c->s->machine, b->pairs, sizeof b->pairs);
    b->vector_end = b->vector + nbytes;
    return nbytes && machine_read(c->s->machine, b->vector, there, nbytes, NULL) == EBB_OK && memcmp(there, b->pairs, nbytes) == 0;
}

/* ---- texts -------------------------------------------------------------------------------------- */

static bool is_in_text(const ses_chain *c, uint64_t text, uint64_t addr)
{
    char bytes[MOST_TEXT_BYTES];
    if (!text || addr < text || addr - text >= sizeof bytes || machine_read(c->s->machine, text, bytes, addr - text, NULL) != EBB_OK)
        return false;
    return !memchr(bytes, '\0', addr - text);
}

/* Which of the texts of a list that ends before `end` has the address; -1: none. */
static long text_at(const ses_chain *c, uint64_t list, uint64_t end, uint64_t addr, uint64_t *text)
{
    for (uint64_t at = list; at + WORD < end; at += WORD)
        if (read_word(c, at, text) && is_in_text(c, *text, addr))
            return (long)((at - list) / WORD);
    return -1;
}

/* NAME of NAME=VALUE. */
static void put_variable(const ses_chain *c, uint64_t text, ebb_buf *words)
{
    char variable[MOST_TEXT_BYTES];
    ses_chain_text(c, text, variable, sizeof variable);
    ebb_buf_add(words, variable, strcspn(variable, "="));
}

static bool put_text(const ses_chain *c, const beginning *b, uint64_t addr, ebb_buf *words)
{
    uint64_t text;
    long i = text_at(c, b->arguments, b->environment, addr, &text);
    if (i >= 0) {
        ebb_buf_addf(words, "is in argument %ld of the program", i);
        return true;
    }
    if (text_at(c, b->environment, b->vector, addr, &text) < 0)
        return false;
    ebb_buf_adds(words, "is in the environment variable ");
    put_variable(c, text, words);
    return true;
}

/* ---- the auxiliary vector ------------------------------------------------------------------------ */

static const char *pair_name(uint64_t type)
{
    static const struct {
        uint64_t type;
        const char *name;
    } names[] = {
#define ROW(type) {type, #type},
        ROW(AT_NULL) ROW(AT_PHDR) ROW(AT_PHENT) ROW(AT_PHNUM) ROW(AT_PAGESZ) ROW(AT_BASE) ROW(AT_FLAGS) ROW(AT_ENTRY) ROW(AT_UID) ROW(AT_EUID) ROW(AT_GID) ROW(AT_EGID)
        ROW(AT_PLATFORM) ROW(AT_HWCAP) ROW(AT_CLKTCK) ROW(AT_SECURE) ROW(AT_BASE_PLATFORM) ROW(AT_RANDOM) ROW(AT_HWCAP2) ROW(AT_EXECFN) ROW(AT_SYSINFO_EHDR)
        ROW(AT_MINSIGSTKSZ)
#undef ROW
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].type == type)
            return names[i].name;
    return NULL;
}

static void put_pair(uint64_t type, ebb_buf *words)
{
    const char *name = pair_name(type);
    if (name)
        ebb_buf_addf(words, "is what the kernel told the program as it began (%s)", name);
    else
        ebb_buf_addf(words, "is what the kernel told the program as it began (entry %llu of its auxiliary vector)", (unsigned long long)type);
}

/* What an entry of the vector leads to. */
static bool put_pointed(const ses_chain *c, const beginning *b, uint64_t addr, ebb_buf *words)
{
    for (const Elf64_auxv_t *pair = b->pairs; pair->a_type != AT_NULL; pair++) {
        uint64_t to = pair->a_un.a_val;
        bool is_random = pair->a_type == AT_RANDOM && addr >= to && addr < to + RANDOM_BYTES;
        bool is_text = (pair->a_type == AT_EXECFN || pair->a_type == AT_PLATFORM) && is_in_text(c, to, addr);
        if (is_random || is_text) {
            put_pair(pair->a_type, words);
            return true;
        }
    }
    return false;
}

/* ---- all of it ------------------------------------------------------------------------------------ */

static bool put_word(const ses_chain *c, const beginning *b, uint64_t addr, ebb_buf *words)
{
    uint64_t text = 0;
    if (addr < b->arguments - WORD || addr >= b->vector_end)
        return false;
    if (addr < b->arguments) {
        ebb_buf_adds(words, "is the number of the program's arguments");
    } else if (addr < b->environment) {
        ebb_buf_addf(words, "is the address of argument %llu of the program", (unsigned long long)((addr - b->arguments) / WORD));
    } else if (addr < b->vector) {
        ebb_buf_adds(words, "is the address of the environment variable ");
        if (read_word(c, addr - addr % WORD, &text))
            put_variable(c, text, words);
    } else {
        put_pair(b->pairs[(addr - b->vector) / sizeof *b->pairs].a_type, words);
    }
    return true;
}

static bool put_from_kernel(const ses_chain *c, uint64_t addr, ebb_buf *words)
{
    beginning b;
    return find_beginning(c, &b) && (put_word(c, &b, addr, words) || put_text(c, &b, addr, words) || put_pointed(c, &b, addr, words));
}

/* The program and its loader are there before the first instruction; libraries are mapped by system calls. */
static bool put_from_program(const ses_chain *c, uint64_t addr, ebb_buf *words)
{
    size_t n;
    const machine_module *modules = c->s->machine->native->modules(c->s->machine, &n);
    for (size_t i = 0; i < n; i++) {
        if (addr < modules[i].lo || addr >= modules[i].hi)
            continue;
        ebb_buf_addf(words, "has been there, unchanged, since %s was loaded", modules[i].path);
        return true;
    }
    return false;
}

ebb_status ses_chain_tell_begin(ses_chain *c, ebb_error *err)
{
    ebb_position at;
    ebb_buf words = {0};
    ses_origin_kind kind = SES_ORIGIN_INPUT;
    EBB_TRY(ses_chain_now(c, &at, err));
    bool is_told = ses_chain_go(c, (ebb_position){0}, NULL) == EBB_OK && put_from_kernel(c, c->datum.addr, &words);
    ebb_status status = ses_chain_go(c, at, err);
    if (status == EBB_OK && !is_told) {
        kind = put_from_program(c, c->datum.addr, &words) ? SES_ORIGIN_CONSTANT : SES_ORIGIN_END;
        if (kind == SES_ORIGIN_END)
            ebb_buf_adds(&words, "it has been there, unchanged, since history begins");
    }
    if (status == EBB_OK)
        ses_chain_add(c, kind, &words);
    else
        ebb_buf_fini(&words);
    c->is_over = true;
    return status;
}
