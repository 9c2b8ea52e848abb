/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who has booked more, the qmaster or we? Time stamps don't say: usage that has only decayed has a
 * new one, too. But what was ever booked only grows.
 */
#include <string.h>

#include "sched/qmaster/gridengine/usage_inside.h"

static double value_told(const struct usage_values *values, const char *name)
{
	for (size_t i = 0; i < values->n; i++)
		if (strcmp(values->items[i].name, name) == 0)
			return values->items[i].value;
	return 0.0;
}

static double value_of(const struct mirror *m, const struct usage *usage, const char *name)
{
	uint32_t string = strings_find(m->strings, name);
	uint32_t id = string == NONE ? INDEX_NONE : index_find(&m->usage_names.by_string, m->usage_names.strings, string);

	return id == INDEX_NONE ? 0.0 : usage_get(usage, id);
}

#define MORE(A, B) ((A) > (B) * (1 + 1e-9))	/* not by rounding alone */

static bool told_has_more(const struct mirror *m, const struct usage_values *told, const struct usage *ours)
{
	for (size_t i = 0; i < told->n; i++)
		if (MORE(told->items[i].value, value_of(m, ours, told->items[i].name)))
			return true;
	return false;
}

static bool we_have_more(const struct mirror *m, const struct usage *ours, const struct usage_values *told)
{
	for (size_t i = 0; i < ours->n; i++)
		if (MORE(ours->items[i].value, value_told(told, strings_text(m->strings, m->usage_names.strings[ours->items[i].name]))))
			return true;
	return false;
}

bool usage_is_ahead(const struct mirror *m, const struct object_usage *told, const struct object *o)
{
	static const struct usage none;
	bool ahead = told_has_more(m, &told->long_term, &o->long_term);

	for (size_t i = 0; !ahead && i < told->nprojects; i++) {
		uint32_t name = strings_find(m->strings, told->projects[i].project);
		const struct usage_in_project *p = name == NONE ? NULL : object_find_project(o, name);

		ahead = told_has_more(m, &told->projects[i].long_term, p ? &p->long_term : &none);
	}
	return ahead;
}

bool usage_is_behind(const struct mirror *m, const struct object_usage *told, const struct object *o)
{
	static const struct usage_values none;
	bool behind = we_have_more(m, &o->long_term, &told->long_term) || (told->usage.n == 0 && told->nprojects == 0 && (o->usage.n > 0 || o->nprojects > 0));

	for (size_t i = 0; !behind && i < o->nprojects; i++) {
		const struct usage_values *there = &none;

		for (size_t k = 0; k < told->nprojects; k++)
			if (strcmp(told->projects[k].project, strings_text(m->strings, o->projects[i].project)) == 0)
				there = &told->projects[k].long_term;
		behind = we_have_more(m, &o->projects[i].long_term, there);
	}
	return behind;
}

