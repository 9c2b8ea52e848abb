/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The evaluation. An attribute that an expression uses is evaluated in its own ad, on the same
 * stack. An attribute that is already being evaluated is undefined.
 */
#include "conf/classad/evaluate.h"

#define MACHINE_STACK (4 * STACK_MOST)

static void program_run(struct evaluation *evaluation, const struct program *program, const struct classad_scope *in,
			struct classad_value *top);

void expression_run(struct evaluation *evaluation, const struct classad_expression *expression,
		    const struct classad_scope *in, struct classad_value *result)
{
	if (!expression->program) {
		*result = expression->value;
		return;
	}
	for (unsigned i = 0; i < evaluation->depth; i++) {
		if (evaluation->running[i] == expression) {
			*result = UNDEFINED;
			return;
		}
	}
	if (evaluation->depth == CLASSAD_DEPTH_MOST ||
	    expression->program->stack > (size_t)(evaluation->end - result) || room_spend(evaluation->room, 1)) {
		*result = ERROR;
		return;
	}
	evaluation->running[evaluation->depth++] = expression;
	program_run(evaluation, expression->program, in, result);
	evaluation->depth--;
}

/*
 * Find an attribute for a name, and move *in to the ads in which it is evaluated, which may be
 * stored in *other. A name in a nested ad does not mean an attribute of the other ad without TARGET.
 */
static inline const struct classad_expression *name_find(enum operation operation, const struct name_key *key,
							 const struct classad_scope **in,
							 struct classad_scope *other)
{
	bool nested = (*in)->outer;
	const struct classad_expression *expression = operation != OP_TARGET ? scope_find(in, key) : NULL;

	if (expression || operation == OP_MY || (nested && operation != OP_TARGET))
		return expression;
	*other = scope_other(*in);
	*in = other;
	return ad_find(other->own, key);
}

static void name_run(struct evaluation *evaluation, enum operation operation, const struct name_key *key,
		     const struct classad_scope *in, struct classad_value *result)
{
	struct classad_scope other;
	const struct classad_expression *expression = name_find(operation, key, &in, &other);

	if (expression)
		expression_run(evaluation, expression, in, result);
	else
		*result = operation == OP_NAME_OR_TIME ? INTEGER(evaluation->room->now) : UNDEFINED;
}

static void list_make(struct classad_value *operands, size_t n, struct classad_room *room)
{
	struct classad_value *items =
		n > 0 ? room_take(room, n * sizeof(*items), _Alignof(struct classad_value)) : operands;

	if (n > 0 && items)
		memcpy(items, operands, n * sizeof(*items));
	*operands =
		items ? (struct classad_value){ .type = CLASSAD_LIST, .items = n > 0 ? items : NULL, .n = n } : ERROR;
}

static void subscript(struct classad_value *list, const struct classad_value *value)
{
	struct classad_value both[2] = { *list, *value }, strict = arguments_strict(both, 2);

	if (strict.type != CLASSAD_BOOL)
		*list = strict;
	else if (list->type != CLASSAD_LIST || value->type != CLASSAD_INT || value->integer < 0 ||
		 (uint64_t)value->integer >= list->n)
		*list = ERROR;
	else
		*list = list->items[value->integer];
}

/*
 * Combine the operands of && and || if the first one, which is true, false or undefined, did not
 * decide.
 */
static void truth_join(struct classad_value *x, const struct classad_value *y, bool decides)
{
	struct classad_value truth = truth_of(y);

	if (x->type == CLASSAD_BOOL || truth.type == CLASSAD_ERROR ||
	    (truth.type == CLASSAD_BOOL && truth.truth == decides))
		*x = truth;
}

void operation_apply(const struct instruction *instruction, struct classad_value *operands, struct classad_room *room)
{
	enum operation operation = instruction->operation;

	if (operation <= OP_COMPLEMENT)
		value_sign(operation, operands);
	else if (operation >= OP_EQUAL && operation <= OP_MORE_EQUAL)
		value_compare(operation, operands, operands + 1, room);
	else if (operation < OP_SUBSCRIPT)
		value_calculate(operation, operands, operands + 1);
	else if (operation == OP_SUBSCRIPT)
		subscript(operands, operands + 1);
	else if (operation <= OP_OR)
		truth_join(operands, operands + 1, operation == OP_OR);
	else if (operation == OP_LIST)
		list_make(operands, instruction->n, room);
	else
		*operands = functions[instruction->function].call(operands, instruction->n, room);
}

