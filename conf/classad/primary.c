/* SPDX-License-Identifier: Apache-2.0 */
/* Literals, names, calls, and expressions in brackets. */
#include "conf/classad/parse.h"

#define BEGINS 3u		/* number of expressions whose beginning is stored */

/* Parse expressions separated by commas, up to `end`. */
static int expressions(struct parser *parser, int end, const char *what, struct mark begins[BEGINS], size_t *n)
{
	int rc = 0;

	*n = 0;
	if (at(parser, end))
		return lexer_next(&parser->lexer);
	do {
		if (*n > 0)
			rc = lexer_next(&parser->lexer);
		if (*n < BEGINS)
			begins[*n] = build_mark(&parser->build);
		if (!rc)
			rc = parse_inner(parser);
		++*n;
	} while (!rc && at(parser, ','));
	return rc ? rc : expect(parser, end, what);
}

static int string(struct parser *parser)
{
	const struct token *token = &parser->lexer.token;
	char *text = room_take(&parser->build.room, token->bytes + 1, 1);
	size_t n = 0;

	if (!text)
		return -ENOMEM;
	for (size_t i = 0; i < token->bytes; i++)
		if (!token->escapes || token->text[i] != '\\' || i + 1 == token->bytes || token->text[i + 1] != '"')
			text[n++] = token->text[i];
	text[n] = '\0';
	build_constant(&parser->build, (struct classad_value){ .type = CLASSAD_STRING, .text = text, .bytes = n });
	return lexer_next(&parser->lexer);
}

static void error_build(struct parser *parser, struct mark mark)
{
	build_cut(&parser->build, mark);
	build_constant(&parser->build, ERROR);
}

/* Parse the rest after "ifThenElse(". Another number of arguments than three gives error. */
static int if_then_else(struct parser *parser)
{
	struct mark mark = build_mark(&parser->build);
	struct condition condition;
	size_t n = 0;
	int rc = 0;

	if (!at(parser, ')')) {
		do {
			struct mark argument = build_mark(&parser->build);

			if (n > 0)
				rc = lexer_next(&parser->lexer);
			if (!rc)
				rc = parse_inner(parser);
			if (!rc && n == 0)
				condition_begin(parser, &condition, argument);
			else if (!rc && n == 1)
				condition_else(parser, &condition);
			else if (!rc && n == 2)
				condition_end(parser, &condition);
			n++;
		} while (!rc && at(parser, ','));
	}
	if (!rc)
		rc = expect(parser, ')', ", or )");
	if (!rc && n != 3)
		error_build(parser, mark);
	return rc;
}

/*
 * Compile the pattern of regexp() once if pattern and options are constant. The pattern is below
 * the text on the stack and is removed, so jumps in the text move back by one instruction. Returns
 * false if it must be evaluated like any other call.
 */
static bool pattern_ready(struct parser *parser, const struct mark begins[BEGINS], size_t n)
{
	struct build *build = &parser->build;
	const struct classad_value *options = n == 3 ? build_constant_since(build, begins[2]) : NULL, *pattern;
	char words[32] = "";
	struct regexp *compiled;

	if (build->no_memory || begins[1].code != begins[0].code + 1 ||
	    build->code[begins[0].code].operation != OP_CONSTANT || (n == 3 && !options))
		return false;
	pattern = &build->constants[build->code[begins[0].code].operand];
	if (pattern->type != CLASSAD_STRING ||
	    (options && (options->type != CLASSAD_STRING || options->bytes >= sizeof(words))))
		return false;
	if (options)
		memcpy(words, options->text, options->bytes);
	compiled = regexp_compile(pattern->text, pattern->bytes, words, &build->room);
	if (!compiled)
		return false;
	build->ncode -= 1 + (n == 3);
	memmove(build->code + begins[0].code, build->code + begins[1].code,
		(build->ncode - begins[0].code) * sizeof(*build->code));
	for (uint32_t i = begins[0].code; i < build->ncode; i++)
		if (build->code[i].operation >= OP_AND_TEST)
			build->code[i].operand--;
	build->stack = begins[0].stack + 1;
	build_match(build, compiled);
	return true;
}

/* Parse a constant text in place of eval(). Returns false if it is not an expression. */
static bool text_inline(struct parser *parser, const struct classad_value *text)
{
	struct lexer outer = parser->lexer;
	int rc;

	parser->lexer = (struct lexer){ .begin = text->text, .at = text->text, .end = text->text + text->bytes };
	rc = lexer_next(&parser->lexer);
	if (!rc)
		rc = parse_inner(parser);
	if (!rc && !at(parser, TOKEN_END))
		rc = -EINVAL;
	parser->lexer = outer;
	return !rc;
}

static void eval(struct parser *parser, struct mark mark)
{
	const struct classad_value *constant = build_constant_since(&parser->build, mark);
	struct classad_value value = constant ? *constant : UNDEFINED;

	if (!constant) {
		build_unfolded(&parser->build, OP_EVAL);
	} else if (value.type == CLASSAD_STRING) {
		build_cut(&parser->build, mark);
		if (!text_inline(parser, &value))
			error_build(parser, mark);
	}
}

/* Build a call of a function that is an instruction. Its argument has been built since the mark. */
static void instruction_build(struct parser *parser, struct mark mark, const char *function, size_t n)
{
	struct build *build = &parser->build;

	if (strcmp(function, "time") == 0) {
		build_time(build);
	} else if (strcmp(function, "eval") == 0) {
		eval(parser, mark);
	} else if (strcmp(function, "random") == 0) {
		if (n == 0)
			build_constant(build, REAL(1.0));
		build_unfolded(build, OP_RANDOM);
	} else if (build->ncode == mark.code + 1 && build->code[mark.code].operation >= OP_MY &&
		   build->code[mark.code].operation <= OP_NAME) {
		build_unparse(build);
	} else {
		error_build(parser, mark);
	}
}

