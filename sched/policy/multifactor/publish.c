/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What readers are shown of Slurm's priorities: weights, associations, and each request's factors.
 * sched/run/records.h says what the records mean.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "conf/slurm.h"
#include "sched/policy/multifactor/multifactor.h"
#include "urgency/normalize.h"

static int publish_scalars(struct generation_writer *w, const struct multifactor *m)
{
	const struct slurm_conf *conf = m->conf;
	struct multifactor_record *record = records_table(w, TABLE_MULTIFACTOR, 1);
	struct tres_record *tres = records_table(w, TABLE_TRES, m->nweighted);

	if (!record || !tres)
		return -ENOMEM;
	*record = (struct multifactor_record){
		.pass = m->pass, .version = conf->version, .method = conf->method, .flags = conf->flags, .max_age = conf->max_age,
		.weight_age = conf->no_storage ? 0 : conf->weight_age, .weight_assoc = conf->weight_assoc,
		.weight_fairshare = conf->no_storage ? 0 : conf->weight_fairshare, .weight_job_size = conf->weight_job_size,
		.weight_partition = conf->weight_partition, .weight_qos = conf->weight_qos, .damping = conf->damping,
		.weight_tres = m->weight_tres, .users = (uint32_t)m->tree.users };
	for (size_t k = 0; k < m->nweighted; k++)
		tres[k] = (struct tres_record){ conf->weight_tres[m->weighted[k]], m->tres_names[k], 0 };
	return 0;
}

/* Associations */

static struct association_record record_of(const struct multifactor *m, uint32_t i)
{
	const struct association *a = &m->tree.items[i];

	return (struct association_record){
		.usage = a->usage, .norm_shares = a->norm_shares, .norm_usage = a->norm_usage, .effective_usage = a->effective_usage,
		.factor = a->factor, .level_fs = a->level_fs, .assoc_factor = m->assoc_factors[i],
		.account = m->names[3 * i], .user = m->names[3 * i + 1], .partition = m->names[3 * i + 2],
		.parent = a->parent == ASSOCIATION_NONE ? NONE : m->shown_at[a->parent], .shares = a->shares,
		.priority = m->conf->associations[i].priority, .rank = a->rank, .group_minutes = m->group_minutes[i], .run_minutes = NONE };
}

static void count_running(const struct multifactor *m, const struct run *run, struct association_record *records)
{
	const struct jobs *j = &run->mirror->state->jobs;

	for (size_t i = 0; i < run->started.n; i++) {
		uint32_t row = run->started.rows[i], a = j->slurm[row].association;

		for (uint32_t t = j->first_task[row]; a != NONE && t != NONE; t = run->mirror->state->tasks.items[t].next)
			records[m->shown_at[a]].running++;
	}
}

static int publish_minutes(struct generation_writer *w, struct multifactor *m, struct run *run, struct association_record *records)
{
	uint32_t *kinds = records_table(w, TABLE_TRES_KINDS, m->nkinds);
	uint64_t *minutes;

	if (!kinds || multifactor_count_minutes(m, run))
		return -ENOMEM;
	memcpy(kinds, m->kind_names, m->nkinds * sizeof(*kinds));
	minutes = records_table(w, TABLE_RUN_MINUTES, m->run_minutes.n * m->nkinds);
	if (!minutes)
		return -ENOMEM;
	for (size_t k = 0; k < m->run_minutes.n * m->nkinds; k++)
		minutes[k] = m->run_minutes.seconds[k] / 60;
	for (size_t i = 0; i < m->tree.n; i++)
		if (m->run_minutes.rows[i] != NONE)
			records[m->shown_at[i]].run_minutes = (uint32_t)(m->run_minutes.rows[i] * m->nkinds);
	return 0;
}

static int publish_associations(struct generation_writer *w, struct multifactor *m, struct run *run)
{
	struct association_record *records = records_table(w, TABLE_ASSOCIATIONS, m->tree.n);

	if (!records)
		return -ENOMEM;
	for (size_t k = 0; k < m->tree.n; k++) {
		records[k] = record_of(m, m->display[k]);
		records[k].depth = records[k].parent == NONE ? 0 : records[records[k].parent].depth + 1;
	}
	count_running(m, run, records);
	return publish_minutes(w, m, run, records);
}

/* Requests */

static int publish_partitions(struct generation_writer *w, const struct multifactor *m)
{
	const struct slurm_conf *conf = m->conf;
	struct partition_record *records = records_table(w, TABLE_PARTITIONS, conf->npartitions);

	if (!records)
		return -ENOMEM;
	for (size_t i = 0; i < conf->npartitions; i++)
		records[i] = (struct partition_record){
			.factor = conf->weight_partition ? rank_factor(conf->partitions[i].job_factor, m->largest_partition,
								      conf->flags & FLAG_NO_NORMAL_PART) : 0.0,
			.name = m->partition_names[i], .job_factor = conf->partitions[i].job_factor, .tier = conf->partitions[i].tier };
	return 0;
}

