/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packing of usage orders, and their results. One packet is sent at a time, because an order names
 * a version that the next order needs to know. The usage of a job for its user and for its project
 * is in one packet, so that a crash cannot separate the two.
 */
#include <errno.h>
#include <stdlib.h>

#include "sched/process/log.h"
#include "sched/qmaster/gridengine/packed.h"
#include "sched/qmaster/gridengine/usage_inside.h"

#define EACH_GIVEN(B, GIVEN)                                  \
	for (uint32_t k_ = 0; k_ < USAGE_KINDS; k_++)         \
		for (struct usage_given *GIVEN = (B)->given[k_];      \
		     GIVEN && GIVEN < (B)->given[k_] + (B)->ngiven[k_]; GIVEN++)

/* content of an order: names of the mirror, in arrays that it owns */
struct content {
	struct object_usage usage;
	struct usage_value *values;
	struct project_usage *projects;
	struct debited_usage *debited;
	size_t nvalues;
};

static void content_free(struct content *content)
{
	free(content->values);
	free(content->projects);
	free(content->debited);
}

/* Convert values. There is enough room. */
static struct usage_values content_values(struct content *content, const struct mirror *mirror,
					  const struct usage *usage)
{
	struct usage_value *items = content->values + content->nvalues;

	content->nvalues += usage->n;
	return mirror_usage_values(mirror, usage, items);
}

/* Sum up the changed jobs of an object; the caller frees the sums. -ENOMEM. */
static int sums_make(struct sge *sge, const struct usage_given *given, struct usage **sums, size_t *n)
{
	const struct usage_book *book = usage_book(sge);
	size_t count = 0;
	int rc = 0;

	for (uint32_t j = given->jobs; j != NONE; j = book->jobs[j].next)
		count++;
	*n = count;
	*sums = calloc(count + 1, sizeof(**sums));
	if (!*sums)
		return -ENOMEM;
	count = 0;
	for (uint32_t j = given->jobs; rc == 0 && j != NONE; j = book->jobs[j].next)
		rc = usage_job_sum(sge, j, &(*sums)[count++]);
	return rc;
}

static size_t count_values(const struct object *object, const struct usage *sums, size_t nsums)
{
	size_t n = object->usage.n + object->long_term.n;

	for (size_t i = 0; i < object->nprojects; i++)
		n += object->projects[i].usage.n + object->projects[i].long_term.n;
	for (size_t i = 0; i < nsums; i++)
		n += sums[i].n;
	return n;
}

static int content_make(struct sge *sge, struct content *content, const struct object *object,
			const struct usage_given *given, const struct usage *sums, size_t nsums)
{
	const struct usage_book *book = usage_book(sge);
	const struct mirror *mirror = usage_mirror(sge);
	size_t n = 0;

	content->values = malloc((count_values(object, sums, nsums) + 1) * sizeof(*content->values));
	content->projects = malloc((object->nprojects + 1) * sizeof(*content->projects));
	content->debited = malloc((nsums + 1) * sizeof(*content->debited));
	if (!content->values || !content->projects || !content->debited)
		return -ENOMEM;
	content->usage.name = mirror_text(mirror, object->name);
	content->usage.time_stamp = object->time_stamp;
	content->usage.usage = content_values(content, mirror, &object->usage);
	content->usage.long_term = content_values(content, mirror, &object->long_term);
	for (size_t i = 0; i < object->nprojects; i++)
		content->projects[i] = (struct project_usage){
			mirror_text(mirror, object->projects[i].project),
			content_values(content, mirror, &object->projects[i].usage),
			content_values(content, mirror, &object->projects[i].long_term)
		};
	for (uint32_t j = given->jobs; j != NONE; j = book->jobs[j].next, n++) {
		static const struct usage none;
		/* An empty entry removes the job. */
		const struct usage *sum = usage_hash(&sums[n]) ? &sums[n] : &none;

		content->debited[n] = (struct debited_usage){ *(const uint32_t *)pool_key(&book->job_numbers, j),
							      content_values(content, mirror, sum) };
	}
	content->usage.projects = content->projects;
	content->usage.nprojects = object->nprojects;
	content->usage.debited = content->debited;
	content->usage.ndebited = nsums;
	return 0;
}

/* Mark the changed jobs as sent. */
static void jobs_leave(struct usage_book *book, struct usage_given *given, const struct usage *sums)
{
	given->jobs_sent = NONE;
	for (uint32_t j = given->jobs, n = 0; j != NONE; j = book->jobs[j].next, n++) {
		book->jobs[j].sent = usage_hash(&sums[n]);
		book->jobs[j].listed = false;
		book->jobs[j].leaving = true;
		book->jobs[j].next_sent = given->jobs_sent;
		given->jobs_sent = j;
	}
	given->jobs = NONE;
}

