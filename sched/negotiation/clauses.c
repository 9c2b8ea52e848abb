/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sched/negotiation/inside.h"

#define OF_CUSTOMERS (1u << MOMENT_REMOTE_USER | 1u << MOMENT_REMOTE_OWNER | 1u << MOMENT_REMOTE_PRIO | 1u << MOMENT_REMOTE_FLOOR | \
		      1u << MOMENT_REMOTE_GROUP | 1u << MOMENT_REMOTE_GROUP_QUOTA)
#define OF_SLOTS (MOMENTS_OF_SLOTS & ~MOMENTS_OF_USE)

/* Text: where an operator stands that is in no parentheses, brackets or quotes. */

static const char *text_find(const char *text, const char *end, const char *const *operators, size_t *which)
{
	int depth = 0;

	for (const char *s = text; s < end; s++) {
		if (*s == '"') {
			for (s++; s < end && *s != '"'; s++)
				s += *s == '\\';
			continue;
		}
		if (depth == 0 && strncmp(s, "=?=", 3) == 0 && strcmp(operators[0], "==") != 0) {
			s += 2;		/* its ? is no condition */
			continue;
		}
		depth += (*s == '(' || *s == '[' || *s == '{') - (*s == ')' || *s == ']' || *s == '}');
		for (size_t i = 0; depth == 0 && operators[i]; i++)
			if (strncmp(s, operators[i], strlen(operators[i])) == 0) {
				*which = i;
				return s;
			}
	}
	return NULL;
}

/* Without blanks and parentheses around it all. */
static void text_strip(const char **text, const char **end)
{
	for (;;) {
		const char *s;
		int depth = 0;

		while (*text < *end && strchr(" \t\r\n", **text))
			++*text;
		while (*end > *text && strchr(" \t\r\n", (*end)[-1]))
			--*end;
		if (*end - *text < 2 || **text != '(')
			return;
		for (s = *text; s < *end; s++) {
			if (*s == '"')
				return;		/* it may be more than it seems: the text stays as it is */
			depth += (*s == '(') - (*s == ')');
			if (depth == 0)
				break;
		}
		if (s != *end - 1)
			return;
		++*text;
		--*end;
	}
}

static int part_parse(struct classad_expression **e, const char *text, const char *end)
{
	char *copy = strndup(text, (size_t)(end - text));
	struct error error;
	int rc = copy ? classad_parse(e, copy, &error) : -ENOMEM;

	free(copy);
	return rc;
}

/* What an expression refers to */

struct refers {
	uint32_t own, others;		/* moments */
	bool ad, job, whether;		/* other attributes: plain or of the slot; of the job */
};

static int refers_find(const struct classad_expression *e, struct refers *r)
{
	struct classad_names mine = { 0 }, theirs = { 0 };
	bool time = false;
	int rc = classad_references(e, NULL, &mine, &theirs, &time);

	*r = (struct refers){ 0 };
	for (size_t i = 0; i < mine.n && rc == 0; i++) {
		uint32_t moment = moment_of(mine.items[i]);

		r->own |= moment & MOMENTS_OF_SLOTS;
		r->ad |= !moment;
	}
	for (size_t i = 0; i < theirs.n && rc == 0; i++) {
		uint32_t moment = moment_of(theirs.items[i]);

		/* a plain name is in both; one that is a slot's is no job's */
		r->others |= moment & MOMENTS_OF_JOBS;
		r->job |= !classad_names_have(&mine, theirs.items[i]) && !(moment & MOMENTS_OF_JOBS);
	}
	classad_names_free(&mine);
	classad_names_free(&theirs);
	return rc;
}

static bool has_is(const char *text, const char *end)
{
	for (const char *s = text; s < end; s++)
		if (strncasecmp(s, "is", 2) == 0 && (s == text || !isalnum((unsigned char)s[-1])) &&
		    (!isalnum((unsigned char)s[2]) || strncasecmp(s, "isnt", 4) == 0))
			return true;
	return false;
}

