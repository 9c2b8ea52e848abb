/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/metrics/tally.h"

#include <string.h>

#include "conf/base/array.h"
#include "sched/cli/stat/parts.h"

/* Most names of queues and partitions that jobs request. Further ones are shown without a queue. */
#define QUEUES_MOST 2000u

const char *const tally_state_names[TALLY_STATES] = {
	[TALLY_PENDING] = "pending",   [TALLY_HELD] = "held",		[TALLY_ERROR] = "error",
	[TALLY_RUNNING] = "running",   [TALLY_SUSPENDED] = "suspended", [TALLY_TRANSFERRING] = "transferring",
	[TALLY_DELETING] = "deleting",
};

void tally_counts_add(struct tally_counts *to, const struct tally_counts *from)
{
	for (size_t i = 0; i < TALLY_STATES; i++) {
		to->tasks[i] += from->tasks[i];
		to->slots[i] += from->slots[i];
	}
}

/* Names */

static uint32_t number_of(struct tally *tally, struct text_set *set, const char *name)
{
	uint32_t number = 0;

	if (!tally->rc)
		tally->rc = text_set_add(set, name, &number);
	return number;
}

/* Return the number of a part of a text. Too long, or too many names: the number of "". */
static uint32_t queue_number(struct tally *tally, const char *text, size_t bytes, bool known_only)
{
	char name[256];
	uint32_t number;

	if (bytes >= sizeof(name))
		return 0;
	memcpy(name, text, bytes);
	name[bytes] = '\0';
	number = text_set_find(&tally->queues, name);
	if (number != INDEX_NONE)
		return number;
	return known_only || tally->queues.n >= QUEUES_MOST ? 0 : number_of(tally, &tally->queues, name);
}

/*
 * Return the queue that a request names. With Slurm this is its first partition. A request of
 * several queues, of a pattern or of no existing queue has none.
 */
static uint32_t request_queue(struct tally *tally, const struct fl_job_request *request)
{
	const char *queues = request->hard_queues;

	if (*request->partitions)
		return queue_number(tally, request->partitions, strcspn(request->partitions, ","), false);
	return strchr(queues, ',') ? 0 : queue_number(tally, queues, strcspn(queues, "@"), true);
}

static void names_read(struct tally *tally)
{
	const struct fl_view *view = tally->view;

	number_of(tally, &tally->queues, "");
	number_of(tally, &tally->projects, "");
	for (size_t k = 0; k < fl_instances(view); k++) {
		struct fl_instance instance;

		if (fl_instance(view, k, &instance) == 0)
			number_of(tally, &tally->queues, instance.queue);
	}
	for (size_t k = 0; k < tally->ngroups; k++) {
		struct fl_job_group group = { "", "", "", "" };

		fl_job_group(view, k, &group);
		tally->groups[k] = (struct tally_group){
			number_of(tally, &tally->users, group.owner),
			number_of(tally, &tally->projects,
				  *group.project || !tally->has_accounts ? group.project : group.account)
		};
	}
	for (size_t k = 0; k < tally->nrequests; k++) {
		struct fl_job_request request = { "", "", "", "", 1 };

		fl_job_request(view, k, &request);
		tally->requests[k] = (struct tally_request){ request_queue(tally, &request), request.slots };
	}
}

/* Cells */

static struct tally_cell *cell_add(struct tally *tally, uint32_t queue, uint32_t project, uint32_t key)
{
	struct tally_cell *cell;

	if (tally->ncells == tally->cell_capacity) {
		size_t capacity = tally->cell_capacity ? 2 * tally->cell_capacity : 64;

		if (array_grow(&tally->cells, capacity, sizeof(*tally->cells)) ||
		    array_grow(&tally->keys, capacity, sizeof(*tally->keys)) ||
		    index_reserve_rows(&tally->index, tally->keys, capacity)) {
			tally->rc = -ENOMEM;
			return NULL;
		}
		tally->cell_capacity = capacity;
	}
	cell = &tally->cells[tally->ncells];
	*cell = (struct tally_cell){ .queue = queue, .project = project };
	tally->keys[tally->ncells] = key;
	index_insert(&tally->index, tally->keys, (uint32_t)tally->ncells);
	tally->last = (uint32_t)tally->ncells++;
	return cell;
}

static struct tally_cell *cell_find(struct tally *tally, uint32_t queue, uint32_t project)
{
	const struct tally_cell *cells = tally->cells;
	uint32_t key = project * 2654435761u ^ queue, row;

	if (tally->last < tally->ncells && cells[tally->last].queue == queue && cells[tally->last].project == project)
		return &tally->cells[tally->last];
	index_search(row, &tally->index, key, cells[row].queue == queue && cells[row].project == project);
	if (row == INDEX_NONE)
		return cell_add(tally, queue, project, key);
	tally->last = row;
	return &tally->cells[row];
}

/* Pending jobs */

struct state_tasks { /* tasks of a job by state */
	uint64_t tasks[TALLY_RUNNING];
};

/* Count the tasks of an array that are held or in error. They have lists of their own. */
static bool mixed_split(const struct fl_view *view, const struct fl_brief *brief, struct state_tasks *pending)
{
	struct stat_parts parts;
	struct fl_job job;
	bool divided = false;

	for (size_t k = 0; !divided && fl_find(view, brief->job_number, k, &job) == 0; k++)
		divided = !job.is_started && stat_parts_find(&parts, &job);
	if (!divided)
		return false;
	for (unsigned part = 0; part < STAT_PARTS; part++)
		pending->tasks[part & PART_ERROR || brief->is_in_error ? TALLY_ERROR
			       : part & PART_HELD || brief->is_held    ? TALLY_HELD
								    : TALLY_PENDING] += ranges_count(&parts.ids[part]);
	stat_parts_clear(&parts);
	return true;
}

