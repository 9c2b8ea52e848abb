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

#endif
