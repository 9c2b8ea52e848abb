/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of jobs, tasks and associations for Slurm's priorities: fairlead-events(5). */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/columns.h"
#include "conf/slurm.h"
#include "sched/mirror/inside.h"
#include "tickets/billable.h"

/* Copy the first name of a list to `name`. */
static const char *first_name(const char *list, char *name, size_t size)
{
	size_t n = strcspn(list, ",");

	if (n >= size)
		return "";
	memcpy(name, list, n);
	name[n] = '\0';
	return name;
}

/* Return the first partition of a list, or the default partition if it is empty. NULL: none. */
static const struct slurm_partition *first_partition(const struct slurm_conf *conf, const char *list)
{
	char name[NAME_MOST + 1];

	if (*first_name(list, name, sizeof(name)))
		return slurm_partition(conf, name);
	return conf->default_partition == UINT32_MAX ? NULL : &conf->partitions[conf->default_partition];
}

/* Jobs */

static char *lower_case(const char *account)
{
	char *lower = strdup(account);

	for (char *c = lower; c && *c; c++)
		*c = (char)tolower((unsigned char)*c);
	return lower;
}

const char *slurm_account(const struct mirror *mirror, const char *owner, const char *account, char **copy)
{
	const char *reported = account && *account ? account : slurm_default_account(&mirror->cell->slurm, owner);

	*copy = NULL;
	for (const char *c = reported ? reported : ""; *c; c++)
		if (isupper((unsigned char)*c))
			return *copy = lower_case(reported);
	return reported ? reported : "";
}

const char *slurm_qos_of(const struct mirror *mirror, uint32_t class_id, const char *partitions, const char *qos)
{
	const struct slurm_conf *conf = &mirror->cell->slurm;
	const struct class_key *class = classes_key(&mirror->classes, class_id);
	const struct slurm_partition *partition;

	if (qos && *qos)
		return qos;
	if (!conf->qos_by_association)
		return slurm_default_qos(conf, UINT32_MAX);
	partition = first_partition(conf, partitions ? partitions : "");
	return slurm_default_qos(conf, slurm_association(conf, mirror_text(mirror, class->account),
							 mirror_text(mirror, class->owner),
							 partition ? partition->name : ""));
}

int slurm_check_tres(const struct mirror *mirror, const char *tres, struct error *error)
{
	double counts[TRES_MOST];

	if (!mirror->cell->slurm.present || !tres || slurm_tres_parse(&mirror->cell->slurm, tres, counts) == 0)
		return 0;
	return error_set(
		error, -EINVAL,
		"\"tres\" is \"%.60s\": allowed is KIND=count, separated by commas, as in cpu=2,mem=4000M,node=1",
			tres);
}

void slurm_set_extra(struct job_extra *extra, const struct slurm_spec *slurm)
{
	if (slurm->given & SLURM_ELIGIBLE_TIME)
		extra->numbers.eligible_time = slurm->eligible_time;
	if (slurm->given & SLURM_NICE)
		extra->numbers.nice = slurm->nice;
	if (slurm->given & SLURM_SITE_FACTOR)
		extra->numbers.site_factor = slurm->site_factor;
	if (slurm->given & SLURM_DIRECT_PRIORITY)
		extra->numbers.direct_priority = slurm->direct_priority;
}

struct request_size slurm_changed_size(const struct slurm_spec *slurm, const struct request_size *old)
{
	return (struct request_size){ .nodes = slurm->given & SLURM_NODES ? slurm->nodes : old->nodes,
				      .cpus = slurm->given & SLURM_CPUS ? slurm->cpus : old->cpus,
				      .time_limit =
					      slurm->given & SLURM_TIME_LIMIT ? slurm->time_limit : old->time_limit };
}

/* Allocation */

/* Return the allocated partition, followed by the other partitions that the job requests. */
static char *partitions_allocated(const struct mirror *mirror, const char *partition, uint32_t asked)
{
	const char *others = mirror_text(mirror, asked);
	char *list = NULL;

	if (!partition || !*partition)
		return strdup(others);
	return asprintf(&list, "%s%s%s", partition, *others ? "," : "", others) < 0 ? NULL : list;
}

