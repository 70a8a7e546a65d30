/* A binary tree of random numbers. */
#include <stdlib.h>

struct node {
    struct node *left, *right;
    unsigned value;
};

static void insert(struct node **at, unsigned value)
{
    while (*at)
        at = value < (*at)->value ? &(*at)->left : &(*at)->right;
    *at = calloc(1, sizeof **at);
    (*at)->value = value;
}

static long count(const struct node *n)
{
    return n ? 1 + count(n->left) + count(n->right) : 0;
}

int main(void)
{
    struct node *root = NULL;
    unsigned seed = 1;
    enum { N = 1000000 };
    for (int i = 0; i < N; i++)
        insert(&root, seed = seed * 1664525 + 1013904223);
    long total = 0;
    for (int i = 0; i < 10; i++)
        total += count(root);
    return total == 10L * N ? 0 : 1;
}
