/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/farm.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "bench/cell.h"

#define RARE 100			/* every 100th host has `rare` */
#define PROCESSORS 10

/* The cell */

static int write_sched_conf(const char *directory, const struct farm *farm)
{
	return write_file(
		directory, "sched_conf",
		"algorithm default\nschedule_interval 0:0:15\nmaxujobs 0\nqueue_sort_method load\n"
		"job_load_adjustments %s\n"
		"load_adjustment_decay_time %s\nload_formula np_load_avg\nschedd_job_info true\nflush_submit_sec 0\n"
		"flush_finish_sec 0\n"
		"params none\nreprioritize_interval 0:0:0\nmax_reservation %zu\ndefault_duration 24:0:0\nhalftime 168\n"
		"usage_weight_list cpu=1,mem=0,io=0\ncompensation_factor 5\nweight_user 0.25\nweight_project 0.25\n"
		"weight_department 0.25\n"
		"weight_job 0.25\nweight_tickets_functional 10000000\nweight_tickets_share 10000000\n"
		"share_override_tickets TRUE\n"
		"share_functional_shares TRUE\nmax_functional_jobs_to_schedule 200\nreport_pjob_tickets TRUE\n"
		"max_pending_tasks_per_job 50\n"
		"halflife_decay_list none\npolicy_hierarchy OFS\nweight_ticket 0.5\nweight_waiting_time 0.01\n"
		"weight_deadline 3600000\n"
		"weight_urgency 0.3\nweight_priority 1\n",
		farm->adjust ? "np_load_avg=0.50" : "NONE", farm->adjust ? "0:7:30" : "0:0:0",
		farm->reserve ? farm->reservations : 0);
}

static int write_complex(const char *directory)
{
	return write_file(
		directory, "complex",
		"arch a STRING == YES NO NONE 0\nh_rt h_rt TIME <= YES NO 0:0:0 0\nload_avg la DOUBLE >= NO NO 0 0\n"
		"mem mem MEMORY <= YES YES 0 0\nmem_total mt MEMORY <= YES NO 0 0\n"
		"np_load_avg nla DOUBLE >= NO NO 0 0\n"
		"num_proc p INT == YES NO 0 0\nqname q STRING == YES NO NONE 0\nhostname h HOST == YES NO NONE 0\n"
		"rare rare BOOL == YES NO 0 0\nslots s INT <= YES YES 1 0\n");
}

static size_t host_gigabytes(const struct farm *farm, size_t host)
{
	return farm->kind == FARM_PLAIN ? (size_t)8 << host % 4 : 64;
}

static int write_hosts(const char *directory, const struct farm *farm)
{
	char name[64];
	int code = 0;

	for (size_t h = 0; code == 0 && h < farm->hosts; h++) {
		snprintf(name, sizeof(name), "hosts/h%zu", h);
		code = write_file(
			directory, name,
			"hostname h%zu\nload_scaling NONE\ncomplex_values mem=%zuG%s\nuser_lists NONE\n"
			"xuser_lists NONE\nprojects NONE\n"
			"xprojects NONE\nusage_scaling NONE\n",
			h, host_gigabytes(farm, h), h % RARE == 0 ? ",rare=TRUE" : "");
	}
	return code;
}

static int write_group(const char *directory, const struct farm *farm)
{
	char path[512];
	FILE *out;

	snprintf(path, sizeof(path), "%s/hgrp/@all", directory);
	out = fopen(path, "w");
	if (!out)
		return -errno;
	fprintf(out, "group_name @all\nhostlist");
	for (size_t h = 0; h < farm->hosts; h++)
		fprintf(out, " h%zu", h);
	fprintf(out, "\n");
	return fclose(out) == 0 ? 0 : -EIO;
}

static int write_queues(const char *directory, const struct farm *farm)
{
	char name[64];
	int code = 0;

	for (size_t q = 0; code == 0 && q < farm->queues; q++) {
		snprintf(name, sizeof(name), "queue/q%zu", q);
		code = write_file(directory, name,
				  "qname q%zu\nhostlist @all\nseq_no %zu\nslots %zu\nload_thresholds np_load_avg=1.75\n"
				  "pe_list fill round node\nqtype BATCH INTERACTIVE\nh_rt INFINITY\n",
				  q, q, farm->slots);
	}
	return code;
}

