/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Publication of a run in the segment: results are written to the job table, tables are copied into
 * a generation, and one store makes it current.
 */
#include "sched/run/publication.h"

#include <errno.h>
#include <string.h>

struct publishing {			/* a generation that is being filled */
	struct generation_writer *w;
	const struct publisher *others;
	size_t nothers;
};

/* Jobs */

/*
 * Write the results of a job to its row. Rows of this generation that no table refers to keep their
 * old values.
 */
static inline void publish_row(struct results results, uint32_t row, uint32_t task, uint32_t flags, uint16_t why)
{
	struct job_results *job_results = results_of(results, row);
	uint32_t i = row % CHUNK_ROWS;

	job_results->task[i] = task;
	job_results->flags[i] = (uint16_t)flags;
	job_results->why[i] = why;
}

static void block_publish(const struct block *block)
{
	const struct run *run = block->run;
	const struct publishing *publishing = block->context;
	const struct jobs *jobs = &run->mirror->state->jobs;
	const struct results results = results_begin(publishing->w, 0);

	for (size_t i = block->begin; i < block->end; i++) {
		uint32_t row = run->waiting.rows[i];
		const struct job_extra *extra = jobs_find_extra(jobs, row);

		if (jobs->kind[row] & JOB_PENDING)
			publish_row(results, row, extra ? extra->first_waiting : 1,
				    jobs->kind[row] | (extra ? extra->flags : JOB_ELIGIBLE), run->waiting.why[i]);
		else				/* job that starts in this run */
			publish_row(results, row, 1, jobs->kind[row], WHY_UNKNOWN);
	}
	for (size_t i = 0; i < publishing->nothers; i++)
		if (publishing->others[i].block)
			publishing->others[i].block(publishing->others[i].self, block, publishing->w);
}

static bool has_active_task(const struct state *state, uint32_t row)
{
	for (uint32_t t = state->jobs.first_task[row]; t != NONE; t = state->tasks.items[t].next)
		if (!state->tasks.items[t].suspended)
			return true;
	return false;
}

/* Publish jobs with started tasks. Jobs without pending tasks have not been published yet. */
static void publish_started(const struct generation_writer *writer, const struct run *run)
{
	const struct results results = results_begin(writer, 0);
	const struct state *state = run->mirror->state;

	for (size_t i = 0; i < run->started.n; i++) {
		uint32_t row = run->started.rows[i];

		if (!(state->jobs.kind[row] & JOB_PENDING))
			publish_row(results, row, 1, state->jobs.kind[row], WHY_UNKNOWN);
		if (has_active_task(state, row))
			((struct job_results *)results_of(results, row))->flags[row % CHUNK_ROWS] |= JOB_RUNNING;
	}
}

static void publish_ranked(const struct generation_writer *writer, const struct run *run)
{
	const struct results results = results_begin(writer, 0);

	for (size_t i = 0; i < run->order.ranked.n; i++) {
		uint32_t row = run->order.ranked.rows[i];

		((struct job_results *)results_of(results, row))->flags[row % CHUNK_ROWS] |= JOB_RANKED_AGAIN;
	}
}

static int publish_jobs(struct publishing *publishing, struct run *run, uint64_t before)
{
	struct generation_writer *writer = publishing->w;
	struct jobs *jobs = &run->mirror->state->jobs;
	size_t shared;

	for (size_t i = 0; i * CHUNK_ROWS < jobs->rows; i++)
		if (!generation_results(writer, i, run->record.results_bytes))
			return -ENOMEM;
	if (facts_show(&jobs->facts, writer, before, &shared))
		return -ENOMEM;
	run_blocks(run, block_publish, publishing);
	publish_started(writer, run);
	publish_ranked(writer, run);
	writer->directory->rows = jobs->rows;
	run->counts.chunks = jobs->facts.n;
	run->counts.chunks_shared = shared;
	return 0;
}

_Static_assert(sizeof(struct range_record) == sizeof(struct range), "ranges are published as they are");

