/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables for readers of Slurm's priorities: weights, associations, and the factors of each request.
 * sched/run/records.h defines the records.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "conf/slurm.h"
#include "sched/policy/multifactor/multifactor.h"
#include "urgency/normalize.h"

static int publish_scalars(struct generation_writer *writer, const struct multifactor *multifactor)
{
	const struct slurm_conf *conf = multifactor->conf;
	struct multifactor_record *record = records_table(writer, TABLE_MULTIFACTOR, 1);
	struct tres_record *tres = records_table(writer, TABLE_TRES, multifactor->nweighted);

	if (!record || !tres)
		return -ENOMEM;
	*record = (struct multifactor_record){ .pass = multifactor->pass,
					       .version = conf->version,
					       .method = conf->method,
					       .flags = conf->flags,
					       .max_age = conf->max_age,
					       .weight_age = conf->no_storage ? 0 : conf->weight_age,
					       .weight_assoc = conf->weight_assoc,
					       .weight_fairshare = conf->no_storage ? 0 : conf->weight_fairshare,
					       .weight_job_size = conf->weight_job_size,
					       .weight_partition = conf->weight_partition,
					       .weight_qos = conf->weight_qos,
					       .damping = conf->damping,
					       .weight_tres = multifactor->weight_tres,
					       .users = (uint32_t)multifactor->tree.users };
	for (size_t k = 0; k < multifactor->nweighted; k++)
		tres[k] = (struct tres_record){ conf->weight_tres[multifactor->weighted[k]], multifactor->tres_names[k],
						0 };
	return 0;
}

/* Associations */

static struct association_record record_of(const struct multifactor *multifactor, uint32_t i)
{
	const struct association *association = &multifactor->tree.items[i];

	return (struct association_record){ .usage = association->usage,
					    .norm_shares = association->norm_shares,
					    .norm_usage = association->norm_usage,
					    .effective_usage = association->effective_usage,
					    .factor = association->factor,
					    .level_fs = association->level_fs,
					    .assoc_factor = multifactor->assoc_factors[i],
					    .account = multifactor->names[3 * i],
					    .user = multifactor->names[3 * i + 1],
					    .partition = multifactor->names[3 * i + 2],
					    .parent = association->parent == ASSOCIATION_NONE
							      ? NONE
							      : multifactor->shown_at[association->parent],
					    .shares = association->shares,
					    .priority = multifactor->conf->associations[i].priority,
					    .rank = association->rank,
					    .group_minutes = multifactor->group_minutes[i],
					    .run_minutes = NONE };
}

static void count_running(const struct multifactor *multifactor, const struct run *run,
			  struct association_record *records)
{
	const struct jobs *jobs = &run->mirror->state->jobs;

	for (size_t i = 0; i < run->started.n; i++) {
		uint32_t row = run->started.rows[i], a = jobs->slurm[row].association;

		for (uint32_t t = jobs->first_task[row]; a != NONE && t != NONE;
		     t = run->mirror->state->tasks.items[t].next)
			records[multifactor->shown_at[a]].running++;
	}
}

static int publish_minutes(struct generation_writer *writer, struct multifactor *multifactor, struct run *run,
			   struct association_record *records)
{
	uint32_t *kinds = records_table(writer, TABLE_TRES_KINDS, multifactor->nkinds);
	uint64_t *minutes;

	if (!kinds || multifactor_count_minutes(multifactor, run))
		return -ENOMEM;
	memcpy(kinds, multifactor->kind_names, multifactor->nkinds * sizeof(*kinds));
	minutes = records_table(writer, TABLE_RUN_MINUTES, multifactor->run_minutes.n * multifactor->nkinds);
	if (!minutes)
		return -ENOMEM;
	for (size_t k = 0; k < multifactor->run_minutes.n * multifactor->nkinds; k++)
		minutes[k] = multifactor->run_minutes.seconds[k] / 60;
	for (size_t i = 0; i < multifactor->tree.n; i++)
		if (multifactor->run_minutes.rows[i] != NONE)
			records[multifactor->shown_at[i]].run_minutes =
				(uint32_t)(multifactor->run_minutes.rows[i] * multifactor->nkinds);
	return 0;
}

