/* SPDX-License-Identifier: Apache-2.0 */
/* Position and start of a job, as text. */
#include "sched/cli/explain/place.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sched/cli/cells.h"
#include "sched/cli/text.h"
#include "sched/dispatch/why/why.h"

#define SUM_COLUMNS 4
#define SUM_ROWS 10			/* rows of users and of projects */
#define WHY_BYTES 1024

static const char *ordinal(uint64_t n)
{
	if (n / 10 % 10 == 1)
		return "th";
	return n % 10 == 1 ? "st" : n % 10 == 2 ? "nd" : n % 10 == 3 ? "rd" : "th";
}

/* Jobs ahead */

static void sum_cells(const struct place_sum *sum, table_cell *row)
{
	cell_text(row[0], *sum->name ? sum->name : "(none)");
	snprintf(row[1], CELL_BYTES, "%" PRIu64, sum->jobs);
	snprintf(row[2], CELL_BYTES, "%" PRIu64, sum->tasks);
	snprintf(row[3], CELL_BYTES, "%" PRIu64, sum->slots);
}

static void put_sums(struct out *out, const char *of, const struct place_sum *sums, size_t n)
{
	table_cell heads[SUM_COLUMNS] = { "", "jobs", "tasks", "slots" }, row[SUM_COLUMNS];
	struct cells cells = { .columns = SUM_COLUMNS };
	size_t shown = n < SUM_ROWS ? n : SUM_ROWS;
	char text[80];

	cell_text(heads[0], of);
	for (size_t i = 0; i < shown; i++) {
		sum_cells(&sums[i], row);
		cells_measure(&cells, row);
	}
	cells_heads(&cells, out, heads);
	for (size_t i = 0; i < shown; i++) {
		sum_cells(&sums[i], row);
		cells_print(&cells, out, row);
	}
	if (shown == n)
		return;
	snprintf(text, sizeof(text), "  and %zu more\n", n - shown);
	out_text(out, text);
}

static bool has_projects(const struct standing_place *place)
{
	return place->nprojects > 1 || (place->nprojects == 1 && *place->projects->name);
}

static void put_place(struct out *out, const struct standing_place *place)
{
	char text[256];

	out_text(out, "\nPlace\n");
	if (place->rank == 0) {
		out_text(out, "  None: only jobs that can be started have one.\n");
		return;
	}
	snprintf(text, sizeof(text), "  %" PRIu64 "%s of %" PRIu64 " pending job%s that can be started", place->rank,
		 ordinal(place->rank), place->jobs, plural(place->jobs));
	out_text(out, text);
	if (place->unable) {
		snprintf(text, sizeof(text), "; %" PRIu64 " more wait%s for something else", place->unable,
			 place->unable == 1 ? "s" : "");
		out_text(out, text);
	}
	out_text(out, ".\n");
	if (place->rank == 1)
		return;
	snprintf(text, sizeof(text),
		 "  Ahead of it: %" PRIu64 " job%s with %" PRIu64 " task%s, which ask for %" PRIu64
		 " slot%s; right before it job %u.\n",
		 place->ahead.jobs, plural(place->ahead.jobs), place->ahead.tasks, plural(place->ahead.tasks),
		 place->ahead.slots, plural(place->ahead.slots), place->next);
	out_text(out, text);
	put_sums(out, "user", place->users, place->nusers);
	if (has_projects(place))
		put_sums(out, "project", place->projects, place->nprojects);
}

/* Reasons why it does not start */

double why_missing(const struct fl_why *why)
{
	static const char *const amounts[] = { "consumable", "slots",	 "quota",
					       "pe_slots",   "pe_hosts", "concurrency_limit" };

	for (size_t i = 0; i < sizeof(amounts) / sizeof(*amounts); i++)
		if (strcmp(why->kind, amounts[i]) == 0 && why->wanted > why->had && isfinite(why->wanted - why->had))
			return why->wanted - why->had;
	return 0.0;
}

/* Print "; 2 are missing there". */
static void put_missing(struct out *out, const struct fl_why *why)
{
	static const char *const units[] = { "", "K", "M", "G", "T" };
	double missing = why_missing(why);
	char text[100];
	size_t k = 0;

	if (missing <= 0.0)
		return;
	for (; why->unit == WHY_MEMORY && k < 4 && missing >= 1024; k++)
		missing /= 1024;
	snprintf(text, sizeof(text), "; missing%s: %.5g%s", *why->object ? " there" : "", missing, units[k]);
	out_text(out, text);
}

static void put_reasons(struct out *out, const struct outlook *outlook)
{
	char text[WHY_BYTES];
	struct fl_why why;
	size_t k = 0;

	out_text(out, "\nWhy it does not start\n");
	for (; !out->error && fl_why(outlook->view, outlook->job.job_number, k, &why) == 0; k++) {
		fl_why_text(&why, text, sizeof(text));
		out_text(out, "  ");
		text_plain(out, text);
		put_missing(out, &why);
		out_text(out, "\n");
	}
	if (k == 0)
		out_text(out, "  The run has found no reason.\n");
}

void outlook_text(struct out *out, const struct outlook *outlook)
{
	bool waits = !outlook->job.is_started;

	if (waits && outlook->wants_place)
		put_place(out, &outlook->standing);
	if (waits && outlook->has_advices)
		advices_text(out, outlook);
	if (waits && outlook->wants_start)
		put_reasons(out, outlook);
	if (outlook->has_starting)
		when_text(out, outlook);
	if (!*outlook->unreported.text)
		return;
	out_text(out, "\nNot computed: ");
	text_plain(out, outlook->unreported.text);
	out_text(out, ".\n");
}
