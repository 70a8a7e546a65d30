/* labels.c - prints address labels: each in memory of its own, filled, sorted, printed, and freed.
 *
 * It has a bug.  The C library ends the program in free(): the heap is broken.  The label that is being freed is right;
 * something else wrote over the bookkeeping before it, long ago.  Ask who.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_PEOPLE = 6 };

struct person {
    const char *name, *street, *town;
};

static const struct person people[N_PEOPLE] = {
    {"Ada Lovelace", "St James's Square 12", "London"},
    {"Alan Turing", "Adlington Road 43", "Wilmslow"},
    {"Grace Hopper", "Ocean Avenue 200a", "New York"},
    {"Konrad Zuse", "Methfesselstr. 7a", "Berlin"},
    {"Kathleen Booth", "Vancouver Rd 11", "Surrey"},
    {"Edsger Dijkstra", "Plataanstr. 5", "Nuenen"},
};

static char *labels[N_PEOPLE];

/* Room for the three lines, each with its end. */
static size_t room_for(const struct person *p)
{
    return strlen(p->name) + strlen(p->street) + strlen(p->town) + 3;
}

static char *add_line(char *to, const char *text)
{
    size_t n = strlen(text);
    memcpy(to, text, n);
    to[n] = '\n';
    return to + n + 1;
}

static void fill_label(char *label, const struct person *p)
{
    char *end = label;
    end = add_line(end, p->name);
    end = add_line(end, p->street);
    end = add_line(end, p->town);
    *end = '\0';
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void drop_label(int i)
{
    char *label = labels[i];
    free(label);
    labels[i] = NULL;
}

int main(void)
{
    for (int i = 0; i < N_PEOPLE; i++)
        labels[i] = malloc(room_for(&people[i]));
    for (int i = 0; i < N_PEOPLE; i++)
        fill_label(labels[i], &people[i]);
    qsort(labels, N_PEOPLE, sizeof *labels, by_text);
    for (int i = 0; i < N_PEOPLE; i++)
        puts(labels[i]);
    for (int i = 0; i < N_PEOPLE; i++)
        drop_label(i);
    return 0;
}