const char *tally_reason_name(uint16_t number)
{
	return number == TALLY_REASONS - 1 ? "not_examined" : fl_reason(number);
}

static void pending_count(void *context, const struct fl_brief *brief)
{
	struct tally *tally = context;
	struct state_tasks pending = { { 0 } };
	double age = tally->now > brief->submission_time ? (double)(tally->now - brief->submission_time) : 0;
	struct tally_cell *cell;
	uint32_t slots;

	if (tally->rc || brief->group >= tally->ngroups || brief->request >= tally->nrequests)
		return;
	if (!brief->is_mixed || !mixed_split(tally->view, brief, &pending))
		pending.tasks[brief->is_in_error ? TALLY_ERROR
			      : brief->is_held	 ? TALLY_HELD
						 : TALLY_PENDING] = brief->tasks;
	slots = tally->requests[brief->request].slots;
	cell = cell_find(tally, tally->requests[brief->request].queue, tally->groups[brief->group].project);
	if (!cell)
		return;
	struct tally_counts *user = &tally->by_user[tally->groups[brief->group].user].counts;

	for (size_t i = 0; i < TALLY_RUNNING; i++) {
		cell->counts.tasks[i] += pending.tasks[i];
		cell->counts.slots[i] += pending.tasks[i] * slots;
		user->tasks[i] += pending.tasks[i];
		user->slots[i] += pending.tasks[i] * slots;
	}
	cell->ages[buckets_find(tally->limits, age)] += pending.tasks[TALLY_PENDING];
	cell->age_sum += age * (double)pending.tasks[TALLY_PENDING];
	cell->reasons[brief->reason < TALLY_REASONS ? brief->reason : TALLY_REASONS - 1]++;
}

/* Started tasks */

static enum tally_state started_state(const char *letters)
{
	if (strchr(letters, 'd'))
		return TALLY_DELETING;
	if (strpbrk(letters, "sSTP"))
		return TALLY_SUSPENDED;
	return strchr(letters, 't') ? TALLY_TRANSFERRING : TALLY_RUNNING;
}

static void started_count(void *context, const struct fl_brief *brief)
{
	struct tally *tally = context;
	enum tally_state state = started_state(brief->state);
	struct tally_cell *cell;
	struct tally_counts *user;

	if (tally->rc || brief->group >= tally->ngroups)
		return;
	cell = cell_find(tally, queue_number(tally, brief->queue, strcspn(brief->queue, "@"), false),
			 tally->groups[brief->group].project);
	if (!cell)
		return;
	user = &tally->by_user[tally->groups[brief->group].user].counts;
	cell->counts.tasks[state]++;
	cell->counts.slots[state] += brief->slots;
	user->tasks[state]++;
	user->slots[state] += brief->slots;
}

int tally_make(struct tally *tally, const struct fl_view *view, const struct buckets *limits)
{
	struct fl_multifactor multifactor;
	struct fl_run run;

	fl_run(view, &run);
	*tally = (struct tally){ .view = view,
				 .limits = limits,
				 .now = run.now,
				 .ngroups = fl_job_groups(view),
				 .nrequests = fl_job_requests(view),
				 .has_accounts = fl_multifactor(view, &multifactor) == 0 };
	tally->groups = calloc(tally->ngroups + 1, sizeof(*tally->groups));
	tally->requests = calloc(tally->nrequests + 1, sizeof(*tally->requests));
	if (!tally->groups || !tally->requests)
		return -ENOMEM;
	names_read(tally);
	tally->nby_user = tally->users.n;
	tally->by_user = calloc(tally->nby_user + 1, sizeof(*tally->by_user));
	if (!tally->by_user)
		return -ENOMEM;
	for (size_t k = 0; k < tally->nby_user; k++)
		tally->by_user[k].number = (uint32_t)k;
	if (!tally->rc)
		tally->rc = fl_each_pending(view, pending_count, tally);
	if (!tally->rc)
		fl_each_started(view, started_count, tally);
	return tally->rc;
}

void tally_free(struct tally *tally)
{
	text_set_free(&tally->users);
	text_set_free(&tally->projects);
	text_set_free(&tally->queues);
	index_free(&tally->index);
	free(tally->keys);
	free(tally->cells);
	free(tally->by_user);
	free(tally->groups);
	free(tally->requests);
}

/* Ranking of users */

static uint64_t sum(const uint64_t *counts, size_t begin, size_t end)
{
	uint64_t all = 0;

	for (size_t i = begin; i < end; i++)
		all += counts[i];
	return all;
}

static int by_weight(const void *a, const void *b)
{
	const struct tally_user *one = a, *other = b;
	uint64_t started[2] = { sum(one->counts.slots, TALLY_RUNNING, TALLY_STATES),
				sum(other->counts.slots, TALLY_RUNNING, TALLY_STATES) },
		 pending[2] = { sum(one->counts.tasks, 0, TALLY_RUNNING), sum(other->counts.tasks, 0, TALLY_RUNNING) };

	if (started[0] != started[1])
		return started[0] < started[1] ? 1 : -1;
	if (pending[0] != pending[1])
		return pending[0] < pending[1] ? 1 : -1;
	return one->number < other->number ? -1 : one->number > other->number;
}

size_t tally_rank_users(struct tally *tally, int64_t most)
{
	qsort(tally->by_user, tally->nby_user, sizeof(*tally->by_user), by_weight);
	return most < 0 || tally->nby_user <= (size_t)most ? tally->nby_user : (size_t)most;
}