/* Return the tasks in error: all tasks of a job in error, or some. */
static const struct ranges *error_ranges(const struct job_extra *extra)
{
	return extra->error ? &extra->waiting : &extra->sets[TASK_ERROR];
}

/* Write an array's ranges one after the other: pending, held, in error, restarted. */
static struct extra_record publish_extra(const struct state *state, const struct job_extra *extra, struct range *ranges,
					 size_t *n)
{
	struct extra_record record = { .numbers = extra->numbers,
				       .error_reason = extra->error_reason,
				       .ranges = (uint32_t)*n };
	const struct ranges *in_error = error_ranges(extra), *restarted = &extra->sets[TASK_RESTARTED];

	record.nrestarted = extra->is_array ? (uint32_t)restarted->n : restarted->n > 0;
	if (!extra->is_array)
		return record;
	record.nranges = (uint32_t)extra->waiting.n;
	record.nheld = (uint32_t)job_held_ranges(state, extra, ranges + *n + record.nranges);
	record.nerror = (uint32_t)in_error->n;
	if (extra->waiting.n > 0)
		memcpy(ranges + *n, extra->waiting.items, extra->waiting.n * sizeof(*ranges));
	*n += record.nranges + record.nheld;
	if (in_error->n > 0)
		memcpy(ranges + *n, in_error->items, in_error->n * sizeof(*ranges));
	*n += record.nerror;
	if (restarted->n > 0)
		memcpy(ranges + *n, restarted->items, restarted->n * sizeof(*ranges));
	*n += record.nrestarted;
	return record;
}

static int publish_extras(struct generation_writer *writer, const struct run *run)
{
	const struct state *state = run->mirror->state;
	const struct jobs *jobs = &state->jobs;
	struct extra_record *records = records_table(writer, TABLE_EXTRAS, jobs->nextras);
	struct range *ranges;
	size_t nranges = 0;

	for (size_t i = 0; i < jobs->nextras; i++)
		if (jobs->extras[i] && jobs->extras[i]->is_array)
			nranges += jobs->extras[i]->waiting.n + job_held_ranges(state, jobs->extras[i], NULL) +
				   error_ranges(jobs->extras[i])->n + jobs->extras[i]->sets[TASK_RESTARTED].n;
	ranges = records_table(writer, TABLE_RANGES, nranges);
	if (!records || !ranges)
		return -ENOMEM;
	nranges = 0;
	for (size_t i = 0; i < jobs->nextras; i++)
		records[i] = jobs->extras[i] ? publish_extra(state, jobs->extras[i], ranges, &nranges)
					     : (struct extra_record){ 0 };
	return 0;
}

static uint32_t *words_of(const struct generation_writer *writer, enum table_id id)
{
	return (uint32_t *)(writer->segment->base + writer->directory->tables[id].offset);
}

/* Copy the slots `from` .. `to` - 1 of the index by job number. */
static void copy_index(const struct generation_writer *writer, const struct run *run, size_t from, size_t to)
{
	if (from < to)
		memcpy(words_of(writer, TABLE_INDEX) + from, run->mirror->state->jobs.index.rows + from,
		       (to - from) * sizeof(uint32_t));
}

/* Write the jobs in order, and the block's part of the index. */
static void block_order(const struct block *block)
{
	const struct run *run = block->run;
	const struct generation_writer *writer = ((const struct publishing *)block->context)->w;
	size_t size = run->mirror->state->jobs.index.size;
	uint32_t *order = words_of(writer, TABLE_ORDER);

	for (size_t i = block->begin; i < block->end && i < run->order.n; i++)
		order[i] = run->waiting.rows[(uint32_t)run->order.items[i]];
	copy_index(writer, run, size * block->begin / run->waiting.n, size * block->end / run->waiting.n);
}

static int publish_order(struct publishing *publishing, struct run *run)
{
	struct generation_writer *writer = publishing->w;
	const struct jobs *jobs = &run->mirror->state->jobs;

	if (!records_table(writer, TABLE_ORDER, run->order.n) ||
	    !records_table(writer, TABLE_INDEX, jobs->index.size))
		return -ENOMEM;
	run_blocks(run, block_order, publishing);
	if (run->waiting.n == 0)	/* no block copies it */
		copy_index(writer, run, 0, jobs->index.size);
	return 0;
}