/* Return true if the first operand of && or || decides the result. */
static bool truth_decides(struct classad_value *value, bool decides)
{
	*value = truth_of(value);
	return value->type == CLASSAD_ERROR || (value->type == CLASSAD_BOOL && value->truth == decides);
}

static void match(const struct classad_value *pattern, struct classad_value *text, struct classad_room *room)
{
	struct classad_value strict = arguments_strict(text, 1);

	if (strict.type != CLASSAD_BOOL)
		*text = strict;
	else if (text->type != CLASSAD_STRING)
		*text = ERROR;
	else
		*text = regexp_match((const struct regexp *)pattern->text, text->text, text->bytes, room);
}

/*
 * Copy a value into the room, so that it does not need its expression. An ad is not part of an
 * expression that has no nested ads.
 */
static struct classad_value value_keep(const struct classad_value *value, struct classad_room *room)
{
	struct classad_value kept = *value, *items;
	char *text;

	if (value->type == CLASSAD_STRING && text_take(&kept, value->bytes, room, &text))
		memcpy(text, value->text, value->bytes);
	if (value->type != CLASSAD_LIST || value->n == 0)
		return kept;
	items = room_take(room, value->n * sizeof(*items), _Alignof(struct classad_value));
	if (!items || room_spend(room, value->n))
		return ERROR;
	for (size_t i = 0; i < value->n; i++)
		items[i] = value_keep(&value->items[i], room);
	kept.items = items;
	return kept;
}

/* Evaluate the text of a value: eval(). */
static void text_run(struct evaluation *evaluation, const struct classad_scope *in, struct classad_value *value)
{
	struct classad_value text = value_as_text(value, evaluation->room);
	struct classad_expression *expression;
	uint32_t steps = 0;
	int rc;

	*value = text;
	if (text.type != CLASSAD_STRING)
		return;
	*value = ERROR;
	if (room_spend(evaluation->room, text.bytes / 8))
		return;
	rc = expression_parse(&expression, NULL, text.text, text.bytes, &steps, NULL);
	room_spend(evaluation->room, steps);
	if (rc)
		return;
	expression_run(evaluation, expression, in, value);
	if (expression->program && expression->program->nads > 0) {
		if (room_keep(evaluation->room, expression, text.bytes))
			return;
		*value = ERROR;
	}
	*value = value_keep(value, evaluation->room);
	classad_expression_free(expression);
}

/* Return the text of an attribute: unparse(). "": it is missing. */
static struct classad_value unparsed(const struct instruction *instruction, const struct name_key *key,
				     const struct classad_scope *in, struct classad_room *room)
{
	struct classad_scope other;
	const struct classad_expression *expression = name_find(instruction->n, key, &in, &other);
	struct classad_value result;
	size_t bytes;
	char *text;

	bytes = expression ? expression_unparse(expression, NULL, 0) : 0;
	if (text_take(&result, bytes, room, &text) && expression)
		expression_unparse(expression, text, bytes + 1);
	return result;
}

static uint64_t mixed(uint64_t seed, uint64_t more)
{
	seed = (seed ^ more) * 0x9e3779b97f4a7c15u;
	seed = (seed ^ seed >> 32) * 0xd6e8feb86659fd93u;
	return seed ^ seed >> 32;
}

static uint64_t mixed_text(uint64_t seed, const struct classad *ad, const char *name, struct classad_room *room)
{
	const struct classad_expression *expression = ad ? classad_find(ad, name) : NULL;
	const char *begin = expression && expression->text ? expression->text : "", *text;

	for (text = begin; *text; text++)
		seed = mixed(seed, (unsigned char)*text);
	room_spend(room, (size_t)(text - begin) / 64);
	return mixed(seed, expression && expression->value.type == CLASSAD_INT ? (uint64_t)expression->value.integer : 0);
}

/*
 * Return a number below the operand: random(). It depends only on the time, the two ads and the
 * place in the evaluation, so a run that is computed again decides as before.
 */
static struct classad_value random_below(const struct classad_value *most, const struct classad_scope *in,
					 struct classad_room *room)
{
	static const char *const names[] = { "Name", "ClusterId", "ProcId" };
	uint64_t seed = mixed((uint64_t)room->now, room->steps);

	for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++)
		seed = mixed_text(mixed_text(seed, in->own, names[k], room), in->other, names[k], room);
	if (most->type == CLASSAD_INT && most->integer > 0)
		return INTEGER((int64_t)(seed % (uint64_t)most->integer));
	return most->type == CLASSAD_REAL && most->real > 0 ? REAL(most->real * ((double)(seed >> 11) * 0x1p-53)) : ERROR;
}

