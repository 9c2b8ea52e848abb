/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/gridengine/audit.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"

#define HELD_UP "cleared-by-tc"

/* Starts */

int audit_start_add(struct audit_starts *s, const struct audit_start *start, const char *text)
{
	char *copy = strdup(text);

	if (!copy || ((s->n & (s->n - 1)) == 0 && array_grow(&s->items, s->n ? 2 * s->n : 1, sizeof(*s->items)))) {
		free(copy);
		return -ENOMEM;
	}
	s->items[s->n] = *start;
	s->items[s->n++].text = copy;
	return 0;
}

void audit_starts_cut(struct audit_starts *s, size_t n)
{
	while (s->n > n)
		free(s->items[--s->n].text);
}

const struct audit_start *audit_start_find(const struct audit_starts *s, uint32_t job_number)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->items[i].job_number == job_number)
			return &s->items[i];
	return NULL;
}

static size_t in_common(const struct audit *a)
{
	size_t i = 0;

	while (i < a->theirs.n && i < a->ours.n && strcmp(a->theirs.items[i].text, a->ours.items[i].text) == 0)
		i++;
	return i;
}

/*
 * The last one up to `most`, or else the first one behind it, before which something else happened.
 */
static size_t border(const struct audit_starts *s, size_t most)
{
	size_t i;

	for (i = most < s->n ? most : s->n; i > 0; i--)
		if (i < s->n && s->items[i].apart)
			return i;
	for (i = most + 1; i < s->n; i++)
		if (s->items[i].apart)
			return i;
	return s->n;
}

size_t audit_run_end(const struct audit *a, bool *certain)
{
	size_t common = in_common(a), end = a->theirs.n;

	if (common < a->theirs.n) {
		end = border(&a->theirs, common);
		if (common == a->ours.n && end <= common)
			end = common;
	}
	*certain = true;
	for (size_t i = 1; i <= common && i < a->theirs.n; i++)
		*certain &= !a->theirs.items[i].apart;
	return end;
}

void audit_starts_compare(struct audit *a)
{
	a->agreeing = in_common(a);
	a->starts_differ = a->agreeing < a->theirs.n || a->agreeing < a->ours.n;
}

/* Numbers */

static const char *const names[AUDIT_NUMBERS] = {
	"prior", "ntckts", "nurg", "npprior", "urg", "rrcontr", "wtcontr", "dlcontr", "tckts", "otckt", "ftckt", "stckt", "share",
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

static bool is_printed_alike(enum audit_number number, double a, double b)
{
	char x[32], y[32];

	if (a == b)
		return true;
	audit_number_print(number, a, x);
	audit_number_print(number, b, y);
	return strcmp(x, y) == 0;
}

static void difference_note(struct audit *a, const struct audit_difference *d)
{
	bool farther = fabs(d->theirs - d->ours) > fabs(a->worst.theirs - a->worst.ours);

	if (a->differing == 0 || (a->worst.defect && !d->defect) || (farther && !a->worst.defect == !d->defect))
		a->worst = *d;
	a->differing++;
	a->defects += d->defect != NULL;
}

/* No job has a POSIX priority of 0 that a run has shown: what is 0 there was not told of. */
void audit_row_compare(struct audit *a, const struct audit_row *theirs, const struct audit_row *ours, bool tickets, bool held_up)
{
	const char *defect = held_up && theirs->values[AUDIT_NPPRIOR] == 0 ? HELD_UP : NULL;

	if (theirs->values[AUDIT_NPPRIOR] == 0 && !held_up)
		return;
	for (int k = 0; k < (tickets ? AUDIT_NUMBERS : AUDIT_TCKTS); k++) {
		a->numbers++;
		if (!is_printed_alike(k, theirs->values[k], ours->values[k]))
			difference_note(a, &(struct audit_difference){ ours->job_number, ours->task, k, theirs->values[k], ours->values[k], defect });
	}
}

bool audit_is_equal(const struct audit *a)
{
	return !a->starts_differ && a->differing == a->defects;
}

static void starts_clear(struct audit_starts *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->items[i].text);
	free(s->items);
}

void audit_clear(struct audit *a)
{
	starts_clear(&a->theirs);
	starts_clear(&a->ours);
	*a = (struct audit){ 0 };
}
