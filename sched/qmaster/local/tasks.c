/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/search.h"
#include "sched/qmaster/members/members.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/job.h"

/* The table */

static size_t place_of(const struct local_tasks *tasks, uint32_t job_number, uint32_t id)
{
	struct local_task **items = tasks->items;
	size_t at;

	lower_bound(at, tasks->n, items[at]->job_number < job_number || (items[at]->job_number == job_number && items[at]->id < id));
	return at;
}

size_t local_task_first(const struct local *l, uint32_t job_number)
{
	return place_of(&l->tasks, job_number, 0);
}

struct local_task *local_task_find(const struct local *l, uint32_t job_number, uint32_t id)
{
	size_t place = place_of(&l->tasks, job_number, id);
	struct local_task *t = place < l->tasks.n ? l->tasks.items[place] : NULL;

	return t && t->job_number == job_number && t->id == id ? t : NULL;
}

static int tasks_reserve(struct local_tasks *tasks)
{
	size_t capacity = tasks->capacity ? 2 * tasks->capacity : 64;
	struct local_task **items;

	if (tasks->n < tasks->capacity)
		return 0;
	items = reallocarray(tasks->items, capacity, sizeof(*items));
	if (!items)
		return -ENOMEM;
	tasks->items = items;
	tasks->capacity = capacity;
	return 0;
}

struct local_task *local_task_new(struct local *l, uint32_t job_number, uint32_t id, enum task_life life)
{
	struct local_tasks *tasks = &l->tasks;
	size_t place = place_of(tasks, job_number, id);
	struct local_task *t = tasks_reserve(tasks) ? NULL : calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	*t = (struct local_task){ .job_number = job_number, .id = id, .life = life, .shepherd.fd = -1,
				  .deadlines = { .signal_ns = NEVER_NS, .then_ns = NEVER_NS, .soft_ns = NEVER_NS, .kill_ns = NEVER_NS, .forget_ns = NEVER_NS, .give_up_ns = NEVER_NS } };
	memmove(tasks->items + place + 1, tasks->items + place, (tasks->n - place) * sizeof(*tasks->items));
	tasks->items[place] = t;
	tasks->n++;
	return t;
}

static void task_free(struct local_task *t)
{
	if (t->shepherd.fd >= 0)
		close(t->shepherd.fd);
	granted_free(&t->granted);
	free(t);
}

void local_task_forget(struct local *l, struct local_task *t)
{
	struct local_tasks *tasks = &l->tasks;
	size_t place = place_of(tasks, t->job_number, t->id);

	memmove(tasks->items + place, tasks->items + place + 1, (tasks->n - place - 1) * sizeof(*tasks->items));
	tasks->n--;
	tasks->ndue -= t->commit.due;
	task_free(t);
}

void local_tasks_free(struct local_tasks *tasks)
{
	for (size_t i = 0; i < tasks->n; i++)
		task_free(tasks->items[i]);
	free(tasks->items);
	*tasks = (struct local_tasks){ 0 };
}

void local_task_due(struct local *l, struct local_task *t)
{
	l->tasks.ndue += !t->commit.due;
	t->commit.due = true;
}

bool local_task_used(struct local_task *t, double cpu_s, double mem_gbs, double io_gb)
{
	struct host_usage *u = &t->usage;
	bool more = cpu_s > u->cpu_s || mem_gbs > u->mem_gbs || io_gb > u->io_gb;

	u->cpu_s = fmax(u->cpu_s, cpu_s);
	u->mem_gbs = fmax(u->mem_gbs, mem_gbs);
	u->io_gb = fmax(u->io_gb, io_gb);
	return more;
}

/* Life */

void local_task_becomes(struct local_task *t, enum task_life life)
{
	static const unsigned next[] = {
		[TASK_STARTING] = 1u << TASK_WATCHED | 1u << TASK_UNSPAWNED,
		[TASK_UNSPAWNED] = 1u << TASK_WATCHED | 1u << TASK_SOUGHT,
		[TASK_WATCHED] = 1u << TASK_ENDED | 1u << TASK_STARTING | 1u << TASK_SOUGHT,
		[TASK_SOUGHT] = 1u << TASK_WATCHED | 1u << TASK_ENDED | 1u << TASK_STARTING,
		[TASK_ENDED] = 1u << TASK_BOOKED | 1u << TASK_SOUGHT,
		[TASK_BOOKED] = 0,
	};

	assert(life == t->life || (next[t->life] >> life & 1u));
	t->life = life;
}

/* What they are */

void local_task_directory(const struct local_task *t, char name[DIRECTORY_BYTES])
{
	snprintf(name, DIRECTORY_BYTES, "%u.%u.%u", t->job_number, t->id, t->attempt);
}

uint32_t local_task_slots(const struct local_task *t)
{
	uint64_t slots = 0;

	for (size_t i = 0; i < t->granted.on.n; i++)
		slots += t->granted.on.items[i].slots;
	return (uint32_t)slots;
}

const char *local_task_queue(const struct local_task *t)
{
	return t->granted.on.n > 0 ? t->granted.on.items[0].queue : "";
}

