/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run into the segment: results back to the job table, the tables copied into a generation, one
 * store that makes it current.
 */
#include <errno.h>
#include <string.h>

#include "sched/policy/multifactor/multifactor.h"
#include "sched/run/run.h"
#include "urgency/contributions.h"
#include "urgency/normalize.h"

/* Results to started tasks */

static double rrcontr_of(const struct requests *requests, uint32_t request)
{
	return requests->category[requests->facts[request].category].rrcontr;
}

/*
 * What a reader makes of this run for a task that takes part in it: to be shown when it is
 * suspended.
 */
static struct kept_record kept_of(const struct sched *s, const struct task *t)
{
	const struct run_record *r = &s->record;
	const struct jobs *j = &s->mirror.state->jobs;
	const struct job_extra *extra = jobs_find_extra(j, t->row);
	double tickets = t->stickets + t->ftickets + t->otickets;
	struct kept_record k = { .npprior = normalize_posix(job_fact(j, t->row, priority)), .ntckts = normalize(tickets, 0.0, r->tix_max),
				 .share = tickets > 0 ? tickets / r->running_tickets : 0.0 };

	if (r->use_urgency) {
		k.rrcontr = rrcontr_of(&s->mirror.requests, job_fact(j, t->row, category));
		k.wtcontr = waiting_contribution(r->weight_waiting_time, r->now, job_fact(j, t->row, submission));
		k.dlcontr = deadline_contribution(r->weight_deadline, r->now, extra ? extra->deadline : 0);
		k.urg = urgency_sum(k.wtcontr, k.dlcontr, k.rrcontr);
		k.nurg = normalize(k.urg, r->urg_min, r->urg_max);
	}
	k.prio = normalize_prio(r->weight_urgency, r->use_urgency ? k.nurg : 0.5, r->weight_ticket, k.ntckts, r->weight_priority,
				r->use_priority ? k.npprior : 0.5);
	return k;
}

static void store_running(struct sched *s)
{
	const struct run *run = &s->run;

	for (size_t i = 0; i < run->running.n; i++) {
		struct task *t = &s->mirror.state->tasks.items[run->running.index[i]];

		t->otickets = run->running.tickets[i].override;
		t->ftickets = run->running.tickets[i].functional;
		t->stickets = run->running.tickets[i].share_tree;
		t->kept = kept_of(s, t);
	}
}

/* Jobs */

/*
 * What a run made of a job, at its row. Rows of this generation that no table names keep what they
 * had.
 */
struct outcome {
	struct tickets tickets;			/* with Grid Engine's algorithm */
	uint32_t task;
	uint16_t flags, why;
};

/* A row's chunk of results, from byte `at` on. */
static inline void *results_of(const struct sched *s, uint32_t row, uint64_t at)
{
	return s->segment.base + s->writer->directory->results[row / CHUNK_ROWS] + at;
}

static void publish_slurm(const struct sched *s, uint32_t row)
{
	const struct slurm_job *job = &s->mirror.state->jobs.slurm[row];
	struct multifactor_results *r = results_of(s, row, s->record.columns_at[COLUMNS_MULTIFACTOR]);
	uint32_t i = row % CHUNK_ROWS;

	r->accrue[i] = job->accrue;
	r->priority[i] = job->priority;
	r->association[i] = job->association == NONE ? NONE : s->multifactor->shown_at[job->association];
}

static inline void publish_row(const struct sched *s, uint32_t row, struct outcome o)
{
	struct job_results *r = results_of(s, row, 0);
	uint32_t i = row % CHUNK_ROWS;

	if (s->multifactor) {
		publish_slurm(s, row);
	} else {
		struct ticket_results *t = results_of(s, row, s->record.columns_at[COLUMNS_TICKETS]);

		t->otickets[i] = o.tickets.override;
		t->ftickets[i] = o.tickets.functional;
		t->stickets[i] = o.tickets.share_tree;
	}
	r->task[i] = o.task;
	r->flags[i] = o.flags;
	r->why[i] = o.why;
}

