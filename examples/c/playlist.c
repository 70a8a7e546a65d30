/* playlist.c - playlists of a music player: made, copied, sorted for a party.
 *
 * It has a bug.  After the party list was sorted, the morning list is in another order, too, though nobody touched it.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct track {
    const char *title;
    int seconds;
};

struct playlist {
    const char *name;
    struct track *tracks;
    int n, room;
};

static void add(struct playlist *list, const char *title, int seconds)
{
    if (list->n == list->room) {
        list->room = list->room ? 2 * list->room : 4;
        list->tracks = realloc(list->tracks, (size_t)list->room * sizeof *list->tracks);
    }
    list->tracks[list->n++] = (struct track){title, seconds};
}

static struct playlist copy(const struct playlist *from, const char *name)
{
    struct playlist list = *from;
    list.name = name;
    return list;
}

static void sort_by_length(struct playlist *list)
{
    for (int i = 1; i < list->n; i++) {
        struct track t = list->tracks[i];
        int j = i;
        for (; j > 0 && list->tracks[j - 1].seconds > t.seconds; j--)
            list->tracks[j] = list->tracks[j - 1];
        list->tracks[j] = t;
    }
}

static int length(const struct playlist *list)
{
    int sum = 0;
    for (int i = 0; i < list->n; i++)
        sum += list->tracks[i].seconds;
    return sum;
}

int main(void)
{
    struct playlist morning = {.name = "Morning"};
    add(&morning, "Gymnopedie No. 1", 185);
    add(&morning, "Clair de lune", 300);
    add(&morning, "Spring", 213);
    add(&morning, "Air", 324);
    struct playlist party = copy(&morning, "Party");
    sort_by_length(&party);
    printf("%s: %d seconds, %s: %d seconds\n", morning.name, length(&morning), party.name, length(&party));
    assert(strcmp(morning.tracks[1].title, "Clair de lune") == 0);
    return 0;
}
