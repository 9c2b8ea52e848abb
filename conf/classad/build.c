/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/classad/build.h"

#include <errno.h>
#include <stdlib.h>

#include "conf/array.h"

struct mark build_mark(const struct build *b)
{
	return (struct mark){ b->ncode, b->nconstants, b->nkeys, b->stack };
}

void build_cut(struct build *b, struct mark mark)
{
	b->ncode = mark.code;
	b->nconstants = mark.constants;
	b->nkeys = mark.keys;
	b->stack = mark.stack;
}

static bool grow(struct build *b, void *items, uint32_t n, uint32_t *capacity, size_t bytes)
{
	uint32_t larger = *capacity ? 2 * *capacity : 16;

	if (n < *capacity)
		return true;
	if (array_grow(items, larger, bytes)) {
		b->no_memory = true;
		return false;
	}
	*capacity = larger;
	return true;
}

/* `change`: by how many values the stack is higher behind it. */
static void emit(struct build *b, struct instruction i, int change)
{
	if (!grow(b, &b->code, b->ncode, &b->code_capacity, sizeof(*b->code)))
		return;
	b->code[b->ncode++] = i;
	b->stack = (uint32_t)((int)b->stack + change);
	if (b->stack > b->stack_most)
		b->stack_most = b->stack;
}

const struct classad_value *build_constant_since(const struct build *b, struct mark mark)
{
	if (b->ncode != mark.code + 1 || b->code[mark.code].operation != OP_CONSTANT)
		return NULL;
	return &b->constants[b->code[mark.code].operand];
}

void build_constant(struct build *b, struct classad_value value)
{
	if (!grow(b, &b->constants, b->nconstants, &b->constants_capacity, sizeof(*b->constants)))
		return;
	b->constants[b->nconstants++] = value;
	emit(b, (struct instruction){ .operation = OP_CONSTANT, .operand = b->nconstants - 1 }, 1);
}

void build_name(struct build *b, enum operation operation, const char *name, size_t bytes)
{
	if (!grow(b, &b->keys, b->nkeys, &b->keys_capacity, sizeof(*b->keys)))
		return;
	b->keys[b->nkeys++] = name_key_of(name, bytes);
	emit(b, (struct instruction){ .operation = (uint8_t)operation, .operand = b->nkeys - 1 }, 1);
}

void build_time(struct build *b)
{
	emit(b, (struct instruction){ .operation = OP_TIME }, 1);
}

/*
 * Constants alone, one behind the other: they become one. False: they don't, or reading would take
 * long: let it be counted where it is evaluated.
 */
static bool fold(struct build *b, struct mark mark, struct instruction i, size_t n)
{
	struct classad_value *operands, value;

	if (b->ncode - mark.code != n || n == 0 || b->room.steps > CLASSAD_STEPS_MOST / 2)
		return false;
	for (size_t k = 0; k < n; k++)
		if (b->code[mark.code + k].operation != OP_CONSTANT)
			return false;
	operands = &b->constants[b->nconstants - n];
	value = *operands;
	operation_apply(&i, operands, &b->room);
	if (b->room.steps > CLASSAD_STEPS_MOST / 2) {
		*operands = value;
		return false;
	}
	value = *operands;
	build_cut(b, mark);
	build_constant(b, value);
	return true;
}

void build_operation(struct build *b, struct mark mark, enum operation operation, uint8_t function, size_t n)
{
	struct instruction i = { .operation = (uint8_t)operation, .function = function, .n = (uint16_t)n };

	if (!fold(b, mark, i, n))
		emit(b, i, 1 - (int)n);
}

void build_match(struct build *b, const struct regexp *pattern)
{
	struct classad_value value = { .type = CLASSAD_STRING, .text = (const char *)pattern, .bytes = regexp_bytes(pattern) };

	if (!grow(b, &b->constants, b->nconstants, &b->constants_capacity, sizeof(*b->constants)))
		return;
	b->constants[b->nconstants++] = value;
	emit(b, (struct instruction){ .operation = OP_MATCH, .operand = b->nconstants - 1 }, 0);
}

uint32_t build_jump(struct build *b, enum operation operation, uint32_t pops)
{
	emit(b, (struct instruction){ .operation = (uint8_t)operation }, -(int)pops);
	return b->ncode - 1;
}

void build_arrive(struct build *b, uint32_t jump)
{
	if (!b->no_memory)
		b->code[jump].operand = b->ncode;
}

/* Packing: what is needed, then the copy. */

#define ALIGNED(N) (((N) + 7) & ~(size_t)7)

