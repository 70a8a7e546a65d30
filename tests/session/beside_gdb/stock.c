/* Built with sanitizers: where variables live, and where a report stops. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct part {
    char name[12];
    int count;
    double price;
    struct part *next;
};

static struct part *parts;
int n_parts;

static struct part *add(const char *name, int count, double price)
{
    struct part *made = malloc(sizeof *made);
    strncpy(made->name, name, sizeof made->name - 1);
    made->name[sizeof made->name - 1] = '\0';
    made->count = count;
    made->price = price;
    made->next = parts;
    parts = made;
    n_parts++;
    return made;
}

static double worth(const struct part *from)
{
    double totals[4] = {0};
    int i = 0;
    for (const struct part *p = from; p; p = p->next)
        totals[i++ & 3] += p->count * p->price;
    return totals[0] + totals[1] + totals[2] + totals[3];
}

static int shift(int by)
{
    int one = 1;
    return one << by;
}

int main(int argc, char **argv)
{
    int counts[3] = {5, 7, 9};
    struct part local = {"local", 1, 0.5, NULL};
    add("bolt", counts[0], 0.25);
    add("nut", counts[1], 0.125);
    struct part *last = add("plate", counts[argc], 12);
    double all = worth(parts) + worth(&local);
    int wide = shift(3 + 30 * argc);
    printf("%g %d %s\n", all, wide, last->name);
    free(parts->next);
    int gone = argc > 1 ? 0 : parts->next->count;
    printf("%d %s\n", gone, argv[0] ? "end" : "");
    return 0;
}