/* "A > B" or "B < A", A of the slot's user, B of the submitter. */
static int more_split(struct preemption_clause *c, const char *text, const char *end)
{
	static const char *const equalities[] = { "==", "=?=", "=!=", "!=", "<<", ">>", "|", "^", "&", "?", NULL };
	static const char *const orders[] = { ">=", "<=", ">", "<", NULL };
	struct refers more, less;
	size_t which = 0;
	const char *at = text_find(text, end, equalities, &which), *behind;
	int rc;

	if (at || has_is(text, end) || !(at = text_find(text, end, orders, &which)))
		return 0;
	behind = at + strlen(orders[which]);
	c->or_equal = which < 2;
	if (text_find(behind, end, orders, &(size_t){ 0 }))
		return 0;
	rc = part_parse(which == 0 || which == 2 ? &c->more : &c->less, text, at);
	if (rc == 0)
		rc = part_parse(which == 0 || which == 2 ? &c->less : &c->more, behind, end);
	if (rc == 0)
		rc = refers_find(c->more, &more);
	if (rc == 0)
		rc = refers_find(c->less, &less);
	if (rc < 0)
		return rc;
	if (!(more.own & ~OF_CUSTOMERS) && more.own && !more.others && !more.ad && !more.job && !less.own && less.others && !less.ad &&
	    !(less.others & MOMENTS_OF_USE))
		c->kind = CLAUSE_MORE;
	return 0;
}

static int clause_begin(struct preemption_clause *c, const char *text, const char *end)
{
	struct refers r;
	int rc;

	*c = (struct preemption_clause){ .kind = CLAUSE_ANY };
	text_strip(&text, &end);
	rc = part_parse(&c->whole, text, end);
	if (rc == 0)
		rc = refers_find(c->whole, &r);
	if (rc < 0)
		return rc;
	if (!r.others && !r.job && !(r.own & ~OF_SLOTS))
		c->kind = CLAUSE_SLOT;
	else if (!r.ad && !(r.own & ~OF_CUSTOMERS) && !(r.others & MOMENTS_OF_USE))
		c->kind = CLAUSE_CUSTOMER;
	return c->kind == CLAUSE_CUSTOMER ? more_split(c, text, end) : 0;
}

static int clause_add(struct preemption_clauses *c, const char *text, const char *end)
{
	struct preemption_clause *larger = reallocarray(c->items, c->n + 1, sizeof(*larger));
	int rc;

	if (!larger)
		return -ENOMEM;
	c->items = larger;
	rc = clause_begin(&c->items[c->n++], text, end);
	c->any |= c->items[c->n - 1].kind == CLAUSE_ANY;
	c->customers |= c->items[c->n - 1].kind == CLAUSE_CUSTOMER;
	return rc;
}

int clauses_create(struct preemption_clauses *c, const char *text)
{
	static const char *const looser[] = { "||", "?", NULL }, *const also[] = { "&&", NULL };
	const char *end = text ? text + strlen(text) : NULL, *at;
	size_t which;
	int rc = 0;

	*c = (struct preemption_clauses){ 0 };
	if (!text)
		return 0;
	text_strip(&text, &end);
	if (text_find(text, end, looser, &which)) {
		c->any = true;
		return 0;
	}
	while (rc == 0 && (at = text_find(text, end, also, &which))) {
		rc = clause_add(c, text, at);
		text = at + 2;
	}
	if (rc == 0)
		rc = clause_add(c, text, end);
	/* in one piece it must itself be TRUE, no other number: a comparison is */
	c->any |= rc == -EINVAL || (c->n == 1 && c->items[0].kind != CLAUSE_MORE);
	return rc == -EINVAL ? 0 : rc;
}

void clauses_free(struct preemption_clauses *c)
{
	for (size_t i = 0; i < c->n; i++) {
		classad_expression_free(c->items[i].whole);
		classad_expression_free(c->items[i].more);
		classad_expression_free(c->items[i].less);
	}
	free(c->items);
	free(c->more);
	free(c->more_in);
	free(c->known_in);
	free(c->known);
	*c = (struct preemption_clauses){ 0 };
}

int clauses_room(struct negotiator *n)
{
	struct preemption_clauses *c = &n->clauses;
	size_t customers = n->customers->n + 1, more = c->nmore_in, known = c->nknown_in;

	if (room_for(&c->more, &c->nmore, customers, sizeof(*c->more)) < 0 ||
	    room_for(&c->more_in, &c->nmore_in, customers, sizeof(*c->more_in)) < 0 ||
	    room_for(&c->known, &c->nknown, customers, sizeof(*c->known)) < 0 ||
	    room_for(&c->known_in, &c->nknown_in, customers, sizeof(*c->known_in)) < 0)
		return -ENOMEM;
	memset(c->more_in + more, 0, (c->nmore_in - more) * sizeof(*c->more_in));
	memset(c->known_in + known, 0, (c->nknown_in - known) * sizeof(*c->known_in));
	return 0;
}

/* Evaluation */

