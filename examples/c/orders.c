/* orders.c - reads orders from a file, one in a line (article;amount;price in cents), and makes the bill.
 *
 * It has a bug, or its file has.  The bill is far too high.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ORDERS = 64 };

struct order {
    char article[24];
    long amount, cents;
};

static struct order orders[MAX_ORDERS];
static int n_orders;

static void parse(struct order *o, const char *text)
{
    const char *semicolon = strchr(text, ';');
    snprintf(o->article, sizeof o->article, "%.*s", (int)(semicolon - text), text);
    char *end;
    o->amount = strtol(semicolon + 1, &end, 10);
    o->cents = strtol(end + 1, NULL, 10);
}

static void read_orders(const char *path)
{
    char line[100];
    FILE *f = fopen(path, "r");
    if (!f) {
        perror(path);
        exit(2);
    }
    for (int number = 1; n_orders < MAX_ORDERS && fgets(line, sizeof line, f); number++) {
        line[strcspn(line, "\n")] = '\0';
        if (*line && *line != '#')
            parse(&orders[n_orders++], line);
    }
    fclose(f);
}

static long bill(const struct order **worst)
{
    long sum = 0;
    *worst = orders;
    for (int i = 0; i < n_orders; i++) {
        long cost = orders[i].amount * orders[i].cents;
        if (cost > (*worst)->amount * (*worst)->cents)
            *worst = &orders[i];
        sum += cost;
    }
    return sum;
}

int main(int argc, char **argv)
{
    const struct order *worst;
    read_orders(argc > 1 ? argv[1] : "orders.txt");
    long sum = bill(&worst);
    printf("%d orders, %ld.%02ld in all, of which %s: %ld.%02ld\n", n_orders, sum / 100, sum % 100, worst->article,
           worst->amount * worst->cents / 100, worst->amount * worst->cents % 100);
    return sum > 100000;
}
