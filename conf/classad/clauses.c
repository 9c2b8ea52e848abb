/* SPDX-License-Identifier: Apache-2.0 */
/* What all has to hold: an expression's operands of && at its top, those in parentheses, too. */
#include "conf/classad/inside.h"
#include "conf/classad/lexer.h"

struct split_clauses {
	struct classad_clause *items;
	size_t n, most;
};

/* What tokens say of a piece of text. */
struct outline {
	bool is_conjunction;		/* && at the top, and nothing that binds less tightly */
	bool is_enclosed;		/* ( in front closes at the end */
};

static struct outline outline_of(const char *text, size_t bytes)
{
	struct lexer l = { .begin = text, .at = text, .end = text + bytes };
	struct outline o = { .is_enclosed = true };
	unsigned depth = 0;
	bool first = true, looser = false;

	while (lexer_next(&l) == 0 && l.token.type != TOKEN_END) {
		int type = l.token.type;

		if (first && type != '(')
			o.is_enclosed = false;
		depth += type == '(' || type == '[' || type == '{';
		if (depth > 0 && (type == ')' || type == ']' || type == '}') && --depth == 0 && l.at < l.end)
			o.is_enclosed = false;
		o.is_conjunction |= depth == 0 && type == TOKEN_AND;
		looser |= depth == 0 && (type == TOKEN_OR || type == '?');
		first = false;
	}
	o.is_conjunction &= !looser;
	o.is_enclosed &= !first && !looser && !o.is_conjunction;
	return o;
}

static void split(struct split_clauses *c, const char *text, size_t bytes, unsigned depth);

static void operands_split(struct split_clauses *c, const char *text, size_t bytes, unsigned depth)
{
	struct lexer l = { .begin = text, .at = text, .end = text + bytes };
	const char *begin = text;
	unsigned inside = 0;

	while (lexer_next(&l) == 0 && l.token.type != TOKEN_END) {
		int type = l.token.type;

		inside += type == '(' || type == '[' || type == '{';
		inside -= inside > 0 && (type == ')' || type == ']' || type == '}');
		if (inside == 0 && type == TOKEN_AND) {
			split(c, begin, (size_t)(l.token.text - begin), depth);
			begin = l.at;
		}
	}
	split(c, begin, (size_t)(text + bytes - begin), depth);
}

static void split(struct split_clauses *c, const char *text, size_t bytes, unsigned depth)
{
	struct outline o;

	for (; bytes > 0 && is_blank(*text); text++)
		bytes--;
	while (bytes > 0 && is_blank(text[bytes - 1]))
		bytes--;
	o = outline_of(text, bytes);
	if (depth < CLASSAD_DEPTH_MOST && o.is_conjunction) {
		operands_split(c, text, bytes, depth + 1);
	} else if (depth < CLASSAD_DEPTH_MOST && o.is_enclosed) {
		split(c, text + 1, bytes - 2, depth + 1);
	} else {
		if (c->n < c->most)
			c->items[c->n] = (struct classad_clause){ text, bytes };
		c->n++;
	}
}

size_t classad_clauses(const char *text, struct classad_clause *clauses, size_t most)
{
	struct split_clauses c = { .items = clauses, .most = most };

	split(&c, text, strlen(text), 0);
	return c.n;
}
