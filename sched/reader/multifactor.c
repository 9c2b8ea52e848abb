/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slurm's priorities: factors of jobs and associations. The factors are derived from stored values
 * with the functions that the scheduler uses.
 */
#include "conf/slurm.h"
#include "sched/reader/handle.h"
#include "urgency/multifactor.h"

/* Parameters */

int fl_multifactor(const struct fl_view *view, struct fl_multifactor *multifactor)
{
	struct multifactor_record record;
	uint64_t kinds;

	if (!RECORD_COPY(view, TABLE_MULTIFACTOR, 0, &record))
		return -ENOENT;
	view_table(&view->view, TABLE_TRES, sizeof(struct tres_record), &kinds);
	*multifactor = (struct fl_multifactor){ .pass = record.pass,
						.is_2009 = record.version == PRIORITY_2009,
						.has_fair_tree = record.method == FAIRSHARE_FAIR_TREE,
						.accrue_always = record.flags & FLAG_ACCRUE_ALWAYS,
						.calculate_running = record.flags & FLAG_CALCULATE_RUNNING,
						.incr_only = record.flags & FLAG_INCR_ONLY,
						.no_normal_tres = record.flags & FLAG_NO_NORMAL_TRES,
						.max_age = record.max_age,
						.weight_age = record.weight_age,
						.weight_assoc = record.weight_assoc,
						.weight_fairshare = record.weight_fairshare,
						.weight_job_size = record.weight_job_size,
						.weight_partition = record.weight_partition,
						.weight_qos = record.weight_qos,
						.weight_tres = view_string(&view->view, record.weight_tres),
						.ntres = kinds };
	return 0;
}

int fl_tres(const struct fl_view *view, size_t k, struct fl_tres *tres)
{
	struct tres_record record;

	if (!RECORD_COPY(view, TABLE_TRES, k, &record))
		return -ENOENT;
	*tres = (struct fl_tres){ view_string(&view->view, record.name), record.weight };
	return 0;
}

/* Factors of a job */

struct priced {				/* row of a job, and the inputs of its factors */
	uint32_t number, row, priority, association;
	uint16_t flags;
	int64_t submission, accrue;
	struct class_record class;
	struct extra_record extra;
	struct shape_record shape;
	struct association_record share;
	struct multifactor_record all;
};

static const struct extra_record no_extra;
static const struct association_record no_share;

static int priced_read(const struct fl_view *view, uint32_t row, struct priced *priced)
{
	const struct job_facts *facts = records_facts(&view->view, row);
	const struct job_results *results = records_results(&view->view, row);
	const struct multifactor_results *own = records_multifactor(&view->view, row);
	size_t i = row % CHUNK_ROWS;
	uint32_t extra, shape;

	if (!facts || !results || !own || !RECORD_COPY(view, TABLE_MULTIFACTOR, 0, &priced->all))
		return -ENOENT;
	priced->row = row;
	priced->number = LOAD_ONCE(facts->number[i]);
	priced->submission = LOAD_ONCE(facts->submission[i]);
	priced->accrue = LOAD_ONCE(own->accrue[i]);
	priced->priority = LOAD_ONCE(own->priority[i]);
	priced->association = LOAD_ONCE(own->association[i]);
	priced->flags = LOAD_ONCE(results->flags[i]);
	extra = LOAD_ONCE(facts->extra[i]);
	if (!RECORD_COPY(view, TABLE_CLASSES, LOAD_ONCE(facts->class_id[i]), &priced->class))
		priced->class = (struct class_record){ .owner = NONE, .account = NONE };
	if (extra == NONE || !RECORD_COPY(view, TABLE_EXTRAS, extra, &priced->extra))
		priced->extra = no_extra;
	shape = priced->extra.allocated && !(priced->flags & JOB_PENDING) ? priced->extra.allocated - 1
									  : LOAD_ONCE(facts->category[i]);
	if (!RECORD_COPY(view, TABLE_SHAPES, shape, &priced->shape))
		priced->shape = (struct shape_record){ .first = NONE, .qos = NONE };
	if (priced->association == NONE || !RECORD_COPY(view, TABLE_ASSOCIATIONS, priced->association, &priced->share))
		priced->share = no_share;
	return priced->number ? 0 : -ENOENT;
}

/*
 * Read partition `k` of a job; false if there is none. A job without partitions has one empty row.
 */