/* Set the allocated tres. The number of processors is taken from it if it has any. */
static void tres_allocated(const struct mirror *mirror, const char *tres, struct slurm_spec *slurm)
{
	double counts[TRES_MOST] = { 0 };

	if (!tres || !*tres)
		return;
	slurm->given |= SLURM_TRES;
	slurm->tres = tres;
	if (slurm_tres_parse(&mirror->cell->slurm, tres, counts) == 0 && counts[TRES_CPU] > 0.0)
		slurm->given |= SLURM_CPUS;
}

int slurm_allocation(struct mirror *mirror, struct state *state, uint32_t row, const struct allocated *allocated,
		     uint32_t *id, struct error *error)
{
	uint32_t asked = job_fact(&state->jobs, row, category);
	struct job_spec spec = { .slurm.given = SLURM_PARTITION };
	char *partitions;
	int rc;

	*id = NONE;
	if (!mirror->cell->slurm.present || !allocated ||
	    ((!allocated->partition || !*allocated->partition) && (!allocated->tres || !*allocated->tres)))
		return 0;
	spec.slurm.partition = partitions =
		partitions_allocated(mirror, allocated->partition, requests_key(&mirror->requests, asked)->partition);
	tres_allocated(mirror, allocated->tres, &spec.slurm);
	if (!partitions || jobs_reserve_row(&state->jobs, row) || !jobs_extra(&state->jobs, row))
		rc = error_set(error, -ENOMEM, "out of memory");
	else
		rc = request_changed(mirror, &spec, job_fact(&state->jobs, row, class_id), asked, id, error);
	free(partitions);
	return rc;
}

int slurm_changed_allocation(struct mirror *mirror, struct state *state, uint32_t row, uint32_t class_id,
			     const struct job_spec *spec, uint32_t *id, struct error *error)
{
	const struct job_extra *extra = jobs_find_extra(&state->jobs, row);
	struct job_spec rest = *spec;

	*id = NONE;
	if (!extra || extra->allocated == NONE)
		return 0;
	rest.slurm.given &= ~(uint32_t)(SLURM_PARTITION | SLURM_TRES | SLURM_CPUS);
	return request_changed(mirror, &rest, class_id, extra->allocated, id, error);
}

uint32_t slurm_set_allocation(struct jobs *jobs, uint32_t row, uint32_t id)
{
	struct job_extra *extra = jobs_find_extra(jobs, row);
	uint32_t old = extra ? extra->allocated : NONE;

	if (extra)
		extra->allocated = id;
	return old;
}

/* Charges of a task */

static const struct slurm_partition *partition_of(const struct mirror *mirror, const struct request_key *request,
						  const struct task *task)
{
	if (task->partition != NONE)
		return slurm_partition(&mirror->cell->slurm, mirror_text(mirror, task->partition));
	return first_partition(&mirror->cell->slurm, mirror_text(mirror, request->partition));
}

/* Count resources by TRES. Without a tres list, a job has its requested nodes, at least one. */
static void counts_of(const struct mirror *mirror, const struct request_key *request, const struct task *task,
		      double counts[TRES_MOST])
{
	const char *tres = mirror_text(mirror, task->tres != NONE ? task->tres : request->tres);

	memset(counts, 0, TRES_MOST * sizeof(*counts));
	if (!*tres || slurm_tres_parse(&mirror->cell->slurm, tres, counts))
		counts[TRES_NODE] = request->size.nodes ? request->size.nodes : 1;
	if (counts[TRES_CPU] == 0.0)
		counts[TRES_CPU] = task->slots;
}

/* Return the billable resources: according to the partition's weights, otherwise the processors. */
static double billable_of(const struct slurm_conf *conf, const struct slurm_partition *partition,
			  const double counts[TRES_MOST])
{
	if (!partition || !partition->has_billing || conf->version == PRIORITY_2009)
		return counts[TRES_CPU];
	return billable(&(struct billable_rule){ .n = conf->ntres,
						 .names = (const char *const *)conf->tres,
						 .weights = partition->billing,
						 .max = conf->flags & FLAG_MAX_TRES,
						 .max_with_gres_added = conf->flags & FLAG_MAX_TRES_GRES },
			counts);
}

