/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sched/negotiation/inside.h"

#define OF_CUSTOMERS (1u << MOMENT_REMOTE_USER | 1u << MOMENT_REMOTE_OWNER | 1u << MOMENT_REMOTE_PRIO | \
		      1u << MOMENT_REMOTE_FLOOR | 1u << MOMENT_REMOTE_GROUP | 1u << MOMENT_REMOTE_GROUP_QUOTA)
#define OF_SLOTS (MOMENTS_OF_SLOTS & ~MOMENTS_OF_USE)

/* Find the first operator that is outside parentheses, brackets and quotes. */

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
			s += 2;		/* its ? is not a conditional operator */
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

/* Strip blanks and parentheses around the whole text. */
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
				/* may be more complex than it seems: keep the text unchanged */
				return;
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

static int part_parse(struct classad_expression **expression, const char *text, const char *end)
{
	char *copy = strndup(text, (size_t)(end - text));
	struct error error;
	int rc = copy ? classad_parse(expression, copy, &error) : -ENOMEM;

	free(copy);
	return rc;
}

/* References of an expression */

struct refers {
	uint32_t own, others;		/* moments */
	/* references to other attributes: plain or of the slot; of the job */
	bool ad, job, whether;
};

static int refers_find(const struct classad_expression *expression, struct refers *refers)
{
	struct classad_reads reads = { 0 };
	int rc = classad_references(expression, NULL, &reads);
	const struct classad_names *mine = &reads.mine, *theirs = &reads.theirs;

	*refers = (struct refers){ .ad = reads.any, .job = reads.any };
	for (size_t i = 0; i < mine->n && rc == 0; i++) {
		uint32_t moment = moment_of(mine->items[i]);

		refers->own |= moment & MOMENTS_OF_SLOTS;
		refers->ad |= !moment;
	}
	for (size_t i = 0; i < theirs->n && rc == 0; i++) {
		uint32_t moment = moment_of(theirs->items[i]);

		/* a plain name is in both; a slot's attribute is none of the job */
		refers->others |= moment & MOMENTS_OF_JOBS;
		refers->job |= !classad_names_have(mine, theirs->items[i]) && !(moment & MOMENTS_OF_JOBS);
	}
	classad_reads_free(&reads);
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

/* Split "A > B" or "B < A", where A depends on the slot's user and B on the submitter. */
static int more_split(struct preemption_clause *clause, const char *text, const char *end)
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
	clause->or_equal = which < 2;
	if (text_find(behind, end, orders, &(size_t){ 0 }))
		return 0;
	rc = part_parse(which == 0 || which == 2 ? &clause->more : &clause->less, text, at);
	if (rc == 0)
		rc = part_parse(which == 0 || which == 2 ? &clause->less : &clause->more, behind, end);
	if (rc == 0)
		rc = refers_find(clause->more, &more);
	if (rc == 0)
		rc = refers_find(clause->less, &less);
	if (rc < 0)
		return rc;
	if (!(more.own & ~OF_CUSTOMERS) && more.own && !more.others && !more.ad && !more.job && !less.own &&
	    less.others && !less.ad && !(less.others & MOMENTS_OF_USE))
		clause->kind = CLAUSE_MORE;
	return 0;
}

static int clause_begin(struct preemption_clause *clause, const char *text, const char *end)
{
	struct refers refers;
	int rc;

	*clause = (struct preemption_clause){ .kind = CLAUSE_ANY };
	text_strip(&text, &end);
	rc = part_parse(&clause->whole, text, end);
	if (rc == 0)
		rc = refers_find(clause->whole, &refers);
	if (rc < 0)
		return rc;
	if (!refers.others && !refers.job && !(refers.own & ~OF_SLOTS))
		clause->kind = CLAUSE_SLOT;
	else if (!refers.ad && !(refers.own & ~OF_CUSTOMERS) && !(refers.others & MOMENTS_OF_USE))
		clause->kind = CLAUSE_CUSTOMER;
	return clause->kind == CLAUSE_CUSTOMER ? more_split(clause, text, end) : 0;
}

