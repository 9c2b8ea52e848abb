/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deliveries of a Grid Engine qmaster in sequence: four bytes with the length, and the data of a
 * report. Event numbers are kept. After an unexpected number everything is taken as after a new
 * registration. At the end a run is made and displayed, and the state kept beside the mirror must
 * match it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/mirror/tables.h"
#include "sched/qmaster/gridengine/take.h"
#include "tests/fuzz/support.h"
#include "tests/gridengine/alone.h"

static char cell[256];

static void cell_make(void)
{
	if (*cell)
		return;
	scratch_copy("conf/default", "take");
	scratch_path(cell, "take");
	alone_is_silent = true;
}

#ifdef BROKEN			/* copied ids are shared, and freed twice */
int __wrap_ranges_copy(struct ranges *to, const struct ranges *from);

int __wrap_ranges_copy(struct ranges *to, const struct ranges *from)
{
	*to = *from;
	return 0;
}
#endif

/*
 * Check that every known job is in the mirror and that its tasks are started there exactly if they
 * are known as started.
 */
static void known_look(const struct known *known, const struct state *state)
{
	size_t jobs = 0;

	for (uint32_t row = 0; row < state->jobs.rows; row++) {
		const struct known_job *job = state->jobs.kind[row] || state->jobs.first_task[row] != NONE
						      ? known_job(known, job_fact(&state->jobs, row, number))
						      : NULL;
		const struct known_task *task = NULL;

		if (!job)
			continue;
		jobs++;
		while ((task = known_task_next(known, job, task)))
			MUST(task->reported == (tasks_find(state, row, task->id) != NONE) &&
			     task->job_number == job->job_number);
	}
	MUST(jobs <= state->jobs.used);
}

static void delivery_take(struct sge *sge, struct fuzz_sched *sched, unsigned char *bytes, size_t n)
{
	struct gdi_buffer buffer = { bytes, bytes + n };
	struct error error = { "" };
	struct gdi_list reports, events;
	struct gdi_element report;
	uint64_t refused = sge->refused;
	int rc = gdi_take_header(&buffer, &error);

	rc = rc ? rc : gdi_take_list(&buffer, &reports, &error);
	rc = rc ? rc : gdi_take_end(&buffer, &error);
	if (rc || !gdi_next(&reports, &report)) {
		fuzz_taken(false);
		return;
	}
	events = gdi_list(&report, REP_list);
	rc = take_delivery(sge, &events, &error);
	MUST(rc == 0 || rc == -EPROTO);
	MUST(rc == 0 || *error.text);
	fuzz_taken(rc == 0 && sge->refused == refused);
	MUST(!mirror_in_snapshot(sched->intake.mirror) && !sge->take->before);
	if (rc) {
		take_registered(sge);
		sge->take->next = 0;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sge sge = { 0 };
	struct fuzz_sched sched;
	struct error error;

	cell_make();
	MUST(fuzz_sched_open(&sched, cell));
	sge.intake = &sched.intake;
	MUST(take_open(&sge, &error) == 0);
	for (size_t at = 0; at + 4 <= size;) {
		size_t n =
			(size_t)data[at] << 24 | (size_t)data[at + 1] << 16 | (size_t)data[at + 2] << 8 | data[at + 3];
		unsigned char *bytes;

		at += 4;
		n = n < size - at ? n : size - at;
		bytes = malloc(n ? n : 1);
		MUST(bytes != NULL);
		memcpy(bytes, data + at, n);
		delivery_take(&sge, &sched, bytes, n);
		free(bytes);
		at += n;
	}
	known_look(sge.known, sched_mirror(sched.sched)->state);
	fuzz_sched_run(&sched);
	MUST(fuzz_print(cell) > 0);
	take_close(&sge);
	fuzz_sched_close(&sched);
	return 0;
}
