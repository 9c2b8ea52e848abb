/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/gridengine/audit.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"

#define HELD_UP "cleared-by-tc"

/* Starts */

int audit_start_add(struct audit_starts *starts, const struct audit_start *start, const char *text)
{
	char *copy = strdup(text);

	if (!copy || ((starts->n & (starts->n - 1)) == 0 &&
		      array_grow(&starts->items, starts->n ? 2 * starts->n : 1, sizeof(*starts->items)))) {
		free(copy);
		return -ENOMEM;
	}
	starts->items[starts->n] = *start;
	starts->items[starts->n++].text = copy;
	return 0;
}

void audit_starts_cut(struct audit_starts *starts, size_t n)
{
	while (starts->n > n)
		free(starts->items[--starts->n].text);
}

const struct audit_start *audit_start_find(const struct audit_starts *starts, uint32_t job_number)
{
	for (size_t i = 0; i < starts->n; i++)
		if (starts->items[i].job_number == job_number)
			return &starts->items[i];
	return NULL;
}

static size_t in_common(const struct audit *audit)
{
	size_t i = 0;

	while (i < audit->theirs.n && i < audit->ours.n &&
	       strcmp(audit->theirs.items[i].text, audit->ours.items[i].text) == 0)
		i++;
	return i;
}

/*
 * Return the last border up to `most`, or else the first border after it. A border is the index of
 * a start with `apart`.
 */
static size_t border(const struct audit_starts *starts, size_t most)
{
	size_t i;

	for (i = most < starts->n ? most : starts->n; i > 0; i--)
		if (i < starts->n && starts->items[i].apart)
			return i;
	for (i = most + 1; i < starts->n; i++)
		if (starts->items[i].apart)
			return i;
	return starts->n;
}

size_t audit_run_end(const struct audit *audit, bool *certain)
{
	size_t common = in_common(audit), end = audit->theirs.n;

	if (common < audit->theirs.n) {
		end = border(&audit->theirs, common);
		if (common == audit->ours.n && end <= common)
			end = common;
	}
	*certain = true;
	for (size_t i = 1; i <= common && i < audit->theirs.n; i++)
		*certain &= !audit->theirs.items[i].apart;
	return end;
}

void audit_starts_compare(struct audit *audit)
{
	audit->agreeing = in_common(audit);
	audit->starts_differ = audit->agreeing < audit->theirs.n || audit->agreeing < audit->ours.n;
}

/* Numbers */

static const char *const names[AUDIT_NUMBERS] = {
	"prior", "ntckts", "nurg", "npprior", "urg", "rrcontr", "wtcontr", "dlcontr", "tckts", "otckt", "ftckt",
	"stckt", "share",
};

const char *audit_number_name(enum audit_number number)
{
	return names[number];
}

void audit_number_print(enum audit_number number, double value, char text[32])
{
	if (!isfinite(value))
		value = 0;
	if (number <= AUDIT_NPPRIOR)
		snprintf(text, 32, "%.5f", value);
	else if (number == AUDIT_SHARE)
		snprintf(text, 32, "%.2f", value);
	else if (number >= AUDIT_TCKTS)
		snprintf(text, 32, "%.0f", trunc(value));
	else
		snprintf(text, 32, value > 99999999 ? "%.3g" : "%.0f", value);
	if (text[0] == '-' && strspn(text, "-0.") == strlen(text))	/* a zero has no sign */
		memmove(text, text + 1, strlen(text));
}

static bool is_printed_equal(enum audit_number number, double a, double b)
{
	char x[32], y[32];

	if (a == b)
		return true;
	audit_number_print(number, a, x);
	audit_number_print(number, b, y);
	return strcmp(x, y) == 0;
}

static void difference_note(struct audit *audit, const struct audit_difference *difference)
{
	bool farther = fabs(difference->theirs - difference->ours) > fabs(audit->worst.theirs - audit->worst.ours);

	if (audit->differing == 0 || (audit->worst.defect && !difference->defect) ||
	    (farther && !audit->worst.defect == !difference->defect))
		audit->worst = *difference;
	audit->differing++;
	audit->defects += difference->defect != NULL;
}

/*
 * Compare a row. No job in a run has a POSIX priority of 0, so 0 means that the job was not
 * reported.
 */
void audit_row_compare(struct audit *audit, const struct audit_row *theirs, const struct audit_row *ours, bool tickets,
		       bool held_up)
{
	const char *defect = held_up && theirs->values[AUDIT_NPPRIOR] == 0 ? HELD_UP : NULL;

	if (theirs->values[AUDIT_NPPRIOR] == 0 && !held_up)
		return;
	for (int k = 0; k < (tickets ? AUDIT_NUMBERS : AUDIT_TCKTS); k++) {
		audit->numbers++;
		if (!is_printed_equal(k, theirs->values[k], ours->values[k]))
			difference_note(audit,
					&(struct audit_difference){ ours->job_number, ours->task, k, theirs->values[k],
								    ours->values[k], defect });
	}
}

bool audit_is_equal(const struct audit *audit)
{
	return !audit->starts_differ && audit->differing == audit->defects;
}

static void starts_clear(struct audit_starts *starts)
{
	for (size_t i = 0; i < starts->n; i++)
		free(starts->items[i].text);
	free(starts->items);
}

void audit_clear(struct audit *audit)
{
	starts_clear(&audit->theirs);
	starts_clear(&audit->ours);
	*audit = (struct audit){ 0 };
}
