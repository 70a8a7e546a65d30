/* scores.c - finds the best score of each team in a list of games.
 *
 * It has a bug.  A team that never scored is said to have a best score that nobody ever reached.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

struct game {
    const char *team;
    int score;
};

struct summary {
    int games, best, sum;
};

static const struct game games[] = {
    {"Lions", 3}, {"Bears", 5}, {"Lions", 7}, {"Hawks", 0}, {"Bears", 2}, {"Hawks", 0}, {"Lions", 4},
};

enum { N_GAMES = sizeof games / sizeof *games };

static struct summary summarise(const char *team)
{
    struct summary s;
    s.games = s.sum = 0;
    for (int i = 0; i < N_GAMES; i++) {
        if (strcmp(games[i].team, team) != 0)
            continue;
        s.games++;
        s.sum += games[i].score;
        if (s.games == 1 && games[i].score > 0)
            s.best = games[i].score;
        else if (games[i].score > s.best)
            s.best = games[i].score;
    }
    return s;
}

/* A checksum of the list, to see whether it changed. */
static unsigned checksum(void)
{
    unsigned words[64], sum = 0;
    for (int i = 0; i < 64; i++)
        words[i] = 1000 + (unsigned)games[i % N_GAMES].score;
    for (int i = 0; i < 64; i++)
        sum = sum * 31 + words[i];
    return sum;
}

static void report(const char *team)
{
    struct summary s = summarise(team);
    printf("%s: %d games, best %d\n", team, s.games, s.best);
    assert(s.best <= s.sum);
}

int main(void)
{
    report("Lions");
    unsigned before = checksum();
    report("Hawks");
    assert(checksum() == before);
    return 0;
}
