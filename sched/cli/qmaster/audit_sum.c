/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/cli/qmaster/audit.h"

/* Copy all texts of a run to memory of their own, one after the other. */
static int keep(struct audit_run_kept *kept, const struct audited *run)
{
	const char *const texts[] = { run->skipped, run->their, run->our, run->why, run->defect };
	const char **const places[] = { &kept->run.skipped, &kept->run.their, &kept->run.our, &kept->run.why,
					&kept->run.defect };
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

static void name_count(struct audit_sum *sum, const char *name)
{
	for (size_t k = 0; *name && k < AUDIT_DEFECTS; k++) {
		if (!*sum->named[k].name)
			snprintf(sum->named[k].name, sizeof(sum->named[k].name), "%s", name);
		if (strncmp(sum->named[k].name, name, sizeof(sum->named[k].name) - 1) == 0) {
			sum->named[k].runs++;
			return;
		}
	}
}

/*
 * Keep the run with the largest difference of a number. A difference that no defect explains has
 * precedence over an explained one.
 */
static int number_add(struct audit_sum *sum, const struct audited *run)
{
	double distance = fabs(strtod(run->worst.theirs, NULL) - strtod(run->worst.ours, NULL));
	bool explained = *run->defect, before = sum->farthest.text && *sum->farthest.run.defect;

	if (!*run->worst.of)
		return 0;
	if (sum->farthest.text && (explained != before ? explained : !(distance > sum->distance)))
		return 0;
	sum->distance = distance;
	return keep(&sum->farthest, run);
}

int audit_sum_add(struct audit_sum *sum, const struct audited *run)
{
	int rc = 0;

	if (sum->runs++ == 0 || run->now < sum->from)
		sum->from = run->now;
	if (run->now > sum->until)
		sum->until = run->now;
	if (*run->skipped) {
		sum->skipped++;
		return 0;
	}
	sum->theirs += run->theirs;
	sum->ours += run->ours;
	sum->agreeing += run->agreeing;
	sum->numbers += run->numbers;
	sum->differing += run->differing;
	sum->defects += run->defects;
	if (!audited_differs(run))
		return 0;
	if (sum->different++ == 0 || (audited_is_known(&sum->first.run) && !audited_is_known(run)))
		rc = keep(&sum->first, run);
	sum->known += audited_is_known(run);
	name_count(sum, run->defect);
	return rc ? rc : number_add(sum, run);
}

void audit_sum_free(struct audit_sum *sum)
{
	free(sum->first.text);
	free(sum->farthest.text);
	*sum = (struct audit_sum){ 0 };
}
