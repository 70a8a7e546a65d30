/* shrunk.c - a SIGBUS in mapped bytes of a file puts a page of zeros there, and reading goes on. */
#include "front/cli/shrunk.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>

enum { PAGE = 4096 }; /* of x86-64 */

static bool put_zeros_at(void *address)
{
    void *page = (void *)((uintptr_t)address & ~(uintptr_t)(PAGE - 1));
    return mmap(page, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == page;
}

static void on_bus(int number, siginfo_t *info, void *context)
{
    if (info->si_code == BUS_ADRERR && put_zeros_at(info->si_addr))
        return;
    signal(number, SIG_DFL); /* SK1: it comes once more when this returns, and ends ebb */
    raise(number);
}

void cli_shrunk_survive(void)
{
    struct sigaction action = {.sa_sigaction = on_bus, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, NULL);
}
