/* everyday.c - what a first day brings: null pointers, wide strings, arrays, nested functions, a library function without types. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
struct node { int a; struct node *next; };
static struct node *head;
static char buf[16];
static wchar_t wide[] = L"wide text";
static unsigned short half[] = {104, 97, 108, 102, 0};
static int table[2][3] = {{1, 2, 3}, {4, 5, 6}};
static int outer(int n)
{
    int k = n * 2;
    int inner(int m) { int z = m + k; return z; }
    return inner(3);
}
int main(int argc, char **argv)
{
    strcpy(buf, "hello");
    int x = argc + outer(4);
    head = malloc(sizeof *head);
    head->a = 5;
    head->a = 6;
    printf("%d %d %s %ls %d\n", x, head->a, buf, wide, half[0] + table[1][1]);
    return argv == 0;
}
