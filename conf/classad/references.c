/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>

#include "conf/array.h"
#include "conf/classad/inside.h"
#include "conf/search.h"

void classad_names_free(struct classad_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->items[i]);
	free(names->items);
	*names = (struct classad_names){ 0 };
}

static bool found(const struct classad_names *names, const char *name, size_t *at)
{
	lower_bound(*at, names->n, strcasecmp(names->items[*at], name) < 0);
	return *at < names->n && strcasecmp(names->items[*at], name) == 0;
}

bool classad_names_have(const struct classad_names *names, const char *name)
{
	size_t at;

	return found(names, name, &at);
}

int classad_names_add(struct classad_names *names, const char *name)
{
	size_t at, capacity = names->capacity ? 2 * names->capacity : 16;
	char *copy;

	if (found(names, name, &at))
		return 0;
	if (names->n == names->capacity) {
		if (array_grow(&names->items, capacity, sizeof(*names->items)))
			return -ENOMEM;
		names->capacity = capacity;
	}
	copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	memmove(names->items + at + 1, names->items + at, (names->n - at) * sizeof(*names->items));
	names->items[at] = copy;
	names->n++;
	return 0;
}

/* Expressions that have been reached, each once, in the order in which they were. */
struct reached {
	const struct classad_expression **items;
	size_t n, capacity;
};

static int reach(struct reached *r, const struct classad_expression *e)
{
	size_t capacity = r->capacity ? 2 * r->capacity : 16;

	for (size_t i = 0; i < r->n; i++)
		if (r->items[i] == e)
			return 0;
	if (r->n == r->capacity) {
		if (array_grow(&r->items, capacity, sizeof(*r->items)))
			return -ENOMEM;
		r->capacity = capacity;
	}
	r->items[r->n++] = e;
	return 0;
}

struct wanted {
	const struct classad *my;
	struct classad_names *mine, *theirs;
	bool *time;
	struct reached reached;
};

static int name_note(struct wanted *w, enum operation operation, const struct name_key *key)
{
	const struct classad_expression *e = operation != OP_TARGET ? ad_find(w->my, key) : NULL;
	int rc = 0;

	*w->time |= operation == OP_NAME_OR_TIME && !e;
	if (operation != OP_TARGET)
		rc = classad_names_add(w->mine, key->name);
	if (!rc && operation != OP_MY && !e)
		rc = classad_names_add(w->theirs, key->name);
	return !rc && e && e->program ? reach(&w->reached, e) : rc;
}

static int program_note(struct wanted *w, const struct program *p)
{
	int rc = 0;

	for (uint32_t i = 0; i < p->ncode && !rc; i++) {
		enum operation operation = p->code[i].operation;

		if (operation == OP_TIME)
			*w->time = true;
		else if (operation >= OP_MY && operation <= OP_NAME_OR_TIME)
			rc = name_note(w, operation, &p->keys[p->code[i].operand]);
	}
	return rc;
}

int classad_references(const struct classad_expression *e, const struct classad *my, struct classad_names *mine,
		       struct classad_names *theirs, bool *time)
{
	struct wanted w = { my, mine, theirs, time, { 0 } };
	int rc = 0;

	*time = false;
	if (e->program)
		rc = program_note(&w, e->program);
	for (size_t i = 0; i < w.reached.n && !rc; i++)
		rc = program_note(&w, w.reached.items[i]->program);
	free(w.reached.items);
	return rc;
}
