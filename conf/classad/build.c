/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/classad/build.h"

#include <errno.h>
#include <stdlib.h>

#include "conf/base/array.h"

struct mark build_mark(const struct build *build)
{
	return (struct mark){ build->ncode, build->nconstants, build->nkeys, build->stack };
}

void build_cut(struct build *build, struct mark mark)
{
	build->ncode = mark.code;
	build->nconstants = mark.constants;
	build->nkeys = mark.keys;
	build->stack = mark.stack;
}

static bool grow(struct build *build, void *items, uint32_t n, uint32_t *capacity, size_t bytes)
{
	uint32_t larger = *capacity ? 2 * *capacity : 16;

	if (n < *capacity)
		return true;
	if (array_grow(items, larger, bytes)) {
		build->no_memory = true;
		return false;
	}
	*capacity = larger;
	return true;
}

/* Append an instruction that changes the height of the stack by `change`. */
static void emit(struct build *build, struct instruction instruction, int change)
{
	if (!grow(build, &build->code, build->ncode, &build->code_capacity, sizeof(*build->code)))
		return;
	build->code[build->ncode++] = instruction;
	build->stack = (uint32_t)((int)build->stack + change);
	if (build->stack > build->stack_most)
		build->stack_most = build->stack;
}

const struct classad_value *build_constant_since(const struct build *build, struct mark mark)
{
	if (build->ncode != mark.code + 1 || build->code[mark.code].operation != OP_CONSTANT)
		return NULL;
	return &build->constants[build->code[mark.code].operand];
}

void build_constant(struct build *build, struct classad_value value)
{
	if (!grow(build, &build->constants, build->nconstants, &build->constants_capacity, sizeof(*build->constants)))
		return;
	build->constants[build->nconstants++] = value;
	emit(build, (struct instruction){ .operation = OP_CONSTANT, .operand = build->nconstants - 1 }, 1);
}

void build_name(struct build *build, enum operation operation, const char *name, size_t bytes)
{
	if (!grow(build, &build->keys, build->nkeys, &build->keys_capacity, sizeof(*build->keys)))
		return;
	build->keys[build->nkeys++] = name_key_of(name, bytes);
	emit(build, (struct instruction){ .operation = (uint8_t)operation, .operand = build->nkeys - 1 }, 1);
}

void build_ad(struct build *build, struct classad *ad, const char *begin, const char *end)
{
	if (!grow(build, &build->ads, build->nads, &build->ads_capacity, sizeof(*build->ads))) {
		classad_free(ad);
		return;
	}
	build->ads[build->nads++] = (struct built_ad){ ad, begin, end };
	emit(build, (struct instruction){ .operation = OP_NESTED_AD, .operand = build->nads - 1 }, 1);
}

void build_select(struct build *build, enum operation kind, const char *name, size_t bytes)
{
	if (!grow(build, &build->keys, build->nkeys, &build->keys_capacity, sizeof(*build->keys)))
		return;
	build->keys[build->nkeys++] = name_key_of(name, bytes);
	emit(build,
	     (struct instruction){ .operation = OP_SELECT, .n = (uint16_t)kind, .operand = build->nkeys - 1 }, 0);
}

void build_time(struct build *build)
{
	emit(build, (struct instruction){ .operation = OP_TIME }, 1);
}

void build_unparse(struct build *build)
{
	struct instruction *name = &build->code[build->ncode - 1];

	if (build->no_memory)
		return;
	*name = (struct instruction){ .operation = OP_UNPARSE, .n = name->operation, .operand = name->operand };
}

void build_unfolded(struct build *build, enum operation operation)
{
	emit(build, (struct instruction){ .operation = (uint8_t)operation }, 0);
}

/*
 * Replace an operation on adjacent constants by its value. Returns false if an operand is not a
 * constant. It also returns false if folding would take long, so that the steps count in the
 * evaluation.
 */
static bool fold(struct build *build, struct mark mark, struct instruction instruction, size_t n)
{
	struct classad_value *operands, value;

	if (build->ncode - mark.code != n || n == 0 || build->room.steps > CLASSAD_STEPS_MOST / 2)
		return false;
	for (size_t k = 0; k < n; k++)
		if (build->code[mark.code + k].operation != OP_CONSTANT)
			return false;
	operands = &build->constants[build->nconstants - n];
	value = *operands;
	operation_apply(&instruction, operands, &build->room);
	if (build->room.steps > CLASSAD_STEPS_MOST / 2) {
		*operands = value;
		return false;
	}
	value = *operands;
	build_cut(build, mark);
	build_constant(build, value);
	return true;
}

void build_operation(struct build *build, struct mark mark, enum operation operation, uint8_t function, size_t n)
{
	struct instruction instruction = { .operation = (uint8_t)operation, .function = function, .n = (uint16_t)n };

	if (!fold(build, mark, instruction, n))
		emit(build, instruction, 1 - (int)n);
}

void build_match(struct build *build, const struct regexp *pattern)
{
	struct classad_value value = { .type = CLASSAD_STRING,
				       .text = (const char *)pattern,
				       .bytes = regexp_bytes(pattern) };

	if (!grow(build, &build->constants, build->nconstants, &build->constants_capacity, sizeof(*build->constants)))
		return;
	build->constants[build->nconstants++] = value;
	emit(build, (struct instruction){ .operation = OP_MATCH, .operand = build->nconstants - 1 }, 0);
}

uint32_t build_jump(struct build *build, enum operation operation, uint32_t pops)
{
	emit(build, (struct instruction){ .operation = (uint8_t)operation }, -(int)pops);
	return build->ncode - 1;
}

