/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The grammar, from operators that bind loosely to those that bind tightly:
 *
 *     expression = binary [ "?" expression ":" expression ]
 *     binary     = unary { operator unary }           operators: level_of()
 *     unary      = ( "!" | "~" | "-" | "+" ) unary | postfix
 *     postfix    = primary { "[" expression "]" | "." name | "?:" term }
 *     term       = [ "-" | "+" ] number | primary
 *     primary    = literal | ( "MY" | "TARGET" ) "." name | name | name "(" expressions ")"
 *                | "(" expression ")" | "{" expressions "}" | "[" attributes "]"
 *     attributes = name "=" expression { ";" name "=" expression } [ ";" ]
 */
#include "conf/classad/parse.h"

#define CHAIN_MOST 1000u		/* conditions in a row: a ? b : c ? d : ... */

static int expression(struct parser *parser);

static int descend(struct parser *parser)
{
	if (parser->depth == CLASSAD_DEPTH_MOST)
		return error_set(parser->lexer.error, -EINVAL, "column %zu: nested more than %u deep",
				 (size_t)(parser->lexer.token.text - parser->lexer.begin) + 1, CLASSAD_DEPTH_MOST);
	parser->depth++;
	return 0;
}

int parse_inner(struct parser *parser)
{
	int rc = descend(parser);

	if (rc)
		return rc;
	rc = expression(parser);
	parser->depth--;
	return rc;
}

void condition_begin(struct parser *parser, struct condition *condition, struct mark mark)
{
	const struct classad_value *value = build_constant_since(&parser->build, mark);

	*condition = (struct condition){ .mark = mark, .constant = value };
	if (value) {
		condition->truth = truth_of(value);
		build_cut(&parser->build, mark);
	} else {
		condition->jump = build_jump(&parser->build, OP_BRANCH, 1);
	}
}

void condition_else(struct parser *parser, struct condition *condition)
{
	uint32_t jump;

	if (!condition->constant) {
		jump = build_jump(&parser->build, OP_JUMP, 1);
		build_arrive(&parser->build, condition->jump);
		condition->jump = jump;
	} else if (condition->truth.type != CLASSAD_BOOL || !condition->truth.truth) {
		build_cut(&parser->build, condition->mark);
	} else {
		condition->mark = build_mark(&parser->build);
	}
}

void condition_end(struct parser *parser, struct condition *condition)
{
	if (!condition->constant) {
		build_arrive(&parser->build, condition->jump);
	} else if (condition->truth.type != CLASSAD_BOOL) {
		build_cut(&parser->build, condition->mark);
		build_constant(&parser->build, condition->truth);
	} else if (condition->truth.truth) {
		build_cut(&parser->build, condition->mark);
	}
}

/* Read the token after a sign. The least integer is accepted only directly after its minus. */
static int sign_skip(struct parser *parser, bool minus)
{
	const char *base = parser->lexer.at;
	int rc = lexer_next(&parser->lexer);

	if (minus && at(parser, TOKEN_NUMBER) && parser->lexer.token.is_least && parser->lexer.token.text == base)
		parser->lexer.token.value = INTEGER(INT64_MIN);
	return rc;
}

/* Parse the operand on the right of ?:. */
static int term(struct parser *parser)
{
	const char *base = parser->lexer.at;
	bool minus = at(parser, '-');
	int rc;

	if (!minus && !at(parser, '+'))
		return parse_primary(parser);
	rc = sign_skip(parser, minus);
	if (!rc && (!at(parser, TOKEN_NUMBER) || parser->lexer.token.text != base))
		rc = lexer_refuse(&parser->lexer, "a number directly after its sign");
	if (rc)
		return rc;
	value_sign(minus ? OP_MINUS : OP_PLUS, &parser->lexer.token.value);
	build_constant(&parser->build, parser->lexer.token.value);
	return lexer_next(&parser->lexer);
}

/* Parse the rest after `a ?:`. */
static int unless_undefined(struct parser *parser, struct mark mark)
{
	const struct classad_value *left = build_constant_since(&parser->build, mark);
	bool undefined = left && left->type == CLASSAD_UNDEFINED;
	uint32_t jump = 0;
	int rc;

	if (undefined)
		build_cut(&parser->build, mark);
	else if (!left)
		jump = build_jump(&parser->build, OP_UNLESS_UNDEFINED, 1);
	if (left && !undefined)
		mark = build_mark(&parser->build);
	rc = term(parser);
	if (left && !undefined)
		build_cut(&parser->build, mark);
	else if (!left)
		build_arrive(&parser->build, jump);
	return rc;
}

