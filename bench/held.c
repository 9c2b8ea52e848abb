/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/held.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bench/cell.h"
#include "conf/base/array.h"
#include "conf/base/heap.h"
#include "sched/qmaster/orders.h"

/* The cell */

static int write_sched_conf(const char *directory, const struct held_shape *shape)
{
	return write_file(
		directory, "sched_conf",
		"algorithm %s\nschedule_interval 0:0:15\nmaxujobs 0\nqueue_sort_method load\n"
		"job_load_adjustments NONE\n"
		"load_adjustment_decay_time 0:0:0\nload_formula slots\nschedd_job_info false\nflush_submit_sec 0\n"
		"flush_finish_sec 0\n"
		"params none\nreprioritize_interval 0:0:0\nmax_reservation %zu\ndefault_duration 24:0:0\nhalftime 168\n"
		"usage_weight_list cpu=1,mem=0,io=0\ncompensation_factor 5\nweight_user 0.25\nweight_project 0.25\n"
		"weight_department 0.25\n"
		"weight_job 0.25\nweight_tickets_functional 0\nweight_tickets_share 1000000\n"
		"share_override_tickets TRUE\n"
		"share_functional_shares TRUE\nmax_functional_jobs_to_schedule 200\nreport_pjob_tickets TRUE\n"
		"max_pending_tasks_per_job 50\n"
		"halflife_decay_list none\npolicy_hierarchy OFS\nweight_ticket 0.5\nweight_waiting_time 0.01\n"
		"weight_deadline 3600000\n"
		"weight_urgency 0.3\nweight_priority 0.2\n",
		shape->algorithm, shape->reservations);
}

static int write_tree(const char *directory, const struct held_shape *shape)
{
	char path[512];
	FILE *out;

	snprintf(path, sizeof(path), "%s/share_tree", directory);
	out = fopen(path, "w");
	if (!out)
		return -errno;
	fprintf(out, "id=0\nname=Root\ntype=0\nshares=1\nchildnodes=");
	for (size_t g = 0; g < shape->groups; g++)
		fprintf(out, "%s%zu", g ? "," : "", 1 + g);
	fprintf(out, "\n");
	for (size_t g = 0; g < shape->groups; g++) {
		fprintf(out, "id=%zu\nname=g%zu\ntype=0\nshares=%zu\nchildnodes=%s", 1 + g, g, 1 + g % 13,
			g < shape->users ? "" : "NONE");
		for (size_t u = g; u < shape->users; u += shape->groups)
			fprintf(out, "%s%zu", u > g ? "," : "", 1 + shape->groups + u);
		fprintf(out, "\n");
	}
	for (size_t u = 0; u < shape->users; u++)
		fprintf(out, "id=%zu\nname=u%zu\ntype=0\nshares=%zu\nchildnodes=NONE\n", 1 + shape->groups + u, u,
			1 + u % 7);
	return fclose(out) == 0 ? 0 : -EIO;
}

/* Write the same users for Slurm, in accounts named like the groups. */
static int write_associations(const char *directory, const struct held_shape *shape)
{
	char path[512];
	FILE *out;

	snprintf(path, sizeof(path), "%s/associations", directory);
	out = fopen(path, "w");
	if (!out)
		return -errno;
	fprintf(out, "Cluster - 'bench':Fairshare=1:QOS='normal'\nParent - 'root'\n");
	for (size_t g = 0; g < shape->groups; g++)
		fprintf(out, "Account - 'g%zu':Description='g%zu':Organization='bench':Fairshare=%zu\n", g, g,
			1 + g % 13);
	for (size_t g = 0; g < shape->groups && g < shape->users; g++) {
		fprintf(out, "Parent - 'g%zu'\n", g);
		for (size_t u = g; u < shape->users; u += shape->groups)
			fprintf(out, "User - 'u%zu':DefaultAccount='g%zu':Fairshare=%zu\n", u, g, 1 + u % 7);
	}
	return fclose(out) == 0 ? 0 : -EIO;
}

