/* origin_boxes.c - numbers in boxes that the class library shares (JO4). */
#include "session/java/origin_steps.h"

#include <string.h>

static bool is_box_class(const char *name)
{
    static const char *const names[] = {"Integer", "Long", "Short", "Byte", "Character", "Boolean"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, "java.lang.", 10) == 0 && strcmp(name + 10, names[i]) == 0)
            return true;
    return false;
}

static bool is_shared_number(char letter, uint64_t bits)
{
    enum { FIRST_SHARED = -128, LAST_SHARED = 127 };
    int64_t number = letter == 'J' ? (int64_t)bits : (int32_t)bits;
    return number >= FIRST_SHARED && number <= LAST_SHARED;
}

/* The value was read from the field of that object, which the stack slot holds. */
bool ses_java_follow_into_box(ses_java_chain *c, uint64_t object, ses_java_datum slot)
{
    java_class_id id;
    const java_class *cls;
    bool is_shared = object && is_shared_number(c->letter, c->bits) && jvm_remote_class_of(c->s->machine, object, &id, NULL) == EBB_OK &&
                     jvm_remote_class(c->s->machine, id, &cls, NULL) == EBB_OK && is_box_class(cls->name);
    if (!is_shared || strchr("FDL[", c->letter))
        return false;
    c->boxed.letter = c->letter;
    c->boxed.bits = c->bits;
    c->letter = 'L';
    c->bits = object;
    c->datum = slot;
    return true;
}

/* A box that is followed for its own sake: the number that valueOf was given says more than who made it. */
static bool takes_number(ses_java_chain *c, machine_tid thread, const java_frame *value_of, char letter)
{
    uint64_t bits;
    bool is_one = c->letter == 'L' && ses_java_chain_read(c, &(ses_java_datum){.kind = SES_JAVA_LOCAL, .thread = thread, .frame = value_of->id}, &bits);
    if (is_one) {
        c->boxed.letter = letter;
        c->boxed.bits = bits;
    }
    return is_one;
}

char ses_java_boxes(session *s, machine_place place)
{
    const java_class *cls = NULL;
    const java_method *method = ses_java_method(s, place, &cls);
    bool is_it = method && cls && strcmp(method->name, "valueOf") == 0 && is_box_class(cls->name) && strchr("IJSBCZ", method->descriptor[1]);
    return is_it ? method->descriptor[1] : 0;
}

/* The debuggee stands at the return of a method that returns the box. */
bool ses_java_follow_out_of_box(ses_java_chain *c, machine_tid thread, const java_frame *frame)
{
    char letter = ses_java_boxes(c->s, frame->place);
    if (!letter || (!c->boxed.letter && !takes_number(c, thread, frame, letter)))
        return false;
    c->letter = c->boxed.letter;
    c->bits = c->boxed.bits;
    c->boxed.letter = 0;
    return true;
}

/* The debuggee stands at the return of a number that reflection puts into a box, which is followed: the number is, from here on. */
bool ses_java_follow_reflected(ses_java_chain *c, machine_tid thread, const java_frame *callee, const java_effect *e)
{
    const java_class *cls = NULL;
    const java_method *method = ses_java_method(c->s, callee->place, &cls);
    char type = method ? strchr(method->descriptor, ')')[1] : 'L';
    ses_java_chain number = *c;
    if (c->letter != 'L' || !strchr("ZBCSIJFD", type))
        return false;
    ses_java_datum slot = ses_java_stack_slot(thread, callee->id, e->depth - ses_java_slots_of(type));
    if (!ses_java_chain_aim_at_slot(&number, &slot, type) || strcmp(number.text, c->text) != 0)
        return false;
    *c = number;
    c->boxed.letter = 0;
    return true;
}
