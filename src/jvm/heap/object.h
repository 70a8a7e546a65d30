/* object.h - how objects and arrays lie in memory, and the only ways C code reads and writes them.
 *
 * An object is a 12-byte header and its fields.  An array keeps its length in the 4 bytes after the
 * header, its elements start at byte 16.  References are plain 8-byte pointers; the collector never
 * moves an object (heap.h), so an address is an identity for as long as the object lives.
 *
 * The `mark` word is the identity hash or the lock:
 *     hhhh...hhh0   unlocked; 31 bits of identity hash, 0 = nobody asked yet
 *     cccc tttt 01  thin lock: thread id (16 bits), extra recursions (14 bits)
 *     iiii...ii 11  inflated: index of a jvm_monitor, which keeps the hash (threads/monitor.h)
 *
 * OB1  identity hashes come from a generator that is stepped each time one is first asked for: they
 *     depend on the execution alone, never on addresses.  Those of classes come from their names, so that linking something early
 *     or late makes no difference to the others;
 * OB2  C code outside the interpreter writes heap memory only through jvm_put_*, jvm_elem_put and
 *     jvm_array_store_bytes, so that the undo log and object flow see every write;
 * OB3  static fields live in the class's mirror (java.lang.Class object) after its instance fields,
 *     and are read and written like fields of the mirror. */
#ifndef EBB_JVM_HEAP_OBJECT_H
#define EBB_JVM_HEAP_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "jvm/flow/told.h"
#include "jvm/undo/keep.h"
#include "jvm/wire/type_size.h"

typedef struct jvm_class jvm_class;
typedef struct jvm_thread jvm_thread;

typedef struct jvm_obj {
    jvm_class *cls;
    uint32_t mark;
    int32_t length; /* arrays only; in other objects the first field may lie here */
} jvm_obj;

enum {
    JVM_HEADER_SIZE = 12,  /* fields start here */
    JVM_ARRAY_BASE = 16,   /* elements start here, whatever their type */
    JVM_OBJECT_ALIGN = 8,
};

/* One cell of locals, operand stack or argument list.  boolean, byte, char, short and int are an `i`;
 * long and double sit in the first of the two cells they take, the second holds nothing. */
typedef union jvm_slot {
    int32_t i;      /* hot code writes an int through j, the whole slot: slots are copied whole, and a processor
                       cannot forward a store of 4 bytes to a load of 8 */
    int64_t j;
    float f;
    double d;
    jvm_obj *a;
    uint64_t raw;
    void *p;
} jvm_slot;

/* Types as descriptor letters: Z B C S I J F D L [ V. */
static inline int jvm_type_slots(char type) { return type == 'V' ? 0 : type == 'J' || type == 'D' ? 2 : 1; }

/* Fields by byte offset from the start of the object. */
#define JVM_AT_(type, obj, offset) (*(type *)((char *)(obj) + (offset)))

static inline int32_t jvm_get_i32(const jvm_obj *o, size_t off) { return JVM_AT_(int32_t, o, off); }
static inline int64_t jvm_get_i64(const jvm_obj *o, size_t off) { return JVM_AT_(int64_t, o, off); }
static inline uint8_t jvm_get_u8(const jvm_obj *o, size_t off) { return JVM_AT_(uint8_t, o, off); }
static inline jvm_obj *jvm_get_ref(const jvm_obj *o, size_t off) { return JVM_AT_(jvm_obj *, o, off); }
jvm_slot jvm_get(const jvm_obj *o, size_t off, char type); /* widened as on the operand stack */

/* Before `nbytes` at `at` change: the undo log keeps them, and whoever watches the heap is told. */
extern void (*jvm_write_hook)(jvm_obj *o, void *at, size_t nbytes);
static inline void jvm_before_copy_(jvm_obj *o, void *at, size_t nbytes) /* and jvm_flow_copied is told, too */
{
    jvm_undo_keep_heap(at, nbytes);
    if (__builtin_expect(jvm_write_hook != NULL, 0))
        jvm_write_hook(o, at, nbytes);
}
static inline void jvm_before_write_(jvm_obj *o, void *at, size_t nbytes)
{
    jvm_flow_written(o, at, nbytes);
    jvm_before_copy_(o, at, nbytes);
}

static inline void jvm_put_i32(jvm_obj *o, size_t off, int32_t v)
{
    jvm_before_write_(o, (char *)o + off, 4);
    JVM_AT_(int32_t, o, off) = v;
}
static inline void jvm_put_i64(jvm_obj *o, size_t off, int64_t v)
{
    jvm_before_write_(o, (char *)o + off, 8);
    JVM_AT_(int64_t, o, off) = v;
}
static inline void jvm_put_u8(jvm_obj *o, size_t off, uint8_t v)
{
    jvm_before_write_(o, (char *)o + off, 1);
    JVM_AT_(uint8_t, o, off) = v;
}
static inline void jvm_put_ref(jvm_obj *o, size_t off, jvm_obj *v)
{
    jvm_before_write_(o, (char *)o + off, 8);
    JVM_AT_(jvm_obj *, o, off) = v;
}
void jvm_put(jvm_obj *o, size_t off, char type, jvm_slot v); /* narrowed to the type */

/* Array elements.  No bounds or store check: the caller has made them. */
static inline void *jvm_array_data(const jvm_obj *array) { return (char *)array + JVM_ARRAY_BASE; }
static inline jvm_obj *jvm_elem_ref(const jvm_obj *array, int32_t i)
{
    return ((jvm_obj **)jvm_array_data(array))[i];
}
static inline void jvm_elem_put_ref(jvm_obj *array, int32_t i, jvm_obj *v)
{
    jvm_put_ref(array, JVM_ARRAY_BASE + (size_t)i * 8, v);
}
/* Copies bytes into an array's data (from outside the heap). */
void jvm_array_store_bytes(jvm_obj *array, size_t at_byte, const void *bytes, size_t nbytes);

/* Identity hash (OB1); 0 for NULL. */
int32_t jvm_identity_hash(jvm_obj *o);
uint32_t jvm_identity_hashes(void); /* changes whenever the generator is stepped */
uint32_t jvm_identity_hash_known(const jvm_obj *o); /* 0: nobody asked yet */

/* instanceof, for classes and objects; a NULL object is an instance of nothing. */
bool jvm_is_subclass(const jvm_class *sub, const jvm_class *super); /* also equal, interface, array */
bool jvm_instance_of(const jvm_obj *o, const jvm_class *cls);

#endif