static int clause_add(struct preemption_clauses *clauses, const char *text, const char *end)
{
	struct preemption_clause *larger = reallocarray(clauses->items, clauses->n + 1, sizeof(*larger));
	int rc;

	if (!larger)
		return -ENOMEM;
	clauses->items = larger;
	rc = clause_begin(&clauses->items[clauses->n++], text, end);
	clauses->any |= clauses->items[clauses->n - 1].kind == CLAUSE_ANY;
	clauses->customers |= clauses->items[clauses->n - 1].kind == CLAUSE_CUSTOMER;
	return rc;
}

int clauses_create(struct preemption_clauses *clauses, const char *text)
{
	static const char *const looser[] = { "||", "?", NULL }, *const also[] = { "&&", NULL };
	const char *end = text ? text + strlen(text) : NULL, *at;
	size_t which;
	int rc = 0;

	*clauses = (struct preemption_clauses){ 0 };
	if (!text)
		return 0;
	text_strip(&text, &end);
	if (text_find(text, end, looser, &which)) {
		clauses->any = true;
		return 0;
	}
	while (rc == 0 && (at = text_find(text, end, also, &which))) {
		rc = clause_add(clauses, text, at);
		text = at + 2;
	}
	if (rc == 0)
		rc = clause_add(clauses, text, end);
	/* a single clause must itself be TRUE, not any number: a comparison is */
	clauses->any |= rc == -EINVAL || (clauses->n == 1 && clauses->items[0].kind != CLAUSE_MORE);
	return rc == -EINVAL ? 0 : rc;
}

void clauses_free(struct preemption_clauses *clauses)
{
	for (size_t i = 0; i < clauses->n; i++) {
		classad_expression_free(clauses->items[i].whole);
		classad_expression_free(clauses->items[i].more);
		classad_expression_free(clauses->items[i].less);
	}
	free(clauses->items);
	free(clauses->more);
	free(clauses->more_in);
	free(clauses->known_in);
	free(clauses->known);
	*clauses = (struct preemption_clauses){ 0 };
}

int clauses_room(struct negotiator *negotiator)
{
	struct preemption_clauses *clauses = &negotiator->clauses;
	size_t customers = negotiator->customers->n + 1, more = clauses->nmore_in, known = clauses->nknown_in;

	if (room_for(&clauses->more, &clauses->nmore, customers, sizeof(*clauses->more)) < 0 ||
	    room_for(&clauses->more_in, &clauses->nmore_in, customers, sizeof(*clauses->more_in)) < 0 ||
	    room_for(&clauses->known, &clauses->nknown, customers, sizeof(*clauses->known)) < 0 ||
	    room_for(&clauses->known_in, &clauses->nknown_in, customers, sizeof(*clauses->known_in)) < 0)
		return -ENOMEM;
	memset(clauses->more_in + more, 0, (clauses->nmore_in - more) * sizeof(*clauses->more_in));
	memset(clauses->known_in + known, 0, (clauses->nknown_in - known) * sizeof(*clauses->known_in));
	return 0;
}

/* Evaluation */

static void evaluate(struct negotiator *negotiator, const struct classad_expression *expression,
		     const struct classad *slot, const struct classad *job, struct classad_value *value)
{
	struct classad_pair pair = { slot, job };

	classad_room_reset(&negotiator->moments.room);
	classad_evaluate(expression, &pair, &negotiator->moments.room, value);
}

/*
 * Return whether the clause needs the job: an attribute of the slot that is not a value may refer
 * to the job.
 */
static bool needs_job(struct negotiator *negotiator, const struct preemption_clause *clause, const struct classad *ad)
{
	const struct direct *direct = references_of(&negotiator->interest.references, clause->whole);
	struct classad_value value;

	if (!direct) {
		negotiator->rc = -ENOMEM;
		return true;
	}
	for (int plain = 0; plain < 2; plain++) {
		const struct classad_names *names = plain ? &direct->plain : &direct->my;

		for (size_t i = 0; i < names->n; i++) {
			const struct classad_expression *expression = classad_find(ad, names->items[i]);

			if (expression ? !classad_is_constant(expression, &value)
				       : plain && !moment_of(names->items[i]))
				return true;
		}
	}
	return false;
}