/* Parse the rest after "name(". */
static int call(struct parser *parser, const char *name, size_t bytes)
{
	struct mark mark = build_mark(&parser->build), begins[BEGINS];
	uint8_t function = function_find(name, bytes);
	size_t n;
	int rc = expressions(parser, ')', ", or )", begins, &n);

	if (rc)
		return rc;
	if (function == FUNCTION_NONE || n < functions[function].least ||
	    (functions[function].most != UINT8_MAX && n > functions[function].most))
		error_build(parser, mark);
	else if (!functions[function].call)
		instruction_build(parser, mark, functions[function].name, n);
	else if (functions[function].call != text_regexp || !pattern_ready(parser, begins, n))
		build_operation(&parser->build, mark, OP_CALL, function, n);
	return 0;
}

int token_name(struct parser *parser, const struct token *token, const char **name, size_t *bytes)
{
	char *plain;

	*name = token->text;
	*bytes = token->bytes;
	if (*bytes > NAME_MOST)
		return error_set(parser->lexer.error, -EINVAL, "column %zu: a name of %zu characters, %u are allowed",
				 (size_t)(token->text - parser->lexer.begin) + 1, *bytes, NAME_MOST);
	if (!token->escapes)
		return 0;
	plain = room_take(&parser->build.room, *bytes + 1, 1);
	if (!plain)
		return -ENOMEM;
	*name = plain;
	for (size_t i = 0; i < token->bytes; i++) {
		i += token->text[i] == '\\' && i + 1 < token->bytes;
		*plain++ = token->text[i];
	}
	*plain = '\0';
	*bytes = (size_t)(plain - *name);
	return 0;
}

enum operation token_kind(const struct token *token)
{
	if (token_is(token, "MY") || token_is(token, "SELF"))
		return OP_OWN_AD;
	if (token_is(token, "TARGET"))
		return OP_OTHER_AD;
	return token_is(token, "PARENT") ? OP_OUTER_AD : OP_NAME;
}

static int attribute(struct parser *parser, enum operation operation, const struct token *token)
{
	const char *name;
	size_t bytes;
	int rc = token_name(parser, token, &name, &bytes);

	if (rc)
		return rc;
	if (operation == OP_NAME && bytes == 11 && strncasecmp(name, "CurrentTime", bytes) == 0)
		operation = OP_NAME_OR_TIME;
	build_name(&parser->build, operation, name, bytes);
	return 0;
}

bool token_is_keyword(const struct token *token)
{
	return token_is(token, "true") || token_is(token, "false") || token_is(token, "undefined") ||
	       token_is(token, "error");
}

static bool keyword(struct parser *parser, const struct token *token)
{
	if (!token_is_keyword(token))
		return false;
	build_constant(&parser->build, token_is(token, "true") ? TRUTH(true) : token_is(token, "false") ? TRUTH(false) :
		       token_is(token, "undefined") ? UNDEFINED : ERROR);
	return true;
}

/* Parse an expression whose current token is a name. */
static int name(struct parser *parser)
{
	struct token token = parser->lexer.token, *next = &parser->lexer.token;
	bool my = token_is(&token, "MY"), target = token_is(&token, "TARGET");
	int rc = lexer_next(&parser->lexer);

	if (rc || keyword(parser, &token))
		return rc;
	if (at(parser, '(') && !token.is_quoted) {
		rc = lexer_next(&parser->lexer);
		if (!rc)
			rc = token_is(&token, "ifThenElse") ? if_then_else(parser)
							    : call(parser, token.text, token.bytes);
		return rc;
	}
	if (!at(parser, '.') || (!my && !target))
		return attribute(parser, token_kind(&token), &token);
	rc = lexer_next(&parser->lexer);
	if (!rc && (!at(parser, TOKEN_NAME) || token_is_keyword(next)))
		rc = lexer_refuse(&parser->lexer, "a name after MY. or TARGET.");
	if (!rc)
		rc = attribute(parser, my ? OP_MY : OP_TARGET, next);
	return rc ? rc : lexer_next(&parser->lexer);
}

int parse_primary(struct parser *parser)
{
	struct mark mark = build_mark(&parser->build), begins[BEGINS];
	size_t n;
	int rc;

	switch (parser->lexer.token.type) {
	case TOKEN_NUMBER:
		build_constant(&parser->build, parser->lexer.token.value);
		return lexer_next(&parser->lexer);
	case TOKEN_STRING:
		return string(parser);
	case TOKEN_NAME:
		return name(parser);
	case '(':
		rc = lexer_next(&parser->lexer);
		if (!rc)
			rc = parse_inner(parser);
		return rc ? rc : expect(parser, ')', "an operator, or )");
	case '[':
		return parse_ad(parser);
	case '{':
		rc = lexer_next(&parser->lexer);
		if (!rc)
			rc = expressions(parser, '}', ", or }", begins, &n);
		if (!rc && n >= UINT16_MAX)
			return error_set(parser->lexer.error, -EINVAL, "a list of %zu elements, %u are allowed", n,
					 UINT16_MAX - 1);
		if (!rc && n == 0)
			build_constant(&parser->build, (struct classad_value){ .type = CLASSAD_LIST });
		else if (!rc)
			build_operation(&parser->build, mark, OP_LIST, 0, n);
		return rc;
	default:
		return lexer_refuse(&parser->lexer, "a value");
	}
}
