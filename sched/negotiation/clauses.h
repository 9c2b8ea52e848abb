/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PREEMPTION_REQUIREMENTS split into its clauses. Clauses that depend only on the slot are
 * evaluated once per cycle. Clauses that compare two users are evaluated once per pair of users. "A
 * && B" is TRUE if both are true, regardless of the order of evaluation.
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
	CLAUSE_SLOT,			/* depends only on the slot: its claim, the time */
	/* "A > B" or "A >= B": A depends on the slot's user, B on the submitter */
	CLAUSE_MORE,
	CLAUSE_CUSTOMER,		/* depends on the slot's user and the job */
	/* any other clause: evaluated slot by slot, for each list */
	CLAUSE_ANY,
};

struct preemption_clause {
	enum clause_kind kind;
	struct classad_expression *whole;
	struct classad_expression *more, *less;	/* sides of CLAUSE_MORE */
	bool or_equal;
	double than;			/* `less` for the list being made; NAN: not a number */
};

struct preemption_clauses {
	struct preemption_clause *items;
	size_t n;
	bool any;			/* a clause is CLAUSE_ANY */
	bool customers;			/* a clause is CLAUSE_CUSTOMER */
	/*
	 * Values of each customer: `more` of the first CLAUSE_MORE in a cycle, and the result of
	 * all CLAUSE_CUSTOMERs for a list.
	 */
	double *more;
	int64_t *more_in;
	uint64_t *known_in;
	uint8_t *known;
	size_t nmore, nmore_in, nknown_in, nknown;
};

/* Split `text`, which may be NULL, into clauses. -ENOMEM. Call clauses_free() in any case. */
int clauses_create(struct preemption_clauses *clauses, const char *text);
void clauses_free(struct preemption_clauses *clauses);
int clauses_room(struct negotiator *negotiator);
/*
 * Evaluate the clauses of a claimed slot that depend only on the slot. CLAUSE_ASKS: the result
 * depends on the job.
 */
enum clause_says { CLAUSE_NO, CLAUSE_YES, CLAUSE_ASKS } clauses_slot(struct negotiator *negotiator, uint32_t slot);
/* Start a list for a job. */
void clauses_job(struct negotiator *negotiator, const struct classad *job);
/*
 * Return whether the other clauses are true. *bound: the slot's side of the first CLAUSE_MORE;
 * INFINITY if there is none.
 */
bool clauses_hold(struct negotiator *negotiator, uint32_t slot, const struct classad *job, double *bound);
/* Return whether no slot with this or a smaller bound is available. */
bool clauses_exclude(const struct negotiator *negotiator, double bound);

#endif