static int write_users(const char *directory, const struct held_shape *shape)
{
	char name[64];
	int code = 0;

	for (size_t u = 0; code == 0 && u < shape->users; u++) {
		snprintf(name, sizeof(name), "users/u%zu", u);
		code = write_file(directory, name,
				  "name u%zu\noticket 0\nfshare 0\ndelete_time 0\ndefault_project NONE\n", u);
	}
	return code;
}

static int write_machine(const char *directory, const struct held_shape *shape)
{
	char path[512];
	FILE *out;
	int code;

	snprintf(path, sizeof(path), "%s/hgrp/@all", directory);
	out = fopen(path, "w");
	if (!out)
		return -errno;
	fprintf(out, "group_name @all\nhostlist");
	for (size_t i = 0; i < shape->hosts; i++)
		fprintf(out, " h%zu", i);
	fprintf(out, "\n");
	code = fclose(out) == 0 ? 0 : -EIO;
	if (code == 0)
		code = write_file(
			directory, "queue/all.q",
			"qname all.q\nhostlist @all\nseq_no 0\nslots %zu\npe_list mpi\nqtype BATCH\nh_rt INFINITY\n",
			HELD_SLOTS / shape->hosts);
	if (code == 0)
		code = write_file(directory, "complex",
				  "h_rt h_rt TIME <= YES NO 0:0:0 0\nqname q STRING == YES NO NONE 0\n"
				  "hostname h HOST == YES NO NONE 0\nslots s INT <= YES YES 1 0\n");
	if (code == 0)
		code = write_file(
			directory, "pe/mpi",
			"pe_name mpi\nslots 9999999\nuser_lists NONE\nxuser_lists NONE\nallocation_rule $fill_up\n"
			"control_slaves FALSE\njob_is_first_task TRUE\nurgency_slots min\n");
	return code ? code
		    : write_file(directory, "slurm.conf",
				 "ClusterName=bench\nPriorityType=priority/multifactor\nPriorityDecayHalfLife=7-0\n"
				 "PriorityCalcPeriod=5\nPriorityMaxAge=7-0\nPriorityWeightAge=1000\n"
				 "PriorityWeightFairshare=10000\nPriorityWeightJobSize=1000\n"
				 "NodeName=n[1-64] NodeAddr=127.0.0.1 CPUs=16 RealMemory=64000 State=DOWN\n"
				 "PartitionName=batch Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n");
}

int held_write(const char *directory, const struct held_shape *shape)
{
	static const char *const names[] = { "users", "queue", "pe", "hgrp" };
	char path[512];
	int code;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, names[i]);
		if (mkdir(path, 0755) != 0)
			return -errno;
	}
	code = write_sched_conf(directory, shape);
	if (code == 0)
		code = write_tree(directory, shape);
	if (code == 0)
		code = write_associations(directory, shape);
	if (code == 0)
		code = write_users(directory, shape);
	return code ? code : write_machine(directory, shape);
}

/* Events */

static int reported(int code, const struct error *error)
{
	if (code != 0)
		fprintf(stderr, "bench: %s\n", error->text);
	return code;
}

/*
 * Choose a size. Sizes are powers of two whose mean fills the machine with the intended number of
 * tasks.
 */
static uint32_t job_slots(struct held *held)
{
	double mean = (double)HELD_SLOTS / (double)held->shape->running;
	uint32_t powers = 1, sum = 1;

	while ((double)sum / powers < mean && powers < 16) {
		sum += 1u << powers;
		powers++;
	}
	return 1u << next_random(&held->random) % powers;
}

