/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Usage into packets, and what became of it. One packet is on its way at a time: an order names a
 * version, which the next one needs to know; and what was booked of a job to its user and to its
 * project is one packet, so that no crash comes between the two.
 */
#include <errno.h>
#include <stdlib.h>

#include "sched/process/log.h"
#include "sched/qmaster/gridengine/packed.h"
#include "sched/qmaster/gridengine/usage_inside.h"

#define EACH_GIVEN(B, GIVEN)                                  \
	for (uint32_t k_ = 0; k_ < USAGE_KINDS; k_++)         \
		for (struct usage_given *GIVEN = (B)->given[k_]; GIVEN && GIVEN < (B)->given[k_] + (B)->ngiven[k_]; GIVEN++)

/* An order's content: names of the mirror, in arrays that it owns. */
struct content {
	struct object_usage usage;
	struct usage_value *values;
	struct project_usage *projects;
	struct debited_usage *debited;
	size_t nvalues;
};

static void content_free(struct content *c)
{
	free(c->values);
	free(c->projects);
	free(c->debited);
}

/* There is room. */
static struct usage_values content_values(struct content *c, const struct mirror *m, const struct usage *u)
{
	struct usage_values values = { c->values + c->nvalues, u->n };

	for (size_t i = 0; i < u->n; i++)
		c->values[c->nvalues++] = (struct usage_value){ strings_text(m->strings, m->usage_names.strings[u->items[i].name]),
								 u->items[i].value };
	return values;
}

/* All its changed jobs: their sums, to be freed. -ENOMEM. */
static int sums_make(struct sge *g, const struct usage_given *given, struct usage **sums, size_t *n)
{
	const struct usage_book *b = usage_book(g);
	size_t count = 0;
	int rc = 0;

	for (uint32_t j = given->jobs; j != NONE; j = b->jobs[j].next)
		count++;
	*n = count;
	*sums = calloc(count + 1, sizeof(**sums));
	if (!*sums)
		return -ENOMEM;
	count = 0;
	for (uint32_t j = given->jobs; rc == 0 && j != NONE; j = b->jobs[j].next)
		rc = usage_job_sum(g, j, &(*sums)[count++]);
	return rc;
}

static size_t count_values(const struct object *o, const struct usage *sums, size_t nsums)
{
	size_t n = o->usage.n + o->long_term.n;

	for (size_t i = 0; i < o->nprojects; i++)
		n += o->projects[i].usage.n + o->projects[i].long_term.n;
	for (size_t i = 0; i < nsums; i++)
		n += sums[i].n;
	return n;
}

static int content_make(struct sge *g, struct content *c, const struct object *o, const struct usage_given *given, const struct usage *sums, size_t nsums)
{
	const struct usage_book *b = usage_book(g);
	const struct mirror *m = usage_mirror(g);
	size_t n = 0;

	c->values = malloc((count_values(o, sums, nsums) + 1) * sizeof(*c->values));
	c->projects = malloc((o->nprojects + 1) * sizeof(*c->projects));
	c->debited = malloc((nsums + 1) * sizeof(*c->debited));
	if (!c->values || !c->projects || !c->debited)
		return -ENOMEM;
	c->usage.name = strings_text(m->strings, o->name);
	c->usage.time_stamp = o->time_stamp;
	c->usage.usage = content_values(c, m, &o->usage);
	c->usage.long_term = content_values(c, m, &o->long_term);
	for (size_t i = 0; i < o->nprojects; i++)
		c->projects[i] = (struct project_usage){ strings_text(m->strings, o->projects[i].project), content_values(c, m, &o->projects[i].usage),
							 content_values(c, m, &o->projects[i].long_term) };
	for (uint32_t j = given->jobs; j != NONE; j = b->jobs[j].next, n++) {
		static const struct usage none;
		const struct usage *sum = usage_hash(&sums[n]) ? &sums[n] : &none;	/* empty: it is taken off */

		c->debited[n] = (struct debited_usage){ *(const uint32_t *)pool_key(&b->job_numbers, j), content_values(c, m, sum) };
	}
	c->usage.projects = c->projects;
	c->usage.nprojects = o->nprojects;
	c->usage.debited = c->debited;
	c->usage.ndebited = nsums;
	return 0;
}