static int selection(struct parser *parser)
{
	const char *name;
	size_t bytes;
	int rc;

	if (!at(parser, TOKEN_NAME) || token_is_keyword(&parser->lexer.token))
		return lexer_refuse(&parser->lexer, "a name after the point");
	rc = token_name(parser, &parser->lexer.token, &name, &bytes);
	if (rc)
		return rc;
	build_select(&parser->build, token_kind(&parser->lexer.token), name, bytes);
	return lexer_next(&parser->lexer);
}

static int postfix(struct parser *parser)
{
	struct mark mark = build_mark(&parser->build);
	int rc = parse_primary(parser);

	while (!rc) {
		if (at(parser, '[')) {
			rc = lexer_next(&parser->lexer);
			if (!rc)
				rc = parse_inner(parser);
			if (!rc)
				rc = expect(parser, ']', "an operator, or ]");
			if (!rc)
				build_operation(&parser->build, mark, OP_SUBSCRIPT, 0, 2);
		} else if (at(parser, '.')) {
			rc = lexer_next(&parser->lexer);
			if (!rc)
				rc = selection(parser);
		} else if (at(parser, TOKEN_ELVIS)) {
			rc = lexer_next(&parser->lexer);
			if (!rc)
				rc = unless_undefined(parser, mark);
		} else {
			break;
		}
	}
	return rc;
}

static int unary(struct parser *parser)
{
	struct mark mark = build_mark(&parser->build);
	enum operation operation;
	int rc;

	switch (parser->lexer.token.type) {
	case '!': operation = OP_NOT; break;
	case '~': operation = OP_COMPLEMENT; break;
	case '-': operation = OP_MINUS; break;
	case '+': operation = OP_PLUS; break;
	default: return postfix(parser);
	}
	rc = descend(parser);
	if (rc)
		return rc;
	rc = sign_skip(parser, operation == OP_MINUS);
	if (!rc)
		rc = unary(parser);
	if (!rc)
		build_operation(&parser->build, mark, operation, 0, 1);
	parser->depth--;
	return rc;
}

/*
 * Return the level of an operator, from loose to tight, or 0 if it is not an operator with two
 * operands.
 */
static int level_of(int token, enum operation *operation)
{
	static const struct { int token, level; enum operation operation;
	} operators[] = {
		{ TOKEN_OR, 1, OP_OR },
		{ TOKEN_AND, 2, OP_AND },
		{ '|', 3, OP_BIT_OR },
		{ '^', 4, OP_BIT_XOR },
		{ '&', 5, OP_BIT_AND },
		{ TOKEN_EQUAL, 6, OP_EQUAL },
		{ TOKEN_UNEQUAL, 6, OP_UNEQUAL },
		{ TOKEN_IS, 6, OP_IS },
		{ TOKEN_ISNT, 6, OP_ISNT },
		{ '<', 7, OP_LESS },
		{ TOKEN_LESS_EQUAL, 7, OP_LESS_EQUAL },
		{ '>', 7, OP_MORE },
		{ TOKEN_MORE_EQUAL, 7, OP_MORE_EQUAL },
		{ TOKEN_LEFT, 8, OP_LEFT },
		{ TOKEN_RIGHT, 8, OP_RIGHT },
		{ TOKEN_RIGHT_ZERO, 8, OP_RIGHT_ZERO },
		{ '+', 9, OP_ADD },
		{ '-', 9, OP_SUBTRACT },
		{ '*', 10, OP_MULTIPLY },
		{ '/', 10, OP_DIVIDE },
		{ '%', 10, OP_MODULO },
	};

	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++) {
		if (operators[i].token == token) {
			*operation = operators[i].operation;
			return operators[i].level;
		}
	}
	return 0;
}

static int binary(struct parser *parser, int least);

