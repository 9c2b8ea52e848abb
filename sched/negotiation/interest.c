/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/array.h"
#include "sched/negotiation/interest.h"
#include "sched/negotiation/moment.h"

const struct classad_expression *root_expression(const struct condor_conf *conf, enum root root, const struct classad *slot)
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

void interest_free(struct interest *x)
{
	references_clear(&x->references);
	for (int i = 0; i < ROOTS; i++)
		reach_free(&x->slots[i]);
	reach_free(&x->jobs);
	classad_names_free(&x->job_names);
	classad_names_free(&x->key);
	free(x->queue);
	*x = (struct interest){ 0 };
}

static int enqueue(struct interest *x, const struct classad_expression *e)
{
	struct classad_value value;

	if (!e || classad_is_constant(e, &value))
		return 0;
	for (size_t i = 0; i < x->queued; i++)
		if (x->queue[i] == e)
			return 0;
	if (x->queued == x->capacity) {
		size_t capacity = x->capacity ? 2 * x->capacity : 32;

		if (array_grow(&x->queue, capacity, sizeof(*x->queue)) < 0)
			return -ENOMEM;
		x->capacity = capacity;
	}
	x->queue[x->queued++] = e;
	return 0;
}

/* One of its own, or, where it has no such attribute, the other one's. */
static int name_follow(struct interest *x, const char *name, bool plain, const struct classad *ad, struct reach *reach)
{
	const struct classad_expression *e = classad_find(ad, name);
	int rc = classad_names_add(&reach->own, name);

	if (rc == 0 && !e && plain && !(moment_of(name) & MOMENTS_OF_SLOTS))
		rc = classad_names_add(&reach->others, name);
	return rc == 0 ? enqueue(x, e) : rc;
}

static int direct_follow(struct interest *x, const struct direct *d, const struct classad *ad, struct reach *reach)
{
	int rc = 0;

	reach->time |= d->time;
	for (size_t i = 0; i < d->target.n && rc == 0; i++)
		rc = classad_names_add(&reach->others, d->target.items[i]);
	for (int plain = 0; plain < 2; plain++) {
		const struct classad_names *names = plain ? &d->plain : &d->my;

		for (size_t i = 0; i < names->n && rc == 0; i++) {
			if (d->whether_owner && strcasecmp(names->items[i], "RemoteOwner") == 0)
				reach->whether_owner = true;
			else if (d->whether_user && strcasecmp(names->items[i], "RemoteUser") == 0)
				reach->whether_user = true;
			else
				rc = name_follow(x, names->items[i], plain, ad, reach);
		}
	}
	return rc;
}

int interest_follow(struct interest *x, const struct classad_expression *e, const struct classad *ad, struct reach *reach)
{
	int rc;

	x->queued = 0;
	rc = enqueue(x, e);
	for (size_t at = 0; at < x->queued && rc == 0; at++) {
		const struct direct *d = references_of(&x->references, x->queue[at]);

		rc = d ? direct_follow(x, d, ad, reach) : -ENOMEM;
	}
	return rc;
}

int interest_slot(struct interest *x, const struct condor_conf *conf, const struct classad *slot)
{
	int rc = 0;

	for (int root = 0; root < ROOTS && rc == 0; root++)
		rc = interest_follow(x, root_expression(conf, root, slot), slot, &x->slots[root]);
	return rc ? rc : interest_look(x, slot);
}

/*
 * What a job's values come to by way of a slot counts with the slot's Requirements: known of both.
 */
int interest_look(struct interest *x, const struct classad *slot)
{
	const struct classad_names *others = &x->jobs.others;
	int rc = 0;

	for (size_t i = 0; i < others->n && rc == 0; i++)
		rc = interest_follow(x, classad_find(slot, others->items[i]), slot, &x->slots[ROOT_REQUIREMENTS]);
	return rc;
}

const char *request_next(const struct classad *job, const struct classad **ad, size_t *at)
{
	for (; *ad; *ad = classad_behind(*ad), *at = 0)
		while (*at < classad_count(*ad)) {
			const char *name = classad_name(*ad, *at);
			const struct classad_expression *e = classad_expression(*ad, (*at)++);

			if (strncasecmp(name, "Request", 7) == 0 && name[7] && classad_find(job, name) == e)
				return name;
		}
	return NULL;
}

int interest_ask(struct interest *x, const struct classad *job)
{
	int rc = 0;

	for (int root = 0; root < ROOTS; root++) {
		const struct classad_names *others = &x->slots[root].others;

		for (size_t i = 0; i < others->n && rc == 0; i++) {
			const struct classad_expression *e = classad_find(job, others->items[i]);

			if (e)
				rc = classad_names_add(&x->job_names, others->items[i]);
			if (e && rc == 0)
				rc = interest_follow(x, e, job, &x->jobs);
		}
	}
	return rc;
}