/* In the store */

static enum vacated_how how_of(const char *name)
{
	for (uint32_t i = 0; name && vacated_how_name(i); i++)
		if (strcmp(name, vacated_how_name(i)) == 0)
			return (enum vacated_how)i;
	return VACATED_UNSAID;
}

int local_task_save(struct local *l, const struct local_task *t, struct error *error)
{
	char directory[DIRECTORY_BYTES], usage[200], ending[220];
	const struct task_ending *end = &t->ending;

	snprintf(usage, sizeof(usage), "{\"cpu\":%.17g,\"mem\":%.17g,\"io\":%.17g}", t->usage.cpu_s, t->usage.mem_gbs, t->usage.io_gb);
	snprintf(ending, sizeof(ending), "{\"failed\":%d,\"exit_status\":%d,\"signal\":%d,\"ru_wallclock\":%.17g,\"requeue\":%s%s%s%s}", end->failed,
		 end->exit_status, end->signal, end->wallclock_s, end->requeue ? "true" : "false", end->vacated ? ",\"vacated\":\"" : "", end->vacated ? vacated_how_name(end->how) : "",
		 end->vacated ? "\"" : "");
	local_task_directory(t, directory);
	const struct stored_task stored = {
		.job_number = t->job_number, .task_id = t->id, .state = local_task_has_ended(t) ? STORED_ENDED : STORED_RUNNING,
		.attempt = t->attempt, .boot = t->boot, .start_time = t->start_time, .granted = t->granted.row,
		.granted_pe = t->granted.pe ? t->granted.pe : "", .state_letters = t->letters, .directory = directory,
		.deleted = t->removal != REMOVAL_NONE, .usage = usage, .ending = local_task_has_ended(t) ? ending : NULL,
	};

	return store_task_put(l->store, &stored, error);
}

static void usage_take(struct local_task *t, const char *text)
{
	json_t *usage = json_loads(text ? text : "", 0, NULL);

	local_task_used(t, json_number_value(json_object_get(usage, "cpu")), json_number_value(json_object_get(usage, "mem")),
			json_number_value(json_object_get(usage, "io")));
	json_decref(usage);
}

/* `text` NULL: it has not ended. */
static struct task_ending ending_of(const char *text)
{
	json_t *ending = json_loads(text ? text : "", 0, NULL);
	const char *vacated = json_string_value(json_object_get(ending, "vacated"));
	const struct task_ending taken = {
		.failed = (int)json_integer_value(json_object_get(ending, "failed")),
		.exit_status = (int)json_integer_value(json_object_get(ending, "exit_status")),
		.signal = (int)json_integer_value(json_object_get(ending, "signal")),
		.wallclock_s = json_number_value(json_object_get(ending, "ru_wallclock")),
		.requeue = json_is_true(json_object_get(ending, "requeue")), .vacated = vacated != NULL, .how = how_of(vacated),
	};

	json_decref(ending);
	return taken;
}

/* Takes what is known of the same attempt from `t`, which is kept. */
static int task_take(struct local_task *t, const struct stored_task *stored, struct error *error)
{
	int rc = granted_read(&t->granted, stored->granted, stored->granted_pe);

	t->attempt = stored->attempt;
	t->start_time = stored->start_time;
	t->ending = ending_of(stored->ending);
	usage_take(t, stored->usage);
	snprintf(t->boot, sizeof(t->boot), "%s", stored->boot ? stored->boot : "");
	snprintf(t->letters, sizeof(t->letters), "%s", stored->state_letters ? stored->state_letters : "");
	if (rc == -ENOMEM)
		return error_set(error, rc, "out of memory");
	if (rc)
		return error_set(error, -EUCLEAN, "task %u of job %u of the store: \"granted\" is no list of queue instances", t->id, t->job_number);
	return 0;
}

int local_task_read(struct local *l, const struct stored_task *stored, struct error *error)
{
	struct local_task *t = local_task_find(l, stored->job_number, stored->task_id);
	bool ended = stored->state == STORED_ENDED;

	if (t && t->attempt != stored->attempt) {
		local_task_forget(l, t);
		t = NULL;
	}
	if (!t) {
		t = local_task_new(l, stored->job_number, stored->task_id, ended ? TASK_ENDED : TASK_SOUGHT);
		if (!t)
			return error_set(error, -ENOMEM, "out of memory");
		t->removal = t->committed_removal = stored->deleted ? REMOVAL_DELETE : REMOVAL_NONE;
	} else if (!ended && local_task_has_ended(t)) {
		local_task_becomes(t, TASK_SOUGHT);
	}
	return task_take(t, stored, error);
}

void local_tasks_undo(struct local *l)
{
	for (size_t i = l->tasks.n; i-- > 0; ) {
		struct local_task *t = l->tasks.items[i];

		t->removal = t->committed_removal;
		t->commit = (struct task_commit){ 0 };
		if (t->life == TASK_STARTING)
			local_task_forget(l, t);
	}
	l->tasks.ndue = 0;
}
