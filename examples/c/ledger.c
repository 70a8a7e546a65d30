/* ledger.c - a small bank: accounts in a hash table, transactions read from a text, interest, a report.
 *
 * It has a bug.  The report says that the books do not balance: one account lost its money, although
 * no transaction touched it.  Run it, then ask the debugger who last wrote that balance.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_BUCKETS = 16, OWNER_SIZE = 12, MAX_HISTORY = 8 };

enum kind { DEPOSIT, WITHDRAWAL, TRANSFER, INTEREST };

typedef enum { FLAG_VIP = 1, FLAG_FROZEN = 2, FLAG_FOREIGN = 4 } account_flags;

typedef int64_t cents;

struct date {
    unsigned day : 5;
    unsigned month : 4;
    signed year : 23;
};

struct transaction {
    enum kind kind;
    struct date date;
    cents amount;
    union {
        struct {
            const char *from, *to;
        };
        double rate;
        char memo[16];
    } detail;
};

typedef struct account account;

struct account {
    char owner[OWNER_SIZE];
    account_flags flags;
    cents balance;
    double interest_rate;
    struct transaction history[MAX_HISTORY];
    unsigned char n_history;
    account *next;
};

typedef struct bank {
    account *buckets[N_BUCKETS];
    size_t n_accounts;
    cents vault;
    struct {
        unsigned long lookups, misses;
        float load;
    } stats;
    int (*compare)(const account *, const account *);
} bank;

static const char *const kind_names[] = {"deposit", "withdrawal", "transfer", "interest"};

static unsigned long total_hashes;

static unsigned hash(const char *text)
{
    unsigned h = 2166136261u;
    while (*text) {
        h ^= (unsigned char)*text++;
        h *= 16777619u;
    }
    total_hashes++;
    return h % N_BUCKETS;
}

static account *find(bank *b, const char *owner)
{
    b->stats.lookups++;
    for (account *a = b->buckets[hash(owner)]; a; a = a->next)
        if (strncmp(a->owner, owner, OWNER_SIZE) == 0)
            return a;
    b->stats.misses++;
    return NULL;
}

static account *open_account(bank *b, const char *owner, cents initial, double rate)
{
    account *a = calloc(1, sizeof *a);
    if (!a)
        abort();
    strncpy(a->owner, owner, OWNER_SIZE - 1);
    a->balance = initial;
    a->interest_rate = rate;
    unsigned bucket = hash(owner);
    a->next = b->buckets[bucket];
    b->buckets[bucket] = a;
    b->n_accounts++;
    b->vault += initial;
    b->stats.load = (float)b->n_accounts / N_BUCKETS;
    return a;
}

static void remember(account *a, const struct transaction *t)
{
    if (a->n_history == MAX_HISTORY) {
        memmove(a->history, a->history + 1, sizeof a->history - sizeof a->history[0]);
        a->n_history--;
    }
    a->history[a->n_history++] = *t;
}

static bool may_withdraw(const account *a, cents amount)
{
    if (a->flags & FLAG_FROZEN)
        return false;
    cents limit = a->flags & FLAG_VIP ? -100000 : 0;
    return a->balance - amount >= limit;
}

static bool deposit(bank *b, const char *owner, struct transaction *t)
{
    account *a = find(b, owner);
    if (!a)
        return false;
    a->balance += t->amount;
    b->vault += t->amount;
    snprintf(t->detail.memo, sizeof t->detail.memo, "in %lld", (long long)t->amount);
    remember(a, t);
    return true;
}

static bool withdraw(bank *b, const char *owner, struct transaction *t)
{
    account *a = find(b, owner);
    if (!a || !may_withdraw(a, t->amount))
        return false;
    a->balance -= t->amount;
    b->vault -= t->amount;
    snprintf(t->detail.memo, sizeof t->detail.memo, "out %lld", (long long)t->amount);
    remember(a, t);
    return true;
}

static bool transfer(bank *b, const char *from, const char *to, struct transaction *t)
{
    account *source = find(b, from), *target = find(b, to);
    if (!source || !target || !may_withdraw(source, t->amount))
        return false;
    source->balance -= t->amount;
    target->balance += t->amount;
    t->detail.from = source->owner;
    t->detail.to = target->owner;
    remember(source, t);
    remember(target, t);
    return true;
}

/* The bug: a new name is not cut to the room there is, and runs over flags and balance. */
static bool rename_owner(bank *b, const char *owner, const char *new_owner)
{
    account *a = find(b, owner);
    if (!a)
        return false;
    account **link = &b->buckets[hash(owner)];
    while (*link != a)
        link = &(*link)->next;
    *link = a->next;
    char *out = a->owner;
    for (const char *in = new_owner; *in; in++)
        *out++ = *in;
    *out = '\0';
    unsigned bucket = hash(new_owner);
    a->next = b->buckets[bucket];
    b->buckets[bucket] = a;
    return true;
}

static double compound(double principal, double rate, int years)
{
    if (years == 0)
        return principal;
    return compound(principal * (1.0 + rate), rate, years - 1);
}