static int publish_classes(struct generation_writer *writer, const struct run *run)
{
	const struct classes *classes = &run->mirror->classes;
	struct class_record *records = records_table(writer, TABLE_CLASSES, classes->pool.n);

	if (!records)
		return -ENOMEM;
	if (classes->pool.n > 0)
		memset(records, 0, classes->pool.n * sizeof(*records));
	pool_each(id, &classes->pool) {
		const struct class_key *key = classes_key(classes, id);

		records[id] = (struct class_record){ .owner = key->owner,
						     .project = key->project,
						     .department = key->department,
						     .jobshare = key->jobshare,
						     .override_tickets = key->override_tickets,
						     .account = key->account };
	}
	return 0;
}

static int publish_requests(struct generation_writer *writer, const struct run *run)
{
	const struct requests *requests = &run->mirror->requests;
	struct category_record *records = records_table(writer, TABLE_CATEGORIES, requests->pool.n);

	if (!records)
		return -ENOMEM;
	if (requests->pool.n > 0)
		memset(records, 0, requests->pool.n * sizeof(*records));
	pool_each(id, &requests->pool) {
		const struct request_key *key = requests_key(requests, id);

		records[id] =
			(struct category_record){ .rrcontr = requests->category[requests->facts[id].category].rrcontr,
						  .hard = key->hard,
						  .soft = key->soft,
						  .pe = key->pe,
						  .pe_range = key->pe_range,
						  .slots = requests->facts[id].assumed,
						  .ar = key->ar };
	}
	return 0;
}

static int publish_params(struct generation_writer *writer, const struct cell *cell)
{
	const struct pairs *typed = &cell->sched.typed;
	size_t bytes = 0;
	char *text;

	for (size_t i = 0; i < typed->n; i++)
		bytes += strlen(typed->items[i].name) + strlen(typed->items[i].text) + 2;
	text = records_table(writer, TABLE_PARAMS, bytes);
	if (!text)
		return -ENOMEM;
	for (size_t i = 0; i < typed->n; i++) {
		text = stpcpy(text, typed->items[i].name) + 1;
		text = stpcpy(text, typed->items[i].text) + 1;
	}
	return 0;
}

/* The generation */

static int publish_tables(struct publishing *publishing, struct run *run, uint64_t before)
{
	struct generation_writer *writer = publishing->w;

	*run_head(writer->directory) = run->record;
	if (publish_jobs(publishing, run, before) || publish_extras(writer, run) || publish_order(publishing, run) ||
	    publish_classes(writer, run) || publish_requests(writer, run) || publish_params(writer, run->cell) ||
	    publish_usage(writer, run))
		return -ENOMEM;
	for (size_t i = 0; i < publishing->nothers; i++)
		if (publishing->others[i].tables &&
		    publishing->others[i].tables(publishing->others[i].self, run, writer))
			return -ENOMEM;
	return strings_publish(run->strings, writer);
}

static void publish_end(const struct publishing *publishing, bool published)
{
	for (size_t i = 0; i < publishing->nothers; i++)
		if (publishing->others[i].end)
			publishing->others[i].end(publishing->others[i].self, published);
}

int run_publish(struct run *run, const struct publisher *others, size_t n)
{
	uint64_t before = generation_current(run->segment);
	struct generation_writer writer;
	struct publishing publishing = { &writer, others, n };
	const struct generation *published;
	int rc = generation_begin(&writer, run->segment);

	if (rc)
		return rc;
	rc = publish_tables(&publishing, run, before);
	if (rc) {
		generation_abandon(&writer);
		publish_end(&publishing, false);
		return rc;
	}
	published = writer.directory;
	generation_publish(&writer);
	publish_end(&publishing, true);
	run->counts.shared_bytes = published->bytes;
	return segment_announce(run->segment);
}