static int publish_associations(struct generation_writer *writer, struct multifactor *multifactor, struct run *run)
{
	struct association_record *records = records_table(writer, TABLE_ASSOCIATIONS, multifactor->tree.n);

	if (!records)
		return -ENOMEM;
	for (size_t k = 0; k < multifactor->tree.n; k++) {
		records[k] = record_of(multifactor, multifactor->display[k]);
		records[k].depth = records[k].parent == NONE ? 0 : records[records[k].parent].depth + 1;
	}
	count_running(multifactor, run, records);
	return publish_minutes(writer, multifactor, run, records);
}

/* Requests */

static int publish_partitions(struct generation_writer *writer, const struct multifactor *multifactor)
{
	const struct slurm_conf *conf = multifactor->conf;
	struct partition_record *records = records_table(writer, TABLE_PARTITIONS, conf->npartitions);

	if (!records)
		return -ENOMEM;
	for (size_t i = 0; i < conf->npartitions; i++)
		records[i] =
			(struct partition_record){ .factor = conf->weight_partition
								     ? rank_factor(conf->partitions[i].job_factor,
										   multifactor->largest_partition,
										   conf->flags & FLAG_NO_NORMAL_PART)
								     : 0.0,
						   .name = multifactor->partition_names[i],
						   .job_factor = conf->partitions[i].job_factor,
						   .tier = conf->partitions[i].tier };
	return 0;
}

static int publish_shapes(struct generation_writer *writer, const struct multifactor *multifactor,
			  const struct run *run)
{
	const struct requests *requests = &run->mirror->requests;
	struct shape_record *records = records_table(writer, TABLE_SHAPES, requests->pool.n);
	struct shape_partition_record *places = records_table(writer, TABLE_SHAPE_PARTITIONS, multifactor->nplaces);
	double *factors = records_table(writer, TABLE_TRES_FACTORS, multifactor->nplaces * multifactor->nweighted);

	if (!records || !places || !factors)
		return -ENOMEM;
	for (size_t i = 0; i < multifactor->nplaces; i++)
		places[i] = (struct shape_partition_record){ multifactor->places[i].partition,
							     (uint32_t)(i * multifactor->nweighted) };
	if (multifactor->nplaces * multifactor->nweighted > 0)
		memcpy(factors, multifactor->tres_factors,
		       multifactor->nplaces * multifactor->nweighted * sizeof(*factors));
	for (size_t i = 0; i < requests->pool.n; i++)
		records[i] = (struct shape_record){ .first = NONE };
	pool_each(id, &requests->pool) {
		const struct request_key *key = requests_key(requests, id);
		const struct shape *shape = &multifactor->shapes[id];

		records[id] = (struct shape_record){ .size_factor = shape->size_factor,
						     .qos_factor = shape->qos_factor,
						     .first = shape->count ? shape->first : NONE,
						     .count = shape->count,
						     .named = shape->named,
						     .qos = key->qos,
						     .partitions = key->partition,
						     .tres = key->tres,
						     .nodes = key->size.nodes,
						     .cpus = key->size.cpus,
						     .time_limit = key->size.time_limit };
	}
	return 0;
}

/* State from which the next run continues */

static struct precise precise_of(long double x)
{
	int exponent = 0;
	long double fraction = frexpl(x, &exponent);

	return (struct precise){ (uint64_t)ldexpl(fraction, 64), exponent - 64, 0 };
}

int multifactor_remain(const struct multifactor *multifactor, struct state_publication *state)
{
	state->head.passed = multifactor->passed;
	state->head.pass = multifactor->pass;
	state->head.last_reset = multifactor->last_reset;
	for (size_t i = 0; i < multifactor->tree.n; i++) {
		const struct association *association = &multifactor->tree.items[i];
		struct association_state *record = state_add(state, STATE_ASSOCIATIONS, sizeof(*record));

		if (!record)
			return -ENOMEM;
		*record = (struct association_state){ .usage = precise_of(association->usage),
						      .norm_usage = precise_of(association->norm_usage),
						      .effective_usage = precise_of(association->effective_usage),
						      .child_usage = precise_of(association->child_usage),
						      .norm_shares = association->norm_shares,
						      .factor = association->factor,
						      .level_fs = association->level_fs,
						      .account = multifactor->names[3 * i],
						      .user = multifactor->names[3 * i + 1],
						      .partition = multifactor->names[3 * i + 2],
						      .rank = association->rank };
	}
	return 0;
}

