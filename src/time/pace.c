/* pace.c - puts the next snapshot off until the last one was worth its price. */
#include "time/pace.h"

/* What the system takes to notice the first write to a shared page and to copy it: a microsecond on a computer of its own, two to three in a
 * virtual machine. */
enum { PAGE_NS = 2500 };

static uint64_t longer_of(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* From now to the next. */
static uint64_t gap_us(const ebb_pace_rule *rule, const ebb_pace_cost *cost)
{
    uint64_t interval = rule->interval_ms * 1000ull, most = EBB_PACE_MOST_INTERVALS * interval;
    uint64_t spent = cost->copying_us + cost->pages * PAGE_NS / 1000;
    if (rule->share == 0)
        return interval;
    if (spent > most / rule->share) /* PC3; also keeps the product below from growing out of its word */
        return most;
    return longer_of(interval, spent * rule->share);
}

void ebb_pace_begin(ebb_pace *pace, ebb_pace_rule rule, uint64_t now_us)
{
    *pace = (ebb_pace){.rule = rule, .due_us = now_us + rule.interval_ms * 1000ull};
}

bool ebb_pace_is_due(const ebb_pace *pace, uint64_t now_us)
{
    return pace->rule.interval_ms != 0 && now_us >= pace->due_us;
}

void ebb_pace_taken(ebb_pace *pace, const ebb_pace_cost *cost, uint64_t now_us)
{
    pace->due_us = now_us + gap_us(&pace->rule, cost);
}
