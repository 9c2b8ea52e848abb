/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slurm's priorities: a job's factors, derived from what is stored with the functions that the
 * scheduler uses; associations.
 */
#include "conf/slurm.h"
#include "sched/reader/handle.h"
#include "urgency/multifactor.h"

/* What holds for all */

int fl_multifactor(const struct fl_view *view, struct fl_multifactor *multifactor)
{
	struct multifactor_record r;
	uint64_t kinds;

	if (!RECORD_COPY(view, TABLE_MULTIFACTOR, 0, &r))
		return -ENOENT;
	view_table(&view->view, TABLE_TRES, sizeof(struct tres_record), &kinds);
	*multifactor = (struct fl_multifactor){
		.pass = r.pass, .is_2009 = r.version == PRIORITY_2009, .has_fair_tree = r.method == FAIRSHARE_FAIR_TREE,
		.accrue_always = r.flags & FLAG_ACCRUE_ALWAYS, .calculate_running = r.flags & FLAG_CALCULATE_RUNNING,
		.incr_only = r.flags & FLAG_INCR_ONLY, .no_normal_tres = r.flags & FLAG_NO_NORMAL_TRES, .max_age = r.max_age,
		.weight_age = r.weight_age, .weight_assoc = r.weight_assoc, .weight_fairshare = r.weight_fairshare,
		.weight_job_size = r.weight_job_size, .weight_partition = r.weight_partition, .weight_qos = r.weight_qos,
		.weight_tres = view_string(&view->view, r.weight_tres), .ntres = kinds };
	return 0;
}

int fl_tres(const struct fl_view *view, size_t k, struct fl_tres *tres)
{
	struct tres_record r;

	if (!RECORD_COPY(view, TABLE_TRES, k, &r))
		return -ENOENT;
	*tres = (struct fl_tres){ view_string(&view->view, r.name), r.weight };
	return 0;
}

/* Factors of a job */

