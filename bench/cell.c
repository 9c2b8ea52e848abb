/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/cell.h"

#include <errno.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

uint32_t next_random(uint32_t *state)	/* xorshift32 */
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

int write_file(const char *directory, const char *name, const char *format, ...)
{
	char path[512];
	va_list args;
	FILE *out;
	int bad;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	out = fopen(path, "w");
	if (!out)
		return -errno;
	va_start(args, format);
	bad = vfprintf(out, format, args) < 0;
	va_end(args);
	return fclose(out) != 0 || bad ? -EIO : 0;
}

static int make_directories(const char *directory)
{
	static const char *const names[] = { "users", "projects", "usersets", "queue", "pe" };
	char path[512];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, names[i]);
		if (mkdir(path, 0755) != 0)
			return -errno;
	}
	return 0;
}

static int write_sched_conf(const char *directory)
{
	return write_file(
		directory, "sched_conf",
		"algorithm default\nschedule_interval 0:0:15\nmaxujobs 0\nqueue_sort_method load\n"
		"job_load_adjustments NONE\n"
		"load_adjustment_decay_time 0:0:0\nload_formula np_load_avg\nschedd_job_info false\n"
		"flush_submit_sec 0\n"
		"flush_finish_sec 0\nparams none\nreprioritize_interval 0:0:0\nmax_reservation 0\n"
		"default_duration INFINITY\n"
		"halftime 168\nusage_weight_list cpu=1,mem=0,io=0\n"
		"compensation_factor 5\nweight_user 0.25\nweight_project 0.25\nweight_department 0.25\n"
		"weight_job 0.25\n"
		"weight_tickets_functional 10000000\nweight_tickets_share 10000000\nshare_override_tickets TRUE\n"
		"share_functional_shares TRUE\nmax_functional_jobs_to_schedule 200\nreport_pjob_tickets TRUE\n"
		"max_pending_tasks_per_job 50\nhalflife_decay_list none\npolicy_hierarchy OFS\nweight_ticket 0.5\n"
		"weight_waiting_time 0.01\nweight_deadline 3600000\nweight_urgency 0.3\nweight_priority 0.2\n");
}

/*
 * Write the share tree: root, projects, users of a project. Every user works in one project; a
 * tenth of the users is outside any project.
 */
static int write_tree(const char *directory, size_t users)
{
	char path[512];
	size_t id = 1 + BENCH_PROJECTS + 1;
	FILE *out;

	snprintf(path, sizeof(path), "%s/share_tree", directory);
	out = fopen(path, "w");
	if (!out)
		return -errno;
	fprintf(out, "id=0\nname=Root\ntype=0\nshares=1\nchildnodes=1");
	for (size_t p = 1; p <= BENCH_PROJECTS; p++)
		fprintf(out, ",%zu", p + 1);
	fprintf(out, "\nid=1\nname=default\ntype=0\nshares=10\nchildnodes=NONE\n");
	for (size_t p = 0; p < BENCH_PROJECTS; p++) {
		fprintf(out, "id=%zu\nname=p%zu\ntype=1\nshares=%zu\nchildnodes=", p + 2, p, 10 + p);
		for (size_t u = p, n = 0; u < users; u += BENCH_PROJECTS, n++)
			fprintf(out, "%s%zu", n ? "," : "", id + u);
		fprintf(out, "%s\n", p < users ? "" : "NONE");
	}
	for (size_t u = 0; u < users; u++)
		fprintf(out, "id=%zu\nname=u%zu\ntype=0\nshares=%zu\nchildnodes=NONE\n", id + u, u, 1 + u % 7);
	return fclose(out) == 0 ? 0 : -EIO;
}

static int write_objects(const char *directory, size_t users)
{
	char name[64];
	int code = 0;

	for (size_t u = 0; code == 0 && u < users; u++) {
		snprintf(name, sizeof(name), "users/u%zu", u);
		code = write_file(directory, name,
				  "name u%zu\noticket %zu\nfshare %zu\ndelete_time 0\ndefault_project NONE\n", u,
				  u % 3 ? 100 + u % 11 : (size_t)0, 50 + u % 13);
	}
	for (size_t p = 0; code == 0 && p < BENCH_PROJECTS; p++) {
		snprintf(name, sizeof(name), "projects/p%zu", p);
		code = write_file(directory, name, "name p%zu\noticket %zu\nfshare %zu\nacl NONE\nxacl NONE\n", p,
				  p % 2 ? (size_t)1000 : 0, 100 + p);
	}
	for (size_t d = 0; code == 0 && d < BENCH_DEPARTMENTS; d++) {
		snprintf(name, sizeof(name), "usersets/d%zu", d);
		code = write_file(directory, name, "name d%zu\ntype DEPT\nfshare %zu\noticket %zu\nentries NONE\n", d,
				  200 + d, d % 2 ? (size_t)500 : 0);
	}
	return code;
}

