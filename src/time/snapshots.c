/* snapshots.c - thinning: which snapshots go, so that the gaps between the others stay in proportion to their age. */
#include "time/snapshots.h"

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* How wide a gap may be at that time.  The nearer anchor decides: with one anchor only, somebody who looks at the middle of a long run would
 * find nothing near, or the end of the run would lose what is near to it while somebody is away from it. */
static uint64_t widest_gap(uint64_t timestamp, const ebb_thinning *how)
{
    uint64_t to_newest = distance(timestamp, how->newest), to_now = distance(timestamp, how->now);
    uint64_t gap = (to_newest < to_now ? to_newest : to_now) / EBB_SNAPSHOT_DENSITY;
    return gap > how->smallest_gap ? gap : how->smallest_gap;
}

/* From the newest to the oldest, each is looked at between the newer one that stays and its older neighbour: if the two
 * would do without it, it goes.  Of three in a row that stay, the outer ones are thus further apart than the widest gap,
 * which is SN3: along each doubling of the distance there is room for 4 * density of them. */
void ebb_snapshots_thin(const ebb_snapshot *snapshots, size_t n, const ebb_thinning *how, bool *drop)
{
    if (n == 0)
        return;
    size_t newer = n - 1;
    drop[n - 1] = false;
    for (size_t i = n - 1; i-- > 0;) {
        uint64_t gap = i > 0 ? snapshots[newer].at.timestamp - snapshots[i - 1].at.timestamp : 0;
        drop[i] = i > 0 && !snapshots[i].stays && gap <= widest_gap(snapshots[i].at.timestamp, how);
        if (!drop[i])
            newer = i;
    }
}

static double gap_without(const ebb_snapshot *snapshots, size_t i, const ebb_thinning *how)
{
    uint64_t at = snapshots[i].at.timestamp, to_newest = distance(at, how->newest), to_now = distance(at, how->now);
    uint64_t gap = snapshots[i + 1].at.timestamp - snapshots[i - 1].at.timestamp;
    return (double)gap / (double)((to_newest < to_now ? to_newest : to_now) + how->smallest_gap + 1);
}

size_t ebb_snapshots_least(const ebb_snapshot *snapshots, size_t n, const ebb_thinning *how)
{
    size_t least = n;
    for (size_t i = 1; i + 1 < n; i++)
        if (!snapshots[i].stays && (least == n || gap_without(snapshots, i, how) < gap_without(snapshots, least, how)))
            least = i;
    return least;
}