void build_arrive(struct build *build, uint32_t jump)
{
	if (!build->no_memory)
		build->code[jump].operand = build->ncode;
}

/* Packing: compute the size, then copy. */

#define ALIGNED(N) (((N) + 7) & ~(size_t)7)

static size_t value_bytes(const struct classad_value *value)
{
	size_t bytes = 0;

	if (value->type == CLASSAD_STRING)
		return ALIGNED(value->bytes + 1);
	if (value->type == CLASSAD_LIST)
		for (size_t i = 0; i < value->n; i++)
			bytes += sizeof(*value) + value_bytes(&value->items[i]);
	return bytes;
}

static void value_copy(struct classad_value *to, const struct classad_value *value, unsigned char **at)
{
	struct classad_value *items;

	*to = *value;
	if (value->type == CLASSAD_STRING) {
		to->text = memcpy(*at, value->text, value->bytes);
		(*at)[value->bytes] = '\0';
		*at += ALIGNED(value->bytes + 1);
	} else if (value->type == CLASSAD_LIST && value->n > 0) {
		to->items = items = (struct classad_value *)*at;
		*at += value->n * sizeof(*items);
		for (size_t i = 0; i < value->n; i++)
			value_copy(&items[i], &value->items[i], at);
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
	struct classad_expression *expression =
		malloc(sizeof(*expression) + bytes + (name ? ALIGNED(name_bytes + 1) : 0));

	if (!expression)
		return NULL;
	*expression = (struct classad_expression){ 0 };
	*at = (unsigned char *)(expression + 1);
	if (name)
		expression->key = name_key_of(text_copy(name, name_bytes, at), name_bytes);
	return expression;
}

static size_t program_bytes(const struct build *build)
{
	size_t bytes = sizeof(struct program) + ALIGNED(build->ncode * sizeof(*build->code)) +
		       build->nconstants * sizeof(*build->constants) + build->nkeys * sizeof(*build->keys) +
		       build->nads * sizeof(struct nested_ad);

	for (uint32_t i = 0; i < build->nconstants; i++)
		bytes += value_bytes(&build->constants[i]);
	for (uint32_t i = 0; i < build->nkeys; i++)
		bytes += ALIGNED(build->keys[i].bytes + 1);
	return bytes;
}

/* Store the nested ads with their places in the text of `bytes`. */
static void ads_copy(const struct build *build, struct nested_ad *ads, const char *text, size_t bytes)
{
	for (uint32_t i = 0; i < build->nads; i++) {
		const struct built_ad *ad = &build->ads[i];
		uintptr_t begin = (uintptr_t)ad->begin - (uintptr_t)text, end = (uintptr_t)ad->end - (uintptr_t)text;

		ads[i] = (struct nested_ad){ ad->ad, 0, 0 };
		if (begin < bytes && end <= bytes) {
			ads[i].begin = (uint32_t)begin;
			ads[i].end = (uint32_t)end;
		}
	}
}

static const struct program *program_copy(const struct build *build, unsigned char **at, const char *text, size_t bytes)
{
	struct program *program = (struct program *)*at;
	struct classad_value *constants = (struct classad_value *)(program + 1);
	struct name_key *keys = (struct name_key *)(constants + build->nconstants);
	struct nested_ad *ads = (struct nested_ad *)(keys + build->nkeys);
	struct instruction *code = (struct instruction *)(ads + build->nads);

	*program = (struct program){ code,	   constants,	 keys, ads, build->ncode, build->nkeys,
				     build->nads, build->stack_most };
	*at = (unsigned char *)code + ALIGNED(build->ncode * sizeof(*code));
	memcpy(code, build->code, build->ncode * sizeof(*code));
	for (uint32_t i = 0; i < build->nconstants; i++)
		value_copy(&constants[i], &build->constants[i], at);
	for (uint32_t i = 0; i < build->nkeys; i++) {
		keys[i] = build->keys[i];
		keys[i].name = text_copy(build->keys[i].name, build->keys[i].bytes, at);
	}
	ads_copy(build, ads, text, bytes);
	return program;
}

int build_pack(struct build *build, const char *name, const char *text, size_t bytes,
	       struct classad_expression **expression)
{
	const struct classad_value *constant =
		build->no_memory ? NULL : build_constant_since(build, (struct mark){ 0 });
	unsigned char *at;

	*expression = NULL;
	if (!build->no_memory)
		*expression = allocate(ALIGNED(bytes + 1) + (constant ? value_bytes(constant) : program_bytes(build)),
				       name, &at);
	if (!*expression)
		return -ENOMEM;
	if (constant) {
		value_copy(&(*expression)->value, constant, &at);
	} else {
		(*expression)->program = program_copy(build, &at, text, bytes);
		build->nads = 0;
	}
	(*expression)->text = text_copy(text, bytes, &at);
	for (char *c = (char *)(*expression)->text; *c; c++)
		/* replaced because an ad has one line per attribute */
		if (*c == '\n' || *c == '\r')
			*c = ' ';
	return 0;
}

struct classad_expression *expression_of_value(const char *name, const struct classad_value *value, size_t capacity)
{
	unsigned char *at;
	struct classad_expression *expression = allocate(ALIGNED(capacity), name, &at);

	if (!expression)
		return NULL;
	expression->capacity = ALIGNED(capacity);
	expression->value = *value;
	if (value->type == CLASSAD_STRING)
		expression->value.text = text_copy(value->text, value->bytes, &at);
	return expression;
}

void build_free(struct build *build)
{
	free(build->code);
	free(build->constants);
	free(build->keys);
	for (uint32_t i = 0; i < build->nads; i++)
		classad_free(build->ads[i].ad);
	free(build->ads);
	classad_room_free(&build->room);
}
