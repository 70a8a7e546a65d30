/* checkpoints.c - the list of checkpoints in an undo log: due, lost, cut, found, gone back to.  Freestanding (checkpoints.h). */
#include "time/checkpoints.h"

#include "base/check.h"

void ebb_checkpoints_init(ebb_checkpoints *l, ebb_checkpoint *items, size_t cap, uint64_t interval)
{
    *l = (ebb_checkpoints){.items = items, .cap = cap, .serial = l->serial, .interval = interval, .due = EBB_CHECKPOINT_NEVER, .drop = l->drop};
}

/* ---- the list ---- */

const ebb_checkpoint *ebb_checkpoints_at(const ebb_checkpoints *l, size_t i) { return &l->items[(l->first + i) % l->cap]; }

void ebb_checkpoints_forget_oldest(ebb_checkpoints *l)
{
    if (l->drop)
        l->drop(l->items[l->first].own);
    l->first = (l->first + 1) % l->cap;
    l->n--;
}

/* All but the oldest so many. */
static void leave(ebb_checkpoints *l, size_t n)
{
    for (size_t i = n; l->drop && i < l->n; i++)
        l->drop(ebb_checkpoints_at(l, i)->own);
    l->n = n;
}

void ebb_checkpoints_add(ebb_checkpoints *l, ebb_checkpoint c)
{
    ebb_check(l->cap > 0);
    if (l->n == l->cap)
        ebb_checkpoints_forget_oldest(l);
    c.serial = ++l->serial;
    l->items[(l->first + l->n++) % l->cap] = c;
    ebb_checkpoints_put_off(l, c.time);
}

void ebb_checkpoints_lose(ebb_checkpoints *l, uint64_t tail)
{
    while (l->n > 0 && l->items[l->first].position < tail) {
        ebb_checkpoints_forget_oldest(l);
        l->cut_by = NULL;
    }
}

void ebb_checkpoints_cut(ebb_checkpoints *l, const char *why, uint64_t now)
{
    leave(l, 0);
    l->cut_by = why;
    l->due = now;
}

void ebb_checkpoints_forget_since(ebb_checkpoints *l, uint64_t serial)
{
    size_t n = l->n;
    while (n > 0 && ebb_checkpoints_at(l, n - 1)->serial > serial)
        n--;
    leave(l, n);
}

/* ---- looking ---- */

const ebb_checkpoint *ebb_checkpoints_newest(const ebb_checkpoints *l) { return l->n > 0 ? ebb_checkpoints_at(l, l->n - 1) : NULL; }

uint64_t ebb_checkpoints_oldest(const ebb_checkpoints *l) { return l->n > 0 ? ebb_checkpoints_at(l, 0)->time : UINT64_MAX; }

bool ebb_checkpoints_find(const ebb_checkpoints *l, ebb_position moment, ebb_checkpoint_place *place, void *self, size_t *i)
{
    size_t low = 0, high = l->n; /* those before low are not after the moment, those from high on are */
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        const ebb_checkpoint *c = ebb_checkpoints_at(l, mid);
        if (c->time < moment.timestamp || (c->time == moment.timestamp && place(c, self) <= moment.place))
            low = mid + 1;
        else
            high = mid;
    }
    *i = low - 1;
    return low > 0;
}

/* ---- going back ---- */

void ebb_checkpoints_went_back(ebb_checkpoints *l, size_t i)
{
    ebb_check(i < l->n);
    leave(l, i + 1);
    ebb_checkpoints_put_off(l, ebb_checkpoints_at(l, i)->time);
}