/* Its changed jobs are on their way. */
static void jobs_leave(struct usage_book *b, struct usage_given *given, const struct usage *sums)
{
	given->jobs_sent = NONE;
	for (uint32_t j = given->jobs, n = 0; j != NONE; j = b->jobs[j].next, n++) {
		b->jobs[j].sent = usage_hash(&sums[n]);
		b->jobs[j].listed = false;
		b->jobs[j].leaving = true;
		b->jobs[j].next_sent = given->jobs_sent;
		given->jobs_sent = j;
	}
	given->jobs = NONE;
}

static int given_pack(struct sge *g, struct packed *p, uint32_t kind, uint32_t object, uint32_t version)
{
	const struct object *o = &usage_mirror(g)->objects[kind].items[object];
	struct usage_given *given = usage_given_of(g, kind, object);
	struct content content = { 0 };
	struct usage *sums = NULL;
	size_t nsums = 0;
	int rc = sums_make(g, given, &sums, &nsums);

	if (rc == 0)
		rc = content_make(g, &content, o, given, sums, nsums);
	if (rc == 0) {
		packed_usage(p, kind == SHARER_USER ? PACKED_USER : PACKED_PROJECT, &content.usage, version);
		jobs_leave(usage_book(g), given, sums);
		given->sent++;
		given->request = USAGE_PACKED;
		given->answered = 0;
		usage_book(g)->on_their_way++;
		given->version = version;
		given->stamp = o->time_stamp;
		given->changed = given->follows = false;
	}
	for (size_t i = 0; sums && i < nsums; i++)
		usage_free(&sums[i]);
	free(sums);
	content_free(&content);
	return rc;
}

/* The qmaster has no such user: nothing of him is to be given. */
static void given_nobody(struct usage_book *b, struct usage_given *given)
{
	for (uint32_t j = given->jobs; j != NONE; j = b->jobs[j].next)
		b->jobs[j].listed = false;
	given->jobs = NONE;
	given->changed = given->follows = false;
	given->confirmed = ++given->sent;
	b->look = true;
}

static size_t objects_pack(struct sge *g, struct packed *p)
{
	struct usage_book *b = usage_book(g);
	const struct mirror *m = usage_mirror(g);
	size_t n = 0;

	for (uint32_t k = 0; k < USAGE_KINDS; k++)
		for (uint32_t i = 0; i < b->ngiven[k]; i++) {
			struct usage_given *given = &b->given[k][i];
			const char *name = strings_text(m->strings, m->objects[k].items[i].name);
			uint32_t version;

			if (!given->changed && !given->follows)
				continue;
			if (!(k == SHARER_USER ? known_user_version(g->known, name, &version) : known_project_version(g->known, name, &version))) {
				given_nobody(b, given);
				continue;
			}
			n += given_pack(g, p, k, i, version) == 0;
		}
	return n;
}

/* Removals */

bool usage_end_is_given(struct sge *g, const struct usage_end *e)
{
	for (uint32_t k = 0; k < USAGE_KINDS; k++) {
		const struct usage_given *given = e->objects[k] == NONE ? NULL : usage_given_of(g, k, e->objects[k]);

		if (given && given->confirmed < e->needs[k])
			return false;
	}
	return true;
}

/*
 * With the removal goes, in the same packet, the list of what was booked without the task: the
 * qmaster has both or none. The entry of a job that is over is taken off the list by that.
 */
static void end_pack(struct sge *g, struct packed *p, uint32_t end)
{
	struct usage_book *b = usage_book(g);
	const struct task_name *name = pool_key(&b->end_names, end);
	uint32_t job = usage_job_find(b, name->job_number);
	struct usage_given *given = b->jobs[job].object == NONE ? NULL : usage_given_of(g, b->jobs[job].kind, b->jobs[job].object);

	packed_plain(p, PACKED_REMOVE, name->job_number, name->task);
	b->ends[end].leaving = true;
	b->ends[end].request = USAGE_PACKED;
	b->ends[end].answered = 0;
	usage_job_list(g, job);
	if (given)
		given->follows = true;
}

/* May its removal be ordered? */
static bool end_is_due(struct sge *g, const struct usage_end *e)
{
	return e->booked && e->reckoned && e->safe && !e->request && usage_end_is_given(g, e);
}

static size_t ends_pack(struct sge *g, struct packed *p)
{
	struct usage_book *b = usage_book(g);
	size_t n = 0;

	pool_each(i, &b->end_names) {
		if (!end_is_due(g, &b->ends[i]))
			continue;
		end_pack(g, p, i);
		if (++n == USAGE_ENDS_MOST)
			break;
	}
	return n;
}

