/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether the qmaster or we have booked more. Time stamps do not show this, because usage that has
 * only decayed also gets a new one. Booked usage never decreases.
 */
#include <string.h>

#include "sched/qmaster/gridengine/usage_inside.h"

double usage_reported_value(const struct usage_values *values, const char *name)
{
	for (size_t i = 0; i < values->n; i++)
		if (strcmp(values->items[i].name, name) == 0)
			return values->items[i].value;
	return 0.0;
}

#define MORE(A, B) ((A) > (B) * (1 + 1e-9))	/* ignores rounding errors */

static bool qmaster_has_more(const struct mirror *mirror, const struct usage_values *reported, const struct usage *ours)
{
	for (size_t i = 0; i < reported->n; i++)
		if (MORE(reported->items[i].value, mirror_usage_value(mirror, ours, reported->items[i].name)))
			return true;
	return false;
}

static bool mirror_has_more(const struct mirror *mirror, const struct usage *ours, const struct usage_values *reported)
{
	for (size_t i = 0; i < ours->n; i++)
		if (MORE(ours->items[i].value,
			 usage_reported_value(reported, mirror_usage_text(mirror, ours->items[i].name))))
			return true;
	return false;
}

bool usage_ours_is_ahead(const struct mirror *mirror, const struct usage *ours, const struct usage_values *reported,
			 const char *name)
{
	return MORE(mirror_usage_value(mirror, ours, name), usage_reported_value(reported, name));
}

bool usage_reported_is_ahead(const struct mirror *mirror, const struct usage_values *reported, const struct usage *ours,
			 const char *name)
{
	return MORE(usage_reported_value(reported, name), mirror_usage_value(mirror, ours, name));
}

bool usage_is_ahead(const struct mirror *mirror, const struct object_usage *reported, const struct object *object)
{
	static const struct usage none;
	bool ahead = qmaster_has_more(mirror, &reported->long_term, &object->long_term);

	for (size_t i = 0; !ahead && i < reported->nprojects; i++) {
		const struct usage_in_project *usage =
			mirror_find_project_usage(mirror, object, reported->projects[i].project);

		ahead = qmaster_has_more(mirror, &reported->projects[i].long_term, usage ? &usage->long_term : &none);
	}
	return ahead;
}

bool usage_is_behind(const struct mirror *mirror, const struct object_usage *reported, const struct object *object)
{
	static const struct usage_values none;
	bool behind = mirror_has_more(mirror, &object->long_term, &reported->long_term) ||
		      (reported->usage.n == 0 && reported->nprojects == 0 && (object->usage.n > 0 || object->nprojects > 0));

	for (size_t i = 0; !behind && i < object->nprojects; i++) {
		const struct usage_values *there = &none;

		for (size_t k = 0; k < reported->nprojects; k++)
			if (strcmp(reported->projects[k].project,
				   mirror_text(mirror, object->projects[i].project)) == 0)
				there = &reported->projects[k].long_term;
		behind = mirror_has_more(mirror, &object->projects[i].long_term, there);
	}
	return behind;
}

