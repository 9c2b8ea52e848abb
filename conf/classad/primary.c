/* SPDX-License-Identifier: Apache-2.0 */
/* Literals, names, calls, what stands in brackets. */
#include "conf/classad/parse.h"

#define BEGINS 3u		/* of so many expressions it is known where they begin */

/* Expressions with commas between them, up to `end`. */
static int expressions(struct parser *p, int end, const char *what, struct mark begins[BEGINS], size_t *n)
{
	int rc = 0;

	*n = 0;
	if (at(p, end))
		return lexer_next(&p->lexer);
	do {
		if (*n > 0)
			rc = lexer_next(&p->lexer);
		if (*n < BEGINS)
			begins[*n] = build_mark(&p->build);
		if (!rc)
			rc = parse_inner(p);
		++*n;
	} while (!rc && at(p, ','));
	return rc ? rc : expect(p, end, what);
}

static int string(struct parser *p)
{
	const struct token *t = &p->lexer.token;
	char *text = room_take(&p->build.room, t->bytes + 1, 1);
	size_t n = 0;

	if (!text)
		return -ENOMEM;
	for (size_t i = 0; i < t->bytes; i++)
		if (!t->escapes || t->text[i] != '\\' || i + 1 == t->bytes || t->text[i + 1] != '"')
			text[n++] = t->text[i];
	text[n] = '\0';
	build_constant(&p->build, (struct classad_value){ .type = CLASSAD_STRING, .text = text, .bytes = n });
	return lexer_next(&p->lexer);
}

static void error_build(struct parser *p, struct mark mark)
{
	build_cut(&p->build, mark);
	build_constant(&p->build, ERROR);
}

/* Behind "ifThenElse(". Another number of arguments than three is error. */
static int if_then_else(struct parser *p)
{
	struct mark mark = build_mark(&p->build);
	struct condition c;
	size_t n = 0;
	int rc = 0;

	if (!at(p, ')')) {
		do {
			struct mark argument = build_mark(&p->build);

			if (n > 0)
				rc = lexer_next(&p->lexer);
			if (!rc)
				rc = parse_inner(p);
			if (!rc && n == 0)
				condition_begin(p, &c, argument);
			else if (!rc && n == 1)
				condition_else(p, &c);
			else if (!rc && n == 2)
				condition_end(p, &c);
			n++;
		} while (!rc && at(p, ','));
	}
	if (!rc)
		rc = expect(p, ')', ", or )");
	if (!rc && n != 3)
		error_build(p, mark);
	return rc;
}

/*
 * regexp() with a pattern and options that never change: the pattern is made ready once. It is
 * below the text on the stack, and makes way: jumps in the text go one instruction back. False: it
 * is evaluated as any other call.
 */
static bool pattern_ready(struct parser *p, const struct mark begins[BEGINS], size_t n)
{
	struct build *b = &p->build;
	const struct classad_value *options = n == 3 ? build_constant_since(b, begins[2]) : NULL, *pattern;
	char words[32] = "";
	struct regexp *compiled;

	if (b->no_memory || begins[1].code != begins[0].code + 1 || b->code[begins[0].code].operation != OP_CONSTANT || (n == 3 && !options))
		return false;
	pattern = &b->constants[b->code[begins[0].code].operand];
	if (pattern->type != CLASSAD_STRING || (options && (options->type != CLASSAD_STRING || options->bytes >= sizeof(words))))
		return false;
	if (options)
		memcpy(words, options->text, options->bytes);
	compiled = regexp_compile(pattern->text, pattern->bytes, words, &b->room);
	if (!compiled)
		return false;
	b->ncode -= 1 + (n == 3);
	memmove(b->code + begins[0].code, b->code + begins[1].code, (b->ncode - begins[0].code) * sizeof(*b->code));
	for (uint32_t i = begins[0].code; i < b->ncode; i++)
		if (b->code[i].operation >= OP_AND_TEST)
			b->code[i].operand--;
	b->stack = begins[0].stack + 1;
	build_match(b, compiled);
	return true;
}