static void block_publish(const struct block *b)
{
	const struct run *run = &b->s->run;
	const struct jobs *j = &b->s->mirror.state->jobs;
	bool has_tickets = !b->s->multifactor;

	for (size_t i = b->begin; i < b->end; i++) {
		uint32_t row = run->waiting.rows[i], first = run->waiting.first[i];
		const struct job_extra *extra = jobs_find_extra(j, row);
		struct outcome o = { .task = extra ? extra->first_waiting : 1,
				     .flags = j->kind[row] | (extra ? extra->flags : JOB_ELIGIBLE),
				     .why = run->waiting.why[i] };

		if (has_tickets)
			pending_fetch(&run->waiting, &run->pending, i);
		if (!(j->kind[row] & JOB_PENDING))	/* it starts in this run */
			o = (struct outcome){ .task = 1, .flags = j->kind[row], .why = WHY_UNKNOWN };
		else if (first != NONE && has_tickets)
			o.tickets = (struct tickets){ .override = run->pending.override[first], .functional = run->pending.functional[first],
						      .share_tree = run->pending.share_tree[first] };
		publish_row(b->s, row, o);
	}
}

static bool takes_part(const struct state *state, uint32_t row)
{
	for (uint32_t t = state->jobs.first_task[row]; t != NONE; t = state->tasks.items[t].next)
		if (!state->tasks.items[t].suspended)
			return true;
	return false;
}

/* Jobs with started tasks: those that don't wait as well have not been shown yet. */
static void publish_started(const struct sched *s)
{
	const struct state *state = s->mirror.state;

	for (size_t i = 0; i < s->run.started.n; i++) {
		uint32_t row = s->run.started.rows[i];
		struct job_results *r = results_of(s, row, 0);

		if (!(state->jobs.kind[row] & JOB_PENDING))
			publish_row(s, row, (struct outcome){ .task = 1, .flags = state->jobs.kind[row], .why = WHY_UNKNOWN });
		if (takes_part(state, row))
			r->flags[row % CHUNK_ROWS] |= JOB_RUNNING;
	}
}

static int publish_jobs(struct generation_writer *w, struct sched *s, uint64_t before)
{
	struct jobs *j = &s->mirror.state->jobs;
	size_t shared;

	for (size_t i = 0; i * CHUNK_ROWS < j->rows; i++)
		if (!generation_results(w, i, s->record.results_bytes))
			return -ENOMEM;
	s->writer = w;
	if (facts_show(&j->facts, w, before, &shared) || run_blocks(s, block_publish))
		return -ENOMEM;
	publish_started(s);
	w->directory->rows = j->rows;
	s->profile.chunks = j->facts.n;
	s->profile.chunks_shared = shared;
	return 0;
}

static int publish_extras(struct generation_writer *w, const struct sched *s)
{
	const struct jobs *j = &s->mirror.state->jobs;
	bool shown = s->multifactor && multifactor_prices_running(s->multifactor);
	struct extra_record *records = records_table(w, TABLE_EXTRAS, j->nextras);
	struct range_record *ranges;
	size_t nranges = 0;

	for (size_t i = 0; i < j->nextras; i++)
		nranges += j->extras[i] ? j->extras[i]->waiting.n : 0;
	ranges = records_table(w, TABLE_RANGES, nranges);
	if (!records || !ranges)
		return -ENOMEM;
	nranges = 0;
	for (size_t i = 0; i < j->nextras; i++) {
		const struct job_extra *extra = j->extras[i];

		records[i] = (struct extra_record){ 0 };
		if (!extra)
			continue;
		records[i] = (struct extra_record){ .deadline = extra->deadline, .execution_time = extra->execution_time,
						    .eligible_time = extra->eligible_time, .nice = extra->nice,
						    .site_factor = extra->site_factor, .direct_priority = extra->direct_priority,
						    /* NONE is 0, too */
						    .allocated = shown ? extra->allocated + 1 : 0,
						    .error_reason = extra->error_reason,
						    .ranges = (uint32_t)nranges, .nranges = (uint32_t)extra->waiting.n };
		for (size_t k = 0; k < extra->waiting.n; k++, nranges++)
			ranges[nranges] = (struct range_record){ extra->waiting.items[k].min, extra->waiting.items[k].max,
								 extra->waiting.items[k].step };
	}
	return 0;
}

static uint32_t *words_of(const struct sched *s, enum table_id id)
{
	return (uint32_t *)(s->segment.base + s->writer->directory->tables[id].offset);
}

/* Slots `from` .. `to` - 1 of the index by job number. */
static void copy_index(const struct sched *s, size_t from, size_t to)
{
	if (from < to)
		memcpy(words_of(s, TABLE_INDEX) + from, s->mirror.state->jobs.index.rows + from, (to - from) * sizeof(uint32_t));
}

