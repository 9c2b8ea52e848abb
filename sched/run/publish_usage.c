/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run into the segment: the tables that show usage, which are those of started tasks, of who gets
 * tickets, and of the share tree.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/run/run.h"

/* Started tasks */

static uint32_t usage_id(const struct sched *s, const char *name)
{
	uint32_t string = strings_find(s->strings, name);

	return string == NONE ? INDEX_NONE : index_find(&s->mirror.usage_names.by_string, s->mirror.usage_names.strings, string);
}

/* The numbers of the names that readers are shown. */
static struct shown_usage shown_usage(const struct sched *s)
{
	return (struct shown_usage){ usage_id(s, "cpu"), usage_id(s, "mem"), usage_id(s, "io") };
}

static double usage_of(const struct usage *usage, uint32_t id)
{
	return id == INDEX_NONE ? 0.0 : usage_get(usage, id);
}

static struct task_record task_record_of(const struct sched *s, const struct task *t)
{
	struct task_record r = {
		.job_row = t->row, .number = job_fact(&s->mirror.state->jobs, t->row, number), .task = t->id, .slots = t->slots,
		.start_time = t->start_time, .queue = t->ngranted > 0 ? t->granted[0].queue : NONE, .granted_pe = t->granted_pe,
		.kept = NONE, .has_usage = t->has_usage, .cpu = usage_of(&t->usage, s->shown.cpu), .mem = usage_of(&t->usage, s->shown.mem),
		.io = usage_of(&t->usage, s->shown.io), .otickets = t->otickets, .ftickets = t->ftickets, .stickets = t->stickets,
	};

	memcpy(r.state, t->state, sizeof(r.state));
	return r;
}

static int by_number(const void *a, const void *b, void *context)
{
	const struct jobs *j = context;
	uint32_t x = job_fact(j, *(const uint32_t *)a, number), y = job_fact(j, *(const uint32_t *)b, number);

	return x < y ? -1 : x > y;
}

static int publish_tasks(struct generation_writer *w, struct sched *s)
{
	struct state *state = s->mirror.state;
	struct row_list *rows = &s->run.started;
	struct task_record *records = records_table(w, TABLE_TASKS, state->tasks.pool.used);
	struct kept_record *kept;
	size_t n = 0, nkept = 0;

	pool_each(i, &state->tasks.pool)
		nkept += state->tasks.items[i].suspended;
	kept = records_table(w, TABLE_KEPT, nkept);
	if (!records || !kept)
		return -ENOMEM;
	if (rows->n > 1)
		qsort_r(rows->rows, rows->n, sizeof(*rows->rows), by_number, &state->jobs);
	nkept = 0;
	for (size_t i = 0; i < rows->n; i++)
		for (uint32_t t = state->jobs.first_task[rows->rows[i]]; t != NONE; t = state->tasks.items[t].next) {
			records[n] = task_record_of(s, &state->tasks.items[t]);
			if (state->tasks.items[t].suspended) {
				kept[nkept] = state->tasks.items[t].kept;
				records[n].kept = (uint32_t)nkept++;
			}
			n++;
		}
	return 0;
}

/* Who gets tickets, and the tree */

static struct usage_record usage_record_of(const struct sched *s, const struct usage *usage, const struct usage *long_term, int64_t stamp)
{
	uint64_t clamped = 0;

	return (struct usage_record){
		.cpu = usage_of(usage, s->shown.cpu), .mem = usage_of(usage, s->shown.mem), .io = usage_of(usage, s->shown.io),
		.ltcpu = usage_of(long_term, s->shown.cpu), .ltmem = usage_of(long_term, s->shown.mem), .ltio = usage_of(long_term, s->shown.io),
		.combined = tickets_finite(usage_combine(usage, &s->weights), &clamped), .time_stamp = stamp,
	};
}

/*
 * By name; those that only have usage left are no objects and are not shown. Returns how many, or
 * -ENOMEM.
 */
static int publish_sharers(struct generation_writer *w, const struct sched *s, enum sharer_kind kind, enum table_id table)
{
	const struct objects *o = &s->mirror.objects[kind];
	struct sharer_record *records;
	size_t n = 0;

	for (size_t i = 0; i < o->n; i++)
		n += o->items[i].exists;
	records = records_table(w, table, n);
	if (!records)
		return -ENOMEM;
	n = 0;
	for (size_t i = 0; i < o->n; i++) {
		const struct object *object = &o->items[o->sorted[i]];
		const struct sharer *sharer = &o->sharers[o->sorted[i]];

		if (object->exists)
			records[n++] = (struct sharer_record){
				.name = object->name, .oticket = sharer->oticket, .fshare = sharer->fshare,
				.running_tasks = sharer->running,
				.usage = usage_record_of(s, &object->usage, &object->long_term, object->time_stamp) };
	}
	return 0;
}

static int publish_project_usage(struct generation_writer *w, const struct sched *s)
{
	const struct objects *o = &s->mirror.objects[SHARER_USER];
	struct project_usage_record *records;
	size_t n = 0, user = 0;

	for (size_t i = 0; i < o->n; i++)
		n += o->items[i].exists ? o->items[i].nprojects : 0;
	records = records_table(w, TABLE_PROJECT_USAGE, n);
	if (!records)
		return -ENOMEM;
	n = 0;
	for (size_t i = 0; i < o->n; i++) {
		const struct object *object = &o->items[o->sorted[i]];

		for (size_t p = 0; object->exists && p < object->nprojects; p++)
			records[n++] = (struct project_usage_record){
				.user = (uint32_t)user, .project = object->projects[p].project,
				.usage = usage_record_of(s, &object->projects[p].usage, &object->projects[p].long_term, object->time_stamp) };
		user += object->exists;
	}
	return 0;
}

static int publish_nodes(struct generation_writer *w, const struct sched *s)
{
	size_t n = s->has_tree ? s->tree.n : 0;
	struct node_record *records = records_table(w, TABLE_NODES, n);

	if (!records)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct share_node *node = &s->tree.nodes[i];

		records[i] = (struct node_record){
			.name = i < s->tree.configured ? s->node_names[i] : s->mirror.objects[SHARER_USER].items[node->user].name,
			.parent = node->parent, .depth = node->depth, .shares = node->shares,
			.has_children = node->first_child != TICKETS_NONE, .job_count = node->job_count, .usage = node->usage,
			.long_target_share = node->long_target_share, .short_target_share = node->short_target_share };
	}
	run_head(w->directory)->nodes_configured = (uint32_t)(s->has_tree ? s->tree.configured : 0);
	return 0;
}

int publish_usage(struct generation_writer *w, struct sched *s)
{
	s->shown = shown_usage(s);
	if (publish_tasks(w, s) || publish_sharers(w, s, SHARER_USER, TABLE_USERS) || publish_sharers(w, s, SHARER_PROJECT, TABLE_PROJECTS) ||
	    publish_sharers(w, s, SHARER_DEPARTMENT, TABLE_DEPARTMENTS) || publish_project_usage(w, s) || publish_nodes(w, s))
		return -ENOMEM;
	return 0;
}
