/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The evaluation. An attribute that an expression uses is evaluated in its own ad, on the same
 * stack. An attribute that is already being evaluated is undefined.
 */
#include "conf/classad/inside.h"

#define MACHINE_STACK (4 * STACK_MOST)

struct evaluation {
	struct classad_room *room;
	const struct classad_expression *running[CLASSAD_DEPTH_MOST];
	unsigned depth;
	const struct classad_value *end;	/* end of the stack */
};

struct scene {			/* ads of the expression that is evaluated */
	const struct classad *own, *other;
};

static void program_run(struct evaluation *evaluation, const struct program *program, struct scene in,
			struct classad_value *top);

/* Evaluate an expression and store the value in *result, which is the top of the stack. */
static void expression_run(struct evaluation *evaluation, const struct classad_expression *expression, struct scene in,
			   struct classad_value *result)
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

static void name_run(struct evaluation *evaluation, enum operation operation, const struct name_key *key,
		     struct scene in, struct classad_value *result)
{
	const struct classad_expression *expression = operation != OP_TARGET ? ad_find(in.own, key) : NULL;

	if (expression) {
		expression_run(evaluation, expression, in, result);
		return;
	}
	expression = operation != OP_MY ? ad_find(in.other, key) : NULL;
	if (expression)
		expression_run(evaluation, expression, (struct scene){ in.other, in.own }, result);
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
	else if (operation == OP_SELECT)	/* ads in ads do not exist */
		*operands = operands->type == CLASSAD_UNDEFINED ? UNDEFINED : ERROR;
	else if (operation >= OP_EQUAL && operation <= OP_MORE_EQUAL)
		value_compare(operation, operands, operands + 1);
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

static void program_run(struct evaluation *m, const struct program *program, struct scene in,
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
		case OP_TIME:
			*top++ = INTEGER(m->room->now);
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
	expression_run(&m, expression, (struct scene){ in->my, in->target }, stack);
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