static int job_submit(struct held *held)
{
	size_t user = next_random(&held->random) % held->shape->users *
		      (next_random(&held->random) % held->shape->users) / held->shape->users;
	char owner[32], account[32], hard[32], range[16];
	struct job_spec spec = { .given = JOB_OWNER | JOB_SUBMISSION_TIME | JOB_HARD | JOB_PE | JOB_PE_RANGE |
					  JOB_RESERVE | JOB_ACCOUNT,
				 .job_number = ++held->jobs,
				 .owner = owner,
				 .account = account,
				 .hard = hard,
				 .pe = "mpi",
				 .pe_range = range,
				 .submission_time = held->now,
				 .reserve = held->shape->reservations > 0 };
	struct error error;

	snprintf(owner, sizeof(owner), "u%zu", user);
	snprintf(account, sizeof(account), "g%zu", user % held->shape->groups);
	snprintf(hard, sizeof(hard), "h_rt=%zu", 1800 * (1 + next_random(&held->random) % held->shape->limits));
	snprintf(range, sizeof(range), "%u", job_slots(held));
	return reported(mirror_job_add(sched_mirror(held->s), &spec, &error), &error);
}

static bool ends_before(const void *context, const struct held_end *a, const struct held_end *b)
{
	(void)context;
	return a->at < b->at;
}

/* Start a task. It runs for a part of a day, whatever time it has requested. */
static int task_start(struct held *held, const struct order *order)
{
	const struct order_start *start = &order->start;
	uint32_t run_s = 60 + next_random(&held->random) % 20000;
	struct held_end end = { held->now + run_s, order->job_number, 0, run_s };
	struct error error;

	for (size_t i = 0; i < start->granted.n; i++)
		end.slots += start->granted.items[i].slots;
	if (held->nends == held->capacity) {
		if (array_grow(&held->ends, 2 * held->capacity + 64, sizeof(*held->ends)))
			return -ENOMEM;
		held->capacity = 2 * held->capacity + 64;
	}
	held->started++;
	held->ends[held->nends++] = end;
	heap_rise(held->ends, held->nends - 1, ends_before, NULL);
	return reported(mirror_task_start(sched_mirror(held->s), order->job_number, order->task, held->now,
				      start->granted.items, start->granted.n, start->granted_pe, NULL, &error),
		    &error);
}

int held_start(struct held *held)
{
	struct orders *orders = sched_orders(held->s);
	const struct order *order;
	int code = 0;

	while (code == 0 && (order = orders_after(orders, held->order))) {
		held->order = order->number;
		if (order->kind == ORDER_START)
			code = task_start(held, order);
	}
	if (code == 0 && held->order > 0)
		code = orders_acknowledge(orders, held->order);
	return code;
}

static int task_end(struct held *held)
{
	struct held_end end = held->ends[0];
	struct usage_value values[] = { { "cpu", (double)end.start_s * end.slots }, { "mem", 0 }, { "io", 0 } };
	const struct usage_values usage = { values, 3 };
	struct error error;

	held->ends[0] = held->ends[--held->nends];
	heap_sink(held->ends, held->nends, 0, ends_before, NULL);
	held->now = end.at > held->now ? end.at : held->now;
	return reported(mirror_task_finish(sched_mirror(held->s), end.job_number, 1, end.at, &usage, &error), &error);
}

int held_change(struct held *held)
{
	int code = 0;

	for (size_t i = 0; code == 0 && i < held->shape->ends && held->nends > 0; i++)
		code = task_end(held);
	while (code == 0 && held->jobs - held->started < held->shape->pending)
		code = job_submit(held);
	return code;
}

static int machine_report(struct held *held)
{
	char name[32];
	struct error error;
	int code = 0;

	for (size_t i = 0; code == 0 && i < held->shape->hosts; i++) {
		snprintf(name, sizeof(name), "all.q@h%zu", i);
		code = reported(mirror_queue_instance(sched_mirror(held->s), name, UINT32_MAX, "", &error), &error);
	}
	return code;
}

int held_begin(struct held *held, struct sched *sched, const struct held_shape *shape)
{
	int code;

	*held = (struct held){ .shape = shape, .s = sched, .now = HELD_BEGIN, .random = shape->seed };
	code = machine_report(held);
	for (size_t i = 0; code == 0 && i < shape->pending + shape->running; i++)
		code = job_submit(held);
	return code;
}

void held_free(struct held *held)
{
	free(held->ends);
	*held = (struct held){ 0 };
}
