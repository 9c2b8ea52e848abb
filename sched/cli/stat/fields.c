/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/stat/fields.h"

static bool is_chosen(const struct stat_field *field, enum stat_order order, unsigned bits)
{
	if (!field->in[order].at)
		return false;
	return order == STAT_IN_JOB ? (field->parts & bits) : !field->when || (field->when & bits);
}

size_t stat_fields_choose(enum stat_order order, unsigned bits, const struct stat_field **chosen)
{
	size_t n = 0;

	for (size_t k = 0; k < STAT_FIELDS; k++) {
		const struct stat_field *field = &stat_fields[k];
		size_t at = n;

		if (!is_chosen(field, order, bits))
			continue;
		for (; at > 0 && chosen[at - 1]->in[order].at > field->in[order].at; at--)
			chosen[at] = chosen[at - 1];
		chosen[at] = field;
		n++;
	}
	return n;
}

size_t stat_fields_shown(const struct job_listing *listing, enum stat_order order, const struct stat_field **chosen)
{
	size_t n = stat_fields_choose(order, listing->show, chosen), kept = 0;

	for (size_t k = 0; k < n; k++)
		if (!listing->below_queues || chosen[k]->type != STAT_QUEUE)
			chosen[kept++] = chosen[k];
	return kept;
}
