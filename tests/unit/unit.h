/* unit.h - what every unit test includes: cmocka wants these four in this order. */
#ifndef EBB_TESTS_UNIT_H
#define EBB_TESTS_UNIT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/error.h"

/* A call that may use `err`; where it fails, so does the test, with the error's text. */
#define assert_ok(call)                                                                            \
    do {                                                                                           \
        ebb_error err_ = {0};                                                                      \
        ebb_error *err = &err_;                                                                    \
        if ((call) != EBB_OK)                                                                      \
            fail_msg("%s: %s", #call, err_.text);                                                  \
    } while (0)

#endif
