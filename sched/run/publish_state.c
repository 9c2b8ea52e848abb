/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/run/publish_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"

/* Parts */

void state_begin(struct state_publication *p)
{
	for (int part = 0; part < STATE_PARTS; part++)
		p->parts[part].n = 0;
}

/* Room for `n` records behind those that are there. */
static void *reserve(struct state_publication *p, enum state_part part, size_t n, size_t record_bytes)
{
	struct state_buffer *b = &p->parts[part];
	size_t capacity = b->n + n + (b->n + n) / 2 + 16;

	b->record_bytes = record_bytes;
	if (b->n + n >= b->capacity) {		/* there is always some, for what has none */
		if (array_grow(&b->bytes, capacity, record_bytes))
			return NULL;
		b->capacity = capacity;
	}
	return b->bytes + b->n * record_bytes;
}

void *state_add(struct state_publication *p, enum state_part part, size_t record_bytes)
{
	void *record = reserve(p, part, 1, record_bytes);

	if (!record)
		return NULL;
	p->parts[part].n++;
	return memset(record, 0, record_bytes);
}

static struct state_slice slice_here(const struct state_publication *p, enum state_part part, size_t count)
{
	return (struct state_slice){ (uint32_t)p->parts[part].n, (uint32_t)count };
}

static int add_usage(struct state_publication *p, const struct mirror *m, const struct usage *usage, struct state_slice *slice)
{
	struct usage_value_record *records = reserve(p, STATE_USAGE, usage->n, sizeof(*records));

	if (!records)
		return -ENOMEM;
	*slice = slice_here(p, STATE_USAGE, usage->n);
	for (size_t i = 0; i < usage->n; i++)
		records[i] = (struct usage_value_record){ usage->items[i].value, m->usage_names.strings[usage->items[i].name], 0 };
	p->parts[STATE_USAGE].n += usage->n;
	return 0;
}

static int add_numbers(struct state_publication *p, const uint32_t *numbers, size_t n, struct state_slice *slice)
{
	uint32_t *records = reserve(p, STATE_NUMBERS, n, sizeof(*records));

	if (!records)
		return -ENOMEM;
	*slice = slice_here(p, STATE_NUMBERS, n);
	if (n > 0)
		memcpy(records, numbers, n * sizeof(*records));
	p->parts[STATE_NUMBERS].n += n;
	return 0;
}

static int add_ranges(struct state_publication *p, const struct ranges *ranges, struct state_slice *slice)
{
	struct range_record *records = reserve(p, STATE_RANGES, ranges->n, sizeof(*records));

	if (!records)
		return -ENOMEM;
	*slice = slice_here(p, STATE_RANGES, ranges->n);
	for (size_t i = 0; i < ranges->n; i++)
		records[i] = (struct range_record){ ranges->items[i].min, ranges->items[i].max, ranges->items[i].step };
	p->parts[STATE_RANGES].n += ranges->n;
	return 0;
}

/* Before a run */

static int remember_places(struct state_publication *p, const struct state *s)
{
	if (s->ninstances > p->instances_capacity) {
		if (array_grow(&p->instances, s->ninstances + 64, sizeof(*p->instances)))
			return -ENOMEM;
		p->instances_capacity = s->ninstances + 64;
	}
	if (s->nused_pes > p->pes_capacity) {
		if (array_grow(&p->pes, s->nused_pes + 16, sizeof(*p->pes)))
			return -ENOMEM;
		p->pes_capacity = s->nused_pes + 16;
	}
	p->ninstances = s->ninstances;
	for (size_t i = 0; i < s->ninstances; i++) {
		p->instances[i].place = s->instances[i].place;
		p->instances[i].suspend_checked = s->instances[i].suspend_checked;
	}
	p->npes = s->nused_pes;
	if (p->npes > 0)
		memcpy(p->pes, s->used_pes, p->npes * sizeof(*p->pes));
	return 0;
}

static int remember_removed(struct state_publication *p, const struct pool *removed)
{
	p->nremoved = 0;
	if (removed->used > p->removed_capacity) {
		if (array_grow(&p->removed, removed->used, sizeof(*p->removed)))
			return -ENOMEM;
		p->removed_capacity = removed->used;
	}
	pool_each(i, removed)
		p->removed[p->nremoved++] = *(const uint32_t *)pool_key(removed, i);
	return 0;
}

int state_remember(struct state_publication *p, const struct mirror *m, const struct pool *removed)
{
	p->head = (struct state_head){ 0 };
	return remember_places(p, m->state) || remember_removed(p, removed) ? -ENOMEM : 0;
}