static int write_pe(const char *directory, const char *name, const char *rule)
{
	char path[64];

	snprintf(path, sizeof(path), "pe/%s", name);
	return write_file(directory, path,
			  "pe_name %s\nslots 9999999\nuser_lists NONE\nxuser_lists NONE\nallocation_rule %s\n"
			  "control_slaves FALSE\njob_is_first_task TRUE\nurgency_slots min\n",
			  name, rule);
}

static int make_directory(const char *directory, const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return mkdir(path, 0755) == 0 ? 0 : -errno;
}

static int remove_file(const char *directory, const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return remove(path) == 0 ? 0 : -errno;
}

int farm_write(const char *directory, const struct farm *farm)
{
	const struct bench_shape users = { .jobs = farm->jobs, .users = FARM_USERS, .seed = farm->seed };
	int code = bench_cell_write(directory, &users);

	if (code == 0)
		code = remove_file(directory, "queue/all.q");
	if (code == 0)
		code = remove_file(directory, "pe/mpi");
	if (code == 0)
		code = make_directory(directory, "hosts");
	if (code == 0)
		code = make_directory(directory, "hgrp");
	if (code == 0)
		code = write_sched_conf(directory, farm);
	if (code == 0)
		code = write_complex(directory);
	if (code == 0)
		code = write_hosts(directory, farm);
	if (code == 0)
		code = write_group(directory, farm);
	if (code == 0)
		code = write_queues(directory, farm);
	if (code == 0)
		code = write_pe(directory, "fill", "$fill_up");
	if (code == 0)
		code = write_pe(directory, "round", "$round_robin");
	return code ? code : write_pe(directory, "node", "$pe_slots");
}

/* Hosts */

/*
 * Add a host. Loads differ by up to half a processor, so that each start changes the order of
 * hosts.
 */
static int host_add(struct mirror *mirror, const struct farm *farm, size_t host, uint32_t *random, struct error *error)
{
	char name[32], queue[64], np_load[32], load[32];
	double value = next_random(random) % 50000 / 100000.0;
	const struct load_report values[] = { { "arch", "lx-amd64" },
					      { "num_proc", "10" },
					      { "load_avg", load },
					      { "np_load_avg", np_load },
					      { "mem_total", "65536M" } };
	int code;

	snprintf(name, sizeof(name), "h%zu", host);
	snprintf(np_load, sizeof(np_load), "%.6f", value);
	snprintf(load, sizeof(load), "%.6f", value * PROCESSORS);
	code = mirror_host_load(mirror, name, values, sizeof(values) / sizeof(*values), error);
	for (size_t q = 0; code == 0 && q < farm->queues; q++) {
		snprintf(queue, sizeof(queue), "q%zu@h%zu", q, host);
		code = mirror_queue_instance(mirror, queue, UINT32_MAX, "", error);
	}
	return code;
}

int farm_add_hosts(struct mirror *mirror, const struct farm *farm)
{
	uint32_t random = farm->seed;
	struct error error;
	int code = 0;

	for (size_t h = 0; code == 0 && h < farm->hosts; h++)
		code = host_add(mirror, farm, h, &random, &error);
	if (code != 0)
		fprintf(stderr, "bench: %s\n", error.text);
	return code;
}

/* Jobs */

struct farm_job {
	char owner[16], project[16], department[16], hard[96], range[8];
	struct job_spec spec;
};

/*
 * Write the requests of a category. Categories with otherwise equal requests differ in megabytes
 * and seconds.
 */
static void job_requests(struct farm_job *job, size_t category, enum farm_kind kind)
{
	unsigned megabytes = kind == FARM_PLAIN ? 50 * (unsigned)(category + 1) : 64 + (unsigned)(category * 97 % 4099);
	unsigned seconds = 3600 * (1 + (unsigned)(category % 10)) + (unsigned)(category / 4099), sort = category % 20;
	const char *more = "";

	if (kind == FARM_PLAIN) {
		snprintf(job->hard, sizeof(job->hard), "mem=%uM", megabytes);
		return;
	}
	if (sort == 12)
		more = ",rare=TRUE";
	else if (sort == 13 || sort == 14)
		more = ",arch=lx*";
	else if (sort == 15)
		job->spec.hard_queues = "q1,q0@h1*";
	else if (sort >= 16)
		job->spec.pe = sort < 18 ? "fill" : sort == 18 ? "round" : "node";
	snprintf(job->range, sizeof(job->range), "%u", sort == 19 ? 2 : 4);
	snprintf(job->hard, sizeof(job->hard), "h_rt=%u,mem=%uM%s", seconds, megabytes, more);
}

