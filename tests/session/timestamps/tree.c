/* Inlined functions, loops that count in a register, calls back from the library, code that is never executed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node { int key; struct node *left, *right; };
static struct node *root;
static int depth, worst;

static inline int compare(int a, int b)
{
    if (a < b)
        return -1;
    return a > b;
}

static struct node *make(int key)
{
    struct node *n = calloc(1, sizeof *n);
    if (!n)
        abort();
    n->key = key;
    return n;
}

static void insert(int key)
{
    struct node **at = &root;
    depth = 0;
    while (*at) {
        int c = compare(key, (*at)->key);
        if (c == 0)
            return;
        at = c < 0 ? &(*at)->left : &(*at)->right;
        depth++;
    }
    *at = make(key);
    if (depth > worst) {
        worst = depth;
        fprintf(stderr, "deeper: %d\n", worst);
    }
}

static long sum(const struct node *n)
{
    return n ? sum(n->left) + n->key + sum(n->right) : 0;
}

static int by_value(const void *a, const void *b)
{
    return compare(*(const int *)a, *(const int *)b);
}

int main(int argc, char **argv)
{
    int values[20];
    unsigned seed = 1;
    (void)argv;
    for (int i = 0; i < 20; i++) {
        seed = seed * 1103515245 + 12345;
        values[i] = (int)(seed >> 16 & 1023);
        insert(values[i]);
    }
    qsort(values, 20, sizeof *values, by_value);
    for (int i = 1; i < 20; i++)
        if (__builtin_expect(values[i - 1] > values[i], 0))
            abort();
    printf("%ld %d\n", sum(root), worst + argc);
    return 0;
}