static bool partition_read(const struct fl_view *view, const struct priced *priced, size_t k,
			   struct shape_partition_record *place, struct partition_record *partition)
{
	*place = (struct shape_partition_record){ NONE, NONE };
	*partition = (struct partition_record){ .name = NONE };
	if (priced->shape.count == 0)
		return k == 0;
	return k < priced->shape.count &&
	       RECORD_COPY(view, TABLE_SHAPE_PARTITIONS, (uint64_t)priced->shape.first + k, place) &&
	       RECORD_COPY(view, TABLE_PARTITIONS, place->partition, partition);
}

/*
 * Find the TRES factors of one partition. Their position is checked once, so that an index that
 * changes meanwhile cannot lead outside the table.
 */
static void find_tres(const struct fl_view *view, const struct shape_partition_record *place,
		      struct fl_factors *fl_factors)
{
	uint64_t all, kinds;
	const double *factors = view_table(&view->view, TABLE_TRES_FACTORS, sizeof(double), &all);

	view_table(&view->view, TABLE_TRES, sizeof(struct tres_record), &kinds);
	if (place->tres == NONE || kinds == 0 || kinds > TRES_MOST || place->tres > all || kinds > all - place->tres)
		return;
	fl_factors->tres = factors + place->tres;
	fl_factors->ntres = (uint32_t)kinds;
}

static double weighted_tres(const struct fl_view *view, const struct fl_factors *factors)
{
	struct tres_record kind;
	double sum = 0.0;

	for (uint32_t k = 0; k < factors->ntres && RECORD_COPY(view, TABLE_TRES, k, &kind); k++)
		sum += kind.weight * factors->tres[k];
	return sum;
}

static int64_t eligible_time(const struct priced *priced)
{
	if (priced->extra.numbers.eligible_time)
		return priced->extra.numbers.eligible_time;
	if (priced->extra.numbers.execution_time)
		return priced->extra.numbers.execution_time > priced->submission ? priced->extra.numbers.execution_time
										 : priced->submission;
	return priced->flags & JOB_PREDECESSOR ? 0 : priced->submission;
}

static void describe(const struct fl_view *view, const struct priced *priced, const struct partition_record *partition,
		     struct fl_factors *factors)
{
	*factors = (struct fl_factors){ .job_number = priced->number,
					.owner = view_string(&view->view, priced->class.owner),
					.account = view_string(&view->view, priced->class.account),
					.partition = view_string(&view->view, partition->name),
					.qos = view_string(&view->view, priced->shape.qos),
					.is_started = !(priced->flags & JOB_PENDING),
					.is_held = priced->flags & (JOB_ON_HOLD | JOB_IN_ERROR),
					.priority = priced->priority,
					.submission_time = priced->submission,
					.eligible_time = eligible_time(priced),
					.accrue_time = priced->accrue };
}

static void weigh(const struct priced *priced, double partition, double tres, struct fl_factors *factors)
{
	const struct multifactor_record *all = &priced->all;
	struct multifactor_terms terms;

	factors->age = all->weight_age ? age_factor(all->pass, priced->accrue, all->max_age) : 0.0;
	factors->assoc = all->weight_assoc ? priced->share.assoc_factor : 0.0;
	factors->fairshare = all->weight_fairshare ? priced->share.factor : 0.0;
	factors->job_size = priced->shape.size_factor;
	factors->partition_factor = partition;
	factors->job_qos = priced->shape.qos_factor;
	factors->site = priced->extra.numbers.site_factor;
	factors->nice = priced->extra.numbers.nice;
	terms = (struct multifactor_terms){
		.age = factors->weighted_age = all->weight_age * factors->age,
		.assoc = factors->weighted_assoc = all->weight_assoc * factors->assoc,
		.fairshare = factors->weighted_fairshare = all->weight_fairshare * factors->fairshare,
		.job_size = factors->weighted_job_size = all->weight_job_size * factors->job_size,
		.partition = factors->weighted_partition = all->weight_partition * factors->partition_factor,
		.qos = factors->weighted_qos = all->weight_qos * factors->job_qos,
		.tres = factors->weighted_tres = tres,
		.site = factors->site,
		.nice = factors->nice
	};
	factors->sum = multifactor_sum(&terms);
	factors->sum = factors->sum < multifactor_least(all->version == PRIORITY_2009)
			       ? multifactor_least(all->version == PRIORITY_2009)
			       : factors->sum;
}