static cents add_interest(bank *b, int years, struct date today)
{
    cents paid = 0;
    for (int i = 0; i < N_BUCKETS; i++) {
        for (account *a = b->buckets[i]; a; a = a->next) {
            double grown = compound((double)a->balance, a->interest_rate, years);
            cents gain = (cents)(grown - (double)a->balance + 0.5);
            if (gain <= 0)
                continue;
            struct transaction t = {.kind = INTEREST, .date = today, .amount = gain};
            t.detail.rate = a->interest_rate;
            a->balance += gain;
            b->vault += gain;
            remember(a, &t);
            paid += gain;
        }
    }
    return paid;
}

static struct date parse_date(const char *text)
{
    int year, month, day;
    struct date d = {0};
    if (sscanf(text, "%d-%d-%d", &year, &month, &day) == 3) {
        d.year = year;
        d.month = (unsigned)month;
        d.day = (unsigned)day;
    }
    return d;
}

struct words {
    char *word[6];
    int n;
};

static struct words split(char *line)
{
    struct words w = {{NULL}, 0};
    while (*line && w.n < 6) {
        while (isspace((unsigned char)*line))
            *line++ = '\0';
        if (*line)
            w.word[w.n++] = line;
        while (*line && !isspace((unsigned char)*line))
            line++;
    }
    return w;
}

static bool execute(bank *b, char *line)
{
    struct words w = split(line);
    if (w.n < 4)
        return false;
    struct transaction t = {.date = parse_date(w.word[0]), .amount = atoll(w.word[3])};
    const char *verb = w.word[1], *owner = w.word[2];
    if (strcmp(verb, "deposit") == 0) {
        t.kind = DEPOSIT;
        return deposit(b, owner, &t);
    }
    if (strcmp(verb, "withdraw") == 0) {
        t.kind = WITHDRAWAL;
        return withdraw(b, owner, &t);
    }
    if (strcmp(verb, "transfer") == 0 && w.n == 5) {
        t.kind = TRANSFER;
        return transfer(b, owner, w.word[4], &t);
    }
    if (strcmp(verb, "rename") == 0)
        return rename_owner(b, owner, w.word[3]);
    return false;
}

static int by_balance(const account *a, const account *b)
{
    return (a->balance < b->balance) - (a->balance > b->balance);
}

static int by_owner(const account *a, const account *b)
{
    return strcmp(a->owner, b->owner);
}

static size_t collect(const bank *b, const account **out)
{
    size_t n = 0;
    for (int i = 0; i < N_BUCKETS; i++)
        for (const account *a = b->buckets[i]; a; a = a->next)
            out[n++] = a;
    return n;
}

static void sort(const account **items, size_t n, int (*compare)(const account *, const account *))
{
    for (size_t i = 1; i < n; i++) {
        const account *key = items[i];
        size_t j = i;
        for (; j > 0 && compare(items[j - 1], key) > 0; j--)
            items[j] = items[j - 1];
        items[j] = key;
    }
}

static cents report(const bank *b)
{
    const account *sorted[32];
    size_t n = collect(b, sorted);
    sort(sorted, n, b->compare);
    cents sum = 0;
    for (size_t i = 0; i < n; i++) {
        const account *a = sorted[i];
        const char *last = a->n_history ? kind_names[a->history[a->n_history - 1].kind] : "-";
        printf("%-20s %10.2f  %s\n", a->owner, (double)a->balance / 100, last);
        sum += a->balance;
    }
    return sum;
}

static void close_bank(bank *b)
{
    for (int i = 0; i < N_BUCKETS; i++) {
        while (b->buckets[i]) {
            account *a = b->buckets[i];
            b->buckets[i] = a->next;
            free(a);
        }
    }
}

static const char *const journal[] = {
    "2024-01-03 deposit ada 25000",
    "2024-01-09 withdraw grace 12550",
    "2024-02-14 transfer ada 5000 barbara",
    "2024-02-15 transfer edsger 99999999 ada",
    "2024-03-01 rename barbara barbara-liskov-mit",
    "2024-03-02 deposit grace 770",
    "2024-03-09 nonsense",
    "2024-04-30 withdraw ada 1",
};

int main(int argc, char **argv)
{
    bank b = {.compare = argc > 1 && strcmp(argv[1], "-n") == 0 ? by_owner : by_balance};
    open_account(&b, "ada", 100000, 0.02);
    open_account(&b, "barbara", 250000, 0.015);
    open_account(&b, "edsger", 4200, 0.0);
    account *grace = open_account(&b, "grace", 90000, 0.03);
    grace->flags = FLAG_VIP | FLAG_FOREIGN;

    int refused = 0;
    for (size_t i = 0; i < sizeof journal / sizeof journal[0]; i++) {
        char line[80];
        snprintf(line, sizeof line, "%s", journal[i]);
        if (!execute(&b, line))
            refused++;
    }
    cents interest = add_interest(&b, 3, (struct date){31, 12, 2024});
    cents sum = report(&b);
    printf("interest %.2f, refused %d, lookups %lu\n", (double)interest / 100, refused, b.stats.lookups);
    if (sum != b.vault)
        printf("the books do not balance: %.2f in the vault, %.2f in the accounts\n",
               (double)b.vault / 100, (double)sum / 100);
    bool balanced = sum == b.vault;
    close_bank(&b);
    return balanced ? 0 : 1;
}
