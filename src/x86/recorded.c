/* recorded.c - names for the kinds of recorded events. */
#include "x86/recorded.h"

#include <stddef.h>

const char *x86_recorded_text(unsigned kind)
{
    static const char *const texts[] = {
#define X86_RECORDED(name, text) [X86_RECORDED_##name - EBB_EVENT_MACHINE] = text,
#include "x86/recorded.def"
#undef X86_RECORDED
    };
    unsigned i = kind - EBB_EVENT_MACHINE;
    return i < sizeof texts / sizeof texts[0] ? texts[i] : NULL;
}
