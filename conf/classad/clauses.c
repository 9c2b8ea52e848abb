/* SPDX-License-Identifier: Apache-2.0 */
/* Clauses of an expression: the operands of the top-level &&, including those in parentheses. */
#include "conf/classad/inside.h"
#include "conf/classad/lexer.h"

struct split_clauses {
	struct classad_clause *items;
	size_t n, most;
};

/* Structure of a piece of text. */
struct outline {
	/* has && at the top, and no operator that binds less tightly */
	bool is_conjunction;
	bool is_enclosed;		/* the first ( is closed by the last ) */
};

static struct outline outline_of(const char *text, size_t bytes)
{
	struct lexer lexer = { .begin = text, .at = text, .end = text + bytes };
	struct outline outline = { .is_enclosed = true };
	unsigned depth = 0;
	bool first = true, looser = false;

	while (lexer_next(&lexer) == 0 && lexer.token.type != TOKEN_END) {
		int type = lexer.token.type;

		if (first && type != '(')
			outline.is_enclosed = false;
		depth += type == '(' || type == '[' || type == '{';
		if (depth > 0 && (type == ')' || type == ']' || type == '}') && --depth == 0 && lexer.at < lexer.end)
			outline.is_enclosed = false;
		outline.is_conjunction |= depth == 0 && type == TOKEN_AND;
		looser |= depth == 0 && (type == TOKEN_OR || type == '?');
		first = false;
	}
	outline.is_conjunction &= !looser;
	outline.is_enclosed &= !first && !looser && !outline.is_conjunction;
	return outline;
}

static void split(struct split_clauses *clauses, const char *text, size_t bytes, unsigned depth);

static void operands_split(struct split_clauses *clauses, const char *text, size_t bytes, unsigned depth)
{
	struct lexer lexer = { .begin = text, .at = text, .end = text + bytes };
	const char *begin = text;
	unsigned inside = 0;

	while (lexer_next(&lexer) == 0 && lexer.token.type != TOKEN_END) {
		int type = lexer.token.type;

		inside += type == '(' || type == '[' || type == '{';
		inside -= inside > 0 && (type == ')' || type == ']' || type == '}');
		if (inside == 0 && type == TOKEN_AND) {
			split(clauses, begin, (size_t)(lexer.token.text - begin), depth);
			begin = lexer.at;
		}
	}
	split(clauses, begin, (size_t)(text + bytes - begin), depth);
}

static void split(struct split_clauses *clauses, const char *text, size_t bytes, unsigned depth)
{
	struct outline outline;

	for (; bytes > 0 && is_blank(*text); text++)
		bytes--;
	while (bytes > 0 && is_blank(text[bytes - 1]))
		bytes--;
	outline = outline_of(text, bytes);
	if (depth < CLASSAD_DEPTH_MOST && outline.is_conjunction) {
		operands_split(clauses, text, bytes, depth + 1);
	} else if (depth < CLASSAD_DEPTH_MOST && outline.is_enclosed) {
		split(clauses, text + 1, bytes - 2, depth + 1);
	} else {
		if (clauses->n < clauses->most)
			clauses->items[clauses->n] = (struct classad_clause){ text, bytes };
		clauses->n++;
	}
}

size_t classad_clauses(const char *text, struct classad_clause *clauses, size_t most)
{
	struct split_clauses split_clauses = { .items = clauses, .most = most };

	split(&split_clauses, text, strlen(text), 0);
	return split_clauses.n;
}
