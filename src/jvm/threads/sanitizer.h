/* sanitizer.h - what the sanitizers have to be told of green threads; nothing in other builds.
 *
 * The address sanitizer keeps the bounds of the running stack and must hear of every switch; the leak
 * sanitizer looks for pointers in stacks it knows of, and in regions that it is told of: Java objects hold some. */
#ifndef EBB_JVM_THREADS_SANITIZER_H
#define EBB_JVM_THREADS_SANITIZER_H

#include "jvm/threads/thread.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#include <sanitizer/lsan_interface.h>

static inline void jvm_sanitizer_region_made(const void *from, size_t nbytes)
{
    __lsan_register_root_region(from, nbytes);
}

/* Frames poison parts of their stack, and a next owner of the addresses would inherit that. */
static inline void jvm_sanitizer_region_gone(const void *from, size_t nbytes)
{
    __lsan_unregister_root_region(from, nbytes);
    __asan_unpoison_memory_region(from, nbytes);
}

static inline void jvm_sanitizer_leave(jvm_thread *from, const jvm_thread *to, bool for_good)
{
    __sanitizer_start_switch_fiber(for_good ? NULL : &from->fake_stack, to->c_bottom, to->c_nbytes);
}

static inline void jvm_sanitizer_arrive(jvm_thread *t)
{
    __sanitizer_finish_switch_fiber(t->fake_stack, NULL, NULL);
}

static inline void jvm_sanitizer_exit(void) { __lsan_do_leak_check(); }

/* Which bytes of a stack may be touched is kept beside it: who puts the bytes back (undo/undo.h) would have to put that back too. */
static inline bool jvm_sanitizer_guards_stacks(void) { return true; }

#else

static inline void jvm_sanitizer_region_made(const void *from, size_t nbytes) { }
static inline void jvm_sanitizer_region_gone(const void *from, size_t nbytes) { }
static inline void jvm_sanitizer_leave(jvm_thread *from, const jvm_thread *to, bool for_good) { }
static inline void jvm_sanitizer_arrive(jvm_thread *t) { }
static inline void jvm_sanitizer_exit(void) { }
static inline bool jvm_sanitizer_guards_stacks(void) { return false; }

#endif
#endif
