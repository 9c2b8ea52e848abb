/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Table tests for both implementations: BOTH(test_...) in main's list runs a test with each of
 * them. The test gets the implementation as its state and calls compute().
 */
#ifndef TESTS_NAIVE_BOTH_H
#define TESTS_NAIVE_BOTH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/naive/cells.h"

struct implementation {
	uint64_t (*run)(struct naive_cell *cell);	/* returns how many values were clamped */
};

extern struct implementation naive_implementation, real_implementation;

#define BOTH(test) { #test " (naive)", test, NULL, NULL, &naive_implementation }, { #test, test, NULL, NULL, &real_implementation }

static inline void compute(void **state, struct naive_cell *cell)
{
	((struct implementation *)*state)->run(cell);
}

/* Check that values are equal to the last bit. Numbers are written with all significant digits. */
#define CHECK(value, expected) check_at(__FILE__, __LINE__, #value, value, expected)

static inline void check_at(const char *file, int line, const char *what, double value, double expected)
{
	if (value == expected)
		return;
	print_error("%s:%d: %s is %.17g, not %.17g\n", file, line, what, value, expected);
	_fail(file, line);
}

#endif
