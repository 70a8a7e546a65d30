/* mem.h - memory from the heap, never NULL.
 *
 * ebb asks the heap for bounded things only: sizes read from foreign files are checked against the
 * file before they get here.  A machine that can't give us these is lost, so running out ends the
 * program with one line (exit status 70) instead of a status in every signature.
 *
 * For tests, EBB_FAIL_ALLOC=N makes the N-th allocation fail. */
#ifndef EBB_BASE_MEM_H
#define EBB_BASE_MEM_H

#include <stddef.h>
#include <stdlib.h>

void *ebb_alloc(size_t nbytes) __attribute__((malloc, returns_nonnull));  /* uninitialised */
void *ebb_zalloc(size_t nbytes) __attribute__((malloc, returns_nonnull)); /* zeroed */
void *ebb_realloc(void *p, size_t nbytes) __attribute__((returns_nonnull));
char *ebb_strdup(const char *text) __attribute__((malloc, returns_nonnull));
char *ebb_strndup(const char *text, size_t nbytes) __attribute__((malloc, returns_nonnull));
char *ebb_asprintf(const char *format, ...) __attribute__((format(printf, 1, 2), returns_nonnull));

/* A typed new: EBB_NEW(struct thing) is a zeroed struct thing *; free() releases it. */
#define EBB_NEW(type) ((type *)ebb_zalloc(sizeof(type)))

/* Growable arrays: `EBB_VEC(type)` declares { items, n, cap }, zero-initialised is empty. */
#define EBB_VEC(type)                                                                              \
    struct {                                                                                       \
        type *items;                                                                               \
        size_t n, cap;                                                                             \
    }

#define ebb_vec_push(vec, item)                                                                    \
    do {                                                                                           \
        if ((vec)->n == (vec)->cap)                                                                \
            (vec)->items = ebb_vec_grow((vec)->items, &(vec)->cap, sizeof *(vec)->items);          \
        (vec)->items[(vec)->n++] = (item);                                                         \
    } while (0)

#define ebb_vec_fini(vec)                                                                          \
    do {                                                                                           \
        free((vec)->items);                                                                        \
        (vec)->items = NULL;                                                                       \
        (vec)->n = (vec)->cap = 0;                                                                 \
    } while (0)

/* Removes item i, keeping the order of the others. */
#define ebb_vec_remove(vec, i)                                                                     \
    do {                                                                                           \
        size_t at_ = (i);                                                                          \
        memmove((vec)->items + at_, (vec)->items + at_ + 1,                                        \
                ((vec)->n - at_ - 1) * sizeof *(vec)->items);                                      \
        (vec)->n--;                                                                                \
    } while (0)

void *ebb_vec_grow(void *items, size_t *cap, size_t item_size);

#endif
