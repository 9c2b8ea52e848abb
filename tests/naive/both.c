/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/naive/both.h"

static uint64_t naive_run_unclamped(struct naive_cell *cell)
{
	naive_run(cell);
	return 0;
}

struct implementation naive_implementation = { naive_run_unclamped };
struct implementation real_implementation = { real_run };