/*
 * Return UsageFactor of the job's QOS. In Slurm of 2009 a factor of 0 counted as not set; negative
 * factors never count.
 */
static double usage_factor(const struct slurm_conf *conf, const char *name)
{
	const struct slurm_qos *qos = slurm_qos(conf, name);

	if (!qos || qos->usage_factor < 0.0 || (qos->usage_factor == 0.0 && conf->version == PRIORITY_2009))
		return 1.0;
	return qos->usage_factor;
}

/* Return the job's own limit, otherwise the maximum of its partition. */
static uint32_t time_limit(const struct request_key *request, const struct slurm_partition *partition)
{
	if (request->size.time_limit != NONE)
		return request->size.time_limit;
	return partition ? partition->max_time : SLURM_INFINITE;
}

void mirror_allocation(const struct mirror *mirror, const struct state *state, const struct task *task,
		       struct allocation *allocation)
{
	const struct slurm_conf *conf = &mirror->cell->slurm;
	const struct request_key *request =
		requests_key(&mirror->requests, job_fact(&state->jobs, task->row, category));
	const struct slurm_partition *partition = partition_of(mirror, request, task);

	allocation->partition = partition ? (uint32_t)(partition - conf->partitions) : UINT32_MAX;
	allocation->time_limit = time_limit(request, partition);
	allocation->usage_factor = usage_factor(conf, mirror_text(mirror, request->qos));
	counts_of(mirror, request, task, allocation->counts);
	allocation->billable = billable_of(conf, partition, allocation->counts);
	if (!isfinite(allocation->billable) || allocation->billable < 0.0)
		allocation->billable = 0.0;
	if (allocation->counts[TRES_BILLING] == 0.0)
		allocation->counts[TRES_BILLING] = allocation->billable;
}

struct charge mirror_charge(const struct mirror *mirror, const struct state *state, const struct task *task)
{
	const struct slurm_conf *conf = &mirror->cell->slurm;
	const struct class_key *class = classes_key(&mirror->classes, job_fact(&state->jobs, task->row, class_id));
	struct allocation allocation;
	double rate;

	mirror_allocation(mirror, state, task, &allocation);
	rate = allocation.billable * allocation.usage_factor;
	return (struct charge){ .association = slurm_association(conf, mirror_text(mirror, class->account),
								 mirror_text(mirror, class->owner),
								 allocation.partition == UINT32_MAX
									 ? ""
									 : conf->partitions[allocation.partition].name),
				.rate = isfinite(rate) ? rate : 0.0 };
}

/* association_usage */

static int text_hold(struct mirror *mirror, const char *text, uint32_t *id)
{
	*id = *text ? strings_hold(mirror->strings, text) : NONE;
	return *id == NONE && *text ? -ENOMEM : 0;
}

static void reported_drop(struct mirror *mirror, const struct reported_usage *reported)
{
	strings_drop(mirror->strings, reported->account);
	strings_drop(mirror->strings, reported->user);
	strings_drop(mirror->strings, reported->partition);
}

static int reported_reserve(struct state *state, size_t more)
{
	return array_reserve(&state->reported_usage_capacity, state->ntold_usage + more, COLUMN(state->reported_usage));
}

