/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pending tasks of a job. Tasks without a record are in ranges of the qmaster: one list of
 * those without a hold, and one for each kind of hold. Tasks with a record are pending if they are
 * idle.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/qmaster/gridengine/known.h"
#include "sched/qmaster/gridengine/take.h"

#define SINGLE_MOST 1000000	/* most ids to which overlapping ranges are split */
#define RANGES_MOST 20000	/* most ranges of tasks with a record, because each takes time */

/* Ranges */

static bool range_read(const struct gdi_element *element, struct range *range)
{
	*range = (struct range){ gdi_u32(element, RN_min), gdi_u32(element, RN_max), gdi_u32(element, RN_step) };
	if (range->min == 0 || range->max < range->min)
		return false;
	range->step = range->step ? range->step : 1;
	range->max -= (range->max - range->min) % range->step;
	if (range->max == range->min)
		range->step = 1;
	return true;
}

static int by_first(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return x->min < y->min ? -1 : x->min > y->min;
}

static int ids_add(struct ranges *to, const struct range *range, uint64_t *singles, struct error *error)
{
	if ((*singles += 1 + (range->max - range->min) / range->step) > SINGLE_MOST)
		return error_set(error, -EINVAL, "ranges of tasks overlap: %u-%u:%u", range->min, range->max,
				 range->step);
	for (uint64_t id = range->min; id <= range->max; id += range->step) {
		int rc = ranges_add(to, (uint32_t)id);

		if (rc == -ENOMEM)
			return error_set(error, rc, "out of memory");
	}
	return 0;
}

/* Join ranges sorted by their first ids, of which most can be appended. */
static int ranges_join(struct ranges *to, const struct range *sorted, size_t n, struct error *error)
{
	uint64_t singles = 0;

	for (size_t i = 0; i < n; i++) {
		int rc;

		if (i > 0 && memcmp(&sorted[i], &sorted[i - 1], sizeof(*sorted)) == 0)
			continue;
		rc = ranges_append(to, &sorted[i]);
		if (rc == -EINVAL)
			rc = ids_add(to, &sorted[i], &singles, error);
		else if (rc)
			error_set(error, rc, "out of memory");
		if (rc)
			return rc;
	}
	return 0;
}

int said_ranges_add(struct ranges *to, const struct ranges *from, struct error *error)
{
	size_t n = to->n + from->n;
	struct range *all;
	int rc;

	if (from->n == 0)
		return 0;
	if (to->n == 0)
		return ranges_copy(to, from) ? error_set(error, -ENOMEM, "out of memory") : 0;
	all = malloc(n * sizeof(*all));
	if (!all)
		return error_set(error, -ENOMEM, "out of memory");
	memcpy(all, to->items, to->n * sizeof(*all));
	memcpy(all + to->n, from->items, from->n * sizeof(*all));
	qsort(all, n, sizeof(*all), by_first);
	ranges_free(to);
	rc = ranges_join(to, all, n, error);
	free(all);
	return rc;
}

int said_ranges(const struct gdi_element *element, uint32_t field, struct ranges *ids, struct error *error)
{
	struct gdi_list list = gdi_list(element, field);
	struct gdi_element one;
	struct range *items;
	size_t n = 0;
	int rc = 0;

	*ids = (struct ranges){ 0 };
	if (list.left == 0)
		return 0;
	items = malloc(list.left * sizeof(*items));
	if (!items)
		return error_set(error, -ENOMEM, "out of memory");
	while (rc == 0 && gdi_next(&list, &one))
		if (!range_read(&one, &items[n++]))
			rc = error_set(error, -EINVAL, "%u-%u is not a range of tasks", items[n - 1].min,
				       items[n - 1].max);
	qsort(items, n, sizeof(*items), by_first);
	rc = rc ? rc : ranges_join(ids, items, n, error);
	free(items);
	return rc;
}

/* Pending tasks */

bool take_ids_have(const struct known_job *job, uint32_t id)
{
	const struct known_ids *ids = job->ids;

	return ids ? ranges_contain(&ids->free, id) || ranges_contain(&ids->enrolled, id) : id == 1;
}