static size_t value_bytes(const struct classad_value *v)
{
	size_t bytes = 0;

	if (v->type == CLASSAD_STRING)
		return ALIGNED(v->bytes + 1);
	if (v->type == CLASSAD_LIST)
		for (size_t i = 0; i < v->n; i++)
			bytes += sizeof(*v) + value_bytes(&v->items[i]);
	return bytes;
}

static void value_copy(struct classad_value *to, const struct classad_value *v, unsigned char **at)
{
	struct classad_value *items;

	*to = *v;
	if (v->type == CLASSAD_STRING) {
		to->text = memcpy(*at, v->text, v->bytes);
		(*at)[v->bytes] = '\0';
		*at += ALIGNED(v->bytes + 1);
	} else if (v->type == CLASSAD_LIST && v->n > 0) {
		to->items = items = (struct classad_value *)*at;
		*at += v->n * sizeof(*items);
		for (size_t i = 0; i < v->n; i++)
			value_copy(&items[i], &v->items[i], at);
	}
}

static const char *text_copy(const char *text, size_t bytes, unsigned char **at)
{
	char *to = memcpy(*at, text, bytes);

	to[bytes] = '\0';
	*at += ALIGNED(bytes + 1);
	return to;
}

static struct classad_expression *allocate(size_t bytes, const char *name, unsigned char **at)
{
	size_t name_bytes = name ? strlen(name) : 0;
	struct classad_expression *e = malloc(sizeof(*e) + bytes + (name ? ALIGNED(name_bytes + 1) : 0));

	if (!e)
		return NULL;
	*e = (struct classad_expression){ 0 };
	*at = (unsigned char *)(e + 1);
	if (name)
		e->key = name_key_of(text_copy(name, name_bytes, at), name_bytes);
	return e;
}

static size_t program_bytes(const struct build *b)
{
	size_t bytes = sizeof(struct program) + ALIGNED(b->ncode * sizeof(*b->code)) + b->nconstants * sizeof(*b->constants) +
		       b->nkeys * sizeof(*b->keys);

	for (uint32_t i = 0; i < b->nconstants; i++)
		bytes += value_bytes(&b->constants[i]);
	for (uint32_t i = 0; i < b->nkeys; i++)
		bytes += ALIGNED(b->keys[i].bytes + 1);
	return bytes;
}

static const struct program *program_copy(const struct build *b, unsigned char **at)
{
	struct program *p = (struct program *)*at;
	struct classad_value *constants = (struct classad_value *)(p + 1);
	struct name_key *keys = (struct name_key *)(constants + b->nconstants);
	struct instruction *code = (struct instruction *)(keys + b->nkeys);

	*p = (struct program){ code, constants, keys, b->ncode, b->nkeys, b->stack_most };
	*at = (unsigned char *)code + ALIGNED(b->ncode * sizeof(*code));
	memcpy(code, b->code, b->ncode * sizeof(*code));
	for (uint32_t i = 0; i < b->nconstants; i++)
		value_copy(&constants[i], &b->constants[i], at);
	for (uint32_t i = 0; i < b->nkeys; i++) {
		keys[i] = b->keys[i];
		keys[i].name = text_copy(b->keys[i].name, b->keys[i].bytes, at);
	}
	return p;
}

int build_pack(const struct build *b, const char *name, const char *text, size_t bytes, struct classad_expression **e)
{
	const struct classad_value *constant = b->no_memory ? NULL : build_constant_since(b, (struct mark){ 0 });
	unsigned char *at;

	*e = NULL;
	if (!b->no_memory)
		*e = allocate(ALIGNED(bytes + 1) + (constant ? value_bytes(constant) : program_bytes(b)), name, &at);
	if (!*e)
		return -ENOMEM;
	if (constant)
		value_copy(&(*e)->value, constant, &at);
	else
		(*e)->program = program_copy(b, &at);
	(*e)->text = text_copy(text, bytes, &at);
	for (char *c = (char *)(*e)->text; *c; c++)
		if (*c == '\n' || *c == '\r')		/* an ad has a line for each */
			*c = ' ';
	return 0;
}

struct classad_expression *expression_of_value(const char *name, const struct classad_value *value, size_t capacity)
{
	unsigned char *at;
	struct classad_expression *e = allocate(ALIGNED(capacity), name, &at);

	if (!e)
		return NULL;
	e->capacity = ALIGNED(capacity);
	e->value = *value;
	if (value->type == CLASSAD_STRING)
		e->value.text = text_copy(value->text, value->bytes, &at);
	return e;
}

void build_free(struct build *b)
{
	free(b->code);
	free(b->constants);
	free(b->keys);
	classad_room_free(&b->room);
}
