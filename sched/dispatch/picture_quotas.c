/* SPDX-License-Identifier: Apache-2.0 */
/* Quotas in use, as qquota(1) shows them: sge_resource_quota(5). */
#include "sched/dispatch/picture.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sched/dispatch/quota/quota.h"

#define FILTER_BYTES 1024		/* length of a filter's text; the rest is cut off */

/* Append to a text of FILTER_BYTES bytes. */
static void names_put(char *text, const char *before, const struct strlist *names)
{
	for (size_t i = 0; i < names->n; i++) {
		size_t n = strlen(text);

		snprintf(text + n, FILTER_BYTES - n, "%s%s%s", *text ? "," : "", before, names->items[i]);
	}
}

/*
 * Return the id of a filter's text as qquota writes it: names separated by commas, without braces.
 */
static uint32_t filter_text(struct cluster_picture *picture, const struct quota_filter *quota_filter, int *rc)
{
	char text[FILTER_BYTES] = "";
	uint32_t id;

	names_put(text, "", &quota_filter->in);
	names_put(text, "!", &quota_filter->not_in);
	if (!*text)
		return NONE;
	id = picture_name(picture, text, rc);
	/* the next text has the same address */
	memset(picture->last, 0, sizeof(picture->last));
	return id;
}

static int use_add(void *context, const struct quota_use *use)
{
	struct cluster_picture *picture = context;
	struct quota_use_record *record = picture_add(&picture->quotas, sizeof(*record));
	char number[12];
	int rc = 0;

	if (!record)
		return -ENOMEM;
	*record = (struct quota_use_record){ .limit = use->value, .used = use->used, .number = use->limit };
	snprintf(number, sizeof(number), "%d", use->rule->number);
	record->set = picture_name(picture, use->set->name, &rc);
	record->rule = picture_name(picture, *use->rule->name ? use->rule->name : number, &rc);
	memset(picture->last, 0, sizeof(picture->last));
	record->resource = picture_name(picture, use->complex->name, &rc);
	record->text = picture_name(picture, use->text, &rc);
	for (int k = 0; k < QUOTA_KINDS; k++) {
		record->parts[k] = use->parts[k] ? picture_name(picture, use->parts[k], &rc)
						 : filter_text(picture, &use->rule->filters[k], &rc);
		record->counted |= use->parts[k] ? 1u << k : 0;
	}
	return rc;
}

int picture_quotas(struct cluster_picture *picture)
{
	_Static_assert(QUOTA_PARTS == (int)QUOTA_KINDS, "each kind of filter needs a part");
	return quotas_each_use(picture->supply->quotas, use_add, picture);
}
