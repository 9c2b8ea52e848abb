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

static inline bool at(const struct parser *p, int type)
{
	return p->lexer.token.type == type;
}

static inline int expect(struct parser *p, int type, const char *what)
{
	return at(p, type) ? lexer_next(&p->lexer) : lexer_refuse(&p->lexer, what);
}

/* parse.c: nested one level deeper */
int parse_inner(struct parser *p);

/* What is built of a condition: its constant value, or the jump over what follows if it is true. */
struct condition {
	struct mark mark;
	bool constant;
	struct classad_value truth;
	uint32_t jump;
};

/* The condition has been built since `mark`; then its two values, one behind the other. */
void condition_begin(struct parser *p, struct condition *c, struct mark mark);
void condition_else(struct parser *p, struct condition *c);
void condition_end(struct parser *p, struct condition *c);

/* primary.c */
int parse_primary(struct parser *p);
bool token_is_keyword(const struct token *t);

#endif
