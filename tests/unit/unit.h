/* unit.h - what every unit test includes: cmocka wants these four in this order. */
#ifndef EBB_TESTS_UNIT_H
#define EBB_TESTS_UNIT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#endif
