/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events of a qmaster: lines of fairlead-events(5) through the daemon's intake, with runs between
 * them and all displays. A line is an event without its number, which is added. "!" before it keeps
 * the line unchanged. "run" makes a run and reads it. "slurm" as the first line selects a cell with
 * Slurm's priorities. A run is always made at the end.
 */
#include <string.h>

#include "sched/process/ranges.h"
#include "tests/fuzz/support.h"

#define RUNS 6		/* in the middle of an input */

static char sge[256], slurm[256];

static void cells_make(void)
{
	if (*sge)
		return;
	scratch_copy("conf/default", "sge");
	scratch_copy("conf/multifactor", "slurm");
	scratch_path(sge, "sge");
	scratch_path(slurm, "slurm");
}

#ifdef BROKEN			/* copied ids are shared, and freed twice */
int __wrap_ranges_copy(struct ranges *to, const struct ranges *from);

int __wrap_ranges_copy(struct ranges *to, const struct ranges *from)
{
	*to = *from;
	return 0;
}
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct piece rest = { (const char *)data, size }, line;
	struct fuzz_sched sched;
	const char *cell;
	unsigned runs = 0;

	cells_make();
	cell = size >= 6 && memcmp(data, "slurm\n", 6) == 0 ? slurm : sge;
	MUST(fuzz_sched_open(&sched, cell));
	for (; piece_line(&rest, &line); piece_free(&line)) {
		if (piece_is(&line, "slurm") || line.length == 0)
			continue;
		if (piece_is(&line, "run") && runs++ < RUNS) {
			fuzz_sched_run(&sched);
			fuzz_print(cell);
			continue;
		}
		fuzz_sched_report(&sched, &line);
		fuzz_taken(!sched.refused);
	}
	fuzz_sched_run(&sched);
	MUST(fuzz_print(cell) > 0);
	fuzz_sched_close(&sched);
	return 0;
}
