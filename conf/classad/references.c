/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>

#include "conf/base/columns.h"
#include "conf/classad/inside.h"
#include "conf/base/search.h"

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
	size_t at;
	char *copy;

	if (found(names, name, &at))
		return 0;
	if (array_reserve(&names->capacity, names->n + 1, COLUMN(names->items)))
		return -ENOMEM;
	copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	memmove(names->items + at + 1, names->items + at, (names->n - at) * sizeof(*names->items));
	names->items[at] = copy;
	names->n++;
	return 0;
}

/* Expressions that have been reached, without duplicates, in this order. */
struct reached {
	const struct classad_expression **items;
	size_t n, capacity;
};

static int reach(struct reached *reached, const struct classad_expression *expression)
{
	for (size_t i = 0; i < reached->n; i++)
		if (reached->items[i] == expression)
			return 0;
	if (array_reserve(&reached->capacity, reached->n + 1, COLUMN(reached->items)))
		return -ENOMEM;
	reached->items[reached->n++] = expression;
	return 0;
}

struct wanted {
	const struct classad *my;
	struct classad_reads *reads;
	struct reached reached;
};

static int name_note(struct wanted *wanted, enum operation operation, const struct name_key *key)
{
	const struct classad_expression *expression = operation != OP_TARGET ? ad_find(wanted->my, key) : NULL;
	int rc = 0;

	wanted->reads->time |= operation == OP_NAME_OR_TIME && !expression;
	if (operation != OP_TARGET)
		rc = classad_names_add(&wanted->reads->mine, key->name);
	if (!rc && operation != OP_MY && !expression)
		rc = classad_names_add(&wanted->reads->theirs, key->name);
	return !rc && expression && expression->program ? reach(&wanted->reached, expression) : rc;
}

/*
 * Note a selected attribute, which may also be one of the ads around the nested ad: the own ad or
 * the other one.
 */
static int select_note(struct wanted *wanted, const struct instruction *instruction, const struct name_key *key)
{
	int rc = name_note(wanted, OP_MY, key);

	wanted->reads->time |= instruction->n != OP_NAME;
	return rc ? rc : name_note(wanted, OP_TARGET, key);
}

/* Note an ad as a value, and the attribute of the own ad that has its name. */
static int ad_name_note(struct wanted *wanted, const struct name_key *key)
{
	/* the attributes may depend on the clock */
	wanted->reads->time = wanted->reads->any = true;
	return name_note(wanted, OP_MY, key);
}

/* Note the attribute that a constant subscript selects if the first operand is an ad. */
static int subscript_note(struct wanted *wanted, const struct program *program, uint32_t at)
{
	const struct instruction *before = at > 0 ? &program->code[at - 1] : NULL;
	const struct classad_value *name =
		before && before->operation == OP_CONSTANT ? &program->constants[before->operand] : NULL;
	struct name_key key;

	if (!name || name->type != CLASSAD_STRING)
		return 0;
	key = name_key_of(name->text, name->bytes);
	return select_note(wanted, &(const struct instruction){ .n = OP_NAME }, &key);
}

/* Note the attributes of a nested ad. They are followed like those of `my`. */
static int ad_note(struct wanted *wanted, const struct classad *ad)
{
	int rc = 0;

	for (uint32_t i = 0; i < ad->n && !rc; i++)
		if (ad->items[i]->program)
			rc = reach(&wanted->reached, ad->items[i]);
	return rc;
}

static int program_note(struct wanted *wanted, const struct program *program)
{
	int rc = 0;

	for (uint32_t i = 0; i < program->ncode && !rc; i++) {
		enum operation operation = program->code[i].operation;

		wanted->reads->any |= operation == OP_EVAL;
		if (operation == OP_TIME || operation == OP_EVAL || operation == OP_RANDOM)
			wanted->reads->time = true;
		else if (operation >= OP_OWN_AD && operation <= OP_OUTER_AD)
			rc = ad_name_note(wanted, &program->keys[program->code[i].operand]);
		else if (operation == OP_SUBSCRIPT)
			rc = subscript_note(wanted, program, i);
		else if (operation == OP_SELECT)
			rc = select_note(wanted, &program->code[i], &program->keys[program->code[i].operand]);
		else if (operation == OP_NESTED_AD)
			rc = ad_note(wanted, program->ads[program->code[i].operand].ad);
		else if (operation == OP_UNPARSE)
			rc = name_note(wanted, program->code[i].n, &program->keys[program->code[i].operand]);
		else if (operation >= OP_MY && operation <= OP_NAME_OR_TIME)
			rc = name_note(wanted, operation, &program->keys[program->code[i].operand]);
	}
	return rc;
}

int classad_references(const struct classad_expression *expression, const struct classad *my,
		       struct classad_reads *reads)
{
	struct wanted wanted = { my, reads, { 0 } };
	int rc = 0;

	if (expression->program)
		rc = program_note(&wanted, expression->program);
	for (size_t i = 0; i < wanted.reached.n && !rc; i++)
		rc = program_note(&wanted, wanted.reached.items[i]->program);
	free(wanted.reached.items);
	return rc;
}

void classad_reads_free(struct classad_reads *reads)
{
	classad_names_free(&reads->mine);
	classad_names_free(&reads->theirs);
	*reads = (struct classad_reads){ 0 };
}