/* JAT_hold: a bit for each kind, in the order of enum hold_kind. */
static const uint32_t hold_bits[HOLD_KINDS] = {
	[HOLD_USER] = 1, [HOLD_OPERATOR] = 2, [HOLD_SYSTEM] = 4, [HOLD_ARRAY] = 8
};

#define HOLDS 15u		/* all bits */
#define STATE_ERROR 0x8000u	/* bit of JAT_state */

static int set_put(struct ranges *set, uint32_t id, bool in)
{
	int rc = in ? ranges_add(set, id) : ranges_remove(set, id);

	return rc == -ENOMEM ? rc : 0;
}

/* State of a task with a record. */
struct task_facts {
	bool free, enrolled, in_error, restarted;
	uint32_t hold;			/* hold_bits */
};

static int ids_put(struct known_ids *ids, uint32_t id, const struct task_facts *facts)
{
	int rc = facts->enrolled && ids->enrolled.n >= RANGES_MOST ? -EINVAL : 0;

	if (rc)
		return rc;
	rc = set_put(&ids->free, id, facts->free) | set_put(&ids->enrolled, id, facts->enrolled) |
	     set_put(&ids->in_error, id, facts->in_error) | set_put(&ids->restarted, id, facts->restarted);

	for (int kind = 0; kind < HOLD_KINDS; kind++)
		rc |= set_put(&ids->held[kind], id, false) |
		      set_put(&ids->enrolled_held[kind], id, facts->hold & hold_bits[kind]);
	return rc ? -ENOMEM : 0;
}

/* Return the ids, created if needed. A job with only task 1 pending has none before. */
static struct known_ids *ids_of(struct known_job *job)
{
	bool is_new = !job->ids;
	struct known_ids *ids = known_job_ids(job);

	return ids && is_new && ranges_add(&ids->free, 1) == -ENOMEM ? NULL : ids;
}

int take_ids_enroll(struct known_job *job, const struct gdi_element *element, struct error *error)
{
	const struct task_facts facts = { .enrolled = true,
					  .in_error = gdi_u32(element, JAT_state) & STATE_ERROR,
					  .restarted = gdi_u32(element, JAT_job_restarted),
					  .hold = gdi_u32(element, JAT_hold) };
	struct known_ids *ids = ids_of(job);
	int rc = ids ? ids_put(ids, gdi_u32(element, JAT_task_number), &facts) : -ENOMEM;

	if (rc == -EINVAL)
		return error_set(error, rc, "the enrolled tasks of job %u are in more than %u ranges",
				 job->job_number, RANGES_MOST);
	return rc ? error_set(error, rc, "out of memory for job %u", job->job_number) : 0;
}

static uint32_t enrolled_hold(const struct known_ids *ids, uint32_t id)
{
	uint32_t hold = 0;

	for (int kind = 0; kind < HOLD_KINDS; kind++)
		hold |= ranges_contain(&ids->enrolled_held[kind], id) ? hold_bits[kind] : 0;
	return hold;
}

/*
 * Return whether the sets of started tasks have so many ranges that another id takes too much time.
 */
static bool are_full(const struct known_ids *ids)
{
	size_t n = ids->restarted.n;

	for (int kind = 0; kind < HOLD_KINDS; kind++)
		n += ids->enrolled_held[kind].n;
	return n >= RANGES_MOST;
}

int take_ids_start(struct known_job *job, const struct gdi_element *element, struct error *error)
{
	const struct task_facts facts = { .restarted = gdi_u32(element, JAT_job_restarted),
					  .hold = gdi_u32(element, JAT_hold) & HOLDS };
	uint32_t id = gdi_u32(element, JAT_task_number);
	struct known_ids *ids = job->ids;

	if (!ids && !facts.restarted && !facts.hold)
		return 0;
	ids = ids_of(job);
	if (ids && (facts.restarted == ranges_contain(&ids->restarted, id)) && facts.hold == enrolled_hold(ids, id))
		return 0;
	if (ids && (facts.restarted || facts.hold) && are_full(ids))
		return 0;
	return ids && ids_put(ids, id, &facts) == 0 ? 1 : error_set(error, -ENOMEM, "out of memory for job %u",
								    job->job_number);
}

