/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/run/publish_state_inside.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "conf/base/array.h"
#include "conf/base/columns.h"

/* Parts */

void state_begin(struct state_publication *publication)
{
	for (int part = 0; part < STATE_PARTS; part++)
		publication->parts[part].n = 0;
}

/* Reserve memory for `n` records after the existing ones. */
void *state_reserve(struct state_publication *publication, enum state_part part, size_t n, size_t record_bytes)
{
	struct state_buffer *buffer = &publication->parts[part];
	size_t capacity = buffer->n + n + (buffer->n + n) / 2 + 16;

	buffer->record_bytes = record_bytes;
	/* never 0, so that empty parts have memory too */
	if (buffer->n + n >= buffer->capacity) {
		if (array_grow(&buffer->bytes, capacity, record_bytes))
			return NULL;
		buffer->capacity = capacity;
	}
	return buffer->bytes + buffer->n * record_bytes;
}

void *state_add(struct state_publication *publication, enum state_part part, size_t record_bytes)
{
	void *record = state_reserve(publication, part, 1, record_bytes);

	if (!record)
		return NULL;
	publication->parts[part].n++;
	return memset(record, 0, record_bytes);
}

int state_add_usage(struct state_publication *publication, const struct mirror *mirror, const struct usage *usage,
		    struct state_slice *slice)
{
	struct usage_value_record *records = state_reserve(publication, STATE_USAGE, usage->n, sizeof(*records));

	if (!records)
		return -ENOMEM;
	*slice = state_slice_here(publication, STATE_USAGE, usage->n);
	for (size_t i = 0; i < usage->n; i++)
		records[i] = (struct usage_value_record){ usage->items[i].value,
							  mirror->usage_names.strings[usage->items[i].name], 0 };
	publication->parts[STATE_USAGE].n += usage->n;
	return 0;
}

static int add_numbers(struct state_publication *publication, const uint32_t *numbers, size_t n,
		       struct state_slice *slice)
{
	uint32_t *records = state_reserve(publication, STATE_NUMBERS, n, sizeof(*records));

	if (!records)
		return -ENOMEM;
	*slice = state_slice_here(publication, STATE_NUMBERS, n);
	if (n > 0)
		memcpy(records, numbers, n * sizeof(*records));
	publication->parts[STATE_NUMBERS].n += n;
	return 0;
}

static int add_ranges(struct state_publication *publication, const struct ranges *ranges, struct state_slice *slice)
{
	struct range_record *records = state_reserve(publication, STATE_RANGES, ranges->n, sizeof(*records));

	if (!records)
		return -ENOMEM;
	*slice = state_slice_here(publication, STATE_RANGES, ranges->n);
	for (size_t i = 0; i < ranges->n; i++)
		records[i] = (struct range_record){ ranges->items[i].min, ranges->items[i].max, ranges->items[i].step };
	publication->parts[STATE_RANGES].n += ranges->n;
	return 0;
}

/* Before a run */

static int remember_places(struct state_publication *publication, const struct state *state)
{
	if (array_reserve(&publication->instances_capacity, state->ninstances, COLUMN(publication->instances)) ||
	    array_reserve(&publication->pes_capacity, state->nused_pes, COLUMN(publication->pes)))
		return -ENOMEM;
	publication->ninstances = state->ninstances;
	for (size_t i = 0; i < state->ninstances; i++) {
		publication->instances[i].place = state->instances[i].place;
		publication->instances[i].suspend_checked = state->instances[i].suspend_checked;
	}
	publication->npes = state->nused_pes;
	if (publication->npes > 0)
		memcpy(publication->pes, state->used_pes, publication->npes * sizeof(*publication->pes));
	return 0;
}

static int remember_removed(struct state_publication *publication, const struct pool *removed)
{
	publication->nremoved = 0;
	if (array_reserve(&publication->removed_capacity, removed->used, COLUMN(publication->removed)))
		return -ENOMEM;
	pool_each(i, removed)
		publication->removed[publication->nremoved++] = *(const uint32_t *)pool_key(removed, i);
	return 0;
}

int state_remember(struct state_publication *publication, const struct mirror *mirror, const struct pool *removed)
{
	publication->head = (struct state_head){ 0 };
	return remember_places(publication, mirror->state) || remember_removed(publication, removed) ? -ENOMEM : 0;
}

/* Jobs */

static int add_list(struct state_publication *publication, const struct list_record *list, size_t n)
{
	struct list_record *records = state_reserve(publication, STATE_LIST, n, sizeof(*records));

	if (!records)
		return -ENOMEM;
	if (n > 0)
		memcpy(records, list, n * sizeof(*records));
	publication->parts[STATE_LIST].n = n;
	return 0;
}

_Static_assert(TASK_SETS == sizeof(((struct extra_state *)0)->sets) / sizeof(struct state_slice),
	       "each set of tasks must be published");

