/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merge usage if the qmaster has booked one part of it and we have booked another part.
 *
 * Both sides continue from the same usage. The qmaster loses what it had not spooled when it is
 * killed. Another scheduler, which continues from the rest, books its runs while we are away. So
 * each side may be ahead in a part of its own.
 *
 * A part is a value, such as cpu, of jobs of one project or without a project. Booked usage never
 * decreases, so in each part the side with the greater long-term usage has booked at least as much
 * as the other side. Its values are taken. The usage that it has booked for each job in this part
 * is taken with them, so that the next run books exactly the rest. The sum of both sides would book
 * the common usage twice.
 *
 * The later time stamp is kept. The other side's values are not decayed by the time between both
 * stamps.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/qmaster/gridengine/usage_inside.h"

struct parts {				/* usage without a project, or in one project */
	const struct usage_values *kept, *reported_ever;
	const struct usage *ours, *ours_ever;
};

static const struct usage no_usage;
static const struct usage_values no_values;

static const char *name_of(const struct mirror *mirror, const struct usage *usage, size_t i)
{
	return mirror_usage_text(mirror, usage->items[i].name);
}

/* Add a value, unless it is 0. There is enough room. */
static void value_add(struct usage_values *values, struct usage_value **room, const char *name, double value)
{
	if (value <= 0)
		return;
	*(*room)++ = (struct usage_value){ name, value };
	values->n++;
}

/*
 * Return whether our value is taken. If neither side is ahead, the qmaster's value is taken, unless
 * it has dropped it because an attribute of the user was changed.
 */
static bool ours_is_taken(const struct mirror *mirror, const struct parts *parts, const struct usage_values *kept,
			  const char *name)
{
	if (usage_ours_is_ahead(mirror, parts->ours_ever, parts->reported_ever, name))
		return true;
	return usage_reported_value(kept, name) == 0 &&
	       !usage_reported_is_ahead(mirror, parts->reported_ever, parts->ours_ever, name);
}

/* Take each value from the side that is ahead in this part. */
static struct usage_values values_merge(const struct mirror *mirror, const struct parts *parts,
					const struct usage_values *kept, const struct usage *ours,
					struct usage_value **room)
{
	struct usage_values values = { *room, 0 };

	for (size_t i = 0; i < kept->n; i++)
		if (!ours_is_taken(mirror, parts, kept, kept->items[i].name))
			value_add(&values, room, kept->items[i].name, kept->items[i].value);
	for (size_t i = 0; i < ours->n; i++)
		if (ours_is_taken(mirror, parts, kept, name_of(mirror, ours, i)))
			value_add(&values, room, name_of(mirror, ours, i), ours->items[i].value);
	return values;
}

static struct parts parts_of(const struct mirror *mirror, const struct object_usage *kept, const struct object *object,
			     const char *project)
{
	struct parts parts = { &no_values, &no_values, &no_usage, &no_usage };
	const struct usage_in_project *ours = mirror_find_project_usage(mirror, object, project);

	for (size_t i = 0; i < kept->nprojects; i++)
		if (strcmp(kept->projects[i].project, project) == 0) {
			parts.kept = &kept->projects[i].usage;
			parts.reported_ever = &kept->projects[i].long_term;
		}
	if (ours) {
		parts.ours = &ours->usage;
		parts.ours_ever = &ours->long_term;
	}
	return parts;
}

static struct parts parts_alone(const struct object_usage *kept, const struct object *object)
{
	return (struct parts){ &kept->usage, &kept->long_term, &object->usage, &object->long_term };
}

/* Jobs */

/*
 * Return the part to which the usage of a job belongs. In the list of a project, all jobs are of
 * this project.
 */
static struct parts parts_of_job(struct sge *sge, uint32_t kind, const struct object_usage *kept,
				 const struct object *object, uint32_t number)
{
	const struct mirror *mirror = usage_mirror(sge);
	const uint32_t *sharers = kind == SHARER_USER ? mirror_reported_sharers(mirror, number) : NULL;

	if (!sharers || sharers[SHARER_PROJECT] == TICKETS_NONE)
		return parts_alone(kept, object);
	return parts_of(mirror, kept, object,
			mirror_text(mirror, mirror_object(mirror, SHARER_PROJECT, sharers[SHARER_PROJECT])->name));
}

static int by_number(const void *a, const void *b)
{
	const struct debited_usage *const *x = a, *const *y = b;

	return (*x)->job_number < (*y)->job_number ? -1 : (*x)->job_number > (*y)->job_number;
}

/*
 * Sort the reported usage of jobs by number. Returns NULL if there is no memory. The caller frees
 * it.
 */
static const struct debited_usage **debited_sort(const struct object_usage *kept)
{
	const struct debited_usage **sorted = malloc((kept->ndebited + 1) * sizeof(const struct debited_usage *));

	if (!sorted)
		return NULL;
	for (size_t i = 0; i < kept->ndebited; i++)
		sorted[i] = &kept->debited[i];
	qsort(sorted, kept->ndebited, sizeof(*sorted), by_number);
	return sorted;
}

static bool is_reported(const struct debited_usage **sorted, size_t n, uint32_t number)
{
	const struct debited_usage key = { .job_number = number }, *wanted = &key;

	return n > 0 && bsearch(&wanted, sorted, n, sizeof(*sorted), by_number);
}