int mirror_association_usage(struct mirror *mirror, const char *account, const char *user, const char *partition,
			     double usage, int64_t time_stamp, struct error *error)
{
	struct state *state = mirror_target(mirror);
	struct reported_usage reported = {
		.account = NONE, .user = NONE, .partition = NONE, .usage = usage, .time_stamp = time_stamp
	};
	char *lower = lower_case(account);
	int rc = lower ? 0 : error_set(error, -ENOMEM, "out of memory");

	if (rc == 0 && (!isfinite(usage) || usage < 0.0))
		rc = error_set(error, -EINVAL, "\"usage_raw\" is %g: allowed are 0 to %g", usage, TICKETS_LIMIT);
	if (rc == 0 &&
	    slurm_association(&mirror->cell->slurm, lower, user ? user : "", partition ? partition : "") == UINT32_MAX)
		rc = error_set(error, -ENOENT, "the cell has no association of user \"%.60s\" with account \"%.60s\"",
			       user ? user : "", lower);
	if (rc == 0 && (reported_reserve(state, 1) || text_hold(mirror, lower, &reported.account) ||
			text_hold(mirror, user ? user : "", &reported.user) ||
			text_hold(mirror, partition ? partition : "", &reported.partition)))
		rc = error_set(error, -ENOMEM, "out of memory");
	if (rc == 0)
		state->reported_usage[state->ntold_usage++] = reported;
	else
		reported_drop(mirror, &reported);
	free(lower);
	return rc;
}

void slurm_forget_reported(struct mirror *mirror, struct state *state, bool stamped)
{
	size_t n = 0;

	for (size_t i = 0; i < state->ntold_usage; i++)
		if (stamped && state->reported_usage[i].time_stamp == 0)
			state->reported_usage[n++] = state->reported_usage[i];
		else
			reported_drop(mirror, &state->reported_usage[i]);
	state->ntold_usage = n;
}

/* Snapshots */

/* Return the row of a job that still exists. NONE: it does not. */
static uint32_t same_job(const struct jobs *from, uint32_t old, const struct jobs *to)
{
	uint32_t row = jobs_find(to, job_fact(from, old, number));

	return row != INDEX_NONE && job_fact(to, row, submission) == job_fact(from, old, submission) ? row : NONE;
}

/*
 * Create extra records for jobs that depended on others, even if the snapshot does not show it any
 * more.
 */
static int reserve_extras(const struct jobs *from, struct jobs *to)
{
	for (size_t i = 0; i < from->list_end; i++) {
		const struct job_extra *extra = from->list[i] == NONE ? NULL : jobs_find_extra(from, from->list[i]);
		uint32_t row = extra && extra->depends ? same_job(from, from->list[i], to) : NONE;

		if (row != NONE && (jobs_reserve_row(to, row) || !jobs_extra(to, row)))
			return -ENOMEM;
	}
	return 0;
}

int slurm_reserve_kept(const struct state *from, struct state *to)
{
	if (reported_reserve(to, from->ntold_usage))
		return -ENOMEM;
	return from->jobs.slurm && (jobs_reserve_slurm(&to->jobs) || reserve_extras(&from->jobs, &to->jobs)) ? -ENOMEM
													     : 0;
}

/* Keep the eligible time, which was set when the last dependency ended. */
static void keep_eligible(const struct job_extra *from, struct job_extra *to)
{
	if (!from || !to || !from->depends)
		return;
	to->depends = true;
	if (to->numbers.eligible_time == 0)
		to->numbers.eligible_time = from->numbers.eligible_time;
}

/* Keep the ages of jobs that still exist. */
static void keep_ages(const struct jobs *from, struct jobs *to)
{
	for (size_t i = 0; from->slurm && i < to->list_end; i++) {
		uint32_t row = to->list[i], old = row == NONE ? NONE : same_job(to, row, from);

		if (old == NONE)
			continue;
		if (to->slurm[row].accrue == 0)
			to->slurm[row].accrue = from->slurm[old].accrue;
		to->slurm[row].priority = from->slurm[old].priority;
		keep_eligible(jobs_find_extra(from, old), jobs_find_extra(to, row));
	}
}

void slurm_keep(struct state *from, struct state *to)
{
	if (from->ntold_usage > 0) {
		memmove(to->reported_usage + from->ntold_usage, to->reported_usage, to->ntold_usage * sizeof(*to->reported_usage));
		memcpy(to->reported_usage, from->reported_usage, from->ntold_usage * sizeof(*to->reported_usage));
	}
	to->ntold_usage += from->ntold_usage;
	from->ntold_usage = 0;
	keep_ages(&from->jobs, &to->jobs);
}
