/* SPDX-License-Identifier: Apache-2.0 */
/* Place and start for people. */
#include "sched/cli/explain_place.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sched/cli/cells.h"
#include "sched/cli/text.h"
#include "sched/dispatch/why.h"

#define SUM_COLUMNS 4
#define SUM_ROWS 10			/* of users, of projects */
#define WHY_BYTES 1024

static const char *ordinal(uint64_t n)
{
	if (n / 10 % 10 == 1)
		return "th";
	return n % 10 == 1 ? "st" : n % 10 == 2 ? "nd" : n % 10 == 3 ? "rd" : "th";
}

/* Who is ahead */

static void sum_cells(const struct place_sum *s, table_cell *row)
{
	cell_text(row[0], *s->name ? s->name : "(none)");
	snprintf(row[1], CELL_BYTES, "%" PRIu64, s->jobs);
	snprintf(row[2], CELL_BYTES, "%" PRIu64, s->tasks);
	snprintf(row[3], CELL_BYTES, "%" PRIu64, s->slots);
}

static void put_sums(struct out *o, const char *of, const struct place_sum *sums, size_t n)
{
	table_cell heads[SUM_COLUMNS] = { "", "jobs", "tasks", "slots" }, row[SUM_COLUMNS];
	struct cells c = { .columns = SUM_COLUMNS };
	size_t shown = n < SUM_ROWS ? n : SUM_ROWS;
	char text[80];

	cell_text(heads[0], of);
	for (size_t i = 0; i < shown; i++) {
		sum_cells(&sums[i], row);
		cells_measure(&c, row);
	}
	cells_heads(&c, o, heads);
	for (size_t i = 0; i < shown; i++) {
		sum_cells(&sums[i], row);
		cells_print(&c, o, row);
	}
	if (shown == n)
		return;
	snprintf(text, sizeof(text), "  and %zu more\n", n - shown);
	out_text(o, text);
}

static bool has_projects(const struct standing_place *s)
{
	return s->nprojects > 1 || (s->nprojects == 1 && *s->projects->name);
}

static void put_place(struct out *o, const struct standing_place *s)
{
	char text[256];

	out_text(o, "\nPlace\n");
	if (s->rank == 0) {
		out_text(o, "  None: only jobs that can be started have one.\n");
		return;
	}
	snprintf(text, sizeof(text), "  %" PRIu64 "%s of %" PRIu64 " pending job%s that can be started", s->rank, ordinal(s->rank), s->jobs,
		 plural(s->jobs));
	out_text(o, text);
	if (s->unable) {
		snprintf(text, sizeof(text), "; %" PRIu64 " more wait%s for something else", s->unable, s->unable == 1 ? "s" : "");
		out_text(o, text);
	}
	out_text(o, ".\n");
	if (s->rank == 1)
		return;
	snprintf(text, sizeof(text), "  Ahead of it: %" PRIu64 " job%s with %" PRIu64 " task%s, which ask for %" PRIu64 " slot%s; right before it job %u.\n",
		 s->ahead.jobs, plural(s->ahead.jobs), s->ahead.tasks, plural(s->ahead.tasks), s->ahead.slots, plural(s->ahead.slots), s->next);
	out_text(o, text);
	put_sums(o, "user", s->users, s->nusers);
	if (has_projects(s))
		put_sums(o, "project", s->projects, s->nprojects);
}

/* Why it does not start */

double why_missing(const struct fl_why *why)
{
	static const char *const amounts[] = { "consumable", "slots", "quota", "pe_slots", "pe_hosts", "concurrency_limit" };

	for (size_t i = 0; i < sizeof(amounts) / sizeof(*amounts); i++)
		if (strcmp(why->kind, amounts[i]) == 0 && why->wanted > why->had && isfinite(why->wanted - why->had))
			return why->wanted - why->had;
	return 0.0;
}

/* "; 2 are missing there" */
static void put_missing(struct out *o, const struct fl_why *why)
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
	out_text(o, text);
}

static void put_reasons(struct out *o, const struct outlook *l)
{
	char text[WHY_BYTES];
	struct fl_why why;
	size_t k = 0;

	out_text(o, "\nWhy it does not start\n");
	for (; !o->error && fl_why(l->view, l->job.job_number, k, &why) == 0; k++) {
		fl_why_text(&why, text, sizeof(text));
		out_text(o, "  ");
		text_plain(o, text);
		put_missing(o, &why);
		out_text(o, "\n");
	}
	if (k == 0)
		out_text(o, "  The run has found no reason.\n");
}

void outlook_text(struct out *o, const struct outlook *l)
{
	bool waits = !l->job.is_started;

	if (waits && l->wants_place)
		put_place(o, &l->standing);
	if (waits && l->has_advices)
		advices_text(o, l);
	if (waits && l->wants_start)
		put_reasons(o, l);
	if (l->has_starting)
		when_text(o, l);
	if (!*l->untold.text)
		return;
	out_text(o, "\nNot looked for: ");
	text_plain(o, l->untold.text);
	out_text(o, ".\n");
}
