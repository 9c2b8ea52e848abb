/* SPDX-License-Identifier: Apache-2.0 */
/* What parse.c and primary.c share: the grammar stands in parse.c. */
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

/* parse.c: nested one level deeper */
int parse_inner(struct parser *parser);

/* What is built of a condition: its constant value, or the jump over what follows if it is true. */
struct condition {
	struct mark mark;
	bool constant;
	struct classad_value truth;
	uint32_t jump;
};

/* The condition has been built since `mark`; then its two values, one behind the other. */
void condition_begin(struct parser *parser, struct condition *condition, struct mark mark);
void condition_else(struct parser *parser, struct condition *condition);
void condition_end(struct parser *parser, struct condition *condition);

/* primary.c */
int parse_primary(struct parser *parser);
bool token_is_keyword(const struct token *token);

#endif
