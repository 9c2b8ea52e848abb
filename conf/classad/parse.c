/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The grammar, from loose to tight:
 *
 *     expression = binary [ "?" expression ":" expression ]
 *     binary     = unary { operator unary }           operators: level_of()
 *     unary      = ( "!" | "~" | "-" | "+" ) unary | postfix
 *     postfix    = primary { "[" expression "]" | "." name | "?:" term }
 *     term       = [ "-" | "+" ] number | primary
 *     primary    = literal | ( "MY" | "TARGET" ) "." name | name | name "(" expressions ")"
 *                | "(" expression ")" | "{" expressions "}"
 */
#include "conf/classad/parse.h"

#define CHAIN_MOST 1000u		/* conditions in a row: a ? b : c ? d : ... */

static int expression(struct parser *p);

static int descend(struct parser *p)
{
	if (p->depth == CLASSAD_DEPTH_MOST)
		return error_set(p->lexer.error, -EINVAL, "column %zu: nested more than %u deep", (size_t)(p->lexer.token.text - p->lexer.begin) + 1,
				 CLASSAD_DEPTH_MOST);
	p->depth++;
	return 0;
}

int parse_inner(struct parser *p)
{
	int rc = descend(p);

	if (rc)
		return rc;
	rc = expression(p);
	p->depth--;
	return rc;
}

void condition_begin(struct parser *p, struct condition *c, struct mark mark)
{
	const struct classad_value *value = build_constant_since(&p->build, mark);

	*c = (struct condition){ .mark = mark, .constant = value };
	if (value) {
		c->truth = truth_of(value);
		build_cut(&p->build, mark);
	} else {
		c->jump = build_jump(&p->build, OP_BRANCH, 1);
	}
}

void condition_else(struct parser *p, struct condition *c)
{
	uint32_t jump;

	if (!c->constant) {
		jump = build_jump(&p->build, OP_JUMP, 1);
		build_arrive(&p->build, c->jump);
		c->jump = jump;
	} else if (c->truth.type != CLASSAD_BOOL || !c->truth.truth) {
		build_cut(&p->build, c->mark);
	} else {
		c->mark = build_mark(&p->build);
	}
}

void condition_end(struct parser *p, struct condition *c)
{
	if (!c->constant) {
		build_arrive(&p->build, c->jump);
	} else if (c->truth.type != CLASSAD_BOOL) {
		build_cut(&p->build, c->mark);
		build_constant(&p->build, c->truth);
	} else if (c->truth.truth) {
		build_cut(&p->build, c->mark);
	}
}

/* Read the token after a sign. The least integer, right after its minus, is its own negative. */
static int sign_skip(struct parser *p, bool minus)
{
	const char *behind = p->lexer.at;
	int rc = lexer_next(&p->lexer);

	if (minus && at(p, TOKEN_NUMBER) && p->lexer.token.is_least && p->lexer.token.text == behind)
		p->lexer.token.value = INTEGER(INT64_MIN);
	return rc;
}

/* What may stand on the right of ?: */
static int term(struct parser *p)
{
	const char *behind = p->lexer.at;
	bool minus = at(p, '-');
	int rc;

	if (!minus && !at(p, '+'))
		return parse_primary(p);
	rc = sign_skip(p, minus);
	if (!rc && (!at(p, TOKEN_NUMBER) || p->lexer.token.text != behind))
		rc = lexer_refuse(&p->lexer, "a number right behind its sign");
	if (rc)
		return rc;
	value_sign(minus ? OP_MINUS : OP_PLUS, &p->lexer.token.value);
	build_constant(&p->build, p->lexer.token.value);
	return lexer_next(&p->lexer);
}

/* Behind `a ?:` */
static int unless_undefined(struct parser *p, struct mark mark)
{
	const struct classad_value *left = build_constant_since(&p->build, mark);
	bool undefined = left && left->type == CLASSAD_UNDEFINED;
	uint32_t jump = 0;
	int rc;

	if (undefined)
		build_cut(&p->build, mark);
	else if (!left)
		jump = build_jump(&p->build, OP_UNLESS_UNDEFINED, 1);
	if (left && !undefined)
		mark = build_mark(&p->build);
	rc = term(p);
	if (left && !undefined)
		build_cut(&p->build, mark);
	else if (!left)
		build_arrive(&p->build, jump);
	return rc;
}

static int selection(struct parser *p, struct mark mark)
{
	if (!at(p, TOKEN_NAME) || token_is_keyword(&p->lexer.token))
		return lexer_refuse(&p->lexer, "a name behind the point");
	build_operation(&p->build, mark, OP_SELECT, 0, 1);
	return lexer_next(&p->lexer);
}

static int postfix(struct parser *p)
{
	struct mark mark = build_mark(&p->build);
	int rc = parse_primary(p);

	while (!rc) {
		if (at(p, '[')) {
			rc = lexer_next(&p->lexer);
			if (!rc)
				rc = parse_inner(p);
			if (!rc)
				rc = expect(p, ']', "an operator, or ]");
			if (!rc)
				build_operation(&p->build, mark, OP_SUBSCRIPT, 0, 2);
		} else if (at(p, '.')) {
			rc = lexer_next(&p->lexer);
			if (!rc)
				rc = selection(p, mark);
		} else if (at(p, TOKEN_ELVIS)) {
			rc = lexer_next(&p->lexer);
			if (!rc)
				rc = unless_undefined(p, mark);
		} else {
			break;
		}
	}
	return rc;
}

