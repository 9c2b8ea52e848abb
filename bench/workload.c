/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/workload.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cell.h"
#include "conf/lists.h"

#define MEAN_LOG_S 6.0			/* run times: lognormal, median e^6 = 400 s */
#define SPREAD_LOG_S 2.0
#define LONGEST_S 86400

/* Jobs */

static double uniform(struct workload_jobs *jobs)
{
	return (next_random(&jobs->random) >> 8) / (double)(1 << 24);
}

/* Return an approximately normal value as a sum of twelve uniform ones. */
static double normal(struct workload_jobs *jobs)
{
	double sum = -6.0;

	for (int i = 0; i < 12; i++)
		sum += uniform(jobs);
	return sum;
}

static uint32_t slots_of(struct workload_jobs *jobs)
{
	uint64_t most = jobs->shape->slots / 8 > 0 ? jobs->shape->slots / 8 : 1;
	double bits = log2((double)most) * uniform(jobs) * uniform(jobs);
	uint32_t slots = (uint32_t)exp2(uniform(jobs) < 0.75 ? floor(bits) : bits);

	return slots > 0 ? slots : 1;
}

static int64_t run_of(struct workload_jobs *jobs)
{
	double seconds = exp(MEAN_LOG_S + SPREAD_LOG_S * normal(jobs));

	return seconds < 1 ? 1 : seconds > LONGEST_S ? LONGEST_S : (int64_t)seconds;
}

/* Return a typical time limit that is not below the run time. */
static int64_t limit_of(struct workload_jobs *jobs, int64_t run_s)
{
	static const int64_t liked[] = { 300, 600, 1800, 3600, 2 * 3600, 4 * 3600, 8 * 3600, 12 * 3600, 24 * 3600 };
	double wanted = (double)run_s * (1.0 + 4.0 * uniform(jobs));

	for (size_t i = 0; i < sizeof(liked) / sizeof(*liked); i++)
		if ((double)liked[i] >= wanted)
			return liked[i];
	return liked[sizeof(liked) / sizeof(*liked) - 1];
}

void workload_begin(struct workload_jobs *jobs, const struct workload *shape)
{
	*jobs = (struct workload_jobs){ .shape = shape, .random = shape->seed ? shape->seed : 1 };
}

int workload_next(struct workload_jobs *jobs, struct trace_job *job)
{
	const struct workload *workload = jobs->shape;
	uint32_t slots, user;
	int64_t run_s;

	if (jobs->n >= workload->jobs)
		return 1;
	slots = slots_of(jobs);
	run_s = run_of(jobs);
	user = (uint32_t)((double)workload->users * uniform(jobs) * uniform(jobs));
	snprintf(jobs->user, sizeof(jobs->user), "u%u", user);
	snprintf(jobs->group, sizeof(jobs->group), "g%zu", user % workload->groups);
	*job = (struct trace_job){ .number = (uint32_t)++jobs->n,
				   .submit = WORKLOAD_BEGIN + (int64_t)jobs->at,
				   .run_s = run_s,
				   .limit_s = limit_of(jobs, run_s),
				   .slots = slots,
				   .cpu_s = -1,
				   .user = jobs->user,
				   .group = jobs->group,
				   .project = jobs->group };
	/* the next job arrives when the machine would have finished this one */
	jobs->at += (double)run_s * slots / ((double)workload->slots * workload->load) * -log(1.0 - uniform(jobs));
	return 0;
}

/* Groups */

static int groups_add(struct workload_groups *groups, const char *name)
{
	char **item = array_add(&groups->items, &groups->n, sizeof(*groups->items));

	return item && (*item = strdup(name)) ? 0 : -ENOMEM;
}

int workload_groups_made(const struct workload *shape, struct workload_groups *groups)
{
	char name[32];
	int rc = 0;

	for (size_t i = 0; i < shape->groups && rc == 0; i++) {
		snprintf(name, sizeof(name), "g%zu", i);
		rc = groups_add(groups, name);
	}
	return rc;
}

static int groups_note(struct workload_groups *groups, const char *name)
{
	const char **seen;

	for (size_t i = 0; i < groups->nseen; i++)
		if (groups->seen[i] == name)
			return 0;
	seen = array_add(&groups->seen, &groups->nseen, sizeof(*groups->seen));
	if (!seen)
		return -ENOMEM;
	*seen = name;
	return groups_add(groups, name);
}