static int add_extra(struct state_publication *publication, const struct job_extra *extra)
{
	struct extra_state *state = state_add(publication, STATE_EXTRAS, sizeof(*state));

	if (!state || !extra)
		return state ? 0 : -ENOMEM;
	state->task_concurrency = extra->task_concurrency;
	state->error = extra->error;
	state->depends = extra->depends;
	state->is_array = extra->is_array;
	state->allocated = extra->allocated + 1;		/* 0 if it is NONE */
	for (int k = 0; k < TASK_SETS; k++)
		if (add_ranges(publication, &extra->sets[k], &state->sets[k]))
			return -ENOMEM;
	return add_numbers(publication, extra->hold_jid, extra->nhold_jid, &state->hold_jid) ||
			       add_numbers(publication, extra->hold_jid_ad, extra->nhold_jid_ad, &state->hold_jid_ad)
		       ? -ENOMEM
		       : 0;
}

static int add_extras(struct state_publication *publication, const struct jobs *jobs)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < jobs->nextras; i++)
		rc = add_extra(publication, jobs->extras[i]);
	return rc;
}

static int add_requests(struct state_publication *publication, const struct requests *requests)
{
	struct request_state *records = state_reserve(publication, STATE_REQUESTS, requests->pool.n, sizeof(*records));

	if (!records)
		return -ENOMEM;
	if (requests->pool.n > 0)
		memset(records, 0, requests->pool.n * sizeof(*records));
	pool_each(id, &requests->pool) {
		const struct request_key *key = requests_key(requests, id);

		records[id] = (struct request_state){ .hard_queues = key->hard_queues,
						      .soft_queues = key->soft_queues,
						      .master_queues = key->master_queues,
						      .checkpoint = key->ckpt,
						      .group = key->group,
						      .partition = key->partition,
						      .qos = key->qos,
						      .tres = key->tres,
						      .nodes = key->size.nodes,
						      .cpus = key->size.cpus,
						      .time_limit = key->size.time_limit,
						      .now = key->now,
						      .as_typed = key->as_typed,
						      .ar = key->ar,
						      .ad = key->ad };
	}
	publication->parts[STATE_REQUESTS].n = requests->pool.n;
	return 0;
}

/* Started tasks */

int state_add_grants(struct state_publication *publication, const struct granted_entry *granted, size_t n,
		     struct state_slice *slice)
{
	struct grant_record *records = state_reserve(publication, STATE_GRANTS, n, sizeof(*records));

	if (!records)
		return -ENOMEM;
	*slice = state_slice_here(publication, STATE_GRANTS, n);
	for (size_t i = 0; i < n; i++)
		records[i] = (struct grant_record){ granted[i].queue, granted[i].slots };
	publication->parts[STATE_GRANTS].n += n;
	return 0;
}

static int add_task(struct state_publication *publication, const struct mirror *mirror, uint32_t task)
{
	const struct task *t = &mirror->state->tasks.items[task];
	struct task_state *record = state_add(publication, STATE_TASKS, sizeof(*record));

	if (!record)
		return -ENOMEM;
	*record = (struct task_state){ .order = t->order,
				       .charged_from = t->charged.from,
				       .charged_until = t->charged.until,
				       .place = task,
				       .settled = t->settled,
				       .enrolled = t->enrolled,
				       .wallclock_limit = t->wallclock_limit,
				       .partition = t->partition,
				       .tres = t->tres };
	return state_add_grants(publication, t->granted, t->ngranted, &record->grants) ||
			       state_add_usage(publication, mirror, &t->usage, &record->usage)
		       ? -ENOMEM
		       : 0;
}

static int add_tasks(struct state_publication *publication, const struct mirror *mirror, const uint32_t *rows, size_t n)
{
	int rc = 0;

	for (size_t i = 0; i < n; i++)
		for (uint32_t t = mirror->state->jobs.first_task[rows[i]]; rc == 0 && t != NONE;
		     t = mirror->state->tasks.items[t].next)
			rc = add_task(publication, mirror, t);
	return rc;
}

/* The cell */

void state_forget_cell(struct state_publication *publication, struct strings *strings)
{
	for (size_t i = 0; i < publication->nfiles; i++) {
		strings_drop(strings, publication->files[i].name);
		strings_drop(strings, publication->files[i].text);
	}
	free(publication->files);
	publication->files = NULL;
	publication->nfiles = 0;
	publication->cell = NULL;
}

/* Return whether all readers of the segment may read the file. */
static bool is_shown(const struct cell_file *file, const struct stat *segment)
{
	bool others = segment->st_mode & 0040 && file->hidden & 0004 && file->group != segment->st_gid;

	return !others && !(segment->st_mode & file->hidden);
}