static int publish_shapes(struct generation_writer *w, const struct multifactor *m, const struct run *run)
{
	const struct requests *r = &run->mirror->requests;
	struct shape_record *records = records_table(w, TABLE_SHAPES, r->pool.n);
	struct shape_partition_record *places = records_table(w, TABLE_SHAPE_PARTITIONS, m->nplaces);
	double *factors = records_table(w, TABLE_TRES_FACTORS, m->nplaces * m->nweighted);

	if (!records || !places || !factors)
		return -ENOMEM;
	for (size_t i = 0; i < m->nplaces; i++)
		places[i] = (struct shape_partition_record){ m->places[i].partition, (uint32_t)(i * m->nweighted) };
	if (m->nplaces * m->nweighted > 0)
		memcpy(factors, m->tres_factors, m->nplaces * m->nweighted * sizeof(*factors));
	for (size_t i = 0; i < r->pool.n; i++)
		records[i] = (struct shape_record){ .first = NONE };
	pool_each(id, &r->pool) {
		const struct request_key *key = requests_key(r, id);
		const struct shape *shape = &m->shapes[id];

		records[id] = (struct shape_record){
			.size_factor = shape->size_factor, .qos_factor = shape->qos_factor, .first = shape->count ? shape->first : NONE,
			.count = shape->count, .named = shape->named, .qos = key->qos, .partitions = key->partition, .tres = key->tres,
			.nodes = key->size.nodes, .cpus = key->size.cpus, .time_limit = key->size.time_limit };
	}
	return 0;
}

/* What the next run goes on from */

static struct precise precise_of(long double x)
{
	int exponent = 0;
	long double fraction = frexpl(x, &exponent);

	return (struct precise){ (uint64_t)ldexpl(fraction, 64), exponent - 64, 0 };
}

int multifactor_remain(const struct multifactor *m, struct state_publication *state)
{
	state->head.passed = m->passed;
	state->head.pass = m->pass;
	state->head.last_reset = m->last_reset;
	for (size_t i = 0; i < m->tree.n; i++) {
		const struct association *a = &m->tree.items[i];
		struct association_state *record = state_add(state, STATE_ASSOCIATIONS, sizeof(*record));

		if (!record)
			return -ENOMEM;
		*record = (struct association_state){
			.usage = precise_of(a->usage), .norm_usage = precise_of(a->norm_usage), .effective_usage = precise_of(a->effective_usage),
			.child_usage = precise_of(a->child_usage), .norm_shares = a->norm_shares, .factor = a->factor, .level_fs = a->level_fs,
			.account = m->names[3 * i], .user = m->names[3 * i + 1], .partition = m->names[3 * i + 2], .rank = a->rank };
	}
	return 0;
}

/* Jobs */

/* Those of n rows that follow each other in a chunk, from row i of it on. */
static inline void rows_show(struct multifactor_results *results, uint32_t i, const struct slurm_job *restrict jobs, uint32_t n,
			     const uint32_t *restrict shown_at)
{
	int64_t *restrict accrue = results->accrue + i;
	uint32_t *restrict priority = results->priority + i, *restrict association = results->association + i;

	for (uint32_t k = 0; k < n; k++) {
		accrue[k] = jobs[k].accrue;
		priority[k] = jobs[k].priority;
		association[k] = jobs[k].association == NONE ? NONE : shown_at[jobs[k].association];
	}
}

/* Jobs are listed as they come, and rows given so: most rows follow each other. */
void multifactor_block(const struct multifactor *m, const struct block *b, struct generation_writer *w)
{
	const struct results results = results_begin(w, b->run->record.columns_at[COLUMNS_MULTIFACTOR]);
	const struct slurm_job *jobs = b->run->mirror->state->jobs.slurm;
	const uint32_t *rows = b->run->waiting.rows;
	uint32_t n;

	for (size_t i = b->begin; i < b->end; i += n) {
		uint32_t row = rows[i], left = CHUNK_ROWS - row % CHUNK_ROWS;

		for (n = 1; n < left && i + n < b->end && rows[i + n] == row + n; )
			n++;
		rows_show(results_of(results, row), row % CHUNK_ROWS, jobs + row, n, m->shown_at);
	}
}

static void publish_started(const struct multifactor *m, const struct run *run, struct generation_writer *w)
{
	const struct results results = results_begin(w, run->record.columns_at[COLUMNS_MULTIFACTOR]);
	const struct jobs *j = &run->mirror->state->jobs;

	for (size_t i = 0; i < run->started.n; i++) {
		uint32_t row = run->started.rows[i];

		if (!(j->kind[row] & JOB_PENDING))
			rows_show(results_of(results, row), row % CHUNK_ROWS, &j->slurm[row], 1, m->shown_at);
	}
}

/* What jobs that run are priced by. */
static void publish_allocated(const struct multifactor *m, const struct run *run, struct generation_writer *w)
{
	const struct jobs *j = &run->mirror->state->jobs;
	struct extra_record *records = (struct extra_record *)(w->segment->base + w->directory->tables[TABLE_EXTRAS].offset);

	for (size_t i = 0; i < j->nextras && multifactor_prices_running(m); i++)
		if (j->extras[i])
			records[i].allocated = j->extras[i]->allocated + 1;	/* NONE is 0, too */
}

/* Tasks that run show no tickets: nobody has any. */
static void task_settle(void *context, struct run *run, struct task *t)
{
	const struct jobs *j = &run->mirror->state->jobs;

	(void)context;
	t->otickets = t->ftickets = t->stickets = 0.0;
	t->kept = (struct kept_record){ .npprior = normalize_posix(job_fact(j, t->row, priority)), .ntckts = normalize(0.0, 0.0, 0.0) };
}

void multifactor_settle(struct run *run)
{
	run_each_begun(run, task_settle, NULL);
	for (size_t i = 0; i < run->running.n; i++)
		task_settle(NULL, run, &run->mirror->state->tasks.items[run->running.index[i]]);
}

int multifactor_publish(struct multifactor *m, struct run *run, struct generation_writer *w)
{
	publish_started(m, run, w);
	publish_allocated(m, run, w);
	return publish_scalars(w, m) || publish_associations(w, m, run) || publish_partitions(w, m) || publish_shapes(w, m, run) ? -ENOMEM : 0;
}
