/* printed.c - a ring of the newest bytes that the program printed. */
#include "jvm/record/printed.h"

#include "base/check.h"
#include "jvm/undo/keep.h"

#include <unistd.h>

enum { RING = 1 << 20 };
static char ring[RING];
static uint64_t total, highest; /* printed by now; printed by the latest moment that this process has been at */

static void put(char c)
{
    ring[total++ % RING] = c;
    highest = total > highest ? total : highest;
}

void jvm_printed_note(int fd, const void *bytes, size_t nbytes)
{
    if (fd != STDOUT_FILENO && fd != STDERR_FILENO)
        return;
    jvm_undo_keep(&total, sizeof total);
    for (size_t i = 0; i < nbytes; i++)
        put(((const char *)bytes)[i]);
}

uint64_t jvm_printed_first(void) { return highest > RING ? highest - RING : 0; }
uint64_t jvm_printed_total(void) { return total; }

void jvm_printed_get(uint64_t from, void *to, size_t nbytes)
{
    ebb_check(from >= jvm_printed_first() && nbytes <= total - from);
    for (size_t i = 0; i < nbytes; i++)
        ((char *)to)[i] = ring[(from + i) % RING];
}
