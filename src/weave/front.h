/* front.h - a method in front of another: it gets the name, calls something, and then the other one, which is private and has a new name.
 *
 * That is how something is done before the monitor of a synchronized method is entered. */
#ifndef EBB_WEAVE_FRONT_H
#define EBB_WEAVE_FRONT_H

#include "weave/classfile.h"

/* `first_call`: constant pool index of a static method without arguments or result.  The method itself stays where it is; the new one comes
 * after all others.  What its other attributes say (annotations, exceptions) stays with it. */
void weave_put_front(weave_class *cls, uint32_t method, uint16_t first_call);

#endif