size_t usage_pack(struct sge *g, struct packed *p)
{
	struct usage_book *b = usage_book(g);
	size_t n;

	n = ends_pack(g, p);
	n += objects_pack(g, p);
	b->look = n > 0;
	return n;
}

bool usage_is_due(struct sge *g)
{
	struct usage_book *b = usage_book(g);

	if (!b->look || b->on_their_way > 0)
		return false;
	EACH_GIVEN(b, given)
		if (given->changed)
			return true;
	pool_each(i, &b->end_names)
		if (end_is_due(g, &b->ends[i]))
			return true;
	b->look = false;
	return false;
}

/* What became of it */

void usage_given_settle(struct usage_book *b, struct usage_given *given)
{
	b->on_their_way -= given->request != 0;
	given->request = given->answered = 0;
}

void usage_given_failed(struct usage_book *b, struct usage_given *given)
{
	for (uint32_t id = given->jobs_sent; id != NONE; id = b->jobs[id].next_sent) {
		struct usage_job *j = &b->jobs[id];

		j->leaving = false;
		if (j->listed)
			continue;
		j->listed = true;
		j->next = given->jobs;
		given->jobs = id;
	}
	given->jobs_sent = NONE;
	usage_given_settle(b, given);
	given->changed = true;
	b->look = true;
}

void usage_given_confirm(struct usage_book *b, struct usage_given *given)
{
	for (uint32_t j = given->jobs_sent; j != NONE; j = b->jobs[j].next_sent) {
		b->jobs[j].there = b->jobs[j].sent;
		b->jobs[j].update = b->updates;
		b->jobs[j].leaving = false;
	}
	given->jobs_sent = NONE;
	usage_given_settle(b, given);
	given->confirmed = given->sent;
	b->look = true;
}

void usage_sent(struct sge *g, uint64_t request)
{
	struct usage_book *b = usage_book(g);

	EACH_GIVEN(b, given)
		if (given->request == USAGE_PACKED) {
			if (request)
				given->request = request;
			else
				usage_given_failed(b, given);
		}
	pool_each(i, &b->end_names)
		if (b->ends[i].request == USAGE_PACKED) {
			b->ends[i].request = request;
			b->ends[i].leaving = request != 0;
		}
}

void usage_answered(struct sge *g, uint64_t request)
{
	struct usage_book *b = usage_book(g);

	EACH_GIVEN(b, given)
		if (given->request == request)
			given->answered = b->deliveries + 1;
	pool_each(i, &b->end_names)
		if (b->ends[i].request == request)
			b->ends[i].answered = b->deliveries + 1;
}

/* Two deliveries after the answer have not shown it. */
static bool is_late(const struct usage_book *b, uint64_t answered)
{
	return answered && b->deliveries >= answered + 1;
}

void usage_delivered(struct sge *g)
{
	struct usage_book *b = usage_book(g);

	b->deliveries++;
	EACH_GIVEN(b, given)
		if (given->request && is_late(b, given->answered))
			usage_given_failed(b, given);
	pool_each(i, &b->end_names)
		if (b->ends[i].request && is_late(b, b->ends[i].answered)) {
			const struct task_name *name = pool_key(&b->end_names, i);

			log_line(LOG_ODD, "task %u of job %u has ended and is still there after its removal was ordered: once more", name->task,
				 name->job_number);
			b->ends[i].request = b->ends[i].answered = 0;
			b->ends[i].leaving = false;
			b->look = true;
		}
}

void usage_stop(struct sge *g)
{
	struct usage_book *b = usage_book(g);

	EACH_GIVEN(b, given)
		if (given->request && !given->answered)
			given->answered = b->deliveries + 1;
	pool_each(i, &b->end_names)
		if (b->ends[i].request && !b->ends[i].answered)
			b->ends[i].answered = b->deliveries + 1;
}

void usage_updated(struct sge *g)
{
	struct usage_book *b = usage_book(g);

	b->updates++;
	EACH_GIVEN(b, given)
		if (given->request)
			usage_given_failed(b, given);
	pool_each(i, &b->end_names) {
		struct usage_end *e = &b->ends[i];

		e->request = e->answered = 0;
		e->leaving = e->reckoned = false;	/* the qmaster may have lost what it had */
		if (e->update != b->updates)
			usage_end_drop(b, i);
	}
	b->look = true;
}

bool usage_is_settled(struct sge *g)
{
	struct usage_book *b = usage_book(g);

	EACH_GIVEN(b, given)
		if (given->request || given->changed)
			return false;
	pool_each(i, &b->end_names)
		if (b->ends[i].booked)
			return false;
	return true;
}
