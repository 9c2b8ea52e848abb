/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/run/publish_state_inside.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "conf/array.h"

/* Parts */

void state_begin(struct state_publication *p)
{
	for (int part = 0; part < STATE_PARTS; part++)
		p->parts[part].n = 0;
}

/* Room for `n` records behind those that are there. */
void *state_reserve(struct state_publication *p, enum state_part part, size_t n, size_t record_bytes)
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
	void *record = state_reserve(p, part, 1, record_bytes);

	if (!record)
		return NULL;
	p->parts[part].n++;
	return memset(record, 0, record_bytes);
}

int state_add_usage(struct state_publication *p, const struct mirror *m, const struct usage *usage, struct state_slice *slice)
{
	struct usage_value_record *records = state_reserve(p, STATE_USAGE, usage->n, sizeof(*records));

	if (!records)
		return -ENOMEM;
	*slice = state_slice_here(p, STATE_USAGE, usage->n);
	for (size_t i = 0; i < usage->n; i++)
		records[i] = (struct usage_value_record){ usage->items[i].value, m->usage_names.strings[usage->items[i].name], 0 };
	p->parts[STATE_USAGE].n += usage->n;
	return 0;
}

static int add_numbers(struct state_publication *p, const uint32_t *numbers, size_t n, struct state_slice *slice)
{
	uint32_t *records = state_reserve(p, STATE_NUMBERS, n, sizeof(*records));

	if (!records)
		return -ENOMEM;
	*slice = state_slice_here(p, STATE_NUMBERS, n);
	if (n > 0)
		memcpy(records, numbers, n * sizeof(*records));
	p->parts[STATE_NUMBERS].n += n;
	return 0;
}

static int add_ranges(struct state_publication *p, const struct ranges *ranges, struct state_slice *slice)
{
	struct range_record *records = state_reserve(p, STATE_RANGES, ranges->n, sizeof(*records));

	if (!records)
		return -ENOMEM;
	*slice = state_slice_here(p, STATE_RANGES, ranges->n);
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
	struct list_record *records = state_reserve(p, STATE_LIST, n, sizeof(*records));

	if (!records)
		return -ENOMEM;
	if (n > 0)
		memcpy(records, list, n * sizeof(*records));
	p->parts[STATE_LIST].n = n;
	return 0;
}

_Static_assert(TASK_SETS == sizeof(((struct extra_state *)0)->sets) / sizeof(struct state_slice), "all sets are published");

static int add_extra(struct state_publication *p, const struct job_extra *extra)
{
	struct extra_state *e = state_add(p, STATE_EXTRAS, sizeof(*e));

	if (!e || !extra)
		return e ? 0 : -ENOMEM;
	e->task_concurrency = extra->task_concurrency;
	e->error = extra->error;
	e->depends = extra->depends;
	e->is_array = extra->is_array;
	e->allocated = extra->allocated + 1;		/* NONE is 0, too */
	for (int k = 0; k < TASK_SETS; k++)
		if (add_ranges(p, &extra->sets[k], &e->sets[k]))
			return -ENOMEM;
	return add_numbers(p, extra->hold_jid, extra->nhold_jid, &e->hold_jid) || add_numbers(p, extra->hold_jid_ad, extra->nhold_jid_ad, &e->hold_jid_ad) ?
		       -ENOMEM : 0;
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
	struct request_state *records = state_reserve(p, STATE_REQUESTS, requests->pool.n, sizeof(*records));

	if (!records)
		return -ENOMEM;
	if (requests->pool.n > 0)
		memset(records, 0, requests->pool.n * sizeof(*records));
	pool_each(id, &requests->pool) {
		const struct request_key *key = requests_key(requests, id);

		records[id] = (struct request_state){
			.hard_queues = key->hard_queues, .soft_queues = key->soft_queues, .master_queues = key->master_queues, .checkpoint = key->ckpt,
			.group = key->group, .partition = key->partition, .qos = key->qos, .tres = key->tres, .nodes = key->size.nodes,
			.cpus = key->size.cpus, .time_limit = key->size.time_limit, .now = key->now, .as_typed = key->as_typed, .ar = key->ar,
			.ad = key->ad };
	}
	p->parts[STATE_REQUESTS].n = requests->pool.n;
	return 0;
}

/* Started tasks */

int state_add_grants(struct state_publication *p, const struct granted_entry *granted, size_t n, struct state_slice *slice)
{
	struct grant_record *records = state_reserve(p, STATE_GRANTS, n, sizeof(*records));

	if (!records)
		return -ENOMEM;
	*slice = state_slice_here(p, STATE_GRANTS, n);
	for (size_t i = 0; i < n; i++)
		records[i] = (struct grant_record){ granted[i].queue, granted[i].slots };
	p->parts[STATE_GRANTS].n += n;
	return 0;
}