/* Jobs */

static int add_list(struct state_publication *p, const struct list_record *list, size_t n)
{
	struct list_record *records = reserve(p, STATE_LIST, n, sizeof(*records));

	if (!records)
		return -ENOMEM;
	if (n > 0)
		memcpy(records, list, n * sizeof(*records));
	p->parts[STATE_LIST].n = n;
	return 0;
}

static int add_extra(struct state_publication *p, const struct job_extra *extra)
{
	struct extra_state *e = state_add(p, STATE_EXTRAS, sizeof(*e));

	if (!e || !extra)
		return e ? 0 : -ENOMEM;
	e->task_concurrency = extra->task_concurrency;
	e->error = extra->error;
	e->depends = extra->depends;
	e->allocated = extra->allocated + 1;		/* NONE is 0, too */
	for (int k = 0; k < HOLD_KINDS; k++)
		if (add_ranges(p, &extra->hold[k], &e->hold[k]))
			return -ENOMEM;
	return add_numbers(p, extra->hold_jid, extra->nhold_jid, &e->hold_jid);
}

static int add_extras(struct state_publication *p, const struct jobs *j)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < j->nextras; i++)
		rc = add_extra(p, j->extras[i]);
	return rc;
}

static int add_requests(struct state_publication *p, const struct requests *requests)
{
	struct request_state *records = reserve(p, STATE_REQUESTS, requests->pool.n, sizeof(*records));

	if (!records)
		return -ENOMEM;
	if (requests->pool.n > 0)
		memset(records, 0, requests->pool.n * sizeof(*records));
	pool_each(id, &requests->pool) {
		const struct request_key *key = requests_key(requests, id);

		records[id] = (struct request_state){
			.hard_queues = key->hard_queues, .soft_queues = key->soft_queues, .master_queues = key->master_queues, .checkpoint = key->ckpt,
			.group = key->group, .partition = key->partition, .qos = key->qos, .tres = key->tres, .nodes = key->size.nodes,
			.cpus = key->size.cpus, .time_limit = key->size.time_limit, .now = key->now, .as_typed = key->as_typed };
	}
	p->parts[STATE_REQUESTS].n = requests->pool.n;
	return 0;
}

/* Started tasks */

static int add_grants(struct state_publication *p, const struct task *t, struct state_slice *slice)
{
	struct grant_record *records = reserve(p, STATE_GRANTS, t->ngranted, sizeof(*records));

	if (!records)
		return -ENOMEM;
	*slice = slice_here(p, STATE_GRANTS, t->ngranted);
	for (size_t i = 0; i < t->ngranted; i++)
		records[i] = (struct grant_record){ t->granted[i].queue, t->granted[i].slots };
	p->parts[STATE_GRANTS].n += t->ngranted;
	return 0;
}

static int add_task(struct state_publication *p, const struct mirror *m, uint32_t task)
{
	const struct task *t = &m->state->tasks.items[task];
	struct task_state *record = state_add(p, STATE_TASKS, sizeof(*record));

	if (!record)
		return -ENOMEM;
	*record = (struct task_state){ .order = t->order, .charged_from = t->charged.from, .charged_until = t->charged.until, .place = task,
				       .settled = t->settled, .partition = t->partition, .tres = t->tres };
	return add_grants(p, t, &record->grants) || add_usage(p, m, &t->usage, &record->usage) ? -ENOMEM : 0;
}

static int add_tasks(struct state_publication *p, const struct mirror *m, const uint32_t *rows, size_t n)
{
	int rc = 0;

	for (size_t i = 0; i < n; i++)
		for (uint32_t t = m->state->jobs.first_task[rows[i]]; rc == 0 && t != NONE; t = m->state->tasks.items[t].next)
			rc = add_task(p, m, t);
	return rc;
}

/* Usage */

static int add_projects(struct state_publication *p, const struct mirror *m, const struct object *o, struct state_slice *slice)
{
	*slice = slice_here(p, STATE_PROJECTS, o->nprojects);
	for (size_t i = 0; i < o->nprojects; i++) {
		struct user_project_record *record = state_add(p, STATE_PROJECTS, sizeof(*record));

		if (!record)
			return -ENOMEM;
		record->project = o->projects[i].project;
		if (add_usage(p, m, &o->projects[i].usage, &record->usage) || add_usage(p, m, &o->projects[i].long_term, &record->long_term))
			return -ENOMEM;
	}
	return 0;
}