static void debited_merge(struct sge *sge, uint32_t kind, const struct object_usage *kept, const struct object *object,
			  uint32_t number, const struct usage_values *reported, struct merged_usage *merged,
			  struct usage_value **room)
{
	const struct debited *booked = mirror_find_booked(usage_mirror(sge), number);
	struct parts parts = parts_of_job(sge, kind, kept, object, number);

	merged->debited[merged->usage.ndebited++] =
		(struct debited_usage){ number, values_merge(usage_mirror(sge), &parts, reported,
							     booked ? &booked->usage : &no_usage, room) };
}

static bool is_of_object(const struct sge *sge, uint32_t number, uint32_t kind, uint32_t object)
{
	const struct usage_book *book = usage_book(sge);
	uint32_t job = usage_job_find(book, number);

	return job != NONE && book->jobs[job].kind == kind && book->jobs[job].object == object;
}

/* Merge the jobs of an object. Of several reports of a job, only one counts. */
static int jobs_merge(struct sge *sge, uint32_t kind, const struct object_usage *kept, uint32_t object,
		      struct merged_usage *merged, struct usage_value **room)
{
	const struct booked_jobs booked = mirror_booked_jobs(usage_mirror(sge));
	const struct object *o = mirror_object(usage_mirror(sge), kind, object);
	const struct debited_usage **sorted = debited_sort(kept);

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < kept->ndebited; i++)
		if (i == 0 || sorted[i]->job_number != sorted[i - 1]->job_number)
			debited_merge(sge, kind, kept, o, sorted[i]->job_number, &sorted[i]->usage, merged, room);
	for (size_t i = 0; i < booked.n; i++)
		if (is_of_object(sge, booked.numbers[i], kind, object) &&
		    !is_reported(sorted, kept->ndebited, booked.numbers[i]))
			debited_merge(sge, kind, kept, o, booked.numbers[i], &no_values, merged, room);
	free(sorted);
	return 0;
}

/* All */

static void project_merge(const struct mirror *mirror, const struct object_usage *kept, const struct object *object,
			  const char *project, struct merged_usage *merged, struct usage_value **room)
{
	struct parts parts = parts_of(mirror, kept, object, project);
	struct usage_values usage = values_merge(mirror, &parts, parts.kept, parts.ours, room);

	merged->projects[merged->usage.nprojects++] =
		(struct project_usage){ project, usage, values_merge(mirror, &parts, parts.reported_ever, parts.ours_ever, room) };
}

/* Return the greatest number of values that both sides can have. */
static size_t values_most(const struct booked_jobs *booked, const struct object_usage *kept, const struct object *object)
{
	size_t n = kept->usage.n + kept->long_term.n + object->usage.n + object->long_term.n;

	for (size_t i = 0; i < kept->nprojects; i++)
		n += kept->projects[i].usage.n + kept->projects[i].long_term.n;
	for (size_t i = 0; i < object->nprojects; i++)
		n += object->projects[i].usage.n + object->projects[i].long_term.n;
	for (size_t i = 0; i < kept->ndebited; i++)
		n += kept->debited[i].usage.n;
	for (size_t i = 0; i < booked->n; i++)
		n += booked->items[i].usage.n;
	return n;
}

void usage_merge_free(struct merged_usage *merged)
{
	free(merged->values);
	free(merged->projects);
	free(merged->debited);
}

int usage_merge(struct sge *sge, uint32_t kind, const struct object_usage *kept, uint32_t object,
		struct merged_usage *merged)
{
	const struct mirror *mirror = usage_mirror(sge);
	const struct booked_jobs booked = mirror_booked_jobs(mirror);
	const struct object *o = mirror_object(mirror, kind, object);
	const struct parts alone = parts_alone(kept, o);
	struct usage_value *room;

	*merged = (struct merged_usage){ .usage = { .name = kept->name, .time_stamp = kept->time_stamp } };
	room = merged->values = malloc((values_most(&booked, kept, o) + 1) * sizeof(*merged->values));
	merged->projects = malloc((kept->nprojects + o->nprojects + 1) * sizeof(*merged->projects));
	merged->debited = malloc((kept->ndebited + booked.n + 1) * sizeof(*merged->debited));
	if (!merged->values || !merged->projects || !merged->debited)
		return -ENOMEM;
	if (o->time_stamp > kept->time_stamp)
		merged->usage.time_stamp = o->time_stamp;
	merged->usage.usage = values_merge(mirror, &alone, alone.kept, alone.ours, &room);
	merged->usage.long_term = values_merge(mirror, &alone, alone.reported_ever, alone.ours_ever, &room);
	for (size_t i = 0; i < kept->nprojects; i++)
		project_merge(mirror, kept, o, kept->projects[i].project, merged, &room);
	for (size_t i = 0; i < o->nprojects; i++) {
		const char *project = mirror_text(mirror, o->projects[i].project);
		size_t k = 0;

		while (k < kept->nprojects && strcmp(kept->projects[k].project, project) != 0)
			k++;
		if (k == kept->nprojects)
			project_merge(mirror, kept, o, project, merged, &room);
	}
	merged->usage.projects = merged->projects;
	merged->usage.debited = merged->debited;
	return jobs_merge(sge, kind, kept, object, merged, &room);
}
