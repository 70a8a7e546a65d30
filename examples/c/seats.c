/* seats.c - two booking desks sell the seats of a theatre, each in a thread of its own.
 *
 * It has a bug.  Some seats are sold twice: two customers hold a ticket for the same seat.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { N_SEATS = 40, N_DESKS = 2 };

struct desk {
    int number;
    int tickets[N_SEATS], n_tickets;
};

static int owner[N_SEATS]; /* the desk that sold it; 0: it is free */
static struct desk desks[N_DESKS] = {{.number = 1}, {.number = 2}};
static int receipts; /* a pipe to the printer of receipts */

static void print_receipt(int desk, int seat)
{
    char text[40];
    int n = snprintf(text, sizeof text, "desk %d, seat %d\n", desk, seat);
    if (write(receipts, text, (size_t)n) != n)
        perror("printer");
}

static int first_free_seat(void)
{
    for (int i = 0; i < N_SEATS; i++)
        if (!owner[i])
            return i;
    return -1;
}

static void *sell(void *arg)
{
    struct desk *desk = arg;
    int seat;
    while ((seat = first_free_seat()) >= 0) {
        print_receipt(desk->number, seat);
        sched_yield(); /* the customer looks for the money */
        owner[seat] = desk->number;
        desk->tickets[desk->n_tickets++] = seat;
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[N_DESKS];
    FILE *printer = fopen("/dev/null", "w");
    receipts = fileno(printer);
    for (int i = 0; i < N_DESKS; i++)
        pthread_create(&threads[i], NULL, sell, &desks[i]);
    for (int i = 0; i < N_DESKS; i++)
        pthread_join(threads[i], NULL);
    int sold = desks[0].n_tickets + desks[1].n_tickets, seat = desks[0].tickets[0];
    printf("%d seats, %d tickets, seat %d is of desk %d\n", N_SEATS, sold, seat, owner[seat]);
    assert(sold == N_SEATS);
    return 0;
}
