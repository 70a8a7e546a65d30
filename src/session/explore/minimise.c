/* minimise.c - delta debugging (Zeller, Hildebrandt 2002) over the turns of a schedule. */
#include "session/explore/internal.h"

#include <string.h>

/* All but the items from `from` to `to`. */
static void without(const explore_turns *all, size_t from, size_t to, explore_turns *out)
{
    out->n = 0;
    for (size_t i = 0; i < all->n; i++)
        if (i < from || i >= to)
            ebb_vec_push(out, all->items[i]);
}

/* One pass over parts of that size; whether anything went. */
static bool leave_out_parts(explore_turns *turns, size_t size, const explore_test *test)
{
    explore_turns rest = {0};
    bool any = false;
    for (size_t at = turns->n; at > 0;) { /* late turns first: what comes after the failure's cause goes at once */
        size_t from = at > size ? at - size : 0;
        without(turns, from, at, &rest);
        if (test->fails(test->self, &rest)) {
            memcpy(turns->items, rest.items, rest.n * sizeof *rest.items);
            turns->n = rest.n;
            any = true;
        }
        at = from;
    }
    ebb_vec_fini(&rest);
    return any;
}

void explore_minimise(explore_turns *turns, const explore_test *test)
{
    for (size_t size = turns->n; size > 0 && turns->n > 0;) {
        bool any = leave_out_parts(turns, size, test);
        if (size == 1 && !any)
            break;
        if (size > 1)
            size = (size + 1) / 2;
    }
}
