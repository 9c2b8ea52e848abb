/* SPDX-License-Identifier: Apache-2.0 */
/* Reasons why the last negotiation cycle gave a job no slot: algorithm userprio. */
#include <errno.h>

#include "sched/dispatch/why/why.h"
#include "sched/negotiation/negotiation.h"
#include "sched/reader/handle.h"

#define REASONS_MOST 12
/* most customers that are named as holders of the slots that the job wants */
#define HOLDERS_MOST 3u
#define HOLDERS_KNOWN 64u

struct reasons {
	const struct fl_view *view;
	struct why_record items[REASONS_MOST];
	size_t n;
	struct customer_record customer;
	struct submitter_record submitter;
	bool took_part;			/* true if the submitter was in the last cycle */
};

static struct why_record *reason_add(struct reasons *reasons, enum why_kind kind, uint32_t subject, uint32_t count)
{
	struct why_record *item = &reasons->items[reasons->n < REASONS_MOST ? reasons->n++ : REASONS_MOST - 1];

	*item = (struct why_record){ .kind = (uint16_t)kind, .subject = subject, .object = NONE, .count = count };
	return item;
}

static struct why_record *reason_of(struct reasons *reasons, enum why_kind kind, uint32_t subject, double wanted,
				    double had)
{
	struct why_record *item = reason_add(reasons, kind, subject, 1);

	item->wanted = wanted;
	item->had = had;
	return item;
}

static uint32_t customer_name(const struct fl_view *view, uint32_t customer)
{
	struct customer_record record;

	return customer != NONE && RECORD_COPY(view, TABLE_CUSTOMERS, customer, &record) ? record.name : NONE;
}

/* Limits */

static void slice_report(struct reasons *reasons)
{
	reason_of(reasons, WHY_SLICE, reasons->customer.name, reasons->submitter.slice, reasons->customer.weight_used)
		->unit = WHY_WEIGHT;
}

static void ceiling_report(struct reasons *reasons)
{
	reason_of(reasons, WHY_CEILING, reasons->customer.name, (double)reasons->customer.ceiling,
		  reasons->customer.weight_used)
		->unit = WHY_WEIGHT;
}

/* Report the limit of the group, and the group whose quota causes it if that is another one. */
static void group_report(struct reasons *reasons)
{
	const struct fl_view *view = reasons->view;
	struct group_record record, cap;

	if (!RECORD_COPY(view, TABLE_GROUPS, reasons->submitter.group, &record))
		return;
	reason_of(reasons, WHY_GROUP_LIMIT, customer_name(reasons->view, record.customer),
		  record.limit < 0 ? record.allocated : record.limit, record.tree_used)
		->unit = WHY_WEIGHT;
	if (record.capped_by != NONE && record.capped_by != reasons->submitter.group &&
	    RECORD_COPY(view, TABLE_GROUPS, record.capped_by, &cap))
		reason_add(reasons, WHY_GROUP_CAP, customer_name(reasons->view, record.customer), 1)->object =
			customer_name(reasons->view, cap.customer);
}

static void limit_report(struct reasons *reasons, const struct refusal_record *refusal)
{
	const struct fl_view *view = reasons->view;
	struct limit_record record;

	if (refusal->limit != NONE && RECORD_COPY(view, TABLE_LIMITS, refusal->limit, &record))
		reason_of(reasons, WHY_CONCURRENCY_LIMIT, record.name, refusal->units,
			  record.most > record.used ? record.most - record.used : 0);
	else
		reason_add(reasons, WHY_CONCURRENCY_LIMIT, NONE, 1);
}

/* Holders of slots */

struct slot_holder {
	uint32_t customer, slots;
};

/*
 * Count the claimed slots per customer. Only the first HOLDERS_KNOWN customers are counted. If few
 * customers have many slots, these are the largest ones.
 */
static size_t holders_count(const struct fl_view *view, struct slot_holder *holders)
{
	struct slot_record record;
	size_t n = 0;

	for (uint64_t i = 0; RECORD_COPY(view, TABLE_SLOTS, i, &record); i++) {
		size_t k = 0;

		if (record.customer == NONE)
			continue;
		while (k < n && holders[k].customer != record.customer)
			k++;
		if (k == HOLDERS_KNOWN)
			continue;
		if (k == n)
			holders[n++] = (struct slot_holder){ record.customer, 0 };
		holders[k].slots++;
	}
	return n;
}

static void holders_report(struct reasons *reasons)
{
	struct slot_holder holders[HOLDERS_KNOWN];
	size_t n = holders_count(reasons->view, holders);

	for (size_t named = 0; named < HOLDERS_MOST && named < n; named++) {
		size_t most = named;

		for (size_t k = named + 1; k < n; k++)
			most = holders[k].slots > holders[most].slots ? k : most;
		reason_add(reasons, WHY_HELD_BY, customer_name(reasons->view, holders[most].customer),
			   holders[most].slots);
		holders[most] = holders[named];
	}
}

/* Results of the cycle */