/* Jobs */

/* Publish n consecutive rows of a chunk, starting with its row i. */
static inline void rows_show(struct multifactor_results *results, uint32_t i, const struct slurm_job *restrict jobs,
			     uint32_t n, const uint32_t *restrict shown_at)
{
	int64_t *restrict accrue = results->accrue + i;
	uint32_t *restrict priority = results->priority + i, *restrict association = results->association + i;

	for (uint32_t k = 0; k < n; k++) {
		accrue[k] = jobs[k].accrue;
		priority[k] = jobs[k].priority;
		association[k] = jobs[k].association == NONE ? NONE : shown_at[jobs[k].association];
	}
}

/*
 * Publish a block of jobs. Jobs are listed, and get their rows, in the order of arrival, so most
 * rows are consecutive.
 */
void multifactor_block(const struct multifactor *multifactor, const struct block *block,
		       struct generation_writer *writer)
{
	const struct results results = results_begin(writer, block->run->record.columns_at[COLUMNS_MULTIFACTOR]);
	const struct slurm_job *jobs = block->run->mirror->state->jobs.slurm;
	const uint32_t *rows = block->run->waiting.rows;
	uint32_t n;

	for (size_t i = block->begin; i < block->end; i += n) {
		uint32_t row = rows[i], left = CHUNK_ROWS - row % CHUNK_ROWS;

		for (n = 1; n < left && i + n < block->end && rows[i + n] == row + n; )
			n++;
		rows_show(results_of(results, row), row % CHUNK_ROWS, jobs + row, n, multifactor->shown_at);
	}
}

static void publish_started(const struct multifactor *multifactor, const struct run *run,
			    struct generation_writer *writer)
{
	const struct results results = results_begin(writer, run->record.columns_at[COLUMNS_MULTIFACTOR]);
	const struct jobs *jobs = &run->mirror->state->jobs;

	for (size_t i = 0; i < run->started.n; i++) {
		uint32_t row = run->started.rows[i];

		if (!(jobs->kind[row] & JOB_PENDING))
			rows_show(results_of(results, row), row % CHUNK_ROWS, &jobs->slurm[row], 1,
				  multifactor->shown_at);
	}
}

/* Publish the allocations by which running jobs are priced. */
static void publish_allocated(const struct multifactor *multifactor, const struct run *run,
			      struct generation_writer *writer)
{
	const struct jobs *jobs = &run->mirror->state->jobs;
	struct extra_record *records =
		(struct extra_record *)(writer->segment->base + writer->directory->tables[TABLE_EXTRAS].offset);

	for (size_t i = 0; i < jobs->nextras && multifactor_prices_running(multifactor); i++)
		if (jobs->extras[i])
			/* 0 stands for NONE */
			records[i].allocated = jobs->extras[i]->allocated + 1;
}

/* Clear the tickets of a running task: Slurm has none. */
static void task_settle(void *context, struct run *run, struct task *task)
{
	const struct jobs *jobs = &run->mirror->state->jobs;

	(void)context;
	task->otickets = task->ftickets = task->stickets = 0.0;
	task->kept = (struct kept_record){ .npprior = normalize_posix(job_fact(jobs, task->row, priority)),
					   .ntckts = normalize(0.0, 0.0, 0.0) };
}

void multifactor_settle(struct run *run)
{
	run_each_begun(run, task_settle, NULL);
	for (size_t i = 0; i < run->running.n; i++)
		task_settle(NULL, run, &run->mirror->state->tasks.items[run->running.index[i]]);
}

int multifactor_publish(struct multifactor *multifactor, struct run *run, struct generation_writer *writer)
{
	publish_started(multifactor, run, writer);
	publish_allocated(multifactor, run, writer);
	return publish_scalars(writer, multifactor) || publish_associations(writer, multifactor, run) ||
			       publish_partitions(writer, multifactor) || publish_shapes(writer, multifactor, run)
		       ? -ENOMEM
		       : 0;
}