static int given_pack(struct sge *sge, struct packed *packed, uint32_t kind, uint32_t object, uint32_t version)
{
	const struct object *o = mirror_object(usage_mirror(sge), kind, object);
	struct usage_given *given = usage_given_of(sge, kind, object);
	struct content content = { 0 };
	struct usage *sums = NULL;
	size_t nsums = 0;
	int rc = sums_make(sge, given, &sums, &nsums);

	if (rc == 0)
		rc = content_make(sge, &content, o, given, sums, nsums);
	if (rc == 0) {
		packed_usage(packed, kind == SHARER_USER ? PACKED_USER : PACKED_PROJECT, &content.usage, version);
		jobs_leave(usage_book(sge), given, sums);
		given->sent++;
		given->request = USAGE_PACKED;
		given->answered = 0;
		usage_book(sge)->on_their_way++;
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

/* Drop the usage of an object that the qmaster does not have. */
static void given_drop(struct usage_book *book, struct usage_given *given)
{
	for (uint32_t j = given->jobs; j != NONE; j = book->jobs[j].next)
		book->jobs[j].listed = false;
	given->jobs = NONE;
	given->changed = given->follows = false;
	given->confirmed = ++given->sent;
	book->look = true;
}

static size_t objects_pack(struct sge *sge, struct packed *packed)
{
	struct usage_book *book = usage_book(sge);
	const struct mirror *mirror = usage_mirror(sge);
	size_t n = 0;

	for (uint32_t k = 0; k < USAGE_KINDS; k++)
		for (uint32_t i = 0; i < book->ngiven[k]; i++) {
			struct usage_given *given = &book->given[k][i];
			const char *name = mirror_text(mirror, mirror_object(mirror, k, i)->name);
			uint32_t version;

			if (!given->changed && !given->follows)
				continue;
			if (!(k == SHARER_USER ? known_user_version(sge->known, name, &version)
					       : known_project_version(sge->known, name, &version))) {
				given_drop(book, given);
				continue;
			}
			n += given_pack(sge, packed, k, i, version) == 0;
		}
	return n;
}

/* Removals */

/* Return whether the usage orders of all charged objects have taken effect. */
static bool usage_end_is_given(struct sge *sge, const struct usage_end *end)
{
	for (uint32_t k = 0; k < USAGE_KINDS; k++) {
		const struct usage_given *given =
			end->objects[k] == NONE ? NULL : usage_given_of(sge, k, end->objects[k]);

		if (given && given->confirmed < end->needs[k])
			return false;
	}
	return true;
}

/*
 * Pack a removal. The list of booked usage without the task is in the same packet, so that the
 * qmaster gets both or none. This also removes the entry of a job that is over.
 */
static void end_pack(struct sge *sge, struct packed *packed, uint32_t end)
{
	struct usage_book *book = usage_book(sge);
	const struct task_name *name = pool_key(&book->end_names, end);
	uint32_t job = usage_job_find(book, name->job_number);
	struct usage_given *given = book->jobs[job].object == NONE
					    ? NULL
					    : usage_given_of(sge, book->jobs[job].kind, book->jobs[job].object);

	packed_plain(packed, PACKED_REMOVE, name->job_number, name->task);
	book->ends[end].leaving = true;
	book->ends[end].request = USAGE_PACKED;
	book->ends[end].answered = 0;
	usage_job_list(sge, job);
	if (given)
		given->follows = true;
}

/* Return whether the removal may be ordered. */
static bool end_is_due(struct sge *sge, const struct usage_end *end)
{
	return end->booked && end->reckoned && end->safe && !end->request && usage_end_is_given(sge, end);
}

static size_t ends_pack(struct sge *sge, struct packed *packed)
{
	struct usage_book *book = usage_book(sge);
	size_t n = 0;

	pool_each(i, &book->end_names) {
		if (!end_is_due(sge, &book->ends[i]))
			continue;
		end_pack(sge, packed, i);
		if (++n == USAGE_ENDS_MOST)
			break;
	}
	return n;
}

size_t usage_pack(struct sge *sge, struct packed *packed)
{
	struct usage_book *book = usage_book(sge);
	size_t n;

	n = ends_pack(sge, packed);
	n += objects_pack(sge, packed);
	book->look = n > 0;
	return n;
}

bool usage_is_due(struct sge *sge)
{
	struct usage_book *book = usage_book(sge);

	if (!book->look || book->on_their_way > 0)
		return false;
	EACH_GIVEN(book, given)
		if (given->changed)
			return true;
	pool_each(i, &book->end_names)
		if (end_is_due(sge, &book->ends[i]))
			return true;
	book->look = false;
	return false;
}

/* Results */

void usage_given_settle(struct usage_book *book, struct usage_given *given)
{
	book->on_their_way -= given->request != 0;
	given->request = given->answered = 0;
}

void usage_given_failed(struct usage_book *book, struct usage_given *given)
{
	for (uint32_t id = given->jobs_sent; id != NONE; id = book->jobs[id].next_sent) {
		struct usage_job *job = &book->jobs[id];

		job->leaving = false;
		if (job->listed)
			continue;
		job->listed = true;
		job->next = given->jobs;
		given->jobs = id;
	}
	given->jobs_sent = NONE;
	usage_given_settle(book, given);
	given->changed = true;
	book->look = true;
}

void usage_given_confirm(struct usage_book *book, struct usage_given *given)
{
	for (uint32_t j = given->jobs_sent; j != NONE; j = book->jobs[j].next_sent) {
		book->jobs[j].there = book->jobs[j].sent;
		book->jobs[j].update = book->updates;
		book->jobs[j].leaving = false;
	}
	given->jobs_sent = NONE;
	usage_given_settle(book, given);
	given->confirmed = given->sent;
	book->look = true;
}

void usage_sent(struct sge *sge, uint64_t request)
{
	struct usage_book *book = usage_book(sge);

	EACH_GIVEN(book, given)
		if (given->request == USAGE_PACKED) {
			if (request)
				given->request = request;
			else
				usage_given_failed(book, given);
		}
	pool_each(i, &book->end_names)
		if (book->ends[i].request == USAGE_PACKED) {
			book->ends[i].request = request;
			book->ends[i].leaving = request != 0;
		}
}

void usage_answered(struct sge *sge, uint64_t request)
{
	struct usage_book *book = usage_book(sge);

	EACH_GIVEN(book, given)
		if (given->request == request)
			given->answered = book->deliveries + 1;
	pool_each(i, &book->end_names)
		if (book->ends[i].request == request)
			book->ends[i].answered = book->deliveries + 1;
}

/* Return whether two deliveries after the answer have not shown a result. */
static bool is_late(const struct usage_book *book, uint64_t answered)
{
	return answered && book->deliveries >= answered + 1;
}

void usage_delivered(struct sge *sge)
{
	struct usage_book *book = usage_book(sge);

	book->deliveries++;
	EACH_GIVEN(book, given)
		if (given->request && is_late(book, given->answered))
			usage_given_failed(book, given);
	pool_each(i, &book->end_names)
		if (book->ends[i].request && is_late(book, book->ends[i].answered)) {
			const struct task_name *name = pool_key(&book->end_names, i);

			log_event(LOG_ODD, LOG_TASK(name->job_number, name->task),
				  "task %u of job %u has ended and still exists after its removal was ordered; "
				  "ordering it again", name->task, name->job_number);
			book->ends[i].request = book->ends[i].answered = 0;
			book->ends[i].leaving = false;
			book->look = true;
		}
}

void usage_stop(struct sge *sge)
{
	struct usage_book *book = usage_book(sge);

	EACH_GIVEN(book, given)
		if (given->request && !given->answered)
			given->answered = book->deliveries + 1;
	pool_each(i, &book->end_names)
		if (book->ends[i].request && !book->ends[i].answered)
			book->ends[i].answered = book->deliveries + 1;
}

void usage_updated(struct sge *sge)
{
	struct usage_book *book = usage_book(sge);

	book->updates++;
	EACH_GIVEN(book, given)
		if (given->request)
			usage_given_failed(book, given);
	pool_each(i, &book->end_names) {
		struct usage_end *end = &book->ends[i];

		end->request = end->answered = 0;
		end->leaving = end->reckoned = false;	/* the qmaster may have lost its state */
		if (end->update != book->updates)
			usage_end_drop(book, i);
	}
	book->look = true;
}

bool usage_is_settled(struct sge *sge)
{
	struct usage_book *book = usage_book(sge);

	EACH_GIVEN(book, given)
		if (given->request || given->changed)
			return false;
	pool_each(i, &book->end_names)
		if (book->ends[i].booked)
			return false;
	return true;
}