static int factors_fill(const struct fl_view *view, uint32_t row, size_t k, struct fl_factors *factors)
{
	struct shape_partition_record place;
	struct partition_record partition;
	struct priced priced;

	if (priced_read(view, row, &priced) || !partition_read(view, &priced, k, &place, &partition))
		return -ENOENT;
	describe(view, &priced, &partition, factors);
	factors->partitions = priced.shape.count ? priced.shape.count : 1;
	factors->direct_priority = priced.extra.numbers.direct_priority;
	if (factors->direct_priority) {
		factors->sum = factors->direct_priority;
		return 0;
	}
	find_tres(view, &place, factors);
	weigh(&priced, partition.factor, weighted_tres(view, factors), factors);
	return 0;
}

int fl_factors(const struct fl_view *view, uint32_t job_number, size_t k, struct fl_factors *factors)
{
	uint32_t row = row_find(view, job_number);

	return row == NONE ? -ENOENT : factors_fill(view, row, k, factors);
}

/*
 * Rows to prefetch ahead, as in jobs.c: a list is read from its beginning to its end. For another
 * order use fl_factors().
 */
#define AHEAD 12u

static void ahead_prefetch(const struct fl_view *view, size_t k)
{
	uint32_t index;

	if (!RECORD_COPY(view, TABLE_ORDER, k + AHEAD, &index))
		return;
	const struct job_facts *facts = records_facts(&view->view, index);
	const struct job_results *results = records_results(&view->view, index);
	const struct multifactor_results *own = records_multifactor(&view->view, index);
	size_t i = index % CHUNK_ROWS;

	if (!facts || !results || !own)
		return;
	__builtin_prefetch(&facts->number[i]);
	__builtin_prefetch(&facts->class_id[i]);
	__builtin_prefetch(&facts->category[i]);
	__builtin_prefetch(&facts->extra[i]);
	__builtin_prefetch(&facts->submission[i]);
	__builtin_prefetch(&own->accrue[i]);
	__builtin_prefetch(&own->priority[i]);
	__builtin_prefetch(&own->association[i]);
	__builtin_prefetch(&results->flags[i]);
}

int fl_list_factors(const struct fl_view *view, enum fl_list list, size_t row, size_t k, struct fl_factors *factors)
{
	struct task_record task;
	uint32_t index;

	if (list == FL_STARTED)
		return RECORD_COPY(view, TABLE_TASKS, row, &task) ? factors_fill(view, task.job_row, k, factors)
								  : -ENOENT;
	if (k == 0)
		ahead_prefetch(view, row);
	return RECORD_COPY(view, TABLE_ORDER, row, &index) ? factors_fill(view, index, k, factors) : -ENOENT;
}

/* Associations */

size_t fl_associations(const struct fl_view *view)
{
	uint64_t count;

	view_table(&view->view, TABLE_ASSOCIATIONS, sizeof(struct association_record), &count);
	return count;
}

const char *fl_tres_kind(const struct fl_view *view, size_t k)
{
	uint32_t name;

	return k < TRES_MOST && RECORD_COPY(view, TABLE_TRES_KINDS, k, &name) ? view_string(&view->view, name) : NULL;
}

static void find_run_minutes(const struct fl_view *view, uint32_t first, struct fl_association *association)
{
	uint64_t all, kinds;
	const uint64_t *minutes = view_table(&view->view, TABLE_RUN_MINUTES, sizeof(*minutes), &all);

	view_table(&view->view, TABLE_TRES_KINDS, sizeof(uint32_t), &kinds);
	if (first == NONE || kinds > TRES_MOST || first > all || kinds > all - first)
		return;
	association->tres_run_minutes = minutes + first;
	association->ntres = (uint32_t)kinds;
}

int fl_association(const struct fl_view *view, size_t k, struct fl_association *association)
{
	struct association_record record;

	if (!RECORD_COPY(view, TABLE_ASSOCIATIONS, k, &record))
		return -ENOENT;
	*association = (struct fl_association){ .account = view_string(&view->view, record.account),
						.user = view_string(&view->view, record.user),
						.partition = view_string(&view->view, record.partition),
						.parent = record.parent == NONE ? -1 : (int32_t)record.parent,
						.depth = record.depth,
						.is_user = record.user != NONE,
						.has_parent_shares = record.shares == SHARES_PARENT,
						.shares = record.shares,
						.priority = record.priority,
						.norm_shares = record.norm_shares,
						.raw_usage = record.usage,
						.norm_usage = record.norm_usage,
						.effective_usage = record.effective_usage,
						.fairshare = record.factor,
						.level_fs = record.level_fs,
						.rank = record.rank,
						.running_tasks = record.running,
						.group_tres_minutes = view_string(&view->view, record.group_minutes) };
	find_run_minutes(view, record.run_minutes, association);
	return 0;
}
