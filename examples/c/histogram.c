/* histogram.c - sorts marks from 0 to 100 into ten classes, keeps the latest of each, and draws them.
 *
 * It has a bug.  It crashes when it looks at its scale, which was right when the program began.
 */
#include <stdio.h>
#include <stdlib.h>

enum { N_CLASSES = 10, N_MARKS = 400 };

struct scale {
    const char *unit;
    int width;
};

struct histogram {
    int counts[N_CLASSES];
    int latest[N_CLASSES]; /* which mark was the last one of the class */
    const struct scale *scale;
};

static int marks[N_MARKS];

static void read_marks(void)
{
    unsigned seed = 12345;
    for (int i = 0; i < N_MARKS; i++) {
        seed = seed * 1103515245 + 12345;
        marks[i] = (int)(seed >> 16) % 100;
    }
    marks[277] = 100;
}

static struct histogram *make_histogram(const char *unit, int width)
{
    struct histogram *h = calloc(1, sizeof *h);
    struct scale *scale = malloc(sizeof *scale);
    *scale = (struct scale){unit, width};
    h->scale = scale;
    return h;
}

static void count(struct histogram *h, int i)
{
    int class = marks[i] / 10;
    h->counts[class]++;
    h->latest[class] = i;
}

static void draw(const struct histogram *h)
{
    for (int i = 0; i < N_CLASSES; i++) {
        printf("%3d %s ", i * 10, h->scale->unit);
        for (int j = 0; j < h->counts[i]; j += h->scale->width)
            putchar('#');
        printf(" (latest: %d)\n", h->latest[i]);
    }
}

int main(void)
{
    struct histogram *h = make_histogram("points", 5);
    read_marks();
    for (int i = 0; i < N_MARKS; i++)
        count(h, i);
    draw(h);
    return 0;
}