static int add_object(struct state_publication *p, const struct mirror *m, uint32_t kind, size_t i)
{
	const struct object *o = &m->objects[kind].items[i];
	const struct sharer *sharer = &m->objects[kind].sharers[i];
	struct object_record *record = state_add(p, STATE_OBJECTS, sizeof(*record));

	if (!record)
		return -ENOMEM;
	*record = (struct object_record){ .kind = kind, .name = o->name, .time_stamp = o->time_stamp, .automatic = o->exists && o->is_automatic,
					  .oticket = sharer->oticket, .fshare = sharer->fshare };
	return add_usage(p, m, &o->usage, &record->usage) || add_usage(p, m, &o->long_term, &record->long_term) ||
	       add_projects(p, m, o, &record->projects) ? -ENOMEM : 0;
}

static int add_objects(struct state_publication *p, const struct mirror *m)
{
	int rc = 0;

	for (uint32_t kind = SHARER_USER; kind <= SHARER_PROJECT; kind++)
		for (size_t i = 0; rc == 0 && i < m->objects[kind].n; i++) {
			const struct object *o = &m->objects[kind].items[m->objects[kind].sorted[i]];

			if (o->is_automatic || o->time_stamp || o->usage.n || o->long_term.n || o->nprojects)
				rc = add_object(p, m, kind, m->objects[kind].sorted[i]);
		}
	return rc;
}

/* What the qmaster has told of the user since says that it counts no more. */
static bool is_forgotten(const struct mirror *m, uint32_t number, const struct debited *d)
{
	uint32_t row = jobs_find(&m->state->jobs, number);
	const uint32_t *sharer = row == INDEX_NONE ? NULL : m->classes.items[job_fact(&m->state->jobs, row, class_id)].sharer;

	if (sharer && sharer[SHARER_USER] != TICKETS_NONE)
		return d->told < m->objects[SHARER_USER].items[sharer[SHARER_USER]].told;
	return sharer && sharer[SHARER_PROJECT] != TICKETS_NONE && d->told < m->objects[SHARER_PROJECT].items[sharer[SHARER_PROJECT]].told;
}

static int add_debited(struct state_publication *p, const struct mirror *m, uint32_t number, const struct debited *d)
{
	struct debited_record *record = state_add(p, STATE_DEBITED, sizeof(*record));

	if (!record)
		return -ENOMEM;
	record->job_number = number;
	record->submission_time = d->submission_time;
	if (add_usage(p, m, &d->usage, &record->usage))
		return -ENOMEM;
	record->tasks = slice_here(p, STATE_DEBITED_TASKS, d->ntasks);
	for (size_t i = 0; i < d->ntasks; i++) {
		struct debited_task_record *task = state_add(p, STATE_DEBITED_TASKS, sizeof(*task));

		if (!task)
			return -ENOMEM;
		task->task = d->tasks[i].id;
		task->start_time = d->tasks[i].start_time;
		if (add_usage(p, m, &d->tasks[i].usage, &task->usage))
			return -ENOMEM;
	}
	return 0;
}

static int add_all_debited(struct state_publication *p, const struct mirror *m)
{
	const struct state *s = m->state;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < s->ndebited; i++)
		if (s->debited[i].known && !is_forgotten(m, s->debited_numbers[i], &s->debited[i]))
			rc = add_debited(p, m, s->debited_numbers[i], &s->debited[i]);
	return rc;
}

/* The cluster */

static int add_instances(struct state_publication *p, const struct state *s)
{
	for (size_t i = 0; i < s->ninstances; i++) {
		const struct instance *instance = &s->instances[i];
		struct instance_record *record = state_add(p, STATE_INSTANCES, sizeof(*record));

		if (!record)
			return -ENOMEM;
		*record = (struct instance_record){
			.born = instance->born, .place = i < p->ninstances ? p->instances[i].place : instance->place,
			.suspend_checked = i < p->ninstances ? p->instances[i].suspend_checked : 0,
			.name = s->instance_names[i], .slots = instance->slots_of_queue ? NONE : instance->slots };
		memcpy(record->state, instance->state, sizeof(record->state));
	}
	return 0;
}

static int add_pes(struct state_publication *p)
{
	for (size_t i = 0; i < p->npes; i++) {
		struct pe_record *record = state_add(p, STATE_PES, sizeof(*record));

		if (!record)
			return -ENOMEM;
		*record = (struct pe_record){ p->pes[i].place, p->pes[i].name, 0 };
	}
	return 0;
}