static int hold_file(struct file_record *record, const struct cell_file *file, const struct stat *segment,
		     struct strings *strings)
{
	bool shown = is_shown(file, segment);

	*record = (struct file_record){ strings_hold(strings, file->name),
					shown ? strings_hold(strings, file->text) : NONE };
	if (record->name != NONE && (record->text != NONE || !shown))
		return 0;
	strings_drop(strings, record->name);
	strings_drop(strings, record->text);
	return -ENOMEM;
}

static int hold_files(struct state_publication *publication, const struct mirror *mirror)
{
	const struct cell *cell = mirror->cell;
	struct stat segment;

	if (publication->cell == cell)
		return 0;
	state_forget_cell(publication, mirror->strings);
	publication->files = calloc(cell->files.n + 1, sizeof(*publication->files));
	if (!publication->files)
		return -ENOMEM;
	if (fstat(mirror->segment->fd, &segment))
		segment.st_mode = 0777;
	for (; publication->nfiles < cell->files.n; publication->nfiles++)
		if (hold_file(&publication->files[publication->nfiles], &cell->files.items[publication->nfiles],
			      &segment, mirror->strings))
			return -ENOMEM;
	publication->cell = cell;
	return 0;
}

static int add_files(struct state_publication *publication, const struct mirror *mirror)
{
	struct file_record *records =
		hold_files(publication, mirror)
			? NULL
			: state_reserve(publication, STATE_FILES, publication->nfiles, sizeof(*records));

	if (!records)
		return -ENOMEM;
	memcpy(records, publication->files, publication->nfiles * sizeof(*records));
	publication->parts[STATE_FILES].n = publication->nfiles;
	return 0;
}

/* The qmaster's files */

int state_paths(struct state_publication *publication, struct strings *strings, const char *const paths[STATE_PATHS])
{
	for (int k = 0; k < STATE_PATHS; k++) {
		uint32_t id = paths[k] ? strings_hold(strings, paths[k]) : NONE;

		if (paths[k] && id == NONE)
			return -ENOMEM;
		strings_drop(strings, publication->paths[k] - 1);
		publication->paths[k] = id + 1;
	}
	return 0;
}

/* Publication */

static uint64_t aligned(uint64_t bytes)
{
	return (bytes + 7) / 8 * 8;
}

static int copy_parts(struct state_publication *publication, struct generation_writer *writer)
{
	uint64_t bytes = aligned(sizeof(struct state_head));
	unsigned char *table;

	for (int k = 0; k < STATE_PARTS; k++) {
		publication->head.parts[k].at = bytes;
		publication->head.parts[k].count = publication->parts[k].n;
		bytes += aligned(publication->parts[k].n * publication->parts[k].record_bytes);
	}
	publication->head.state_directory = publication->paths[STATE_PATH_DIRECTORY] - 1;
	publication->head.accounting = publication->paths[STATE_PATH_ACCOUNTING] - 1;
	table = records_table(writer, TABLE_STATE, bytes);
	if (!table)
		return -ENOMEM;
	memcpy(table, &publication->head, sizeof(publication->head));
	for (int k = 0; k < STATE_PARTS; k++) {
		uint64_t part = publication->parts[k].n * publication->parts[k].record_bytes;

		/* padding before the next part */
		memset(table + publication->head.parts[k].at + part, 0, aligned(part) - part);
		if (part > 0)
			memcpy(table + publication->head.parts[k].at, publication->parts[k].bytes, part);
	}
	return 0;
}

int state_publish(struct state_publication *publication, const struct run *run, struct generation_writer *writer)
{
	const struct mirror *mirror = run->mirror;

	if (add_list(publication, run->list.items, run->list.n) || add_extras(publication, &mirror->state->jobs) ||
	    add_requests(publication, &mirror->requests) || state_add_classes(publication, &mirror->classes) ||
	    state_add_condor_jobs(publication, &mirror->state->jobs) ||
	    add_tasks(publication, mirror, run->started.rows, run->started.n) ||
	    state_add_objects(publication, mirror) || state_add_debited(publication, mirror) ||
	    state_add_instances(publication, mirror) || state_add_pes(publication) ||
	    state_add_hosts(publication, mirror->state) || state_add_advances(publication, mirror->state) ||
	    add_files(publication, mirror) ||
	    add_numbers(publication, publication->removed, publication->nremoved, &publication->head.removed))
		return -ENOMEM;
	return copy_parts(publication, writer);
}

void state_free(struct state_publication *publication, struct strings *strings)
{
	state_forget_cell(publication, strings);
	for (int k = 0; k < STATE_PATHS; k++)
		strings_drop(strings, publication->paths[k] - 1);
	for (int k = 0; k < STATE_PARTS; k++)
		free(publication->parts[k].bytes);
	free(publication->instances);
	free(publication->pes);
	free(publication->removed);
	*publication = (struct state_publication){ 0 };
}
