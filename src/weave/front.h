/* front.h - a method in front of another: it gets the name, does something, and then calls the other one, which is private and has a new name.
 *
 * That is how something is done before the monitor of a synchronized method is entered. */
#ifndef EBB_WEAVE_FRONT_H
#define EBB_WEAVE_FRONT_H

#include "weave/classfile.h"

/* `before`: instructions without jumps that leave the stack as it is and need no more than two slots of it.  The method itself stays where it is; the new
 * one comes after all others.  What its other attributes say (annotations, exceptions) stays with it. */
void weave_put_front(weave_class *cls, uint32_t method, weave_span before);

#endif
