/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/base/columns.h"
#include "sched/negotiation/interest.h"
#include "sched/negotiation/moment.h"

/* Return the expression of a root, from a slot's ad or the configuration; NULL: there is none. */
static const struct classad_expression *root_expression(const struct condor_conf *conf, enum root root,
							const struct classad *slot)
{
	switch (root) {
	case ROOT_REQUIREMENTS:
		return classad_find(slot, "Requirements");
	case ROOT_RANK:
		return classad_find(slot, "Rank");
	case ROOT_PRE:
		return conf->pre_job_rank.program;
	case ROOT_POST:
		return conf->post_job_rank.program;
	case ROOT_PREEMPTION:
		return conf->preemption_requirements.program;
	default:
		return conf->preemption_rank.program;
	}
}

void reach_free(struct reach *reach)
{
	classad_names_free(&reach->own);
	classad_names_free(&reach->others);
	*reach = (struct reach){ 0 };
}

void interest_free(struct interest *interest)
{
	references_clear(&interest->references);
	for (int i = 0; i < ROOTS; i++)
		reach_free(&interest->slots[i]);
	reach_free(&interest->jobs);
	classad_names_free(&interest->job_names);
	classad_names_free(&interest->key);
	free(interest->queue);
	*interest = (struct interest){ 0 };
}

static int enqueue(struct interest *interest, const struct classad_expression *expression)
{
	struct classad_value value;

	if (!expression || classad_is_constant(expression, &value))
		return 0;
	for (size_t i = 0; i < interest->queued; i++)
		if (interest->queue[i] == expression)
			return 0;
	if (array_reserve(&interest->capacity, interest->queued + 1, COLUMN(interest->queue)))
		return -ENOMEM;
	interest->queue[interest->queued++] = expression;
	return 0;
}

/* Follow a name to the own attribute, or to the other ad's if the own ad does not have it. */
static int name_follow(struct interest *interest, const char *name, bool plain, const struct classad *ad,
		       struct reach *reach)
{
	const struct classad_expression *expression = classad_find(ad, name);
	int rc = classad_names_add(&reach->own, name);

	if (rc == 0 && !expression && plain && !(moment_of(name) & MOMENTS_OF_SLOTS))
		rc = classad_names_add(&reach->others, name);
	return rc == 0 ? enqueue(interest, expression) : rc;
}

static int direct_follow(struct interest *interest, const struct direct *direct, const struct classad *ad,
			 struct reach *reach)
{
	int rc = 0;

	reach->time |= direct->time;
	reach->any |= direct->any;
	for (const struct classad *part = direct->any ? ad : NULL; part && rc == 0; part = classad_base(part))
		for (size_t i = 0; i < classad_count(part) && rc == 0; i++)
			rc = name_follow(interest, classad_name(part, i), false, ad, reach);
	for (size_t i = 0; i < direct->target.n && rc == 0; i++)
		rc = classad_names_add(&reach->others, direct->target.items[i]);
	for (int plain = 0; plain < 2; plain++) {
		const struct classad_names *names = plain ? &direct->plain : &direct->my;

		for (size_t i = 0; i < names->n && rc == 0; i++) {
			if (direct->whether_owner && strcasecmp(names->items[i], "RemoteOwner") == 0)
				reach->whether_owner = true;
			else if (direct->whether_user && strcasecmp(names->items[i], "RemoteUser") == 0)
				reach->whether_user = true;
			else
				rc = name_follow(interest, names->items[i], plain, ad, reach);
		}
	}
	return rc;
}

int interest_follow(struct interest *interest, const struct classad_expression *expression, const struct classad *ad,
		    struct reach *reach)
{
	int rc;

	interest->queued = 0;
	rc = enqueue(interest, expression);
	for (size_t at = 0; at < interest->queued && rc == 0; at++) {
		const struct direct *direct = references_of(&interest->references, interest->queue[at]);

		rc = direct ? direct_follow(interest, direct, ad, reach) : -ENOMEM;
	}
	return rc;
}

int interest_slot(struct interest *interest, const struct condor_conf *conf, const struct classad *slot)
{
	int rc = 0;

	for (int root = 0; root < ROOTS && rc == 0; root++)
		rc = interest_follow(interest, root_expression(conf, root, slot), slot, &interest->slots[root]);
	return rc ? rc : interest_look(interest, slot);
}

/*
 * Add all attributes of the ad to those that the reach of the other side reads, if it can read any
 * of them.
 */
static int others_of_any(struct reach *reach, const struct classad *ad)
{
	int rc = 0;

	for (; reach->any && ad && rc == 0; ad = classad_base(ad))
		for (size_t i = 0; i < classad_count(ad) && rc == 0; i++)
			rc = classad_names_add(&reach->others, classad_name(ad, i));
	return rc;
}

/*
 * Follow the attributes of a slot that jobs read. They count with the slot's Requirements, since
 * both job and slot determine them.
 */
int interest_look(struct interest *interest, const struct classad *slot)
{
	const struct classad_names *others = &interest->jobs.others;
	int rc = others_of_any(&interest->jobs, slot);

	for (size_t i = 0; i < others->n && rc == 0; i++)
		rc = interest_follow(interest, classad_find(slot, others->items[i]), slot,
				     &interest->slots[ROOT_REQUIREMENTS]);
	return rc;
}

const char *request_next(const struct classad *job, const struct classad **ad, size_t *at)
{
	for (; *ad; *ad = classad_base(*ad), *at = 0)
		while (*at < classad_count(*ad)) {
			const char *name = classad_name(*ad, *at);
			const struct classad_expression *expression = classad_expression(*ad, (*at)++);

			if (strncasecmp(name, "Request", 7) == 0 && name[7] && classad_find(job, name) == expression)
				return name;
		}
	return NULL;
}

