/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Verify whether a job could ever start: the search of a run, in a cell in which nothing is in use.
 * See qsub(1), -w. Loads change, so requests for loads are left out, except those that are fixed
 * properties of a machine.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/gridengine/resource_list.h"
#include "sched/dispatch/dispatch.h"
#include "sched/dispatch/phase.h"
#include "sched/dispatch/search/match.h"
#include "sched/dispatch/search/search.h"

#define REASONS_SHOWN 3
#define REASONS_BYTES 230	/* the rest of struct error is for callers that add to the text */

static bool is_fact(const char *name)
{
	static const char *const names[] = {
		"arch",	    "num_proc", "mem_total", "swap_total", "virtual_total",
		"m_socket", "m_core",	"m_thread",  "m_topology",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

/* Return whether the complex is a load value that hosts report and that can change at any time. */
static bool is_load(struct dispatch *dispatch, const struct complex *complex)
{
	uint32_t number = cluster_column(&dispatch->supply.cluster, complex);
	struct column *column = number == UINT32_MAX ? NULL : &dispatch->supply.cluster.columns[number];
	const struct offer *offer = column ? column_offer(column, LEVEL_GLOBAL, 0) : NULL;
	bool reported = offer && offer->load_text;

	for (uint32_t h = 0; column && !reported && h < dispatch->supply.cluster.nhosts; h++) {
		offer = column_offer(column, LEVEL_HOST, h);
		reported = offer && offer->load_text;
	}
	return reported && complex->consumable == CONSUMABLE_NO && !is_fact(complex->name);
}

/*
 * Return the hard requests without those for loads; the caller frees the text. NULL: memory is
 * exhausted.
 */
static char *lasting(struct dispatch *dispatch, const char *hard)
{
	struct resource_list list;
	size_t most = 1;
	char *text = NULL, *to;

	if (resource_list_read(&list, dispatch->supply.cell, hard) == 0) {
		for (size_t i = 0; i < list.n; i++)
			most += resource_most(&list.items[i]) + 1;
		to = text = malloc(most);
		for (size_t i = 0; text && i < list.n; i++) {
			if (list.items[i].complex && is_load(dispatch, list.items[i].complex))
				continue;
			if (to > text)
				*to++ = ',';
			to = resource_write(to, &list.items[i]);
		}
		if (text)
			*to = '\0';
	}
	resource_list_free(&list);
	return text;
}

/* Report the first reasons, as far as they fit. */
static int refuse(const struct dispatch *dispatch, uint32_t list, struct error *why)
{
	const struct why_list *reasons = &dispatch->why->lists[list];
	size_t used = 0;

	error_set(why, -ENOENT, "no queue instance of this cell can run it");
	for (uint32_t i = 0; i < reasons->n && i < REASONS_SHOWN && used + 2 < REASONS_BYTES; i++) {
		struct why_reason reason = reasons->reasons[i];

		reason.unit =
			(uint16_t)why_unit(dispatch->supply.cell, reason.kind, reason.subject ? reason.subject : "");
		if (i > 0)
			used += (size_t)snprintf(why->text + used, REASONS_BYTES - used, "; ");
		if (used < REASONS_BYTES)
			used += why_sentence_ever(why->text + used, REASONS_BYTES - used, &reason);
	}
	return -ENOENT;
}

static int place_find(struct dispatch *dispatch, const struct run *run, struct category *category, struct error *why)
{
	struct search search = { .question = { .category = category,
						.purpose = SEARCH_RESERVE,
						.counts = COUNT_NOTHING,
						.begin = run->now,
						.end = run->now + 1 },
				 .supply = &dispatch->supply,
				 .shared = &dispatch->searches,
				 .number = skips_next(&dispatch->searches.skips) };
	struct grant grant = { 0 };
	int rc = -ENOENT;

	ranking_job(&dispatch->searches.ranking);
	grant_clear(&grant);
	if (category_is_possible(&search))
		rc = category->pe ? search_parallel(&search, &grant) : search_sequential(&search, &grant);
	grant_free(&grant);
	return rc == -ENOENT ? refuse(dispatch, category->verdict->why, why) : rc;
}

static int facts_verify(struct dispatch *dispatch, const struct run *run, const struct category_facts *facts,
			struct error *why)
{
	struct verdict verdict = { .why = why_list(dispatch->why) };
	struct category category = { 0 };
	int rc = category_create(&category, &dispatch->supply, facts);

	category.verdict = &verdict;
	category.duration = 1;
	/* unreadable slot numbers are refused at submission */
	if (rc == 0 && (!category.pe || category.ranges.n > 0))
		rc = place_find(dispatch, run, &category, why);
	category_destroy(&category);
	return rc;
}

int dispatch_verify(struct dispatch *dispatch, struct run *run, const struct advance_wish *wish, struct error *why)
{
	struct category_facts facts = { .user = wish->owner,
					.group = wish->group,
					.project = wish->project,
					.pe = wish->pe,
					.pe_range = wish->pe_range,
					.ckpt = wish->ckpt,
					.hard_queues = wish->hard_queues,
					.master_queues = wish->master_queues,
					.now = wish->now };
	int rc = dispatch_look_empty(dispatch, run);
	char *hard = NULL;

	if (rc == 0 && wish->hard) {
		hard = lasting(dispatch, wish->hard);
		rc = hard ? 0 : -ENOMEM;
	}
	facts.hard = hard;
	/* a cell without known instances says nothing about jobs */
	if (rc == 0 && dispatch->supply.cluster.ninstances > 0)
		rc = facts_verify(dispatch, run, &facts, why);
	free(hard);
	return rc == -ENOMEM ? error_set(why, rc, "out of memory") : rc;
}
