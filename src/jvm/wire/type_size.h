/* type_size.h - how many bytes a value of a Java type has in a field or an array element, and on the wire of JDWP.
 *
 * A type is the first letter of its descriptor; V has none, references have eight. */
#ifndef EBB_JVM_WIRE_TYPE_SIZE_H
#define EBB_JVM_WIRE_TYPE_SIZE_H

static inline unsigned java_type_size(char type)
{
    switch (type) {
    case 'Z': case 'B': return 1;
    case 'C': case 'S': return 2;
    case 'I': case 'F': return 4;
    case 'V': return 0;
    default: return 8;
    }
}

#endif
