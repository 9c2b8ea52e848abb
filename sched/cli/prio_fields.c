/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/prio_fields.h"

const struct prio_field *prio_field_find(char letter)
{
	for (size_t k = 0; k < PRIO_FIELDS; k++)
		if (prio_fields[k].letter && prio_fields[k].letter == letter)
			return &prio_fields[k];
	return NULL;
}

const struct prio_field *prio_field_weighted(const struct prio_field *f)
{
	for (size_t k = 0; f->type == PRIO_FACTOR && k < PRIO_FIELDS; k++)
		if (prio_fields[k].type == PRIO_WEIGHTED && prio_fields[k].weight == f->weight)
			return &prio_fields[k];
	return f;
}

uint32_t prio_weight(const struct fl_multifactor *m, const struct prio_field *f)
{
	const void *weight = (const char *)m + f->weight;

	if (!f->weight)
		return 0;
	if (f->type == PRIO_TRES_FACTORS || f->type == PRIO_TRES_WEIGHTED)
		return **(const char *const *)weight != '\0';
	return *(const uint32_t *)weight;
}
