/* recorded.c - what there is to know of the kinds of recorded events. */
#include "x86/recorded.h"

#include <stddef.h>

static const char *text_of(unsigned kind)
{
    static const char *const texts[] = {
#define X86_RECORDED(name, text) [X86_RECORDED_##name - EBB_EVENT_MACHINE] = text,
#include "x86/recorded.def"
#undef X86_RECORDED
    };
    unsigned i = kind - EBB_EVENT_MACHINE;
    return i < sizeof texts / sizeof texts[0] ? texts[i] : NULL;
}

static bool comes_by_itself(unsigned kind)
{
    return kind == X86_RECORDED_SWITCH || kind == X86_RECORDED_SIGNAL || kind == X86_RECORDED_DEATH;
}

/* How the program ended is told by who ended it. */
static bool is_note(unsigned kind)
{
    return kind == EBB_EVENT_EXIT || kind == X86_RECORDED_MODULE || kind == X86_RECORDED_KEPT || kind == X86_RECORDED_DOUBT;
}

const ebb_kinds x86_recorded_kinds = {.text = text_of, .is_note = is_note, .comes_by_itself = comes_by_itself};