/*
 * Return the next instruction after a test or jump. *top is the first free value before and after
 * it.
 */
static const struct instruction *branch(const struct program *program, const struct instruction *instruction,
					struct classad_value **top)
{
	const struct instruction *there = program->code + instruction->operand;
	struct classad_value truth;

	if (instruction->operation == OP_JUMP ||
	    (instruction->operation == OP_UNLESS_UNDEFINED && (*top)[-1].type != CLASSAD_UNDEFINED))
		return there;
	if (instruction->operation == OP_BRANCH) {
		truth = truth_of(*top - 1);
		if (truth.type != CLASSAD_BOOL) {
			(*top)[-1] = truth;
			return there - 1;
		}
		--*top;
		return truth.truth ? instruction + 1 : there;
	}
	--*top;
	return instruction + 1;
}

static void program_run(struct evaluation *m, const struct program *program, const struct classad_scope *in,
			struct classad_value *result)
{
	struct classad_value *top = result;	/* first free value */
	const struct instruction *instruction = program->code, *end = program->code + program->ncode, *next;

	for (; instruction < end && m->room->steps < CLASSAD_STEPS_MOST; instruction = next) {
		next = instruction + 1;
		m->room->steps++;
		switch (instruction->operation) {
		case OP_CONSTANT:
			*top++ = program->constants[instruction->operand];
			break;
		case OP_MY: case OP_TARGET: case OP_NAME: case OP_NAME_OR_TIME:
			name_run(m, instruction->operation, &program->keys[instruction->operand], in, top++);
			break;
		case OP_OWN_AD: case OP_OTHER_AD: case OP_OUTER_AD:
			ad_named(m, instruction->operation, &program->keys[instruction->operand], in, top++);
			break;
		case OP_NESTED_AD:
			*top++ = ad_nested(program->ads[instruction->operand].ad, in, m->room);
			break;
		case OP_SELECT:
			attribute_select(m, instruction->n, &program->keys[instruction->operand], top - 1);
			break;
		case OP_SUBSCRIPT:
			top--;
			if (top[-1].type == CLASSAD_AD && top->type == CLASSAD_STRING)
				ad_subscript(m, top - 1, top);
			else
				operation_apply(instruction, top - 1, m->room);
			break;
		case OP_TIME:
			*top++ = INTEGER(m->room->now);
			break;
		case OP_UNPARSE:
			*top++ = unparsed(instruction, &program->keys[instruction->operand], in, m->room);
			break;
		case OP_EVAL:
			text_run(m, in, top - 1);
			break;
		case OP_RANDOM:
			top[-1] = random_below(top - 1, in, m->room);
			break;
		case OP_MATCH:
			match(&program->constants[instruction->operand], top - 1, m->room);
			break;
		case OP_AND_TEST: case OP_OR_TEST:
			if (truth_decides(top - 1, instruction->operation == OP_OR_TEST))
				next = program->code + instruction->operand;
			break;
		case OP_UNLESS_UNDEFINED: case OP_BRANCH: case OP_JUMP:
			next = branch(program, instruction, &top);
			break;
		default:
			top -= instruction->operation < OP_BIT_OR ? 1
			       : instruction->operation < OP_LIST ? 2
								  : instruction->n;
			operation_apply(instruction, top++, m->room);
		}
	}
	if (instruction < end)
		*result = ERROR;
}

void classad_evaluate(const struct classad_expression *expression, const struct classad_pair *in,
		      struct classad_room *room, struct classad_value *value)
{
	struct classad_value stack[MACHINE_STACK];
	struct evaluation m;

	if (!expression->program) {
		*value = expression->value;
		return;
	}
	m.room = room;
	m.depth = 0;
	m.end = stack + MACHINE_STACK;
	room->steps = 0;
	expression_run(&m, expression, &(struct classad_scope){ .own = in->my, .other = in->target }, stack);
	*value = room->steps < CLASSAD_STEPS_MOST ? *stack : ERROR;
}

void classad_attribute(const struct classad_pair *in, const char *name, struct classad_room *room,
		       struct classad_value *value)
{
	const struct classad_expression *expression = classad_find(in->my, name);

	if (expression)
		classad_evaluate(expression, in, room, value);
	else
		*value = UNDEFINED;
}

bool classad_is_true(const struct classad_value *value)
{
	struct classad_value truth = truth_of(value);

	return truth.type == CLASSAD_BOOL && truth.truth;
}

bool classad_number(const struct classad_value *value, double *number)
{
	if (!is_number(value))
		return false;
	*number = real_of(value);
	return true;
}