int take_ids_leave(struct known_job *job, uint32_t id, struct error *error)
{
	struct known_ids *ids = ids_of(job);

	return !ids || ids_put(ids, id, &(struct task_facts){ 0 })
		       ? error_set(error, -ENOMEM, "out of memory for job %u", job->job_number)
		       : 0;
}

void take_ids_spec_free(struct job_spec *spec)
{
	ranges_free(&spec->tasks);
	for (int kind = 0; kind < HOLD_KINDS; kind++)
		ranges_free(&spec->hold[kind]);
}

/* Hold the whole job if a change of it was not understood. */
static int doubt_hold(const struct known_job *job, struct job_spec *spec, struct error *error)
{
	const struct range one = { 1, 1, 1 };

	if (!job->doubtful)
		return 0;
	if (spec->tasks.n > 0)
		return said_ranges_add(&spec->hold[HOLD_SYSTEM], &spec->tasks, error);
	return said_ranges_add(&spec->hold[HOLD_SYSTEM], &(struct ranges){ .items = (struct range *)&one, .n = 1 },
			       error);
}

int take_ids_spec(const struct known_job *job, struct job_spec *spec, struct error *error)
{
	static const struct known_ids none;
	const struct known_ids *ids = job->ids ? job->ids : &none;
	int rc = 0;

	if (job->is_array) {
		rc = said_ranges_add(&spec->tasks, &ids->free, error);
		rc = rc ? rc : said_ranges_add(&spec->tasks, &ids->enrolled, error);
	}
	for (int kind = 0; rc == 0 && kind < HOLD_KINDS; kind++) {
		rc = said_ranges_add(&spec->hold[kind], &ids->held[kind], error);
		rc = rc ? rc : said_ranges_add(&spec->hold[kind], &ids->enrolled_held[kind], error);
	}
	if (job->is_array || (job->ids && ids->free.n == 0 && ids->enrolled.n == 0))
		spec->given |= JOB_TASKS;
	if (job->ids || job->doubtful)
		spec->given |= JOB_HOLD;
	return rc ? rc : doubt_hold(job, spec, error);
}

int take_ids_report(struct sge *sge, const struct known_job *job, struct error *error)
{
	struct event event;
	int rc;

	event_init(&event, EVENT_JOB_MODIFY);
	event.job.job_number = job->job_number;
	rc = take_ids_spec(job, &event.job, error);
	event.job.given |= JOB_HOLD;
	rc = rc ? rc : take_to_mirror(sge, &event, error);
	take_ids_spec_free(&event.job);
	return rc;
}

/* Report the enrolled tasks of an array, or the restart of the task of another job. */
static int enrolled_report(struct sge *sge, const struct known_job *job, const struct known_ids *ids,
			   struct error *error)
{
	struct event event;

	event_init(&event, EVENT_TASKS_ENROLLED);
	event.enrolled.job_number = job->job_number;
	event.enrolled.restarted = ids->restarted;
	if (job->is_array) {
		event.enrolled.tasks = ids->enrolled;
		event.enrolled.error = ids->in_error;
	}
	return take_to_mirror(sge, &event, error);
}

/*
 * Report the enrolled tasks, errors and restarts. In a job that is not an array, only its one task
 * can be in error.
 */
int take_ids_report_enrolled(struct sge *sge, const struct known_job *job, struct error *error)
{
	static const struct known_ids none;
	const struct known_ids *ids = job->ids ? job->ids : &none;
	struct event event;
	int rc = job->is_array || ids->restarted.n > 0 ? enrolled_report(sge, job, ids, error) : 0;

	if (rc || job->is_array)
		return rc;
	event_init(&event, EVENT_JOB_MODIFY);
	event.job = (struct job_spec){ .job_number = job->job_number,
				       .given = JOB_ERROR,
				       .error = ids->in_error.n > 0 };
	return take_to_mirror(sge, &event, error);
}