/*
 * Let a job request one slot with most of a host's memory, or more slots of one host than are free
 * on any host.
 */
static void job_reserves(struct farm_job *job, size_t n, const struct farm *farm)
{
	snprintf(job->hard, sizeof(job->hard), "h_rt=3600,mem=%s", n % 4 ? "62G" : "512M");
	if (n % 4 == 0) {
		job->spec.pe = "node";
		snprintf(job->range, sizeof(job->range), "%zu", farm->queues * farm->slots);
	}
	job->spec.reserve = true;
	job->spec.priority = 1000;
}

static void job_make(struct farm_job *job, const struct farm *farm, uint32_t number, uint32_t *random, int64_t now)
{
	size_t user = next_random(random) % FARM_USERS, pending = number - farm->running * farm->hosts * farm->queues;
	uint32_t r = next_random(random);

	snprintf(job->owner, sizeof(job->owner), "u%zu", user);
	snprintf(job->project, sizeof(job->project), "p%zu", user % BENCH_PROJECTS);
	snprintf(job->department, sizeof(job->department), "d%zu", user % BENCH_DEPARTMENTS);
	job->spec = (struct job_spec){ .job_number = number,
				       .owner = job->owner,
				       .project = job->project,
				       .department = job->department,
				       .hard = job->hard,
				       .pe_range = job->range,
				       .submission_time = now - 100000,
				       .priority = (int32_t)(r % 5) - 4,
				       .given = JOB_OWNER | JOB_PROJECT | JOB_DEPARTMENT | JOB_SUBMISSION_TIME |
						JOB_PRIORITY | JOB_HARD };
	if (pending > 0 && pending <= farm->reservations)
		job_reserves(job, pending, farm);
	else
		job_requests(job, r / 8 % farm->categories, farm->kind);
	job->spec.given |= (job->spec.pe ? JOB_PE | JOB_PE_RANGE : 0) | (job->spec.hard_queues ? JOB_HARD_QUEUES : 0) |
			   (job->spec.reserve ? JOB_RESERVE : 0);
	if (!job->spec.pe)
		job->spec.pe_range = NULL;
}

/* Add running tasks with one slot each, whose ends are spread over hours. */
static int add_running(struct mirror *mirror, const struct farm *farm, uint32_t *number, int64_t now,
		       struct error *error)
{
	int code = 0;

	for (size_t i = 0; code == 0 && i < farm->hosts * farm->queues * farm->running; i++) {
		char hard[64], queue[64], owner[16];
		struct job_spec spec = { .given = JOB_OWNER | JOB_SUBMISSION_TIME | JOB_HARD,
					 .job_number = ++*number,
					 .owner = owner,
					 .hard = hard,
					 .submission_time = now - 200000 };
		struct granted granted = { .queue = queue, .slots = 1 };

		snprintf(owner, sizeof(owner), "u%zu", i % FARM_USERS);
		snprintf(hard, sizeof(hard), "h_rt=%zu,mem=2G", 3600 * (1 + i % 10));
		snprintf(queue, sizeof(queue), "q%zu@h%zu", i / farm->hosts % farm->queues, i % farm->hosts);
		code = mirror_job_add(mirror, &spec, error);
		if (code == 0)
			code = mirror_task_start(mirror, spec.job_number, 1, now - 600 - (int64_t)(i * 7 % 3000),
						 &granted, 1, NULL, NULL, error);
	}
	return code;
}

int farm_add_jobs(struct mirror *mirror, const struct farm *farm, int64_t now)
{
	uint32_t random = farm->seed, number = 0;
	struct error error;
	int code = add_running(mirror, farm, &number, now, &error);

	for (size_t i = 0; code == 0 && i < farm->jobs; i++) {
		struct farm_job job;

		job_make(&job, farm, ++number, &random, now);
		code = mirror_job_add(mirror, &job.spec, &error);
	}
	if (code != 0)
		fprintf(stderr, "bench: %s\n", error.text);
	return code;
}