int bench_cell_write(const char *directory, const struct bench_shape *shape)
{
	int code = make_directories(directory);

	if (code == 0)
		code = write_sched_conf(directory);
	if (code == 0)
		code = write_tree(directory, shape->users);
	if (code == 0)
		code = write_objects(directory, shape->users);
	if (code == 0)
		code = write_file(directory, "queue/all.q", "qname all.q\nhostlist node\nseq_no 0\nslots 100000\n");
	if (code == 0)
		code = write_file(
			directory, "pe/mpi",
			"pe_name mpi\nslots 1000\nuser_lists NONE\nxuser_lists NONE\n"
			"allocation_rule $fill_up\ncontrol_slaves FALSE\njob_is_first_task TRUE\nurgency_slots avg\n");
	return code;
}

/* Jobs */

void bench_jobs_begin(struct bench_jobs *jobs, const struct bench_shape *shape, int64_t now)
{
	*jobs = (struct bench_jobs){ .shape = shape, .now = now, .random = shape->seed };
}

static int64_t submission_time(const struct bench_jobs *jobs)
{
	double age = 1.0 - (double)jobs->n / (double)jobs->shape->jobs;

	return age > 0 ? jobs->now - (int64_t)(100000.0 * age) : jobs->now;
}

void bench_jobs_next(struct bench_jobs *jobs, struct job_spec *spec)
{
	size_t user = next_random(&jobs->random) % jobs->shape->users;
	uint32_t r = next_random(&jobs->random);

	snprintf(jobs->owner, sizeof(jobs->owner), "u%zu", user);
	snprintf(jobs->project, sizeof(jobs->project), "p%zu", user % BENCH_PROJECTS);
	snprintf(jobs->department, sizeof(jobs->department), "d%zu", user % BENCH_DEPARTMENTS);
	snprintf(jobs->name, sizeof(jobs->name), "job%u", r % 1000);
	snprintf(jobs->hard, sizeof(jobs->hard), "h_rt=%u,h_vmem=%uM", 3600 * (1 + r % 10), 256 * (1 + r / 16 % 8));
	*spec = (struct job_spec){
		.given = JOB_OWNER | JOB_NAME | JOB_DEPARTMENT | JOB_SUBMISSION_TIME | JOB_PRIORITY | JOB_HARD,
		.job_number = (uint32_t)jobs->n + 1,
		.owner = jobs->owner,
		.department = jobs->department,
		.name = jobs->name,
		.hard = jobs->hard,
		.submission_time = submission_time(jobs),
		.priority = (int32_t)(r % 5) - 4,
	};
	if (user % 10) {
		spec->project = jobs->project;
		spec->given |= JOB_PROJECT;
	}
	if (r % 4 == 0) {
		spec->pe = "mpi";
		spec->pe_range = r % 8 ? "2-8" : "4";
		spec->given |= JOB_PE | JOB_PE_RANGE;
	}
	jobs->n++;
}

bool bench_job_runs(const struct bench_shape *shape, size_t number)
{
	return number <= shape->jobs && number % 1000 == 1;
}

int bench_jobs_add(struct mirror *mirror, const struct bench_shape *shape, int64_t now)
{
	const struct granted granted = { .queue = "all.q@node", .slots = 1 };
	const struct usage_value cpu = { .name = "cpu", .value = 1000.0 };
	const struct usage_values usage = { .items = &cpu, .n = 1 };
	struct bench_jobs jobs;
	struct error error;
	int code = mirror_queue_instance(mirror, granted.queue, UINT32_MAX, "", &error);

	bench_jobs_begin(&jobs, shape, now);
	while (code == 0 && jobs.n < shape->jobs) {
		struct job_spec spec;

		bench_jobs_next(&jobs, &spec);
		code = mirror_job_add(mirror, &spec, &error);
		if (code == 0 && bench_job_runs(shape, spec.job_number))
			code = mirror_task_start(mirror, spec.job_number, 1, now - 1000, &granted, 1, NULL, NULL,
						 &error);
		if (code == 0 && bench_job_runs(shape, spec.job_number))
			code = mirror_usage(mirror, spec.job_number, 1, &usage, &error);
	}
	if (code != 0)
		fprintf(stderr, "bench: %s\n", error.text);
	return code;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

void bench_cell_remove(const char *directory)
{
	nftw(directory, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