/* The jobs in order, and the block's part of the index. */
static void block_order(const struct block *b)
{
	const struct run *run = &b->s->run;
	size_t size = b->s->mirror.state->jobs.index.size;
	uint32_t *order = words_of(b->s, TABLE_ORDER);

	for (size_t i = b->begin; i < b->end && i < run->nordered; i++)
		order[i] = run->waiting.rows[(uint32_t)run->ordered[i]];
	copy_index(b->s, size * b->begin / run->waiting.n, size * b->end / run->waiting.n);
}

static int publish_order(struct generation_writer *w, struct sched *s)
{
	const struct jobs *j = &s->mirror.state->jobs;

	if (!records_table(w, TABLE_ORDER, s->run.nordered) || !records_table(w, TABLE_INDEX, j->index.size) ||
	    run_blocks(s, block_order))
		return -ENOMEM;
	if (s->run.waiting.n == 0)	/* there is no block */
		copy_index(s, 0, j->index.size);
	return 0;
}

static int publish_classes(struct generation_writer *w, const struct sched *s)
{
	const struct classes *classes = &s->mirror.classes;
	struct class_record *records = records_table(w, TABLE_CLASSES, classes->pool.n);

	if (!records)
		return -ENOMEM;
	if (classes->pool.n > 0)
		memset(records, 0, classes->pool.n * sizeof(*records));
	pool_each(id, &classes->pool) {
		const struct class_key *key = classes_key(classes, id);

		records[id] = (struct class_record){ .owner = key->owner, .project = key->project, .department = key->department,
						     .jobshare = key->jobshare, .override_tickets = key->override_tickets, .account = key->account };
	}
	return 0;
}

static int publish_requests(struct generation_writer *w, const struct sched *s)
{
	const struct requests *requests = &s->mirror.requests;
	struct category_record *records = records_table(w, TABLE_CATEGORIES, requests->pool.n);

	if (!records)
		return -ENOMEM;
	if (requests->pool.n > 0)
		memset(records, 0, requests->pool.n * sizeof(*records));
	pool_each(id, &requests->pool) {
		const struct request_key *key = requests_key(requests, id);

		records[id] = (struct category_record){ .rrcontr = rrcontr_of(requests, id), .hard = key->hard, .soft = key->soft, .pe = key->pe,
							.pe_range = key->pe_range, .slots = requests->facts[id].assumed };
	}
	return 0;
}

static int publish_params(struct generation_writer *w, const struct cell *cell)
{
	const struct pairs *typed = &cell->sched.typed;
	size_t bytes = 0;
	char *text;

	for (size_t i = 0; i < typed->n; i++)
		bytes += strlen(typed->items[i].name) + strlen(typed->items[i].text) + 2;
	text = records_table(w, TABLE_PARAMS, bytes);
	if (!text)
		return -ENOMEM;
	for (size_t i = 0; i < typed->n; i++) {
		text = stpcpy(text, typed->items[i].name) + 1;
		text = stpcpy(text, typed->items[i].text) + 1;
	}
	return 0;
}

/* The generation */

static int publish_tables(struct generation_writer *w, struct sched *s, uint64_t before)
{
	*run_head(w->directory) = s->record;
	if (publish_jobs(w, s, before) || publish_extras(w, s) || publish_order(w, s) || publish_classes(w, s) || publish_requests(w, s) ||
	    multifactor_publish(w, s) || publish_usage(w, s) || publish_why(w, s) || publish_params(w, s->cell) || strings_publish(s->strings, w))
		return -ENOMEM;
	return 0;
}

int run_publish(struct sched *s)
{
	uint64_t before = generation_current(&s->segment);
	const struct generation *published;
	struct generation_writer w;
	int code;

	store_running(s);
	code = generation_begin(&w, &s->segment);
	if (code != 0)
		return code;
	code = publish_tables(&w, s, before);
	if (code != 0) {
		generation_abandon(&w);
		publish_why_end(s, false);
		return code;
	}
	published = w.directory;
	generation_publish(&w);
	publish_why_end(s, true);
	s->profile.shared_bytes = published->bytes;
	if (!s->announced) {
		code = segment_announce(&s->segment);
		s->announced = code == 0;
	}
	return code;
}
