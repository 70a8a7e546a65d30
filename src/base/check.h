/* check.h - checks that stay on in release.
 *
 * A failed check means that ebb itself is wrong: it prints where and why, and aborts, so that no
 * answer made from broken state ever reaches a user.  What the world does wrong (a bad file, a dead
 * process, no memory) is never a check but an ebb_status: see error.h. */
#ifndef EBB_BASE_CHECK_H
#define EBB_BASE_CHECK_H

#define ebb_check(cond)                                                                            \
    do {                                                                                           \
        if (__builtin_expect(!(cond), 0))                                                          \
            ebb_check_failed(__FILE__, __LINE__, #cond);                                           \
    } while (0)

/* Marks a place that the invariants of the module exclude. */
#define ebb_unreachable() ebb_check_failed(__FILE__, __LINE__, "unreachable")

_Noreturn void ebb_check_failed(const char *file, int line, const char *what);

#endif