enum clause_says clauses_slot(struct negotiator *negotiator, uint32_t slot)
{
	const struct classad *ad = moment_claim(negotiator, slot);
	enum clause_says says = CLAUSE_YES;

	for (size_t i = 0; i < negotiator->clauses.n; i++) {
		const struct preemption_clause *clause = &negotiator->clauses.items[i];
		struct classad_value value;

		if (clause->kind != CLAUSE_SLOT)
			continue;
		if (needs_job(negotiator, clause, ad)) {
			says = CLAUSE_ASKS;
			continue;
		}
		evaluate(negotiator, clause->whole, ad, NULL, &value);
		if (!classad_is_true(&value))
			return CLAUSE_NO;
	}
	return says;
}

void clauses_job(struct negotiator *negotiator, const struct classad *job)
{
	for (size_t i = 0; i < negotiator->clauses.n; i++) {
		struct preemption_clause *clause = &negotiator->clauses.items[i];
		struct classad_value value;

		if (clause->kind != CLAUSE_MORE)
			continue;
		evaluate(negotiator, clause->less, NULL, job, &value);
		if (!classad_number(&value, &clause->than))
			clause->than = (double)NAN;
	}
}

static double more_of(struct negotiator *negotiator, const struct preemption_clause *clause, uint32_t slot, bool first)
{
	struct preemption_clauses *all = &negotiator->clauses;
	uint32_t customer = slot_customer(&negotiator->slots[slot]);
	struct classad_value value;
	double more;

	if (first && all->more_in[customer] == negotiator->cycle)
		return all->more[customer];
	evaluate(negotiator, clause->more, moment_claim(negotiator, slot), NULL, &value);
	if (!classad_number(&value, &more))
		more = (double)NAN;
	if (first) {
		all->more[customer] = more;
		all->more_in[customer] = negotiator->cycle;
	}
	return more;
}

/* Evaluate all CLAUSE_CUSTOMERs, which have the same result for all slots of a customer. */
static bool customers_hold(struct negotiator *negotiator, uint32_t slot, const struct classad *job)
{
	struct preemption_clauses *all = &negotiator->clauses;
	uint32_t customer = slot_customer(&negotiator->slots[slot]);

	if (all->known_in[customer] == negotiator->list.number)
		return all->known[customer];
	all->known_in[customer] = negotiator->list.number;
	all->known[customer] = 1;
	for (size_t i = 0; i < all->n && all->known[customer]; i++) {
		struct classad_value value;

		if (all->items[i].kind != CLAUSE_CUSTOMER)
			continue;
		evaluate(negotiator, all->items[i].whole, moment_claim(negotiator, slot), job, &value);
		all->known[customer] = classad_is_true(&value);
	}
	return all->known[customer];
}

bool clauses_hold(struct negotiator *negotiator, uint32_t slot, const struct classad *job, double *bound)
{
	bool first = true, hold = true;

	*bound = INFINITY;
	for (size_t i = 0; i < negotiator->clauses.n; i++) {
		const struct preemption_clause *clause = &negotiator->clauses.items[i];
		double more;

		if (clause->kind != CLAUSE_MORE)
			continue;
		more = more_of(negotiator, clause, slot, first);
		if (first)
			*bound = more;
		first = false;
		hold = hold && (clause->or_equal ? more >= clause->than : more > clause->than);
	}
	return hold && (!negotiator->clauses.customers || customers_hold(negotiator, slot, job));
}

bool clauses_exclude(const struct negotiator *negotiator, double bound)
{
	for (size_t i = 0; i < negotiator->clauses.n; i++) {
		const struct preemption_clause *clause = &negotiator->clauses.items[i];

		if (clause->kind == CLAUSE_MORE)
			return !(clause->or_equal ? bound >= clause->than : bound > clause->than);
	}
	return false;
}
