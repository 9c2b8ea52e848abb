/* SPDX-License-Identifier: Apache-2.0 */
/* Quotas of which something is used, as qquota(1) shows them: sge_resource_quota(5). */
#include "sched/dispatch/picture.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sched/dispatch/quota/quota.h"

#define FILTER_BYTES 1024		/* of the text of a filter; the rest is cut off */

/* Adds to a text of FILTER_BYTES. */
static void names_put(char *text, const char *before, const struct strlist *names)
{
	for (size_t i = 0; i < names->n; i++) {
		size_t n = strlen(text);

		snprintf(text + n, FILTER_BYTES - n, "%s%s%s", *text ? "," : "", before, names->items[i]);
	}
}

/* As qquota writes it: its names between commas, without the braces. */
static uint32_t filter_text(struct dispatch *d, const struct quota_filter *f, int *rc)
{
	char text[FILTER_BYTES] = "";
	uint32_t id;

	names_put(text, "", &f->in);
	names_put(text, "!", &f->not_in);
	if (!*text)
		return NONE;
	id = picture_name(d, text, rc);
	/* the next text lies at the same place */
	memset(d->picture.last, 0, sizeof(d->picture.last));
	return id;
}

static int use_add(void *context, const struct quota_use *use)
{
	struct dispatch *d = context;
	struct quota_use_record *r = picture_add(&d->picture.quotas, sizeof(*r));
	char number[12];
	int rc = 0;

	if (!r)
		return -ENOMEM;
	*r = (struct quota_use_record){ .limit = use->value, .used = use->used, .number = use->limit };
	snprintf(number, sizeof(number), "%d", use->rule->number);
	r->set = picture_name(d, use->set->name, &rc);
	r->rule = picture_name(d, *use->rule->name ? use->rule->name : number, &rc);
	memset(d->picture.last, 0, sizeof(d->picture.last));
	r->resource = picture_name(d, use->complex->name, &rc);
	r->text = picture_name(d, use->text, &rc);
	for (int k = 0; k < QUOTA_KINDS; k++) {
		r->parts[k] = use->parts[k] ? picture_name(d, use->parts[k], &rc) : filter_text(d, &use->rule->filters[k], &rc);
		r->counted |= use->parts[k] ? 1u << k : 0;
	}
	return rc;
}

int picture_quotas(struct dispatch *d)
{
	_Static_assert(QUOTA_PARTS == (int)QUOTA_KINDS, "a part for each filter");
	return quotas_each_use(d->quotas, use_add, d);
}