static int add_task(struct state_publication *p, const struct mirror *m, uint32_t task)
{
	const struct task *t = &m->state->tasks.items[task];
	struct task_state *record = state_add(p, STATE_TASKS, sizeof(*record));

	if (!record)
		return -ENOMEM;
	*record = (struct task_state){ .order = t->order, .charged_from = t->charged.from, .charged_until = t->charged.until, .place = task,
				       .settled = t->settled, .enrolled = t->enrolled, .wallclock_limit = t->wallclock_limit,
				       .partition = t->partition, .tres = t->tres };
	return state_add_grants(p, t->granted, t->ngranted, &record->grants) || state_add_usage(p, m, &t->usage, &record->usage) ? -ENOMEM : 0;
}

static int add_tasks(struct state_publication *p, const struct mirror *m, const uint32_t *rows, size_t n)
{
	int rc = 0;

	for (size_t i = 0; i < n; i++)
		for (uint32_t t = m->state->jobs.first_task[rows[i]]; rc == 0 && t != NONE; t = m->state->tasks.items[t].next)
			rc = add_task(p, m, t);
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

/* What somebody may not read as a file he may not read in the segment. */
static bool is_shown(const struct cell_file *file, const struct stat *segment)
{
	bool others = segment->st_mode & 0040 && file->hidden & 0004 && file->group != segment->st_gid;

	return !others && !(segment->st_mode & file->hidden);
}

static int hold_file(struct file_record *record, const struct cell_file *file, const struct stat *segment, struct strings *strings)
{
	bool shown = is_shown(file, segment);

	*record = (struct file_record){ strings_hold(strings, file->name), shown ? strings_hold(strings, file->text) : NONE };
	if (record->name != NONE && (record->text != NONE || !shown))
		return 0;
	strings_drop(strings, record->name);
	strings_drop(strings, record->text);
	return -ENOMEM;
}

static int hold_files(struct state_publication *p, const struct mirror *m)
{
	const struct cell *cell = m->cell;
	struct stat segment;

	if (p->cell == cell)
		return 0;
	state_forget_cell(p, m->strings);
	p->files = calloc(cell->files.n + 1, sizeof(*p->files));
	if (!p->files)
		return -ENOMEM;
	if (fstat(m->segment->fd, &segment))
		segment.st_mode = 0777;
	for (; p->nfiles < cell->files.n; p->nfiles++)
		if (hold_file(&p->files[p->nfiles], &cell->files.items[p->nfiles], &segment, m->strings))
			return -ENOMEM;
	p->cell = cell;
	return 0;
}

static int add_files(struct state_publication *p, const struct mirror *m)
{
	struct file_record *records = hold_files(p, m) ? NULL : state_reserve(p, STATE_FILES, p->nfiles, sizeof(*records));

	if (!records)
		return -ENOMEM;
	memcpy(records, p->files, p->nfiles * sizeof(*records));
	p->parts[STATE_FILES].n = p->nfiles;
	return 0;
}

/* The qmaster's files */

int state_paths(struct state_publication *p, struct strings *strings, const char *const paths[STATE_PATHS])
{
	for (int k = 0; k < STATE_PATHS; k++) {
		uint32_t id = paths[k] ? strings_hold(strings, paths[k]) : NONE;

		if (paths[k] && id == NONE)
			return -ENOMEM;
		strings_drop(strings, p->paths[k] - 1);
		p->paths[k] = id + 1;
	}
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
	p->head.state_directory = p->paths[STATE_PATH_DIRECTORY] - 1;
	p->head.accounting = p->paths[STATE_PATH_ACCOUNTING] - 1;
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

	if (add_list(p, run->list.items, run->list.n) || add_extras(p, &m->state->jobs) || add_requests(p, &m->requests) ||
	    state_add_classes(p, &m->classes) || state_add_condor_jobs(p, &m->state->jobs) ||
	    add_tasks(p, m, run->started.rows, run->started.n) || state_add_objects(p, m) ||
	    state_add_debited(p, m) || state_add_instances(p, m) || state_add_pes(p) || state_add_hosts(p, m->state) ||
	    state_add_advances(p, m->state) || add_files(p, m) || add_numbers(p, p->removed, p->nremoved, &p->head.removed))
		return -ENOMEM;
	return copy_parts(p, w);
}

void state_free(struct state_publication *p, struct strings *strings)
{
	state_forget_cell(p, strings);
	for (int k = 0; k < STATE_PATHS; k++)
		strings_drop(strings, p->paths[k] - 1);
	for (int k = 0; k < STATE_PARTS; k++)
		free(p->parts[k].bytes);
	free(p->instances);
	free(p->pes);
	free(p->removed);
	*p = (struct state_publication){ 0 };
}
