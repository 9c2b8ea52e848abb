/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PREEMPTION_REQUIREMENTS in its clauses, so that what depends on the slot alone is found once a
 * cycle, and what compares two users once for each two of them. "A && B" is TRUE if both are true;
 * which one comes first does not matter to that.
 */
#ifndef SCHED_NEGOTIATION_CLAUSES_H
#define SCHED_NEGOTIATION_CLAUSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct classad;
struct classad_expression;
struct negotiator;

enum clause_kind {
	CLAUSE_SLOT,			/* of the slot alone: its claim, the time */
	CLAUSE_MORE,			/* what is known of its user > what is known of the submitter */
	CLAUSE_CUSTOMER,		/* of the slot's user and of the job */
	CLAUSE_ANY,			/* else: slot by slot, for each list */
};

struct preemption_clause {
	enum clause_kind kind;
	struct classad_expression *whole;
	struct classad_expression *more, *less;	/* of CLAUSE_MORE */
	bool or_equal;
	double than;			/* `less` for the list that is made; NAN: it is no number */
};

struct preemption_clauses {
	struct preemption_clause *items;
	size_t n;
	bool any;			/* one of them is CLAUSE_ANY */
	bool customers;			/* one of them is CLAUSE_CUSTOMER */
	/* by customer: `more` of the first CLAUSE_MORE in a cycle; CLAUSE_CUSTOMERs for a list */
	double *more;
	int64_t *more_in;
	uint64_t *known_in;
	uint8_t *known;
	size_t nmore, nmore_in, nknown_in, nknown;
};

/* -ENOMEM; clauses_free() in any case. `text` may be NULL. */
int clauses_create(struct preemption_clauses *clauses, const char *text);
void clauses_free(struct preemption_clauses *clauses);
int clauses_room(struct negotiator *negotiator);
/* Of a claimed slot: false, true, or it can't be told without the job. */
enum clause_says { CLAUSE_NO, CLAUSE_YES, CLAUSE_ASKS } clauses_slot(struct negotiator *negotiator, uint32_t slot);
/* A list begins for that job. */
void clauses_job(struct negotiator *negotiator, const struct classad *job);
/*
 * Beyond those of the slot. *bound: the slot's side of the first CLAUSE_MORE; without one INFINITY.
 */
bool clauses_hold(struct negotiator *negotiator, uint32_t slot, const struct classad *job, double *bound);
/* No slot of which that is the bound can be had. */
bool clauses_exclude(const struct negotiator *negotiator, double bound);

#endif