static size_t others_of(const struct interest *x)
{
	size_t n = 0;

	for (int root = 0; root < ROOTS; root++)
		n += x->slots[root].others.n;
	return n;
}

bool interest_asks(struct interest *x)
{
	size_t asked = x->asked;

	x->asked = others_of(x);
	return x->asked != asked;
}

bool interest_looks(struct interest *x)
{
	size_t looked = x->looked;

	x->looked = x->jobs.others.n;
	return x->looked != looked;
}

int interest_job(struct interest *x, const struct classad *job)
{
	static const char *const roots[] = { "Requirements", "Rank", "ConcurrencyLimits" };
	const struct classad *ad = job;
	const char *request;
	size_t at = 0;
	int rc = interest_ask(x, job);

	for (size_t i = 0; i < sizeof(roots) / sizeof(*roots) && rc == 0; i++)
		rc = interest_follow(x, classad_find(job, roots[i]), job, &x->jobs);
	while (rc == 0 && (request = request_next(job, &ad, &at))) {
		rc = interest_follow(x, classad_find(job, request), job, &x->jobs);
		if (rc == 0)
			rc = classad_names_add(&x->jobs.others, request + 7);	/* what it takes out of a partitionable slot */
	}
	return rc;
}

static bool depends_on_jobs(const struct interest *x, const struct reach *reach)
{
	for (size_t i = 0; i < reach->others.n; i++)
		if (classad_names_have(&x->job_names, reach->others.items[i]) || (moment_of(reach->others.items[i]) & MOMENTS_OF_JOBS))
			return true;
	return false;
}

static uint32_t moments_of(const struct classad_names *names, uint32_t which)
{
	uint32_t moments = 0;

	for (size_t i = 0; i < names->n; i++)
		moments |= moment_of(names->items[i]) & which;
	return moments;
}

/* What depends on both sides is known of a class of slots as a whole. */
static bool root_is_of_both(const struct interest *x, int root)
{
	return root == ROOT_REQUIREMENTS || root == ROOT_RANK || ((root == ROOT_PRE || root == ROOT_POST) && x->by_job[root]);
}

static int add_all(struct classad_names *to, const struct classad_names *from)
{
	int rc = 0;

	for (size_t i = 0; i < from->n && rc == 0; i++)
		rc = classad_names_add(to, from->items[i]);
	return rc;
}

static int add_roots(struct interest *x)
{
	int rc = 0;

	for (int root = 0; root < ROOTS && rc == 0; root++) {
		const struct reach *reach = &x->slots[root];
		uint32_t moments = moments_of(&reach->own, MOMENTS_OF_SLOTS) | moments_of(&reach->others, MOMENTS_OF_JOBS);

		x->by_job[root] = depends_on_jobs(x, reach);
		x->moments |= moments | (reach->whether_owner ? 1u << MOMENT_REMOTE_OWNER : 0) |
			(reach->whether_user ? 1u << MOMENT_REMOTE_USER : 0);
		if (root_is_of_both(x, root)) {
			x->both_moments |= moments;
			rc = add_all(&x->key, &reach->own);
		}
	}
	return rc;
}

static int add_key(struct interest *x)
{
	static const char *const always[] = { "Requirements", "Rank", "Cpus", "Memory", "Disk" };
	int rc = add_all(&x->key, &x->jobs.others);

	for (size_t i = 0; i < sizeof(always) / sizeof(*always) && rc == 0; i++)
		rc = classad_names_add(&x->key, always[i]);
	return rc;
}

int interest_settle(struct interest *x, struct interest_change *change)
{
	size_t keys = x->key.n, significant = x->significant;
	bool by_job[ROOTS];
	int rc;

	memcpy(by_job, x->by_job, sizeof(by_job));
	x->moments = x->both_moments = 0;
	rc = add_roots(x);
	if (rc == 0)
		rc = add_key(x);
	x->both_moments |= moments_of(&x->jobs.others, MOMENTS_OF_SLOTS);
	x->moments |= x->both_moments | moments_of(&x->jobs.own, MOMENTS_OF_JOBS);
	x->claim_matters = (x->both_moments & MOMENTS_OF_SLOTS) != 0;
	x->significant = others_of(x);
	change->key = x->key.n != keys || memcmp(by_job, x->by_job, sizeof(by_job)) != 0;
	change->significant = x->significant != significant;
	return rc;
}
