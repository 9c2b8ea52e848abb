/* SPDX-License-Identifier: Apache-2.0 */
/* Ads inside expressions: "[" name "=" expression ";" ... "]". */
#include "conf/classad/parse.h"

/* An ad may take much more memory than its text, so the sum of both is limited. */
#define NESTED_MOST ((size_t)1 << 20)	/* bytes of all nested ads of an expression */
#define NESTED_COST 256u		/* bytes of an attribute, besides its text */

static int nested_charge(struct parser *parser, size_t bytes)
{
	*parser->nested += bytes + NESTED_COST;
	if (*parser->nested <= NESTED_MOST)
		return 0;
	return error_set(parser->lexer.error, -EINVAL, "column %zu: nested ads of more than %zu bytes",
			 (size_t)(parser->lexer.token.text - parser->lexer.begin) + 1, NESTED_MOST);
}

/* Return the first character of the current token, which may be a quote. */
static const char *token_begin(const struct parser *parser)
{
	const struct token *token = &parser->lexer.token;

	return token->text - (token->type == TOKEN_STRING || token->is_quoted);
}

/* Parse the expression of an attribute and add it to the ad. */
static int value_parse(struct parser *parser, struct classad *ad, const char *name)
{
	struct parser inner = {
		.lexer = parser->lexer, .depth = parser->depth, .chain = parser->chain, .nested = parser->nested
	};
	const char *begin = token_begin(parser);
	struct classad_expression *expression;
	size_t bytes;
	int rc;

	/* folding in all nested ads has one limit, and so have conditions */
	inner.build.room.steps = parser->build.room.steps;
	rc = parse_inner(&inner);
	parser->build.room.steps = inner.build.room.steps;
	parser->lexer = inner.lexer;
	parser->chain = inner.chain;
	bytes = rc ? 0 : (size_t)(token_begin(parser) - begin);
	if (!rc)
		rc = nested_charge(parser, bytes);
	if (rc)
		build_free(&inner.build);
	else
		rc = parse_finish(&inner, ad_spelling(ad, name), begin, bytes, &expression);
	return rc ? rc : ad_put(ad, expression, parser->lexer.error);
}

/* Parse "name = expression". */
static int attribute_parse(struct parser *parser, struct classad *ad)
{
	char copy[NAME_MOST + 1];
	const char *name;
	size_t bytes;
	int rc;

	if (!at(parser, TOKEN_NAME) || token_is_keyword(&parser->lexer.token))
		return lexer_refuse(&parser->lexer, "an attribute's name, or ]");
	rc = token_name(parser, &parser->lexer.token, &name, &bytes);
	if (rc)
		return rc;
	memcpy(copy, name, bytes);
	copy[bytes] = '\0';
	rc = lexer_next(&parser->lexer);
	if (!rc)
		rc = expect(parser, '=', "= after the attribute's name");
	return rc ? rc : value_parse(parser, ad, copy);
}

int parse_ad(struct parser *parser)
{
	const char *begin = parser->lexer.token.text;
	struct classad *ad = classad_create();
	int rc = ad ? lexer_next(&parser->lexer) : -ENOMEM;

	while (!rc && !at(parser, ']')) {
		rc = attribute_parse(parser, ad);
		if (!rc && !at(parser, ']'))
			rc = expect(parser, ';', "an operator, ; or ]");
		while (!rc && at(parser, ';'))
			rc = lexer_next(&parser->lexer);
	}
	if (rc) {
		classad_free(ad);
		return rc;
	}
	build_ad(&parser->build, ad, begin, parser->lexer.at);
	return lexer_next(&parser->lexer);
}