/* Behind "name(". */
static int call(struct parser *p, const char *name, size_t bytes)
{
	struct mark mark = build_mark(&p->build), begins[BEGINS];
	uint8_t function = function_find(name, bytes);
	size_t n;
	int rc = expressions(p, ')', ", or )", begins, &n);

	if (rc)
		return rc;
	if (function == FUNCTION_NONE || n < functions[function].least || (functions[function].most != UINT8_MAX && n > functions[function].most))
		error_build(p, mark);
	else if (!functions[function].call)
		build_time(&p->build);
	else if (functions[function].call != text_regexp || !pattern_ready(p, begins, n))
		build_operation(&p->build, mark, OP_CALL, function, n);
	return 0;
}

static int attribute(struct parser *p, enum operation operation, const struct token *t)
{
	const char *name = t->text;
	size_t bytes = t->bytes;

	if (bytes > NAME_MOST)
		return error_set(p->lexer.error, -EINVAL, "column %zu: a name of %zu characters, %u are allowed",
				 (size_t)(name - p->lexer.begin) + 1, bytes, NAME_MOST);
	if (t->escapes) {
		char *plain = room_take(&p->build.room, bytes + 1, 1);

		if (!plain)
			return -ENOMEM;
		name = plain;
		for (size_t i = 0; i < t->bytes; i++) {
			i += t->text[i] == '\\' && i + 1 < t->bytes;
			*plain++ = t->text[i];
		}
		*plain = '\0';
		bytes = (size_t)(plain - name);
	}
	if (operation == OP_NAME && bytes == 11 && strncasecmp(name, "CurrentTime", bytes) == 0)
		operation = OP_NAME_OR_TIME;
	build_name(&p->build, operation, name, bytes);
	return 0;
}

bool token_is_keyword(const struct token *t)
{
	return token_is(t, "true") || token_is(t, "false") || token_is(t, "undefined") || token_is(t, "error");
}

static bool keyword(struct parser *p, const struct token *t)
{
	if (!token_is_keyword(t))
		return false;
	build_constant(&p->build, token_is(t, "true") ? TRUTH(true) : token_is(t, "false") ? TRUTH(false) :
		       token_is(t, "undefined") ? UNDEFINED : ERROR);
	return true;
}

/* The present token is a name. */
static int name(struct parser *p)
{
	struct token t = p->lexer.token, *next = &p->lexer.token;
	bool my = token_is(&t, "MY"), target = token_is(&t, "TARGET");
	int rc = lexer_next(&p->lexer);

	if (rc || keyword(p, &t))
		return rc;
	if (at(p, '(') && !t.is_quoted) {
		rc = lexer_next(&p->lexer);
		if (!rc)
			rc = token_is(&t, "ifThenElse") ? if_then_else(p) : call(p, t.text, t.bytes);
		return rc;
	}
	if (!at(p, '.') || (!my && !target))
		return attribute(p, OP_NAME, &t);
	rc = lexer_next(&p->lexer);
	if (!rc && (!at(p, TOKEN_NAME) || token_is_keyword(next)))
		rc = lexer_refuse(&p->lexer, "a name behind MY. or TARGET.");
	if (!rc)
		rc = attribute(p, my ? OP_MY : OP_TARGET, next);
	return rc ? rc : lexer_next(&p->lexer);
}

int parse_primary(struct parser *p)
{
	struct mark mark = build_mark(&p->build), begins[BEGINS];
	size_t n;
	int rc;

	switch (p->lexer.token.type) {
	case TOKEN_NUMBER:
		build_constant(&p->build, p->lexer.token.value);
		return lexer_next(&p->lexer);
	case TOKEN_STRING:
		return string(p);
	case TOKEN_NAME:
		return name(p);
	case '(':
		rc = lexer_next(&p->lexer);
		if (!rc)
			rc = parse_inner(p);
		return rc ? rc : expect(p, ')', "an operator, or )");
	case '{':
		rc = lexer_next(&p->lexer);
		if (!rc)
			rc = expressions(p, '}', ", or }", begins, &n);
		if (!rc && n >= UINT16_MAX)
			return error_set(p->lexer.error, -EINVAL, "a list of %zu elements, %u are allowed", n, UINT16_MAX - 1);
		if (!rc && n == 0)
			build_constant(&p->build, (struct classad_value){ .type = CLASSAD_LIST });
		else if (!rc)
			build_operation(&p->build, mark, OP_LIST, 0, n);
		return rc;
	default:
		return lexer_refuse(&p->lexer, "a value");
	}
}
