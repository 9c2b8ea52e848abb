/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a job could ever start here: the search of a run, in a cell in which nothing is in use.
 * qsub(1), -w. Loads come and go, so requests for them are left out, but for those that are facts
 * about a machine.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/gridengine/resource_list.h"
#include "sched/dispatch/dispatch.h"
#include "sched/dispatch/phase.h"
#include "sched/dispatch/search/match.h"

#define REASONS_TOLD 3
#define REASONS_BYTES 230	/* the rest of struct error is for who quotes them */

static bool is_fact(const char *name)
{
	static const char *const names[] = {
		"arch", "num_proc", "mem_total", "swap_total", "virtual_total", "m_socket", "m_core", "m_thread", "m_topology",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

/* Return whether hosts report a load of this name, which may be another one in a minute. */
static bool is_load(struct dispatch *d, const struct complex *complex)
{
	uint32_t number = cluster_column(&d->cluster, complex);
	struct column *column = number == UINT32_MAX ? NULL : &d->cluster.columns[number];
	const struct offer *o = column ? column_offer(column, LEVEL_GLOBAL, 0) : NULL;
	bool reported = o && o->load_text;

	for (uint32_t h = 0; column && !reported && h < d->cluster.nhosts; h++) {
		o = column_offer(column, LEVEL_HOST, h);
		reported = o && o->load_text;
	}
	return reported && complex->consumable == CONSUMABLE_NO && !is_fact(complex->name);
}

/* The hard requests without those for loads; the caller frees. NULL: no memory. */
static char *lasting(struct dispatch *d, const char *hard)
{
	struct resource_list list;
	size_t most = 1;
	char *text = NULL, *to;

	if (resource_list_read(&list, d->cell, hard) == 0) {
		for (size_t i = 0; i < list.n; i++)
			most += resource_most(&list.items[i]) + 1;
		to = text = malloc(most);
		for (size_t i = 0; text && i < list.n; i++) {
			if (list.items[i].complex && is_load(d, list.items[i].complex))
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

/* Those that were found first, as far as there is room. */
static int refuse(const struct dispatch *d, uint32_t list, struct error *why)
{
	const struct why_list *reasons = &d->why->lists[list];
	size_t used = 0;

	error_set(why, -ENOENT, "no queue instance of this cell can take it");
	for (uint32_t i = 0; i < reasons->n && i < REASONS_TOLD && used + 2 < REASONS_BYTES; i++) {
		struct why_reason reason = reasons->reasons[i];

		reason.unit = (uint16_t)why_unit(d->cell, reason.kind, reason.subject ? reason.subject : "");
		if (i > 0)
			used += (size_t)snprintf(why->text + used, REASONS_BYTES - used, "; ");
		if (used < REASONS_BYTES)
			used += why_sentence_ever(why->text + used, REASONS_BYTES - used, &reason);
	}
	return -ENOENT;
}

static int place_find(struct dispatch *d, const struct run *run, struct category *category, struct error *why)
{
	struct search s = { .d = d, .category = category, .begin = run->now, .end = run->now + 1, .later = true, .timed = true, .free = true,
			    .number = ++d->searches };
	struct grant grant = { 0 };
	int rc = -ENOENT;

	ranking_job(d);
	grant_clear(&grant);
	if (category_is_possible(&s))
		rc = category->pe ? search_parallel(&s, &grant) : search_sequential(&s, &grant);
	grant_free(&grant);
	return rc == -ENOENT ? refuse(d, category->verdict->why, why) : rc;
}

static int facts_verify(struct dispatch *d, const struct run *run, const struct category_facts *facts, struct error *why)
{
	struct verdict verdict = { .why = why_list(d->why) };
	struct category category = { 0 };
	int rc = category_create(&category, d, facts);

	category.verdict = &verdict;
	category.duration = 1;
	/* numbers of slots that can't be read are refused where they are taken */
	if (rc == 0 && (!category.pe || category.ranges.n > 0))
		rc = place_find(d, run, &category, why);
	category_destroy(&category);
	return rc;
}

int dispatch_verify(struct dispatch *d, struct run *run, const struct advance_wish *w, struct error *why)
{
	struct category_facts facts = { .user = w->owner, .group = w->group, .project = w->project, .pe = w->pe, .pe_range = w->pe_range, .ckpt = w->ckpt,
					.hard_queues = w->hard_queues, .master_queues = w->master_queues, .now = w->now };
	int rc = dispatch_look_empty(d, run);
	char *hard = NULL;

	if (rc == 0 && w->hard) {
		hard = lasting(d, w->hard);
		rc = hard ? 0 : -ENOMEM;
	}
	facts.hard = hard;
	/* a cell that knows of no instance yet says nothing about jobs */
	if (rc == 0 && d->cluster.ninstances > 0)
		rc = facts_verify(d, run, &facts, why);
	free(hard);
	return rc == -ENOMEM ? error_set(why, rc, "out of memory") : rc;
}