int interest_ask(struct interest *interest, const struct classad *job)
{
	int rc = 0;

	for (int root = 0; root < ROOTS && rc == 0; root++) {
		const struct classad_names *others = &interest->slots[root].others;

		rc = others_of_any(&interest->slots[root], job);
		for (size_t i = 0; i < others->n && rc == 0; i++) {
			const struct classad_expression *expression = classad_find(job, others->items[i]);

			if (expression)
				rc = classad_names_add(&interest->job_names, others->items[i]);
			if (expression && rc == 0)
				rc = interest_follow(interest, expression, job, &interest->jobs);
		}
	}
	return rc;
}

static size_t others_of(const struct interest *interest)
{
	size_t n = 0;

	for (int root = 0; root < ROOTS; root++)
		n += interest->slots[root].others.n + interest->slots[root].any;
	return n;
}

bool interest_asks(struct interest *interest)
{
	size_t asked = interest->asked;

	interest->asked = others_of(interest);
	return interest->asked != asked;
}

bool interest_looks(struct interest *interest)
{
	size_t looked = interest->looked;

	interest->looked = interest->jobs.others.n + interest->jobs.any;
	return interest->looked != looked;
}

int interest_job(struct interest *interest, const struct classad *job)
{
	static const char *const roots[] = { "Requirements", "Rank", "ConcurrencyLimits" };
	const struct classad *ad = job;
	const char *request;
	size_t at = 0;
	int rc = interest_ask(interest, job);

	for (size_t i = 0; i < sizeof(roots) / sizeof(*roots) && rc == 0; i++)
		rc = interest_follow(interest, classad_find(job, roots[i]), job, &interest->jobs);
	while (rc == 0 && (request = request_next(job, &ad, &at))) {
		rc = interest_follow(interest, classad_find(job, request), job, &interest->jobs);
		if (rc == 0)
			rc = classad_names_add(&interest->jobs.others,
					       request + 7); /* X of "RequestX" */
	}
	return rc;
}

static bool depends_on_jobs(const struct interest *interest, const struct reach *reach)
{
	if (reach->any)
		return true;
	for (size_t i = 0; i < reach->others.n; i++)
		if (classad_names_have(&interest->job_names, reach->others.items[i]) ||
		    (moment_of(reach->others.items[i]) & MOMENTS_OF_JOBS))
			return true;
	return false;
}

/* Return the moments of `which` in a list of names; `any`: all of them. */
static uint32_t moments_of(const struct classad_names *names, bool any, uint32_t which)
{
	uint32_t moments = any ? (1u << MOMENTS) - 1 : 0;

	for (size_t i = 0; i < names->n; i++)
		moments |= moment_of(names->items[i]);
	return moments & which;
}

/*
 * Return whether values of this root depend on both sides, so that they are kept for a class of
 * slots as a whole.
 */
static bool root_is_of_both(const struct interest *interest, int root)
{
	return root == ROOT_REQUIREMENTS || root == ROOT_RANK ||
	       ((root == ROOT_PRE || root == ROOT_POST) && interest->by_job[root]);
}

static int add_all(struct classad_names *to, const struct classad_names *from)
{
	int rc = 0;

	for (size_t i = 0; i < from->n && rc == 0; i++)
		rc = classad_names_add(to, from->items[i]);
	return rc;
}

static int add_roots(struct interest *interest)
{
	int rc = 0;

	for (int root = 0; root < ROOTS && rc == 0; root++) {
		const struct reach *reach = &interest->slots[root];
		uint32_t moments =
			moments_of(&reach->own, reach->any, MOMENTS_OF_SLOTS) |
			moments_of(&reach->others, reach->any, MOMENTS_OF_JOBS);

		interest->by_job[root] = depends_on_jobs(interest, reach);
		interest->moments |= moments | (reach->whether_owner ? 1u << MOMENT_REMOTE_OWNER : 0) |
			(reach->whether_user ? 1u << MOMENT_REMOTE_USER : 0);
		if (root_is_of_both(interest, root)) {
			interest->both_moments |= moments;
			rc = add_all(&interest->key, &reach->own);
		}
	}
	return rc;
}

static int add_key(struct interest *interest)
{
	static const char *const always[] = { "Requirements", "Rank", "Cpus", "Memory", "Disk" };
	int rc = add_all(&interest->key, &interest->jobs.others);

	for (size_t i = 0; i < sizeof(always) / sizeof(*always) && rc == 0; i++)
		rc = classad_names_add(&interest->key, always[i]);
	return rc;
}

int interest_settle(struct interest *interest, struct interest_change *change)
{
	size_t keys = interest->key.n, significant = interest->significant;
	bool by_job[ROOTS];
	int rc;

	memcpy(by_job, interest->by_job, sizeof(by_job));
	interest->moments = interest->both_moments = 0;
	rc = add_roots(interest);
	if (rc == 0)
		rc = add_key(interest);
	interest->both_moments |= moments_of(&interest->jobs.others, interest->jobs.any, MOMENTS_OF_SLOTS);
	interest->moments |=
		interest->both_moments | moments_of(&interest->jobs.own, interest->jobs.any, MOMENTS_OF_JOBS);
	interest->claim_matters = (interest->both_moments & MOMENTS_OF_SLOTS) != 0;
	interest->significant = others_of(interest);
	change->key = interest->key.n != keys || memcmp(by_job, interest->by_job, sizeof(by_job)) != 0;
	change->significant = interest->significant != significant;
	return rc;
}
