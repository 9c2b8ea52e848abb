/* SPDX-License-Identifier: Apache-2.0 */
/* Why the last negotiation cycle gave a job no slot: algorithm userprio. */
#include <errno.h>

#include "sched/dispatch/why.h"
#include "sched/negotiation/negotiation.h"
#include "sched/reader/handle.h"

#define REASONS_MOST 12
#define HOLDERS_MOST 3u			/* so many of those who have what the job wants */
#define HOLDERS_KNOWN 64u

struct reasons {
	const struct fl_view *view;
	struct why_record items[REASONS_MOST];
	size_t n;
	struct customer_record customer;
	struct submitter_record submitter;
	bool took_part;			/* in the last cycle */
};

static struct why_record *reason_add(struct reasons *r, enum why_kind kind, uint32_t subject, uint32_t count)
{
	struct why_record *item = &r->items[r->n < REASONS_MOST ? r->n++ : REASONS_MOST - 1];

	*item = (struct why_record){ .kind = (uint16_t)kind, .subject = subject, .object = NONE, .count = count };
	return item;
}

static struct why_record *reason_of(struct reasons *r, enum why_kind kind, uint32_t subject, double wanted, double had)
{
	struct why_record *item = reason_add(r, kind, subject, 1);

	item->wanted = wanted;
	item->had = had;
	return item;
}

static uint32_t customer_name(const struct fl_view *view, uint32_t customer)
{
	struct customer_record c;

	return customer != NONE && RECORD_COPY(view, TABLE_CUSTOMERS, customer, &c) ? c.name : NONE;
}

/* Who bounds it */

static void slice_tell(struct reasons *r)
{
	reason_of(r, WHY_SLICE, r->customer.name, r->submitter.slice, r->customer.weight_used)->unit = WHY_WEIGHT;
}

static void ceiling_tell(struct reasons *r)
{
	reason_of(r, WHY_CEILING, r->customer.name, (double)r->customer.ceiling, r->customer.weight_used)->unit = WHY_WEIGHT;
}

/* Its own limit, and whose quota that comes from where it is another group's. */
static void group_tell(struct reasons *r)
{
	const struct fl_view *view = r->view;
	struct group_record g, cap;

	if (!RECORD_COPY(view, TABLE_GROUPS, r->submitter.group, &g))
		return;
	reason_of(r, WHY_GROUP_LIMIT, customer_name(r->view, g.customer), g.limit < 0 ? g.allocated : g.limit, g.tree_used)->unit = WHY_WEIGHT;
	if (g.capped_by != NONE && g.capped_by != r->submitter.group && RECORD_COPY(view, TABLE_GROUPS, g.capped_by, &cap))
		reason_add(r, WHY_GROUP_CAP, customer_name(r->view, g.customer), 1)->object = customer_name(r->view, cap.customer);
}

static void limit_tell(struct reasons *r, const struct refusal_record *refusal)
{
	const struct fl_view *view = r->view;
	struct limit_record l;

	if (refusal->limit != NONE && RECORD_COPY(view, TABLE_LIMITS, refusal->limit, &l))
		reason_of(r, WHY_CONCURRENCY_LIMIT, l.name, refusal->units, l.most > l.used ? l.most - l.used : 0);
	else
		reason_add(r, WHY_CONCURRENCY_LIMIT, NONE, 1);
}

/* Who has what it wants */

struct slot_holder {
	uint32_t customer, slots;
};

/*
 * Of all slots that somebody has; the first customers met are counted, which are most where few
 * have much.
 */
static size_t holders_count(const struct fl_view *view, struct slot_holder *holders)
{
	struct slot_record s;
	size_t n = 0;

	for (uint64_t i = 0; RECORD_COPY(view, TABLE_SLOTS, i, &s); i++) {
		size_t k = 0;

		if (s.customer == NONE)
			continue;
		while (k < n && holders[k].customer != s.customer)
			k++;
		if (k == HOLDERS_KNOWN)
			continue;
		if (k == n)
			holders[n++] = (struct slot_holder){ s.customer, 0 };
		holders[k].slots++;
	}
	return n;
}

static void holders_tell(struct reasons *r)
{
	struct slot_holder holders[HOLDERS_KNOWN];
	size_t n = holders_count(r->view, holders);

	for (size_t told = 0; told < HOLDERS_MOST && told < n; told++) {
		size_t most = told;

		for (size_t k = told + 1; k < n; k++)
			most = holders[k].slots > holders[most].slots ? k : most;
		reason_add(r, WHY_HELD_BY, customer_name(r->view, holders[most].customer), holders[most].slots);
		holders[most] = holders[told];
	}
}

/* What the cycle said */