static int add_host(struct state_publication *p, uint32_t name, const struct told_host *host)
{
	struct host_record *record = state_add(p, STATE_HOSTS, sizeof(*record));

	if (!record)
		return -ENOMEM;
	*record = (struct host_record){ name, host->down, host->has_load, slice_here(p, STATE_LOADS, host->nload) };
	for (size_t i = 0; i < host->nload; i++) {
		struct load_record *load = state_add(p, STATE_LOADS, sizeof(*load));

		if (!load)
			return -ENOMEM;
		*load = (struct load_record){ host->load[i].name, host->load[i].value };
	}
	return 0;
}

static int add_hosts(struct state_publication *p, const struct state *s)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < s->nhosts; i++)
		rc = add_host(p, s->host_names[i], &s->hosts[i]);
	return rc;
}

/* The cell */

void state_forget_cell(struct state_publication *p, struct strings *strings)
{
	for (size_t i = 0; i < p->nfiles; i++) {
		strings_drop(strings, p->files[i].name);
		strings_drop(strings, p->files[i].text);
	}
	free(p->files);
	p->files = NULL;
	p->nfiles = 0;
	p->cell = NULL;
}

static int hold_files(struct state_publication *p, const struct cell *cell, struct strings *strings)
{
	if (p->cell == cell)
		return 0;
	state_forget_cell(p, strings);
	p->files = calloc(cell->files.n + 1, sizeof(*p->files));
	if (!p->files)
		return -ENOMEM;
	for (; p->nfiles < cell->files.n; p->nfiles++) {
		const struct cell_file *file = &cell->files.items[p->nfiles];
		struct file_record *record = &p->files[p->nfiles];

		*record = (struct file_record){ strings_hold(strings, file->name), strings_hold(strings, file->text) };
		if (record->name == NONE || record->text == NONE) {
			strings_drop(strings, record->name);
			strings_drop(strings, record->text);
			return -ENOMEM;
		}
	}
	p->cell = cell;
	return 0;
}

static int add_files(struct state_publication *p, const struct cell *cell, struct strings *strings)
{
	struct file_record *records = hold_files(p, cell, strings) ? NULL : reserve(p, STATE_FILES, p->nfiles, sizeof(*records));

	if (!records)
		return -ENOMEM;
	memcpy(records, p->files, p->nfiles * sizeof(*records));
	p->parts[STATE_FILES].n = p->nfiles;
	return 0;
}

/* The whole */

static uint64_t aligned(uint64_t bytes)
{
	return (bytes + 7) / 8 * 8;
}

static int copy_parts(struct state_publication *p, struct generation_writer *w)
{
	uint64_t bytes = aligned(sizeof(struct state_head));
	unsigned char *table;

	for (int k = 0; k < STATE_PARTS; k++) {
		p->head.parts[k].at = bytes;
		p->head.parts[k].count = p->parts[k].n;
		bytes += aligned(p->parts[k].n * p->parts[k].record_bytes);
	}
	table = records_table(w, TABLE_STATE, bytes);
	if (!table)
		return -ENOMEM;
	memcpy(table, &p->head, sizeof(p->head));
	for (int k = 0; k < STATE_PARTS; k++) {
		uint64_t part = p->parts[k].n * p->parts[k].record_bytes;

		/* what is left before the next one */
		memset(table + p->head.parts[k].at + part, 0, aligned(part) - part);
		if (part > 0)
			memcpy(table + p->head.parts[k].at, p->parts[k].bytes, part);
	}
	return 0;
}

int state_publish(struct state_publication *p, const struct run *run, struct generation_writer *w)
{
	const struct mirror *m = run->mirror;

	if (add_list(p, run->list.items, run->list.n) || add_extras(p, &m->state->jobs) || add_requests(p, &m->requests) || add_tasks(p, m, run->started.rows, run->started.n) ||
	    add_objects(p, m) || add_all_debited(p, m) || add_instances(p, m->state) || add_pes(p) || add_hosts(p, m->state) ||
	    add_files(p, m->cell, m->strings) || add_numbers(p, p->removed, p->nremoved, &p->head.removed))
		return -ENOMEM;
	return copy_parts(p, w);
}

void state_free(struct state_publication *p, struct strings *strings)
{
	state_forget_cell(p, strings);
	for (int k = 0; k < STATE_PARTS; k++)
		free(p->parts[k].bytes);
	free(p->instances);
	free(p->pes);
	free(p->removed);
	*p = (struct state_publication){ 0 };
}
