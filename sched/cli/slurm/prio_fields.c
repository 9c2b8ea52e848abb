/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/slurm/prio_fields.h"

const struct prio_field *prio_field_find(char letter)
{
	for (size_t k = 0; k < PRIO_FIELDS; k++)
		if (prio_fields[k].letter && prio_fields[k].letter == letter)
			return &prio_fields[k];
	return NULL;
}

const struct prio_field *prio_field_weighted(const struct prio_field *field)
{
	for (size_t k = 0; field->type == PRIO_FACTOR && k < PRIO_FIELDS; k++)
		if (prio_fields[k].type == PRIO_WEIGHTED && prio_fields[k].weight == field->weight)
			return &prio_fields[k];
	return field;
}

uint32_t prio_weight(const struct fl_multifactor *multifactor, const struct prio_field *field)
{
	const void *weight = (const char *)multifactor + field->weight;

	if (!field->weight)
		return 0;
	if (field->type == PRIO_TRES_FACTORS || field->type == PRIO_TRES_WEIGHTED)
		return **(const char *const *)weight != '\0';
	return *(const uint32_t *)weight;
}