int workload_groups_of_trace(struct workload *shape, const char *path, struct workload_groups *groups,
			     struct error *error)
{
	struct trace *trace;
	struct trace_job job;
	int rc = trace_open(&trace, path, NULL, error);

	while (rc == 0 && (rc = trace_next(trace, &job, error)) == 0)
		rc = job.project ? groups_note(groups, job.project) : 0;
	if (rc == 1) {
		const struct trace_about *about = trace_about(trace);

		rc = 0;
		if (!shape->slots)
			shape->slots = about->max_procs ? about->max_procs : about->slots_most;
	}
	trace_close(trace);
	return rc;
}

void workload_groups_free(struct workload_groups *groups)
{
	for (size_t i = 0; i < groups->n; i++)
		free(groups->items[i]);
	free(groups->items);
	free(groups->seen);
}

/* The cell */

static int put(struct cell_files *made, const char *name, char *text)
{
	struct cell_file *file = text ? array_add(&made->items, &made->n, sizeof(*file)) : NULL;

	if (!file || !(file->name = strdup(name))) {
		free(text);
		return -ENOMEM;
	}
	file->text = text;
	return 0;
}

static char *print(const char *format, ...)
{
	va_list values;
	char *text;

	va_start(values, format);
	if (vasprintf(&text, format, values) < 0)
		text = NULL;
	va_end(values);
	return text;
}

static char *policy_text(const struct workload_policy *policy)
{
	return print(
		"algorithm default\nschedule_interval %u\nmaxujobs 0\nqueue_sort_method load\n"
		"job_load_adjustments NONE\n"
		"load_adjustment_decay_time 0:0:0\nload_formula slots\nschedd_job_info false\nflush_submit_sec %u\n"
		"flush_finish_sec %u\n"
		"params none\nreprioritize_interval 0:0:0\nmax_reservation %u\ndefault_duration 24:0:0\nhalftime 168\n"
		"usage_weight_list cpu=1,mem=0,io=0\ncompensation_factor 5\nweight_user 0.25\nweight_project 0.25\n"
		"weight_department 0.25\nweight_job 0.25\nweight_tickets_functional 0\nweight_tickets_share 10000000\n"
		"share_override_tickets TRUE\nshare_functional_shares TRUE\nmax_functional_jobs_to_schedule 200\n"
		"report_pjob_tickets FALSE\nmax_pending_tasks_per_job 50\nhalflife_decay_list none\n"
		"policy_hierarchy OFS\n"
		"weight_ticket 1\nweight_waiting_time 0.001\nweight_deadline 0\nweight_urgency 0.1\n"
		"weight_priority 1\n",
		policy->interval, policy->flush, policy->flush, policy->reservations);
}

/* Write the share tree: root, the groups, and in each group any user. */
static char *tree_text(size_t ngroups, const char *const *groups)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fprintf(out, "id=0\nname=Root\ntype=0\nshares=1\nchildnodes=%s", ngroups ? "" : "NONE");
	for (size_t i = 0; i < ngroups; i++)
		fprintf(out, "%s%zu", i ? "," : "", 1 + 2 * i);
	for (size_t i = 0; i < ngroups; i++)
		fprintf(out,
			"\nid=%zu\nname=%s\ntype=1\nshares=%zu\nchildnodes=%zu\nid=%zu\nname=default\ntype=0\n"
			"shares=10\nchildnodes=NONE",
			1 + 2 * i, groups[i], 10 + i % 90, 2 + 2 * i, 2 + 2 * i);
	fprintf(out, "\n");
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

int workload_cell(struct cell_files *made, const struct workload_policy *policy, const char *const *groups,
		  size_t ngroups)
{
	int rc = put(made, "sched_conf", policy_text(policy));

	if (rc == 0)
		rc = put(made, "global_conf", strdup("enforce_user auto\nauto_user_fshare 100\n"));
	if (rc == 0)
		rc = put(made, "share_tree", tree_text(ngroups, groups));
	for (size_t i = 0; i < ngroups && rc == 0; i++) {
		char name[600];

		snprintf(name, sizeof(name), "projects/%s", groups[i]);
		rc = put(made, name, print("name %s\noticket 0\nfshare 0\nacl NONE\nxacl NONE\n", groups[i]));
	}
	if (rc)
		cell_files_free(made);
	else
		cell_files_sort(made);
	return rc;
}