static void no_match_report(struct reasons *reasons, const struct refusal_record *refusal)
{
	reason_add(reasons, WHY_NO_MATCH, NONE, refusal->slots);
	if (refusal->by_job > 0)
		reason_add(reasons, WHY_JOB_REQUIREMENTS, NONE, refusal->by_job);
	if (refusal->by_slot > 0)
		reason_add(reasons, WHY_SLOT_REQUIREMENTS, NONE, refusal->by_slot);
	if (refusal->by_caller > 0)
		reason_add(reasons, WHY_PLACE, NONE, refusal->by_caller);
	if (refusal->claimed > 0) {
		reason_add(reasons, WHY_CLAIMED, NONE, refusal->claimed);
		holders_report(reasons);
	}
}

static void refusal_report(struct reasons *reasons, const struct refusal_record *refusal)
{
	switch (refusal->refusal) {
	case REFUSED_CONCURRENCY_LIMIT: limit_report(reasons, refusal); break;
	case REFUSED_PREEMPTION:
		reason_add(reasons, WHY_PREEMPTION, NONE, refusal->claimed);
		holders_report(reasons);
		break;
	case REFUSED_RANK:
		reason_add(reasons, WHY_RANK, NONE, refusal->claimed);
		holders_report(reasons);
		break;
	case REFUSED_SUBMITTER_LIMIT: slice_report(reasons); break;
	case REFUSED_GROUP_LIMIT: group_report(reasons); break;
	case REFUSED_CEILING: ceiling_report(reasons); break;
	case REFUSED_NO_MATCH: no_match_report(reasons, refusal); break;
	default: reason_add(reasons, WHY_NOT_REACHED, NONE, 1); break;
	}
}

/*
 * Report slots that the job has won but whose tasks have not ended yet. The job starts when they
 * have.
 */
static void vacating_report(struct reasons *reasons, uint32_t row)
{
	const struct fl_view *view = reasons->view;
	const struct job_facts *facts = records_facts(&view->view, row);
	uint32_t number = facts ? LOAD_ONCE(facts->number[row % CHUNK_ROWS]) : 0, n = 0;
	struct slot_record record;

	for (uint64_t i = 0; number != 0 && RECORD_COPY(view, TABLE_SLOTS, i, &record); i++)
		n += record.winner_job == number;
	if (n > 0)
		reason_add(reasons, WHY_VACATING, NONE, n);
}

/* Return whether the group was skipped because it is not entitled to any slots. */
static bool group_was_passed_over(const struct reasons *reasons)
{
	const struct fl_view *view = reasons->view;
	struct group_record record, other;

	return reasons->submitter.visits == 0 && RECORD_COPY(view, TABLE_GROUPS, reasons->submitter.group, &record) &&
	       record.order == 0 && RECORD_COPY(view, TABLE_GROUPS, 1, &other);
}

/* Report why the submitter was not served any further. The job itself was not reached. */
static void stop_report(struct reasons *reasons)
{
	switch (reasons->submitter.stop) {
	case STOP_SLICE: slice_report(reasons); break;
	case STOP_CEILING: ceiling_report(reasons); break;
	case STOP_GROUP: group_report(reasons); break;
	case STOP_TIME_CYCLE:
	case STOP_TIME_SUBMITTER:
	case STOP_TIME_SPIN: reason_add(reasons, WHY_TIME_UP, NONE, 1); break;
	case STOP_NO_SLOTS:
		reason_add(reasons, WHY_NOT_REACHED, NONE, 1);
		holders_report(reasons);
		break;
	default:
		if (group_was_passed_over(reasons))
			group_report(reasons);
		break;
	}
}

static void submitter_find(struct reasons *reasons, uint32_t customer)
{
	const struct fl_view *view = reasons->view;

	reasons->took_part = RECORD_COPY(view, TABLE_CUSTOMERS, customer, &reasons->customer) &&
			     reasons->customer.took_part != NONE && !reasons->customer.is_group &&
			     RECORD_COPY(view, TABLE_SUBMITTERS, reasons->customer.took_part, &reasons->submitter);
}

int negotiation_reason(const struct fl_view *view, uint32_t row, size_t *k, struct fl_why *why)
{
	const struct userprio_results *results = records_userprio(&view->view, row);
	struct reasons reasons = { .view = view };
	struct negotiation_record cycle;
	struct refusal_record refusal;
	uint32_t customer, number;

	if (!results || !RECORD_COPY(view, TABLE_NEGOTIATION, 0, &cycle))
		return -ENOENT;
	customer = LOAD_ONCE(results->customer[row % CHUNK_ROWS]);
	number = LOAD_ONCE(results->refusal[row % CHUNK_ROWS]);
	if (customer == NONE)
		reason_add(&reasons, WHY_NO_SUBMITTER, NONE, 1);
	else
		submitter_find(&reasons, customer);
	vacating_report(&reasons, row);
	if (reasons.took_part && number != NONE && RECORD_COPY(view, TABLE_REFUSALS, number, &refusal))
		refusal_report(&reasons, &refusal);
	else if (reasons.took_part)
		stop_report(&reasons);
	if (customer != NONE && cycle.next > 0)
		reason_of(&reasons, WHY_NEXT_CYCLE, NONE, 0.0, (double)cycle.next);
	if (*k < reasons.n)
		return why_fill(view, &reasons.items[*k], why);
	*k -= reasons.n;
	return -ENOENT;
}
