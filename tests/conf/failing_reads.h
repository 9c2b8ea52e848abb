/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cell that is read while memory runs out. Include after failing_memory.h, which defines
 * CAN_FAIL.
 */
#ifndef TESTS_CONF_FAILING_READS_H
#define TESTS_CONF_FAILING_READS_H

#include "tests/conf/cell_dir.h"

static struct cell_dir dir;

/*
 * Read with each allocation failing once, until none fails. The result is the cell, or -ENOMEM with
 * no memory held. A message without memory is no failure.
 */
static void read_with_failures(void)
{
	long n, before;
	bool failed;
	int error;

	for (n = 0, failed = true; failed; n++) {
		cell_dir_forget(&dir);
		before = alive;
		left = n;
		error = cell_load(&dir.cell, dir.path, &dir.report);
		failed = left < 0;
		left = -1;
		if (error == 0)
			continue;
		assert_true(failed);
		assert_int_equal(error, -ENOMEM);
		cell_dir_forget(&dir);
		assert_int_equal(alive, before);
	}
	assert_true(n > 200);
}

#endif