static int unary(struct parser *p)
{
	struct mark mark = build_mark(&p->build);
	enum operation operation;
	int rc;

	switch (p->lexer.token.type) {
	case '!': operation = OP_NOT; break;
	case '~': operation = OP_COMPLEMENT; break;
	case '-': operation = OP_MINUS; break;
	case '+': operation = OP_PLUS; break;
	default: return postfix(p);
	}
	rc = descend(p);
	if (rc)
		return rc;
	rc = sign_skip(p, operation == OP_MINUS);
	if (!rc)
		rc = unary(p);
	if (!rc)
		build_operation(&p->build, mark, operation, 0, 1);
	p->depth--;
	return rc;
}

/* From loose to tight; 0: no operator with two operands. */
static int level_of(int token, enum operation *operation)
{
	static const struct { int token, level; enum operation operation; } operators[] = {
		{ TOKEN_OR, 1, OP_OR }, { TOKEN_AND, 2, OP_AND }, { '|', 3, OP_BIT_OR }, { '^', 4, OP_BIT_XOR }, { '&', 5, OP_BIT_AND },
		{ TOKEN_EQUAL, 6, OP_EQUAL }, { TOKEN_UNEQUAL, 6, OP_UNEQUAL }, { TOKEN_IS, 6, OP_IS }, { TOKEN_ISNT, 6, OP_ISNT },
		{ '<', 7, OP_LESS }, { TOKEN_LESS_EQUAL, 7, OP_LESS_EQUAL }, { '>', 7, OP_MORE }, { TOKEN_MORE_EQUAL, 7, OP_MORE_EQUAL },
		{ TOKEN_LEFT, 8, OP_LEFT }, { TOKEN_RIGHT, 8, OP_RIGHT }, { TOKEN_RIGHT_ZERO, 8, OP_RIGHT_ZERO },
		{ '+', 9, OP_ADD }, { '-', 9, OP_SUBTRACT }, { '*', 10, OP_MULTIPLY }, { '/', 10, OP_DIVIDE }, { '%', 10, OP_MODULO },
	};

	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++) {
		if (operators[i].token == token) {
			*operation = operators[i].operation;
			return operators[i].level;
		}
	}
	return 0;
}

static int binary(struct parser *p, int least);

/* Behind `a &&` and `a ||`, where `a` was built since `mark`. */
static int logical(struct parser *p, enum operation operation, int level, struct mark mark)
{
	const struct classad_value *left = build_constant_since(&p->build, mark);
	struct classad_value truth = left ? truth_of(left) : UNDEFINED;
	bool decided = truth.type == CLASSAD_ERROR || (truth.type == CLASSAD_BOOL && truth.truth == (operation == OP_OR));
	uint32_t jump;
	int rc;

	if (left) {		/* it is truth from now on */
		build_cut(&p->build, mark);
		build_constant(&p->build, truth);
	}
	if (decided) {
		mark = build_mark(&p->build);
		rc = binary(p, level + 1);
		build_cut(&p->build, mark);
		return rc;
	}
	if (left) {
		rc = binary(p, level + 1);
		if (!rc)
			build_operation(&p->build, mark, operation, 0, 2);
		return rc;
	}
	jump = build_jump(&p->build, operation == OP_AND ? OP_AND_TEST : OP_OR_TEST, 0);
	rc = binary(p, level + 1);
	if (!rc)
		build_operation(&p->build, mark, operation, 0, 2);
	if (!rc)
		build_arrive(&p->build, jump);
	return rc;
}

static int binary(struct parser *p, int least)
{
	struct mark mark = build_mark(&p->build);
	int rc = unary(p), level;
	enum operation operation;

	while (!rc && (level = level_of(p->lexer.token.type, &operation)) >= least && level > 0) {
		rc = lexer_next(&p->lexer);
		if (!rc && level <= 2) {
			rc = logical(p, operation, level, mark);
		} else if (!rc) {
			rc = binary(p, level + 1);
			if (!rc)
				build_operation(&p->build, mark, operation, 0, 2);
		}
	}
	return rc;
}

static int expression(struct parser *p)
{
	struct mark mark = build_mark(&p->build);
	struct condition c;
	int rc = binary(p, 1);

	if (rc || !at(p, '?'))
		return rc;
	if (++p->chain > CHAIN_MOST)
		return lexer_refuse(&p->lexer, "no more than 1000 conditions");
	condition_begin(p, &c, mark);
	rc = lexer_next(&p->lexer);
	if (!rc)
		rc = parse_inner(p);
	if (!rc)
		rc = expect(p, ':', "an operator, or :");
	if (!rc)
		condition_else(p, &c);
	if (!rc)
		rc = expression(p);
	if (!rc)
		condition_end(p, &c);
	return rc;
}

int expression_parse(struct classad_expression **e, const char *name, const char *text, size_t bytes, struct error *error)
{
	struct parser p = { .lexer = { .begin = text, .at = text, .end = text + bytes, .error = error } };
	int rc;

	*e = NULL;
	if (bytes > CLASSAD_TEXT_MOST)
		return error_set(error, -EINVAL, "an expression of %zu bytes, %u are allowed", bytes, CLASSAD_TEXT_MOST);
	rc = lexer_next(&p.lexer);
	if (!rc)
		rc = expression(&p);
	if (!rc && !at(&p, TOKEN_END))
		rc = lexer_refuse(&p.lexer, "an operator");
	if (!rc && p.build.stack_most > STACK_MOST && !build_constant_since(&p.build, (struct mark){ 0 }))
		rc = error_set(error, -EINVAL, "an expression with %u values at a time, %u are allowed", p.build.stack_most, STACK_MOST);
	for (; bytes > 0 && is_blank(*text); text++)
		bytes--;
	while (bytes > 0 && is_blank(text[bytes - 1]))
		bytes--;
	if (!rc)
		rc = build_pack(&p.build, name, text, bytes, e);
	if (rc == -ENOMEM)
		error_set(error, rc, "no memory for an expression");
	build_free(&p.build);
	return rc;
}
