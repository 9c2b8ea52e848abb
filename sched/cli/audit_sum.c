/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/cli/audit.h"

/* All texts of a run, behind each other in memory of their own. */
static int keep(struct audit_run_kept *kept, const struct audited *run)
{
	const char *const texts[] = { run->skipped, run->their, run->our, run->why, run->defect };
	const char **const places[] = { &kept->run.skipped, &kept->run.their, &kept->run.our, &kept->run.why, &kept->run.defect };
	size_t bytes = 0;
	char *p;

	for (size_t k = 0; k < sizeof(texts) / sizeof(*texts); k++)
		bytes += strlen(texts[k]) + 1;
	p = malloc(bytes);
	if (!p)
		return -ENOMEM;
	free(kept->text);
	*kept = (struct audit_run_kept){ *run, p };
	for (size_t k = 0; k < sizeof(texts) / sizeof(*texts); k++) {
		*places[k] = p;
		p = stpcpy(p, texts[k]) + 1;
	}
	return 0;
}

static void name_count(struct audit_sum *s, const char *name)
{
	for (size_t k = 0; *name && k < AUDIT_DEFECTS; k++) {
		if (!*s->named[k].name)
			snprintf(s->named[k].name, sizeof(s->named[k].name), "%s", name);
		if (strncmp(s->named[k].name, name, sizeof(s->named[k].name) - 1) == 0) {
			s->named[k].runs++;
			return;
		}
	}
}

/* The number that is farthest off; one that no defect explains before one that is explained. */
static int number_add(struct audit_sum *s, const struct audited *run)
{
	double distance = fabs(strtod(run->worst.theirs, NULL) - strtod(run->worst.ours, NULL));
	bool explained = *run->defect, before = s->farthest.text && *s->farthest.run.defect;

	if (!*run->worst.of)
		return 0;
	if (s->farthest.text && (explained != before ? explained : !(distance > s->distance)))
		return 0;
	s->distance = distance;
	return keep(&s->farthest, run);
}

int audit_sum_add(struct audit_sum *s, const struct audited *run)
{
	int rc = 0;

	if (s->runs++ == 0 || run->now < s->from)
		s->from = run->now;
	if (run->now > s->until)
		s->until = run->now;
	if (*run->skipped) {
		s->skipped++;
		return 0;
	}
	s->theirs += run->theirs;
	s->ours += run->ours;
	s->agreeing += run->agreeing;
	s->numbers += run->numbers;
	s->differing += run->differing;
	s->defects += run->defects;
	if (!audited_differs(run))
		return 0;
	if (s->different++ == 0 || (audited_is_known(&s->first.run) && !audited_is_known(run)))
		rc = keep(&s->first, run);
	s->known += audited_is_known(run);
	name_count(s, run->defect);
	return rc ? rc : number_add(s, run);
}

void audit_sum_free(struct audit_sum *s)
{
	free(s->first.text);
	free(s->farthest.text);
	*s = (struct audit_sum){ 0 };
}