static void evaluate(struct negotiator *n, const struct classad_expression *e, const struct classad *slot, const struct classad *job,
		     struct classad_value *value)
{
	struct classad_pair pair = { slot, job };

	classad_room_reset(&n->moments.room);
	classad_evaluate(e, &pair, &n->moments.room, value);
}

/* An attribute of the slot that is no value may look for something of the job's. */
static bool needs_job(struct negotiator *n, const struct preemption_clause *c, const struct classad *ad)
{
	const struct direct *d = references_of(&n->interest.references, c->whole);
	struct classad_value value;

	if (!d) {
		n->rc = -ENOMEM;
		return true;
	}
	for (int plain = 0; plain < 2; plain++) {
		const struct classad_names *names = plain ? &d->plain : &d->my;

		for (size_t i = 0; i < names->n; i++) {
			const struct classad_expression *e = classad_find(ad, names->items[i]);

			if (e ? !classad_is_constant(e, &value) : plain && !moment_of(names->items[i]))
				return true;
		}
	}
	return false;
}

enum clause_says clauses_slot(struct negotiator *n, uint32_t slot)
{
	const struct classad *ad = moment_claim(n, slot);
	enum clause_says says = CLAUSE_YES;

	for (size_t i = 0; i < n->clauses.n; i++) {
		const struct preemption_clause *c = &n->clauses.items[i];
		struct classad_value value;

		if (c->kind != CLAUSE_SLOT)
			continue;
		if (needs_job(n, c, ad)) {
			says = CLAUSE_ASKS;
			continue;
		}
		evaluate(n, c->whole, ad, NULL, &value);
		if (!classad_is_true(&value))
			return CLAUSE_NO;
	}
	return says;
}

void clauses_job(struct negotiator *n, const struct classad *job)
{
	for (size_t i = 0; i < n->clauses.n; i++) {
		struct preemption_clause *c = &n->clauses.items[i];
		struct classad_value value;

		if (c->kind != CLAUSE_MORE)
			continue;
		evaluate(n, c->less, NULL, job, &value);
		if (!classad_number(&value, &c->than))
			c->than = (double)NAN;
	}
}

static double more_of(struct negotiator *n, const struct preemption_clause *c, uint32_t slot, bool first)
{
	struct preemption_clauses *all = &n->clauses;
	uint32_t customer = slot_customer(&n->slots[slot]);
	struct classad_value value;
	double more;

	if (first && all->more_in[customer] == n->cycle)
		return all->more[customer];
	evaluate(n, c->more, moment_claim(n, slot), NULL, &value);
	if (!classad_number(&value, &more))
		more = (double)NAN;
	if (first) {
		all->more[customer] = more;
		all->more_in[customer] = n->cycle;
	}
	return more;
}

/* The same for all slots of a customer. */
static bool customers_hold(struct negotiator *n, uint32_t slot, const struct classad *job)
{
	struct preemption_clauses *all = &n->clauses;
	uint32_t customer = slot_customer(&n->slots[slot]);

	if (all->known_in[customer] == n->list.number)
		return all->known[customer];
	all->known_in[customer] = n->list.number;
	all->known[customer] = 1;
	for (size_t i = 0; i < all->n && all->known[customer]; i++) {
		struct classad_value value;

		if (all->items[i].kind != CLAUSE_CUSTOMER)
			continue;
		evaluate(n, all->items[i].whole, moment_claim(n, slot), job, &value);
		all->known[customer] = classad_is_true(&value);
	}
	return all->known[customer];
}

bool clauses_hold(struct negotiator *n, uint32_t slot, const struct classad *job, double *bound)
{
	bool first = true, hold = true;

	*bound = INFINITY;
	for (size_t i = 0; i < n->clauses.n; i++) {
		const struct preemption_clause *c = &n->clauses.items[i];
		double more;

		if (c->kind != CLAUSE_MORE)
			continue;
		more = more_of(n, c, slot, first);
		if (first)
			*bound = more;
		first = false;
		hold = hold && (c->or_equal ? more >= c->than : more > c->than);
	}
	return hold && (!n->clauses.customers || customers_hold(n, slot, job));
}

bool clauses_exclude(const struct negotiator *n, double bound)
{
	for (size_t i = 0; i < n->clauses.n; i++) {
		const struct preemption_clause *c = &n->clauses.items[i];

		if (c->kind == CLAUSE_MORE)
			return !(c->or_equal ? bound >= c->than : bound > c->than);
	}
	return false;
}
