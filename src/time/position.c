/* position.c - the order of positions. */
#include "time/position.h"

static int compare_u64(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

int ebb_position_compare(ebb_position a, ebb_position b)
{
    int by_time = compare_u64(a.timestamp, b.timestamp);
    return by_time ? by_time : compare_u64(a.place, b.place);
}
