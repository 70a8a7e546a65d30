/* Macros of the preprocessor, as -g3 tells them. */
#include <stdio.h>
#include "macros.h"
#define FOO 12
#define ADD(x, y) ((x) + (y))
#define STR(x) #x
#define CAT(a, b) a##b
#define XSTR(x) STR(x)
#define LOG(fmt, ...) printf(fmt, ##__VA_ARGS__)
#define SELF SELF + 1
#define EMPTY
#define NEXT(p) ((p)->next)
struct node {
    int v;
    struct node *next;
};
int main(void)
{
    int foobar = 5;
    struct node n = {1, 0};
#define LOCAL FOO + 1
    printf("%d\n", ADD(FOO, foobar));
#undef FOO
    LOG("%d\n", 0);
#define FOO 99
    return MUL(foobar, IN_HEADER) + (NEXT(&n) == 0) + FOO - 485;
}
