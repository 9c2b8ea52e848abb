/* SPDX-License-Identifier: Apache-2.0 */
/* An expression's text as tokens. */
#ifndef CONF_CLASSAD_LEXER_H
#define CONF_CLASSAD_LEXER_H

#include "conf/classad/classad.h"

/* One of the characters ! ~ - + * / % & | ^ < > ( ) { } [ ] , : ? . stands for itself. */
enum token_type {
	TOKEN_END = 0,
	TOKEN_NUMBER = 256,
	TOKEN_STRING,
	TOKEN_NAME,
	TOKEN_AND,
	TOKEN_OR,
	TOKEN_EQUAL,
	TOKEN_UNEQUAL,
	TOKEN_IS,
	TOKEN_ISNT,
	TOKEN_LESS_EQUAL,
	TOKEN_MORE_EQUAL,
	TOKEN_LEFT,
	TOKEN_RIGHT,
	TOKEN_RIGHT_ZERO,
	TOKEN_ELVIS,
};

struct token {
	int type;			/* enum token_type, or a character */
	const char *text;		/* as it is written; of a string what is between the quotes */
	size_t bytes;
	struct classad_value value;	/* of a number */
	bool escapes;			/* there are \" in a string, \' in a quoted name */
	bool is_quoted;			/* a name in single quotes: no keyword */
	bool is_least;			/* a number whose negative is the least integer, and which reads as 0 itself */
};

struct lexer {
	const char *begin, *at, *end;
	struct token token;		/* the present one */
	struct error *error;
};

/* The next one. -EINVAL: "column 7: ..."; then it is the end. */
int lexer_next(struct lexer *lexer);
/*
 * "column 7: found X, ..." of the present token; returns -EINVAL, and the present one is the end.
 */
int lexer_refuse(struct lexer *lexer, const char *allowed);
bool token_is(const struct token *token, const char *word);		/* a name, without case */

#endif
