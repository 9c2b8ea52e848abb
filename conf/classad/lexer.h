/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens of an expression's text. */
#ifndef CONF_CLASSAD_LEXER_H
#define CONF_CLASSAD_LEXER_H

#include "conf/classad/classad.h"

/*
 * Types of tokens. The characters ! ~ - + * / % & | ^ < > ( ) { } [ ] , : ? . = ; are types of
 * their own.
 */
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
	/* text as written; for a string the part between the quotes */
	const char *text;
	size_t bytes;
	struct classad_value value;	/* value of a number */
	bool escapes;			/* contains \" in a string, or \' in a quoted name */
	bool is_quoted;			/* name in single quotes, never a keyword */
	/* number that is read as 0, but whose negative is the least integer */
	bool is_least;
};

struct lexer {
	const char *begin, *at, *end;
	struct token token;		/* current token */
	struct error *error;
};

/*
 * Read the next token. After -EINVAL, with "column 7: ..." as the reason, the current token is the
 * end.
 */
int lexer_next(struct lexer *lexer);
/*
 * Report "column 7: found X, ..." about the current token, which becomes the end. Returns -EINVAL.
 */
int lexer_refuse(struct lexer *lexer, const char *allowed);
/* Return true if the token is this name, case-insensitive. */
bool token_is(const struct token *token, const char *word);

#endif