static void no_match_tell(struct reasons *r, const struct refusal_record *refusal)
{
	reason_add(r, WHY_NO_MATCH, NONE, refusal->slots);
	if (refusal->by_job > 0)
		reason_add(r, WHY_JOB_REQUIREMENTS, NONE, refusal->by_job);
	if (refusal->by_slot > 0)
		reason_add(r, WHY_SLOT_REQUIREMENTS, NONE, refusal->by_slot);
	if (refusal->by_caller > 0)
		reason_add(r, WHY_PLACE, NONE, refusal->by_caller);
	if (refusal->claimed > 0) {
		reason_add(r, WHY_CLAIMED, NONE, refusal->claimed);
		holders_tell(r);
	}
}

static void refusal_tell(struct reasons *r, const struct refusal_record *refusal)
{
	switch (refusal->refusal) {
	case REFUSED_CONCURRENCY_LIMIT: limit_tell(r, refusal); break;
	case REFUSED_PREEMPTION:
		reason_add(r, WHY_PREEMPTION, NONE, refusal->claimed);
		holders_tell(r);
		break;
	case REFUSED_RANK:
		reason_add(r, WHY_RANK, NONE, refusal->claimed);
		holders_tell(r);
		break;
	case REFUSED_SUBMITTER_LIMIT: slice_tell(r); break;
	case REFUSED_GROUP_LIMIT: group_tell(r); break;
	case REFUSED_CEILING: ceiling_tell(r); break;
	case REFUSED_NO_MATCH: no_match_tell(r, refusal); break;
	default: reason_add(r, WHY_NOT_REACHED, NONE, 1); break;
	}
}

/* Slots that it has won, and whose tasks have not gone yet: it starts when they have. */
static void vacating_tell(struct reasons *r, uint32_t row)
{
	const struct fl_view *view = r->view;
	const struct job_facts *facts = records_facts(&view->view, row);
	uint32_t number = facts ? LOAD_ONCE(facts->number[row % CHUNK_ROWS]) : 0, n = 0;
	struct slot_record s;

	for (uint64_t i = 0; number != 0 && RECORD_COPY(view, TABLE_SLOTS, i, &s); i++)
		n += s.winner_job == number;
	if (n > 0)
		reason_add(r, WHY_VACATING, NONE, n);
}

/* Groups that are not due anything are passed over. */
static bool group_was_passed_over(const struct reasons *r)
{
	const struct fl_view *view = r->view;
	struct group_record g, other;

	return r->submitter.visits == 0 && RECORD_COPY(view, TABLE_GROUPS, r->submitter.group, &g) && g.order == 0 &&
	       RECORD_COPY(view, TABLE_GROUPS, 1, &other);
}

/* Nobody has come to the job: why its submitter was not served any further. */
static void stop_tell(struct reasons *r)
{
	switch (r->submitter.stop) {
	case STOP_SLICE: slice_tell(r); break;
	case STOP_CEILING: ceiling_tell(r); break;
	case STOP_GROUP: group_tell(r); break;
	case STOP_TIME_CYCLE:
	case STOP_TIME_SUBMITTER:
	case STOP_TIME_SPIN: reason_add(r, WHY_TIME_UP, NONE, 1); break;
	case STOP_NO_SLOTS:
		reason_add(r, WHY_NOT_REACHED, NONE, 1);
		holders_tell(r);
		break;
	default:
		if (group_was_passed_over(r))
			group_tell(r);
		break;
	}
}

static void submitter_find(struct reasons *r, uint32_t customer)
{
	const struct fl_view *view = r->view;

	r->took_part = RECORD_COPY(view, TABLE_CUSTOMERS, customer, &r->customer) && r->customer.took_part != NONE && !r->customer.is_group &&
		       RECORD_COPY(view, TABLE_SUBMITTERS, r->customer.took_part, &r->submitter);
}

int negotiation_reason(const struct fl_view *view, uint32_t row, size_t *k, struct fl_why *why)
{
	const struct userprio_results *results = records_userprio(&view->view, row);
	struct reasons r = { .view = view };
	struct negotiation_record cycle;
	struct refusal_record refusal;
	uint32_t customer, number;

	if (!results || !RECORD_COPY(view, TABLE_NEGOTIATION, 0, &cycle))
		return -ENOENT;
	customer = LOAD_ONCE(results->customer[row % CHUNK_ROWS]);
	number = LOAD_ONCE(results->refusal[row % CHUNK_ROWS]);
	if (customer == NONE)
		reason_add(&r, WHY_NO_SUBMITTER, NONE, 1);
	else
		submitter_find(&r, customer);
	vacating_tell(&r, row);
	if (r.took_part && number != NONE && RECORD_COPY(view, TABLE_REFUSALS, number, &refusal))
		refusal_tell(&r, &refusal);
	else if (r.took_part)
		stop_tell(&r);
	if (customer != NONE && cycle.next > 0)
		reason_of(&r, WHY_NEXT_CYCLE, NONE, 0.0, (double)cycle.next);
	if (*k < r.n)
		return why_fill(view, &r.items[*k], why);
	*k -= r.n;
	return -ENOENT;
}