struct priced {				/* a job's row, and what its factors come from */
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

static int priced_read(const struct fl_view *view, uint32_t row, struct priced *p)
{
	const struct job_facts *facts = records_facts(&view->view, row);
	const struct job_results *results = records_results(&view->view, row);
	const struct multifactor_results *own = records_multifactor(&view->view, row);
	size_t i = row % CHUNK_ROWS;
	uint32_t extra, shape;

	if (!facts || !results || !own || !RECORD_COPY(view, TABLE_MULTIFACTOR, 0, &p->all))
		return -ENOENT;
	p->row = row;
	p->number = LOAD_ONCE(facts->number[i]);
	p->submission = LOAD_ONCE(facts->submission[i]);
	p->accrue = LOAD_ONCE(own->accrue[i]);
	p->priority = LOAD_ONCE(own->priority[i]);
	p->association = LOAD_ONCE(own->association[i]);
	p->flags = LOAD_ONCE(results->flags[i]);
	extra = LOAD_ONCE(facts->extra[i]);
	if (!RECORD_COPY(view, TABLE_CLASSES, LOAD_ONCE(facts->class_id[i]), &p->class))
		p->class = (struct class_record){ .owner = NONE, .account = NONE };
	if (extra == NONE || !RECORD_COPY(view, TABLE_EXTRAS, extra, &p->extra))
		p->extra = no_extra;
	shape = p->extra.allocated && !(p->flags & JOB_PENDING) ? p->extra.allocated - 1 : LOAD_ONCE(facts->category[i]);
	if (!RECORD_COPY(view, TABLE_SHAPES, shape, &p->shape))
		p->shape = (struct shape_record){ .first = NONE, .qos = NONE };
	if (p->association == NONE || !RECORD_COPY(view, TABLE_ASSOCIATIONS, p->association, &p->share))
		p->share = no_share;
	return p->number ? 0 : -ENOENT;
}

/*
 * The k-th partition: false if there is none. A job that has none at all has one row all the same.
 */
static bool partition_read(const struct fl_view *view, const struct priced *p, size_t k, struct shape_partition_record *place,
			   struct partition_record *partition)
{
	*place = (struct shape_partition_record){ NONE, NONE };
	*partition = (struct partition_record){ .name = NONE };
	if (p->shape.count == 0)
		return k == 0;
	return k < p->shape.count && RECORD_COPY(view, TABLE_SHAPE_PARTITIONS, (uint64_t)p->shape.first + k, place) &&
	       RECORD_COPY(view, TABLE_PARTITIONS, place->partition, partition);
}

/*
 * What lies in one partition's place of the table is checked once: an index that changes meanwhile
 * can't lead outside.
 */
static void find_tres(const struct fl_view *view, const struct shape_partition_record *place, struct fl_factors *f)
{
	uint64_t all, kinds;
	const double *factors = view_table(&view->view, TABLE_TRES_FACTORS, sizeof(double), &all);

	view_table(&view->view, TABLE_TRES, sizeof(struct tres_record), &kinds);
	if (place->tres == NONE || kinds == 0 || kinds > TRES_MOST || place->tres > all || kinds > all - place->tres)
		return;
	f->tres = factors + place->tres;
	f->ntres = (uint32_t)kinds;
}

static double weighted_tres(const struct fl_view *view, const struct fl_factors *f)
{
	struct tres_record kind;
	double sum = 0.0;

	for (uint32_t k = 0; k < f->ntres && RECORD_COPY(view, TABLE_TRES, k, &kind); k++)
		sum += kind.weight * f->tres[k];
	return sum;
}

static int64_t eligible_time(const struct priced *p)
{
	if (p->extra.numbers.eligible_time)
		return p->extra.numbers.eligible_time;
	if (p->extra.numbers.execution_time)
		return p->extra.numbers.execution_time > p->submission ? p->extra.numbers.execution_time : p->submission;
	return p->flags & JOB_PREDECESSOR ? 0 : p->submission;
}

static void describe(const struct fl_view *view, const struct priced *p, const struct partition_record *partition, struct fl_factors *f)
{
	*f = (struct fl_factors){
		.job_number = p->number, .owner = view_string(&view->view, p->class.owner), .account = view_string(&view->view, p->class.account),
		.partition = view_string(&view->view, partition->name), .qos = view_string(&view->view, p->shape.qos),
		.is_started = !(p->flags & JOB_PENDING), .is_held = p->flags & (JOB_ON_HOLD | JOB_IN_ERROR), .priority = p->priority,
		.submission_time = p->submission, .eligible_time = eligible_time(p), .accrue_time = p->accrue };
}

static void weigh(const struct priced *p, double partition, double tres, struct fl_factors *f)
{
	const struct multifactor_record *all = &p->all;
	struct multifactor_terms terms;

	f->age = all->weight_age ? age_factor(all->pass, p->accrue, all->max_age) : 0.0;
	f->assoc = all->weight_assoc ? p->share.assoc_factor : 0.0;
	f->fairshare = all->weight_fairshare ? p->share.factor : 0.0;
	f->job_size = p->shape.size_factor;
	f->partition_factor = partition;
	f->job_qos = p->shape.qos_factor;
	f->site = p->extra.numbers.site_factor;
	f->nice = p->extra.numbers.nice;
	terms = (struct multifactor_terms){
		.age = f->weighted_age = all->weight_age * f->age, .assoc = f->weighted_assoc = all->weight_assoc * f->assoc,
		.fairshare = f->weighted_fairshare = all->weight_fairshare * f->fairshare,
		.job_size = f->weighted_job_size = all->weight_job_size * f->job_size,
		.partition = f->weighted_partition = all->weight_partition * f->partition_factor,
		.qos = f->weighted_qos = all->weight_qos * f->job_qos, .tres = f->weighted_tres = tres, .site = f->site, .nice = f->nice };
	f->sum = multifactor_sum(&terms);
	f->sum = f->sum < multifactor_least(all->version == PRIORITY_2009) ? multifactor_least(all->version == PRIORITY_2009) : f->sum;
}

static int factors_fill(const struct fl_view *view, uint32_t row, size_t k, struct fl_factors *f)
{
	struct shape_partition_record place;
	struct partition_record partition;
	struct priced p;

	if (priced_read(view, row, &p) || !partition_read(view, &p, k, &place, &partition))
		return -ENOENT;
	describe(view, &p, &partition, f);
	f->partitions = p.shape.count ? p.shape.count : 1;
	f->direct_priority = p.extra.numbers.direct_priority;
	if (f->direct_priority) {
		f->sum = f->direct_priority;
		return 0;
	}
	find_tres(view, &place, f);
	weigh(&p, partition.factor, weighted_tres(view, f), f);
	return 0;
}

int fl_factors(const struct fl_view *view, uint32_t job_number, size_t k, struct fl_factors *factors)
{
	uint32_t row = row_find(view, job_number);

	return row == NONE ? -ENOENT : factors_fill(view, row, k, factors);
}

/*
 * As in jobs.c: a list is read from its beginning to its end. Who wants jobs in another order looks
 * them up.
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
		return RECORD_COPY(view, TABLE_TASKS, row, &task) ? factors_fill(view, task.job_row, k, factors) : -ENOENT;
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

static void find_run_minutes(const struct fl_view *view, uint32_t first, struct fl_association *a)
{
	uint64_t all, kinds;
	const uint64_t *minutes = view_table(&view->view, TABLE_RUN_MINUTES, sizeof(*minutes), &all);

	view_table(&view->view, TABLE_TRES_KINDS, sizeof(uint32_t), &kinds);
	if (first == NONE || kinds > TRES_MOST || first > all || kinds > all - first)
		return;
	a->tres_run_minutes = minutes + first;
	a->ntres = (uint32_t)kinds;
}

int fl_association(const struct fl_view *view, size_t k, struct fl_association *a)
{
	struct association_record r;

	if (!RECORD_COPY(view, TABLE_ASSOCIATIONS, k, &r))
		return -ENOENT;
	*a = (struct fl_association){
		.account = view_string(&view->view, r.account), .user = view_string(&view->view, r.user),
		.partition = view_string(&view->view, r.partition), .parent = r.parent == NONE ? -1 : (int32_t)r.parent, .depth = r.depth,
		.is_user = r.user != NONE, .has_parent_shares = r.shares == SHARES_PARENT, .shares = r.shares, .priority = r.priority,
		.norm_shares = r.norm_shares, .raw_usage = r.usage, .norm_usage = r.norm_usage, .effective_usage = r.effective_usage,
		.fairshare = r.factor, .level_fs = r.level_fs, .rank = r.rank, .running_tasks = r.running,
		.group_tres_minutes = view_string(&view->view, r.group_minutes) };
	find_run_minutes(view, r.run_minutes, a);
	return 0;
}
