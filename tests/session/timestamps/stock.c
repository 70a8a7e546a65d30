/* stock.c - a name that is too long writes over the number after it, on the heap. */
#include <stdlib.h>
#include <string.h>

struct item {
    char name[12];
    int quantity;
};

static void rename_item(struct item *item, const char *name)
{
    strcpy(item->name, name);
}

int main(void)
{
    struct item *item = calloc(1, sizeof *item);
    item->quantity = 5;
    item->quantity += 3;
    rename_item(item, "a long name indeed" + 4);
    item->quantity -= item->name[0] == 'n';
    return item->quantity == 8;
}