/* Parse the rest after `a &&` or `a ||`, where `a` was built since `mark`. */
static int logical(struct parser *parser, enum operation operation, int level, struct mark mark)
{
	const struct classad_value *left = build_constant_since(&parser->build, mark);
	struct classad_value truth = left ? truth_of(left) : UNDEFINED;
	bool decided =
		truth.type == CLASSAD_ERROR || (truth.type == CLASSAD_BOOL && truth.truth == (operation == OP_OR));
	uint32_t jump;
	int rc;

	if (left) {		/* replace the constant by its truth */
		build_cut(&parser->build, mark);
		build_constant(&parser->build, truth);
	}
	if (decided) {
		mark = build_mark(&parser->build);
		rc = binary(parser, level + 1);
		build_cut(&parser->build, mark);
		return rc;
	}
	if (left) {
		rc = binary(parser, level + 1);
		if (!rc)
			build_operation(&parser->build, mark, operation, 0, 2);
		return rc;
	}
	jump = build_jump(&parser->build, operation == OP_AND ? OP_AND_TEST : OP_OR_TEST, 0);
	rc = binary(parser, level + 1);
	if (!rc)
		build_operation(&parser->build, mark, operation, 0, 2);
	if (!rc)
		build_arrive(&parser->build, jump);
	return rc;
}

static int binary(struct parser *parser, int least)
{
	struct mark mark = build_mark(&parser->build);
	int rc = unary(parser), level;
	enum operation operation;

	while (!rc && (level = level_of(parser->lexer.token.type, &operation)) >= least && level > 0) {
		rc = lexer_next(&parser->lexer);
		if (!rc && level <= 2) {
			rc = logical(parser, operation, level, mark);
		} else if (!rc) {
			rc = binary(parser, level + 1);
			if (!rc)
				build_operation(&parser->build, mark, operation, 0, 2);
		}
	}
	return rc;
}

static int expression(struct parser *parser)
{
	struct mark mark = build_mark(&parser->build);
	struct condition c;
	int rc = binary(parser, 1);

	if (rc || !at(parser, '?'))
		return rc;
	if (++parser->chain > CHAIN_MOST)
		return lexer_refuse(&parser->lexer, "no more than 1000 conditions");
	condition_begin(parser, &c, mark);
	rc = lexer_next(&parser->lexer);
	if (!rc)
		rc = parse_inner(parser);
	if (!rc)
		rc = expect(parser, ':', "an operator, or :");
	if (!rc)
		condition_else(parser, &c);
	if (!rc)
		rc = expression(parser);
	if (!rc)
		condition_end(parser, &c);
	return rc;
}

int parse_finish(struct parser *parser, const char *name, const char *text, size_t bytes,
		 struct classad_expression **classad_expression)
{
	struct build *build = &parser->build;
	int rc = 0;

	if (build->stack_most > STACK_MOST && !build_constant_since(build, (struct mark){ 0 }))
		rc = error_set(parser->lexer.error, -EINVAL,
			       "an expression with %u values at a time, %u are allowed", build->stack_most,
			       STACK_MOST);
	for (; bytes > 0 && is_blank(*text); text++)
		bytes--;
	while (bytes > 0 && is_blank(text[bytes - 1]))
		bytes--;
	if (!rc)
		rc = build_pack(build, name, text, bytes, classad_expression);
	build_free(build);
	return rc;
}

int expression_parse(struct classad_expression **classad_expression, const char *name, const char *text, size_t bytes,
		     uint32_t *steps, struct error *error)
{
	size_t nested = 0;
	struct parser parser = { .lexer = { .begin = text, .at = text, .end = text + bytes, .error = error },
				 .nested = &nested };
	int rc;

	*classad_expression = NULL;
	if (bytes > CLASSAD_TEXT_MOST)
		return error_set(error, -EINVAL, "an expression of %zu bytes, %u are allowed", bytes,
				 CLASSAD_TEXT_MOST);
	rc = lexer_next(&parser.lexer);
	if (!rc)
		rc = expression(&parser);
	if (!rc && !at(&parser, TOKEN_END))
		rc = lexer_refuse(&parser.lexer, "an operator");
	if (rc)
		build_free(&parser.build);
	else
		rc = parse_finish(&parser, name, text, bytes, classad_expression);
	if (rc == -ENOMEM)
		error_set(error, rc, "out of memory for an expression");
	if (steps)
		*steps += parser.build.room.steps;
	return rc;
}
