/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that parse.c and primary.c share. The grammar is in parse.c. */
#ifndef CONF_CLASSAD_PARSE_H
#define CONF_CLASSAD_PARSE_H

#include <errno.h>

#include "conf/classad/build.h"
#include "conf/classad/lexer.h"

struct parser {
	struct lexer lexer;
	struct build build;
	unsigned depth, chain;
	size_t *nested;		/* bytes of all nested ads of the outermost expression */
};

static inline bool at(const struct parser *parser, int type)
{
	return parser->lexer.token.type == type;
}

static inline int expect(struct parser *parser, int type, const char *what)
{
	return at(parser, type) ? lexer_next(&parser->lexer) : lexer_refuse(&parser->lexer, what);
}

/* Parse an expression that is nested one level deeper (parse.c). */
int parse_inner(struct parser *parser);
/*
 * Pack an expression that has been parsed, with its text. Frees the build. `name` may be NULL.
 * Returns 0, -EINVAL or -ENOMEM (parse.c).
 */
int parse_finish(struct parser *parser, const char *name, const char *text, size_t bytes,
		 struct classad_expression **expression);

/* Condition that has been built: its constant value, or the jump that follows it. */
struct condition {
	struct mark mark;
	bool constant;
	struct classad_value truth;
	uint32_t jump;
};

/*
 * Build the choice of a condition, which has been built since `mark`. The first value is built
 * before condition_else(), the second one before condition_end().
 */
void condition_begin(struct parser *parser, struct condition *condition, struct mark mark);
void condition_else(struct parser *parser, struct condition *condition);
void condition_end(struct parser *parser, struct condition *condition);

/* primary.c */
int parse_primary(struct parser *parser);
bool token_is_keyword(const struct token *token);
/*
 * Return the name of a token in *name and *bytes, without the escapes of a quoted name. Returns 0,
 * -EINVAL or -ENOMEM.
 */
int token_name(struct parser *parser, const struct token *token, const char **name, size_t *bytes);
/* Return OP_OWN_AD, OP_OTHER_AD or OP_OUTER_AD for a name that means an ad, else OP_NAME. */
enum operation token_kind(const struct token *token);

/* Parse an ad from its [ (nested.c). */
int parse_ad(struct parser *parser);

#endif
